"""Archives that claim, nest or expand more than they hold: each is read to an end, and told."""

from __future__ import annotations

import gzip
import io
import random
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from roundtrip.ingest import inputs
from roundtrip.ingest.inputs import inputs_of

NOISE = random.Random(1)  # what no packer makes shorter
LOG = b"rate=5.00,threads=1\n" * 10
PACKED: dict[str, Callable[[bytes], bytes]] = {
    "": lambda content: content,
    ".gz": gzip.compress,
    ".zst": zstandard.compress,
}


def header(kind: bytes, claimed: int, name: str = "a.log", real: int | None = None) -> bytes:
    """Make a member's header that claims a size; with `real`, of a GNU sparse file of so many."""
    info = tarfile.TarInfo(name)
    info.type, info.size = kind, claimed
    made = bytearray(info.tobuf(tarfile.GNU_FORMAT))
    if real is not None:  # one piece of data, at the end
        made[386:398], made[398:410] = (_number(n) for n in (real - claimed, claimed))
        made[483:495] = _number(real)
    made[148:156] = b" " * 8
    made[148:156] = b"%06o\0 " % sum(made)
    return bytes(made)


def _number(value: int) -> bytes:
    return b"\x80" + value.to_bytes(11, "big")


def plain(name: str, content: bytes) -> bytes:
    """Make an ordinary member."""
    return header(tarfile.REGTYPE, len(content), name) + content + bytes(-len(content) % 512)


def read(path: Path) -> dict[str, tuple[int, str | None]]:
    """Give the length of each input, and why it could not be read to its end."""
    found = {}
    for item in inputs_of(path, path.name):
        content = item.stream.read()
        found[item.name] = (len(content), item.problem or next(iter(item.damage), None))
    return found


@pytest.mark.parametrize("ending", PACKED)
def test_a_sparse_member_is_refused_and_the_others_are_read(tmp_path: Path, ending: str) -> None:
    sparse = header(tarfile.GNUTYPE_SPARSE, 512, real=1 << 50) + bytes(512)
    path = tmp_path / f"logs.tar{ending}"
    path.write_bytes(PACKED[ending](sparse + plain("b.log", LOG) + bytes(1024)))
    assert read(path) == {
        "logs.tar!a.log": (0, "a sparse file: unpack the archive yourself"),
        "logs.tar!b.log": (len(LOG), None),
    }


@pytest.mark.parametrize("ending", PACKED)
@pytest.mark.parametrize("kind", [tarfile.REGTYPE, b"Z"], ids=["a file", "of no known type"])
def test_what_a_member_claims_and_does_not_hold_is_never_sought(
    tmp_path: Path, ending: str, kind: bytes
) -> None:
    path = tmp_path / f"logs.tar{ending}"
    path.write_bytes(PACKED[ending](plain("b.log", LOG) + header(kind, 1 << 50) + LOG))
    assert read(path) == {
        "logs.tar!b.log": (len(LOG), None),
        **({} if kind == b"Z" else {"logs.tar!a.log": (0, "damaged: unexpected end of data")}),
        "logs.tar": (0, "damaged archive: a member claims to be larger than the archive"),
    }


def test_a_sparse_map_that_is_cut_is_damage(tmp_path: Path) -> None:
    made = bytearray(header(tarfile.GNUTYPE_SPARSE, 512, real=1 << 50))
    made[482] = 1  # the map goes on in the next block, and there is none
    made[148:156] = b" " * 8
    made[148:156] = b"%06o\0 " % sum(made)
    (tmp_path / "logs.tar").write_bytes(made)
    assert read(tmp_path / "logs.tar")["logs.tar"][1].startswith("damaged archive")  # type: ignore[union-attr]


def zipped(members: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in members.items():
            made.writestr(name, content)
    return stream.getvalue()


def test_a_member_without_a_name_is_damage(tmp_path: Path) -> None:
    content = bytearray(zipped({"!": LOG}))
    place = content.rindex(b"PK\x01\x02")
    content[place + 28] = 0  # the length of its name; its one letter becomes an extra field's
    content[place + 30] = 1
    (tmp_path / "a.zip").write_bytes(content)
    ((_, problem),) = read(tmp_path / "a.zip").values()
    assert str(problem).startswith("damaged archive")


def tarred(members: dict[str, bytes]) -> bytes:
    return b"".join(plain(*member) for member in members.items()) + bytes(1024)


BOMB = bytes(3 << 20)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.zip", zipped({f"{number}.log": bytes(1 << 19) for number in range(16)})),
        ("b.tar", tarred({"a.zip": zipped({"a.log": BOMB}), "b.zip": zipped({"b.log": BOMB})})),
        ("c.zip", zipped({f"{number}.gz": gzip.compress(BOMB) for number in range(2)})),
        ("d.tar.gz", gzip.compress(tarred({f"{number}.zst": zstandard.compress(BOMB)
                                           for number in range(2)}))),
        ("e.tar.zst", zstandard.compress(tarred({"a.tar": tarred({"a.log": BOMB + BOMB})}))),
    ],
)  # fmt: skip
def test_what_one_file_opens_to_is_bounded_as_a_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, content: bytes
) -> None:
    monkeypatch.setattr(inputs, "FREE_BYTES", 4 << 20)
    monkeypatch.setattr(inputs, "LARGEST_RATIO", 0)
    (tmp_path / name).write_bytes(content)
    found = read(tmp_path / name)
    assert sum(length for length, _ in found.values()) <= 4 << 20
    assert any("expands to more than" in str(problem) for _, problem in found.values())


