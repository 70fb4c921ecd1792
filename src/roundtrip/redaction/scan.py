"""Look into every file of a built report for names that were to be replaced."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from roundtrip.errors import RenderError
from roundtrip.redaction.aliases import Aliases

_MOST = 20


def refuse_leaks(folder: Path, aliases: Aliases) -> None:
    """Refuse a report that still holds a name.

    Raises
    ------
    RenderError
        It names files and the aliases of what they hold, not the names.
    """
    leaks = []
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        found = set(aliases.found_in(name))
        if path.is_file():
            found |= set(_found_in_file(path, aliases))
        if found:
            leaks.append(f"{aliases.replaced(name)} holds the name of {', '.join(sorted(found))}")
    if leaks:
        more = f"; and {len(leaks) - _MOST} more" if len(leaks) > _MOST else ""
        raise RenderError(
            "names are left that were to be replaced: " + "; ".join(leaks[:_MOST]) + more,
            where=folder.name.split(".new-")[0].lstrip("."),
            remedy="name them under 'redact' as they stand in the data, or take them out of what "
            "computes them; the table of aliases is in .cache/redacted",
        )


def _found_in_file(path: Path, aliases: Aliases) -> list[str]:
    content = path.read_bytes()
    if content.startswith(b"%PDF"):
        return aliases.found_in("\n".join(_texts_of_pdf(path)))
    try:
        return aliases.found_in(content.decode("utf-8"))
    except UnicodeDecodeError:
        return aliases.found_in_bytes(content)


def _texts_of_pdf(path: Path) -> Iterator[str]:
    """Give what a PDF shows on its pages, and every string and XML text that it holds."""
    from pypdf import PdfReader
    from pypdf.generic import ArrayObject, DictionaryObject, IndirectObject, StreamObject

    reader = PdfReader(path)
    for page in reader.pages:
        yield page.extract_text()
    seen: set[tuple[int, int]] = set()
    waiting: list[Any] = [reader.trailer]
    while waiting:
        item = waiting.pop()
        if isinstance(item, IndirectObject):
            if (item.idnum, item.generation) in seen:
                continue
            seen.add((item.idnum, item.generation))
            item = item.get_object()
        if isinstance(item, StreamObject) and item.get("/Subtype") == "/XML":
            yield item.get_data().decode("utf-8", "replace")
        if isinstance(item, DictionaryObject):
            waiting.extend(item.raw_get(key) for key in item)
            yield from map(str, item)
        elif isinstance(item, ArrayObject):
            waiting.extend(list.__iter__(item))
        elif isinstance(item, str):
            yield item
        elif isinstance(item, bytes):
            yield item.decode("latin-1")
