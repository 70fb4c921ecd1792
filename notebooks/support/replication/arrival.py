"""What a campaign sent, and what of it arrived at the second broker."""

from __future__ import annotations

from roundtrip.present import Measured, Quantity, Table, Text
from roundtrip.present.quantities import Row, quantity_table
from support.replication.backlog import never_gone
from support.replication.mirror import arranged
from support.shared.quantities_at import total_at
from support.shared.values import total

_COUNTED = ("messages_sent", "messages_arrived", "messages_missing", "messages_doubled")


def arrival_table(here: Measured, *, caption: str, how: str) -> Table | None:
    """List what was sent and what arrived at the second broker, added up over the runs.

    Parameters
    ----------
    how : str
        How it was counted, as a note.

    Returns
    -------
    Table or None
        None when nothing was counted.
    """
    rows = []
    here = here.with_every_run()
    for way in arranged(here):
        counts = [total_at(here, metric, **way.factors) for metric in _COUNTED]
        if counts[0] is not None:
            rows.append(Row(way.label, (str(len(counts[0].cells)), *counts)))
    if not rows:
        return None
    return quantity_table(
        here.chapter, rows, caption=caption,
        header=["Arrangement", "Runs", "Sent", "Arrived", "Missing", "Duplicated"],
        notes=(f"Messages, over all runs, marked ones included. {how}",), by_row=True,
    )  # fmt: skip


def _left_behind(here: Measured) -> tuple[int, Quantity]:
    """Count runs whose backlog was never gone, and what is missing of them.

    No mirror has sent that: the first broker still has it.
    """
    runs, count, cells = 0, 0.0, []
    if here.manifest is not None and here.manifest.plan.course == "backlog":
        for way in arranged(here):
            stuck = never_gone(here, way)
            rows = here.rows(way.factors)
            rows = rows[(rows["metric"] == "messages_missing") & rows["repetition"].isin(stuck)]
            runs += len(stuck)
            count += float(rows["value"].sum())
            cells += list(rows["observation_id"])
    return runs, Quantity(count, "messages", tuple(cells), 0, "measured")


def arrival_words(here: Measured, what: str) -> Text | None:
    """Say in one sentence what arrived over all runs, and which runs broke off.

    Parameters
    ----------
    what : str
        What was run, such as ``with a mirror``.
    """
    here = here.with_every_run()
    ways = arranged(here)
    values = {
        metric.removeprefix("messages_"): total(
            (total_at(here, metric, **way.factors) for way in ways), "messages"
        )
        for metric in _COUNTED
    }
    runs = len(values["sent"].cells)
    if not runs or here.manifest is None:
        return None
    stuck, values["left"] = _left_behind(here)
    clean = not values["missing"].value and not values["doubled"].value
    return here.chapter.text(
        f"In {{runs}} {'run' if runs == 1 else 'runs'} "
        "{what}, {sent:n} messages were sent and confirmed; {arrived:n} arrived at the "
        "second broker. "
        + ("None is missing or duplicated. " if clean
           else "Missing: {missing:n}; duplicates or surplus: {doubled:n}. ")
        + (f"Of the missing, {{left:n}} are still on the first broker: in {stuck} of {runs} runs "
           "the backlog never cleared. " if values["left"].value else "")
        + "Failed attempts: {failed}.",
        runs=runs, what=what, failed=sum(not one.interrupted for one in here.manifest.failed),
        **values,
    )  # fmt: skip
