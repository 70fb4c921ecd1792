"""What the ledgers of the MQ V9.4 and the appliance report say of them."""

from __future__ import annotations

from collections import Counter

import pytest

from roundtrip.claims import Judged, Ledger, Verdict, load_ledger
from roundtrip.observations import Observations, load_observations
from roundtrip.project import find_project

pytestmark = pytest.mark.slow

V94 = "ibm-mq-v9.4-linux"
APPLIANCE = "mq-appliance-m2003"
VERDICTS = {
    V94: {
        Verdict.holds: 37,
        Verdict.by_rounding: 2,
        Verdict.in_part: 6,
        Verdict.contradicted: 3,
        Verdict.not_checkable: 39,
    },
    APPLIANCE: {
        Verdict.holds: 33,
        Verdict.by_rounding: 3,
        Verdict.in_part: 15,
        Verdict.contradicted: 2,
        Verdict.not_checkable: 14,
    },
}
CONTRADICTED = {
    V94: {"two-remaining-workloads", "six-tls12-cipherspecs", "tls-ratios-at-300-requesters"},
    APPLIANCE: {"dr1-up-to-25-percent", "dr1-impact-like-ha"},
}
ERRATA = {V94: 19, APPLIANCE: 8}


@pytest.fixture(scope="module")
def observations() -> Observations:
    return load_observations(find_project())


@pytest.fixture(scope="module")
def ledger(observations: Observations) -> Ledger:
    return load_ledger(observations)


def claims_of(ledger: Ledger, report: str) -> dict[str, Judged]:
    return {judged.claim.id: judged for judged in ledger.claims if judged.report == report}


@pytest.mark.parametrize("report", VERDICTS)
def test_every_statement_has_its_verdict(ledger: Ledger, report: str) -> None:
    judged = claims_of(ledger, report)
    assert Counter(claim.verdict for claim in judged.values()) == VERDICTS[report]
    wrong = {name for name, claim in judged.items() if claim.verdict is Verdict.contradicted}
    assert wrong == CONTRADICTED[report]
    assert all(judged[name].claim.note for name in wrong), "a contradiction is explained"


@pytest.mark.parametrize("report", ERRATA)
def test_what_is_contradicted_is_an_erratum(ledger: Ledger, report: str) -> None:
    errata = [found.erratum for found in ledger.errata if found.report == report]
    assert len(errata) == ERRATA[report]
    assert {name for erratum in errata for name in erratum.claims} == CONTRADICTED[report]


@pytest.mark.parametrize("report", ERRATA)
def test_every_suspect_cell_is_an_erratum(
    ledger: Ledger, observations: Observations, report: str
) -> None:
    suspect = observations.sql(
        "SELECT observation_id FROM observations "
        f"WHERE source = '{report}' AND status IN ('suspect', 'corrected')"
    )["observation_id"]
    cells = {
        cell for found in ledger.errata if found.report == report for cell in found.erratum.cells
    }
    assert set(suspect) <= cells


@pytest.mark.parametrize(
    ("name", "holds", "fails"),
    [
        ("ha-60-percent-at-2kb", "peak", "20 requesters"),
        ("ha1-small-penalty", "2 KB, peak", "2 KB, 20 requesters"),
        ("ha2-12-percent-at-any-load", "300 requesters", "20 requesters"),
        ("ha2-1-ms-80-percent", "2 KB, peak", "2 KB, 20 requesters"),
        ("c3-similar-or-better-than-c1", "M2003A, 256 B, peak", "M2003B, 256 B, peak"),
    ],
)
def test_true_near_the_peak_and_false_below(
    ledger: Ledger, name: str, holds: str, fails: str
) -> None:
    judged = claims_of(ledger, APPLIANCE)[name]
    verdicts = {case.item: case.verdict for case in judged.cases}
    assert judged.verdict is Verdict.in_part
    assert verdicts[holds] is Verdict.holds
    assert verdicts[fails] is Verdict.contradicted
