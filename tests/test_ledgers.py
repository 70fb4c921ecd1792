"""The ledgers of the published reports, against their texts and their data."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from conftest import Documents
from roundtrip.claims import Judged, Ledger, Verdict, load_ledger
from roundtrip.observations import Observations

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[1]
AIX = "websphere-mq-v7-aix"
APPLIANCE = "mq-appliance-m2003"
MSMQ = "mqseries-vs-msmq"
V10 = "ibm-mq-v10-ha"
V94 = "ibm-mq-v9.4-linux"
SEEDS = {MSMQ: "001", V10: "002"}
VERDICTS = {  # contradicted, in part, by rounding, hold, not checkable
    V94: (3, 0, 2, 36, 46), APPLIANCE: (2, 3, 5, 38, 17), AIX: (14, 14, 7, 40, 63),
}  # fmt: skip
CONTRADICTED = {
    V94: {"two-remaining-workloads", "six-tls12-cipherspecs", "tls-ratios-at-300-requesters"},
    APPLIANCE: {"dr1-up-to-25-percent", "dr1-impact-like-ha"},
    MSMQ: {
        "transactional-1kb-second-client-very-slight",
        "transactional-64kb-always-above-10",
        "persistent-inside-at-worst-slightly-less",
        "preloading-best-combination-for-msmq",
        "figure-9-msmq-without-preloading",
    },
    V10: {"crr-backlog-69-mb"},
    AIX: {
        "default-sharing-drop",
        "local-np",
        "local-np-shared",
        "client-np-default",
        "client-np-nt-optimised",
        "client-np-nt-default",
        "client-pm-default",
        "dq-np-similar",
        "dq-np-nt-similar",
        "dq-pm",
        "ssl-null-ciphers",
        "local-np-20k",
        "session-figures-of-v6",
        "swap-grows-alike",
    },
}
ERRATA = {V94: 19, APPLIANCE: 8, AIX: 64}


@pytest.fixture(scope="module")
def ledger(observations: Observations) -> Ledger:
    return load_ledger(observations)


def claims_of(ledger: Ledger, report: str) -> dict[str, Judged]:
    return {judged.claim.id: judged for judged in ledger.claims if judged.report == report}


@pytest.mark.parametrize("report", VERDICTS)
def test_every_statement_has_its_verdict(ledger: Ledger, report: str) -> None:
    found = Counter(claim.verdict for claim in claims_of(ledger, report).values())
    assert tuple(found[verdict] for verdict in Verdict) == VERDICTS[report]


@pytest.mark.parametrize("report", CONTRADICTED)
def test_contradicted_claims_are_those_read_against_the_document(
    ledger: Ledger, report: str
) -> None:
    judged = claims_of(ledger, report)
    wrong = {name for name, claim in judged.items() if claim.verdict is Verdict.contradicted}
    assert wrong == CONTRADICTED[report]


def test_contradictions_that_may_be_about_a_chart_are_those_of_sentences_that_name_one(
    ledger: Ledger,
) -> None:
    assert {(one.report, one.claim.id) for one in ledger.charted} == {
        (AIX, name)
        for name in CONTRADICTED[AIX] - {"default-sharing-drop", "ssl-null-ciphers",
                                         "session-figures-of-v6", "swap-grows-alike"}
    }  # fmt: skip


@pytest.mark.parametrize("report", ERRATA)
def test_what_is_contradicted_is_explained_and_an_erratum(ledger: Ledger, report: str) -> None:
    judged = claims_of(ledger, report)
    errata = [found.erratum for found in ledger.errata if found.report == report]
    assert len(errata) == ERRATA[report]
    assert {name for erratum in errata for name in erratum.claims} >= CONTRADICTED[report]
    assert all(judged[name].claim.note for name in CONTRADICTED[report])


@pytest.mark.parametrize("report", [V94, APPLIANCE, AIX, MSMQ, V10])
def test_every_doubtful_cell_is_an_erratum(
    ledger: Ledger, observations: Observations, report: str
) -> None:
    frame = observations.frame
    doubtful = frame[(frame["source"] == report) & (frame["status"] != "as_printed")]
    listed = {
        cell for found in ledger.errata if found.report == report for cell in found.erratum.cells
    }
    assert report == V94 or not doubtful.empty
    assert set(doubtful["observation_id"]) <= listed


@pytest.mark.parametrize(
    ("name", "holds", "fails"),
    [
        ("c1-a-3-times-b", "100 requesters", "peak"),
        ("ha-dr-slightly-below-ha", "1 queue manager, 256 B", "1 queue manager, 2 KB"),
    ],
)
def test_true_of_some_cases_and_not_of_others(
    ledger: Ledger, name: str, holds: str, fails: str
) -> None:
    judged = claims_of(ledger, APPLIANCE)[name]
    verdicts = {case.item: case.verdict for case in judged.cases}
    assert judged.verdict is Verdict.in_part
    assert verdicts[holds] is Verdict.holds
    assert verdicts[fails] is Verdict.contradicted


def test_every_combination_is_not_the_two_at_which_msmq_keeps_up(ledger: Ledger) -> None:
    # Stated in the summary and below two tables: one statement, and one of these is conceded.
    judged = claims_of(ledger, MSMQ)["summary-persistent-every-combination"]
    failing = [case.item for case in judged.cases if case.verdict is Verdict.contradicted]
    assert judged.verdict is Verdict.in_part
    assert failing == ["3 clients, peak", "4 clients, peak"]


@pytest.mark.parametrize(
    ("name", "share"),
    [
        ("mqseries-much-faster-overall", 34 / 36),
        ("persistent-inside-usually-better", 7 / 7),
        ("persistent-outside-better-than-inside", 16 / 16),
        ("figure-8-decrease-with-clients-and-threads", 9 / 12),
        ("conclusion-inside-generally-better", 8 / 8),
    ],
)
def test_what_is_said_in_general_is_judged_over_all_cases(
    ledger: Ledger, name: str, share: float
) -> None:
    judged = claims_of(ledger, MSMQ)[name]
    assert [case.value for case in judged.cases] == [pytest.approx(100 * share)]
    assert judged.verdict is Verdict.holds


def test_eight_of_fourteen_stated_changes_do_not_follow(ledger: Ledger) -> None:
    changes = [
        item
        for item in claims_of(ledger, AIX).values()
        if item.claim.kind == "difference"
        and item.claim.section[0] in "23"
        and not item.claim.id.startswith("ssl-")
    ]
    assert len(changes) == 14
    assert sum(item.verdict is Verdict.contradicted for item in changes) == 8


def test_no_loss_is_computed_from_the_row_without_ssl(ledger: Ledger) -> None:
    # It has 16 requesters, every CipherSpec 40.
    claims = claims_of(ledger, AIX)
    losses = [claims[f"ssl-{name}"] for name in ("losses", "null-ciphers", "triple-des")]
    assert not [item for item in losses if "websphere-mq-v7-aix/sec-2.3.5/r1c1" in repr(item)]
    verdicts = [item.verdict for item in losses]
    assert verdicts == [Verdict.not_checkable, Verdict.contradicted, Verdict.not_checkable]


def _plain(text: str) -> str:
    text = text.replace(r"<math><50\mu\text{s}</math>", "<50µs")
    return re.sub(r"[\s*]+", " ", text).lower()


@pytest.mark.parametrize("report", SEEDS)
def test_what_is_given_as_printed_is_in_the_document(report: str, documents: Documents) -> None:
    text = _plain(documents[SEEDS[report]])
    folder = ROOT / "data" / "published" / report
    read: dict[str, list[dict[str, Any]]] = {}
    for name in ("claims", "errata"):
        read |= yaml.safe_load((folder / f"{name}.yml").read_text(encoding="utf-8"))
    places = [place for erratum in read["errata"] for place in erratum["places"]]
    absent = [
        part
        for entry in (*read["claims"], *places)
        for part in re.split(
            r" … | / | and (?=[\d.]+)|(?<=\d) to (?=\d)", str(entry.get("printed", ""))
        )
        if _plain(part) not in text
    ]
    assert absent == []
