"""A packet: the same bytes each time, safe to open, and every alteration of it found and named."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import stat
import subprocess
import sys
import sysconfig
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pytest

from claim_project import constant, write_claims
from conftest import Report
from roundtrip import __version__
from roundtrip.cache import Cache
from roundtrip.errors import DataError, ParameterError, RenderError, SetupError
from roundtrip.files import hashes_below, sha256_of_file, sha256_of_json, stream_atomically
from roundtrip.observations import Observations
from roundtrip.packet import archive as archive_module
from roundtrip.packet.archive import open_packet, write_zip
from roundtrip.packet.at_commit import built_at
from roundtrip.packet.changes import changes, report_in
from roundtrip.packet.contents import contents_of, sums_text
from roundtrip.packet.findings import Finding
from roundtrip.packet.integrity import integrity
from roundtrip.packet.origins import _rows, origins
from roundtrip.packet.pack import name_of, pack
from roundtrip.packet.rebuild import pinned_otherwise, rebuild
from roundtrip.packet.since import _Page, changes_writer
from roundtrip.packet.verify import examined, has_failed, unpack, verify
from roundtrip.params import ReportParameters
from roundtrip.present.numbers import NumberFormat
from roundtrip.project import Project
from roundtrip.publish.chapters.notebooks import tags_of
from roundtrip.publish.commit import Commit, find_commit
from workshop import (
    V94,
    answer,
    change_yaml,
    commit_all,
    copy_project,
    edit,
    environment,
    git,
    made_manifest,
    manifest_of,
    refused,
    roundtrip,
    share_cache,
    small_project,
    wheel,
)


@pytest.fixture(scope="module")
def packet(small: Report, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The archive of a small report; not to be changed."""
    archive = pack(small.project, contents_of(small.project, small.folder.name))
    target = tmp_path_factory.mktemp("packet") / archive.name
    archive.replace(target)
    return target


@pytest.fixture
def opened(packet: Path, tmp_path: Path) -> Path:
    """Its folder, to be changed."""
    return open_packet(packet, tmp_path / "opened")


def by_check(findings: Iterator[Finding] | list[Finding]) -> dict[str, Finding]:
    return {one.check: one for one in findings}


def sealed(folder: Path, without: str = "") -> None:
    """Write sums and crate anew, as somebody would who wants a change to pass unseen."""
    crate = folder / "ro-crate-metadata.json"
    hashes = {k: v for k, v in hashes_below(folder).items() if k not in ("SHA256SUMS", without)}
    content = json.loads(crate.read_text("utf-8"))
    for entity in content["@graph"]:
        if "sha256" in entity:
            entity["sha256"] = hashes[entity["@id"]]
    crate.write_text(json.dumps(content), "utf-8")
    hashes[crate.name] = hashes_below(folder)[crate.name]
    (folder / "SHA256SUMS").write_text(sums_text(hashes), "utf-8")


def test_the_same_report_gives_the_same_bytes(packet: Path, small: Report) -> None:
    again = pack(small.project, contents_of(small.project, small.folder.name))
    assert again.read_bytes() == packet.read_bytes()
    again.unlink()


def test_a_packet_bears_the_time_of_its_build_and_not_of_its_packing(
    small: Report, tmp_path: Path
) -> None:
    project = Project(tmp_path / "project")
    shutil.copytree(small.project.root, project.root, ignore=shutil.ignore_patterns(".cache"))
    commit_all(project)
    archive = pack(project, contents_of(project, small.folder.name))
    built = manifest_of(small.folder)["report"]
    with zipfile.ZipFile(archive) as packed:
        said = packed.read(f"{archive.stem}/project/COMMIT").decode()
    assert said == f"- {built['timestamp']}\n"
    assert find_commit(project.root, built["date"]).timestamp != built["timestamp"]


def test_a_packet_as_it_was_packed_passes(packet: Path) -> None:
    findings = by_check(verify(packet, most=None))
    assert not has_failed(list(findings.values()))
    for name in ("sums", "crate", "manifest", "numbers", "observations"):
        assert findings[name].outcome.value == "pass", findings[name]


def test_names_of_files_may_have_any_letters(small: Report, tmp_path: Path) -> None:
    project = Project(tmp_path / "project")
    shutil.copytree(small.project.root, project.root, ignore=shutil.ignore_patterns(".cache"))
    (project.root / "Größe 20 %2B #1.txt").write_text("as it is\n", "utf-8")
    archive = pack(project, contents_of(project, small.folder.name))
    found = by_check(integrity(open_packet(archive, tmp_path / "opened")))
    assert found["crate"].outcome.value == "pass", found["crate"]


