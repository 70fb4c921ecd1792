"""Detectors over sentences: each contradiction between words and tables is found, and no hedge."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.claims.words import load_words
from roundtrip.detectors import ReportText, Sure, detect_in
from roundtrip.detectors.proposal import Proposal
from roundtrip.detectors.text import Printed
from roundtrip.drafting.sentences import Mark, Sentence, section_number
from roundtrip.project import find_project
from workshop import ROOT

SECTION = "5.1 Persistent messages"
CELLS = (
    Printed("acme/table-08/r1c1", "Table 8", "5.1", "rr_cc_2k", "Rate", "119,846"),
    Printed("acme/table-08/r2c1", "Table 8", "5.1", "rr_cc_20k", "Rate", "506,887"),
    Printed("acme/table-09/r1c1", "Table 9", "6.1", "rr_cc_2k", "Rate", "371,209"),
    Printed("acme/table-09/r2c1", "Table 9", "6.1", "rr_cc_20k", "Rate", "44.7"),
)
MARKS = (
    *(Mark(n, "caption", SECTION, f"Table {n}: Peaks of {chr(64 + n)}") for n in range(1, 10)),
    *(Mark(number, "heading", SECTION, f"{number}.1 Runs") for number in range(1, 7)),
    Mark(6, "heading", SECTION, "6.2 TLS"),
)  # fmt: skip


def text(*sentences: str | Sentence, marks: tuple[Mark, ...] = ()) -> ReportText:
    """Make the words of a report."""
    said = [Sentence(3, SECTION, one) if isinstance(one, str) else one for one in sentences]
    return ReportText("acme", tuple(said), (*MARKS, *marks), CELLS, load_words(find_project(ROOT)))


def found(*sentences: str | Sentence, marks: tuple[Mark, ...] = ()) -> list[Proposal]:
    return detect_in(text(*sentences, marks=marks))


@pytest.mark.parametrize(
    ("sentence", "cell", "sure"),
    [
        ("Table 8 peaks at 117,070 round trips/s.", "acme/table-08/r1c1", Sure.high),
        ("It reaches 119,864 round trips/s.", "acme/table-08/r1c1", Sure.medium),
        ("It makes over 121,000 round trips/s.", "acme/table-08/r1c1", Sure.medium),
        ("The rate falls to 119,864 round trips/s.", "acme/table-08/r1c1", Sure.medium),
        ("It makes 506,887 and 119,864 round trips/s.", "acme/table-08/r1c1", Sure.medium),
        ("From Table 9 to Table 8 it rises from 44.7 to 119,864 of them.",
         "acme/table-08/r1c1", Sure.high),
        ("About 556,000 round trips/s are made, as Table 8 says.",
         "acme/table-08/r2c1", Sure.high),
        ("As Table 9 shows, the first client makes 447 of them, or 4.47 a second.",
         "acme/table-09/r2c1", Sure.high),
    ],
)  # fmt: skip
def test_a_number_near_its_cell_is_proposed(sentence: str, cell: str, sure: Sure) -> None:
    proposals = found(sentence)
    assert {one.rule for one in proposals} == {"stated-number"}
    assert (proposals[0].cells, proposals[0].sure) == ((cell,), sure)
    assert proposals[0].excess > 1
    assert proposals[0].quotes == (("5.1", sentence),)


@pytest.mark.parametrize(
    "sentence",
    [
        "It makes about 500,000 round trips/s.",
        "It makes some 120,000 round trips/s, nearly 510,000 with batches.",
        "It makes over 500,000 round trips/s, up to 507,000.",
        "It makes ~505,000 round trips/s.",
        "Table 8 says 119,846 and 506,887.",
        "Table 8 says 120,000.",
        "Messages of 117,000 bytes were sent in 2023, at 98 % of the processors.",
        "Section 6.1 has version 1.19 of it, see page 118 and Table 9.",
        "Sections 119.8, 119.9 and 120.1 say so, and pages 118-119 to 121.",
        "Table 3 and 200 requesters, Table 4, 50 threads and Tables 5 and 6 are as before.",
        "LogFilePages=117070 was set.",
        "The two other runs made 80,300 and 91,400 round trips/s.",
    ],
)
def test_hedged_rounded_and_other_numbers_are_no_finding(sentence: str) -> None:
    assert found(sentence) == []


@pytest.mark.parametrize(
    ("sentence", "nearest", "sure"),
    [
        ("Table 8 shows that throughput drops by 71% with small messages.", "76.4 %", Sure.medium),
        ("The rate of small messages is 31% of that of large ones.", "23.6 %", Sure.low),
        ("With large messages the rate improves by up to 410%.", "322.9 %", Sure.low),
        ("Small messages cost up to 71% of the rate, as Table 8 shows.", "76.4 %", Sure.medium),
        ("Throughput falls by between 74% and 76%.", "76.4 %", Sure.low),
        ("Table 8 shows that throughput is similar for both sizes.", "76.4 %", Sure.medium),
    ],
)
def test_a_change_that_no_two_rates_give_is_proposed(
    sentence: str, nearest: str, sure: Sure
) -> None:
    (one,) = found(sentence)
    assert (one.rule, one.sure) == ("quoted-change", sure)
    assert f"the nearest change that printed rates give is {nearest}" in one.says
    assert set(one.cells) == {"acme/table-08/r1c1", "acme/table-08/r2c1"}
    assert one.quotes == (("5.1", sentence),)


@pytest.mark.parametrize(
    "sentence",
    [
        "Table 8 shows that throughput drops by 76% with small messages.",
        "Small messages cost 76% of the rate.",
        "Throughput drops by nearly 80%, the rate of large messages being higher.",
        "The rate of small messages is about 24% of that of large ones.",
        "With large messages the rate improves by up to 325%, by more than 300% at any rate.",
        "Throughput is reduced by less than 80%.",
        "Throughput drops by 20% on a busy network.",
        "Throughput drops by an average of 71%.",
        "Throughput drops by 71%, and CPU by more.",
        "The share of persistent messages drops by 71%.",
        "The rate is within 71% of what others reach.",
        "Throughput is similar or better.",
    ],
)
def test_changes_that_two_rates_give_or_that_may_be_of_others_are_no_finding(sentence: str) -> None:
    assert found(sentence) == []


def test_similar_rates_within_the_limits_of_the_word_are_no_finding() -> None:
    told = text("Throughput is similar for both versions.")
    rates = (("V1", "2,348"), ("V2", "2,359"))
    near = [replace(CELLS[0], row=name, text=rate) for name, rate in rates]
    assert detect_in(replace(told, cells=tuple(near))) == []
    alike = (replace(near[0], text="2,000"), replace(near[0], text="2,001"), near[1])
    assert [one.rule for one in detect_in(replace(told, cells=alike))] == ["quoted-change"], (
        "two rates of one version say nothing about the other"
    )


@pytest.mark.parametrize(
    ("sentence", "part"),
    [
        ("See Table 12 for sizes.", "refers to Table 12, which has no caption"),
        ("The hosts are in section 0.", "refers to section 0, which has no heading"),
        ("This varies what section 5.1 says.", "refers to section 5.1, which is the section"),
        ("Nonpersistent messages gain 5 of them.", "speaks of non-persistent messages"),
        ("The test r_cc_2k is 5 times faster.", "tables have rr_cc_2k"),
        ("The test rr_cc_02k is 5 times faster, rr_cc_2k is not.", "tables have rr_cc_20k"),
        ("The test rrxcc_2k is 5 times faster.", "tables have rr_cc_2k"),
        ("The test c_2k is 5 times faster.", "tables have cc_2k"),
        ("Table 8 has all 3 TLS 1.2 CipherSpecs.", "Table 8 has no more than 2"),
        ("Table 8 has all of the four sizes.", "Table 8 has no more than 2"),
    ],
)  # fmt: skip
def test_words_that_do_not_agree_are_proposed(sentence: str, part: str) -> None:
    (one,) = found(sentence)
    assert part in one.says
    assert one.cells == ()
    assert one.out_by == ""


@pytest.mark.parametrize(
    ("marks", "part"),
    [
        ([Mark(9, "caption", SECTION, "Table 10 - Table 11 - More")], "is numbered 10 and 11"),
        ([Mark(9, "caption", SECTION, "Table 10: Peaks of I")], "is that of Table 9"),
        ([Mark(1, "listed", "Tables", "Table 7: Peaks of H ..... 8")], "printed as 8"),
        ([Mark(7, "heading", SECTION, "1.1.1 Set-up"), Mark(7, "heading", SECTION, "7.1 End")],
         "follows that of section 6.2"),
        ([Mark(7, "heading", SECTION, "6.3 TLS")], "repeats that of section 6.2"),
        ([Mark(page, "head", "", f"Acme Broker V{3 + (page == 4)}.1, March 2024 – {page}")
          for page in range(1, 7)], "differs from"),
    ],
)  # fmt: skip
def test_captions_headings_and_margins_that_disagree_are_proposed(
    marks: list[Mark], part: str
) -> None:
    (one,) = found(marks=tuple(marks))
    assert one.rule == "caption"
    assert part in one.says


SIZES = tuple(
    Printed(f"acme/table-10/r{row}c1", "Table 10", "6.2", f"RR-CC ({size})", "Rate", f"{9 - row}")
    for row, size in enumerate(("2KB", "20K", "200 KB"), 1)
)


@pytest.mark.parametrize(
    ("caption", "part"),
    [
        ("Table 10: Rates at 2 KB", "says 2 KB; it also has rows for 20 KB, 200 KB"),
        ("Table 10: Rates at 2KB to 200KB", ""),
        ("Table 10: Rates at 2,048 bytes", "says 2,048 B; it also has rows for 20 KB, 200 KB"),
        ("Table 10: Rates at 4KB", ""),
        ("Table 10: Rates at 2 KB over 20 m of cable", "says 2 KB; it also has rows for 20 KB"),
        ("Table 10: Rates", ""),
    ],
)
def test_a_caption_that_names_one_size_of_several_is_proposed(caption: str, part: str) -> None:
    told = text(marks=(Mark(9, "caption", "6.2 TLS", caption),))
    proposals = detect_in(replace(told, cells=(*CELLS, *SIZES)))
    assert [one.rule for one in proposals] == ["caption"] * bool(part)
    assert all(part in one.says for one in proposals)


@pytest.mark.parametrize(
    ("sentence", "wrong"),
    [
        ("Figure 3 is for sizes between 50bytes and 16KB.", True),
        ("Figure 3 is for 50 bytes to 16K.", True),
        ("Figure 3 is for sizes between 50 B and 32 KB.", False),
        ("Figure 3 is for 50 B to 32768 bytes.", False),
        ("Figure 3 is for sizes up to 16 KB, and beyond.", False),
        ("Figure 3 has 50 bytes and 16KB among others.", False),
        ("Figure 4 is for sizes between 50 bytes and 16KB.", False),
    ],
)
def test_a_range_that_is_not_that_of_the_caption_is_proposed(sentence: str, wrong: bool) -> None:
    marks = tuple(
        Mark(9, "caption", SECTION, f"Figure {n}: Response time{of}")
        for n, of in ((1, ""), (2, " of one"), (3, " (50byte - 32K)"), (4, " of others"))
    )
    proposals = found(sentence, marks=marks)
    assert ["50 B to 16 KB, and the caption from 50 B to 32 KB" in one.says for one in proposals] \
        == [True] * wrong  # fmt: skip


@pytest.mark.parametrize(
    "all_of", ["200 clients were served", "three sit on one host", "9 switches"]
)
def test_a_count_of_what_no_table_lists_is_no_finding(all_of: str) -> None:
    assert found(f"Table 8 shows that all {all_of}.") == []


def test_a_short_name_and_a_number_of_another_shape_are_proposed() -> None:
    said = [f"NHA waits for {number} of 0x0000{number:012x}." for number in range(10)]
    (one,) = found(*said, "HHA waits for 3 of them.")
    assert "names HHA, which occurs nowhere else; NHA occurs often" in one.says
    (one,) = found(*said, "It ends at 0x00000000008a8bd.")
    assert "0x00000000008a8bd, of 15 digits; the others have 16" in " ".join(one.says.split())
    assert found(*said, "HHA waits for 3, HHA for 4 and HHB for 5.") == []


@pytest.mark.parametrize(
    ("heading", "number"),
    [
        ("6.2 TLS", "6.2"),
        ("Section 6.2", "6.2"),
        ("A.1 Machines", "A.1"),
        ("2023 in numbers", ""),
        ("V9.4 on Linux", ""),
        ("A small machine", ""),
        ("I think so", ""),
        ("Results", ""),
    ],
)
def test_a_heading_has_a_number_only_if_one_is_printed(heading: str, number: str) -> None:
    assert section_number(heading) == number


def test_a_caption_of_two_tables_with_the_same_numbers_is_right() -> None:
    same = tuple(replace(cell, table="Table 10") for cell in CELLS if cell.table == "Table 9")
    told = text(marks=(Mark(9, "caption", SECTION, "Table 10: Peaks of I"),))
    assert detect_in(replace(told, cells=(*CELLS, *same))) == []


@pytest.mark.parametrize(
    ("sentence", "wrong"),
    [
        ("It has 2 x 1.6 TB SSDs in a RAID 0 array (3.2GB total).", True),
        ("It has 12x4TB disks, 40 TB in total, behind one controller.", True),
        ("It has 2 x 1.6 TB SSDs in a RAID 0 array (3.2TB total).", False),
        ("It has 4 x 1.6 TB SSDs in a RAID 10 array (3.2TB total).", False),
        ("It has 8 x 1024GB of memory and 2 x 4TB disks (8TB total).", False),
    ],
)
def test_a_total_that_is_not_that_of_its_parts_is_proposed(sentence: str, wrong: bool) -> None:
    proposals = [one for one in found(sentence) if one.rule == "total"]
    assert len(proposals) == wrong
    assert all(one.out_by == "" for one in proposals)


def test_numbers_of_more_digits_than_any_table_has_are_passed_over() -> None:
    long = "1" * 5000
    marks = (
        Mark(9, "caption", SECTION, f"Table {long}: More"),
        Mark(9, "heading", SECTION, f"{long}.1 Runs"),
    )
    assert found(f"See Table {long}.", f"Table 8 has all {long}.", marks=marks) == []
    (one,) = found(f"See Table 8 and {long}, and Table 12.")
    assert "refers to Table 12" in one.says


@given(st.lists(st.text(max_size=80), max_size=4))
def test_any_text_can_be_looked_at(sentences: list[str]) -> None:
    marks = tuple(Mark(1, "caption", "", one) for one in sentences)
    for one in detect_in(text(*sentences, marks=marks)):
        assert one.says
        assert one.excess > 1


FRAGMENTS = (
    "Table 8", "Table 12", "Figure 3", "section 0", "shows that", "throughput", "drops by",
    "improves by up to", "peaks at", "about", "71%", "119,864", "44.7", "between", "to", "2 KB",
    "2,048 bytes", "16KB", "all of the four sizes", "the test r_cc_2k", "nonpersistent messages",
    "2 x 1.6 TB", "(3.2GB total)", "similar", ",", ".",
)  # fmt: skip


def test_words_that_detectors_look_for_can_stand_in_any_order() -> None:
    told: set[str] = set()

    @given(st.lists(st.sampled_from(FRAGMENTS), min_size=1, max_size=8).map(" ".join))
    def look(sentence: str) -> None:
        proposals = found(sentence)
        assert all(one.says and one.excess > 1 for one in proposals)
        told.update(one.rule for one in proposals)

    look()
    assert {"stated-number", "quoted-change", "reference", "subject"} <= told, told


def test_an_entry_of_a_list_that_is_not_the_caption_is_proposed() -> None:
    listed = (
        Mark(1, "listed", "", "Table 8: Peaks of non-H .......... 12"),
        Mark(1, "listed", "", "Table 7: Peaks of G and what follows .... 12"),
        Mark(1, "listed", "", "Table 6: Peaks of F .......... 12"),
    )
    (proposal,) = found(marks=listed)
    assert (proposal.rule, proposal.sure) == ("caption", Sure.medium)
    assert "“Table 8: Peaks of non-H … 12”" in proposal.says
    assert "differs from the caption, “Table 8: Peaks of H”" in proposal.says
