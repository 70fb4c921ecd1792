"""Names that a report must not tell: replaced wherever they stand, and looked for before it is."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import shutil
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import typst
import yaml
import zstandard
from pypdf import PdfReader

from made_campaign import make_campaign
from roundtrip.dictionary import load_dictionary
from roundtrip.errors import DataError, RenderError
from roundtrip.files import sha256_of_file
from roundtrip.ingest.again import read_again
from roundtrip.ingest.manifest import load_inputs
from roundtrip.ingest.session import ingest_paths
from roundtrip.observations import load_observations
from roundtrip.params import resolve_parameters
from roundtrip.project import Project
from roundtrip.redaction.aliases import Aliases
from roundtrip.redaction.copy import left_out_of, write_copy
from roundtrip.redaction.names import Redact, found_in, load_names
from roundtrip.redaction.scan import refuse_leaks
from roundtrip.sources.measured import campaign_folders
from workshop import (
    OPEN,
    answer,
    change_yaml,
    copy_project,
    edit,
    peaks_chapter,
    refused,
    roundtrip,
    small_project,
    tree_of,
    write_notebook,
)

PLANTED = {
    "logs": {"hosts": "log-mq-eins", "queue_managers": "LOGQMA", "paths": "/var/mqm/contoso/log"},
    "manifest": {"hosts": "bench-kiste", "addresses": "10.20.30.41", "users": "eva@contoso.test"},
    "titles": {"names": "Contoso Bank", "sites": "Kreuzberg", "queue_managers": "PAYQM"},
    "authors": {"users": "Eva Muster", "names": "Jörg Beispiel", "sites": "Fabrikam & Söhne"},
    "dictionary": {"names": "Tailspin", "sites": "Wedding Keller", "hosts": "dict-host.lan"},
    "figures": {"hosts": "pic-mq-left", "queue_managers": "PIC.QM", "sites": "Spandau"},
    "captions": {"hosts": "cap-host", "queue_managers": "CAPQM_A", "names": "Northwind"},
    "texts": {"hosts": "text-host", "users": "muster_e", "paths": r"C:\mq\contoso"},
    "files": {"sites": "zurich-dc", "names": "proseware", "hosts": "file-host"},
    "parameters": {"names": "Initech", "sites": "Treptow", "users": "wingtip"},
}  # fmt: skip
"""What is planted in the project, by place and kind. Two are not named, but found."""
NAMES = [name for kinds in PLANTED.values() for name in kinds.values()]
FOUND = (PLANTED["manifest"]["addresses"], PLANTED["manifest"]["users"])


def plant(project: Project) -> None:
    """Put the names into ten kinds of places."""
    logs, manifest, titles, authors, dictionary, figures, captions, texts, files, parameters = (
        list(kinds.values()) for kinds in PLANTED.values()
    )

    def spoil(content: dict, rows: list) -> None:
        raw = project.campaigns / "made-full" / "raw"
        for position, run in enumerate(content["runs"]):
            path = raw / f"{run['run']}.ndjson.zst"
            line = logs[position].swapcase() if position < len(logs) else "nothing to tell"
            path.write_bytes(zstandard.compress(json.dumps({"line": line}).encode()))
            run["raw_sha256"] = sha256_of_file(path)
        content["id"] = files[1]
        content["plan"]["question"] = f"{manifest[0]} at {manifest[1]} by {manifest[2]}?"

    make_campaign(project, spoil)
    (project.campaigns / "made-full").rename(project.campaigns / files[1])
    workloads = project.params / "workloads"
    shutil.copy(workloads / "order-service.yml", workloads / f"{files[2]}.yml")
    declared = project.params / "parameters.yml"
    content = yaml.safe_load(declared.read_text(encoding="utf-8"))
    content["parameters"]["customer"] = {
        "type": "string", "default": parameters[0], "description": f"Who asks, of {parameters[1]}",
    }  # fmt: skip
    declared.write_text(yaml.safe_dump(content, allow_unicode=True), encoding="utf-8")
    named: dict = {}
    for kinds in PLANTED.values():
        for kind, name in kinds.items():
            if name not in FOUND:
                named.setdefault(kind, []).append(name)
    report = {
        "title": f"Rates of {titles[0].upper()}", "subtitle": f"measured in {titles[1]}",
        "notices": [{"title": f"About {titles[2]}", "text": f"Asked by {parameters[2]}."}],
        "authors": authors, "redact": {**named, "find": ["ipv4", "email"]},
    }  # fmt: skip
    change_yaml(project.params / "report.yml", report)
    edit(project.dictionary, "Client machines", f"Machines of {dictionary[0]}")
    edit(project.dictionary, "Machines that ran", f"In {dictionary[1]}, {dictionary[2]} that ran")
    drawing = project.root / "templates" / "diagrams" / "rr-cc.svg"
    edit(drawing, "<title>", f"<title>{figures[0]}, ")
    edit(drawing, "<desc>", f"<desc>{figures[1]} ")
    edit(drawing, "</svg>", f'<text x="8" y="20" font-size="12">{figures[2]}</text></svg>')
    first, second, code, best, table, figure = peaks_chapter()
    assert isinstance(table, tuple)
    assert isinstance(figure, tuple)
    table = (table[0], table[1].replace("Peaks", f"Peaks of {captions[0]} and {captions[1]}"))
    show = f"#| fig-cap: As {captions[2]} drew it\nchapter.topology"
    figure = (figure[0], figure[1].replace("chapter.topology", show))
    words = f"{first}\n\nSeen on {texts[0]} by `{texts[1]}`, with Broker 41."
    (project.params / "names.yml").write_text("names: [Broker 41]\n", encoding="utf-8")
    write_notebook(project, "10-peaks", words, second, code, best, table, figure)
    write_notebook(
        project, f"20-{files[0]}", "# Own words {#sec-own}\n\nThe log names it.",
        ("parameters", "customer = ''"), OPEN,
        ("code", f"place = {texts[2]!r}\n"
         "chapter.text('{who} at {place}: {label}', who=customer, place=place,\n"
         "    label=chapter.factor_label('client_machines'))"),
    )  # fmt: skip
    definition = yaml.safe_load(project.book.read_text(encoding="utf-8"))
    definition["book"]["chapters"].append(f"notebooks/20-{files[0]}.ipynb")
    project.book.write_text(yaml.safe_dump(definition), encoding="utf-8")


def told(files: dict[str, bytes]) -> list[str]:
    """List the planted names that stand in files or in their names, in any writing."""
    texts = list(files)
    for name, content in files.items():
        texts.append(content.decode("utf-8", "ignore"))
        if name.endswith(".zst"):
            texts.append(zstandard.decompress(content).decode())
    text = "\n".join(texts).casefold()
    forms = {
        name: {name, json.dumps(name)[1:-1], quote(name), name.encode("unicode_escape").decode()}
        for name in NAMES
    }
    return [name for name in NAMES if any(form.casefold() in text for form in forms[name])]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project of thirty planted names, built."""
    project = small_project(tmp_path_factory.mktemp("redacted"))
    plant(project)
    assert told(tree_of(project.root)) == NAMES
    done = roundtrip("build", "--redact", "--engine", "embedded", project=project)
    assert done.returncode == 0, done.stderr
    assert not [name for name in NAMES if name.casefold() in done.stderr.casefold()]
    return project


