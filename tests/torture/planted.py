"""Secrets in logs: none of them comes out, whatever stands before, behind or around it."""

from __future__ import annotations

import string
from pathlib import Path
from random import Random

from planted_secrets import FORMS
from test_ingest_secrets import everything_in
from torture.grounds import BUILD, Grounds, run

_BEFORE = ("", "    ", "2026-01-02 10:00:00,123 INFO [main] ", "\t", "12:00:01 | ")
_AROUND = (
    "", "rate=100.00,total messages=1000,Snapshot period=10,threads=4\n" * 5,
    "Starting test with 4 requesters\n",
)  # fmt: skip


def secrets(grounds: Grounds, place: Path, chance: Random) -> str:
    """Ingest a log with secrets in forms drawn at random, build, and search every output."""
    project = grounds.project(place)
    logs, out = place / "logs", place / "out"
    logs.mkdir()
    planted = {
        "".join(chance.choices(string.ascii_letters + string.digits, k=chance.randrange(12, 30))): (
            chance.choice(_BEFORE), form
        )
        for form in chance.sample(FORMS, 40)
    }  # fmt: skip
    end = chance.choice(("\n", "\r\n"))
    text = end.join(before + form.replace("{}", value) for value, (before, form) in planted.items())
    around = chance.choice(_AROUND)
    (logs / "run.log").write_bytes(
        f"{around}{text}{end}{around}".encode(chance.choice(("utf-8", "utf-16")))
    )
    asked = chance.choice(((), ("--reject-text",)))
    done = run(
        project, "ingest", str(logs), "--campaign", "planted", "--rejects", str(out / "r.tsv"),
        "--format", chance.choice(("ndjson", "table")), *asked,
    )  # fmt: skip
    found = done.stdout + done.stderr + everything_in(out)
    if done.returncode:  # of this log nothing is a point
        assert "nothing could be taken from the files" in done.stderr, done.stderr
        assert not (project.campaigns / "planted").exists()
        assert {value: form for value, form in planted.items() if value in found} == {}
        return "refused, none came out"
    done = run(project, *BUILD)
    assert done.returncode == 0, done.stderr
    report = everything_in(project.reports)
    assert "planted" in report, "the report does not speak of the campaign"
    found += done.stdout + done.stderr + everything_in(project.campaigns / "planted") + report
    assert {value: form for value, form in planted.items() if value in found} == {}
    return "none came out"
