"""Replication to another site in MQ V10: what its report states, and what follows from it."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace

from roundtrip.present import Chapter, Quantity, Table, plain_table, size_label
from roundtrip.present.quantities import Row, quantity_table
from support.shared.arrangements import link_bandwidth
from support.shared.ends import ends
from support.shared.flows import time_in_round_trip
from support.shared.log_extents import log_growth, log_lines
from support.shared.replication import link_ceiling, time_at
from support.shared.statements import fact, spaced
from support.shared.values import in_unit, sample_rows, value_of

_SAMPLE = "sec-5.1.2"
_MB_PER_S = ("MB/s", 1e-6, 2)
_LARGE = 204800


def links(chapter: Chapter, appliance: Chapter) -> SimpleNamespace:
    """Give the bandwidths of the links between the sites, by kind of replication."""
    return SimpleNamespace(
        crr=link_bandwidth(chapter, "nha-crr", "cross-region replication"),
        irr=link_bandwidth(chapter, "nha-irr", "in-region replication"),
        dr=link_bandwidth(chapter, "rdqm-dr", "asynchronous DR replication"),
        appliance=link_bandwidth(appliance, "m2003a-dr", "asynchronous replication"),
    )


def kinds_table(
    chapter: Chapter, link: SimpleNamespace, *, caption: str, notes: Sequence[str]
) -> Table:
    """List the kinds: whether commits wait, how far, over which link, what is copied where."""

    def supported(kind: str) -> str:
        return fact(chapter, "supported latency", kind).rstrip(".")

    write = chapter.write
    return plain_table(
        caption,
        ["Kind", "A commit", "Supported delay", "Link in the tests",
         "What is copied, and where to"],
        [
            ["CRR", "does not wait", supported("CRR"), f"{write(link.crr)}, TLS",
             "Recovery log of a Native HA group, to a second group of three"],
            ["IRR", "waits or not", supported("IRR"), f"{write(link.irr)}, TLS",
             "Recovery log of one queue manager, to a second host in its region"],
            ["RDQM DR", "does not wait", supported("asynchronous RDQM DR"),
             f"{write(link.dr)}, TLS or none",
             "File system of an RDQM, to a second group of three"],
            ["Appliance DR", "does not wait", "not stated", write(link.appliance),
             "Log and queue files of queue managers, to a recovery appliance"],
        ],
        notes=notes,
    )  # fmt: skip


def parting(chapter: Chapter) -> SimpleNamespace:
    """Give where Native HA and IRR diverge, by added delay in ms, as the text states it.

    Returns
    -------
    namespace
        ``points``: delay to requesters, rate, mean time of a round trip, and that in delays;
        ``multiples``, delay to the latter alone, and their ``ends``.
    """
    points = {}
    for delay, about in ((1, ", about"), (2, "")):
        where = f"at which NHA and NHA-IRR diverge with {delay} ms added{about}"
        clients = value_of(chapter, "text", "clients", row=f"Requesters {where}")
        rate = value_of(chapter, "text", "round_trip_rate", row=f"Rate {where}")
        mean = time_in_round_trip(chapter, rate, clients)
        points[delay] = (clients, rate, mean, Quantity(mean.value / delay, "", mean.cells, 1))
    multiples = {delay: point[-1] for delay, point in points.items()}
    named = [(f"{delay}\u00a0ms of delay", multiple) for delay, multiple in multiples.items()]
    return SimpleNamespace(points=points, multiples=multiples, ends=ends(named))


def parting_table(
    chapter: Chapter, found: SimpleNamespace, *, caption: str, notes: Sequence[str]
) -> Table:
    """List the points with the mean time of a round trip."""
    rows = [Row(f"{delay} ms", point) for delay, point in found.points.items()]
    rate = chapter.label("round_trip_rate")
    header = ["Added delay", "Requesters", rate, "Mean time (ms)", "In delays"]
    return quantity_table(chapter, rows, caption=caption, header=header, notes=notes)


def warm_up(chapter: Chapter) -> SimpleNamespace:
    """Say how fast the log grew before the tests, see `log_growth`; when a backlog takes off."""
    growth = log_growth(chapter, log_lines(chapter, "sec-3.2"))
    growth.takes_off = value_of(chapter, "text", "elapsed_time")
    return growth


def sample_table(chapter: Chapter, *, caption: str) -> Table:
    """List what amqsrua printed on the live group."""
    rows = sample_rows(chapter, _SAMPLE, leave_out=("log_sequence_word",))
    header = ["Statistic", "Value"]
    return quantity_table(chapter, rows, caption=caption, header=header, units=True)


def sample(chapter: Chapter) -> SimpleNamespace:
    """Give what follows from the sample, and what the text says of the same backlog."""

    def read(metric: str, statistic: str | None = None) -> Quantity:
        return value_of(chapter, _SAMPLE, metric, statistic=statistic)

    sent, packed = read("log_bytes_sent_rate"), read("compressed_log_bytes_sent_rate")
    said = value_of(chapter, "text", "backlog").cells[0]
    printed = chapter.observations.rows_of([said])["value_printed"].item()
    return SimpleNamespace(
        sent=sent, packed=packed, said=spaced(printed), backlog=read("backlog", "single"),
        removed=read("compressed_log_bytes_sent").percent_below(read("log_bytes_sent")),
        late=time_at(read("backlog", "single"), sent), mean=time_at(read("backlog", "mean"), sent),
        network=in_unit(read("network_round_trip_time"), "ms", 1e-3, 2),
    )  # fmt: skip


def derived_table(
    chapter: Chapter, found: SimpleNamespace, link: Quantity, *, caption: str
) -> Table:
    """List what follows from the sample, beside the bandwidth of its link."""
    nominal = Quantity(link.value * 1e9 / 8, "B/s", ())
    quantities = {
        "Log data, before compression": in_unit(found.sent, *_MB_PER_S),
        "Log data, as sent": in_unit(found.packed, *_MB_PER_S),
        "Removed by compression": found.removed,
        "Load on the link": in_unit(found.packed, "Mb/s", 8e-6, 1),
        "Share of the link's nominal bandwidth": found.packed.percent_of(nominal, 2),
        "Backlog in time: at the rate of the interval": found.late,
        "Mean backlog in time": found.mean,
        "Network round trip": found.network,
    }
    rows = [Row(name, (quantity,)) for name, quantity in quantities.items()]
    header = ["Quantity", "Value"]
    return quantity_table(chapter, rows, caption=caption, header=header, units=True)


def rdqm_dr_table(chapter: Chapter, link: Quantity, *, caption: str, notes: Sequence[str]) -> Table:
    """List what DR costs RDQM by the text, and at which rate its link is full."""
    rows = []
    for size in (2048, 20480, _LARGE):
        loss = None  # with large messages it is not stated
        if size != _LARGE:
            loss = value_of(chapter, "text", "rate_reduction", message_bytes=size)
        rows.append(Row(size_label(size), (loss, link_ceiling(chapter, link.value, size))))
    header = ["Message size", "Loss of rate, up to (%)", f"Link full at ({chapter.rate_unit})"]
    return quantity_table(chapter, rows, caption=caption, header=header, notes=notes)


def large_messages(chapter: Chapter, link: Quantity) -> SimpleNamespace:
    """Give the rate at which large messages fill a link, and the time of a first copy over it."""
    allocated = value_of(chapter, "sec-5.3", "queue_manager_file_system_allocated")
    return SimpleNamespace(
        size=size_label(_LARGE), ceiling=link_ceiling(chapter, link.value, _LARGE),
        file_system=allocated,
        copy=Quantity(8 * allocated.value / link.value, "s", allocated.cells),
    )  # fmt: skip


def ceilings_table(
    chapter: Chapter, link: SimpleNamespace, chosen: Sequence[float], sizes: Sequence[float], *,
    caption: str, notes: Sequence[str],
) -> Table:  # fmt: skip
    """List the rates at which the payload fills the links of the tests.

    Parameters
    ----------
    link : namespace
        From `links`.
    chosen, sizes : sequence of float
        Message sizes of this edition; those of the appliance among them.
    """
    speeds = sorted({link.crr.value, link.appliance.value, link.irr.value})
    shown = {*sizes, 2048, 20480, _LARGE} & {*chosen} or sizes
    rows = [
        Row(size_label(size), tuple(link_ceiling(chapter, speed, size) for speed in speeds))
        for size in sorted(shown)
    ]
    return quantity_table(
        chapter, rows, caption=caption, notes=notes,
        header=["Message size", *(chapter.write(Quantity(s, "Gb/s", ())) for s in speeds)],
        over=[(chapter.label("round_trip_rate"), len(speeds))],
    )  # fmt: skip