def test_large_counts_have_separators(opened: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (opened / "SHA256SUMS").open("a", encoding="utf-8") as sums:
        sums.writelines(f"{'0' * 64}  gone/{number}\n" for number in range(1000))
    assert re.fullmatch(r"1,\d{3} files listed", by_check(integrity(opened))["sums"].told)
    monkeypatch.setattr(
        "roundtrip.packet.origins._rows", lambda observations: _rows(observations) * 2000
    )
    told = by_check(origins(opened, 1100))["observations"].told
    assert re.fullmatch(r"1,100 of [\d,]{5,} stand in the line that they name", told)


def test_another_seed_draws_another_sample(opened: Path) -> None:
    with_another_number(opened)
    seen = [
        by_check(origins(opened, 5, seed))["numbers"].outcome.value
        for seed in (1, 1, 2, 3, 4, 5, 6)
    ]
    assert seen[0] == seen[1]
    assert {*seen} == {"pass", "fail"}


def test_verify_says_how_to_see_what_its_sample_left_out(packet: Path) -> None:
    done = roundtrip("verify", str(packet), "--seed", "3")
    assert "the sample of seed 3: --seed 4 draws another, --all takes everything" in done.stderr
    assert "the sample of" not in roundtrip("verify", str(packet), "--all").stderr


def test_the_crate_names_inputs_tools_outputs_and_authors(opened: Path) -> None:
    content = json.loads((opened / "ro-crate-metadata.json").read_text("utf-8"))
    entities = {entity["@id"]: entity for entity in content["@graph"]}
    build = entities["#build"]
    assert build["instrument"] == {"@id": "#roundtrip"}
    assert {"@id": "project/_quarto.yml"} in build["object"]
    assert {"@id": "report/report.pdf"} in build["result"]
    assert entities["#pandas"]["version"]
    assert entities["./"]["conformsTo"]["@id"].startswith("https://w3id.org/ro/wfrun/process/")


@pytest.mark.thorough
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
    assert sums.details == ("project/extra.py was added", "report/report.pdf is missing")


def with_another_number(opened: Path) -> Path:
    """Put 987,654 in the place of a number on a page of an opened packet."""
    (page,) = [
        path
        for path in (opened / "report" / "html").glob("*.html")
        if '<td><a href="95-source-tables.html#cell-' in path.read_text("utf-8")
    ][:1]
    text = page.read_text("utf-8")
    start = text.index('<td><a href="95-source-tables.html#cell-')
    begin = text.index(">", text.index("<a", start)) + 1
    end = text.index("<", begin)
    page.write_text(text[:begin] + "987,654" + text[end:], "utf-8")
    return page


def test_a_changed_number_on_a_page_is_found_although_all_sums_are_right(opened: Path) -> None:
    page = with_another_number(opened)
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


def test_a_manifest_that_was_changed_fails_without_a_remedy_for_builders(opened: Path) -> None:
    manifest = opened / "report" / "manifest.json"
    manifest.write_text(manifest.read_text("utf-8").replace("{", "{ ", 1), "utf-8")
    (line,) = by_check(origins(opened, None))["methodology"].details
    assert line == "report/manifest.json: is not a manifest: it was changed after it was written"


def test_names_with_what_ends_a_line_elsewhere_are_listed(opened: Path) -> None:
    for letter in "\u2028\x85":
        (opened / "project" / f"a{letter}b.txt").touch()
    sums = sums_text({k: v for k, v in hashes_below(opened).items() if k != "SHA256SUMS"})
    (opened / "SHA256SUMS").write_text(sums, "utf-8")
    assert next(integrity(opened)).details == ()
    (opened / "project" / "a\u2028b.txt").write_text("other")
    assert next(integrity(opened)).details == ("project/a\u2028b.txt was changed",)


def zip_bytes(top: str, files: dict[str, Path | bytes]) -> bytes:
    stream = BytesIO()
    write_zip(stream, top, files)
    return stream.getvalue()


def test_a_packet_is_packed_part_by_part_and_has_the_bytes_of_one_packed_at_once(
    tmp_path: Path,
) -> None:
    drawn = random.Random(1)
    text = " ".join(str(drawn.randrange(1000)) for _ in range(1 << 20)).encode()
    (tmp_path / "a.txt").write_bytes(text)
    (tmp_path / "b.png").write_bytes(drawn.randbytes(3 << 20))
    files = {name: tmp_path / name for name in ("a.txt", "b.png")} | {"c.txt": b"short", "d": b""}
    at_once = BytesIO()
    with zipfile.ZipFile(at_once, "w") as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(f"top/{name}", (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_STORED if name == "b.png" else zipfile.ZIP_DEFLATED
            entry.external_attr, entry.create_system = (stat.S_IFREG | 0o644) << 16, 3
            data = content if isinstance(content, bytes) else content.read_bytes()
            archive.writestr(entry, data, compresslevel=9)
    assert zip_bytes("top", files) == at_once.getvalue()


def test_a_packet_of_any_size_needs_little_memory(tmp_path: Path) -> None:
    large = tmp_path / "large.gz"
    with large.open("wb") as stream:
        stream.truncate(64 << 20)
    tracemalloc.start()
    try:
        with stream_atomically(tmp_path / "packet.zip") as stream:
            write_zip(stream, "top", {"large.gz": large, "also.txt": large})
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()
    assert (tmp_path / "packet.zip").stat().st_size > 64 << 20


def hostile(name: str, mode: int = 0o644, way: int = zipfile.ZIP_STORED, also: str = "") -> bytes:
    stream = BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for one in filter(None, (name, also)) if also else (name,):
            entry = zipfile.ZipInfo(one)
            entry.external_attr = mode << 16
            archive.writestr(entry, "x" * 100, compress_type=way)
    return stream.getvalue()


def spoilt() -> bytes:
    """An archive whose packed content is no such thing, with all else in order."""
    content = bytearray(zip_bytes("top", {"a.txt": b"some text, " * 90}))
    content[len("top/a.txt") + 30] ^= 0xFF  # the first byte behind the header and the name
    return bytes(content)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (hostile("top/../../outside.txt"), "leaves the folder"),
        (hostile("/etc/outside"), "leaves the folder"),
        (hostile("top\\..\\outside"), "leaves the folder"),
        (hostile("top/link", stat.S_IFLNK | 0o777), "link"),
        (hostile("top/A.txt", also="top/a.txt"), "same name twice"),
        (b"PK\x03\x04 no archive", "cannot be read"),
        (spoilt(), "cannot be read"),
        (hostile(""), "leaves the folder"),
        (hostile("C:/outside"), "leaves the folder"),
        (hostile("top/a.txt", way=zipfile.ZIP_LZMA), "in a way that packets are not"),
        (hostile("top/a", also="top/a/b"), "same name twice"),
        (hostile("top/packet.json", also="top/./packet.json"), "same name twice"),
        (hostile("top/packet.json", also="top//Packet.json"), "same name twice"),
        (hostile("top/./a/b", also="top/A"), "same name twice"),
        (hostile("top/a", also="other/a"), "does not hold one folder"),
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


@pytest.mark.parametrize(
    ("names", "says"),
    [(("README.txt", "Readme.txt"), "'top/Readme.txt': holds the same name twice"),
     (("a\\b.txt",), "a path leaves the folder"), (("a", "a/b"), "holds the same name twice")],
)  # fmt: skip
def test_nothing_is_packed_that_is_not_opened(names: tuple[str, ...], says: str) -> None:
    with pytest.raises(DataError, match=says) as refusal:
        zip_bytes("top", dict.fromkeys(names, b""))
    assert "pack again" in str(refusal.value)


def test_a_file_that_packs_very_tightly_is_opened(tmp_path: Path) -> None:
    packed = tmp_path / "packet.zip"
    packed.write_bytes(zip_bytes("top", {"packet.json": b"{}", "same.csv": b"0,0\n" * 800_000}))
    assert open_packet(packed, tmp_path / "opened") == tmp_path / "opened" / "top"


def test_an_archive_that_opens_to_more_than_any_report_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = tmp_path / "packet.zip"
    packed.write_bytes(zip_bytes("top", {"a.txt": bytes(100)}))
    monkeypatch.setattr(archive_module, "MOST_BYTES", 99)
    with pytest.raises(DataError, match="more than any report holds"):
        open_packet(packed, tmp_path / "opened")


def test_a_folder_with_a_link_is_refused(opened: Path, tmp_path: Path) -> None:
    (opened / "project" / "link").symlink_to("/etc/passwd")
    with pytest.raises(DataError, match="link"):
        open_packet(opened, tmp_path / "copy")


def test_a_folder_with_a_pipe_is_refused(opened: Path, tmp_path: Path) -> None:
    os.mkfifo(opened / "project" / "pipe")
    with pytest.raises(DataError, match="neither a file nor a folder"):
        open_packet(opened, tmp_path / "copy")


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["ro-crate-metadata.json", "report/manifest.json"])
@pytest.mark.parametrize("text", ["[" * 100_000, "{}", '{"@graph": [3]}', "null"])
def test_damaged_files_that_describe_a_packet_are_findings(
    opened: Path, name: str, text: str
) -> None:
    (opened / name).write_text(text, "utf-8")
    found = by_check(integrity(opened))
    assert found["sums"].details == (f"{name} was changed",)
    assert found["crate" if "crate" in name else "manifest"].outcome.value == "fail"


def test_a_crate_without_licence_is_told(opened: Path) -> None:
    path = opened / "ro-crate-metadata.json"
    content = json.loads(path.read_text("utf-8"))
    (root,) = (one for one in content["@graph"] if one["@id"] == "./")
    del root["license"]
    path.write_text(json.dumps(content), "utf-8")
    assert by_check(integrity(opened))["crate"].details == (f"{path.name}: ./ has no license",)


def test_what_the_report_does_not_rest_on_and_may_be_secret_is_left_out(
    small: Report, tmp_path: Path
) -> None:
    project = Project(tmp_path / "project")
    shutil.copytree(small.project.root, project.root, ignore=shutil.ignore_patterns(".cache"))
    (project.root / "notes.txt").write_text("password = hunter2secret9\n", "utf-8")
    (project.root / "tls.p12").write_bytes(b"\x30\x82")
    (project.root / "chance.bin").write_bytes(b"\0\xff pw=\x80\x81\x82\n")
    stores = ("a.keystore", "b.ppk", "c.kdbx", ".env", ".env.local", "prod.env")
    for name in (*stores, ".environment.yml"):
        (project.root / name).write_text("made up\n", "utf-8")
    held = {
        "e.yml": "password:\n  hunter2\n", "f.ini.bak": "password=hunter2\n",
        "g.config": 'password="hunter2"\n', "h.mqsc": "SET AUTHINFO LDAPPWD('hunter2')\n",
        "i.xml": "<name>mq.password</name>\n<value>hunter2</value>\n",
        "j.csv": "user,password=hunter2\n",
    }  # fmt: skip
    for name, text in held.items():
        (project.root / name).write_bytes(text.encode("utf-16" if name == "j.csv" else "utf-8"))
    (project.root / os.fsdecode(b"\xff.txt")).touch()
    for command in (("init", "--quiet"), ("add", "--all", "--force")):  # hidden files, too
        subprocess.run(["git", *command], cwd=project.root, check=True)
    archive = pack(project, contents_of(project, small.folder.name))
    with zipfile.ZipFile(archive) as packed:
        names = {name.partition("/")[2] for name in packed.namelist()}
        readme = packed.read(f"{archive.stem}/README.md").decode()
    assert not {"project/notes.txt", "project/tls.p12"} & names
    assert not {f"project/{name}" for name in (*stores, *held)} & names
    assert {"project/.environment.yml", "project/chance.bin"} <= names
    assert "`notes.txt`: holds what looks like a secret" in readme
    assert "hunter2" not in readme
    assert "`\\udcff.txt`: has a name that no list of files can hold" in readme
    (project.notebooks / os.fsdecode(b"\xff.txt")).touch()
    refused(answer("build", project=project), "'notebooks/\\udcff.txt': the name of this file")


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("data/notes.log", "password=Tr0ub4dor&3xyz9\n", "holds what looks like a secret"),
        ("data/deploy_key", "made up\n", "may be a key or a password store"),
        ("params/campaigns/id_ed25519", "made up\n", "may be a key or a password store"),
    ],
)
def test_a_secret_among_the_files_that_a_report_is_built_from_stops_packing(
    small: Report, tmp_path: Path, name: str, text: str, said: str
) -> None:
    project = Project(tmp_path / "project")
    shutil.copytree(small.project.root, project.root, ignore=shutil.ignore_patterns(".cache"))
    (project.root / name).parent.mkdir(parents=True, exist_ok=True)
    (project.root / name).write_text(text, "utf-8")
    folder = project.reports / small.folder.name
    inputs = manifest_of(folder)["inputs"]
    with_manifest(folder, "inputs", inputs | {name: sha256_of_file(project.root / name)})
    with pytest.raises(RenderError, match=said) as caught:
        contents_of(project, folder.name)
    assert caught.value.where == name
    assert "build again" in str(caught.value)


