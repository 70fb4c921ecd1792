"""New files made from the skeletons among the templates."""

from __future__ import annotations

import datetime
import json
import math
import re
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from roundtrip import __version__
from roundtrip.campaign.manifest import load_manifest
from roundtrip.campaign.plan import Level, Plan
from roundtrip.campaign.points import combinations_of
from roundtrip.campaign.resolve import resolve_plan
from roundtrip.dictionary import Dictionary, load_dictionary
from roundtrip.drafting.contents import typed_cells
from roundtrip.drafting.folder import READING, TO_BE_TYPED, unsaid
from roundtrip.errors import DataError, ParameterError, unknown
from roundtrip.files import folder_atomically, write_atomically
from roundtrip.outputs import listed, one_line
from roundtrip.params.edition import ReportParameters
from roundtrip.project import PACKAGE, Project, refuse_id
from roundtrip.sizing.workload import WORKLOAD_NAME
from roundtrip.sources.ingested import ingested_folders
from roundtrip.sources.measured import campaign_folders
from roundtrip.sources.published import load_report, read_report, report_folders
from roundtrip.versions import LOCK, pinned_libraries
from roundtrip.yamlfile import hidden_character, validate

SKELETONS = PACKAGE / "templates" / "skeletons"

_DRAWN = 2  # factors that a chart can vary: along its axis, and as lines or bars
_COMPARED = ("message_bytes", "delivery", "requesters", "scheduling_class")
"""Factors that a comparison of campaigns chooses a point by."""
_IN_HEADING = re.compile(r"([\\`*_\[\]<>&#{}~$|!@])")
"""What Markdown takes for markup within a heading, which nothing else stands in front of."""
_MARK = re.compile(r"@@([A-Z_]+)@@")
_NAME = re.compile(r"^\d{2}-[a-z0-9]+(?:-[a-z0-9]+)*$")


def new_project(target: Path, title: str, author: str) -> Project:
    """Make a project: everything that a first report needs, except what is measured for it.

    Parameters
    ----------
    target : Path
        A new or empty folder.
    title, author : str
        As on the cover.

    Raises
    ------
    ParameterError
        If the folder is not empty, or title or author cannot be those of a report. Nothing has
        been written then.
    """
    if target.exists() and not (target.is_dir() and not any(target.iterdir())):
        raise ParameterError(
            f"{target.name} is {'not empty' if target.is_dir() else 'a file'}",
            where=target,
            allowed="a new or an empty folder",
            remedy="name another one, or empty this one",
        )
    edition = {"title": title, "authors": [author], "made_with": __version__}
    for what, text in (("--title", title), ("--author", author)):
        if not text.strip() or (hidden := hidden_character(text)):
            raise ParameterError(
                f"holds {hidden}" if text.strip() else "is empty", where=what,
                remedy="give it as people shall read it",
            )  # fmt: skip
    known = validate(edition, ReportParameters, "the new project", ParameterError)
    # A string of JSON is one of YAML too.
    quoted = partial(json.dumps, ensure_ascii=False)
    marks = {
        "params/report.yml": {
            "TITLE": quoted(known.title), "AUTHOR": quoted(known.authors[0]),
            "DATE": datetime.date.today().isoformat(), "MADE_WITH": __version__,
        },
        "README.md": {"TITLE": _IN_HEADING.sub(r"\\\1", one_line(known.title))},
        "environment.yml": {"MADE_WITH": __version__},
    }  # fmt: skip
    skeleton = SKELETONS / "project"
    with folder_atomically(target) as work:
        for path in sorted((SKELETONS / "notebooks").glob("*.ipynb")):
            write_atomically(work / "notebooks" / path.name, _filled(path, {}))
        # Some of these are others as long as there is no published report.
        for path in sorted(skeleton.rglob("*")):
            name = path.relative_to(skeleton).as_posix()
            if path.is_file():
                text = _filled(path, marks.get(name, {}))
                write_atomically(work / name.replace("gitignore", ".gitignore"), text)
        if lock := pinned_libraries():
            write_atomically(work / LOCK, lock)
    return Project(target)


