"""What a campaign over file systems has shown: mounts in effect, rate against log writes."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import Any

import pandas as pd

from roundtrip.outputs import escape_markdown
from roundtrip.present import Figure, Measured, Quantity, Text, chart, size_label
from roundtrip.present.chapter import RATE, with_unit
from roundtrip.present.measured.agreement import compared
from roundtrip.present.measured.means import Mean
from roundtrip.present.measured.shares import share_of
from roundtrip.present.suspect_cells import doubted_cells
from support.shared.lists import listed_under, of_all
from support.shared.points import main_size_of, order_of

STORE, SYNC, WRITE = "log_file_system", "log_sync", "log_write_latency"
FOUND, GIVEN, MEMORY = "as found", "given path", "tmpfs"
FILE_SYSTEMS: tuple[str, ...] = (FOUND, "ext4", "xfs", "btrfs", MEMORY, GIVEN)
"""In the order to show."""
Point = tuple[str, Mean, Mean]
"""A file system, the time of its log write, and the rate."""


def file_systems(here: Measured, **factors: Any) -> list[str]:
    """Give the file systems that were measured, in the order to show."""
    measured = here.levels(STORE, **factors)
    return [name for name in FILE_SYSTEMS if name in measured]


def main_size(here: Measured) -> int | None:
    """Give the message size with the most file systems, the smallest of several; or None."""
    return main_size_of(here, STORE)


def mounts_words(here: Measured) -> Text | None:
    """Say which mounts held the recovery log, as the kernel told them during the runs."""
    if not here.exists:
        return None
    found = _mounts(here)
    lines = [
        f"- {name}: `{_code(at['type'])}`{_device(at)}, "
        # Each by itself, so that a line can be broken between them.
        + ", ".join(f"`{_code(option)}`" for option in str(at["options"]).split(","))
        for name in FILE_SYSTEMS
        if (at := found.get(name)) is not None
    ]
    head = "Effective mounts, read back from the kernel in each run (type, device, options):"
    return listed_under(head, lines)


def _device(mount: dict[str, Any]) -> str:
    """Say what a file system lies on; empty for one in memory, whose device has its name."""
    device = escape_markdown(str(mount["device"]))
    device = device.replace("loop device on an image", "a loop device backed by an image file")
    return "" if mount["device"] == mount["type"] else f" on {device}"


def _code(text: Any) -> str:
    return str(text).replace("`", "'")


def log_write_points(here: Measured, size: int) -> list[tuple[str, Mean, Mean]]:
    """Give time of a log write and rate of each file system, where the log is waited for.

    Parameters
    ----------
    here : Measured
        Of one number of requesters.
    size : int
        Message size in bytes.

    Returns
    -------
    list of (file system, Mean, Mean)
        Time of a write in µs; rate.
    """
    found = []
    for name in file_systems(here, message_bytes=size, log_sync=True):
        at: dict[str, Any] = {STORE: name, "message_bytes": size, SYNC: True}
        write, rate = here.mean(WRITE, "mean", **at), here.mean(**at)
        if write is not None and rate is not None:
            found.append((name, write, rate))
    return found


def log_writes_figure(here: Measured, *, title: str, caption: str) -> Figure | None:
    """Draw the rate of each file system over the mean time of a log write, with intervals.

    Parameters
    ----------
    here : Measured
        Of one number of requesters; a series for each message size.
    title, caption : str
        The finding; what is drawn.

    Returns
    -------
    Figure or None
        None when nothing was measured.
    """
    rows = [
        (size, *point)
        for size in here.levels("message_bytes")
        for point in log_write_points(here, size)
    ]
    if not rows:
        return None
    chapter = here.chapter
    label = with_unit(chapter.dictionary.metrics[WRITE].label, chapter.unit(WRITE))
    return chart(
        chapter, pd.DataFrame(rows, columns=["message_bytes", "store", "write", "rate"]),
        x="write", y="rate", mark="dot", series="message_bytes", labels="store", log={"write"},
        x_title=f"{label}, mean", y_title=chapter.label(RATE), title=title,
        caption=caption,
    )  # fmt: skip


def log_writes_title(here: Measured, otherwise: str) -> str:
    """Name the finding: between which writes and which rates the file systems lie."""
    size = main_size(here)
    points = [] if size is None else log_write_points(here, size)
    if size is None or len(points) < 2:
        return otherwise
    write = here.chapter.write
    fast, slow = min(points, key=_written), max(points, key=_written)
    return (
        f"At {size_label(size)}, {fast[0]} writes its log in {write(fast[1].quantity)} and "
        f"reaches {write(fast[2].quantity)}; {slow[0]} takes {write(slow[1].quantity)} and "
        f"reaches {write(slow[2].quantity)}"
    )


def log_writes_words(here: Measured) -> Text | None:
    """Say, by size, how often a slower log write came with a lower rate.

    Returns
    -------
    Text or None
        None when nothing was measured, or nothing may be concluded.
    """
    if here.withheld:
        return None
    sentences: list[str] = []
    cells: list[str] = []
    for size in here.levels("message_bytes"):
        points = log_write_points(here, size)
        if len(points) < 2:
            continue
        at = f"At {size_label(size)}"
        if len(points) < len(file_systems(here, log_sync=True)):
            run = here.chapter.inline(" and ".join(name for name, *_ in points))
            at += f", where only {run} were run"
        reverse, pairs = order_of([point[1:] for point in points])
        if not pairs:
            sentences.append(
                f"{at}, no two of the {len(points)} file systems differ "
                "significantly in both the time of a log write and the rate."
            )
            continue
        named = "; ".join(" and ".join(points[n][0] for n in pair) for pair in pairs)
        where = "in each" if len(pairs) > 1 else "there"
        if reverse < len(pairs):
            where = f"in {reverse or 'none'} of them"
        sentences.append(
            f"{at}, the time of a log write and the rate both differ significantly in "
            f"{of_all(len(pairs), comb(len(points), 2), 'pair')} of file systems "
            f"({here.chapter.inline(named)}); {where} the slower write has the lower rate."
        )
        means = (mean for pair in pairs for n in pair for mean in points[n][1:])
        cells += [cell for mean in means for cell in mean.quantity.cells]
        disks = [point[1:] for point in points if point[0] != MEMORY]
        if len(disks) < len(points) and not order_of(disks)[1]:
            whose = "One of the two is" if len(pairs) == 1 else "One of each pair is"
            sentences.append(f"{whose} {MEMORY}, which is memory.")
            sentences += _between_disks(here, size, points)
    if doubted_cells(here.chapter, cells):
        sentences.append("This rests in part on marked runs.")
    return Text(" ".join(sentences)) if sentences else None


def _between_disks(here: Measured, size: int, points: Sequence[Point]) -> list[str]:
    """Say what the slowest log write on disk goes with, beside the fastest, where none is told."""
    disks = [point for point in points if point[0] != MEMORY]
    if len(disks) < 2:
        return []
    fast, slow = (pick(disks, key=_written) for pick in (min, max))
    of, base = ({STORE: at[0], "message_bytes": size, SYNC: True} for at in (slow, fast))
    share = share_of(here, of, base)
    if share is None:
        return []
    shown = here.chapter.inline
    return [
        f"On disk, “{shown(slow[0])}” takes {shown(slow[1].quantity)} for a log write, "
        f"“{shown(fast[0])}” {shown(fast[1].quantity)}, and the rate of the former is "
        f"{shown(share.quantity)} of the other{share.words(here.chapter)}"
        f"{'.' if share.interval.is_difference else ': no significant difference.'}"
    ]


def stores_note(here: Measured) -> str:
    """Say which file system was found, where another of its type was made; empty otherwise."""
    found = _mounts(here)
    if FOUND not in found or (kind := str(found[FOUND]["type"])) not in found:
        return ""
    return (
        f"“{FOUND}” is {kind} as well{_device(found[FOUND])}; “{kind}” is on "
        "a loop device, whose threads and those of the journal count as other processes, so that "
        "a mark for these may be of the file system itself."
    )


def _mounts(here: Measured) -> dict[str, dict[str, Any]]:
    """Give what the kernel told of the mount that held the recovery log, by file system."""
    found: dict[str, dict[str, Any]] = {}
    for configuration in here.manifest.configurations if here.manifest else ():
        storage = configuration.effective.get("storage")
        if isinstance(storage, dict) and {"asked", "type", "options", "device"} <= storage.keys():
            found[str(storage["asked"])] = storage
    return found


def sync_words(here: Measured) -> Text | None:
    """Say what waiting for the log leaves of the rate, by file system."""
    size = main_size(here)
    if size is None:
        return None
    shown = here.chapter.inline
    lines: list[str] = []
    for name in file_systems(here, message_bytes=size):
        at = {STORE: name, "message_bytes": size}
        share = share_of(here, {**at, SYNC: True}, {**at, SYNC: False})
        if share is None:
            continue
        line = f"- {shown(name)}: {shown(share.quantity)}{share.words(here.chapter)}"
        if not share.interval.is_difference:
            line += here.concludes(", which does not differ significantly from 100\u00a0%")
        if doubted_cells(here.chapter, share.quantity.cells):
            line += "; this rests on marked runs"
        lines.append(line)
    head = (
        "Rate when the broker forces each write to the log's file system before it acknowledges "
        "a message, relative to the rate when the operating system may write later, at "
        f"{size_label(size)} (tmpfs is memory, and stable in neither case):"
    )
    return listed_under(head, lines)


def storage_agreement(
    here: Measured, published: Sequence[tuple[str, str, Quantity]]
) -> Text | None:
    """Compare what storing the log elsewhere does, published and measured, as far as one can.

    Parameters
    ----------
    published : sequence of (storage, name of a message size, share)
        Rate on another storage as a share of the rate on the baseline, in percent.

    Returns
    -------
    Text or None
        None when nothing was measured, or nothing may be concluded. Sizes are compared only for a
        path that the user named: the published storages are not among those that a run can make.
    """
    size = None if here.withheld else main_size(here)
    if size is None or not published:
        return None
    chapter, shown = here.chapter, here.chapter.inline
    lower = sum(share.value < 100 for *_, share in published)
    points = log_write_points(here, size)
    disks = [point for point in points if point[0] != MEMORY]
    reverse, pairs = order_of([point[1:] for point in disks])
    sentences = [
        "The published tests move the log to SAN or NFS; here the file systems share one disk, or "
        "memory. Only the direction can be compared. In the source, the rate is lower in "
        f"{of_all(lower, len(published), 'test')} with the log off the host."
    ]
    directions = _majority(lower, len(published)), _majority(reverse, len(pairs))
    if pairs:
        sentences.append(
            "Here, slower log writes go with the lower rate in "
            f"{of_all(reverse, len(pairs), 'pair')} of file systems on disk that differ "
            "significantly in both."
        )
    else:
        with_memory = order_of([point[1:] for point in points])[1]
        sentences.append(
            "Here, no two file systems on disk differ significantly in both log writes and rate"
            f"{'; only pairs with memory do' if with_memory else ''}."
        )
    if len(disks) > 1 and None not in directions:
        fast, slow = (
            f"{shown(write.quantity)} on “{shown(name)}”, which reached {shown(rate.quantity)}"
            for name, write, rate in (pick(disks, key=_written) for pick in (min, max))
        )
        sentences.append(f"A log write took {fast}, and {slow}.")
    if None in directions:
        sentences.append("So the comparison is inconclusive.")
    else:
        same = directions[0] == directions[1]
        sentences.append(f"The direction {'agrees' if same else 'differs'}.")
    at = {"message_bytes": size, SYNC: True}
    share = share_of(here, {**at, STORE: GIVEN}, {**at, STORE: FOUND})
    if share is not None:
        sentences.append(
            f"The named path reaches {shown(share.quantity)} of the rate "
            f"found{share.words(chapter)}."
        )
        for name, of_size, printed in published:
            if of_size == size_label(size):
                sentences.append(
                    f"Compared with {shown(printed)} on {shown(name)}: "
                    f"{compared(here, printed, share, name=name)}"
                )
    return Text(" ".join(sentences))


def _written(point: tuple[str, Mean, Mean]) -> float:
    return point[1].quantity.value


def _majority(part: int, whole: int) -> bool | None:
    """Say whether it is more than half; None where it is exactly half."""
    return None if 2 * part == whole else 2 * part > whole