def test_a_report_that_was_changed_or_is_not_that_of_the_project_is_not_packed(
    small: Report, tmp_path: Path
) -> None:
    project = Project(tmp_path / "project")
    shutil.copytree(small.project.root, project.root, ignore=shutil.ignore_patterns(".cache"))
    with pytest.raises(RenderError, match=r"no report of version '9\.9'"):
        pack(project, contents_of(project, "9.9"))
    page = project.reports / small.folder.name / "html" / "index.html"
    before = page.read_text("utf-8")
    page.write_text(before + " ", "utf-8")
    with pytest.raises(RenderError, match="changed after it was built"):
        pack(project, contents_of(project, small.folder.name))
    page.write_text(before, "utf-8")
    project.book.write_text(project.book.read_text("utf-8") + "\n", "utf-8")
    with pytest.raises(RenderError, match="no longer what the report was built from"):
        pack(project, contents_of(project, small.folder.name))


def test_nothing_changed_between_a_report_and_itself(small: Report) -> None:
    assert changes(small.folder, small.folder) == []


@pytest.fixture
def edition(small: Report, tmp_path: Path) -> Callable[[str], Path]:
    """Gives a copy of the built report, to be changed."""

    def copy(name: str) -> Path:
        return Path(shutil.copytree(small.folder, tmp_path / name))

    return copy


def test_a_table_of_a_report_that_is_called_as_the_page_of_remarks_has_its_changes_told(
    edition: Callable[[str], Path],
) -> None:
    old, new = edition("old"), edition("new")
    for folder, value in ((old, 100), (new, 110)):
        csv = f"group,row,column,value,unit,low,high,cells\n,2 KB,A,{value},msg,95,115,\n"
        (folder / "html" / "data" / "tbl-remarks-per-hour.csv").write_text(csv, "utf-8")
    parameters = ReportParameters(title=manifest_of(old)["report"]["title"], version="9.9")
    page = changes_writer(old, parameters)(new, {}).notebook
    assert "tbl-remarks-per-hour: 2 KB, A" in json.dumps(page)


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


def test_a_number_that_changed_alike_in_several_places_is_told_once(
    edition: Callable[[str], Path],
) -> None:
    old, new = edition("old"), edition("new")
    own, made = (Path("html") / "data" / name for name in ("fig-own.csv", "tbl-made.csv"))
    for folder, rate, low in ((old, 71357.744826, 70492.71), (new, 60653.586206, 59918.31)):
        high = 2 * rate - low
        head = "point,rate,rate_low,rate_high\n"
        (folder / own).write_text(f"{head}a,{rate},{low},{high}\n", "utf-8")
        (folder / made).write_text(f"row,column,value,unit\n1 KB,Rate,{rate:.10g},msg\n", "utf-8")
    (one,) = changes(old, new)
    assert (one.where, one.old, one.new) == ("fig-own: a, rate", "71357.7", "60653.6")
    assert (one.beyond, one.also) == (True, ("tbl-made: 1 KB, Rate",))
    assert one.size == "-15 %, beyond both intervals, also in 1 more place"
    head = "row,column,value,unit,low,high\n"
    (old / made).write_text(f"{head}a,Rate,71357.744826,msg,60000,80000\nb,Errors,1,,,\n", "utf-8")
    (new / made).write_text(f"{head}a,Rate,60653.586206,msg,60000,80000\nb,Errors,2,,,\n", "utf-8")
    (old / own).write_text("point,errors\na,1\n", "utf-8")
    (new / own).write_text("point,errors\na,2\n", "utf-8")
    assert [(found.beyond, found.also) for found in changes(old, new)] == [
        (None, ()), (None, ()), (False, ()),
    ]  # fmt: skip


def test_another_number_of_a_table_or_a_chapter_is_no_changed_sentence(
    edition: Callable[[str], Path],
) -> None:
    old, new = edition("old"), edition("new")
    page = (
        '<main><p class="eyebrow">Chapter {0}</p><h2><span class="heading-number">{0}.1</span> '
        'Peaks</h2><p>See <a href="#tbl-{1}" class="ref">Table {0}.1</a>.</p></main>'
    )
    (old / "html" / "index.html").write_text(page.format(4, "peaks"), "utf-8")
    (new / "html" / "index.html").write_text(page.format(3, "peaks"), "utf-8")
    assert changes(old, new) == []
    (new / "html" / "index.html").write_text(page.format(3, "times"), "utf-8")
    (one,) = changes(old, new)
    assert (one.old, one.new) == ("See Table 4.1.", "See Table 3.1.")
    cell = (
        '<main><table><tr><td><a href="#tbl-{0}" class="ref">Table 1</a></td></tr></table></main>'
    )
    for folder, name in ((old, "peaks"), (new, "times")):  # cells are compared in the data
        (folder / "html" / "index.html").write_text(cell.format(name), "utf-8")
    assert changes(old, new) == []