def new_chapter(
    project: Project,
    name: str,
    *,
    report: str | None = None,
    plan: str | None = None,
    campaigns: Sequence[str] = (),
) -> Path:
    """Make a chapter that runs from top to bottom and is ready to be written on.

    Parameters
    ----------
    name : str
        File stem: two digits for its place, then words, such as ``65-native-ha``.
    report, plan, campaigns : str or sequence of str, optional
        What it is about, one of: a published report by its id; what a plan measures, by its name;
        campaigns by their ids, measured or ingested, side by side where they are several.

    Raises
    ------
    ParameterError
        If the name is malformed or taken, there is no such plan, or not one subject is given.
    DataError
        If there is no such report or campaign.
    """
    if not _NAME.match(name):
        raise ParameterError(
            f"'{name}' does not name a chapter",
            where="NAME",
            allowed="two digits, then words in lower case, joined by hyphens: 65-native-ha",
        )
    target = _not_taken(project.notebooks / f"{name}.ipynb", "name")
    words = name[3:]
    # The words are letters, digits and hyphens: they can go into JSON text as they are.
    marks = {"STEM": name, "NAME": words, "TITLE": words.replace("-", " ").capitalize()}
    if [report, plan, campaigns or None].count(None) != 2:
        raise ParameterError(
            "a chapter is about one thing, which an option names",
            allowed="one of --plan NAME (what is measured), --report ID (a published report), "
            "--campaign ID (measured or ingested; several stand side by side)",
        )
    if plan is not None:
        dictionary = load_dictionary(project.dictionary)
        resolved = resolve_plan(project, plan, "quick", dictionary)
        combinations_of(resolved)  # refuses a plan that cannot be run
        skeleton, subject = "measured.ipynb", _marks_of_plan(resolved, dictionary)
    elif campaigns:
        skeleton, subject = _of_campaigns(project, list(dict.fromkeys(campaigns)))
    else:
        reports = [folder.name for folder in report_folders(project.published)]
        _refuse_unknown("report", str(report), reports)
        skeleton, subject = "chapter.ipynb", {"REPORT": str(report)}
    text = _filled(project.template(f"skeletons/{skeleton}"), marks | subject)
    if subject.get("TESTED") == "":  # of ingested campaigns, no plan says how they were tested
        notebook = json.loads(text)
        notebook["cells"] = [one for one in notebook["cells"] if one["id"] != "cell-9"]
        text = json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"
    write_atomically(target, text)
    return target


def _of_campaigns(project: Project, ids: Sequence[str]) -> tuple[str, dict[str, str]]:
    """Give the skeleton of a chapter on campaigns, and its marks."""
    ingested = [folder.name for folder in ingested_folders(project.campaigns)]
    measured = [folder.name for folder in campaign_folders(project.campaigns)]
    for name in ids:
        _refuse_unknown("campaign", name, [*measured, *ingested])
    # Ids are names of folders, which may hold what JSON text may not.
    quoted = json.dumps(",\n    ".join(map(json.dumps, ids)))[1:-1]
    if len(ids) > 1:
        plans = {name: load_manifest(project.campaigns / name).plan
                 for name in ids if name in measured}  # fmt: skip
        kept = _kept(list(plans.values()))
        tested = "".join(f"    ({json.dumps(name)}, {json.dumps(plan.name)}),\n"
                         for name, plan in plans.items())  # fmt: skip
        marks = {"KEPT": repr(kept), "TESTED": tested}
        escaped = {mark: json.dumps(text, ensure_ascii=False)[1:-1] for mark, text in marks.items()}
        return "compared.ipynb", {"CAMPAIGNS": quoted} | escaped
    if ids[0] in ingested:
        return "ingested.ipynb", {"CAMPAIGN": ids[0]}
    plan = load_manifest(project.campaigns / ids[0]).plan
    chosen = f", campaigns=[{json.dumps(ids[0])}]"
    return "measured.ipynb", _marks_of_plan(plan, load_dictionary(project.dictionary), chosen)


def _kept(plans: Sequence[Plan]) -> dict[str, Level]:
    """Give the level of each factor that leaves one point of a campaign for each size and delivery.

    It is the first of those that all plans that vary the factor have run, for the author to choose
    another: of a plan in parts, the part with the most combinations counts.
    """
    found: dict[str, list[Level]] = {}
    for plan in plans:
        parts = _parts_of(plan)
        for name, values in _largest(parts).items():
            several = {level for part in parts for level in part.get(name, ())}
            if len(several) > 1 and name not in _COMPARED:
                known = list(found.get(name, values))
                found[name] = [level for level in known if level in values] or known
    return {name: values[0] for name, values in found.items()}


def _parts_of(plan: Plan) -> list[dict[str, Sequence[Level]]]:
    """Give the levels of each factor in each part of a plan."""
    return [{**plan.factors, **part} for part in plan.parts or ({},)]


def _largest(parts: Sequence[Mapping[str, Sequence[Level]]]) -> Mapping[str, Sequence[Level]]:
    """Give the part with the most combinations."""
    return max(reversed(parts), key=lambda part: math.prod(map(len, part.values())))


