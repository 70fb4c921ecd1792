"""What a claim's SQL may not do."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roundtrip.claims.sandbox import QueryError, Sandbox
from roundtrip.observations import load_observations
from roundtrip.project import Project
from workshop import ROOT, V94


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(load_observations(Project(ROOT)).table, V94) as made:
        yield made


def test_a_claim_sees_its_report_and_all_observations(sandbox: Sandbox) -> None:
    columns, rows = sandbox.rows("SELECT count(*) AS n, count(DISTINCT source) AS sources FROM o")
    assert (columns, rows[0][1]) == (["n", "sources"], 1)
    published = "SELECT count(DISTINCT source) FROM observations WHERE source_kind = 'table'"
    assert sandbox.rows(published)[1] == [(5,)]
    assert sandbox.rows("SELECT pct(120, 100)")[1] == [(pytest.approx(20),)]
    different = "SELECT count(*) FROM observations WHERE best IS DISTINCT FROM value"
    corrected = "SELECT count(*) FROM observations WHERE status = 'corrected'"
    assert sandbox.rows(different)[1] == sandbox.rows(corrected)[1]
    assert sandbox.rows("WITH peaks AS (FROM o) SELECT 1 FROM peaks LIMIT 1")[1] == [(1,)]
    assert sandbox.rows("FROM range(3)")[1] == [(0,), (1,), (2,)]


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
        sandbox.rows(sql)
    assert part in str(caught.value)
    assert "\n" not in str(caught.value)
    assert table_of_a_caller
    # What was refused has changed nothing.
    assert sandbox.rows("SELECT count(*) > 0 FROM o")[1] == [(True,)]


def test_the_locks_hold_where_syntax_is_not_looked_at(sandbox: Sandbox, tmp_path: Path) -> None:
    """The connection itself refuses, should the reading of the syntax ever miss something."""
    import duckdb

    secret = tmp_path / "secret.csv"
    secret.write_text("a\n1\n", encoding="utf-8")
    connection = sandbox._connection
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


def test_time_is_bounded_and_the_sandbox_goes_on() -> None:
    with Sandbox(load_observations(Project(ROOT)).table, V94, seconds=0.3) as sandbox:
        endless = "WITH RECURSIVE t AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM t) FROM t"
        for sql in ("SELECT count(*) FROM o a, o b, o c, o d", f"SELECT sum(x) FROM ({endless})"):
            begun = time.monotonic()
            with pytest.raises(QueryError, match=r"took longer than 0\.3 s"):
                sandbox.rows(sql)
            assert time.monotonic() - begun < 10
        assert sandbox.rows("SELECT 1")[1] == [(1,)]
    assert threading.active_count() < 20


def test_memory_is_bounded(sandbox: Sandbox) -> None:
    with pytest.raises(QueryError, match=r"failed: .*(memory|too large|exceed)"):
        sandbox.rows("SELECT length(string_agg(repeat('x', 1000000), '')) FROM range(2000)")
    assert sandbox.rows("SELECT 1")[1] == [(1,)]


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=60))
def test_any_text_is_a_query_or_a_query_error(sandbox: Sandbox, text: str) -> None:
    for sql in (text, f"SELECT {text}", f"SELECT * FROM {text}"):
        with suppress(QueryError):
            sandbox.rows(sql)
