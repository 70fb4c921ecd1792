"""Edited samples crash no reader, lose no line and are never misread in silence."""

from __future__ import annotations

import io
import random
import re
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest_bench import SAMPLES, Read
from roundtrip.dictionary import load_dictionary
from roundtrip.ingest.blocks import LONGEST_LINE, blocks
from roundtrip.ingest.fast import WHOLE, Form
from roundtrip.ingest.patterns import Pattern
from roundtrip.ingest.printed import grouped, number, peeled, unix_date
from roundtrip.ingest.reader import Head
from roundtrip.ingest.registry import READERS, reader_for
from roundtrip.ingest.tools.amqerr import AmqErr
from roundtrip.ingest.tools.jms_perf_harness import JmsPerfHarness
from roundtrip.ingest.tools.mq_cph import MqCph
from roundtrip.ingest.tools.mqldt import Mqldt
from roundtrip.secrets import without_secrets
from roundtrip.stats.hdr import decode

FILES = sorted(path for path in SAMPLES.rglob("*") if path.is_file() and path.suffix != ".md")
ROUNDS = 12
"""Edits of each sample; ``python tests/test_ingest_robust.py 2000`` goes on for longer."""


class CphOneByOne(MqCph):
    """MQ-CPH by regular expressions alone."""

    forms = ()


class JmsOneByOne(JmsPerfHarness):
    """JMSPerfHarness by regular expressions alone."""

    forms = ()


def edited(content: bytes, drawn: random.Random) -> bytes:
    """Make one to four random edits, of the kinds that happen to logs."""
    for _ in range(drawn.randint(1, 4)):
        place = drawn.randrange(len(content) + 1)
        lines = content.split(b"\n")
        line = drawn.randrange(len(lines))
        kind = drawn.randrange(15)
        if kind == 0:  # cut short
            content = content[:place]
        elif kind == 1:  # cut at the beginning
            content = content[place:]
        elif kind == 2:  # any byte
            content = content[:place] + bytes([drawn.randrange(256)]) + content[place + 1 :]
        elif kind == 3:
            content = content[:place] + b"\0" * drawn.randint(1, 9) + content[place:]
        elif kind == 4:
            content = content.replace(b"\n", b"\r\n")
        elif kind == 5:  # a comma for the point
            content = re.sub(rb"(\d)\.(\d)", rb"\1,\2", content)
        elif kind == 6:
            content = re.sub(
                rb"\d+\.\d+", drawn.choice([b"inf", b"-nan", b"NaN", b"1e999"]), content, count=2
            )
        elif kind == 7:
            content = re.sub(
                rb"(?<=[=: ])\d+",
                drawn.choice([b"-1", b"99999999999999999999999", b"007"]),
                content,
                count=3,
            )
        elif kind == 8:  # two processes write into one file
            other = drawn.choice(FILES).read_bytes().split(b"\n")
            at = drawn.randrange(len(other))
            content = b"\n".join([*lines[:line], other[at], *lines[line:]])
        elif kind == 9:  # half a line, then another
            content = b"\n".join(
                [*lines[:line], lines[line][: len(lines[line]) // 2] + lines[-1], *lines[line:]]
            )
        elif kind == 10:
            content = b"\n".join([*lines[:line], b"x" * drawn.choice([300, 70_000]), *lines[line:]])
        elif kind == 11:  # lines twice
            content = b"\n".join([*lines[:line], lines[line], *lines[line:]])
        elif kind == 12:
            content = content.decode("utf-8", "replace").encode(
                drawn.choice(["utf-16", "cp850", "utf-8-sig"]), "replace"
            )
        elif kind == 13:  # time stamps of a container runtime
            content = b"\n".join(b"2024-05-01T10:00:00.5Z " + text for text in lines)
        else:
            drawn.shuffle(lines)
            content = b"\n".join(lines)
    return content  # fmt: skip


def lines_of(content: bytes) -> int:
    """Count lines as a reader must."""
    return sum(len(block) for block in blocks(io.BytesIO(content)))


def check(content: bytes, name: str) -> None:
    """Read by the tool that is detected, and see that nothing is lost and no value absurd."""
    reader = reader_for(Head.of(content[: 64 << 10], name))
    if reader is None:
        return
    found = Read(reader, content)
    lines = lines_of(content)
    assert found.account.lines == lines, (reader.name, found.account, lines)
    assert found.account.rejected >= len(found.rejects)
    for columns in found.tables.get("interval", []):
        for column, cells in columns.items():
            if cells.dtype != object:
                assert not np.isinf(cells).any(), (reader.name, column)
        for column in ("rate", "rolling_rate", "sent", "received", "threads", "messages"):
            if column in columns:
                assert not (columns[column] < 0).any(), (reader.name, column)
    if isinstance(reader, (MqCph, JmsPerfHarness)):
        plain = Read(CphOneByOne() if isinstance(reader, MqCph) else JmsOneByOne(), content)
        assert plain.account == found.account, reader.name
        for column in ("line", "rate", "threads", "run", *reader.columns):
            assert found.column(column) == plain.column(column), (reader.name, column)
        assert found.streams() == plain.streams()
        assert found.faults() == plain.faults()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_edited_samples(path):
    drawn = random.Random(path.name)
    content = path.read_bytes()
    if len(content) > 20_000:
        content = content[:20_000]
    for _ in range(ROUNDS):
        check(edited(content, drawn), path.name)


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
@given(content=st.binary(max_size=400))
@settings(max_examples=40, deadline=None)
def test_no_bytes_crash_a_reader(reader, content):
    found = Read(reader(), content)
    assert found.account.lines == lines_of(content)


PLAIN = Form(rf"rate=(?P<rate>-?\d{{1,15}}\.\d\d),threads=(?P<threads>{WHOLE})")


@given(
    st.lists(
        st.tuples(
            st.decimals(-(10**13), 10**13, places=2, allow_nan=False), st.integers(0, 10**14)
        ),
        min_size=1,
        max_size=50,
    )
)
@settings(deadline=None)
def test_forms_give_what_float_and_int_give(pairs):
    text = "".join(f"rate={rate:f},threads={threads}\n" for rate, threads in pairs)
    (block,) = blocks(io.BytesIO(text.encode()))
    matches, groups = PLAIN.match(block.texts())
    columns = {name: PLAIN.numbers(group) for name, group in groups.items()}
    assert matches.all()
    assert columns["rate"].tolist() == [float(f"{rate:f}") for rate, _ in pairs]
    assert columns["threads"].tolist() == [threads for _, threads in pairs]


@given(st.text(alphabet="rate=,threds.-0123456789 \r", max_size=40))
@settings(max_examples=300, deadline=None)
def test_forms_match_nothing_else(text):
    (block,) = blocks(io.BytesIO(f"{text}\n".encode()))
    (matched,), _ = PLAIN.match(block.texts())
    wanted = re.fullmatch(r"rate=-?\d{1,15}\.\d\d,threads=\d{1,15}", block.line(0).decode())
    assert bool(matched) == bool(wanted)


@pytest.mark.parametrize("name", [b"\xff", b"\xed\xa0\x80", b"\xc3", "é".encode(), b"x" * 81])
def test_a_process_of_any_name_is_read_by_blocks_as_one_by_one(name):
    text = b"id=" + name + b",rate=1.50,threads=2\nrate=2.50,threads=2\n"
    fast, slow = Read(MqCph(), text), Read(CphOneByOne(), text)
    assert fast.account == slow.account
    assert set(fast.sink.streams) == set(slow.sink.streams)
    assert fast.column("rate") == slow.column("rate")


@given(st.lists(st.binary(max_size=30), max_size=30), st.integers(1, 64))
def test_blocks_give_every_line_once(lines, size):
    content = b"\n".join(line.replace(b"\n", b"").replace(b"\r", b"") for line in lines)
    if content.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")):
        return
    found = [
        block.line(index)
        for block in blocks(io.BytesIO(content), size)
        for index in range(len(block))
    ]
    wanted = content.split(b"\n")
    assert found == (wanted[:-1] if wanted[-1] == b"" else wanted)


def test_a_line_of_gigabytes_takes_no_memory():
    class Long(io.RawIOBase):
        left = 300

        def read(self, size=-1):
            self.left -= 1
            return b"x" * size if self.left >= 0 else b""

    found = Read(MqCph(), b"rate=1.00,threads=1\n")
    sizes = [len(block.data) for block in blocks(Long())]  # type: ignore[arg-type]
    assert sum(sizes) < 3 * LONGEST_LINE
    assert found.account.used == 1


def test_an_overlong_line_is_one_rejected_line():
    content = b"rate=1.00,threads=1\n" + b"x" * (3 * LONGEST_LINE) + b"\nrate=2.00,threads=1\n"
    found = Read(MqCph(), content)
    assert found.column("rate") == [1, 2]
    assert found.column("line") == [1, 3]
    assert [item.line for item in found.rejects] == [2]


@given(st.text(max_size=60))
def test_no_text_crashes_what_reads_parts_of_lines(text):
    without_secrets(text)
    peeled(text)
    unix_date(text)
    for parse in (number, grouped, decode):
        with suppress(ValueError):
            parse(text)


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e12, max_value=1e12))
def test_numbers_of_a_locale_are_those_of_another(value):
    printed = f"{value:.2f}"
    for text in (printed, printed.replace(".", ",")):
        assert number(text) == float(printed)


