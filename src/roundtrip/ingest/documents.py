"""Readers of JSON documents, alone in a file or with text before, between and after them."""

from __future__ import annotations

import io
import json
import math
import re
from abc import abstractmethod
from bisect import bisect_right
from collections import deque
from collections.abc import Iterator
from itertools import chain, pairwise
from typing import Any, BinaryIO, ClassVar

from roundtrip.ingest.blocks import blocks
from roundtrip.ingest.reader import Head, LineReader, Reader
from roundtrip.ingest.records import Sink, decoded

LARGEST = 256 << 20
_ATTEMPTS = 200
_OPENING = re.compile(r"^[ \t]*(?:(?:var|const|let)\s+\w+\s*=\s*)?([{\[])", re.MULTILINE)
_BEHIND = re.compile(r"[ \t,;]*([{\[])")
"""What may stand between two documents of one line."""


class DocumentReader(Reader):
    """A reader whose input is one JSON document, or several."""

    def read(self, stream: BinaryIO, sink: Sink) -> None:
        """Read every document; text outside of documents is rejected, blank lines ignored."""
        sink.quantities.update(self.quantities)
        text = _whole(stream, sink)
        if text is None:
            sink.flush()
            return
        starts = [0, *(match.end() for match in re.finditer("\n", text))]
        if starts[-1] == len(text):
            starts.pop()
        inside, reasons = bytearray(len(starts)), dict[int, str]()
        spans = []
        for begin, end, document in _decoded(text):
            first, last = (bisect_right(starts, place) - 1 for place in (begin, end))
            inside[first : last + 1] = b"\1" * (last + 1 - first)
            spans.append((begin, end))
            try:
                reason = self.document(first + 1, document, sink)
            except RecursionError:
                reason = "nested too deep"
            if reason:
                reasons |= dict.fromkeys(range(first, last + 1), reason)
        for (_, end), (begin, _) in pairwise([*spans, (len(text), 0)]):
            if text[end:begin].partition("\n")[0].strip(" \t,;"):
                reasons.setdefault(bisect_right(starts, end) - 1, "more than JSON on its line")
        for index, is_inside in enumerate(inside):
            if is_inside and index not in reasons:
                sink.count_used()
                continue
            line = _line(text, starts, index)
            if not is_inside and line.strip() in ("", ";"):
                sink.count_ignored()
            else:
                reason = reasons.get(index, "outside of a complete JSON document")
                sink.rejected(index + 1, reason, line)
        sink.flush()

    @abstractmethod
    def document(self, line: int, document: Any, sink: Sink) -> str | None:
        """Read one document that begins on a line, or say why it cannot be used."""


class TextOrDocuments(Reader):
    """A reader of a tool that prints text, read line by line, or JSON, read as documents.

    Attributes
    ----------
    opening : tuple of str
        How its JSON begins.
    text, documents : type
        The readers of both.
    """

    opening: ClassVar[tuple[str, ...]]
    text: ClassVar[type[LineReader]]
    documents: ClassVar[type[DocumentReader]]

    def read(self, stream: BinaryIO, sink: Sink) -> None:
        """Read with the reader of what the input begins with."""
        whole = io.BufferedReader(stream, 4096)  # type: ignore[type-var]
        is_json = Head.of(whole.peek(), "").text.lstrip().startswith(self.opening)
        inner: Reader = self.documents() if is_json else self.text()
        sink.quantities.update(self.quantities)
        inner.read(whole, sink)


def _decoded(text: str) -> Iterator[tuple[int, int, Any]]:
    """Give where each document begins and ends, and what it holds."""
    decoder, failed = json.JSONDecoder(), 0
    match = _OPENING.search(text)
    while match and failed < _ATTEMPTS:
        begin = match.start(1)
        try:
            document, end = decoder.raw_decode(text, begin)
        except (ValueError, RecursionError):
            failed += 1
            match = _OPENING.search(text, match.end())
            continue
        yield begin, end, document
        match = _BEHIND.match(text, end) or _OPENING.search(text, end)


def _line(text: str, starts: list[int], index: int) -> str:
    end = starts[index + 1] if index + 1 < len(starts) else len(text)
    return text[starts[index] : end].rstrip("\r\n")


def _whole(stream: BinaryIO, sink: Sink) -> str | None:
    """Read a whole input, or reject all its lines when it is too large for a document."""
    parts, length = [], 0
    found = blocks(stream)
    for block in found:
        end = int(block.ends[-1])
        parts.append(block.data[:end].tobytes() + b"\n")
        length += end
        if length > LARGEST or block.overlong:
            reason = f"a document above {LARGEST >> 20} MiB, or with a line above 1 MiB"
            sink.rejected(1, reason, parts[0][:200])
            last = deque(chain((block,), found), maxlen=1)[0]
            sink.account.rejected += last.first_line - 2 + len(last)
            return None
    text = decoded(b"".join(parts))
    return text.replace("\r\n", "\n")


def at(document: Any, *keys: str) -> Any:
    """Give what lies below some keys of a document; None where one on the way is no object's."""
    for key in keys:
        document = document.get(key) if isinstance(document, dict) else None
    return document


def finite(value: Any, scale: float = 1.0) -> float | None:
    """Give a JSON number as a float, times a scale; None for all else and what is not finite."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number * scale if math.isfinite(number) else None
