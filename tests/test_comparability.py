"""The gate that points pass before they share a figure, a table or a ratio."""

from __future__ import annotations

import pandas as pd
import pytest

from roundtrip.errors import ChapterError
from roundtrip.present import Chapter, chart
from roundtrip.present.comparability import differing, state_differences
from roundtrip.present.machines import differing_machines, machine_of
from roundtrip.project import Project
from workshop import SECOND, V94, change_host, project_of_two

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def chapter() -> Chapter:
    return Chapter(V94)


def drawn(chapter: Chapter, tables: tuple[str, ...], varied: set[str]):
    """Draw the 2 KB rate of some tables."""
    rows = [
        (table, "2 KB", chapter.quantity(chapter.points(table), message_bytes=2048))
        for table in tables
    ]
    return chart(
        chapter,
        rows,
        y_title="Rate",
        title="Rates",
        caption="Rates of some tables.",
        varied=varied,
    )


def test_computed_quantities_pass_the_gate_with_the_points_they_come_from(chapter):
    both = ("table-03", "table-07")  # non-persistent, persistent
    with pytest.raises(ChapterError, match="compared points differ in delivery") as caught:
        drawn(chapter, both, set())
    assert "make delivery what the figure or table varies" in str(caught.value)
    assert drawn(chapter, both, {"delivery"}).caption == "Rates of some tables."


def test_what_else_differs_is_said_in_the_caption(chapter):
    caption = drawn(chapter, ("table-03", "table-04"), set()).caption
    assert "Not held constant: " in caption
    assert "RR-CC, RR-DQ-BB" in caption


def test_a_factor_that_means_nothing_in_the_baseline_does_not_differ(chapter):
    appliance = Chapter("mq-appliance-m2003")
    points = appliance.points("table-02", "table-06")
    found = differing(points, {"ha", "delivery"}, appliance.dictionary.factors)
    assert "ha_link_rtt_ms" not in found
    assert "message_bytes" in found


@pytest.fixture(scope="module")
def two_reports(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return project_of_two(tmp_path_factory.mktemp("two"))


def stated(project: Project, *, varied: tuple[str, ...] = (), **hosts: object) -> str:
    """Give the caption of one table in two reports, the second with other hosts."""
    change_host(project, SECOND, hosts)
    chapter = Chapter(V94, folder=project.root)
    both = [chapter.points("table-03"), chapter.on(SECOND).points("table-03")]
    compared = {"message_bytes", "product", *varied}
    return state_differences(chapter, pd.concat(both), compared, "Rates.")


def test_machines_are_compared_by_what_is_disclosed_not_by_the_name_of_their_set(
    two_reports: Project,
) -> None:
    assert stated(two_reports) == "Rates."
    other = {"processor": "Acme 9", "memory_gb": 128, "storage": "1 disk", "cores_per_socket": None}
    assert stated(two_reports, **other) == (
        "Rates. Not held constant: processor (Intel Xeon Gold 6346 at 3.1 GHz, Acme 9 at 3.1 GHz), "
        "cores (2 × 16, not stated), memory (256 GB, 128 GB), storage."
    )
    assert stated(two_reports, varied=("platform",), **other) == "Rates."
    partly = stated(two_reports, sockets=None)
    assert partly == "Rates. Not held constant: cores (2 × 16, not stated)."
    assert stated(two_reports, settings=["Hyper-Threading disabled"]).endswith("constant: tuning.")


def test_what_neither_source_states_is_not_known_to_be_the_same(two_reports: Project) -> None:
    change_host(two_reports, V94, {"memory_gb": None})
    try:
        assert stated(two_reports, memory_gb=None).endswith("constant: memory (not stated).")
    finally:
        change_host(two_reports, V94, {})


def test_machines_of_one_set_are_passed_over_and_those_of_campaigns_are_compared(
    chapter: Chapter,
) -> None:
    frame = chapter.observations.frame
    of = [frame[frame["source"] == name] for name in ("base-quick", "base-apart-quick")]
    assert differing_machines(chapter, of[0], ()) == {}
    assert differing_machines(chapter, pd.concat(of), ())["cores"] == ["2 logical", "1 logical"]
    assert machine_of(chapter, "base-quick", None)["processor"] == "AMD EPYC"
    ha = chapter.points("sec-6.3-persistent", "sec-6.3-san")
    assert set(differing_machines(chapter, ha, ())) <= {"storage"}
