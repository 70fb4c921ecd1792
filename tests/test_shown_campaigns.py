"""Which campaigns an edition shows: what it names, whatever else lies in the data."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from roundtrip.campaign.broker_choice import external_broker
from roundtrip.campaign.manifest import load_manifest, representing
from roundtrip.campaign.plan import Plan
from roundtrip.cli.run import print_shown
from roundtrip.errors import ParameterError
from roundtrip.hosts.prepared import Prepared
from roundtrip.present import Chapter, Measured, disclosure
from roundtrip.present.own_broker import own_campaigns
from roundtrip.project import Project
from roundtrip.sources.measured import campaigns_named
from test_subsets import project_of
from workshop import ROOT, answer, copy_project, read_yaml, refused, roundtrip, tree_of, write_yaml

SAMPLE = ROOT / "tests/data/campaigns/base-quick"
RERUN = "customer-acme-base-quick"
CELLS = [
    "# Peaks {#sec-peaks}",
    ("parameters", 'campaigns = []\nnumber_format = "1,234.5"'),
    (
        "code",
        "from roundtrip.present import *\n\n"
        "chapter = Chapter(campaigns=campaigns, number_format=number_format)\n"
        'here = Measured(chapter, "base", delivery="nonpersistent")',
    ),
    ("code", "disclosure(here)"),
    "@tbl-rates lists the rates.",
    (
        "code",
        '#| label: tbl-rates\nvariants_table(here, "requesters", split="message_bytes",'
        ' baseline=4, caption="Rates")',
    ),
]


def lay(project: Project, name: str, **manifest: Any) -> None:
    """Lay a campaign of the plan base into a project, half as fast again and begun later."""
    folder = project.campaigns / name
    shutil.copytree(SAMPLE, folder)
    content = read_yaml(folder / "manifest.yml")
    for session in content["sessions"]:
        session |= {end: session[end].replace("2026", "2027") for end in ("started", "ended")}
    content["plan"] |= manifest.pop("plan", {})
    write_yaml(folder / "manifest.yml", content | {"id": name, **manifest})
    points = pd.read_csv(folder / "points.csv")
    points.loc[points["metric"] == "round_trip_rate", "value"] *= 1.5
    points.to_csv(folder / "points.csv", index=False)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project with a campaign of its own, and one that a rerun left."""
    project = copy_project(tmp_path, ("_quarto.yml",))
    shutil.copytree(SAMPLE, project.campaigns / "base-quick")
    lay(project, RERUN, broker_restarted=False)
    return project


def shown(project: Project, *named: str) -> tuple[str, ...]:
    return Measured(Chapter(folder=project.root, campaigns=named), "base").campaigns


def test_what_lies_beside_a_plans_own_campaign_is_shown_where_it_is_named(project: Project) -> None:
    assert shown(project) == ("base-quick",)
    assert shown(project, RERUN) == (RERUN,)
    beside = Measured(
        Chapter(folder=project.root, campaigns=[RERUN]), "base", campaigns=["base-quick"]
    )
    assert beside.campaigns == ("base-quick",)
    # A larger profile of the plan's own; what `roundtrip run --output` measures is none of these.
    lay(project, "base-long", plan={"profile": "full"})
    assert shown(project) == ("base-quick",)
    lay(project, "base-full", plan={"profile": "full"})
    assert shown(project) == ("base-full",)
    shutil.rmtree(project.campaigns / "base-quick")
    shutil.rmtree(project.campaigns / "base-full")
    assert shown(project) == ()
    here = Measured(Chapter(folder=project.root), "base")
    assert "name one with the parameter `campaigns`" in disclosure(here).markdown


def test_runs_on_a_broker_of_ones_own_are_those_that_the_edition_names(project: Project) -> None:
    plain, named = (Chapter(folder=project.root, campaigns=names) for names in ([], [RERUN]))
    assert own_campaigns(plain) == []
    assert own_campaigns(named) == [RERUN]


