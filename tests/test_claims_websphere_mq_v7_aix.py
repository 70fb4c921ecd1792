"""The statements of the WebSphere MQ V7 for AIX report: their verdicts, and its known errata."""

from collections import Counter
from pathlib import Path

import pytest

from roundtrip.claims import Judged, Ledger, Verdict, load_words
from roundtrip.claims.ledger import evaluate
from roundtrip.observations import Observations, load_observations
from roundtrip.project import find_project

pytestmark = pytest.mark.slow

REPORT = "websphere-mq-v7-aix"


@pytest.fixture(scope="module")
def observations() -> Observations:
    return load_observations(find_project(Path(__file__).parent))


@pytest.fixture(scope="module")
def ledger(observations: Observations) -> Ledger:
    return evaluate(observations, load_words(observations.project))


@pytest.fixture(scope="module")
def claims(ledger: Ledger) -> dict[str, Judged]:
    return {item.claim.id: item for item in ledger.claims if item.report == REPORT}


def test_verdicts_are_those_read_against_the_document(claims: dict[str, Judged]) -> None:
    assert Counter(item.verdict for item in claims.values()) == {
        Verdict.holds: 43,
        Verdict.by_rounding: 8,
        Verdict.in_part: 15,
        Verdict.contradicted: 16,
        Verdict.not_checkable: 58,
    }


def test_eight_of_fourteen_stated_changes_do_not_follow(claims: dict[str, Judged]) -> None:
    changes = [
        item
        for item in claims.values()
        if item.claim.kind == "difference"
        and item.claim.section[0] in "23"
        and not item.claim.id.startswith("ssl-")
    ]
    assert len(changes) == 14
    assert sum(item.verdict is Verdict.contradicted for item in changes) == 8


def test_no_loss_is_computed_from_the_row_without_ssl(claims: dict[str, Judged]) -> None:
    # It has 16 requesters, every CipherSpec 40.
    losses = [claims[f"ssl-{name}"] for name in ("losses", "null-ciphers", "triple-des")]
    assert not [item for item in losses if "websphere-mq-v7-aix/sec-2.3.5/r1c1" in repr(item)]
    verdicts = [item.verdict for item in losses]
    assert verdicts == [Verdict.not_checkable, Verdict.contradicted, Verdict.not_checkable]


def test_every_doubtful_cell_is_an_erratum(ledger: Ledger, observations: Observations) -> None:
    frame = observations.frame
    doubtful = frame[(frame["source"] == REPORT) & (frame["status"] != "as_printed")]
    listed = {
        cell for found in ledger.errata if found.report == REPORT for cell in found.erratum.cells
    }
    assert not doubtful.empty
    assert set(doubtful["observation_id"]) <= listed