def test_a_column_that_only_the_newer_edition_has_is_told(edition: Callable[[str], Path]) -> None:
    old, new = edition("old"), edition("new")
    name = Path("html") / "data" / "tbl-made.csv"
    (old / name).write_text("row,value\n2 KB,100\n", "utf-8")
    (new / name).write_text("row,value,note\n2 KB,100,doubtful\n", "utf-8")
    (one,) = changes(old, new)
    assert (one.kind, one.where) == ("cell", "tbl-made: 2 KB, note")
    assert (one.old, one.new) == ("", "doubtful")


def test_a_point_of_a_log_that_changed_is_found_again(edition: Callable[[str], Path]) -> None:
    old, new = edition("old"), edition("new")
    name = Path("html") / "data" / "tbl-made.csv"
    rows = "row_label,metric,value\n{0}-001,cpu,38\n{0}-002,cpu,{1}\n"
    (old / name).write_text(rows.format("lab-csv-ba2c7d7f", 40), "utf-8")
    (new / name).write_text(rows.format("lab-csv-23574dab", 41), "utf-8")
    (one,) = changes(old, new)
    assert (one.kind, one.where, one.old, one.new) == (
        "number", "tbl-made: lab-csv-002, cpu", "40", "41",
    )  # fmt: skip
    for folder, date in ((old, 20240101), (new, 20240202)):  # other points, as a date tells
        (folder / name).write_text(f"row_label,metric,value\nnight-{date}-001,cpu,38\n", "utf-8")
    assert {found.kind for found in changes(old, new)} == {"cell"}
    assert len(changes(old, new)) == 2


@pytest.mark.parametrize(
    ("text", "shown"), [("1234.50", "1,234.5"), ("1.5e-05", "1.5e-05"), ("2E+20", "2E+20")]
)
def test_numbers_of_changes_are_written_as_decimals_or_as_the_data_have_them(
    text: str, shown: str
) -> None:
    assert _Page([], "1.0", {}, {}, NumberFormat("1,234.5")).number(text) == shown


SIGN = '<a class="anchor" href="#it" aria-label="Link to it">#</a>'


def test_a_changed_sentence_verdict_and_table_are_told(edition: Callable[[str], Path]) -> None:
    old, new = edition("old"), edition("new")
    data = Path("html") / "data"
    ledger = "report,id,verdict\nacme,fast,{}\n"
    (old / data / "tbl-ledger.csv").write_text(ledger.format("holds"), "utf-8")
    (new / data / "tbl-ledger.csv").write_text(ledger.format("contradicted"), "utf-8")
    (new / data / "fig-new.csv").write_text("series,at,value\n", "utf-8")
    page = new / "html" / "index.html"
    text = page.read_text("utf-8")
    page.write_text(
        text.replace("</main>", f"<p>A sentence that is new.{SIGN}</p></main>"), "utf-8"
    )
    found = [(one.kind, one.where, one.old, one.new) for one in changes(old, new)]
    assert found == [
        ("claim", "acme/fast", "holds", "contradicted"),
        ("sentence", "index.html", "", "A sentence that is new."),
        ("table", "fig-new", "", "present"),
    ]


def test_files_of_the_edition_that_one_is_compared_with_are_no_change(
    small: Report, edition: Callable[[str], Path]
) -> None:
    new = edition("new")
    with_manifest(new, "parameters", {"changes_since": "reports/1.0.0"})
    inputs = manifest_of(new)["inputs"]
    raw = {f"data/campaigns/a/{name}": "0" for name in ("raw/1.zst", "raw/2.zst", "manifest.yml")}
    others = {"reports/1.0.0/html/a.html": "0", "data/a.csv": "0"}
    with_manifest(new, "inputs", inputs | others | raw)
    found = [one.where for one in changes(small.folder, new)]
    assert found == [
        "changes_since", "data/a.csv", "data/campaigns/a/manifest.yml",
        "files of data/campaigns/a/raw",
    ]  # fmt: skip


def test_which_edition_a_page_is_of_is_no_changed_sentence(
    edition: Callable[[str], Path],
) -> None:
    folders = edition("old"), edition("new")
    facts = [{"version": "1.0", "date": "2026-01-02", "commit": ""},
             {"version": "1.1-rc", "date": "2026-03-04", "commit": "0123456789"}]  # fmt: skip
    days = "2 January 2026", "4 March 2026"
    for folder, own, day in zip(folders, facts, days, strict=True):
        content = manifest_of(folder)
        content["report"] |= own
        del content["manifest"]
        content["manifest"] = sha256_of_json(content)
        text = json.dumps(content, indent=2, ensure_ascii=False) + "\n"
        (folder / "manifest.json").write_text(text, "utf-8")
        shown = "".join(f"<dd>{one}</dd>" for one in (own["version"], day, own["commit"]))
        page = f"<main><dl>{shown}</dl><p>It needs {own['version']}.</p></main>"
        (folder / "html" / "index.html").write_text(page, "utf-8")
        rows = "".join(f"{name},{value}\n" for name, value in own.items())
        (folder / "html" / "data" / "tbl-own.csv").write_text(f"name,value\n{rows}", "utf-8")
    found = [(one.kind, one.where, one.old, one.new) for one in changes(*folders)]
    assert found == [("sentence", "index.html", "It needs 1.0.", "It needs 1.1-rc.")]


def test_what_is_no_report_cannot_be_compared(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="neither a packet nor a built report"):
        report_in(tmp_path)
    for command in (["verify", str(tmp_path)], ["unpack", str(tmp_path), str(tmp_path / "new")]):
        said = refused(answer(*command), "neither a packet nor a built report")
        assert f"error: {tmp_path}: " in said, "what was named, and no temporary folder"


def test_the_commands_say_what_they_found(
    packet: Path, opened: Path, small: Report, tmp_path: Path
) -> None:
    page = tmp_path / "verification.html"
    done = answer("verify", str(packet), "--page", str(page))
    assert done.returncode == 0, done.stderr
    assert "Sums: pass" in page.read_text("utf-8")
    assert f", version {small.folder.name}" in page.read_text("utf-8")
    unseen = ("This was the sample of seed 1", "are checked by --rebuild alone")
    for said in (*unseen, sha256_of_file(packet), f"By Roundtrip {__version__}"):
        assert said in page.read_text("utf-8")
    answer("verify", str(packet), "--all", "--page", str(page))
    assert [said in page.read_text("utf-8") for said in unseen] == [False, True]
    (opened / "report" / "report.pdf").write_bytes(b"%PDF other")
    done = answer("verify", str(opened), "--format", "json")
    assert done.returncode == 1
    rows = {row["check"]: row for row in json.loads(done.stdout)}
    assert rows["sums"]["details"] == ["report/report.pdf was changed"]
    assert "nothing changed" in answer("diff", str(packet), str(packet)).stdout
    assert "there is no such archive" in refused(answer("verify", str(tmp_path / "none.zip")))
    done = answer("verify", str(packet), "--page", str(tmp_path))
    assert done.returncode == 2
    assert "is a directory" in done.stderr
    message = refused(answer("diff", "none.zip", str(packet), cwd=tmp_path))
    assert message.startswith("error: none.zip: is neither an archive nor a folder")


def test_a_table_that_cannot_be_read_is_named(opened: Path, small: Report) -> None:
    table = opened / "report" / "html" / "data" / "tbl-peaks.csv"
    table.write_text(f"row,value\n{'x' * 200_000},1\n", "utf-8")
    assert by_check(origins(opened, None))["numbers"].outcome.value == "fail"
    with pytest.raises(DataError, match="is no table"):
        changes(small.folder, report_in(opened))


