"""The numbers that stand for each chapter on the page of highlights."""

from __future__ import annotations

from types import SimpleNamespace

from roundtrip.present import largest, size_label, smallest
from support.compression.published import PLAIN
from support.highlights.decisions import narrow_link
from support.highlights.history import FAST, SIZE, History, Reports
from support.shared.counted import counted_once


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
    """Give the peak of clients, and what local bindings and JMS give beside it."""
    linux, best = history.reports.linux, history.of(FAST, "v9.4")
    local = linux.quantity(linux.points("table-04"), message_bytes=SIZE)
    jms = linux.quantity(linux.points("table-05"), message_bytes=SIZE)
    return SimpleNamespace(
        rate=best.rate,
        cpu=best.cpu,
        local=local.over(best.rate, 1),
        jms=jms.percent_of(best.rate),
    )


def persistent(history: History) -> SimpleNamespace:
    """Give what is left of the rate with a recovery log on three kinds of storage."""
    linux = history.reports.linux
    stores = linux.points("table-08", message_bytes=SIZE)
    on = {name: linux.quantity(stores, log_storage=name) for name in ("SSD", "SAN", "NFS")}
    return SimpleNamespace(
        ssd=on["SSD"].percent_of(history.of(FAST, "v9.4").rate),
        nfs=on["NFS"].percent_of(on["SSD"]),
        san=on["SAN"].percent_of(on["SSD"]),
    )


def tls(reports: Reports) -> SimpleNamespace:
    """Give what the fastest and the slowest CipherSpec keep, and TLS 1.3 with the log on SAN."""
    linux = reports.linux
    ciphers = linux.points("table-09", "table-10").drop_duplicates("tls_cipher")
    none = linux.quantity(ciphers, tls_cipher="none")
    kept = [q.percent_of(none) for q in linux.quantities(ciphers[ciphers["tls_cipher"] != "none"])]
    logged = linux.points("sec-6.3-san")
    logged = logged[logged["round_trip_rate"].notna()]
    with_tls = linux.quantities(logged[logged["tls_cipher"] != "none"])[0]
    return SimpleNamespace(
        best=largest(kept),
        worst=smallest(kept),
        san=with_tls.percent_of(linux.quantity(logged, tls_cipher="none")),
    )


def high_availability(reports: Reports) -> SimpleNamespace:
    """Give what a pair keeps of a single queue manager's rate, near and far, and what V10 adds."""
    linux, ha = reports.linux, reports.ha
    near = linux.points("table-13", message_bytes=SIZE)
    far = linux.points("table-15", message_bytes=SIZE)
    single = linux.quantity(near, ha="none")
    pair = {kind: linux.quantity(near, ha=kind) for kind in ("MIQM", "RDQM")}
    said = ha.points("text")
    steady = said[said["cpu_increase"].notna()]
    added = ha.quantities(steady, "cpu_increase")
    return SimpleNamespace(
        miqm=pair["MIQM"].percent_of(single),
        rdqm=pair["RDQM"].percent_of(single),
        delay=f"{far['ha_link_rtt_ms'].iloc[0]:g} ms",
        far_miqm=linux.quantity(far, ha="MIQM").percent_of(pair["MIQM"]),
        far_rdqm=linux.quantity(far, ha="RDQM").percent_of(pair["RDQM"]),
        steady_size=size_label(steady["message_bytes"].iloc[0]),
        least=smallest(added),
        most=largest(added),
    )


def replication(reports: Reports) -> SimpleNamespace:
    """Give what a second site costs at most, by message size, and what an appliance keeps."""
    ha, appliance = reports.ha, reports.appliance
    said = ha.points("text")
    lost = said[said["rate_reduction"].notna()].sort_values("message_bytes")
    small, large = ha.quantities(lost.iloc[[0, -1]], "rate_reduction")
    copied = appliance.points("table-12", message_bytes=SIZE)
    copied = copied[copied["round_trip_rate"].notna()]
    alone = appliance.quantity(copied, host_set="m2003a")
    return SimpleNamespace(
        small=small,
        small_size=size_label(lost["message_bytes"].iloc[0]),
        large=large,
        large_size=size_label(lost["message_bytes"].iloc[-1]),
        kept=appliance.quantity(copied, host_set="m2003a-dr").percent_of(alone),
    )


def appliance_models(reports: Reports) -> SimpleNamespace:
    """Compare two generations, two models, and a pair with a single appliance."""
    appliance = reports.appliance
    generations = appliance.points("table-01", message_bytes=SIZE)
    newer, older = (appliance.quantity(generations, host_set=h) for h in ("m2003a", "m2002a"))
    models = appliance.points("table-04", message_bytes=SIZE)
    large, small = (appliance.quantity(models, host_set=h) for h in ("m2003a", "m2003b"))
    paired = appliance.points("table-08")
    paired = paired[paired["round_trip_rate"].notna()]
    most = paired["message_bytes"].max()
    kept = {}
    for size in (SIZE, most):
        of_size = appliance.select(paired, message_bytes=size)
        two, one = (appliance.quantity(of_size, host_set=h) for h in ("m2003a-ha", "m2003a"))
        kept[size] = two.percent_of(one)
    return SimpleNamespace(
        newer=newer.over(older, 1), bigger=large.over(small, 1),
        pair=kept[SIZE], pair_large=kept[most], large=size_label(most),
    )  # fmt: skip


def legacy_products(reports: Reports) -> SimpleNamespace:
    """Compare the two products: at their sizes, and with messages left on the response queue."""
    legacy = reports.legacy
    sized = counted_once(legacy, legacy.points("table-04"))
    ratios = legacy.quantities(sized[sized["product"].isna()], "product_rate_ratio")
    left = counted_once(legacy, legacy.points("table-06"))
    series, msmq = (
        legacy.quantities(left[left["product"] == name]) for name in ("IBM MQSeries", "MSMQ")
    )
    return SimpleNamespace(
        most=largest(ratios),
        least=smallest(ratios),
        count=reports.linux.numbers.write(left["preloaded_messages"].max()),
        steady=series[-1],
        before=msmq[0],
        after=msmq[-1],
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
