"""The file that a reviewer exports from the site: W3C Web Annotations, held to one form."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import orjson
from pydantic import AfterValidator, Field, StringConstraints

from roundtrip.errors import DataError, again
from roundtrip.files import write_atomically
from roundtrip.yamlfile import Strict, hidden_character, matching, validate

MOST_BYTES = 5_000_000
CONTEXT = ["http://www.w3.org/ns/anno.jsonld", {"schema": "https://schema.org/"}]


def _plain(text: str) -> str:
    """Refuse characters that steer a terminal or turn the direction of what stands beside them."""
    if hidden := "a carriage return" if "\r" in text else hidden_character(text):
        raise ValueError(f"holds {hidden}")
    return text


def _of_ours(context: Any) -> Any:
    if context != CONTEXT:
        raise ValueError("must be the context of Web Annotations and schema.org")
    return context


_PLAIN = AfterValidator(_plain)
Id = Annotated[str, matching("urn:uuid:[0-9a-f-]{36}", "urn:uuid: and the 36 characters of a UUID")]
Page = Annotated[
    str, StringConstraints(max_length=300),
    matching(r"[\w.%~-]+\.html", "the name of a page of the site, such as index.html"),
]  # fmt: skip
Time = Annotated[
    str,
    matching(
        r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]*Z", "a time in UTC, such as 2026-11-21T10:00:00Z"
    ),
]
Around = Annotated[str, StringConstraints(max_length=64), _PLAIN]
Version = Annotated[str, StringConstraints(min_length=1, max_length=40), _PLAIN]
Line = Annotated[str, StringConstraints(min_length=1, max_length=400), _PLAIN]
Quote = Annotated[str, StringConstraints(min_length=1, max_length=2000), _PLAIN]
Words = Annotated[str, StringConstraints(min_length=1, max_length=10_000), _PLAIN]


class Quoted(Strict):
    """What a remark is about, word for word, and what stands around it."""

    type: Literal["TextQuoteSelector"]
    exact: Quote
    prefix: Around
    suffix: Around


class Fragment(Strict):
    """The anchor on the page that the quote belongs to."""

    type: Literal["FragmentSelector"]
    conforms_to: Literal["http://tools.ietf.org/rfc/rfc3236"] = Field(alias="conformsTo")
    value: Line
    refined_by: Quoted = Field(alias="refinedBy")


class Source(Strict):
    """The page, and the edition that it belongs to."""

    id: Page
    name: Line = Field(alias="schema:name")
    version: Version = Field(alias="schema:version")


class Target(Strict):
    """The place of a remark."""

    source: Source
    selector: Fragment


class Said(Strict):
    """The words of a remark, or of an answer to it."""

    type: Literal["TextualBody"]
    format: Literal["text/plain"]
    purpose: Literal["commenting", "replying"]
    value: Words


class Person(Strict):
    """Who wrote a remark."""

    type: Literal["Person"]
    name: Line


class Remark(Strict):
    """One remark and the answers to it."""

    id: Id
    type: Literal["Annotation"]
    motivation: Literal["commenting"]
    created: Time
    creator: Person | None = None
    body: tuple[Said, ...] = Field(min_length=1)
    target: Target

    @property
    def short_id(self) -> str:
        """Enough of the id to name it on a command line."""
        return self.id.removeprefix("urn:uuid:")[:8]

    @property
    def quote(self) -> str:
        """What it is about, word for word."""
        return self.target.selector.refined_by.exact

    @property
    def anchor(self) -> str:
        """The anchor that it stood at."""
        return self.target.selector.value

    @property
    def said(self) -> str:
        """The remark itself."""
        return self.body[0].value

    @property
    def answers(self) -> tuple[str, ...]:
        """What was answered, in order."""
        return tuple(body.value for body in self.body[1:])


class _Page(Strict):
    id: Id
    type: Literal["AnnotationPage"]
    start: Literal[0] = Field(alias="startIndex")
    items: tuple[Remark, ...]


class Collection(Strict):
    """All remarks of a file."""

    context: Annotated[Any, AfterValidator(_of_ours)] = Field(alias="@context")
    id: Id
    type: Literal["AnnotationCollection"]
    label: Line
    total: int
    first: _Page

    @property
    def remarks(self) -> tuple[Remark, ...]:
        """In the order of the file."""
        return self.first.items


def read_remarks(path: Path) -> Collection:
    """Read a file that a reviewer exported.

    Raises
    ------
    DataError
        If it is missing, larger than 5 MB, no JSON, or not in the form that the site exports;
        unknown keys, hidden characters and remarks that occur twice are named.
    """
    try:
        if not path.is_file():
            raise DataError("there is no such file", where=path)
        if path.stat().st_size > MOST_BYTES:
            raise DataError(
                f"holds more than any collection of remarks: {path.stat().st_size:,} bytes",
                where=path, allowed=f"{MOST_BYTES:,} bytes",
            )  # fmt: skip
        try:
            content = orjson.loads(path.read_bytes())
        except orjson.JSONDecodeError as problem:
            raise DataError(f"is no JSON: {problem}", where=path) from problem
        found = validate(content, Collection, str(path), DataError)
        _refuse_inconsistent(found, path)
    except DataError as problem:
        remedy = "name what 'Export' on the site saved, as it was saved"
        raise again(DataError, problem, remedy=remedy) from problem
    return found


def _refuse_inconsistent(found: Collection, path: Path) -> None:
    if found.total != len(found.remarks):
        raise DataError(f"says {found.total} remarks and holds {len(found.remarks)}", where=path)
    seen: set[str] = set()
    for remark in found.remarks:
        where = f"{path}: {remark.id}"
        if remark.id in seen:
            raise DataError("the same id occurs twice", where=where)
        seen.add(remark.id)
        first, *others = (body.purpose for body in remark.body)
        if first != "commenting" or "commenting" in others:
            raise DataError("must say one remark, then the answers to it", where=where)


def refuse_other_report(remarks: Sequence[Remark], title: str, where: Path) -> None:
    """Refuse remarks about another report than that of this title, naming the first of them."""
    for remark in remarks:
        name = remark.target.source.name
        if name != title:
            raise DataError(
                f"remark {remark.short_id} is about another report: '{name}'", where=where,
                allowed=f"remarks about '{title}'",
                remedy="name the edition that it is about with --edition",
            )  # fmt: skip


def answer_remark(path: Path, name: str, text: str) -> Remark:
    """Add an answer to a remark and write the file.

    Parameters
    ----------
    path : Path
        The file; it is replaced as a whole.
    name : str
        The remark's id, or as much of its beginning as tells it from the others.

    Raises
    ------
    DataError
        If the file is not what `read_remarks` takes, no remark or several begin so, or the text
        is empty, too long, or holds hidden characters.
    """
    if not text.strip():
        raise DataError("the answer is empty", where=path, remedy="--answer ID TEXT")
    collection = read_remarks(path)
    wanted = name.removeprefix("urn:uuid:")
    found = [one for one in collection.remarks if wanted and one.id[9:].startswith(wanted)]
    if len(found) != 1:
        raise DataError(
            f"{len(found) or 'no'} remarks begin with '{name}'", where=path,
            allowed=", ".join(one.short_id for one in collection.remarks) or "there are none",
        )  # fmt: skip
    content = collection.model_dump(mode="json", by_alias=True, exclude_none=True)
    answer = {
        "type": "TextualBody", "format": "text/plain", "purpose": "replying", "value": text.strip(),
    }  # fmt: skip
    place = collection.remarks.index(found[0])
    content["first"]["items"][place]["body"].append(answer)
    checked = validate(content, Collection, "the answer", DataError)
    write_atomically(path, orjson.dumps(content, option=orjson.OPT_INDENT_2) + b"\n")
    return checked.remarks[place]
