"""Numbers keep their units on their line, in text and in captions; apostrophes are typographic."""

from __future__ import annotations

import pytest

from roundtrip.publish.pandoc import as_printed, parse_markdown, plain
from roundtrip.typography import printed_text


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("V7's peak at 2 KB", "V7\u2019s peak at 2\u00a0KB"),
        ("16 GB/s, 95 % of 40 Gb/s", "16\u00a0GB/s, 95\u00a0% of 40\u00a0Gb/s"),
        ("5 minutes, 3 messages, KB 2 s", "5 minutes, 3 messages, KB 2\u00a0s"),
        ("DESCR('x') and 'quoted'", "DESCR('x') and 'quoted'"),
        ("the clients' rate at V7's peak", "the clients\u2019 rate at V7\u2019s peak"),
        ("queue 'orders' was full", "queue 'orders' was full"),
    ],
)
def test_plain_text_is_printed(text: str, printed: str) -> None:
    assert printed_text(text) == printed


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("Messages of 2 KB take *3*\nms.", "Messages of 2\u00a0KB take 3\u00a0ms."),
        ('Measured: [30](#cell-x "Table 1") s, 95 %.', "Measured: 30\u00a0s, 95\u00a0%."),
        ("5 messages and `2 s` of 3 samples", "5 messages and 2 s of 3 samples"),
        (r"the source\'s `don't`", "the source\u2019s don't"),
    ],
)
def test_text_of_a_chapter_is_bound(markdown: str, text: str) -> None:
    blocks = parse_markdown(markdown)["blocks"]
    assert plain(as_printed(blocks)).strip() == text
    assert "\u00a0" not in plain(blocks), "what is given is left as it is"