@pytest.mark.thorough
@pytest.mark.slow
def test_neither_report_nor_packet_tells_a_planted_name(built: Project) -> None:
    assert len(set(NAMES)) == 30
    folder = built.reports / "0.1.0"
    files = tree_of(folder)
    assert told(files) == []
    reader = PdfReader(folder / "report.pdf")
    pages = "\n".join(page.extract_text() for page in reader.pages)
    assert told({"pages": f"{pages} {reader.metadata}".encode()}) == []
    # What stands in their place is the same everywhere, and says that it does.
    table = built.cache / "redacted" / "0.1.0" / "aliases.yml"
    aliases = {name: alias for alias, name in yaml.safe_load(table.read_text("utf-8")).items()}
    assert set(aliases) == set(NAMES)
    assert stat.S_IMODE(table.stat().st_mode) == 0o600
    bank = aliases["Contoso Bank"]
    assert bank in files["html/index.html"].decode()
    assert bank in pages
    assert json.loads(files["manifest.json"])["parameters"]["title"] == f"Rates of {bank}"
    assert "In this edition, aliases replace" in pages
    assert f"html/20-{aliases['zurich-dc']}.html" in files
    # Nor does the packet tell one, and it lists what it lacks.
    done = answer("pack", project=built)
    assert done.returncode == 0, done.stderr
    left_out = [line for line in done.stderr.splitlines() if line.startswith("left out: ")]
    assert len(left_out) == 3
    assert "redacted copy" in done.stderr
    with zipfile.ZipFile(next(built.reports.glob("*.zip"))) as packet:
        files = {name: packet.read(name) for name in packet.namelist()}
    assert told({name: text for name, text in files.items() if "/tool/" not in name}) == []
    assert sum("/raw/" in name for name in files) == 5
    (place,) = (name for name in files if name.endswith("/packet.json"))
    about = json.loads(files[place])
    assert [f"left out: {name}, which {rule}" for name, rule in about["left_out"].items()] == (
        left_out
    )
    assert told({"said": done.stderr.encode()}) == []


