"""Printed values: the unit of a metric, and doubts about one of several points of a row."""

from pathlib import Path

import pytest

from roundtrip.dictionary import Dictionary, load_dictionary
from roundtrip.errors import DataError
from roundtrip.project import find_project
from roundtrip.sources.cells import checked_value, doubt_about
from roundtrip.sources.published import load_report

PROJECT = find_project(Path(__file__).parent)


@pytest.fixture(scope="module")
def dictionary() -> Dictionary:
    return load_dictionary(PROJECT.dictionary)


def test_unit_must_be_one_of_the_metric(dictionary: Dictionary) -> None:
    with pytest.raises(DataError, match="has the unit 'KB', but round_trip_time is in ms"):
        checked_value("3 KB", "round_trip_time", "single", dictionary, "x")
    with pytest.raises(DataError, match="has a percent sign, but round_trip_rate is in"):
        checked_value("3%", "round_trip_rate", "peak", dictionary, "x")


def test_value_in_another_unit_is_converted_exactly(dictionary: Dictionary) -> None:
    def read(text: str, metric: str, header_unit: str | None = None) -> tuple[float, str, str]:
        return checked_value(text, metric, "single", dictionary, "x", header_unit)

    assert read("0.4ms", "network_round_trip_time") == (400, "µs", "ms")
    assert read("0.0012sec", "round_trip_time") == (1.2, "ms", "s")
    assert read("0.003 seconds", "round_trip_time") == (3, "ms", "s")
    assert read("0.0007", "round_trip_time", "s") == (0.7, "ms", "s")
    assert read("80 uSec", "network_round_trip_time") == (80, "µs", "µs")


def test_doubt_can_name_one_of_several_points_in_a_row() -> None:
    report = load_report(PROJECT.published / "websphere-mq-v7-aix")
    cell = ("table-02", "WebSphere MQ V7", "Round Trips/sec")
    assert doubt_about(report, *cell, "7960") is not None
    assert doubt_about(report, *cell, "7973") is None
