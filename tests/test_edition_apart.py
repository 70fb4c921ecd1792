"""The package knows no edition: nothing in it names what only our data have."""

from __future__ import annotations

import re
from functools import cache

import pytest
import yaml

from roundtrip.observations import load_observations
from roundtrip.project import PACKAGE, Project
from roundtrip.sources.declared import TEXT_TABLE
from workshop import ROOT

EXCEPTIONS = {
    # Readers say what their tool's results are of: it measures nothing else.
    ("ingest/tools/amqerr.py", "IBM MQ"),
    ("ingest/tools/amqsrua.py", "IBM MQ"),
    ("ingest/tools/cphtestp.py", "IBM MQ"),
    ("ingest/tools/mq_cph.py", "IBM MQ"),
    # Lines that the tool prints about replicas begin with the word.
    # CipherSpecs are the names of that product; the campaign's broker is given what each means.
    ("campaign/tls/cipher_specs.py", "IBM MQ"),
    # The first table of a made-up report, which a person replaces by the real one.
    ("skeletons.py", "table-01"),
    ("templates/skeletons/report/report.yml", "Table 1"),
    ("templates/skeletons/report/report.yml", "table-01"),
    ("templates/skeletons/report/claims.yml", "table-01"),
}
"""Places that may name something of the edition, each for its reason. None is to be added."""
TEXTS = {".py", ".yml", ".json", ".ipynb", ".typ", ".css", ".scss", ".js", ".html", ".md", ".csv"}


@cache
def words_of_the_edition() -> tuple[str, ...]:
    """Ids, products, tables and variants: what the data folder says and the package does not."""
    observations = load_observations(Project(ROOT))
    reports = [observations.report(name) for name in observations.report_ids]
    words = {word for report in reports for word in (report.id, report.short_title, report.title)}
    numbers = [pair for report in reports for pair in report.numbers.items()]
    words |= {name for pair in numbers for name in pair if pair[0] != TEXT_TABLE}
    words |= {name for report in reports for name in report.models}
    frame = observations.frame
    printed = frame[frame["source_kind"].isin(["table", "text", "figure"])]
    words |= set(printed["product"].dropna())
    words |= {text for text in printed["product_version"].dropna() if text.startswith("V")}
    added = yaml.safe_load((ROOT / "data" / "dictionary.yml").read_text("utf-8"))["factors"]
    words |= {value for entry in added.values() for value in entry.get("allowed", ())}
    # One is a word of the language.
    return tuple(sorted(words - {"normal"}))


@cache
def named() -> frozenset[tuple[str, str]]:
    """Every place of the package that has a word of the edition."""
    parts = "|".join(map(re.escape, sorted(words_of_the_edition(), key=len, reverse=True)))
    pattern = re.compile(rf"(?<![\w-])(?:{parts})(?![\w]|\.\d)")
    return frozenset(
        (path.relative_to(PACKAGE).as_posix(), found)
        for path in PACKAGE.rglob("*")
        # The vendored libraries are what their makers shipped.
        if path.suffix in TEXTS and "vendor" not in path.parts
        for found in pattern.findall(path.read_text("utf-8"))
    )


def test_the_words_are_those_of_the_data() -> None:
    assert {"ibm-mq-v9.4-linux", "MSMQ", "MIQM", "table-03", "M2003A"} <= set(
        words_of_the_edition()
    )


def test_the_package_names_nothing_of_the_edition() -> None:
    assert sorted(named() - EXCEPTIONS) == []


@pytest.mark.parametrize("place", sorted(EXCEPTIONS))
def test_an_exception_that_is_not_needed_goes(place: tuple[str, str]) -> None:
    assert place in named()