@pytest.mark.parametrize(
    ("content", "checks"),
    [
        (b"row,value\n\xff,1\n", {"numbers"}),
        (b"subject,rule,verdict\nacme,fast,\xff\n", {"numbers", "methodology"}),
        (b"subject,rule,verdict\nacme\nacme,fast,pass,more\n", {"methodology"}),
    ],
)
def test_hostile_data_of_a_packet_fail_what_rests_on_them(
    opened: Path, content: bytes, checks: set[str]
) -> None:
    (opened / "report" / "html" / "data" / "tbl-peaks.csv").write_bytes(content)
    found = by_check(origins(opened, None))
    assert {name for name, one in found.items() if one.outcome.value == "fail"} >= checks


def test_a_verdict_is_checked_in_every_table_that_lists_it(opened: Path) -> None:
    for name, verdict in (("tbl-one", "pass"), ("tbl-two", "fail")):
        table = opened / "report" / "html" / "data" / f"{name}.csv"
        table.write_text(f"subject,rule,verdict\nacme,fast,{verdict}\n", "utf-8")
    details = by_check(origins(opened, None))["methodology"].details
    assert [line.partition(": ")[0] for line in details] == ["data/tbl-one.csv", "data/tbl-two.csv"]


def test_without_readable_observations_nothing_is_assessed(opened: Path) -> None:
    table = next((opened / "project" / "data" / "published").glob("*/table-03.csv"))
    table.write_text("no,table\n", "utf-8")
    found = by_check(origins(opened, None))
    (line,) = found.pop("observations").details
    assert line.startswith("project/data/published/")
    assert {one.outcome.value for one in found.values()} == {"not assessable"}
    assert {"numbers", "points", "claims", "methodology"} <= found.keys()


ITS_RUN = "persistent-2048b-0-asynchronous-namespaces-c8-r1"


@pytest.fixture
def backlog(tmp_path: Path) -> Path:
    """Give a measured campaign in a project of its own, below what is verified."""
    name = "data/campaigns/backlog-quick"
    copy_project(tmp_path / "project", ("_quarto.yml", "data/dictionary.yml", name))
    return tmp_path / "project" / name


@pytest.mark.parametrize(
    ("pattern", "instead", "told"),
    [
        ("", "", ""),
        (f"({ITS_RUN},.*),2048,8,", r"\1,2048,9,", "requesters is 8, not 9"),
        (
            ",0,backlog_messages,single,1",
            ",0,backlog_messages,single,2",
            "backlog_messages single 0",
        ),
        (r"\n.*,message_rate,mean,.*", "", "not left out"),
        (r"(,message_rate,mean,.*)", r"\g<1>1", "message_rate mean is "),
        (r"(\n.*,message_rate,mean,.*)", r"\1\1", "message_rate mean stands there 2 times"),
        (f"(\n{ITS_RUN},.*)+", "", "it has no points"),
    ],
    ids=[
        "nothing",
        "a factor",
        "over time",
        "a value less",
        "one digit more",
        "a row twice",
        "a run less",
    ],
)
def test_points_are_all_that_raw_files_come_to(
    backlog: Path, tmp_path: Path, pattern: str, instead: str, told: str
) -> None:
    points = backlog / "points.csv"
    points.write_text(re.sub(pattern, instead, points.read_text("utf-8"), count=1), "utf-8")
    found = by_check(origins(tmp_path, None))["points"]
    assert found.outcome.value == ("fail" if told else "pass")
    assert len(found.details) == bool(told)
    assert told in "".join(found.details)
    assert ("; runs that do not: 1" in found.told) == bool(told)


@pytest.mark.parametrize(
    ("pattern", "instead", "told"),
    [
        (r"(started: .2026-11-)\d+", r"\g<1>30", "in no session of block 1"),
        (r"(ended: .2026-11-)\d+", r"\g<1>01", "in no session of block 1"),
        (r"block: 1", "block: 2", "in no session of block 1"),
        (r"(raw_sha256: '?)\w+", rf"\g<1>{'f' * 64}", "another hash in the manifest"),
        (r"\nbroker: .*", "\nbroker: Acme", "broker is embedded Apache Artemis, not Acme"),
        (r"broker_restarted: true", "broker_restarted: false", "restarted is True, not False"),
        (r"\nproduct_version: .*", "\nproduct_version: '9'", ", not Apache Artemis 9"),
        (r"(\nproduct_version: [\d.]+)", r"\g<1>1", "its broker was "),
        (r"sync_transactional: true", "sync_transactional: false", "among the configurations"),
        (f"(?s)\n- run: {ITS_RUN}\n.*?(?=\n- run|\n[a-z])", "", f"{ITS_RUN}.ndjson.zst is in no"),
    ],
)
def test_a_manifest_says_of_runs_what_their_raw_files_say(
    backlog: Path, tmp_path: Path, pattern: str, instead: str, told: str
) -> None:
    manifest = backlog / "manifest.yml"
    text, count = re.subn(pattern, instead, manifest.read_text("utf-8"))
    assert count
    manifest.write_text(text, "utf-8")
    points = backlog / "points.csv"
    if ITS_RUN in told:
        points.write_text(re.sub(f"\n{ITS_RUN},.*", "", points.read_text("utf-8")), "utf-8")
    found = by_check(origins(tmp_path, None))["points"]
    assert found.outcome.value == "fail"
    assert told in "".join(found.details)


@pytest.mark.parametrize(
    ("words", "outcome"),
    [
        ('class="cell" title="x">1.2.3', "pass"),
        (">“Sizes: 1024 Bytes”", "pass"),
        (">“Sizes: 1024 Bytes” (2)", "pass"),
        (">“Sizes: 1024 Bytes”: 1024.75", "fail"),
    ],
)
def test_a_page_with_what_is_nearly_a_number_is_read(
    opened: Path, words: str, outcome: str
) -> None:
    (page,) = (opened / "report" / "html").glob("10-*.html")
    text = page.read_text("utf-8")
    anchor = text[text.index("#cell-") :].partition('"')[0]
    space = "" if words.startswith(">") else " "
    link = f'<a href="95-source-tables.html{anchor}"{space}{words}</a></main>'
    page.write_text(text.replace("</main>", link), "utf-8")
    assert by_check(origins(opened, None))["numbers"].outcome.value == outcome


@pytest.mark.parametrize(
    ("before", "after", "wrong"),
    [
        ("", "", 0),
        ("", "9", 1),
        ('<th id="{}">c1-r2</th><td>', "</td><td>–</td>", 0),
        ('<th id="{}">c1-r2</th><td>9', "</td>", 1),
    ],
    ids=["as it is", "a cell", "a later run", "a cell of a later run"],
)
def test_a_changed_cell_that_numbers_lead_to_is_found_although_all_sums_are_right(
    opened: Path, before: str, after: str, wrong: int
) -> None:
    page = opened / "report" / "html" / "95-source-tables.html"
    text = page.read_text("utf-8")
    found = re.search(r'<td id="(cell-[^"]+)">(\d[\d,]+)</td>', text)
    assert found
    anchor, number = found.groups()
    if before:
        row = f"<table><tr>{before.format(anchor)}{number}{after}</tr></table>"
        text = text.replace("</main>", f"{row}</main>")
    else:
        text = text.replace(found[0], found[0].replace("</td>", f"{after}</td>"))
    page.write_text(text, "utf-8")
    cells = by_check(origins(opened, None))["cells"]
    assert len(cells.details) == wrong, cells
    assert wrong == (cells.outcome.value == "fail")
    assert anchor in "".join(cells.details) or not wrong


