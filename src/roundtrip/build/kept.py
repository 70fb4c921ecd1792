"""Forms of a chapter that are made once and kept by what they are made from."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from roundtrip.build.book import Book, Chapter
from roundtrip.build.html_writer import chapter_inputs, chapter_to_html
from roundtrip.build.pdf_placement import Arrangement
from roundtrip.build.typst_writer import chapter_to_typst
from roundtrip.files import kept_text, sha256_of_json


@dataclass(frozen=True)
class KeptChapters:
    """Chapters in the forms that the writers give them, each made once.

    Parameters
    ----------
    folder : Path
        Where they are kept.
    code : str
        From `roundtrip.build.manifest.code_fingerprint`: other code may write otherwise.
    fonts : Path
        Folder of the fonts.
    """

    folder: Path
    code: str
    fonts: Path

    def html(self, chapter: Chapter, book: Book) -> str:
        """Give a chapter's body as HTML."""
        return self._keep(
            "html", chapter_inputs(chapter, book), lambda: chapter_to_html(chapter, book)
        )

    def typst(self, chapter: Chapter) -> str:
        """Give a chapter as Typst source."""
        return self._keep("typ", chapter, lambda: chapter_to_typst(chapter, self.fonts))

    def arrangement(self, content: Any, make: Callable[[], Arrangement]) -> Arrangement:
        """Give how the items of a chapter with this content are placed in the PDF."""
        text = self._keep("json", content, lambda: json.dumps(asdict(make())))
        return Arrangement.from_json(text)

    def _keep(self, ending: str, content: Any, make: Callable[[], str]) -> str:
        key = sha256_of_json([self.code, content])[:24]
        return kept_text(self.folder / f"{key}.{ending}", make)
