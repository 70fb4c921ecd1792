"""The PDFs of one edition: the book's chapters, typeset by Typst with the report's template."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import typst

from roundtrip.cache import Kept, made_now
from roundtrip.errors import RenderError
from roundtrip.files import disk_errors
from roundtrip.project import Project
from roundtrip.publish.book import Book, Chapter
from roundtrip.publish.pdf.characters import Printable, note_on
from roundtrip.publish.pdf.destinations import Place, address, linked
from roundtrip.publish.pdf.svg import picture_for_typst
from roundtrip.publish.pdf.writer import chapter_to_typst
from roundtrip.publish.volumes import Volume, volumes_of
from roundtrip.theme import brand_pictures, load_theme, typeface

_TEMPLATES = ("book.typ", "cover.typ", "look.typ", "report.typ", "table.typ")
_TEXTS = (".typ", ".json", ".svg")
_PLACE = re.compile(r"┌─ (.+):(\d+):\d+$", re.MULTILINE)


def render_pdfs(
    book: Book,
    project: Project,
    kept: Kept = made_now,
    say: Callable[[str], None] = lambda _: None,
) -> dict[str, bytes]:
    """Typeset a book as tagged PDFs (PDF/UA-1), one for each volume.

    A process that has typeset the book before lays out again only what changed, and nothing of a
    volume in which nothing did.

    Parameters
    ----------
    kept : callable, optional
        Gives the Typst sources of chapters, for example from a cache.
    say : callable, optional
        Is told what a reader will not find as it was written.

    Returns
    -------
    dict
        Name of the file to its content: the same for the same book and templates.

    Raises
    ------
    RenderError
        If a chapter cannot be printed, or Typst reports an error or a warning.
    """
    volumes, fonts = volumes_of(book), typeface(project)
    sources = {
        chapter.name: kept("typst", chapter, partial(chapter_to_typst, chapter, fonts))
        for volume in volumes
        for chapter in volume.chapters
    }

    printable = Printable(project)
    front = json.dumps(front_matter(book), ensure_ascii=False)
    texts = {
        f"chapter {chapter.name}": sources[chapter.name]
        + "".join(figure.svg for figure in chapter.figures.values())
        for volume in volumes
        for chapter in volume.chapters
    } | {"the cover, contents or notices": front}
    told: set[str] = set()
    for where, text in texts.items():
        if lacking := [one for one in printable.lacking(text) if one not in told]:
            say(note_on(lacking, where))
            told.update(lacking)

    def rendered(volume: Volume) -> bytes:
        others = [other for other in volumes if other != volume]
        return _render(book, volume, others, project, sources, printable)

    with ThreadPoolExecutor() as pool:  # Typst typesets them at the same time
        return dict(zip((one.file for one in volumes), pool.map(rendered, volumes), strict=True))


def _render(
    book: Book,
    volume: Volume,
    others: Sequence[Volume],
    project: Project,
    sources: Mapping[str, str],
    printable: Printable,
) -> bytes:
    files = tuple(
        (printable.text(name), _printed(data, printable) if name.endswith(_TEXTS) else data)
        for name, data in _files_of(front_matter(book, volume, others), volume, sources, project)
    )
    fonts = tuple(str(place) for place in project.template_folders("fonts"))
    try:
        content, places, warnings = _typeset(files, fonts, book.timestamp)
    except typst.TypstError as error:
        raise _complaint("error", error) from error
    if warnings:
        raise _complaint("warning", warnings[0])
    return linked(content, places, [other.file for other in others])


@lru_cache(maxsize=2)  # a process that watches typesets nothing of a volume that did not change
def _typeset(
    files: tuple[tuple[str, bytes], ...], fonts: tuple[str, ...], timestamp: int
) -> tuple[bytes, dict[str, Place], list[Any]]:
    """Typeset files by their names; give the PDF, where anchors are in it, and warnings."""
    with disk_errors(Path(tempfile.gettempdir())), tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, data in files:
            (folder / file).parent.mkdir(exist_ok=True)
            (folder / file).write_bytes(data)
        shipped = typst.Fonts(
            include_system_fonts=False, include_embedded_fonts=False, font_paths=list(fonts)
        )
        compiler = typst.Compiler(str(folder / "book.typ"), root=str(folder), font_paths=shipped)
        content, warnings = compiler.compile_with_warnings(
            format="pdf", pdf_standards=["ua-1"], timestamp=timestamp
        )
        found = json.loads(compiler.query("<places>", field="value", one=True))
    if not isinstance(content, bytes):
        raise RenderError("Typst gave no PDF")
    return content, {address(label): Place(*place) for label, place in found}, warnings


def _files_of(
    front: Mapping[str, Any], volume: Volume, sources: Mapping[str, str], project: Project
) -> Iterator[tuple[str, bytes]]:
    for name in _TEMPLATES:
        yield name, project.template(f"typst/{name}").read_bytes()
    yield "theme.typ", load_theme(project).typst().encode()
    yield from brand_pictures(project).items()
    yield "book.json", json.dumps(front, ensure_ascii=False).encode()
    for chapter in volume.chapters:
        body = f'#import "/report.typ": *\n\n{sources[chapter.name]}'
        yield f"chapters/{chapter.name}.typ", body.encode()
        for figure in chapter.figures.values():
            picture = picture_for_typst(figure.svg, project)
            yield f"figures/{figure.label}.svg", picture.encode()


def _printed(data: bytes, printable: Printable) -> bytes:
    """Put code points for what no font has; Typst says what is wrong with what is no UTF-8."""
    text = data.decode("utf-8", "surrogateescape")
    return printable.text(text).encode("utf-8", "surrogateescape")


def _complaint(kind: str, complaint: Any) -> RenderError:
    place = _PLACE.search(complaint.diagnostic)
    where = _name_of(Path(place[1]), place[2]) if place else None
    return RenderError(
        f"Typst {kind}: {complaint.message}", where=where, remedy="; ".join(complaint.hints) or None
    )


def _name_of(file: Path, line: str) -> str:
    if file.parent.name == "chapters":
        return f"chapter {file.stem}, line {line} of its Typst source"
    if file.parent.name == "figures":
        return f"figure {file.stem}, line {line}"
    return f"templates/typst/{file.name}:{line}"


def front_matter(
    book: Book, volume: Volume | None = None, others: Sequence[Volume] = ()
) -> dict[str, Any]:
    """Give what ``book.typ`` reads: everything but the chapters' bodies.

    Parameters
    ----------
    volume : Volume, optional
        The part of it that is printed; all of it, if not given.
    others : sequence of Volume, optional
        Those that are printed beside it.
    """
    edition = book.edition
    volume = volume or Volume("Report", book.chapters)
    chapters = [chapter for chapter in volume.chapters if chapter.kind != "appendix"]
    listed = chapters or list(volume.chapters)
    running = [f"Version {edition.version}", f"commit {book.commit}" if book.commit else ""]
    return {
        "title": edition.title,
        "subtitle": edition.subtitle,
        "authors": list(edition.authors),
        "version": edition.version,
        "date": edition.date,
        "commit": book.commit,
        "edition": " · ".join(filter(None, running)),
        "banner": book.banner,
        "paper": edition.paper,
        "lang": edition.lang,
        "notices": [{"title": notice.title, "text": notice.text} for notice in edition.notices],
        # Those of a report with an annex stand beside the text that they serve.
        "tables": sum(len(one.tables) for one in listed) * (not others or volume.name == "Annex"),
        "figures": sum(len(chapter.figures) for chapter in listed),
        "listed": len(listed),
        "chapters": [_entry(chapter) for chapter in volume.chapters],
        "volume": "" if volume.name == "Report" else volume.name,
        "others": [
            {
                "name": other.name,
                "file": other.file,
                "chapters": [_entry(chapter) for chapter in other.chapters],
            }
            for other in others
        ],
        "elsewhere": {
            anchor: f"{other.file}#{address(anchor)}"
            for other in others
            for anchor in sorted(other.wanted_by(volume))
        },
        "places": sorted(
            {anchor for other in others for anchor in volume.wanted_by(other)}
            | {anchor for anchor in volume.anchors if others and not anchor.startswith("cell-")}
        ),
    }


def _entry(chapter: Chapter) -> dict[str, str]:
    return {name: getattr(chapter, name) for name in ("name", "title", "label", "number", "kind")}