def with_manifest(report: Path, part: str, value: dict[str, object]) -> None:
    """Change a part of a report's manifest, None takes a key away, and write its own hash anew."""
    path = report / "manifest.json"
    manifest = json.loads(path.read_text("utf-8"))
    del manifest["manifest"]
    changed = {**(manifest[part] if part in ("report", "parameters") else {}), **value}
    manifest[part] = {key: one for key, one in changed.items() if one is not None}
    sealed = {**manifest, "manifest": sha256_of_json(manifest)}
    path.write_text(json.dumps(sealed, indent=2, ensure_ascii=False) + "\n", "utf-8")


def test_claims_are_judged_by_the_word_limits_that_the_build_was_given(opened: Path) -> None:
    entry = constant(9, chapter="10-peaks", expect={"word": "similar"})
    write_claims(Project(opened / "project"), entry)
    (opened / "report" / "html" / "data" / "tbl-claims.csv").write_text(
        f"report,id,verdict\n{V94},a-claim,holds\n", "utf-8"
    )
    (line,) = by_check(origins(opened, None))["claims"].details
    assert "'contradicted' by the data, and 'holds' in the report" in line
    with_manifest(opened / "report", "parameters", {"word_limits": {"similar": [-10, 10]}})
    assert by_check(origins(opened, None))["claims"].outcome.value == "pass"


@pytest.mark.parametrize(
    ("part", "value", "says"),
    [
        ("checks", {"failed": 5}, "checks.failed"),
        ("parameters", {"number_format": "x"}, "parameters.number_format"),
        ("report", {"version": "../../../out"}, "report.version"),
        ("report", {"timestamp": None}, "report.timestamp"),
        ("engine", {}, "engine.name"),
        ("inputs", {"a": 1}, "inputs.a"),
    ],
)
def test_a_hostile_manifest_is_refused(
    edition: Callable[[str], Path], part: str, value: dict[str, object], says: str
) -> None:
    old, new = edition("old"), edition("new")
    with_manifest(new, part, value)
    with pytest.raises(RenderError, match=f"is not a manifest: {says}"):
        changes(old, new)


def test_what_somebody_computed_before_is_not_believed(opened: Path, tmp_path: Path) -> None:
    project = Project(opened / "project")
    honest = by_check(origins(opened, None))["observations"]
    for kept in (project.cache / "observations").iterdir():
        Cache(project.cache).put("observations", kept.name, b"no table")
    assert by_check(examined(opened, None, None))["observations"] == honest


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    """A folder with keys of two people, and a file for each that lets that one sign."""
    for name in ("alice", "mallory"):
        key = tmp_path / name
        subprocess.run(
            ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", str(key)], check=True
        )
        public = key.with_suffix(".pub").read_text("utf-8")
        key.with_suffix(".signers").write_text(f"{name}@example.com {public}", "utf-8")
    return tmp_path


@pytest.mark.thorough
def test_a_signature_is_held_to_the_signers_that_a_reviewer_names(
    small: Report, keys: Path, packet: Path
) -> None:
    done = answer("pack", "--sign", str(keys / "alice"), project=small.project)
    assert done.returncode == 0, done.stderr
    made = small.project.reports / packet.name
    signed = made.replace(keys / "signed.zip")
    folder = open_packet(signed, keys / "signed")

    def told(source: Path, *signers: str) -> tuple[str, str]:
        given = [part for name in signers for part in ("--signers", str(keys / name))]
        rows = json.loads(answer("verify", str(source), *given, "--format", "json").stdout)
        found = {row["check"]: row for row in rows}
        assert found["sums"]["outcome"] == "pass", "a signature is no added file"
        return found["signature"]["outcome"], found["signature"]["told"]

    outcome, words = told(signed)
    assert (outcome, "not checked" in words) == ("not assessable", True)
    assert "ED25519 key SHA256:" in words
    outcome, words = told(signed, "alice.signers")
    assert (outcome, words.split(",")[0]) == ("pass", "signed by alice@example.com")
    assert told(signed, "mallory.signers")[0] == "fail"
    assert told(packet) == ("not assessable", "nobody signed it")
    assert told(packet, "alice.signers") == ("fail", "nobody signed it")
    (folder / "README.md").write_text("Trust me.\n", "utf-8")
    sealed(folder, without="SHA256SUMS.sig")
    assert told(folder, "alice.signers") == ("fail", "it is of other sums")


