"""Somebody's own broker: what is refused, what is touched, and what is left behind."""

from __future__ import annotations

import csv
import json
import queue
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from subprocess import CompletedProcess
from types import SimpleNamespace
from typing import Any

import psutil
import pytest
import yaml

from campaigns import foreign_broker, process_of, running
from roundtrip.campaign.broker_choice import external_broker
from roundtrip.campaign.brokers import BrokerError, Endpoint
from roundtrip.campaign.derive import summarise
from roundtrip.campaign.harness import Harness
from roundtrip.campaign.live_run import RunFailedError
from roundtrip.campaign.manifest import load_manifest
from roundtrip.campaign.plan import Plan, Profile, Setter
from roundtrip.campaign.points import combinations_of
from roundtrip.campaign.raw import RawFile, read_raw
from roundtrip.campaign.rerun import Adapted, adapt, refuse_levels, refuse_lost
from roundtrip.campaign.resolve import control_in, plan_names, plans_of_chapters
from roundtrip.campaign.settable import ALLOWED
from roundtrip.campaign.shared_queues import Seen, SharedBroker
from roundtrip.campaign.tls.cipher_specs import SPECS
from roundtrip.campaign.tls.encryption import make_keys
from roundtrip.cli._campaigns import carry_out
from roundtrip.cli.rerun import _changes
from roundtrip.dictionary import load_dictionary
from roundtrip.errors import ParameterError
from roundtrip.files import alone_in
from roundtrip.hosts.prepared import Prepared
from roundtrip.params import ReportParameters, resolve_parameters
from roundtrip.params.rerun import Rerun, load_rerun
from roundtrip.project import Project
from roundtrip.publish.pipeline import Built
from roundtrip.setup.harness_build import JAR
from roundtrip.yamlfile import line_of
from workshop import (
    ROOT,
    answer,
    change_yaml,
    copy_project,
    edit,
    environment,
    made_manifest,
    refused,
    roundtrip,
    until,
)

PARTS = ["_quarto.yml", "data/dictionary.yml", "notebooks", "params"]
FILE = "params/customer-own-broker.yml"
SAMPLE = ROOT / "tests/data/campaigns/base-quick"
QUEUES = {"request": "OWN.REQUEST", "reply": "OWN.REPLY"}
AWAY = "tcp://broker.example:61616"


def write(project: Project, **rerun: Any) -> None:
    content = {"version": "own", "rerun": {"queues": QUEUES, **rerun}}
    (project.root / FILE).write_text(yaml.safe_dump(content), encoding="utf-8")


def words(project: Project, *more: str, broker: str = AWAY) -> list[str]:
    chapter = () if more and not more[0].startswith("-") else ("30-nonpersistent",)
    given = [*chapter, *more, "-f", str(project.root / FILE), "--broker", broker]
    return ["rerun", *given, "--profile", "smoke", "--yes", "--no-report"]


