"""Look for names that were to be replaced: into every file of a built report, into any file."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import zstandard

from roundtrip.errors import RenderError
from roundtrip.redaction.aliases import Aliases

_MOST = 20
_LARGEST = 1 << 30
_OPENED: dict[bytes, Callable[[BinaryIO], Any]] = {
    b"\x1f\x8b": lambda stream: gzip.GzipFile(fileobj=stream),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ\x00": lzma.LZMAFile,
    b"\x28\xb5\x2f\xfd": lambda stream: zstandard.ZstdDecompressor().stream_reader(
        stream, read_across_frames=True
    ),
}
"""How what is compressed begins, and what opens it."""
_CLOSED = (b"7z\xbc\xaf", b"Rar!", b"\x1f\x9d", b"\x04\x22\x4d\x18", b"\x5d\x00\x00", b"MSCF")
"""How archives begin that nothing here opens."""
UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
"""How text in UTF-16 begins."""
_PNG = b"\x89PNG\r\n\x1a\n"


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
        inside = found_in_content(path.read_bytes(), aliases) if path.is_file() else []
        if inside is None:
            leaks.append(f"{aliases.replaced(name)} cannot be searched")
        if found := found | set(inside or ()):
            leaks.append(f"{aliases.replaced(name)} holds the name of {', '.join(sorted(found))}")
    if leaks:
        more = f"; and {len(leaks) - _MOST} more" if len(leaks) > _MOST else ""
        raise RenderError(
            "names are left that were to be replaced: " + "; ".join(leaks[:_MOST]) + more,
            where=folder.name.split(".new-")[0].lstrip("."),
            remedy="name them under 'redact' as they stand in the data, or take them out of what "
            "computes them; the table of aliases is in .cache/redacted",
        )


def found_in_content(content: bytes, aliases: Aliases) -> list[str] | None:
    """Give the aliases of the names that a file holds, sorted; None where it cannot be searched.

    What is compressed is opened, text of PDFs and Parquet files is read; archives, and what is
    damaged, encrypted or grows too large, cannot be searched.
    """
    text = plain_text(content)
    try:
        if text is not None:
            return aliases.found_in(text)
        if b"%PDF-" in content[:1024]:
            return aliases.found_in("\n".join(_texts_of_pdf(content)))
        if content.startswith(b"PAR1"):
            return aliases.found_in("\n".join(_texts_of_parquet(content)))
        if content.startswith(_PNG):
            packed = aliases.found_in("\n".join(_packed_texts_of_png(content)))
            return sorted({*packed, *aliases.found_in_bytes(content)})
        for sign, opened in _OPENED.items():
            if content.startswith(sign):
                inside = opened(io.BytesIO(content)).read(_LARGEST)
                found = found_in_content(inside, aliases) if len(inside) < _LARGEST else None
                if found is not None:  # it may begin with the name that the file had
                    found = sorted({*found, *aliases.found_in_bytes(content[:1024])})
                return found
    except Exception:  # whatever a reader raises, nobody knows what the file holds
        return None
    is_tar = content[257:262] == b"ustar"
    if is_tar or content.startswith(_CLOSED) or zipfile.is_zipfile(io.BytesIO(content)):
        return None
    marked = content.startswith(UTF_16)
    as_text = aliases.found_in(content.decode("utf-16", "replace")) if marked else []
    return sorted({*as_text, *aliases.found_in_bytes(content)})


def plain_text(content: bytes) -> str | None:
    """Give the text that a file is; None where it is none, or PDF, which only looks like one."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return None if "\0" in text or "%PDF-" in text[:1024] else text


def _packed_texts_of_png(picture: bytes) -> Iterator[str]:
    """Give the texts that a PNG picture holds compressed."""
    place = len(_PNG)
    while place + 8 <= len(picture):
        length, kind = struct.unpack_from(">I4s", picture, place)
        said = picture[place + 8 : place + 8 + length].partition(b"\0")[2]
        if kind == b"zTXt" or (kind == b"iTXt" and said[:1] == b"\1"):
            packed = said[1:] if kind == b"zTXt" else said[2:].split(b"\0", 2)[2]
            unpacking = zlib.decompressobj()
            yield unpacking.decompress(packed, _LARGEST).decode("utf-8", "replace")
            if not unpacking.eof:
                raise ValueError("it is damaged, or grows too large")
        place += length + 12


def _texts_of_parquet(content: bytes) -> Iterator[str]:
    """Give the names of all columns, what is noted of the file, and every text that it holds."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.ParquetFile(pa.BufferReader(content)).read()
    yield str(table.schema)
    yield from (str(item) for item in (table.schema.metadata or {}).items())
    for column in table.columns:
        if not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
            yield from sorted({str(value) for value in column.to_pylist()})


def _texts_of_pdf(content: bytes) -> Iterator[str]:
    """Give what a PDF shows on its pages, every string, and texts and files that it holds."""
    from pypdf import PdfReader
    from pypdf.generic import ArrayObject, DictionaryObject, IndirectObject, StreamObject

    reader = PdfReader(io.BytesIO(content))
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
        if isinstance(item, StreamObject) and (
            item.get("/Subtype") == "/XML" or item.get("/Type") == "/EmbeddedFile"
        ):
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