def test_a_campaign_that_cannot_stand_for_its_plan_is_refused(project: Project) -> None:
    lab = project.campaigns / "lab"
    lab.mkdir()
    for name in ("ingested.csv", "manifest.yml"):
        (lab / name).touch()
    for name in ("base-quik", "lab", ".", "../campaigns/base-quick"):
        with pytest.raises(ParameterError, match="unknown measured campaign") as caught:
            campaigns_named(project.campaigns, [name])
        assert caught.value.where == "campaigns"
        assert caught.value.allowed == f"base-quick, {RERUN}"
        if name == "base-quik":
            assert "did you mean 'base-quick'?" in caught.value.what
        assert ("parameter 'campaign'" in str(caught.value.remedy)) is (name == "lab")
    shutil.rmtree(lab)
    (one,) = campaigns_named(project.campaigns, ["base-quick", "base-quick"])
    assert one.id == "base-quick"
    with pytest.raises(ParameterError, match=f"base-quick and {RERUN} are of one plan, 'base'"):
        campaigns_named(project.campaigns, ["base-quick", RERUN])
    # What the owner of a broker sets up takes several reruns.
    lay(project, "customer-tls-base-quick", broker_restarted=False)
    two = ("customer-tls-base-quick", RERUN)
    assert [one.id for one in campaigns_named(project.campaigns, two)] == list(two)
    assert shown(project, *two) == two[:1]
    assert own_campaigns(Chapter(folder=project.root, campaigns=two * 2)) == list(two)


@pytest.mark.thorough
def test_a_rerun_leaves_the_chapters_of_other_editions_as_they_are(tmp_path: Path) -> None:
    project = project_of(tmp_path / "p", [], CELLS)
    shutil.copytree(SAMPLE, project.campaigns / "base-quick")

    def page(*options: str) -> bytes:
        done = roundtrip("build", "--engine", "embedded", "--overwrite", *options, project=project)
        assert done.returncode == 0, done.stderr
        return tree_of(project.reports)["draft/html/10-peaks.html"]

    before = page()
    assert b"base-quick" in before
    lay(project, RERUN, broker_restarted=False)
    assert page() == before
    named = page("-p", "campaigns", f"[{RERUN}]")
    assert RERUN.encode() in named.replace(b"<wbr>", b"")
    assert named != before
    build = ("build", "-p", "campaigns", f"[base-quick, {RERUN}]")
    refused(answer(*build, project=project), "of one plan", "one campaign of a plan")


def test_a_run_says_which_campaign_chapters_show(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    quick = Chapter(folder=project.root).observations.campaign("base-quick").plan
    full = quick.model_copy(update={"profile": "full"})

    def told(plan: Plan, name: str) -> str:
        one = Prepared(plan, [], project.campaigns / name, external_broker("tcp://far:1"), ())
        print_shown(project, [one])
        return capsys.readouterr().err

    assert not told(quick, "base-quick")
    show = "note: chapters on the plan base show {}; to show {}, name it under campaigns"
    assert show.format("base-quick", RERUN) in told(quick, RERUN)
    assert not told(full, "base-full"), "nothing was measured"
    lay(project, "acme-base-quick", runs=[])
    assert not told(quick, "acme-base-quick"), "no run was finished"
    lay(project, "base-full", plan={"profile": "full"})
    assert not told(full, "base-full")
    assert show.format("base-full", "base-quick") in told(quick, "base-quick")
    project.params.mkdir(exist_ok=True)
    report = project.params / "report.yml"
    report.write_text("campaigns: [base-quick]\n")
    assert not told(quick, "base-quick")
    assert show.format("base-quick", "base-full") in told(full, "base-full")
    report.write_text("campaigns: [base-quik]\n")
    assert not told(quick, "base-quick"), "a build tells it"


def test_a_campaign_over_hosts_represents_its_plan_only_alone(project: Project) -> None:
    quick = load_manifest(project.campaigns / "base-quick")
    lay(project, "base-full", plan={"profile": "full"})
    full = load_manifest(project.campaigns / "base-full")
    over = full.model_copy(update={"hosts": ({},)})
    assert representing([quick, full]) == {"base": full}
    assert representing([over, quick]) == {"base": quick}
    assert representing([over]) == {"base": over}
    assert representing([full.model_copy(update={"runs": ()})]) == {}
