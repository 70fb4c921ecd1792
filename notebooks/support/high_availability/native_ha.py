"""Native HA in MQ V10: a steady rate, log extents of a warm-up, a sample of amqsrua."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import SimpleNamespace

from roundtrip.present import Chapter, Figure, Quantity, Table, chart, largest, size_label, style_of
from roundtrip.present.quantities import Row, quantity_table
from support.shared.arrangements import link_bandwidth
from support.shared.ends import Ends, ends
from support.shared.flows import rate_in_edition
from support.shared.log_extents import LogLine, log_growth, log_lines
from support.shared.values import in_unit, sample_rows, total, value_of

WARM_UP = "sec-3.2"
SETTINGS = ("CompressionThreshold", "LZ4Acceleration", "IMGLOGLN", "IMGINTVL",
            "MinReusableLogExtents", "LogFilePages", "LogType")  # fmt: skip
"""Those that bear on replication and on the recovery log."""
SETUPS = {
    "4.1": "Native HA",
    "4.1.1": "Native HA with delay on the links",
    "4.2": "RDQM",
    "4.2.1": "RDQM with encrypted heartbeat",
    "4.2.2": "RDQM with delay on the links",
    "4.3.1.1.1": "Native HA with deep, idle queues",
    "4.3.1.1.2": "RDQM with deep, idle queues",
    "4.3.1.2.1": "Native HA with background work",
    "4.3.1.2.2": "RDQM with background work",
    "4.3.2": "At a steady rate",
}
"""Sections of the source to what they compare inside one site."""
_WHOLE_S = 3  # around the last media image, in which the source leaves no line out
_SAMPLES = {"live_host2": "sec-4.1.2-live-host2", "live_host3": "sec-4.1.2-live-host3"}
_MBIT_PER_S = ("Mb/s", 8e-6, 1)
_LATENCIES = {
    "acknowledgement of a log write": "acknowledgement_latency",
    "network round trip": "network_round_trip_time",
    "log write on the replica's disk": "log_write_latency",
}
_LEFT_OUT = ("log_sequence_word", "log_slowest_write_at", "fdc_files", "log_bytes_decompressed",
             "decompression_time", "file_system_free_share")  # fmt: skip


def stated(chapter: Chapter) -> SimpleNamespace:
    """Give what the source states of the links between the hosts, and of its steady rate."""
    steady = next(s for s in chapter.about.scenarios if s.section == "4.3.2").factors
    requesters, hourly, size = (
        float(str(steady[name])) for name in ("requesters", "requester_rate", "message_bytes")
    )
    each = rate_in_edition(chapter, hourly / 3600)
    cpu = "CPU that replication adds at a steady rate"
    return SimpleNamespace(
        link=link_bandwidth(chapter, "nha", "replication within the HA group"),
        ping=value_of(
            chapter, "text", "network_round_trip_time",
            row="Ping time of the HA links (NHA results): less than",
        ),
        requesters=int(requesters),
        each=each,
        offered=each.times(requesters),
        size=size_label(size),
        least=value_of(chapter, "text", "cpu_increase", row=f"{cpu}, least"),
        most=value_of(chapter, "text", "cpu_increase", row=f"{cpu}, most"),
    )  # fmt: skip


@dataclass(frozen=True)
class WarmUp:
    """What the error log said of log extents before the first test."""

    chapter: Chapter
    lines: list[LogLine]

    @property
    def images(self) -> list[LogLine]:
        """The lines of media images."""
        return [line for line in self.lines if line.is_media_image]

    @property
    def around_image(self) -> list[LogLine]:
        """The lines of log statistics in the seconds around the last media image."""
        at = self.images[-1].time
        return [
            line
            for line in self.lines
            if not line.is_media_image and abs((line.time - at).total_seconds()) <= _WHOLE_S
        ]

    @property
    def pace(self) -> SimpleNamespace:
        """How fast the log was written, and how often extents were reused."""
        one, other = self.images[:2]
        created, reused = (
            value_of(self.chapter, WARM_UP, f"log_extents_{what}", row="Totals")
            for what in ("created", "reused")
        )
        used = total([created, reused], "extents")
        growth = log_growth(self.chapter, self.lines)
        growth.apart = Quantity((other.time - one.time).total_seconds(), "s", ())
        growth.used, growth.reused = used.number, reused.percent_of(used)
        return growth


def warm_up(chapter: Chapter) -> WarmUp:
    """Give the lines of the warm-up."""
    return WarmUp(chapter, log_lines(chapter, WARM_UP))


def extents_figure(found: WarmUp, *, caption: str) -> Figure:
    """Draw the extents created and reused around the last media image."""
    lines, at, write = found.around_image, found.images[-1], found.chapter.write
    first = next(
        number for number, line in enumerate(lines)
        if line.time >= at.time and line.reused and line.reused.value
    )  # fmt: skip
    created = total((line.created for line in lines[:first]), "extents")
    reused, more = (
        write(total((getattr(line, what) for line in lines[first:]), "extents"), unit=False)
        for what in ("reused", "created")
    )
    return chart(
        found.chapter,
        [
            (name, f"{line.clock}  S{int(line.restart.value):07d}.LOG", count)
            for line in lines
            for name, count in (("created", line.created), ("reused", line.reused))
            if line.restart and count
        ],
        horizontal=True,
        y_title="Log extents since the previous line",
        styles={"created": style_of("created", 1), "reused": style_of("reused", 0)},
        title=(
            f"In the lines drawn, {reused} extents are reused and {more} created from the media "
            f"image of {at.clock} on; before it, {write(created, unit=False)} are created"
        ),
        varied=(),
        caption=caption,
    )


@dataclass(frozen=True)
class Sample:
    """One interval of amqsrua, for each replica."""

    chapter: Chapter

    def read(self, host: str, metric: str, statistic: str | None = None) -> Quantity:
        """Give what is printed for a replica."""
        return value_of(self.chapter, _SAMPLES[host], metric, statistic=statistic)

    def sent(self, host: str) -> Quantity:
        """Give the log data sent to a replica, in bytes per second."""
        return self.read(host, "log_bytes_sent_rate")

    def per_second(self, host: str, metric: str) -> Quantity:
        """Compute how many pieces of a size were sent or written in a second."""
        rate, size = self.sent(host), self.read(host, metric)
        return Quantity(rate.value / size.value, "/s", rate.cells + size.cells)

    def outstanding(self, host: str) -> Quantity:
        """Compute the data that awaits acknowledgement: rate times latency."""
        rate, wait = self.sent(host), self.read(host, "acknowledgement_latency")
        return Quantity(rate.value * wait.value / 1e6, "B", rate.cells + wait.cells)

    @property
    def rate(self) -> Quantity:
        """The log data sent to the busier replica."""
        return in_unit(largest(map(self.sent, _SAMPLES)), *_MBIT_PER_S)

    @property
    def late(self) -> Quantity:
        """The larger backlog at the end, in terms of the data of one acknowledgement."""
        return largest(
            self.read(host, "backlog", "single").over(self.read(host, "acknowledgement_size"), 1)
            for host in _SAMPLES
        )

    @property
    def backlogs(self) -> Ends:
        """The mean backlog of each replica in terms of what is outstanding."""
        return ends(
            (host, self.read(host, "backlog", "mean").over(self.outstanding(host), 0))
            for host in _SAMPLES
        )


def latencies_figure(found: Sample, *, caption: str) -> Figure:
    """Draw how long acknowledgements, the network and the disk take."""
    times = {name: [found.read(host, name) for host in _SAMPLES] for name in _LATENCIES.values()}
    of_whole = zip(times["network_round_trip_time"], times["acknowledgement_latency"], strict=True)
    network = ends((part.percent_of(whole),) for part, whole in of_whole)
    write = found.chapter.write
    return chart(
        found.chapter,
        [
            (name, host, time)
            for name, metric in _LATENCIES.items()
            for host, time in zip(_SAMPLES, times[metric], strict=True)
        ],
        y_title="Mean latency (µs)", x_title="Replica", varied=(), caption=caption,
        title=f"The network accounts for {write(network.low, unit=False)} to {write(network.high)} "
        "of the time until a replica acknowledges a log write",
    )  # fmt: skip


def sample_table(found: Sample, *, caption: str, notes: Sequence[str]) -> Table:
    """List what is printed for each replica."""
    rows = sample_rows(found.chapter, *_SAMPLES.values(), leave_out=_LEFT_OUT)
    header = ["Statistic", *_SAMPLES]
    return quantity_table(
        found.chapter, rows, caption=caption, header=header, units=True, notes=notes
    )


def derived_table(found: Sample, *, caption: str) -> Table:
    """List what follows for each replica."""
    of_hosts = {
        "Log data sent": [in_unit(found.sent(host), *_MBIT_PER_S) for host in _SAMPLES],
        "Acknowledgements: rate divided by data per acknowledgement":
            [found.per_second(host, "acknowledgement_size") for host in _SAMPLES],
        "Writes on the replica: rate divided by size of a log write":
            [found.per_second(host, "log_write_size") for host in _SAMPLES],
        "Data awaiting acknowledgement: rate times latency": map(found.outstanding, _SAMPLES),
        "Backlog, printed": [found.read(host, "backlog", "single") for host in _SAMPLES],
        "Backlog, mean, printed": [found.read(host, "backlog", "mean") for host in _SAMPLES],
    }  # fmt: skip
    rows = [Row(name, tuple(quantities)) for name, quantities in of_hosts.items()]
    header = ["Quantity", *_SAMPLES]
    return quantity_table(found.chapter, rows, caption=caption, header=header, units=True)
