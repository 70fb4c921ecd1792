"""A packet: the same bytes each time, safe to open, and every alteration of it found and named."""

from __future__ import annotations

import json
import random
import shutil
import stat
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from conftest import Report
from roundtrip.errors import DataError, RenderError
from roundtrip.packet.archive import open_packet, zip_bytes
from roundtrip.packet.changes import changes, report_in
from roundtrip.packet.findings import Finding
from roundtrip.packet.integrity import integrity
from roundtrip.packet.origins import origins
from roundtrip.packet.pack import pack
from roundtrip.packet.verify import has_failed, verify
from roundtrip.project import Project
from workshop import answer, refused, roundtrip


@pytest.fixture(scope="module")
def packet(small: Report, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The archive of a small report; not to be changed."""
    archive = pack(small.project, small.folder.name)
    target = tmp_path_factory.mktemp("packet") / archive.name
    archive.replace(target)
    return target


@pytest.fixture
def opened(packet: Path, tmp_path: Path) -> Path:
    """Its folder, to be changed."""
    return open_packet(packet, tmp_path / "opened")


def by_check(findings: Iterator[Finding] | list[Finding]) -> dict[str, Finding]:
    return {one.check: one for one in findings}


def sealed(folder: Path) -> None:
    """Write sums and crate anew, as somebody would who wants a change to pass unseen."""
    from roundtrip.packet.contents import hashes_of, sums_text

    crate = folder / "ro-crate-metadata.json"
    hashes = {k: v for k, v in hashes_of(folder).items() if k != "SHA256SUMS"}
    content = json.loads(crate.read_text("utf-8"))
    for entity in content["@graph"]:
        if "sha256" in entity:
            entity["sha256"] = hashes[entity["@id"]]
    crate.write_text(json.dumps(content), "utf-8")
    hashes[crate.name] = hashes_of(folder)[crate.name]
    (folder / "SHA256SUMS").write_text(sums_text(hashes), "utf-8")


def test_the_same_report_gives_the_same_bytes(packet: Path, small: Report) -> None:
    again = pack(small.project, small.folder.name)
    assert again.read_bytes() == packet.read_bytes()
    again.unlink()


def test_a_packet_as_it_was_packed_passes(packet: Path) -> None:
    findings = by_check(verify(packet, most=None))
    assert not has_failed(list(findings.values()))
    for name in ("sums", "crate", "manifest", "numbers", "observations"):
        assert findings[name].outcome.value == "pass", findings[name]


def test_the_crate_names_inputs_tools_outputs_and_authors(opened: Path) -> None:
    content = json.loads((opened / "ro-crate-metadata.json").read_text("utf-8"))
    entities = {entity["@id"]: entity for entity in content["@graph"]}
    build = entities["#build"]
    assert build["instrument"] == {"@id": "#roundtrip"}
    assert {"@id": "project/_quarto.yml"} in build["object"]
    assert {"@id": "report/report.pdf"} in build["result"]
    assert entities["#pandas"]["version"]
    assert entities["./"]["conformsTo"]["@id"].startswith("https://w3id.org/ro/wfrun/process/")


def test_every_changed_byte_is_found_and_its_file_named(opened: Path) -> None:
    chance = random.Random(20261123)
    files = sorted(path for path in opened.rglob("*") if path.is_file() and path.stat().st_size)
    for _ in range(100):
        path = chance.choice(files)
        before = path.read_bytes()
        place = chance.randrange(len(before))
        changed = bytes([before[place] ^ (1 << chance.randrange(8))])
        path.write_bytes(before[:place] + changed + before[place + 1 :])
        name = path.relative_to(opened).as_posix()
        try:
            told = list(next(integrity(opened)).details)
        except DataError as problem:
            told = [str(problem)]
        assert any(name in line or name == "SHA256SUMS" for line in told), (name, place)
        assert told, (name, place)
        path.write_bytes(before)


def test_missing_and_added_files_are_named(opened: Path) -> None:
    (opened / "report" / "report.pdf").unlink()
    (opened / "project" / "extra.py").write_text("print()\n", "utf-8")
    sums = by_check(integrity(opened))["sums"]
    assert sums.details == ("report/report.pdf is missing", "project/extra.py was added")


def test_a_changed_number_on_a_page_is_found_although_all_sums_are_right(opened: Path) -> None:
    (page,) = [
        path
        for path in (opened / "report" / "html").glob("*.html")
        if '<td class="right"><a href="95-source-tables.html#cell-' in path.read_text("utf-8")
    ][:1]
    text = page.read_text("utf-8")
    start = text.index('<td class="right"><a href="95-source-tables.html#cell-')
    begin = text.index(">", text.index("<a", start)) + 1
    end = text.index("<", begin)
    page.write_text(text[:begin] + "987,654" + text[end:], "utf-8")
    sealed(opened)
    found = by_check([*integrity(opened), *origins(opened, None)])
    assert found["sums"].details == ()
    assert any("987,654" in line for line in found["numbers"].details)
    assert any(page.name in line for line in found["manifest"].details)


def test_a_changed_cell_of_the_data_is_found_although_all_sums_are_right(opened: Path) -> None:
    table = next((opened / "project" / "data" / "published").glob("*/table-03.csv"))
    text = table.read_text("utf-8")
    assert "370,602" in text or "370602" in text
    table.write_text(text.replace("370,602", "379,602").replace("370602", "379602"), "utf-8")
    sealed(opened)
    found = by_check([*integrity(opened), *origins(opened, None)])
    assert any(table.name in line for line in found["manifest"].details)
    assert any("379602" in line or "379,602" in line for line in found["numbers"].details)


def hostile(name: str, mode: int = 0o644) -> bytes:
    from io import BytesIO

    stream = BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        entry = zipfile.ZipInfo(name)
        entry.external_attr = mode << 16
        archive.writestr(entry, "x")
    return stream.getvalue()


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (hostile("top/../../outside.txt"), "leaves the folder"),
        (hostile("/etc/outside"), "leaves the folder"),
        (hostile("top\\..\\outside"), "leaves the folder"),
        (hostile("top/link", stat.S_IFLNK | 0o777), "link"),
        (zip_bytes("top", {"A.txt": b"1", "a.txt": b"2"}), "same name twice"),
        (zip_bytes("top", {"bomb.txt": b"0" * 50_000_000}), "tighter"),
        (b"PK\x03\x04 no archive", "cannot be read"),
        (zip_bytes("top", {"packet.json": b'{"format": 1}'}), "no packet"),
        (zip_bytes("top", {"packet.json": b'{"format": 99}', "SHA256SUMS": b""}), "format 99"),
        (zip_bytes("top", {"packet.json": b"[", "SHA256SUMS": b""}), "no packet"),
    ],
)  # fmt: skip
def test_archives_that_are_none_or_would_do_harm_are_refused(
    content: bytes, says: str, tmp_path: Path
) -> None:
    archive = tmp_path / "archive.zip"
    archive.write_bytes(content)
    with pytest.raises(DataError, match=says):
        verify(archive)
    assert not (tmp_path / "outside.txt").exists()
    assert not (tmp_path.parent / "outside.txt").exists()


def test_a_folder_with_a_link_is_refused(opened: Path, tmp_path: Path) -> None:
    (opened / "project" / "link").symlink_to("/etc/passwd")
    with pytest.raises(DataError, match="link"):
        open_packet(opened, tmp_path / "copy")


def test_what_the_report_does_not_rest_on_and_may_be_secret_is_left_out(
    small: Report, tmp_path: Path
) -> None:
    project = Project(tmp_path / "project")
    shutil.copytree(small.project.root, project.root, ignore=shutil.ignore_patterns(".cache"))
    (project.root / "notes.txt").write_text("password = hunter2secret9\n", "utf-8")
    (project.root / "tls.p12").write_bytes(b"\x30\x82")
    archive = pack(project, small.folder.name)
    with zipfile.ZipFile(archive) as packed:
        names = {name.partition("/")[2] for name in packed.namelist()}
        readme = packed.read(f"{archive.stem}/README.md").decode()
    assert not {"project/notes.txt", "project/tls.p12"} & names
    assert "`notes.txt`: holds what looks like a secret" in readme
    assert "hunter2" not in readme


def test_a_report_that_was_changed_or_is_not_that_of_the_project_is_not_packed(
    small: Report, tmp_path: Path
) -> None:
    project = Project(tmp_path / "project")
    shutil.copytree(small.project.root, project.root, ignore=shutil.ignore_patterns(".cache"))
    with pytest.raises(RenderError, match=r"no report of version '9\.9'"):
        pack(project, "9.9")
    page = project.reports / small.folder.name / "html" / "index.html"
    before = page.read_text("utf-8")
    page.write_text(before + " ", "utf-8")
    with pytest.raises(RenderError, match="changed after it was built"):
        pack(project, small.folder.name)
    page.write_text(before, "utf-8")
    project.book.write_text(project.book.read_text("utf-8") + "\n", "utf-8")
    with pytest.raises(RenderError, match="no longer what the report was built from"):
        pack(project, small.folder.name)


def test_nothing_changed_between_a_report_and_itself(small: Report) -> None:
    assert changes(small.folder, small.folder) == []


@pytest.fixture
def edition(small: Report, tmp_path: Path) -> Callable[[str], Path]:
    """Gives a copy of the built report, to be changed."""

    def copy(name: str) -> Path:
        return Path(shutil.copytree(small.folder, tmp_path / name))

    return copy


def test_a_number_beyond_its_interval_comes_before_one_within(
    edition: Callable[[str], Path],
) -> None:
    old, new = edition("old"), edition("new")
    head = "group,row,column,value,unit,low,high,cells\n"
    name = Path("html") / "data" / "tbl-made.csv"
    (old / name).write_text(head + ",2 KB,A,100,msg,95,105,\n,4 KB,A,50,msg,40,60,\n", "utf-8")
    (new / name).write_text(head + ",2 KB,A,110,msg,106,114,\n,4 KB,A,58,msg,48,68,\n", "utf-8")
    first, second = changes(old, new)
    assert (first.where, first.old, first.new) == ("tbl-made: 2 KB, A", "100", "110")
    assert first.beyond
    assert first.relative == pytest.approx(0.1)
    assert second.beyond is False


def test_a_changed_sentence_verdict_and_table_are_told(edition: Callable[[str], Path]) -> None:
    old, new = edition("old"), edition("new")
    data = Path("html") / "data"
    ledger = "report,id,verdict\nacme,fast,{}\n"
    (old / data / "tbl-ledger.csv").write_text(ledger.format("holds"), "utf-8")
    (new / data / "tbl-ledger.csv").write_text(ledger.format("contradicted"), "utf-8")
    (new / data / "fig-new.csv").write_text("series,at,value\n", "utf-8")
    page = new / "html" / "index.html"
    text = page.read_text("utf-8")
    page.write_text(text.replace("</main>", "<p>A sentence that is new.</p></main>"), "utf-8")
    found = [(one.kind, one.where, one.old, one.new) for one in changes(old, new)]
    assert found == [
        ("claim", "acme/fast", "holds", "contradicted"),
        ("sentence", "index.html", "", "A sentence that is new."),
        ("table", "fig-new", "", "present"),
    ]


def test_what_is_no_report_cannot_be_compared(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="neither a packet nor a built report"):
        report_in(tmp_path)


def test_the_commands_say_what_they_found(packet: Path, opened: Path, tmp_path: Path) -> None:
    page = tmp_path / "verification.html"
    done = answer("verify", str(packet), "--page", str(page))
    assert done.returncode == 0, done.stderr
    assert "Sums: pass" in page.read_text("utf-8")
    (opened / "report" / "report.pdf").write_bytes(b"%PDF other")
    done = answer("verify", str(opened), "--format", "json")
    assert done.returncode == 1
    rows = {row["check"]: row for row in json.loads(done.stdout)}
    assert rows["sums"]["details"] == ["report/report.pdf was changed"]
    assert "nothing changed" in answer("diff", str(packet), str(packet)).stdout
    assert "there is no such archive" in refused(answer("verify", str(tmp_path / "none.zip")))


def test_a_rebuild_is_asked_for(packet: Path) -> None:
    done = answer("verify", str(packet), "--rebuild")
    assert done.returncode == 1
    assert "executes the chapters" in done.stderr


@pytest.mark.slow
def test_a_rebuilt_report_has_the_same_bytes_and_a_changed_sentence_is_named(
    packet: Path, opened: Path
) -> None:
    done = roundtrip("verify", str(packet), "--rebuild", "--yes", "--format", "json")
    assert done.returncode == 0, done.stdout + done.stderr
    rebuilt = {row["check"]: row for row in json.loads(done.stdout)}["rebuild"]
    assert rebuilt["outcome"] == "pass"
    notebook = next((opened / "project" / "notebooks").glob("00-*.ipynb"))
    content = json.loads(notebook.read_text("utf-8"))
    cell = next(cell for cell in content["cells"] if cell["cell_type"] == "markdown")
    cell["source"] = [*cell["source"], "\n\nOne more sentence."]
    notebook.write_text(json.dumps(content), "utf-8")
    found = by_check(verify(opened, again=True))
    assert any("index.html" in line for line in found["rebuild"].details)
    assert f"file: notebooks/{notebook.name}" in found["causes"].details