def _refuse_unknown(what: str, name: str, known: list[str]) -> None:
    if name not in known:
        allowed = ", ".join(sorted(known)) or f"there is no {what} yet"
        raise unknown(DataError, what, name, known, allowed=allowed)


def _marks_of_plan(plan: Plan, dictionary: Dictionary, chosen: str = "") -> dict[str, str]:
    """Say what a plan varies, in the words of the chapter that shows it.

    Numbers are drawn along an axis, other levels as bars. Of several factors that vary, the last is
    what rows and marks are about, or that whose levels are brokers; the one before it groups them,
    and of the others the chapter takes the first level alone, for the author to choose another: of
    a plan in parts, those of the part with the most combinations, because levels of two parts need
    not have been run together. `chosen` is the argument that names campaigns of the plan.
    """
    parts = _parts_of(plan)
    every: dict[str, list[Level]] = {}
    for part in parts:
        for name, values in part.items():
            every[name] = list(dict.fromkeys([*every.get(name, ()), *values]))
    several = [name for name, values in every.items() if len(values) > 1]
    levels: Mapping[str, Sequence[Level]] = every
    if len(several) > _DRAWN:
        levels = _largest(parts)
    varying = [name for name, values in levels.items() if len(values) > 1] or ["requesters"]
    brokers = plan.factor_of_brokers
    # Between brokers, sizes come before all else: none is left out.
    *others, by = sorted(
        varying, key=lambda name: (name == brokers, bool(brokers) and name == "message_bytes")
    )
    split = others[-1:]
    varied = [json.dumps(by), *(f"split={json.dumps(name)}" for name in split)]
    kept = {
        name: levels[name][0]
        for name in several
        if len(several) > _DRAWN and name in levels and name not in (by, *split)
    }
    said = [f"{{eval}}`chapter.level_named({name!r}, {level!r})`" for name, level in kept.items()]
    baseline = repr(levels[by][0])
    # Of loads and sizes it is the peak that answers, of all else how the levels compare.
    answer = f'variants_answer(runs, "{by}", baseline={baseline})'
    if by in ("requesters", "message_bytes"):
        answer = "measured_limits(runs)"
    factor = dictionary.factors[by]
    marks = {
        "PLAN": plan.name,
        "CAMPAIGNS": chosen,
        "ANSWERED_BY": answer.partition("(")[0],
        "ANSWER": answer,
        "CHART": "measured_lines" if factor.type in ("integer", "number") else "variants_figure",
        "VARIED": ", ".join(varied),
        "KEPT": "".join(f", {name}={level!r}" for name, level in kept.items()),
        "SHOWN": f" at {listed(said)}" if said else "",
        "WHAT": f"Rate by {factor.label[:1].lower()}{factor.label[1:]}",
        "BASELINE": baseline,
    }
    # As they stand between quotes in a notebook's file.
    return {mark: json.dumps(text, ensure_ascii=False)[1:-1] for mark, text in marks.items()}


def new_report(project: Project, name: str) -> list[Path]:
    """Make the folder of a further published report, with its suite of checks.

    Parameters
    ----------
    name : str
        Id of the report: words in lower case, digits, points and hyphens.

    Returns
    -------
    list of Path
        The new files. They pass the checks as they are, with three made-up cells to replace.

    Raises
    ------
    ParameterError
        If the id is malformed or taken.
    """
    folder, suite = _places(project, name)
    marks = {"ID": name, "TITLE": name.replace("-", " ")}
    texts = {
        file: _filled(project.template(f"skeletons/report/{file}"), marks)
        for file in ("report.yml", "table-01.csv", "claims.yml", "errata.yml", "checks.json")
    }
    write_atomically(suite, texts.pop("checks.json"))
    with folder_atomically(folder) as work:
        for file, text in texts.items():
            write_atomically(work / file, text)
    return [*(folder / file for file in texts), suite]


