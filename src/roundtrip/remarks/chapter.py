"""The page "Remarks and answers" of a report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from roundtrip.outputs import escape_markdown
from roundtrip.publish.afterwords import Afterword, Writer, afterword_notebook
from roundtrip.publish.references import Target
from roundtrip.remarks.file import Remark, read_remarks, refuse_other_report
from roundtrip.remarks.places import Edition, Found
from roundtrip.secrets import refuse_secrets

NAME = "remarks-and-answers"


def remarks_writer(path: Path, title: str, version: str) -> Writer:
    """Prepare the page that shows remarks, what was answered, and what became of their places.

    Parameters
    ----------
    path : Path
        What a reviewer exported.
    title, version : str
        Of the report that is built.

    Raises
    ------
    RoundtripError
        If the file is not as the site exports it, holds what looks like a secret, or is about
        another report.
    """
    remarks = read_remarks(path).remarks
    refuse_secrets(
        path.read_text("utf-8"), str(path),
        "ask its author to take it out of the remark, and to change it if it is real",
    )  # fmt: skip
    refuse_other_report(remarks, title, path)

    def write(report: Path, targets: Mapping[str, Target]) -> Afterword:
        pages = Edition(report)
        found = [(remark, pages.find(remark)) for remark in remarks]
        parts = [f"# Remarks and answers {{#sec-{NAME}}}\n\n{_summary(found, version)}"]
        parts += [_entry(number, *one, targets) for number, one in enumerate(found, start=1)]
        return Afterword(NAME, afterword_notebook(parts, NAME))

    return write


def _summary(found: list[tuple[Remark, Found]], version: str) -> str:
    if not found:
        return "There are no remarks."
    answered = sum(bool(remark.answers) for remark, _ in found)
    counts = Counter[str](place.status for _, place in found)
    told = ", ".join(f"{counts[key]} {key}" for key in ("same", "moved", "changed", "gone"))
    return (
        f"Remarks: {len(found)}, of which {answered} answered. "
        f"Their places in version {escape_markdown(version)}: {told}."
    )


def _entry(number: int, remark: Remark, place: Found, targets: Mapping[str, Target]) -> str:
    source = remark.target.source
    on = f"{escape_markdown(remark.creator.name)} on" if remark.creator else "On"
    target = targets.get(place.anchor)
    where = escape_markdown(f"{source.id}#{remark.anchor}")
    if target is not None:
        where = f"[{escape_markdown(target.text or place.anchor)}](#{place.anchor})"
    now = {
        "same": "It says so still.",
        "moved": "It has moved.",
        "changed": f"It now says: “{escape_markdown(place.now)}”.",
        "gone": "It is gone.",
    }[place.status]
    answers = [f"**Answer.** {_paragraphs(text)}" for text in remark.answers]
    return "\n\n".join([
        f"## Remark {number} {{#remark-{remark.id[9:]}}}",
        f"{on} {where}, as version {escape_markdown(source.version)} had it. {now}",
        f"> {escape_markdown(remark.quote)}",
        _paragraphs(remark.said),
        *(answers or ["*Not answered.*"]),
    ])  # fmt: skip


def _paragraphs(text: str) -> str:
    """Write text of others as paragraphs in which nothing is markup."""
    return "\n\n".join(escape_markdown(part) for part in text.split("\n") if part.strip())
