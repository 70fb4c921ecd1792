"""The ledgers of the MSMQ comparison and of the V10 HA report, against text and data."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from conftest import Documents
from roundtrip.claims.ledger import Ledger, evaluate
from roundtrip.claims.verdicts import Verdict
from roundtrip.claims.words import load_words
from roundtrip.observations import Observations, load_observations
from roundtrip.project import find_project

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[1]
SEEDS = {"mqseries-vs-msmq": "001", "ibm-mq-v10-ha": "002"}
CONTRADICTED = {
    "mqseries-vs-msmq": {
        "summary-persistent-every-combination",
        "tables-outside-every-situation",
        "table-3-near-optimal-for-msmq",
        "transactional-1kb-second-client-very-slight",
        "transactional-64kb-one-to-two-clients",
        "transactional-64kb-always-above-10",
        "persistent-inside-at-worst-slightly-less",
        "preloading-best-combination-for-msmq",
        "figure-9-msmq-without-preloading",
    },
    "ibm-mq-v10-ha": {"crr-backlog-69-mb"},
}


@pytest.fixture(scope="module")
def observations() -> Observations:
    return load_observations(find_project(ROOT))


@pytest.fixture(scope="module")
def ledger(observations: Observations) -> Ledger:
    return evaluate(observations, load_words(observations.project))


@pytest.mark.parametrize("report", SEEDS)
def test_contradicted_claims_are_those_read_against_the_document(
    ledger: Ledger, report: str
) -> None:
    found = {
        judged.claim.id
        for judged in ledger.claims
        if judged.report == report and judged.verdict is Verdict.contradicted
    }
    assert found == CONTRADICTED[report]


@pytest.mark.parametrize("report", SEEDS)
def test_every_doubtful_cell_is_an_erratum(
    ledger: Ledger, observations: Observations, report: str
) -> None:
    frame = observations.frame
    doubtful = frame[(frame["source"] == report) & (frame["status"] != "as_printed")]
    listed = {
        cell for found in ledger.errata if found.report == report for cell in found.erratum.cells
    }
    assert len(doubtful) > 0
    assert set(doubtful["observation_id"]) <= listed


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
