"""What campaigns over models and connections have shown, beside what their plans say of them."""

from __future__ import annotations

from dataclasses import replace

from roundtrip.present import Figure, Measured, Quantity, Table, Text, means_of, measured_lines
from roundtrip.present.measured.columns import heads_of
from roundtrip.present.measured.means import interval_text
from roundtrip.present.measured.shares import share_of
from roundtrip.present.quantities import Entry, Row, quantity_table

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
        disk = "an unlimited disk"
        if "disk_write_limit" in group:
            disk = f"{group['disk_write_limit'] / 1e6:g}\u00a0MB/s of writes to the log disk"
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
    chapter = here.chapter
    rows: list[Row] = []
    times = means_of(here, "requesters", metric="connection_time", statistic="single")
    for level, mean in times.itertuples(index=False, name=None):
        line: list[Entry] = [mean.quantity, interval_text(chapter, mean), str(len(mean.values))]
        found = [here.mean(*metric, requesters=level) for metric in _COLUMNS]
        line += [None if value is None else value.quantity for value in found]
        rows.append(Row(chapter.numbers.write(level), tuple(line)))
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
    most = max(here.levels("requesters"), default=None)
    mean = here.mean("connection_time", "single", requesters=most)
    if mean is None or most is None:
        return otherwise
    count = here.chapter.numbers.write(most)
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
    rates = means_of(here, "requesters", metric=_OF_EACH[0], statistic=_OF_EACH[1])
    levels = here.levels("requesters")
    if rates.empty or rates["requesters"].iloc[-1] != levels[-1]:
        return None
    few, many, chapter = levels[0], levels[-1], here.chapter
    each, unit = requesters.value / seconds.value, chapter.unit("connection_rate")
    values: dict[str, Quantity | str | int] = {
        "many": chapter.numbers.write(many), "rate": rates[_OF_EACH[0]].iloc[-1].quantity,
        "requesters": requesters, "seconds": seconds,
        "published": Quantity(each, unit, requesters.cells + seconds.cells),
    }  # fmt: skip
    text = (
        "Here, {many} requesters that connect at once make {rate}. The source prints one value: "
        "{requesters} requesters in {seconds}, {published}, over a network and on another "
        "machine; the two are not put into a ratio. "
    )
    share = share_of(here, {"requesters": many}, {"requesters": few}, *_OF_EACH)
    if share is not None and many != few:
        values |= {"few": chapter.numbers.write(few), "share": share.quantity}
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
    memory = means_of(here, "requesters", metric="memory_per_client")
    if not memory.empty:
        used = [mean.quantity for mean in memory["memory_per_client"]]
        values["memory"] = used[-1]
        text += "The broker's memory grew by {memory} for each of {many} requesters. "
        if len(memory) > 1:
            # What one further requester takes: the growth between the fewest and the most.
            least, most = memory["requesters"].iloc[[0, -1]].astype(float)
            further = (used[-1].value * most - used[0].value * least) / (most - least)
            cells = tuple(dict.fromkeys(used[0].cells + used[-1].cells))
            values["further"] = replace(used[0], value=further, cells=cells)
            text += (
                "Part of that is a fixed cost: from the fewest requesters to the most, memory "
                "grew by {further} per additional requester."
            )
    return chapter.text(text.strip(), **values)
