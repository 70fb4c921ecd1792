"""The numbers that stand for each chapter on the page of highlights."""

from __future__ import annotations

from types import SimpleNamespace

from roundtrip.present import Chapter, largest, size_label
from support.compression.published import PLAIN
from support.highlights.decisions import narrow_link
from support.highlights.history import FAST, SIZE, History, Reports
from support.legacy.rates import MQSERIES, MSMQ, rates_over
from support.shared.ends import ends


def compression(reports: Reports) -> SimpleNamespace:
    """Give what compression removes, and how far that raises the ceiling of a link."""
    linux = reports.linux
    packed = linux.points("table-01")
    top = packed.iloc[int(packed["compression_rate"].argmax())]
    size = size_label(top["message_bytes"])
    link, ceiling = narrow_link(linux)
    lz4 = linux.select(packed, compression="LZ4FAST")
    return SimpleNamespace(
        best=str(top["compression"]),
        most=largest(linux.quantities(packed, "compression_rate")),
        lz4=largest(linux.quantities(lz4, "compression_rate")),
        link=f"{link:g} Gb/s",
        gain=ceiling[top["compression"], size].over(ceiling[PLAIN, size], 1),
        size=size,
    )


def nonpersistent(history: History) -> SimpleNamespace:
    """Give the peak of clients, and what local bindings, JMS and a log on SSD give beside it."""
    linux, best = history.reports.linux, history.of(FAST, "v9.4")
    local = linux.quantity(linux.points("table-04"), message_bytes=SIZE)
    jms = linux.quantity(linux.points("table-05"), message_bytes=SIZE)
    logged = linux.quantity(linux.points("table-08", log_storage="SSD"), message_bytes=SIZE)
    return SimpleNamespace(
        rate=best.rate,
        cpu=best.cpu,
        local=local.over(best.rate, 1),
        jms=jms.percent_of(best.rate),
        logged=logged.percent_of(best.rate),
    )


def tls(reports: Reports) -> SimpleNamespace:
    """Give what the fastest and the slowest CipherSpec keep without a log."""
    linux = reports.linux
    ciphers = linux.points("table-09", "table-10").drop_duplicates("tls_cipher")
    none = linux.quantity(ciphers, tls_cipher="none")
    kept = [q.percent_of(none) for q in linux.quantities(ciphers[ciphers["tls_cipher"] != "none"])]
    return SimpleNamespace(kept=ends(kept))


def high_availability(reports: Reports) -> SimpleNamespace:
    """Give what delay leaves of the rate of a pair, and what V10 adds."""
    linux, ha = reports.linux, reports.ha
    near = linux.points("table-13", message_bytes=SIZE)
    far = linux.points("table-15", message_bytes=SIZE)
    miqm, rdqm = (
        linux.quantity(far, ha=kind).percent_of(linux.quantity(near, ha=kind))
        for kind in ("MIQM", "RDQM")
    )
    said = ha.points("text")
    steady = said[said["cpu_increase"].notna()]
    added = ha.quantities(steady, "cpu_increase")
    return SimpleNamespace(
        delay=f"{far['ha_link_rtt_ms'].iloc[0]:g} ms",
        far_miqm=miqm,
        far_rdqm=rdqm,
        steady_size=size_label(steady["message_bytes"].iloc[0]),
        added=ends(added),
    )


def second_site(ha: Chapter) -> SimpleNamespace:
    """Give what a second site costs at most, by message size."""
    said = ha.points("text")
    lost = said[said["rate_reduction"].notna()].sort_values("message_bytes")
    small, large = ha.quantities(lost.iloc[[0, -1]], "rate_reduction")
    return SimpleNamespace(
        small=small,
        small_size=size_label(lost["message_bytes"].iloc[0]),
        large=large,
        large_size=size_label(lost["message_bytes"].iloc[-1]),
    )


def appliance_models(reports: Reports) -> SimpleNamespace:
    """Compare two generations and two models."""
    appliance = reports.appliance
    generations = appliance.points("table-01", message_bytes=SIZE)
    newer, older = (appliance.quantity(generations, host_set=h) for h in ("m2003a", "m2002a"))
    models = appliance.points("table-04", message_bytes=SIZE)
    large, small = (appliance.quantity(models, host_set=h) for h in ("m2003a", "m2003b"))
    return SimpleNamespace(newer=newer.over(older, 1), bigger=large.over(small, 1))


def legacy_products(reports: Reports) -> SimpleNamespace:
    """Compare the two products: at their sizes, and with messages left on the response queue."""
    sizes = rates_over(reports.legacy, "table-04", "message_bytes")
    left = rates_over(reports.legacy, "table-06", "preloaded_messages")
    return SimpleNamespace(
        ratios=ends(sizes.ratios),
        count=reports.linux.numbers.write(left.levels[-1]),
        steady=left.of[MQSERIES][-1],
        before=left.of[MSMQ][0],
        after=left.of[MSMQ][-1],
    )


def aix(reports: Reports) -> SimpleNamespace:
    """Give the peaks of V7 with clients and in local bindings, and how many clients it held."""
    chapter = reports.aix
    versions = chapter.points("table-03")
    v6, v7 = (
        largest(chapter.quantities(versions[versions["product_version"] == version]))
        for version in ("V6", "V7")
    )
    local = chapter.points("table-01")
    held = chapter.points("table-34")
    return SimpleNamespace(
        v7=v7,
        share=v7.percent_of(v6),
        local=largest(chapter.quantities(local[local["product_version"] == "V7"])),
        clients=largest(chapter.quantities(held[held["clients"].notna()], "clients")),
    )