@pytest.mark.parametrize("text", ["10\u00b2", "\u00b9", "10\u2082", "\u2460", "٣"])
def test_digits_other_than_those_of_ascii_are_no_number(text):
    with pytest.raises(ValueError, match="is not a number"):
        number(text)


def test_patterns_take_no_time():
    dictionary = load_dictionary(Path(__file__).parents[1] / "data" / "dictionary.yml")
    slow = Pattern("*a*a*a*a*a*a*a*a*{requesters}*b", dictionary, "campaign.yml")
    assert slow.match("a" * 1000) is None
    assert slow.match("x" * 2000) is None


@pytest.mark.parametrize(
    ("reader", "line"),
    [
        (Mqldt, "1" + "/111" * 40 + "x"),
        (Mqldt, "Total x " + " " * 200_000 + "x"),
        (Mqldt, "Total x y:" + " " * 200_000 + "x"),
        (Mqldt, "Total x y: 1" + " " * 200_000 + "x"),
        (Mqldt, "A" + " " * 200_000 + "x"),
        (AmqErr, "2024-05-01T12:00:00Z AMQ6729W: " + " [Ab(" * 200_000),
    ],
    ids=["progress", "label", "value", "number", "option", "inserts"],
)
def test_no_line_takes_long(reader, line):
    assert Read(reader(), f"{line}\n".encode()).account.lines == 1


def main(rounds: int) -> None:
    """Edit the samples for longer than a test may take."""
    for turn in range(rounds):
        drawn = random.Random(turn)
        for path in FILES:
            content = edited(path.read_bytes()[:20_000], drawn)
            try:
                check(content, path.name)
            except Exception:
                print(f"turn {turn}: {path}")
                raise


if __name__ == "__main__":
    import sys

    main(int(sys.argv[1]))