@pytest.mark.thorough
def test_a_name_that_a_chapter_computes_is_not_published(built: Project, tmp_path: Path) -> None:
    project = Project(tmp_path / "copy")
    shutil.copytree(built.root, project.root)
    folder = project.reports / "0.1.0"
    before = tree_of(folder)
    cell = ("code", "chapter.text('{n}', n='-'.join(['log', 'mq', 'eins']))")
    write_notebook(project, "00-front", "# A report {#sec-front}\n\nSee @sec-peaks.", OPEN, cell)
    said = refused(
        roundtrip("build", "--engine", "embedded", "--overwrite", project=project),
        "html/index.html holds the name of host-1", "report.pdf holds the name of host-1",
    )  # fmt: skip
    assert "log-mq-eins" not in said
    assert tree_of(folder) == before
    # Without the copy, the project as it is is not packed in its place.
    shutil.rmtree(project.cache / "redacted")
    refused(answer("pack", project=project), "no longer what the report was built from")


ALIASES = Aliases([Redact(hosts=("lon-mq-01",), sites=("Acme Köln",), users=("eve",))])
LEAKS = {
    "page.html": "<p>lon-<wbr>mq-<b>01</b></p>",
    "entity.html": "<p>Acme&nbsp;K&ouml;ln</p>",
    "picture.svg": "<text>lon-mq<tspan>-01</tspan></text>",
    "search-index.js": 'window.index=["Acme K\\u00f6ln"]',
    "chapter.ipynb": json.dumps({"source": ["print(1)\n", "lon-mq-01 = 2\n"]}),
    "notebook.ipynb": json.dumps({"text": "first\nLON-MQ-01"}),
    "cells.csv": "host,rate\nlon-mq-01,3\n",
    "manifest.json": '{"path": "data%2Flon%2Dmq%2D01"}',
    "markdown.md": r"lon\-mq\-01",
    "hyphens.txt": "lon\u2011mq\u201101",
    "parts.txt": "lon\xad-mq-\u200b01",
    "user.txt": "by EVE_2",
    "folder/lon-mq-01.txt": "nothing",
    "bytes.bin": b"\xff\xfe\x00\x01 lon-mq-01 \xff",
}


@pytest.mark.parametrize("name", LEAKS)
def test_the_scan_finds_a_leak(name: str, tmp_path: Path) -> None:
    content = LEAKS[name]
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(RenderError, match="holds the name of") as problem:
        refuse_leaks(tmp_path, ALIASES)
    said = str(problem.value)
    assert name.replace("lon-mq-01", "host-1") in said
    assert not any(secret in said for secret in ALIASES.names)


@pytest.mark.parametrize(
    "source",
    [
        "The server lon-mq-01",
        '#set document(title: "Acme Köln")\nText',
        '#set document(keywords: ("lon-mq-01",))\nText',
        "= Of LON-MQ-01\nText",
        '#link("https://lon-mq-01/")[Text]',
        "#set page(width: 2.4cm, margin: 0cm)\n#set text(size: 11pt)\nAt lon-mq-01",
    ],
)
def test_the_scan_finds_a_leak_in_a_pdf(source: str, tmp_path: Path) -> None:
    (tmp_path / "report.pdf").write_bytes(typst.compile(source.encode()))
    with pytest.raises(RenderError, match=r"report\.pdf holds the name of"):
        refuse_leaks(tmp_path, ALIASES)


