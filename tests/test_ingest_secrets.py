"""No secret of a log, a name or a plan comes out anywhere."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import zstandard
from typer.testing import CliRunner

from planted_secrets import FORMS, planted, secret
from roundtrip.cli.main import app
from roundtrip.dictionary import load_dictionary
from roundtrip.errors import ParameterError
from roundtrip.files import sha256_of, sha256_of_file
from roundtrip.ingest.inputs import Input
from roundtrip.ingest.manifest import load_inputs
from roundtrip.ingest.registry import reader_named
from roundtrip.ingest.result import read_input
from roundtrip.ingest.session import ingest_paths
from roundtrip.observations import load_observations
from roundtrip.project import Project
from roundtrip.secrets import holds_secret, masked_bytes, without_secrets
from workshop import copy_project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return copy_project(tmp_path / "project", ("_quarto.yml", "data"))


def everything_in(folder: Path) -> str:
    """Names and contents of all files, unpacked."""
    parts = []
    for path in sorted(folder.rglob("*")):
        parts.append(path.relative_to(folder).as_posix())
        if path.suffix == ".parquet":
            parts.append(repr(pq.read_table(path).to_pydict()))
            parts.append(repr(pq.read_schema(path).metadata))
        elif path.is_file():
            content = path.read_bytes()
            if path.suffix == ".zst":
                content = zstandard.ZstdDecompressor().decompressobj().decompress(content)
            parts.append(content.decode("utf-8", "replace"))
            parts.append(content.decode("utf-16-le", "replace"))
    return "\n".join(parts)


@pytest.mark.parametrize("form", FORMS)
def test_each_form_of_a_secret_is_found(form):
    value = secret("form", 1)
    text = form.replace("{}", value)
    assert value not in masked_bytes(text.encode()).decode()


@pytest.mark.parametrize("name", ["PASSWORD", "pAsSwOrD", "Pa\u017f\u017fword", "to\u212aen"])
def test_a_name_in_any_case_tells_of_a_secret(name):
    assert without_secrets(f"{name}=zombie") == f"{name}=********"


@pytest.mark.parametrize("texts", [False, True])
@pytest.mark.thorough
@pytest.mark.slow
def test_planted_secrets_come_out_nowhere(texts, project, tmp_path, monkeypatch):
    logs, out = tmp_path / "logs", tmp_path / "out"
    logs.mkdir()
    inputs = list(planted())
    for name, content, _ in inputs:
        (logs / name).write_bytes(content)
    values = {value for _, _, secrets in inputs for value in secrets}
    assert len(values) >= 200
    monkeypatch.chdir(project.root)
    monkeypatch.setenv("COLUMNS", "1000")
    asked = ["--reject-text"] if texts else []
    found = ""
    for form in ("ndjson", "table"):
        done = CliRunner().invoke(
            app, ["ingest", str(logs), "--campaign", "lab", "--rejects", str(out / "r.tsv"),
                  "--format", form, *asked],
        )  # fmt: skip
        assert done.exit_code == 0, done.output
        found += done.output
    rejects = (out / "r.tsv").read_text(encoding="utf-8")
    assert rejects.startswith("where\treason\tsha256" + ("\ttext\n" if texts else "\n"))
    found += everything_in(project.campaigns / "lab") + everything_in(out)
    found += repr(load_observations(project).sql("SELECT * FROM observations").to_dict())
    assert [found[found.index(v) - 150 :][:170] for v in sorted(values) if v in found] == []
    assert '"tool": "vmstat"' in found
    assert ("rest" in rejects) is texts


def test_no_hash_tells_a_secret(project, tmp_path):
    odd, interval = "what password=hunter2 is", "rate=5.00,threads=1\n"
    log = tmp_path / "load.log"
    log.write_text(f"password=hunter1\n[Requester0] START\n{interval * 5}{odd}\n")
    for campaign in ("lab", "again"):
        ingest_paths([log], dictionary=load_dictionary(project.dictionary), project=project,
                     campaign=campaign)  # fmt: skip
    folder = project.campaigns / "lab"
    found, (entry,) = everything_in(folder), load_inputs(folder)
    assert sha256_of_file(log)[:8] not in found
    assert sha256_of(odd) not in found
    assert sha256_of("what password=********") in found
    # The same log gives the same hash, that of what is kept of it.
    assert load_inputs(project.campaigns / "again") == (entry,)
    kept = zstandard.decompress((folder / entry.raw).read_bytes())
    assert (entry.sha256, entry.bytes) == (sha256_of(kept), len(kept))


@pytest.mark.parametrize(
    ("head", "part", "tail"),
    [
        ("", "password", ""), ("", "--password", " "), ("password", "\\", ""), ("", "thin:", ""),
        ("", "<password ", ""), ("<name>", "password", ""), ("", "value=", "password"),
        ("cookie=", "\\", "!"), ("", "eyJ-", ""), ("", "mariadb-", "x"), ("", "a", " password"),
        ("", "&lt;secret ", ""),
    ],
)  # fmt: skip
def test_a_line_of_nothing_but_names_takes_no_longer_than_another(head, part, tail):
    text = (
        head + part * (100_000 // len(part)) + tail
    )  # for hours, where it is read again and again
    assert without_secrets(text) in (text, "cookie=********")


@pytest.mark.parametrize(
    ("tool", "interval"),
    [
        ("mq-cph", "id=P1,rate=500.00,threads=4"), ("mq-cph", "rate=500.00,threads=4"),
        ("jmsperfharness", "rateR=500,00,threads=4"),
        ("jmsperfharness", "rate=500.00,total messages=5000,Snapshot period=10,threads=4"),
    ],
)  # fmt: skip
def test_an_interval_after_a_prompt_is_no_secret(tool, interval):
    lines = ["Requester1: START", "Enter password:", interval, *[interval] * 3, "Enter password:"]
    content = "\n".join([*lines, interval, "Starting test with 4 requesters", ""]).encode()
    assert masked_bytes(content) == content
    reader = reader_named(tool)()
    fast = read_input(Input("a.log", BytesIO(content)), Path(), lambda _: None, reader)
    reader.forms = ()
    plain = read_input(Input("a.log", BytesIO(content)), Path(), lambda _: None, reader)
    assert fast.account == plain.account
    assert (fast.intervals, fast.account.rejected) == (5, 3 + (tool == "mq-cph"))
    assert b"hunter" not in masked_bytes(b"Enter password:\nhunter2\n")


@pytest.mark.parametrize("name", ["campaign.yml", "own.mapping.yml"])
@pytest.mark.parametrize("secret", ["# pw=hunter2", "# password:\n# hunter2"])
def test_a_secret_in_what_is_kept_beside_logs_is_refused(project, tmp_path, name, secret):
    rate = "{metric: round_trip_rate, statistic: mean, unit: round trips/s}"
    texts = {
        "own.csv": "rate\n5\n", "campaign.yml": "who: us\n",
        "own.mapping.yml": f"columns:\n  rate: {rate}\n",
    }  # fmt: skip
    for file, text in texts.items():
        (tmp_path / file).write_text(text)
    (tmp_path / name).write_text(f"{texts[name]}{secret}\n")
    with pytest.raises(ParameterError, match="looks like a secret") as caught:
        ingest_paths([tmp_path / "own.csv"], dictionary=load_dictionary(project.dictionary),
                     project=project, campaign="lab")  # fmt: skip
    assert name in str(caught.value)
    assert "remedy: word it otherwise" in str(caught.value)
    assert ("after what line" in str(caught.value)) == ("\n" in secret)
    assert "hunter" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        '{"password": "hunter2", "a": 5}', '{"a": {"pwd": 4711}}', '["-pw", "hunter2", "-ms"]',
        '{"Authorization": "Basic aHVudGVyMg==", "a": 5}', '{"cmd": "load -pw hunter2 -ms 10"}',
        '[{"name": "a", "value": "b"}, {"name": "password", "value": "hunter2"}]',
        '[{"value": "b", "name": "a"}, {"value": "hunter2", "name": "password"}]',
        '{"log": "{\\"password\\": \\"hunter2\\"}", "token": null}',
    ],
)  # fmt: skip
def test_json_without_its_secrets_is_still_json(text):
    masked = without_secrets(text)
    assert not any(secret in masked for secret in ("hunter2", "4711", "aHVudGVyMg"))
    found = json.loads(masked)
    assert len(found) == len(json.loads(text))
    assert without_secrets(masked) == masked


def test_what_is_no_secret_stays():
    for line in (
        "rate=100.00,total messages=1000,Snapshot period=10,threads=4",
        "tcp://broker:61616?jms.prefetchPolicy.all=10", "-ms 2048 -rl 60 -tc Requester",
        "Requester1: START", "passed 12 of 13 tests", "keys=3 cipher=TLS_AES_128_GCM_SHA256",
    ):  # fmt: skip
        assert without_secrets(line) == line
        assert not holds_secret(line)