def report_from_draft(project: Project, name: str) -> list[Path]:
    """Make a draft, once it is complete, one of the published reports.

    Returns
    -------
    list of Path
        The files of the report, and its suite of checks. How the draft was read stays behind.

    Raises
    ------
    ParameterError
        If the id is malformed or taken, or there is no such draft.
    DataError
        If a cell or a placeholder is open still, or the draft breaks a rule of published reports.
        Nothing has been moved then.
    """
    folder, suite = _places(project, name)
    draft = project.drafts / name
    if not (draft / "report.yml").is_file():
        raise ParameterError(
            f"there is no draft '{name}'", where=project.drafts,
            remedy=f"make one: roundtrip import REPORT.pdf --id {name}",
        )  # fmt: skip
    if left := [str(cell) for cell in typed_cells(draft) if cell.open]:
        raise DataError(
            f"cells that are open: {len(left)}, beginning with {'; '.join(left[:3])}",
            where=draft, remedy="type what the page shows: reading/check.html lays it beside",
        )  # fmt: skip
    if places := unsaid(draft):
        named = ", ".join(f"line {line} ({key})" for line, key in places)
        raise DataError(
            f"still to be filled in: {named}", where=f"{draft / 'report.yml'}:{places[0][0]}",
            allowed="no word in capitals that the import put there, no metric 'choose', and no "
            f"note that begins '{TO_BE_TYPED}'",
            remedy="write what the document says",
        )  # fmt: skip
    read = read_report(draft, load_dictionary(project.dictionary), project.root)
    points: dict[tuple[str, ...], str] = {}
    for cell in read:
        key = (cell["point_id"], cell["metric"], cell["statistic"])
        known = points.setdefault(key, cell["column_label"])
        if known != cell["column_label"]:
            raise DataError(
                f"the columns '{known}' and '{cell['column_label']}' set the same factors: both "
                f"are {cell['metric']} ({cell['statistic']}) of one point",
                where=f"{draft / 'report.yml'}: {cell['table_id']}",
                remedy="give each its own, such as 'factors: {tls_protocol: none}' and "
                "'factors: {tls_protocol: TLS 1.3}', as 'roundtrip docs add-a-report' shows",
            )
    cells = len(read)
    marks = {"ID": name, "TITLE": load_report(draft).short_title}
    checks = json.loads(_filled(project.template("skeletons/report/checks.json"), marks))
    count = checks["expectations"][0]
    count["kwargs"]["value"] = cells
    count["meta"]["rule"] = f"The report's tables print {cells} numeric cells."
    files = [path for path in sorted(draft.rglob("*"))
             if path.is_file() and path.relative_to(draft).parts[0] != READING]  # fmt: skip
    with folder_atomically(folder) as work:
        for path in files:
            write_atomically(work / path.relative_to(draft), path.read_bytes())
    write_atomically(suite, json.dumps(checks, indent=2) + "\n")
    return [*(folder / path.relative_to(draft) for path in files), suite]


def _places(project: Project, name: str) -> tuple[Path, Path]:
    """Give the folder of a new report and its suite, of which neither exists."""
    refuse_id("report", name, "ID")
    folder, suite = project.published / name, project.checks / f"{name}.json"
    return _not_taken(folder, "id"), _not_taken(suite, "id")


def _not_taken(place: Path, what: str) -> Path:
    """Give the place of something new, refusing one where something is."""
    if place.exists():
        raise ParameterError(f"{place.name} exists", where=place, remedy=f"choose another {what}")
    return place


def new_campaign(project: Project, folder: Path) -> Path:
    """Make a ``campaign.yml`` beside the logs of a folder, to be filled in.

    Returns
    -------
    Path
        The new file. It says nothing yet, and is valid as it is.

    Raises
    ------
    ParameterError
        If there is no such folder, or it has such a file.
    """
    if not folder.is_dir():
        raise ParameterError(
            "there is no such folder", where=folder, remedy="name the folder of the logs"
        )
    target = folder / "campaign.yml"
    if target.exists():
        raise ParameterError("the file exists", where=target, remedy="edit it")
    write_atomically(target, _filled(project.template("skeletons/campaign.yml"), {}))
    return target


def new_workload(project: Project, name: str) -> Path:
    """Make a workload file for ``roundtrip size``, to be filled in.

    Parameters
    ----------
    name : str
        Words in lower case and digits, joined by hyphens.

    Raises
    ------
    ParameterError
        If the name is malformed or taken.
    """
    if not WORKLOAD_NAME.match(name):
        raise ParameterError(
            f"'{name}' does not name a workload",
            where="NAME",
            allowed="lower case letters and digits, joined by hyphens: order-service",
        )
    target = _not_taken(project.params / "workloads" / f"{name}.yml", "name")
    marks = {"NAME": name, "TITLE": name.replace("-", " ").capitalize()}
    write_atomically(target, _filled(project.template("skeletons/workload.yml"), marks))
    return target


def _filled(skeleton: Path, marks: Mapping[str, str]) -> str:
    """Read a skeleton and put the marked words in, each place once."""
    text = skeleton.read_text(encoding="utf-8")
    return _MARK.sub(lambda mark: marks.get(mark[1], mark[0]), text)
