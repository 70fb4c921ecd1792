"""Claims and their verdicts, malformed claims, errata, the cache, the command line."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from claim_project import (
    CELL,
    CHAPTER,
    ERRATA,
    FILE,
    RATES,
    claim,
    constant,
    judged,
    listed,
    one_report,
    write_claims,
)
from roundtrip.claims import Verdict, claims_key, ledger, load_ledger, load_words
from roundtrip.claims.cases import Case, CaseError
from roundtrip.claims.declared import Expect
from roundtrip.claims.expected import values_text
from roundtrip.claims.repeatability import repetitions
from roundtrip.claims.verdicts import judge
from roundtrip.claims.words import VagueWords, words_file
from roundtrip.errors import CheckError, DataError, ParameterError
from roundtrip.observations import load_observations
from roundtrip.params import resolve_parameters
from roundtrip.present import Chapter, claim_parts
from roundtrip.project import Project
from roundtrip.sandbox.process import Sandbox
from workshop import ROOT, V94, answer, edit, refused, roundtrip


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """One report, its observations at hand."""
    project = one_report(tmp_path_factory.mktemp("one"))
    load_observations(project)
    return project


@pytest.fixture
def project(template: Project, tmp_path: Path) -> Project:
    return Project(shutil.copytree(template.root, tmp_path / "project"))


@pytest.fixture(scope="module")
def words() -> VagueWords:
    return load_words(Project(ROOT))


# --- verdicts ------------------------------------------------------------------------------

H, R, P, C = Verdict.holds, Verdict.by_rounding, Verdict.in_part, Verdict.contradicted


@pytest.mark.parametrize(
    ("value", "expect", "verdict"),
    [
        (26.2, {"is": 26.2}, H),
        (26.249, {"is": 26.2}, R),
        (26.25, {"is": 26.2}, R),
        (26.25, {"is": 26.3}, R),
        (26.251, {"is": 26.2}, C),
        (59124, {"is": 59000, "step": 1000}, R),
        (59124, {"is": 59000}, C),
        (0.1 + 0.2, {"is": 0.3}, H),
        (-0.4, {"is": 0}, R),
        (95, {"word": "about", "number": 100}, H),
        (94.6, {"word": "about", "number": 100}, R),
        (94.4, {"word": "about", "number": 100}, C),
        (95, {"word": "approximately", "number": 100}, H),
        (100, {"word": "nearly", "number": 100}, H),
        (101, {"word": "nearly", "number": 100}, C),
        (20.1, {"word": "over", "number": 20}, H),
        (20, {"word": "over", "number": 20}, C),
        (-20.1, {"word": "over", "number": -20}, H),
        (-19.9, {"word": "over", "number": -20}, C),
        (19.9, {"word": "under", "number": 20}, H),
        (19.6, {"word": "at least", "number": 20}, R),
        (19.4, {"word": "at least", "number": 20}, C),
        (20.4, {"word": "at most", "number": 20}, R),
        (70, {"word": "up to", "number": 70}, H),
        (66, {"word": "up to", "number": 70}, C),
        (70.4, {"word": "up to", "number": 70}, R),
        (71, {"word": "up to", "number": 70}, C),
        (3, {"word": "similar"}, H),
        (-3.2, {"word": "similar"}, C),
        (0, {"word": "slightly higher"}, C),
        (10, {"word": "slightly higher"}, H),
        (-10.1, {"word": "slightly lower"}, C),
        (0.01, {"word": "higher"}, H),
        (0, {"word": "lower"}, C),
        (20, {"word": "much higher"}, H),
        (-19, {"word": "much lower"}, C),
        (-3, {"word": "not lower"}, H),
        (3.1, {"word": "not higher"}, C),
        (5, {"above": 5}, C),
        (5.001, {"above": 5}, H),
        (5, {"below": 5}, C),
        (5, {"at_least": 5}, H),
        (4.6, {"at_least": 5}, R),
        (5.2, {"at_most": 5}, R),
        (0.96, {"between": [1, 2]}, R),
        (2.6, {"between": [1, 2]}, C),
        (1, {"between": [1, 2]}, H),
    ],
)
def test_one_value_has_one_verdict(
    value: float, expect: dict[str, Any], verdict: Verdict, words: VagueWords
) -> None:
    case = Case(item=None, value=value, cells=(CELL,))
    assert judge(Expect.model_validate(expect), [case], words).verdict is verdict


@pytest.mark.parametrize(
    ("values", "expect", "verdict", "each"),
    [
        ([1, 2], {"above": 0}, H, [H, H]),
        ([1, -2], {"above": 0}, P, [H, C]),
        ([-1, -2], {"above": 0}, C, [C, C]),
        ([1.4, 1], {"is": 1}, R, [R, H]),
        ([1.4, 7], {"is": 1}, P, [R, C]),
        ([10, 68], {"word": "up to", "number": 70}, H, [H, H]),
        ([10, 70.3], {"word": "up to", "number": 70}, R, [H, R]),
        ([10, 80], {"word": "up to", "number": 70}, C, [H, C]),
        ([10, 20], {"word": "up to", "number": 70}, C, [H, H]),
        ([3, 2], {"order": ["a", "b"]}, H, [H, H]),
        ([2, 3], {"order": ["a", "b"]}, C, [C, C]),
        ([2, 2], {"order": ["a", "b"]}, H, [H, H]),
        ([0.3, 0.1 + 0.2], {"order": ["a", "b"]}, H, [H, H]),
        ([0.3, 0.1 + 0.2], {"largest": "a"}, H, [H, H]),
        ([0.1 + 0.2, 0.3], {"smallest": "a"}, H, [H, H]),
        ([2, 3], {"largest": "a"}, C, [C, C]),
        ([2, 3], {"largest": "b"}, H, [H, H]),
        ([2, 3], {"smallest": "a"}, H, [H, H]),
        ([2, 3], {"smallest": "b"}, C, [C, C]),
    ],
)
def test_several_cases_have_one_verdict_and_one_each(
    values: list[float],
    expect: dict[str, Any],
    verdict: Verdict,
    each: list[Verdict],
    words: VagueWords,
) -> None:
    cases = [Case(item=n, value=v, cells=(CELL,)) for n, v in zip("ab", values, strict=True)]
    result = judge(Expect.model_validate(expect), cases, words)
    assert (result.verdict, list(result.cases)) == (verdict, each)


@pytest.mark.parametrize(("failing", "more"), [(6, ""), (7, " and 1 more"), (9, " and 3 more")])
def test_six_cases_that_do_not_hold_are_named(project: Project, failing: int, more: str) -> None:
    sql = (
        "SELECT 'c' || range AS item, range AS value, [any_value(observation_id)] AS cells "
        f"FROM o, range({failing + 1}) GROUP BY range ORDER BY range"
    )
    (found,) = judged(project, claim(sql=sql, each="case", expect={"below": 0.5}))
    named = "; ".join(f"c{n} ({n})" for n in range(1, 7))
    assert found.reason() == f"Does not hold in {failing} of {failing + 1} cases: {named}{more}."


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ([], ""), ([2], "2"), ([2, 3, 1], "2; 3; 1"), ([2, 2], "2 (2 cases)"),
        ([4, -49.936, 1, 370602.4], "\u221249.9 to 370,602 (4 cases)"), ([0.1 + 0.2 - 0.3], "0"),
        ([0.00002], "0.00002"),
    ],
)  # fmt: skip
def test_what_was_computed_is_a_range_only_where_it_differs(values: list[float], text: str) -> None:
    assert values_text(values) == text


@pytest.mark.parametrize("word", ["over", "at least", "up to", "about"])
def test_a_deviation_that_cannot_be_computed_is_no_verdict(word: str, words: VagueWords) -> None:
    case = Case(item=None, value=1e300, cells=(CELL,))
    with pytest.raises(CaseError, match="more than can be computed"):
        judge(Expect(word=word, number=1e-300), [case], words)


@given(st.integers(-(10**6), 10**6), st.integers(0, 4))
def test_a_number_rounded_as_printed_is_never_contradicted(whole: int, digits: int) -> None:
    value = whole / 997
    stated = round(value, digits)
    expect = Expect.model_validate({"is": stated, "step": 10.0**-digits})
    case = Case(item=None, value=value, cells=(CELL,))
    assert judge(expect, [case], VagueWords(())).verdict in (H, R)


@given(st.floats(-1e6, 1e6), st.floats(0.1, 1e6))
def test_a_word_and_the_bound_it_stands_for_agree(value: float, number: float) -> None:
    words = load_words(Project(ROOT))
    case = [Case(item=None, value=value, cells=(CELL,))]
    spoken = judge(Expect(word="at least", number=number, step=1e-9), case, words).verdict
    bound = judge(Expect(at_least=number, step=1e-9), case, words).verdict
    close = math.isclose(value, number, rel_tol=1e-6, abs_tol=1e-6)
    assert close or (spoken is C) == (bound is C)


def test_verdicts_name_cells_and_the_cases_that_do_not_hold(project: Project) -> None:
    sql = (
        "SELECT message_bytes::VARCHAR AS item, value, [observation_id] AS cells "
        f"FROM o WHERE {RATES} ORDER BY message_bytes"
    )
    whole, parts, none = judged(
        project,
        claim(),
        claim(id="b", sql=sql, each="message size", expect={"above": 100000}, note="As read."),
        claim(id="c", sql=None, expect=None, not_checkable="It is in a figure."),
    )
    assert (whole.verdict, whole.computed, whole.cells) == (H, 370602, (CELL,))
    assert parts.verdict is P
    assert parts.reason() == (
        "As read. Does not hold in 2 of 4 cases: 204800 (27,699); 2097152 (2,613)."
    )
    assert isinstance(parts.computed, dict)
    assert list(parts.computed) == ["2048", "20480", "204800", "2097152"]
    assert parts.computed["2048"] == 370602
    assert [case.verdict for case in parts.cases] == [H, H, C, C]
    assert (none.verdict, none.computed, none.note) == (
        Verdict.not_checkable, None, "It is in a figure.",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "unit"),
    [
        ({}, "round trips/s"),
        ({"sql": f"SELECT 2 * value AS value, [observation_id] AS cells FROM o WHERE {RATES} "
                 "AND message_bytes = 2048"}, ""),
        ({"sql": f"SELECT 2 AS value, ['{CELL}'] AS cells", "printed": "2%"}, "%"),
        ({"sql": f"SELECT 2 AS value, ['{CELL}'] AS cells", "expect": {"word": "similar"}}, "%"),
        ({"unit": "messages/s"}, "messages/s"),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("one_process")
def test_what_was_computed_has_the_unit_of_its_cell_or_the_declared_one(
    project: Project, changes: dict[str, Any], unit: str
) -> None:
    (found,) = judged(project, claim(**changes))
    assert found.unit == unit


@pytest.mark.usefixtures("one_process")
def test_the_report_writes_what_was_computed_in_its_number_format(project: Project) -> None:
    rows = judged(
        project,
        claim(),
        listed({"x": 1000.5, "y": -1}, id="b", printed="5%", expect={"above": 0}),
        listed({"x": 2, "y": 2}, id="c", unit="times", expect={"above": 0}),
        listed({"a": 2, "b": 3}, id="d", unit="s", expect={"order": ["b", "a"]}),
        listed(dict(zip("abcde", range(5), strict=True)), id="f", expect={"largest": "e"}),
        claim(id="e", sql=None, expect=None, not_checkable="It is in a figure."),
    )
    chapter = Chapter(V94, folder=project.root, number_format="1.234,5")
    assert [claim_parts.computed_text(chapter, row).replace("\u00a0", " ") for row in rows] == [
        "370.602 round trips/s", "1.000; \u22121 %", "2 times (2 cases)",
        "b: 3; a: 2 s", "e: 4; d: 3; c: 2; b: 1; 1 more below", "\u2013",
    ]  # fmt: skip


# --- malformed claims ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def running(template: Project) -> Iterator[Sandbox]:
    with Sandbox(load_observations(template).table) as sandbox:
        yield sandbox


@pytest.fixture
def one_process(running: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """Judge by a process that runs already: to start one takes longer than such a test."""
    monkeypatch.setattr(ledger, "Sandbox", lambda _: nullcontext(running))


GOOD = f"SELECT 1 AS value, ['{CELL}'] AS cells"
EACH = {"each": "case", "expect": {"above": 0}}
ORDER = {"expect": {"order": ["a", "b"]}}


@pytest.mark.parametrize(
    ("changes", "line", "part"),
    [
        ({"sql": "SELEC 1"}, 7, "the SQL failed: Parser Error"),
        ({"sql": "SELECT valu AS value, [] AS cells FROM o"}, 7, '"value", "value_printed"'),
        ({"sql": "SELECT 1 AS value FROM o WHERE false"}, 7, "columns value; wanted: value, cells"),
        ({"sql": f"{GOOD} FROM o WHERE false"}, 7, "gives no row"),
        ({"sql": f"{GOOD} FROM o LIMIT 2"}, 7, "2 rows where one is meant (several need 'each')"),
        ({"sql": f"{GOOD} FROM o, observations"}, 7, "more than 1000 rows"),
        ({"sql": f"SELECT 'nan'::DOUBLE AS value, ['{CELL}'] AS cells"}, 7, "the value is nan"),
        ({"sql": f"SELECT 1 / 0 AS value, ['{CELL}'] AS cells"}, 7, "the value is inf"),
        ({"sql": f"SELECT NULL AS value, ['{CELL}'] AS cells"}, 7, "the value is None"),
        ({"sql": f"SELECT 'x' AS value, ['{CELL}'] AS cells"}, 7, "'x', not a finite number"),
        ({"sql": f"SELECT true AS value, ['{CELL}'] AS cells"}, 7, "True, not a finite number"),
        ({"sql": "SELECT 1 AS value, [] AS cells"}, 7, "'cells' is []; it lists the observations"),
        ({"sql": "SELECT 1 AS value, 'x' AS cells"}, 7, "'cells' is 'x'; it lists"),
        ({"sql": "SELECT 1 AS value, ['x'] AS cells"}, 7, "names 'x', which is no observation"),
        ({"sql": f"{GOOD}, 'a' AS item"}, 7, "('item' where the claim has 'each'"),
        ({"sql": f"{GOOD}, 1 AS cell"}, 7, "the columns value, cells, cell; wanted"),
        ({"sql": GOOD, **EACH}, 7, "wanted: value, cells, item "),
        ({"sql": f"{GOOD}, 1 AS item", **EACH}, 7, "an item is 1, not text"),
        ({"sql": f"{GOOD}, 'a' AS item FROM o LIMIT 2", **EACH}, 7, "gives an item twice: a, a"),
        ({"sql": f"{GOOD}, 'a' AS item", **ORDER}, 7, "items a; the expectation compares a, b"),
        ({"sql": f"{GOOD}, unnest(['a', 'c']) AS item", **ORDER}, 7, "the items a, c; the"),
        ({"sql": f"{GOOD}, unnest(['a', 'b', 'c']) AS item", **ORDER}, 7, "the items a, b, c; the"),
        ({"expect": {"word": "simlar"}}, 8, "no vague word 'simlar' (did you mean 'similar'?)"),
        ({"expect": {"word": "similar", "number": 3}}, 8, "takes no 'number'"),
        ({"expect": {"word": "over"}}, 8, "needs a 'number'"),
        ({"expect": {"is": 1, "above": 0}}, 8, "needs exactly one of"),
        ({"expect": {"step": 1}}, 8, "it has none"),
        ({"expect": {"word": "over", "number": 0}}, 8, "nothing deviates from 0"),
        ({"expect": {"word": "similar", "step": 1}}, 8, "none is stated"),
        ({"expect": {"is": float("nan")}}, 9, "finite number"),
        ({"expect": {"between": [2, 1]}}, 8, "first end of 'between' is above"),
        ({"expect": {"order": ["a", "a"]}}, 8, "names an item twice"),
        ({"expect": {"abov": 1}}, 9, "unknown key 'abov' (did you mean 'above'?)"),
        ({"chapter": "30-nonpersistant"}, 6, f"(did you mean '{CHAPTER}'?)"),
        ({"kind": "guess"}, 5, "must be 'value', 'ratio'"),
        ({"id": "Not Kebab"}, 2, "joined by hyphens"),
        ({"section": 3.1}, 3, "must be text"),
        ({"section": "  "}, 3, "must have at least 1 character"),
        ({"says": "choose"}, 4, "it is a stub that a person has to fill in"),
        ({"sqll": "SELECT 1"}, 10, "unknown key 'sqll' (did you mean 'sql'?)"),
        ({"sql": None}, 2, "lacks sql"),
        ({"not_checkable": "Why."}, 2, "is not checkable, and yet has sql and expect"),
        ({"sql": None, "expect": None, "not_checkable": "Why.", "unit": "s"}, 2, "yet has unit"),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("one_process")
def test_a_malformed_claim_is_named(
    project: Project, changes: dict[str, Any], line: int, part: str
) -> None:
    with pytest.raises(DataError) as caught:
        judged(project, claim(**changes))
    assert caught.value.where == f"{project.root / FILE}:{line}"
    assert part in caught.value.what


def test_an_id_given_twice_is_refused_and_all_problems_are_told(project: Project) -> None:
    with pytest.raises(DataError) as caught:
        judged(project, claim(), claim(), claim(id="c", chapter="99-none"))
    assert "claim 'a-claim': the id is given twice; line " in caught.value.what
    assert "claim 'c': no chapter '99-none'" in caught.value.what


def test_a_report_without_claims_is_empty(project: Project) -> None:
    ledger = load_ledger(load_observations(project))
    assert (ledger.claims, ledger.errata) == ((), ())
    assert judged(project) == ()


# --- vague words ---------------------------------------------------------------------------


def test_the_edition_can_set_what_words_mean(project: Project) -> None:
    near = constant(4, expect={"word": "similar"})
    assert judged(project, near)[0].verdict is C
    assert judged(project, near, similar=(-5, 5))[0].verdict is H
    assert judged(project, near, similar=(None, -5))[0].verdict is C
    assert "at most −5" in judged(project, near, similar=(None, -5))[0].expected


@pytest.mark.parametrize(
    ("limits", "part"),
    [
        ({"similr": (-5, 5)}, "unknown vague word 'similr' (did you mean 'similar'?)"),
        ({"comparable": (-5, 5)}, "unknown vague word 'comparable'"),
        ({"similar": (5, -5)}, "'from' is above 'to'"),
        ({"similar": (None, None)}, "needs from, to or both"),
    ],
)
def test_limits_without_sense_are_refused(limits: Any, part: str) -> None:
    with pytest.raises(ParameterError) as caught:
        load_words(Project(ROOT), limits)
    assert part in str(caught.value)


def test_limits_are_a_parameter(tmp_path: Path) -> None:
    given = resolve_parameters(
        Project(ROOT), pairs=[("word_limits", "{similar: [-5, 5], over: [1, null]}")]
    )
    assert given.word_limits == {"similar": (-5, 5), "over": (1, None)}
    with pytest.raises(ParameterError, match=r"word_limits\.similar"):
        resolve_parameters(Project(ROOT), pairs=[("word_limits", "{similar: 5}")])


def own_words(project: Project) -> Path:
    """Give a project a table of words of its own."""
    path = project.checks / "vague-words.yml"
    path.parent.mkdir(exist_ok=True)
    return Path(shutil.copy(words_file(project), path))


@pytest.mark.parametrize(
    ("old", "new", "part"),
    [
        ("word: about", "word: nearly", "'nearly' is there twice"),
        ("from: -5", "from: 50", "'from' is above 'to'"),
        ("from: -5\n    to: 5", "from: null\n    to: null", "every number would do"),
        ("reason:", "reasn:", "unknown key 'reasn' (did you mean 'reason'?)"),
        ("of: number", "of: numbers", "must be 'number' or 'difference'"),
    ],
)
def test_a_malformed_table_of_words_is_refused(
    project: Project, old: str, new: str, part: str
) -> None:
    edit(own_words(project), old, new)
    with pytest.raises(CheckError) as caught:
        load_words(project)
    assert part in str(caught.value)


def test_similar_is_more_than_what_repetitions_differ_by() -> None:
    found = repetitions(load_observations(Project(ROOT)))
    assert 2 < found[-1].spread < 3
    # Rates of one sweep at 19 and 20 requesters, in two tables, are no repetition.
    assert {item.report for item in found} == {V94}
    words = load_words(Project(ROOT)).names
    assert words["similar"].covers(found[-1].spread)
    for item in found:
        assert len(item.cells) > 1
        assert item.spread > 0


# --- errata --------------------------------------------------------------------------------


def erratum(**changes: Any) -> dict[str, Any]:
    entry = {
        "id": "an-erratum",
        "kind": "caption",
        "says": "One place says this, another that.",
        "places": [{"section": "5.2", "table": "Table 3", "printed": "59,124"}, {"section": "6.1"}],
        "cells": [CELL],
        "evidence": "The title.",
        "in_numbers": True,
        **changes,
    }
    return {key: value for key, value in entry.items() if value is not None}


def write_errata(project: Project, *entries: dict[str, Any]) -> None:
    (project.root / ERRATA).write_text(
        yaml.safe_dump({"errata": list(entries)}, sort_keys=False), encoding="utf-8"
    )


def test_errata_are_read(project: Project) -> None:
    write_errata(project, erratum(claims=["a-claim"]))
    write_claims(project, claim())
    (found,) = load_ledger(load_observations(project)).errata
    assert found.report == V94
    assert found.erratum.places[0].text == "section 5.2, Table 3: 59,124"
    assert list(found.record())[:2] == ["id", "report"]


@pytest.mark.parametrize(
    ("changes", "line", "part"),
    [
        ({"cells": ["x"]}, 10, "erratum 'an-erratum': no observation 'x'"),
        ({"claims": ["a-clam"]}, 14, "no claim 'a-clam' (did you mean 'a-claim'?)"),
        ({"kind": "error"}, 3, "must be 'repeated quantity'"),
        ({"places": []}, 5, "must have at least 1 item"),
        ({"places": [{"table": "Table 3"}]}, 6, "section: is missing"),
        ({"cells": None}, 2, "cells: is missing"),
        ({"in_numbers": None}, 2, "in_numbers: is missing"),
        ({"evidnce": "x"}, 14, "unknown key 'evidnce' (did you mean 'evidence'?)"),
    ],
)
@pytest.mark.usefixtures("one_process")
def test_a_malformed_erratum_is_named(
    project: Project, changes: dict[str, Any], line: int, part: str
) -> None:
    write_claims(project, claim())
    write_errata(project, erratum(**changes))
    with pytest.raises(DataError) as caught:
        load_ledger(load_observations(project))
    assert caught.value.where == f"{project.root / ERRATA}:{line}"
    assert part in caught.value.what


# --- cache ---------------------------------------------------------------------------------


def test_verdicts_are_kept_until_something_changes(project: Project) -> None:
    write_claims(project, claim())
    observations = load_observations(project)
    first = load_ledger(observations)
    (kept,) = (project.cache / "claims").iterdir()
    before = kept.stat().st_mtime_ns
    assert load_ledger(observations) == first
    assert kept.stat().st_mtime_ns == before
    kept.write_text("{", encoding="utf-8")
    assert load_ledger(observations) == first

    keys = {claims_key(observations)}
    write_claims(project, claim(says="Other words."))
    keys.add(claims_key(observations))
    edit(own_words(project), "to: 5", "to: 6")
    keys |= {claims_key(observations), claims_key(observations, {"similar": (-5, 5)})}
    assert len(keys) == 4


def test_a_claim_changes_no_observation(project: Project) -> None:
    before = load_observations(project).fingerprint
    write_claims(project, claim())
    write_errata(project, erratum())
    assert load_observations(project).fingerprint == before


# --- the command line ----------------------------------------------------------------------

KEYS = {"id", "report", "section", "says", "printed", "computed", "verdict", "note", "cells"}


@pytest.fixture
def cli_project(project: Project) -> Project:
    (project.root / "params").mkdir()
    (project.root / "params" / "report.yml").write_text("word_limits: {}\n", encoding="utf-8")
    write_claims(
        project,
        claim(printed="370,602"),
        constant(4, id="b", expect={"word": "similar"}),
        listed({"x [1]": 1, "y": -1}, id="c", expect={"above": 0}),
    )
    write_errata(project, erratum())
    return project


def test_a_narrow_terminal_breaks_neither_verdicts_nor_ids_nor_numbers(
    cli_project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    name = "persistent-rates-of-both-machines-differ"
    write_claims(cli_project, claim(id=name, printed="370,602 round trips/s", expect={"is": 3}))
    write_errata(cli_project, erratum(id=name))
    shown = answer("claims", project=cli_project).stdout
    for part in ("contradicted", f"{name} (3.1)", "printed: 370,602 round trips/s; computed: "):
        assert part in shown
    shown = answer("errata", project=cli_project).stdout
    for part in ("caption", name, "evidence: The title."):
        assert part in shown


def test_the_ledger_as_json(cli_project: Project) -> None:
    done = answer("claims", "--format", "json", project=cli_project)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)
    assert all(row.keys() >= KEYS for row in rows)
    assert [row["verdict"] for row in rows] == ["holds", "contradicted", "holds in part"]
    assert rows[0]["computed"] == 370602
    assert rows[2]["computed"] == {"x [1]": 1, "y": -1}
    done = answer(
        "claims", "--report", V94, "--verdict", "contradicted", "--format", "json",
        project=cli_project,
    )  # fmt: skip
    assert [row["id"] for row in json.loads(done.stdout)] == ["b"]
    errata = json.loads(answer("errata", "--format", "json", project=cli_project).stdout)
    # A contradicted claim that no erratum names stands beside them.
    assert [(row["id"], row["kind"]) for row in errata] == [
        ("an-erratum", "caption"), ("b", "contradicted claim"),
    ]  # fmt: skip
    shown = answer("errata", project=cli_project).stdout
    assert "without an erratum" in shown


@pytest.mark.slow
def test_the_ledger_as_a_table_fits_the_page(cli_project: Project) -> None:
    from workshop import environment

    narrow = environment(COLUMNS="100")
    for command, part in (("claims", "3 claims: 1 contradicted, 1 holds in part, 1 holds"),
                          ("errata", "1 erratum")):  # fmt: skip
        done = roundtrip(command, project=cli_project, env=narrow)
        assert done.returncode == 0, done.stderr
        assert part in done.stdout
        assert max(map(len, done.stdout.splitlines())) <= 100


def test_the_edition_decides_on_the_command_line_too(cli_project: Project) -> None:
    edit(
        cli_project.root / "params" / "report.yml", "word_limits: {}",
        "word_limits: {similar: [-5, 5]}",
    )  # fmt: skip
    rows = json.loads(answer("claims", "--format", "json", project=cli_project).stdout)
    assert rows[1]["verdict"] == "holds"


def test_what_does_not_exist_is_refused(cli_project: Project) -> None:
    refused(
        answer("claims", "--verdict", "hold", project=cli_project),
        "unknown verdict 'hold' (did you mean 'holds'?)",
        "allowed: contradicted, holds in part, holds by rounding, holds, not checkable",
    )
    refused(answer("errata", "--report", "x", project=cli_project), "unknown report 'x'")
    write_claims(cli_project, claim(sql="SELECT 1"))
    refused(answer("claims", project=cli_project), f"{FILE}:7: claim 'a-claim': ")
    assert answer("claims", "--format", "xml", project=cli_project).returncode == 2
