"""What campaigns over models and connections have shown, beside what their plans say of them."""

from __future__ import annotations

from collections.abc import Sequence

from roundtrip.present.chapter import Text
from roundtrip.present.figure import Figure
from roundtrip.present.measured.means import Mean, Measured, interval_text, share_of
from roundtrip.present.measured.variants import heads_of, measured_lines
from roundtrip.present.numbers import Quantity
from roundtrip.present.quantities import Entry, Row, quantity_table
from roundtrip.present.tables import Table

_COLUMNS = (
    ("connection_rate", "mean"), ("connection_latency", "p50"), ("connection_latency", "p99"),
    ("connection_latency", "maximum"), ("memory_per_client", "mean"),
)  # fmt: skip
_OF_EACH = ("connection_rate", "mean")


def models_words(here: Measured) -> Text | None:
    """Say what each model had of the machine, as it was read back during the runs."""
    manifest = here.manifest
    if manifest is None or not here.exists:
        return None
    lines: dict[str, str] = {}
    others: set[bool] = set()
    for configuration in manifest.configurations:
        effective = configuration.effective
        model = effective.get("model")
        if not isinstance(model, dict) or model.get("name") not in manifest.plan.broker.models:
            continue
        plan = manifest.plan.broker.models[model["name"]]
        used, drivers = model["broker_processors"], model["driver_processors"]
        others.add(bool(model["drivers_have_others"]))
        group = effective.get("control_group") or {}
        disk = (
            f"{group['disk_write_limit'] / 1e6:g}\u00a0MB/s of writes to the log disk"
            if "disk_write_limit" in group
            else "an unlimited disk"
        )
        lines[str(model["name"])] = (
            f"- Model {model['name']}: {group.get('processor_limit', len(used)):g} of the "
            f"{manifest.host['logical_processors']} processors, {plan.memory_mb}\u00a0MB of heap "
            f"in total for its brokers, {disk}; drivers ran on "
            f"{len(drivers)} processor{'s' if len(drivers) > 1 else ''}."
        )
    if not lines:
        return None
    shared = (
        "Drivers ran on processors that no model uses: the limit on processors does not slow them "
        "down."
        if others == {True}
        else "The larger model left no processors free: in both models, drivers could use all of "
        "them and shared those of the brokers. The smaller model leaves drivers more, so "
        "the difference between the models is a lower bound."
    )
    return Text("\n".join(lines[name] for name in sorted(lines)) + f"\n\n{shared}")


def connections_table(here: Measured, *, caption: str) -> Table | None:
    """List what connecting took, by the number of requesters.

    Returns
    -------
    Table or None
        None when nothing was measured.
    """
    if not here.exists:
        return None
    chapter = here.chapter
    rows: list[Row] = []
    for level in here.levels("requesters"):
        mean = here.mean("connection_time", "single", requesters=level)
        if mean is None:
            continue
        line: list[Entry] = [mean.quantity, interval_text(chapter, mean), str(len(mean.values))]
        found = [here.mean(*metric, requesters=level) for metric in _COLUMNS]
        line += [None if value is None else value.quantity for value in found]
        rows.append(Row(chapter.numbers.write(float(level), 0), tuple(line)))
    if not rows:
        return None
    heads, over = heads_of(here, _COLUMNS)
    label = chapter.dictionary.metrics["connection_time"]
    return quantity_table(
        chapter, rows, caption=caption, by_row=True,
        header=[chapter.factor_label("requesters"), f"{label.label} ({label.unit})",
                "95 % interval", "Runs", *heads],
        over=over and [("", 3), *over],
        notes=(
            "Memory is the growth of the broker's resident memory divided by its requesters; "
            "each has one connection with one session, a producer and a consumer.",
        ),
    )  # fmt: skip


def connections_figure(here: Measured, *, caption: str) -> Figure | None:
    """Draw the time until all are connected over the number of requesters."""
    return measured_lines(
        here, "requesters", metric="connection_time", statistic="single",
        title=connections_title(here, "Time until all requesters are connected"), caption=caption,
    )  # fmt: skip


def connections_title(here: Measured, otherwise: str) -> str:
    """Name the finding: how long the most requesters took."""
    levels = here.levels("requesters") if here.exists else []
    mean = here.mean("connection_time", "single", requesters=levels[-1]) if levels else None
    if mean is None:
        return otherwise
    count = here.chapter.numbers.write(float(levels[-1]), 0)
    return f"{count} requesters connect in {here.chapter.write(mean.quantity)}"


def connections_words(here: Measured, requesters: Quantity, seconds: Quantity) -> Text | None:
    """Say whether the time grows in proportion to the requesters, beside what was published.

    Parameters
    ----------
    requesters, seconds : Quantity
        Published: how many were connected, and after how long.

    Returns
    -------
    Text or None
        None when nothing was measured.
    """
    levels = here.levels("requesters") if here.exists else []
    if not levels:
        return None
    few, many = levels[0], levels[-1]
    rate = here.mean(*_OF_EACH, requesters=many)
    if rate is None:
        return None
    chapter = here.chapter
    values: dict[str, Quantity | str | int] = {
        "many": chapter.numbers.write(float(many), 0), "rate": rate.quantity,
        "requesters": requesters, "seconds": seconds,
        "published": Quantity(
            requesters.value / seconds.value, chapter.unit("connection_rate"),
            requesters.cells + seconds.cells, 0,
        ),
    }  # fmt: skip
    text = (
        "Here, {many} requesters that connect at once make {rate}. The source prints one value: "
        "{requesters} requesters in {seconds}, {published}, over a network and on another "
        "machine; the two are not put into a ratio. "
    )
    share = share_of(here, {"requesters": many}, {"requesters": few}, *_OF_EACH)
    if share is not None and many != few:
        values |= {"few": chapter.numbers.write(float(few), 0), "share": share.quantity}
        grows = here.concludes(
            ": the time grows in proportion to the requesters, as far as the measurement shows"
            if not share.interval.is_difference
            else ": the time grows more slowly than the number of requesters, over which fixed "
            "costs are spread"
            if share.interval.estimate > 1
            else ": the time grows faster than the number of requesters"
        )
        text += (
            f"With {{many}} requesters, the rate of new connections is {{share}} of that with "
            f"{{few}}{share.words(chapter)}{grows}. Whether that holds for the published "
            "product is unknown, because the source prints only one number of requesters. "
        )
    memory = [
        (level, mean)
        for level in levels
        if (mean := here.mean("memory_per_client", "mean", requesters=level)) is not None
    ]
    if memory:
        values |= {"memory": memory[-1][1].quantity}
        text += "The broker's memory grew by {memory} for each of {many} requesters. "
        if len(memory) > 1:
            values["further"] = _memory_of_further(memory)
            text += (
                "Part of that is a fixed cost: from the fewest requesters to the most, memory "
                "grew by {further} per additional requester."
            )
    return chapter.text(text.strip(), **values)


def _memory_of_further(memory: Sequence[tuple[int, Mean]]) -> Quantity:
    """Give what one further requester takes: the growth between the fewest and the most."""
    (few, first), (many, last) = memory[0], memory[-1]
    grown = last.quantity.value * many - first.quantity.value * few
    cells = tuple(dict.fromkeys(first.quantity.cells + last.quantity.cells))
    return Quantity(
        grown / (many - few), last.quantity.unit, cells, last.quantity.decimals, "measured"
    )