def test_claims_of_a_member_give_it_no_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inputs, "FREE_BYTES", 4 << 20)
    monkeypatch.setattr(inputs, "LARGEST_RATIO", 1)
    content = bytearray(zipped({"a.gz": gzip.compress(gzip.compress(bytes(64 << 20)))}))
    place = content.rindex(b"PK\x01\x02")
    content[place + 24 : place + 28] = (1 << 30).to_bytes(4, "little")  # its length, unpacked
    (tmp_path / "a.zip").write_bytes(content)
    ((length, problem),) = read(tmp_path / "a.zip").values()
    assert length <= 4 << 20
    assert problem is not None


def test_members_are_counted_in_all_archives_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inputs, "MOST_MEMBERS", 10)
    inner = {f"{number}.log": LOG for number in range(4)}
    (tmp_path / "a.tar").write_bytes(tarred({"a.zip": zipped(inner), "b.tar": tarred(inner),
                                             "c.log": LOG}))  # fmt: skip
    found = read(tmp_path / "a.tar")
    assert found["a.tar"] == (0, "more than 10 members")
    assert sum(problem is None for _, problem in found.values()) == 8


def test_damage_of_one_member_is_not_that_of_the_next(tmp_path: Path) -> None:
    cut = gzip.compress(LOG * 1000)[:-40]
    path = tmp_path / "a.tar.gz"
    path.write_bytes(gzip.compress(tarred({"cut.log.gz": cut, "whole.log": LOG})))
    found = read(path)
    assert str(found["a.tar!cut.log"][1]).startswith("damaged")
    assert found["a.tar!whole.log"] == (len(LOG), None)


def test_a_member_that_is_cut_tells_what_is_wrong_with_its_archive(tmp_path: Path) -> None:
    path = tmp_path / "a.tar.gz"
    drawn = bytes(number * number % 251 for number in range(1 << 20))
    path.write_bytes(gzip.compress(tarred({"a.log": drawn}), 0)[:-200_000])
    length, problem = read(path)["a.tar!a.log"]
    assert 0 < length < len(drawn)
    assert problem is not None
    assert "end-of-stream" in problem


@pytest.mark.parametrize("ending", [".gz", ".zst"])
def test_an_archive_that_ends_between_two_members_is_told(
    tmp_path: Path, ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"{number}.log" for number in range(1500)]
    packed = PACKED[ending](
        b"".join(plain(name, NOISE.randbytes(300)) for name in names) + bytes(1024)
    )
    path = tmp_path / f"logs.tar{ending}"
    for kept in (0.2, 0.5, 0.8):
        path.write_bytes(packed[: int(len(packed) * kept)])
        found = read(path)
        assert 0 < len(found) < len(names)
        assert any("damaged" in (problem or "") for _, problem in found.values())
    path.write_bytes(packed)
    assert read(path) == {f"logs.tar!{name}": (300, None) for name in names}
    monkeypatch.setattr(inputs, "FREE_BYTES", 300_000)
    monkeypatch.setattr(inputs, "LARGEST_RATIO", 1)
    assert any("expands to more" in (problem or "") for _, problem in read(path).values())


@pytest.mark.parametrize("ending", [".gz", ".zst"])
def test_what_a_cut_stream_holds_before_its_end_is_given(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"a.log{ending}"
    content = NOISE.randbytes(1_000_000).hex().encode()
    path.write_bytes(PACKED[ending](content)[:-2000])
    ((length, problem),) = read(path).values()
    assert 0.9 * len(content) < length < len(content)
    assert problem
    assert "damaged" in problem


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_damage_of_a_member_is_told_of_it_however_it_was_packed(
    tmp_path: Path, method: int
) -> None:
    path = tmp_path / "logs.zip"
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("a.log", NOISE.randbytes(5000).hex())
        archive.writestr("b.log", LOG)
    packed = bytearray(path.read_bytes())
    packed[1000:1100] = bytes(100)
    path.write_bytes(packed)
    found = read(path)
    assert found["logs.zip!a.log"][1]
    assert found["logs.zip!b.log"] == (len(LOG), None)
