"""What a claim's SQL may do, and that nothing else gets through, whatever it uses up."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import duckdb
import psutil
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claim_project import FILE, claim, constant, one_report, write_claims
from roundtrip.claims import load_ledger
from roundtrip.errors import DataError
from roundtrip.observations import load_observations
from roundtrip.present import size_label
from roundtrip.project import Project
from roundtrip.sandbox import process
from roundtrip.sandbox.process import QueryError, Sandbox
from roundtrip.sandbox.worker import Worker
from workshop import ROOT, V94, until


@pytest.fixture(scope="module")
def table() -> pa.Table:
    return load_observations(Project(ROOT)).table


@pytest.fixture(scope="module")
def sandbox(table: pa.Table) -> Iterator[Sandbox]:
    with Sandbox(table) as made:
        yield made


def test_a_claim_sees_its_report_and_all_observations(sandbox: Sandbox) -> None:
    def rows(sql: str, source: str = V94) -> list[list[Any]]:
        return sandbox.rows(sql, source)[1]

    assert sandbox.rows("SELECT count(*) > 0 AS n FROM o", V94) == (["n"], [[True]])
    for source in (V94, "ibm-mq-v10-ha", "'; DROP TABLE o; --"):
        sources = rows("SELECT DISTINCT source FROM o", source)
        assert sources == ([[source]] if ";" not in source else [])
    assert rows("SELECT count(DISTINCT source) FROM observations WHERE source_kind = 'table'") == [
        [5]
    ]
    assert rows("SELECT pct(120, 100)") == [[pytest.approx(20)]]
    sizes = [0, 1, 1000, 1024, 2048, 10240, 1 << 20, 3 << 19, 2 << 20]
    for kind in ("BIGINT", "DOUBLE"):
        named = rows(f"SELECT size_label(unnest({sizes}::{kind}[]))")
        assert named == [[size_label(size).replace("\u00a0", " ")] for size in sizes]
    different = "SELECT count(*) FROM observations WHERE best IS DISTINCT FROM value"
    corrected = "SELECT count(*) FROM observations WHERE status = 'corrected'"
    assert rows(different) == rows(corrected)
    assert rows("WITH peaks AS (FROM o) SELECT 1 FROM peaks LIMIT 1") == [[1]]
    assert rows("FROM range(3)") == [[0], [1], [2]]
    assert rows("SELECT 2.5::DECIMAL(3, 1), NULL, ['a'], '\U0001f40d'") == [
        [2.5, None, ["a"], "\U0001f40d"]
    ]
    assert rows("SELECT DATE '2026-01-02'") == [[{"date": "2026-01-02"}]]


@pytest.mark.parametrize(
    ("sql", "part"),
    [
        ("SELECT 1; SELECT 2", "holds 2 statements"),
        ("", "holds 0 statements"),
        ("-- nothing", "holds 0 statements"),
        ("ATTACH 'x.db'", "is ATTACH"),
        ("COPY o TO 'x.csv'", "is COPY"),
        ("COPY (SELECT 1) TO PROGRAM 'sh'", ""),
        ("EXPORT DATABASE 'x'", "is EXPORT"),
        ("PRAGMA database_list", "is PRAGMA"),
        ("SET threads = 64", "is SET"),
        ("RESET memory_limit", "not SELECT"),
        ("INSTALL httpfs", "not SELECT"),
        ("LOAD httpfs", "is LOAD"),
        ("CALL pragma_version()", "is CALL"),
        ("CREATE TABLE t AS SELECT 1", "is CREATE"),
        ("CREATE SECRET (TYPE s3)", "not SELECT"),
        ("DROP TABLE o", "is DROP"),
        ("DELETE FROM observations", "is DELETE"),
        ("UPDATE observations SET value = 1", "is UPDATE"),
        ("INSERT INTO o SELECT * FROM o", "is INSERT"),
        ("PREPARE q AS SELECT 1", "is PREPARE"),
        ("EXPLAIN SELECT 1", "is EXPLAIN"),
        ("DESCRIBE o", "not SELECT"),
        ("SHOW TABLES", "not SELECT"),
        ("SUMMARIZE o", "not SELECT"),
        ("SELECT * FROM 'pyproject.toml'", "reads 'pyproject.toml'"),
        ("SELECT * FROM '/etc/passwd'", "reads '/etc/passwd'"),
        ("SELECT * FROM read_csv('/etc/passwd')", "calls read_csv()"),
        ("SELECT * FROM read_text('/etc/passwd')", "calls read_text()"),
        ("SELECT * FROM read_blob('/etc/passwd')", "calls read_blob()"),
        ("SELECT * FROM glob('/*')", "calls glob()"),
        ("SELECT * FROM sniff_csv('/etc/passwd')", "calls sniff_csv()"),
        ("SELECT * FROM query('SELECT 1')", "calls query()"),
        ("SELECT * FROM query_table('o')", "calls query_table()"),
        ("SELECT * FROM duckdb_settings()", "calls duckdb_settings()"),
        ("SELECT * FROM duckdb_secrets()", "calls duckdb_secrets()"),
        ("SELECT * FROM information_schema.tables", "reads 'tables'"),
        ("SELECT * FROM main.o", "reads 'o'"),
        ("SELECT * FROM pg_catalog.pg_tables", "reads 'pg_tables'"),
        ("SELECT * FROM sqlite_master", "reads 'sqlite_master'"),
        ("SELECT * FROM table_of_a_caller", "reads 'table_of_a_caller'"),
        ("SELECT (SELECT content FROM read_text('/etc/passwd'))", "calls read_text()"),
        ("WITH a AS (FROM read_text('/etc/passwd')) FROM a", "calls read_text()"),
        ("SELECT getenv('HOME')", "failed"),
        ("SELECT current_setting('threads')", "calls current_setting()"),
        ("SELECT getvariable('x')", "calls getvariable()"),
        ("SELECT random()", "calls random()"),
        ("SELECT now()", "calls now()"),
        ("SELECT current_localtimestamp()", "calls current_localtimestamp()"),
        ("SELECT version()", "calls version()"),
        ("SELECT current_date", "uses current_date"),
        ("SELECT user", "uses user"),
        ("SELECT uuid()", "calls uuid()"),
        ("SELECT nextval('x')", "calls nextval()"),
        ("SELECT pg_typeof(1)", "calls pg_typeof()"),
        ("SELECT write_log('x')", "calls write_log()"),
        ("SELECT sleep_ms(100000)", "calls sleep_ms()"),
        ("FROM o USING SAMPLE 3", "random sample"),
        ("SELECT $1", "failed"),
        ("SELECT (", "failed"),
        ("SELECT " + "(" * 5000 + "1" + ")" * 5000, "failed"),
    ],
)  # fmt: skip
def test_nothing_but_a_select_over_the_observations(
    sandbox: Sandbox, sql: str, part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    table_of_a_caller = {"a": [1]}
    with pytest.raises(QueryError) as caught:
        sandbox.rows(sql, V94)
    assert part in str(caught.value)
    assert "\n" not in str(caught.value)
    assert table_of_a_caller
    # What was refused has changed nothing.
    assert sandbox.rows("SELECT count(*) > 0 FROM o", V94)[1] == [[True]]


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        (
            "SELEC 1",
            'the SQL failed: Parser Error: syntax error at or near "SELEC" (in its line 1)',
        ),
        (
            "SELECT\n valu\nFROM o",
            'the SQL failed: Binder Error: Referenced column "valu" not found in FROM clause! '
            'Candidate bindings: "value',
        ),
        ("SELECT getenv('H')", 'getenv does not exist! Did you mean "'),
    ],
)
def test_what_failed_is_told_in_one_line_with_what_may_have_been_meant(
    sandbox: Sandbox, sql: str, said: str
) -> None:
    with pytest.raises(QueryError) as caught:
        sandbox.rows(sql, V94)
    assert said in str(caught.value)
    line = 2 if "\n" in sql else 1
    assert str(caught.value).endswith(f" (in its line {line})")
    assert "\n" not in str(caught.value)
    assert "^" not in str(caught.value)


def test_the_locks_hold_where_syntax_is_not_looked_at(table: pa.Table, tmp_path: Path) -> None:
    """The connection itself refuses, should the reading of the syntax ever miss something."""
    secret = tmp_path / "secret.csv"
    secret.write_text("a\n1\n", encoding="utf-8")
    connection = Worker(table).connection
    for sql in (
        f"SELECT * FROM read_csv('{secret}')",
        f"SELECT * FROM '{secret}'",
        f"ATTACH '{tmp_path / 'x.db'}'",
        f"COPY o TO '{tmp_path / 'o.csv'}'",
        "SET enable_external_access = true",
        "SET threads = 8",
        "SET lock_configuration = false",
        "INSTALL httpfs",
        "LOAD httpfs",
    ):
        with pytest.raises(duckdb.Error):
            connection.execute(sql)
    assert sorted(os.listdir(tmp_path)) == ["secret.csv"]  # noqa: PTH208
    assert connection.execute("SELECT current_setting('threads')").fetchone() == (1,)


HOG = "SELECT len(regexp_extract_all(repeat('ab', 50000000), '.'))"
"""A single call that takes more than a minute and several gigabytes, and hears no interruption."""

ENDLESS = "WITH RECURSIVE t AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM t) SELECT sum(x) FROM t"


@pytest.mark.slow
@pytest.mark.parametrize("sql", [
    HOG, ENDLESS, "SELECT count(*) FROM observations a, observations b, observations c",
    "SELECT levenshtein(repeat('ab', 300000), repeat('ba', 300000))",
    "SELECT ('1' || repeat('0', 9000000))::BIGNUM * 3",
])  # fmt: skip
def test_processor_time_is_bounded_whatever_takes_it(
    table: pa.Table, sql: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "SECONDS", 0.2)
    with Sandbox(table.slice(0, 3000)) as sandbox:
        with pytest.raises(QueryError, match=r"took more than 0\.2 s of processor time"):
            sandbox.rows(sql, V94)
        assert sandbox.rows("SELECT 1", V94)[1] == [[1]]


@pytest.mark.slow
@pytest.mark.parametrize("sql", [
    HOG, "SELECT length(string_agg(repeat('x', 1000000), '')) FROM range(2000)",
    "SELECT length(repeat('x', 3000000000))", "SELECT len(range(1000000000))",
    "SELECT length(printf('%2000000000d', 1))",
    "SELECT len(string_split(repeat('ab', 100000000), 'b'))",
])  # fmt: skip
def test_memory_is_bounded_whatever_takes_it(
    table: pa.Table, sql: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "SECONDS", 60.0)
    monkeypatch.setattr(process, "MEGABYTES", 64)
    with Sandbox(table.slice(0, 3000)) as sandbox:
        with pytest.raises(QueryError, match=r"(?i)memory"):
            sandbox.rows(sql, V94)
        assert sandbox.rows("SELECT 1", V94)[1] == [[1]]


def test_a_query_that_stands_still_is_ended(
    table: pa.Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "PATIENCE", 0.3)
    known = set(psutil.Process().children())
    with Sandbox(table.slice(0, 10)) as sandbox:
        for _ in range(30):
            with suppress(QueryError):  # a busy machine may take as long for nothing
                sandbox.rows("SELECT 1", V94)
                break
        (worker,) = set(psutil.Process().children()) - known
        worker.suspend()
        with pytest.raises(QueryError, match=r"was not done after 0\.3 s"):
            sandbox.rows("SELECT 1", V94)
        assert not worker.is_running()


def test_the_process_ends_with_its_sandbox_and_is_replaced_when_killed(table: pa.Table) -> None:
    known = set(psutil.Process().children())
    with Sandbox(table.slice(0, 10)) as sandbox:
        sandbox.rows("SELECT 1", V94)
        (worker,) = set(psutil.Process().children()) - known
        worker.send_signal(signal.SIGKILL)
        until(lambda: worker.status() == psutil.STATUS_ZOMBIE)
        with pytest.raises(QueryError, match="ended the process"):
            sandbox.rows("SELECT 1", V94)
        assert sandbox.rows("SELECT 1", V94)[1] == [[1]]
    assert set(psutil.Process().children()) == known


def test_a_claim_without_a_finite_number_has_no_verdict(tmp_path: Path) -> None:
    project = one_report(tmp_path)
    odd = {
        "repeat('x', 3000000000)": "Out of Memory",
        "1e308 * 10": "inf, not a finite number",
        "'nan'::DOUBLE": "nan, not a finite number",
        "pct(1, 0)": "inf, not a finite number",
        f"'{'9' * 400}'::BIGNUM": "not a finite number",
        "1e300": "more than can be computed",
    }
    expect = {"word": "over", "number": 1e-300}
    claims = [constant(value, id=f"odd-{n}", expect=expect) for n, value in enumerate(odd)]
    write_claims(project, claim(id="sound"), *claims)
    with pytest.raises(DataError) as caught:
        load_ledger(load_observations(project))
    lines = (tmp_path / FILE).read_text(encoding="utf-8").splitlines()
    begin = lines.index("- id: odd-0")
    first = next(n for n, line in enumerate(lines, 1) if n > begin and "sql:" in line)
    assert str(caught.value.where) == f"{tmp_path / FILE}:{first}"
    said = caught.value.what.split("; ")
    assert len(said) == len(odd)
    for number, (problem, part) in enumerate(zip(said, odd.values(), strict=True)):
        assert f"claim 'odd-{number}'" in problem
        assert part in problem


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=60))
def test_any_text_is_a_query_or_a_query_error(sandbox: Sandbox, text: str) -> None:
    for sql in (text, f"SELECT {text}", f"SELECT * FROM {text}"):
        with suppress(QueryError):
            sandbox.rows(sql, V94)