@pytest.fixture(scope="module")
def dry(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return copy_project(tmp_path_factory.mktemp("dry"), PARTS)


@pytest.mark.parametrize(
    ("rerun", "parts"),
    [
        ({"queue": {}}, [":", "rerun.queue", "unknown key 'queue' (did you mean 'queues'?)"]),
        ({"queues": {"request": "A", "reply": "A"}}, ["are the same queue"]),
        ({"queues": {"request": "A,B", "reply": "C"}}, ["rerun.queues.request"]),
        ({"factors": {"message_byte": [1]}}, ["rerun.factors.message_byte", "'message_bytes'"]),
        (
            {"factors": {"tls_cipher": ["none"]}},
            ["rerun.factors.tls_cipher", "nobody can set", "without --broker and queues"],
        ),
        ({"factors": {"ha": ["replicated pair"]}}, ["rerun.factors.ha", "nobody can set"]),
        ({"factors": {"queue_pairs": [2]}}, ["rerun.factors.queue_pairs", "nobody can set"]),
        ({"factors": {"target_rate": [0]}}, ["rerun.factors.target_rate", "target_rate is 0"]),
        (
            {"factors": {"message_bytes": [2_147_483_632]}},
            ["rerun.factors.message_bytes", "2,147,483,632", "take 2,147,483,631 at most"],
        ),
        (
            {"factors": {"message_bytes": [200_000_000]}},
            [
                "rerun.factors.message_bytes",
                "message_bytes is 200,000,000",
                "heap",
                "up to 89,478,485 B",
            ],
        ),
        (
            {"factors": {"requesters": [10**11]}},
            ["rerun.factors.requesters", "take 6,400,000 at most"],
        ),
        (
            {"factors": {"message_bytes": ["many"]}},
            ["rerun.factors.message_bytes", "many", "remedy: correct the level"],
        ),
        (
            {"factors": {"delivery": ["express"]}},
            ["rerun.factors.delivery", "'express'", "allowed: nonpersistent"],
        ),
        ({"factors": {"requesters": [0]}}, ["rerun.factors.requesters", "requesters is 0"]),
        ({"queues": None}, ["names no queues of the broker", "leave --broker out"]),
        ({"system": {"product": "X", "password": "y"}}, ["looks like a secret"]),
    ],
)
def test_what_nobody_can_set_is_refused_with_file_and_key(
    dry: Project, rerun: dict[str, Any], parts: list[str]
) -> None:
    write(dry, **rerun)
    refused(answer(*words(dry), "--dry-run", project=dry), FILE, *parts)


@pytest.mark.parametrize(
    ("more", "broker", "parts"),
    [
        (
            ["30-nonpersistant"],
            AWAY,
            ["CHAPTER: unknown chapter", "did you mean '30-nonpersistent'?"],
        ),
        (["90-configurations"], AWAY, ["unknown chapter"]),
        (["10-workloads"], AWAY, ["no plan says that '10-workloads' shows it"]),
        (["80-appliance"], AWAY, ["embedded broker only"]),
        ([], "tcp://me:secret@broker.example:1", ["holds a user or a password"]),
        ([], "artemis", ["is not the URL of a broker", "amqp://HOST:PORT"]),
        ([], "tcp://[::1", ["is not the URL of a broker", "amqp://HOST:PORT"]),
        *(
            ([], f"{url}", [f"'{url}' is not the URL of a broker", "amqp://HOST:PORT"])
            for url in (
                "amqp://broker.example",
                "tcp://broker.example:99999",
                "amqp://broker.example:0",
                "amqps://broker.example:five",
                "ibmmq://broker.example:99999/QM?channel=C",
            )
        ),
    ],
)
def test_what_cannot_be_rerun_is_refused(
    dry: Project, more: list[str], broker: str, parts: list[str]
) -> None:
    write(dry)
    text = refused(answer(*words(dry, *more, broker=broker), "--dry-run", project=dry), *parts)
    assert "secret@" not in text


@pytest.mark.parametrize("variable", ["ROUNDTRIP_PASSWORD_FILE", "ROUNDTRIP_TRUST_STORE"])
def test_a_file_of_the_environment_that_cannot_be_read_is_named(
    dry: Project, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(dry)
    monkeypatch.setenv("ROUNDTRIP_USER", "carla")
    monkeypatch.setenv(variable, str(dry.root / "missing"))
    refused(answer(*words(dry), "--dry-run", project=dry), variable, "missing", "cannot be read")


# --- on the embedded broker ----------------------------------------------------------------------

OWN_SPEC = "ECDHE_RSA_AES_128_GCM_SHA256"


def embedded(project: Project, chapter: str, profile: str, **rerun: Any) -> CompletedProcess[str]:
    """Show what a rerun without a broker of one's own would run."""
    content = {"version": "own", "rerun": rerun}
    (project.root / FILE).write_text(yaml.safe_dump(content), encoding="utf-8")
    return answer(
        "rerun", chapter, "-f", str(project.root / FILE), "--profile", profile, "--no-report",
        "--dry-run", project=project,
    )  # fmt: skip


def adapted(project: Project, plan: str, profile: Profile, **factors: Any) -> Adapted:
    """Give a plan with somebody's levels for the embedded broker."""
    path = project.root / FILE
    path.write_text(yaml.safe_dump({"rerun": {"factors": factors}}), encoding="utf-8")
    dictionary = load_dictionary(project.dictionary)
    wanted = load_rerun(path)
    refuse_levels(wanted, path, dictionary, own=False)
    return adapt(project, plan, profile, dictionary, wanted, path, None)


@pytest.mark.parametrize("profile", ["quick", "full"])
def test_ones_own_cipherspec_is_run_with_every_delivery(dry: Project, profile: Profile) -> None:
    own = adapted(dry, "tls", profile, tls_cipher=["none", OWN_SPEC], message_bytes=[6144],
                  requesters=[1, 8])  # fmt: skip
    points = {
        (p["delivery"], p["tls_cipher"], p["tls_key"], p["message_bytes"], p["requesters"])
        for one in own.combinations for level in one.levels for p in [one.point(level)]
    }  # fmt: skip
    wanted = {
        (delivery, cipher, key, 6144, requesters)
        for delivery in ("nonpersistent", "persistent")
        for cipher, key in (("none", "none"), (OWN_SPEC, "RSA"))
        for requesters in (1, 8)
    }
    assert wanted <= points
    # Nothing else but the plan's positive control, at its own size.
    assert {point[1] for point in points - wanted} == {"none", "ECDHE_RSA_AES_256_CBC_SHA384"}
    assert {point[3] for point in points - wanted} == {2048}
    assert len(points - wanted) == 2
    # His levels do not make the control ambiguous: no conclusion could be drawn then.
    control = control_in(dry.params / "campaigns" / "tls.yml", load_dictionary(dry.dictionary))
    assert control is not None
    every = [one.point(level) for one in own.combinations for level in one.levels]
    for side in (control.of, control.base):
        assert sum(side.items() <= point.items() for point in every) == 1
    # The full profile also has a part for keys of the other kind, which this CipherSpec has not.
    assert any("tls_key ECDSA: it needs RSA" in text for text in own.lacking) == (profile == "full")


@pytest.mark.parametrize(
    ("rerun", "parts"),
    [
        ({"queues": QUEUES}, ["rerun.queues", "nothing says where it is", "--broker"]),
        ({"system": {"product": "X"}}, ["rerun.system", "nothing says where it is"]),
        ({"factors": {"tls_cipher": ["TLS_NOPE"]}}, ["rerun.factors.tls_cipher", "'TLS_NOPE'"]),
        ({"factors": {"tls_cipher": ["TLS_AES_128_GCM_SHA265"]}}, ["did you mean"]),
        ({"factors": {"tls_key": ["ECDSA"], "tls_cipher": [OWN_SPEC]}}, ["it needs RSA"]),
        ({"factors": {"requesters": [0, 2]}}, ["rerun.factors.requesters", "requesters is 0"]),
        ({"factors": {"ha_link_rtt_ms": [-1]}}, ["rerun.factors.ha_link_rtt_ms", "at least 0"]),
        ({"factors": {"memory_mb": [1]}}, ["rerun.factors.memory_mb"]),
        *(
            ({"factors": {name: [""]}}, [f"rerun.factors.{name}", f"a level of {name} is empty"])
            for name in ("message_bytes", "responders", "target_rate")
        ),
    ],
)
def test_what_the_embedded_broker_cannot_run_is_refused_with_file_and_key(
    dry: Project, rerun: dict[str, Any], parts: list[str]
) -> None:
    refused(embedded(dry, "50-tls", "smoke", **rerun), FILE, *parts)


def test_a_factor_of_which_no_level_is_left_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "acme.yml"
    file.write_text("rerun:\n  factors:\n    requesters: [2]\n")
    plan = Plan(name="a", profile="full", title="T", question="Q", factors={"requesters": (1, 2)})
    combinations = combinations_of(plan)
    left = [replace(one, levels=(1,)) for one in combinations]
    refuse_lost(Rerun(factors={"requesters": (1, 2)}), file, combinations, left, ["few files"])
    with pytest.raises(ParameterError, match=r"no level of requesters .* few files") as caught:
        refuse_lost(Rerun(factors={"requesters": (2,)}), file, combinations, left, ["few files"])
    assert "acme.yml:3: rerun.factors.requesters" in str(caught.value.where)


def test_a_rerun_of_what_this_machine_cannot_have_is_refused(dry: Project) -> None:
    asked = {"log_file_system": ["given path"]}
    done = embedded(dry, "40-persistent", "full", factors=asked)
    refused(done, "rerun.factors.log_file_system", "no level of", "no path is given")


def test_an_edition_shows_the_levels_of_its_rerun_unless_the_file_says_what_to_show(
    dry: Project,
) -> None:
    own = adapted(dry, "tls", "quick", message_bytes=[6144], requesters=[1])
    usual = resolve_parameters(dry)
    broker = external_broker(AWAY)
    prepared = Prepared(own.plan, own.combinations, dry.root, broker, ())

    def shown(stated: ReportParameters, factor: str, one: Prepared) -> dict[str, Any]:
        changes = _changes(dry, usual, stated, "own", ["50-tls"], {factor}, [one])
        return {name: value for name, value in changes.items() if name == "message_bytes"}

    found = shown(usual, "message_bytes", prepared)
    assert set(found["message_bytes"]) == {*usual.message_bytes, 6144}
    assert shown(usual, "requesters", prepared) == {"message_bytes": usual.message_bytes}
    chosen = usual.model_copy(update={"message_bytes": (2048,)})
    assert shown(chosen, "message_bytes", prepared) == {}


def test_the_customers_file_reruns_the_chapter_with_his_cipherspecs(dry: Project) -> None:
    source = ROOT / "params" / "customer-2kb-tls.yml"
    specs = yaml.safe_load(source.read_text(encoding="utf-8"))["rerun"]["factors"]["tls_cipher"]
    done = answer("rerun", "50-tls", "-f", str(source), "--dry-run", "--no-report", project=dry)
    assert done.returncode == 0, done.stderr
    for spec in specs:
        assert f"tls_cipher {spec}," in done.stdout


def test_points_without_tls_are_not_run_over_tls(dry: Project) -> None:
    write(dry)
    command = words(dry, "50-tls", broker="amqps://broker.example:5671")
    command[command.index("smoke")] = "quick"
    refused(answer(*command, "--dry-run", project=dry), "URL asks for TLS", "run without")


def test_what_cannot_show_its_control_on_ones_own_broker_says_so(dry: Project) -> None:
    write(dry)
    for chapter, shown in (("30-nonpersistent", False), ("50-tls", True)):
        command = words(dry, chapter)
        command[command.index("smoke")] = "quick"
        done = answer(*command, "--dry-run", project=dry)
        assert done.returncode == 0, done.stderr
        told = "left out: the positive control of tls: no operating point has "
        assert (told in done.stdout) == shown


def test_a_file_without_queues_is_refused(dry: Project) -> None:
    (dry.root / FILE).write_text("version: own\n")
    refused(answer(*words(dry), "--dry-run", project=dry), f"{FILE}: rerun", "roundtrip docs rerun")


def test_a_dry_run_says_what_it_would_do_and_touches_nothing(dry: Project) -> None:
    write(dry, factors={"message_bytes": [6144], "requesters": [2, 8], "target_rate": [100]})
    command = words(dry, "40-persistent")
    command[command.index("smoke")] = "quick"
    done = answer(*command, "--dry-run", project=dry)
    assert done.returncode == 0, done.stderr
    for part in ("OWN.REQUEST", "OWN.REPLY", "roundtrip_run", "after ", "lasts ", "ROUNDTRIP_USER"):
        assert part in done.stdout
    assert "bytes, up to 100 round trips/s;" in done.stdout
    assert "the control: 16 requesters, no limit of rate;" in done.stdout
    # His size, and the size of the positive control.
    assert "2,048 to 6,144 bytes" in done.stdout
    assert "up to 20 clients" in done.stdout
    # The chapter's other plan needs brokers of its own.
    assert "file-systems" in done.stdout
    assert not (dry.cache / "campaigns").exists()
    assert not (dry.root / "data" / "campaigns").exists()


def test_an_edition_is_replaced_only_by_a_repetition_of_its_rerun(dry: Project) -> None:
    write(dry)
    edition = resolve_parameters(dry, [dry.root / FILE])
    named = {"chapters": ("30-nonpersistent",), "campaigns": ("customer-own-broker-base-quick",)}
    edition = edition.model_copy(update=named)
    results = "data/campaigns/customer-own-broker-base-quick/manifest.yml"
    folder = dry.reports / "own"
    command = with_report(dry)

    def rerun(inputs: list[str], built: ReportParameters = edition) -> CompletedProcess[str]:
        (folder / "manifest.json").write_text(made_manifest(built, inputs))
        return answer(*command, "--dry-run", project=dry)

    folder.mkdir(parents=True)
    said = ["version own is an edition already", f"{FILE}: version", "state another version"]
    try:
        refused(answer(*command, "--dry-run", project=dry), *said)
        refused(rerun([]), *said)
        refused(rerun([results], edition.model_copy(update={"title": "Of others"})), *said)
        assert rerun([results]).returncode == 0
        (folder / "manifest.json").write_text("{}")
        refused(answer(*command, "--dry-run", project=dry), *said)
        assert answer(*command, "--no-report", "--dry-run", project=dry).returncode == 0
    finally:
        shutil.rmtree(folder)


def shared(folder: Path, said: list[str]) -> SharedBroker:
    """Two queues, A and B, of a broker that is not there."""
    return SharedBroker(
        Endpoint("artemis", ("-url", AWAY)), f"broker at {AWAY}", queues=("A", "B"),
        harness=Harness(Path(), Path(), folder, ""), note=folder / "put.json", say=said.append,
    )  # fmt: skip


def test_a_rerun_with_nothing_to_do_leaves_neither_note_nor_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    broker = shared(tmp_path, said)
    monkeypatch.setattr(broker, "_ask", lambda *flags: {name: Seen(0, 0, 0) for name in "AB"})
    broker.begin()
    assert broker.note.exists()
    broker.end()
    assert not broker.note.exists()
    assert not said


def test_a_port_that_nothing_listens_at_is_no_refusal_of_the_broker(tmp_path: Path) -> None:
    url = "tcp://127.0.0.1:1"
    broker = replace(
        shared(tmp_path, []), endpoint=Endpoint("artemis", ("-url", url)), name=f"broker at {url}",
        harness=Harness(Path("false"), Path(), tmp_path, ""),  # a driver that gives no reason
    )  # fmt: skip
    with pytest.raises(BrokerError, match=f"{url} cannot be reached: Connection refused"):
        broker.begin()


def test_a_note_stays_while_a_client_holds_what_it_tells_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    broker = shared(tmp_path, said)
    left = {"broker": broker.name, "queues": broker.queues, "mark": "earlier"}
    broker.note.write_text(json.dumps(left))
    seen = {"A": Seen(2, 3, 0), "B": Seen(0, 0, 0)}
    monkeypatch.setattr(SharedBroker, "_ask", lambda self, *flags: seen)
    with pytest.raises(BrokerError, match="still holds messages of an earlier rerun on A and B"):
        broker.begin()
    assert broker.note.exists()
    seen["A"] = Seen(3, 0, 0)
    broker.begin()
    assert said == ["took 3 messages that an earlier rerun had left"]
    assert json.loads(broker.note.read_text())["mark"] == broker.mark


def test_a_run_does_not_begin_over_messages_of_the_run_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broker = shared(tmp_path, [])
    there = {"A": Seen(0, 3, 0), "B": Seen(0, 0, 0)}
    drained = dict(there)
    monkeypatch.setattr(broker, "_ask", lambda *flags: drained if flags else there)
    raw = RawFile(tmp_path, "run")
    with pytest.raises(RunFailedError, match="still holds 3 messages of the run before"):
        broker.start({}, raw, queue.Queue())
    drained["A"] = Seen(3, 0, 0)
    broker.start({}, raw, queue.Queue())
    assert [line.record for line in read_raw(raw.finish())] == [{"event": "queues", "empty": True}]


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project whose reruns find both queues empty, and measure nothing."""
    harness = Harness(Path(), Path(), tmp_path, "")
    monkeypatch.setattr("roundtrip.hosts.prepared.harness_of", lambda project, *, start: harness)
    monkeypatch.setattr("roundtrip.cli._campaigns.carry_out", lambda *_, **__: None)
    monkeypatch.setattr(
        SharedBroker, "_ask", lambda self, *flags: {name: Seen(0, 0, 0) for name in self.queues}
    )
    project = copy_project(tmp_path / "project", PARTS)
    write(project)
    return project


def with_report(project: Project) -> list[str]:
    command = [word for word in words(project) if word != "--no-report"]
    command[command.index("smoke")] = "quick"
    return command


def test_a_smoke_rerun_builds_no_edition_and_says_so_first(
    empty: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("roundtrip.cli.rerun.make_edition", lambda *_: pytest.fail("built"))
    command = ["smoke" if word == "quick" else word for word in with_report(empty)]
    done = answer(*command, project=empty)
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith("note: no edition shows results of the profile smoke")


def test_a_second_rerun_leaves_the_messages_of_the_first_alone(empty: Project) -> None:
    left = {"broker": f"broker at {AWAY}", "queues": ["OWN.REQUEST", "OWN.REPLY"], "mark": "first"}
    with alone_in(empty.cache / "campaigns", wait=False):
        note_of(empty).write_text(json.dumps(left))
        refused(answer(*words(empty), project=empty), "is at work here")
        assert json.loads(note_of(empty).read_text()) == left
    assert answer(*words(empty), project=empty).returncode == 0
    assert not note_of(empty).exists()


def test_the_edition_of_a_rerun_has_the_chapters_about_itself(
    empty: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (empty.root / "older").symlink_to(tmp_path)
    change_yaml(empty.root / FILE, {"changes_since": "older"})

    def built(
        project: Project, edition: ReportParameters, names: Any, options: Any, progress: Any,
        afterwords: Any,
    ) -> Built:  # fmt: skip
        with pytest.raises(ParameterError, match="leads out of the project"):
            afterwords(project, edition)
        folder = project.reports / edition.version
        folder.mkdir(parents=True)
        for name in ("annex.pdf", "report.pdf"):
            (folder / name).touch()
        return Built(folder, False, project.cache / "aliases.yml")

    monkeypatch.setattr("roundtrip.cli.build.build_edition", built)
    done = answer(*with_report(empty), project=empty)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-3:] == [
        f"reports/own/{name}" for name in ("html/index.html", "report.pdf", "annex.pdf")
    ]
    assert "aliases: .cache/aliases.yml" in done.stderr


def test_a_version_made_from_the_name_of_a_file_can_be_one(
    empty: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[ReportParameters] = []
    monkeypatch.setattr(
        "roundtrip.cli.rerun.make_edition", lambda project, edition, *_: made.append(edition)
    )
    file = tmp_path / "Our broker (2nd).yml"
    file.write_text(yaml.safe_dump({"rerun": {"queues": QUEUES}}))
    command = with_report(empty)
    command[command.index("-f") + 1] = str(file)
    done = answer(*command, project=empty)
    assert done.returncode == 0, done.stderr
    (edition,) = made
    assert edition.version == f"{resolve_parameters(empty).version}-our-broker-2nd"
    assert type(edition).model_validate(edition.model_dump()) == edition


def test_the_edition_of_a_rerun_names_its_campaigns_and_says_how_to_build_it_again(
    empty: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[ReportParameters] = []
    monkeypatch.setattr(
        "roundtrip.cli.rerun.make_edition", lambda project, edition, *_: made.append(edition)
    )
    # As an earlier rerun, one of another file, and a campaign of another plan left them.
    own, other, tls = "customer-own-broker-base-quick", "customer-tls-base-quick", "tls-quick"
    for name, source in ((own, SAMPLE), (other, SAMPLE), (tls, ROOT / "data/campaigns/tls-quick")):
        folder = empty.campaigns / name
        folder.mkdir(parents=True)
        shutil.copy(source / "points.csv", folder)
        manifest = yaml.safe_load((source / "manifest.yml").read_text())
        restarted = name == tls
        manifest |= {"id": name, "broker_restarted": restarted}
        (folder / "manifest.yml").write_text(yaml.safe_dump(manifest))
    command = with_report(empty)

    def edition(*campaigns: str) -> tuple[ReportParameters, list[str]]:
        change_yaml(empty.root / FILE, {"campaigns": list(campaigns)})
        done = answer(*command, project=empty)
        assert done.returncode == 0, done.stderr
        (again,) = [line for line in done.stderr.splitlines() if "to build it again" in line]
        told = again.partition(": ")[2].partition("; what follows")[0]
        words = shlex.split(told)
        assert words[1:3] == ["--project", str(empty.root)]
        return made.pop(), [words[0], *words[3:]]

    first, told = edition()
    assert first.campaigns == (own,)
    assert told[:4] == ["roundtrip", "build", "-f", str(empty.root / FILE)]
    again = resolve_parameters(empty, [Path(told[3])], [told[5]])
    assert again.model_dump() == first.model_dump()
    # The other stays for the claims; the rerun's own represents the plan.
    assert edition(other, tls)[0].campaigns == (own, other, tls)
    change_yaml(empty.campaigns / other / "manifest.yml", {"broker_restarted": True})
    assert edition(other, tls)[0].campaigns == (own, tls)
    second, told = edition(own)
    change_yaml(empty.root / FILE, json.loads(told[5]))
    assert edition(own)[1] == told[:4], "the file says it all"
    assert resolve_parameters(empty, [empty.root / FILE]).model_dump() == second.model_dump()


@pytest.mark.parametrize("name", ["chapters", "campaigns"])
def test_what_the_file_of_a_rerun_names_and_is_not_there_is_told_with_the_line(
    empty: Project, name: str
) -> None:
    change_yaml(empty.root / FILE, {name: ["none-quick"]})
    line = line_of((empty.root / FILE).read_text("utf-8"), [name])
    refused(answer(*with_report(empty), project=empty), f"{FILE}:{line}: {name}: unknown ")


def test_a_chapter_that_cannot_be_told_its_campaigns_is_not_rerun(empty: Project) -> None:
    edit(empty.notebooks / "30-nonpersistent.ipynb", "campaigns = []\\n", "")
    refused(answer(*with_report(empty), project=empty), "30-nonpersistent", "campaigns = []")
    assert answer(*words(empty), project=empty).returncode == 0  # it measures only


def test_nor_is_another_of_the_edition_that_shows_the_same_plan(
    empty: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[ReportParameters] = []
    monkeypatch.setattr(
        "roundtrip.cli.rerun.make_edition", lambda project, edition, *_: made.append(edition)
    )
    edit(empty.notebooks / "40-persistent.ipynb", "campaigns = []\\n", "")
    assert answer(*with_report(empty), project=empty).returncode == 0, "it is not in the edition"
    change_yaml(empty.root / FILE, {"chapters": ["30-nonpersistent", "40-persistent"]})
    refused(answer(*with_report(empty), project=empty), "40-persistent", "campaigns = []")
    assert len(made) == 1


def test_a_rerun_is_told_of_no_option_that_it_lacks(
    dry: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    own = adapted(dry, "tls", "quick", message_bytes=[6144], requesters=[1])
    broker = external_broker(AWAY)
    prepared = [Prepared(own.plan, own.combinations, dry.root, broker, ())]
    folder = SimpleNamespace(has_successor=False)
    complete = folder, SimpleNamespace(state="complete")
    monkeypatch.setattr("roundtrip.cli._campaigns.find_harness", lambda project: None)
    monkeypatch.setattr("roundtrip.cli._campaigns.open_folder", lambda *_, **__: complete)
    carry_out(dry, prepared, fresh=False, yes=True)
    carry_out(dry, prepared, fresh=False, yes=True, again=False)
    folder.has_successor = True
    carry_out(dry, prepared, fresh=False, yes=True)
    rerun, run, begun = capsys.readouterr().out.splitlines()
    assert rerun.endswith("--fresh measures it anew")
    assert begun.endswith("--fresh goes on with the new one")
    assert run.endswith("--again adds runs of another hour")


def test_plans_name_chapters_that_exist() -> None:
    project = Project(ROOT)
    chapters = {path.stem for path in project.notebooks.glob("*.ipynb")}
    named = set()
    for name in plan_names(project):
        own = yaml.safe_load((project.params / "campaigns" / f"{name}.yml").read_text())["chapters"]
        assert set(own) <= chapters
        named |= set(own)
    assert plans_of_chapters(project, ["40-persistent"]) == ["base", "file-systems"]
    # A plan that a chapter shows is one that a rerun of the chapter runs.
    for path in project.notebooks.glob("*.ipynb"):
        if "Measured(" in path.read_text(encoding="utf-8"):
            assert path.stem in named


@pytest.fixture
def project(tmp_path: Path, jar: Path) -> Iterator[Project]:
    """A project whose smoke profile takes seconds, with the harness of this checkout."""
    project = copy_project(tmp_path, PARTS)
    (tmp_path / JAR).parent.parent.mkdir()
    (tmp_path / JAR).parent.symlink_to(jar.parent)
    for name in ("base", "tls"):
        plan = project.params / "campaigns" / f"{name}.yml"
        content = yaml.safe_load(plan.read_text())
        content["profiles"]["smoke"] |= {
            "interval_seconds": 0.1, "measure_seconds": 0.5, "least_free_mb": 1,
            "warm_up": {"least_seconds": 0.4, "most_seconds": 0.6, "window": 3, "scatter": 1,
                        "drift": 1},
        }  # fmt: skip
        plan.write_text(yaml.safe_dump(content))
    write(project, factors={"message_bytes": [256], "requesters": [2], "syncpoint": ["outside"]})
    yield project
    assert not running(project)


@contextmanager
def begun(project: Project, url: str, **variables: str) -> Iterator[subprocess.Popen[str]]:
    """A rerun in a process of its own, as soon as its first run writes a raw file."""
    command = [sys.executable, "-m", "roundtrip", "--project", str(project.root)]
    process = subprocess.Popen(
        [*command, *words(project, broker=url)], env=environment(**variables),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    until(lambda: process_of(project, "requester-1"), process)
    yield process
    process.communicate()


def note_of(project: Project) -> Path:
    return project.cache / "campaigns" / "put.json"


def results(project: Project) -> Path:
    return project.cache / "smoke" / "customer-own-broker-base-smoke"


def harness(jar: Path, *arguments: str, **variables: str) -> dict[str, Any]:
    """Run a command of the harness; give the last thing it says."""
    done = subprocess.run(
        ["java", "-jar", str(jar), *arguments], env=environment(**variables), capture_output=True,
        text=True, stdin=subprocess.DEVNULL, check=False,
    )  # fmt: skip
    return dict(json.loads(done.stdout.splitlines()[-1]))


def put(jar: Path, url: str, queue: str, messages: int, **variables: str) -> None:
    """Put messages as another application would."""
    said = harness(
        jar, "drive", "-tc", "sender", "-url", url, "-d", queue, "-mg", str(messages), "-rl", "0",
        **variables,
    )  # fmt: skip
    assert said["whole_run"]["sent"] == messages


def held(jar: Path, url: str, mark: str = "none", **variables: str) -> list[tuple[int, int]]:
    """Count marked and other messages on both queues."""
    names = ",".join(QUEUES.values())
    said = harness(jar, "queues", "-url", url, "-q", names, "-mark", mark, **variables)
    return [(said["queues"][name]["marked"], said["queues"][name]["others"])
            for name in QUEUES.values()]  # fmt: skip


@pytest.mark.thorough
def test_a_broker_is_measured_and_left_as_it_was(project: Project, jar: Path) -> None:
    security = {"user": "carla", "password_env": "BROKER_PASSWORD"}
    right = {"ROUNDTRIP_USER": "carla", "ROUNDTRIP_PASSWORD": "right-secret"}
    with foreign_broker(project.root, jar, security=security) as url:
        wrong = environment(ROUNDTRIP_USER="carla", ROUNDTRIP_PASSWORD="wrong-secret")
        text = refused(
            roundtrip(*words(project, broker=url), project=project, env=wrong),
            "refuses", "ROUNDTRIP_PASSWORD_FILE",
        )  # fmt: skip
        assert not note_of(project).exists()
        done = roundtrip(*words(project, broker=url), project=project, env=environment(**right))
        assert done.returncode == 0, done.stderr
        own = {"ROUNDTRIP_BROKER_USER": "carla", "ROUNDTRIP_PASSWORD": "right-secret"}
        assert held(jar, url, **own) == [(0, 0), (0, 0)]
    assert not note_of(project).exists()
    manifest = load_manifest(results(project))
    assert manifest.state == "complete"
    assert not manifest.broker_restarted
    assert len(manifest.runs) == 2  # both deliveries, at normal priority
    text += done.stdout + done.stderr
    for path in results(project).rglob("*.zst"):
        lines = list(read_raw(path))
        assert summarise(path).rate or ".failed-" in path.name  # an attempt that was repeated
        text += "".join(line.text + json.dumps(line.record) for line in lines)
        started = [line.record["options"] for line in lines if line.event == "start"]
        assert {one["request-queue"] for one in started} == {"OWN.REQUEST"}
        assert all(one["mark"] for one in started)
    text += "".join(path.read_text() for path in results(project).glob("*.*"))
    for secret in ("carla", "wrong-secret", "right-secret"):
        assert secret not in text


@pytest.mark.thorough
def test_ones_own_cipherspec_is_negotiated_with_the_embedded_broker(project: Project) -> None:
    factors = {"tls_cipher": [OWN_SPEC], "message_bytes": [6144], "requesters": [3]}
    (project.root / FILE).write_text(yaml.safe_dump({"rerun": {"factors": factors}}))
    command = ["rerun", "50-tls", "-f", str(project.root / FILE), "--profile", "smoke"]
    done = roundtrip(*command, "--yes", "--no-report", project=project)
    assert done.returncode == 0, done.stderr
    folder = project.cache / "smoke" / "customer-own-broker-tls-smoke"
    (raw,) = folder.rglob("*.zst")
    lines = [line.record for line in read_raw(raw)]
    negotiated = {
        line["encryption"]["cipher_suite"] for line in lines if line and "encryption" in line
    }
    assert negotiated == {SPECS[OWN_SPEC].suite}
    rows = csv.DictReader((folder / "points.csv").read_text(encoding="utf-8").splitlines())
    assert {(r["tls_cipher"], r["message_bytes"], r["requesters"]) for r in rows} == {
        (OWN_SPEC, "6144", "3")
    }
    manifest = load_manifest(folder)
    assert manifest.broker_restarted
    assert len(manifest.runs) == 1


@pytest.mark.thorough
def test_messages_of_others_stay_where_they_are(project: Project, jar: Path) -> None:
    with foreign_broker(project.root, jar) as url:
        with begun(project, url) as process:
            put(jar, url, QUEUES["request"], 5)
            _, said = process.communicate()
        # They came during a run, which left them alone; the next one does not begin.
        assert process.returncode == 1
        assert "OWN.REQUEST" in said
        assert "holds messages of others (5)" in said
        assert held(jar, url) == [(0, 5), (0, 0)]
        again = roundtrip(*words(project, broker=url), project=project)
        refused(again, "holds messages of others (5)", "none was taken")
        assert held(jar, url) == [(0, 5), (0, 0)]
        assert not note_of(project).exists()


@pytest.mark.thorough
def test_what_an_interrupted_rerun_has_put_is_taken(project: Project, jar: Path) -> None:
    with foreign_broker(project.root, jar) as url:
        with begun(project, url) as process:
            mark = json.loads(note_of(project).read_text())["mark"]
            process.send_signal(signal.SIGINT)
            process.communicate()
        assert process.returncode == 130
        assert held(jar, url, mark) == [(0, 0), (0, 0)]
        assert not note_of(project).exists()
        with begun(project, url) as process:
            process.send_signal(signal.SIGKILL)
            process.communicate()
        until(lambda: not running(project))
        left = json.loads(note_of(project).read_text())
        harness(jar, "drive", "-tc", "sender", "-url", url, "-d", QUEUES["reply"], "-mg", "7",
                "-rl", "0", "-mark", left["mark"])  # fmt: skip
        done = roundtrip(*words(project, broker=url), project=project)
        assert done.returncode == 0, done.stderr
        assert "that an earlier rerun had left" in done.stderr
        assert held(jar, url, left["mark"]) == [(0, 0), (0, 0)]
        assert not note_of(project).exists()


@pytest.mark.thorough
def test_a_broker_that_dies_is_named_and_its_queues_stay_noted(project: Project, jar: Path) -> None:
    known = {process.pid for process in psutil.Process().children()}
    with foreign_broker(project.root, jar) as url:
        (broker,) = (p for p in psutil.Process().children() if p.pid not in known)
        with begun(project, url) as process:
            broker.kill()
            _, said = process.communicate()
        assert process.returncode == 1
        assert f"the broker at {url} cannot be reached: Connection refused" in said
        assert "Traceback" not in said
        assert "could not be drained" in said
        assert note_of(project).exists()
        other = roundtrip(*words(project, broker="tcp://127.0.0.1:1"), project=project)
        refused(other, "may have left messages on OWN.REQUEST and OWN.REPLY")


@pytest.mark.thorough
def test_what_was_negotiated_is_a_factor_of_the_points(
    project: Project, jar: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    java = Path(str(shutil.which("java")))
    keys = make_keys(java, tmp_path / "keys", "ECDSA")
    for name, value in keys.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("ROUNDTRIP_TRUST_STORE", str(keys.trust))
    spec = SPECS["ECDHE_ECDSA_AES_128_GCM_SHA256"]
    tls = {
        "protocols": [spec.java_protocol], "cipher_suites": [spec.suite],
        **keys.of_broker,
    }  # fmt: skip
    with foreign_broker(project.root, jar, amqp=True, tls=tls) as url:
        url = url.replace("amqp://", "amqps://")
        other = SPECS["ECDHE_RSA_AES_256_GCM_SHA384"].suite
        offered = f"{url}?transport.enabledCipherSuites={other}"
        refused(roundtrip(*words(project, broker=offered), project=project), "refuses")
        assert not note_of(project).exists()
        assert not results(project).exists()
        done = roundtrip(*words(project, broker=url), project=project)
        assert done.returncode == 0, done.stderr
    points = (results(project) / "points.csv").read_text(encoding="utf-8").splitlines()
    (named,) = {
        (row["tls_protocol"], row["tls_cipher"], row["tls_key"]) for row in csv.DictReader(points)
    }
    assert named == ("TLS 1.2", spec.name, "ECDSA")


def test_a_factor_that_the_plan_sets_itself_is_rerun(dry: Project) -> None:
    dictionary = load_dictionary(dry.dictionary)
    name = next(
        name for name, factor in dictionary.factors.items()
        if name not in ALLOWED and factor.type == "integer"
    )  # fmt: skip
    path = dry.root / FILE
    path.write_text(yaml.safe_dump({"rerun": {"factors": {name: [1, 2]}}}))
    ways = {name: Setter(url_option="anOption")}
    wanted = load_rerun(path)
    for own in (False, True):
        refuse_levels(wanted, path, dictionary, own=own, set_by=ways)
        with pytest.raises(ParameterError, match=f"nobody can set {name}"):
            refuse_levels(wanted, path, dictionary, own=own)