def test_what_cannot_be_signed_or_checked_is_refused_before_any_work(
    small: Report, packet: Path, keys: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (keys / "none").write_text("no key\n", "utf-8")
    done = answer("pack", "--sign", str(keys / "none"), project=small.project)
    assert "is no key of OpenSSH" in refused(done, "ssh-keygen -t ed25519")
    done = answer("verify", str(packet), "--signers", str(keys / "nobody"))
    assert "no such file of signers" in refused(done)
    monkeypatch.setenv("PATH", str(keys))
    with pytest.raises(SetupError, match="not installed"):
        pack(small.project, contents_of(small.project, small.folder.name), keys / "alice")
    with pytest.raises(SetupError, match="not installed"):
        verify(packet, signers=keys / "alice.signers")
    assert not (small.project.reports / packet.name).exists()


def test_a_packet_opens_for_work_and_its_chapters_run_from_it_alone(
    packet: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import nbformat
    from nbclient import NotebookClient

    folder = tmp_path / "work"
    done = answer("unpack", str(packet), str(folder))
    assert done.returncode == 0, done.stderr
    assert "Sums: pass" in (folder / "verification.html").read_text("utf-8")
    head = (folder / "observations.csv").read_text("utf-8").partition("\n")[0]
    assert "observation_id" in head
    chapter = nbformat.read(folder / "project" / "notebooks" / "10-peaks.ipynb", 4)
    before = [cell.outputs for cell in chapter.cells if cell.cell_type == "code"]
    assert any("image/svg+xml" in output.get("data", {}) for one in before for output in one)
    # One cell sets the parameters, so that a change of it is no change without an effect.
    assert [cell for cell in chapter.cells if "injected-parameters" in tags_of(cell)] == []
    (given,) = (cell.source for cell in chapter.cells if "parameters" in tags_of(cell))
    assert given.startswith("# Parameters\n")
    chapter.cells.append(
        nbformat.v4.new_code_cell(
            "import roundtrip\nfrom roundtrip.project import find_project\n"
            "print(roundtrip.__file__, find_project().root)"
        )
    )
    monkeypatch.setenv("PYTHONPATH", str(folder / "tool"))
    NotebookClient(
        chapter, timeout=None, kernel_name="python3",
        resources={"metadata": {"path": str(folder / "project" / "notebooks")}},
    ).execute()  # fmt: skip
    assert chapter.cells[-1].outputs[0].text.split() == [
        str(folder / "tool" / "roundtrip" / "__init__.py"), str(folder / "project"),
    ]  # fmt: skip
    with pytest.raises(ParameterError, match="not empty"):
        unpack(packet, folder)


def test_no_text_of_a_packet_is_a_formula_in_its_table(
    packet: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def load(project: Project) -> Observations:
        found = Observations(project, "", ())
        found.table = pa.table({"row_label": ["=HYPERLINK(0)", "2 KB"], "value": [-1.0, 2.0]})
        return found

    monkeypatch.setattr("roundtrip.packet.verify.load_observations", load)
    unpack(packet, tmp_path / "work")
    said = (tmp_path / "work" / "observations.csv").read_text("utf-8").splitlines()
    assert said == ['"row_label","value"', '"\x27=HYPERLINK(0)",-1', '"2 KB",2']


def changed(small: Report, folder: Path, change: Callable[[Project], object]) -> Report:
    """Build the small report again after a change of its project."""
    project = Project(folder)
    shutil.copytree(small.project.root, folder, ignore=shutil.ignore_patterns(".cache", "reports"))
    share_cache(small.project, project)
    change(project)
    done = roundtrip("build", "--engine", "embedded", project=project)
    assert done.returncode == 0, done.stderr
    return Report(project, next(project.reports.iterdir()))


@pytest.mark.thorough
def test_a_changed_cell_is_all_that_diff_tells(small: Report, tmp_path: Path) -> None:
    def change(project: Project) -> None:
        # The source prints it twice, and a check sees where only one of the two is changed.
        for table in ("table-03", "table-06"):
            edit(project.published / V94 / f"{table}.csv", "370,602", "379,602")

    new = changed(small, tmp_path / "new", change)
    found = changes(small.folder, new.folder)
    assert found[0].kind == "number"
    assert (float(found[0].old), float(found[0].new)) == (370602, 379602)
    assert found[0].relative == pytest.approx(9000 / 370602)
    files = [one.where for one in found if one.kind == "file"]
    assert files == [f"data/published/{V94}/{name}.csv" for name in ("table-03", "table-06")]
    for one in found[: -len(files)]:
        assert "370" in one.old, one
        assert "379" in one.new, one


def test_a_changed_sentence_is_all_that_diff_tells(small: Report, tmp_path: Path) -> None:
    def change(project: Project) -> None:
        edit(project.notebooks / "10-peaks.ipynb", "drawn in @fig-rr.", "drawn in @fig-rr, too.")

    new = changed(small, tmp_path / "new", change)
    sentence, file = changes(small.folder, new.folder)
    assert (sentence.kind, sentence.where) == ("sentence", "10-peaks.html")
    assert sentence.new == sentence.old.removesuffix(".") + ", too."
    assert (file.kind, file.where, file.new) == ("file", "notebooks/10-peaks.ipynb", "changed")


@pytest.mark.parametrize("content", [b"\xff", b"0123abc 999999999999\n"])
def test_a_file_that_names_no_commit_dates_nothing(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "COMMIT").write_bytes(content)
    assert find_commit(tmp_path, "2026-11-21") == Commit("", 1795219200)


def test_a_commit_that_git_gives_in_part_is_not_built(tmp_path: Path) -> None:
    project = small_project(tmp_path / "p")
    (project.root / "outside").symlink_to("/etc")
    commit_all(project)
    with pytest.raises(DataError, match="holds what no project may"), built_at(project, "HEAD"):
        pass
    git(project.root, "rm", "--quiet", "outside")
    entry = f"160000,{git(project.root, 'rev-parse', 'HEAD')},data/other"
    git(project.root, "update-index", "--add", "--cacheinfo", entry)
    git(project.root, "commit", "--quiet", "--no-gpg-sign", "--message=Sub")
    with pytest.raises(DataError, match="holds submodules"), built_at(project, "HEAD"):
        pass


@pytest.mark.thorough
def test_an_edition_is_built_again_among_others(small: Report, small_copy: Project) -> None:
    """Reports that are kept with the project, one of which the edition is compared with."""
    shutil.copytree(small.project.reports, small_copy.reports)
    older = f"reports/{small.folder.name}"
    change_yaml(small_copy.params / "report.yml", {"version": "9.9", "changes_since": older})
    edit(small_copy.notebooks / "10-peaks.ipynb", "drawn in @fig-rr.", "drawn in @fig-rr, too.")
    done = roundtrip("build", "--engine", "embedded", project=small_copy)
    assert done.returncode == 0, done.stderr
    listed = list((small_copy.reports / "9.9" / "html" / "data").glob("tbl-changes*.csv"))
    assert listed
    assert not [path for path in listed if "compare.html" in path.read_text("utf-8")]
    found = by_check(
        verify(pack(small_copy, contents_of(small_copy, "9.9")), again=True, here=True)
    )
    assert found["rebuild"].outcome.value == "pass", found["rebuild"]
    git(small_copy.root, "init", "--quiet")
    git(small_copy.root, "add", "--force", "reports")
    commit_all(small_copy)
    with built_at(small_copy, "HEAD") as folder:
        assert manifest_of(folder)["report"]["version"] == "9.9"


@pytest.mark.thorough
def test_two_commits_are_compared_by_their_editions(tmp_path: Path) -> None:
    project = small_project(tmp_path / "p")

    def git(*arguments: str) -> None:
        who = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
        subprocess.run(["git", "-C", str(project.root), *who, *arguments], check=True)

    git("init", "--quiet")
    git("add", ".")
    git("commit", "--quiet", "-m", "One")
    edit(project.notebooks / "10-peaks.ipynb", "drawn in @fig-rr.", "drawn in @fig-rr, too.")
    git("commit", "--quiet", "-am", "Two")
    done = roundtrip("diff", "HEAD~1", "HEAD", "--format", "json", project=project)
    assert done.returncode == 0, done.stderr
    assert [(one["kind"], one["where"]) for one in json.loads(done.stdout)] == [
        ("sentence", "10-peaks.html"),
        ("file", "notebooks/10-peaks.ipynb"),
    ]  # fmt: skip
    edit(project.notebooks / "10-peaks.ipynb", "drawn in @fig-rr, too.", "drawn in @fig-none.")
    git("commit", "--quiet", "-am", "Three")
    done = roundtrip("diff", "HEAD~1", "HEAD", project=project)
    assert done.returncode == 1
    assert "cannot be built with the Roundtrip that is installed" in done.stderr
    assert "fig-none" in done.stderr
    assert not project.reports.exists(), "the project itself is left alone"


@pytest.mark.parametrize("name", ["no-such-name", "--output=x", "HEAD"])
def test_what_is_no_edition_is_refused(tmp_path: Path, name: str) -> None:
    project = small_project(tmp_path / "p")  # in no repository
    done = answer("diff", "--", name, name, project=project)
    assert done.returncode == 1
    assert "is neither an archive nor a folder nor a commit of the project" in done.stderr
    assert not list(tmp_path.glob("x*"))


def test_a_picture_that_is_drawn_otherwise_is_told(edition: Callable[[str], Path]) -> None:
    old, new = edition("old"), edition("new")
    edit(new / "html" / "notebooks" / "10-peaks.ipynb", "Responder", "Answerer")
    (one,) = changes(old, new)
    assert (one.kind, one.where) == ("picture", "fig-rr")
    assert "Responder" in one.old
    assert "Answerer" in one.new


def test_another_version_of_a_library_is_all_that_diff_tells(
    edition: Callable[[str], Path],
) -> None:
    old, new = edition("old"), edition("new")
    content = manifest_of(new)
    was = content["libraries"]["pandas"]
    content["libraries"]["pandas"] = "3.99"
    del content["manifest"]
    content["manifest"] = sha256_of_json(content)
    text = json.dumps(content, indent=2, ensure_ascii=False) + "\n"
    (new / "manifest.json").write_text(text, "utf-8")
    (one,) = changes(old, new)
    assert (one.kind, one.where, one.old, one.new) == ("environment", "pandas", was, "3.99")


@pytest.mark.thorough
def test_an_edition_in_another_number_format_verifies_and_compares(
    small: Report, tmp_path: Path
) -> None:
    def change(project: Project) -> None:
        change_yaml(project.params / "report.yml", {"number_format": "1.234,5"})

    other = changed(small, tmp_path / "other", change)
    assert "370.602" in (other.html / "10-peaks.html").read_text("utf-8")
    findings = verify(pack(other.project, contents_of(other.project, other.folder.name)), most=None)
    assert not has_failed(findings), findings
    assert by_check(findings)["numbers"].outcome.value == "pass"
    (one,) = changes(small.folder, other.folder)
    assert (one.kind, one.where, one.new) == ("parameter", "number_format", "1.234,5")


def commands_of(module: str, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Note the commands that a module runs; all of them fail."""
    ran: list[list[str]] = []

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        ran.append(command)
        return subprocess.CompletedProcess(command, 1, "", "it fails")

    monkeypatch.setattr(f"roundtrip.packet.{module}.subprocess", SimpleNamespace(run=run))
    return ran


@pytest.mark.parametrize("failed", [["a-rule"], []])
def test_what_was_built_although_checks_failed_is_rebuilt_so(
    failed: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "report").mkdir()
    text = made_manifest(ReportParameters(), failed=failed)
    (tmp_path / "report" / "manifest.json").write_text(text, "utf-8")
    ran = commands_of("rebuild", monkeypatch)
    (found,) = rebuild(tmp_path, here=True)
    assert found.details == ("it fails",)
    assert ("--allow-failed-checks" in ran[0]) == bool(failed)


def test_a_commit_is_built_although_checks_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = small_project(tmp_path / "p")
    commit_all(project)
    ran = commands_of("at_commit", monkeypatch)
    with pytest.raises(DataError, match="cannot be built"), built_at(project, "HEAD"):
        pass
    assert "--allow-failed-checks" in ran[0]


def test_a_rebuild_is_asked_for(packet: Path) -> None:
    done = roundtrip("verify", str(packet), "--rebuild")
    assert done.returncode == 1
    assert "executes the chapters" in done.stderr
    assert "error: nobody answered" in done.stderr
    gone = answer("verify", str(packet / "gone.zip"), "--rebuild")
    assert "executes the chapters" not in refused(gone, "gone.zip")


def test_here_is_where_something_is_built_again(packet: Path) -> None:
    assert "--here" in refused(answer("verify", str(packet), "--here"), "--rebuild")


@pytest.mark.thorough
def test_a_report_built_again_here_has_the_same_bytes_and_a_changed_sentence_is_named(
    packet: Path, opened: Path
) -> None:
    done = roundtrip("verify", str(packet), "--rebuild", "--here", "--yes", "--format", "json")
    assert done.returncode == 0, done.stdout + done.stderr
    rebuilt = {row["check"]: row for row in json.loads(done.stdout)}["rebuild"]
    assert rebuilt["outcome"] == "pass"
    assert rebuilt["told"].endswith("built with what is installed here")
    edit(opened / "project" / "notebooks" / "10-peaks.ipynb", "drawn in @fig-rr.", "in @fig-rr.")
    found = by_check(verify(opened, again=True, here=True))
    (sentence, others) = found["rebuild"].details
    assert sentence.startswith("sentence: 10-peaks.html: The printed cells are in ")
    assert "html/10-peaks.html" in others
    assert found["causes"].details == ("file: notebooks/10-peaks.ipynb: present became changed",)


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that pip takes packages from, and no other place."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


@pytest.mark.thorough
def test_a_report_is_built_again_by_what_its_packet_pins_and_another_version_is_named(
    opened: Path, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # One package stands for all: it makes the libraries of these tests known. The other one is
    # known by its version alone.
    libraries = wheel(index, "libraries", "1.0", {"libraries.pth": sysconfig.get_path("purelib")})
    other = wheel(index, "zstandard", "0.0.1", {})
    (opened / "project" / "requirements.lock").write_text(libraries + other, "utf-8")
    monkeypatch.setenv("JUPYTER_PATH", str(Path(sys.prefix) / "share" / "jupyter"))
    monkeypatch.setenv("PYTHONPATH", environment()["PYTHONPATH"])
    found = by_check(verify(opened, again=True))
    assert found["manifest"].details == (
        "project/requirements.lock is not what the report was built from",
    )
    rebuilt = found["rebuild"]
    assert rebuilt.outcome.value == "pass", rebuilt
    assert rebuilt.told.endswith("built with what the packet pins")
    was = manifest_of(opened / "report")["libraries"]["zstandard"]
    assert found["causes"].details == (
        f"environment: zstandard: {was} became 0.0.1",
        "file: requirements.lock: present became changed",
    )  # fmt: skip


def test_packing_names_what_a_rebuild_would_lack(small: Report) -> None:
    contents = contents_of(small.project, small.folder.name)
    assert pinned_otherwise(contents) == []
    libraries = {**contents.manifest["libraries"], "pandas": "0.1", "typst": "0.1"}
    other = replace(contents, manifest={**contents.manifest, "libraries": libraries})
    pandas, typst = pinned_otherwise(other)
    assert pandas.startswith("built with pandas 0.1, and requirements.lock pins 3.")
    assert typst.startswith("built with typst 0.1, ")
    files = {k: v for k, v in contents.files.items() if k != "project/requirements.lock"}
    (lacking,) = pinned_otherwise(replace(contents, files=files))
    assert "--here alone" in lacking


def test_a_packet_is_named_after_its_report_and_says_that_no_commit_holds_it(
    small: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    contents = contents_of(small.project, small.folder.name)
    report = {**contents.manifest["report"], "title": "Acmé Broker 3.1: how fast?"}
    assert name_of(report) == f"acme-broker-3.1-how-fast-{report['version']}"
    assert name_of({**report, "title": "\u6027\u80fd"}) == f"report-{report['version']}"
    assert len(name_of({**report, "title": "word " * 40})) < 70
    for commit, said in (("0123456789-modified", True), ("0123456789", False), ("", False)):
        manifest = {**contents.manifest, "report": {**report, "commit": commit}}
        changed = replace(contents, manifest=manifest)
        monkeypatch.setattr("roundtrip.cli.pack.contents_of", lambda *_, one=changed: one)
        done = answer("pack", project=small.project)
        (small.project.root / done.stdout.strip()).unlink()
        assert ("files that differ from that commit" in done.stderr) == said


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("lock", "error", "says"),
    [
        (None, DataError, "pins no libraries"),
        ("--extra-index-url elsewhere\n", DataError, "where packages come from"),
        ("pandas @ file:pandas.whl\n", DataError, "where packages come from"),
        ("nothing-here==1.0 --hash=sha256:" + "0" * 64, SetupError, "requirement nothing-here"),
        ("known==1.0 --hash=sha256:" + "0" * 64, SetupError, "DO NOT MATCH THE HASHES"),
        ("none-such @@ nothing\n", SetupError, "failed: ERROR: Invalid requirement"),
    ],
)
def test_what_cannot_be_installed_as_it_was_pinned_stops_a_rebuild(
    opened: Path, index: Path, lock: str | None, error: type[Exception], says: str
) -> None:
    wheel(index, "known", "1.0", {})
    path = opened / "project" / "requirements.lock"
    path.unlink()
    if lock is not None:
        path.write_text(lock, "utf-8")
    with pytest.raises(error, match=says):
        verify(opened, again=True)


def test_every_number_of_the_whole_report_is_what_it_says(report: Report, tmp_path: Path) -> None:
    archive = pack(report.project, contents_of(report.project, report.folder.name)).rename(
        tmp_path / "packet.zip"
    )
    findings = verify(archive, most=None)
    assert [one for one in findings if one.outcome.value == "fail"] == []
    assert by_check(findings)["points"].outcome.value == "pass"
