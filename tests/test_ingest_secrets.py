"""No secret of a log, a name or a plan comes out anywhere."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest
import zstandard
from typer.testing import CliRunner

from planted_secrets import FORMS, planted, secret
from roundtrip.cli.main import app
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


def test_what_is_no_secret_stays():
    for line in (
        "rate=100.00,total messages=1000,Snapshot period=10,threads=4",
        "tcp://broker:61616?jms.prefetchPolicy.all=10", "-ms 2048 -rl 60 -tc Requester",
        "Requester1: START", "passed 12 of 13 tests", "keys=3 cipher=TLS_AES_128_GCM_SHA256",
    ):  # fmt: skip
        assert without_secrets(line) == line
        assert not holds_secret(line)