def pdf_of(name: str) -> bytes:
    return typst.compile(f"At {name}".encode())


def png_of(name: str) -> bytes:
    text = b"Comment\0\0" + zlib.compress(name.encode())
    chunks = ((b"IHDR", b"\0\0\0\1" * 2 + b"\1" + bytes(4)), (b"zTXt", text), (b"IEND", b""))
    packed = (struct.pack(">I", len(data)) + kind + data for kind, data in chunks)
    return b"\x89PNG\r\n\x1a\n" + b"".join(one + bytes(4) for one in packed)


def zip_of(name: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", name * 9)
    return stream.getvalue()


def tar_of(name: str) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        packed = gzip.compress(name.encode())
        member = tarfile.TarInfo("a.log.gz")
        member.size = len(packed)
        archive.addfile(member, io.BytesIO(packed))
    return stream.getvalue()


def parquet_of(name: str) -> bytes:
    stream = io.BytesIO()
    pq.write_table(pa.table({"host": [name] * 3}), stream)
    return stream.getvalue()


PACKED: dict[str, Callable[[str], bytes]] = {
    "a.pdf": pdf_of,
    "a.png": png_of,
    "a.docx": zip_of,
    "A.ZIP": zip_of,
    "a.parquet": parquet_of,
    "a.tar": tar_of,
    "a.tgz": lambda name: gzip.compress(tar_of(name)),
    "a.svgz": lambda name: gzip.compress(name.encode()),
    "a.GZ": lambda name: gzip.compress(pdf_of(name)),
    "a.bz2": lambda name: bz2.compress(name.encode()),
    "a.xz": lambda name: lzma.compress(name.encode()),
    "a.zst": lambda name: zstandard.compress(zip_of(name)),
    "a.txt": lambda name: name.encode("utf-16"),
}


@pytest.mark.parametrize("name", PACKED)
def test_what_is_packed_in_a_file_is_searched_or_refused(name: str, tmp_path: Path) -> None:
    project = Project(tmp_path / "project")
    raw = project.campaigns / "lab" / "raw"
    raw.mkdir(parents=True)
    (raw / name).write_bytes(PACKED[name]("lon-mq-01"))
    files = {f"data/campaigns/lab/raw/{name}": raw / name, "_quarto.yml": project.book}
    project.book.write_text("book: {title: Plain}\n", encoding="utf-8")
    copy = write_copy(project, files, {}, ALIASES, tmp_path / "copy")
    assert list(left_out_of(copy)) == [f"data/campaigns/lab/raw/{name}"]
    files[name] = files.pop(f"data/campaigns/lab/raw/{name}")
    with pytest.raises(DataError, match="replaced"):
        write_copy(project, files, {}, ALIASES, tmp_path / "other")
    with pytest.raises(RenderError, match=r"holds the name of host-1|cannot be searched"):
        refuse_leaks(raw, ALIASES)


def test_an_ingested_campaign_of_a_copy_tells_no_name_and_can_be_read_again(tmp_path: Path) -> None:
    project = copy_project(tmp_path / "project", ("_quarto.yml", "data/dictionary.yml"))
    logs = (
        tmp_path / "logs" / "Acme Köln" / "a long way below the folder that the command was given"
    )
    logs.mkdir(parents=True)
    log = "[Requester0] START\n" + "rate=5.00,threads=1\n" * 5 + "Is lon-mq-01 there?\n"
    (logs / "lon-mq-01.log").write_text(log.replace("Is lon-mq-01", "What is"), encoding="utf-8")
    (logs / "eve.csv").write_text("rate\n5\n", encoding="utf-8")
    rate = "{metric: round_trip_rate, statistic: mean, unit: round trips/s}"
    (logs / "eve.mapping.yml").write_text(
        f"constants: {{product: LON-MQ-01}}\ncolumns:\n  rate: {rate}\n", encoding="utf-8"
    )
    (tmp_path / "logs" / "campaign.yml").write_text("where: lon-mq-01\n", encoding="utf-8")
    dictionary = load_dictionary(project.dictionary)
    ingest_paths([tmp_path / "logs"], dictionary=dictionary, project=project, campaign="lab")
    files = {
        path.relative_to(project.root).as_posix(): path
        for path in sorted(project.root.rglob("*")) if path.is_file() and ".cache" not in path.parts
    }  # fmt: skip
    copy = write_copy(project, files, {}, ALIASES, tmp_path / "copy")
    folder = copy.campaigns / "lab"
    (mapping,) = (project.campaigns / "lab" / "raw").glob("*.mapping.yml")
    assert sorted(left_out_of(copy)) == [
        f"data/campaigns/lab/raw/{mapping.name}", "data/campaigns/lab/rejects.tsv",
    ]  # fmt: skip
    inputs = {entry.name for entry in load_inputs(folder)}
    assert any("host-1.log" in name for name in inputs)
    again = read_again(folder, dictionary, inputs)
    assert (again.read, again.wrong) == (1, [])
    assert ["eve.csv" in one or "user-1.csv" in one for one in again.unchecked] == [True]
    told = "".join(load_observations(copy).frame["observation_id"]).casefold()
    assert "site-1-a-long-way" in told
    assert "host-1-log" in told
    assert not any(part in told for part in ("mq-01", "acme", "k-ln", "eve"))


def test_what_only_resembles_a_name_stays(tmp_path: Path) -> None:
    text = "never, level, steve, lon-mq-012, xlon-mq-01, Acme and Köln"
    assert ALIASES.replaced(text) == text
    (tmp_path / "page.html").write_text(text, encoding="utf-8")
    (tmp_path / "picture.png").write_bytes(png_of(text))
    (tmp_path / "report.pdf").write_bytes(typst.compile(text.encode()))
    refuse_leaks(tmp_path, ALIASES)


def test_identifiers_hold_names_too() -> None:
    names = ("lon-mq-01.bank.example", "PAY_QM", "Canary Wharf", "PAY-QM", "Köl")
    aliases = Aliases([Redact(names=names)])
    text = "cell-lon-mq-01-bank-example-log-1f, pay-qm-log-2, canary-wharf, k-l, pay-qmx"
    left = "cell-name-1-log-1f, name-4-log-2, name-3, k-l, pay-qmx"
    assert aliases.found_in(text) == ["name-1", "name-3", "name-4"]
    assert aliases.replaced(text) == left
    assert list(aliases.names) == list(names)


def test_what_identifiers_leave_of_a_name_is_no_name_of_its_own() -> None:
    names = Redact(paths=("/data",), hosts=("Сервер-2048",), names=("Résumé", "Ølab"))
    aliases = Aliases([names])
    text = "import data; data/campaigns,2048,4096; resume-2 the lab at server-2048-x"
    assert aliases.replaced(text) == text
    assert aliases.found_in(text) == []
    point = "lab-{}-log-1a2b3c4d-001-rate"
    assert aliases.replaced(point.format("resume")) == "name-2-name-1-log-1a2b3c4d-001-rate"


def test_aliases_are_counts_that_the_project_does_not_have_yet() -> None:
    one = Redact(hosts=("beta-box", "alpha-box", "BETA-BOX"), queue_managers=("PAYQM",))
    aliases = Aliases([one, Redact(hosts=("Alpha-Box", "gamma-box"))], texts=["as on host-2."])
    assert aliases.names == {
        "beta-box": "host-1", "alpha-box": "host-3", "gamma-box": "host-4", "PAYQM": "qm-1",
    }  # fmt: skip
    assert aliases.replaced('"\\nBeta-Box", payqm_x') == '"\\nhost-1", qm-1_x'


def test_addresses_and_paths_are_found_in_manifests() -> None:
    text = "at 10.2.3.4 and 127.0.0.1, 12:30:45, fe80::1 from eva@acme.test: /opt/mq/bin 9.4.0.11.2"
    assert found_in(text, ["ipv4", "ipv6", "email", "path"]) == [
        ("addresses", "10.2.3.4"), ("addresses", "fe80::1"), ("users", "eva@acme.test"),
        ("paths", "/opt/mq/bin"),
    ]  # fmt: skip


def test_a_campaign_that_is_gone_leaves_no_folder_in_the_copy(tmp_path: Path) -> None:
    project = Project(tmp_path / "project")
    files = {name: project.root / name for name in ("_quarto.yml", "data/campaigns/a/manifest.yml")}
    for path in files.values():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("a: b\n", encoding="utf-8")
    copy = write_copy(project, files, {}, ALIASES, tmp_path / "copy")
    assert (copy.campaigns / "a" / "manifest.yml").is_file()
    del files["data/campaigns/a/manifest.yml"]
    write_copy(project, files, {}, ALIASES, copy.root)
    assert campaign_folders(copy.campaigns) == []  # an empty one would be refused


def test_intervals_of_an_ingested_campaign_that_hold_a_name_are_left_out(tmp_path: Path) -> None:
    project = Project(tmp_path / "project")
    series = "data/campaigns/lab/series/a-summary.parquet"
    files = {name: project.root / name for name in ("_quarto.yml", series)}
    for path in files.values():
        path.parent.mkdir(parents=True, exist_ok=True)
    files["_quarto.yml"].write_text("a: b\n", encoding="utf-8")
    pq.write_table(pa.table({"platform": ["Acme Köln"]}), files[series])
    copy = write_copy(project, files, {}, ALIASES, tmp_path / "copy")
    assert list(left_out_of(copy)) == [series]
    assert not (copy.root / series).exists()
    files["data/other.parquet"] = files[series]
    with pytest.raises(DataError, match="holds a name"):
        write_copy(project, files, {}, ALIASES, copy.root)


def test_a_link_is_not_copied(tmp_path: Path) -> None:
    (tmp_path / "outside.csv").write_text("a,b\n", encoding="utf-8")
    project = Project(tmp_path / "project")
    project.root.mkdir()
    (project.root / "linked.csv").symlink_to(tmp_path / "outside.csv")
    files = {"linked.csv": project.root / "linked.csv"}
    with pytest.raises(DataError, match="is a link"):
        write_copy(project, files, {}, ALIASES, project.cache / "copy")
    assert not (project.cache / "copy").exists()


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project whose parameters can be read, and not much more."""
    project = Project(tmp_path_factory.mktemp("plain"))
    project.params.mkdir()
    project.book.write_text("book: {title: Plain}\n", encoding="utf-8")
    return project


@pytest.mark.parametrize(
    ("section", "parts"),
    [
        ("hosts: ['']", ["report.yml:3", "letters or digits"]),
        ("hosts: [lon-mq-01, qm]", ["report.yml:3", "part of words"]),
        ("sites: [host-1]", ["report.yml:3", "itself an alias"]),
        ("queue_managers: [QM]", ["report.yml:3", "part of words"]),
        ("names: [Host]", ["report.yml:3", "itself an alias"]),
        ("names: ['4711']", ["report.yml:3", "must have a letter"]),
        ("host: [lon-mq-01]", ["report.yml:3", "unknown key 'host'", "hosts"]),
        ("find: [ipv5]", ["report.yml:3", "ipv4"]),
        ("hosts: lon-mq-01", ["report.yml:3", "must be a list"]),
        ("hosts: []", ["report.yml:2", "names nothing"]),
    ],
)
def test_names_that_cannot_be_replaced_are_refused(
    plain: Project, section: str, parts: list[str]
) -> None:
    path = plain.params / "report.yml"
    path.write_text(f"title: T\nredact:\n  {section}\n", encoding="utf-8")
    refused(answer("build", project=plain), *parts, "remedy: ")


def test_redaction_without_names_or_beside_an_older_edition_is_refused(plain: Project) -> None:
    path = plain.params / "report.yml"
    path.write_text("title: T\n", encoding="utf-8")
    refused(answer("build", "--redact", project=plain), "--redact", "no names to replace")
    path.write_text("changes_since: reports/1\nredact: {hosts: [lon-mq-01]}\n", encoding="utf-8")
    refused(answer("build", project=plain), "changes_since", "older edition")


def test_the_names_are_no_parameter_of_the_edition(plain: Project) -> None:
    path = plain.params / "report.yml"
    path.write_text("title: T\n", encoding="utf-8")
    without = resolve_parameters(plain)
    path.write_text("title: T\nredact: {hosts: [lon-mq-01]}\n", encoding="utf-8")
    assert resolve_parameters(plain).model_dump() == without.model_dump()
    assert load_names([path])[0].hosts == ("lon-mq-01",)
