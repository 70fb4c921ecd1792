"""What a report discloses of its test systems, as tables for an appendix."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from roundtrip.campaign.manifest import Manifest
from roundtrip.errors import DataError
from roundtrip.ingest.context import CONTEXT, CampaignFile
from roundtrip.ingest.manifest import load_inputs
from roundtrip.outputs import listed, table_label
from roundtrip.present.chapter import Chapter
from roundtrip.present.levels import NOT_STATED
from roundtrip.present.machines import cores_text, processors_text
from roundtrip.present.measured.brokers import tested
from roundtrip.present.tables import Table, plain_table
from roundtrip.sources.declared import section_named
from roundtrip.sources.disclosure import Hardware, Host, Model
from roundtrip.yamlfile import load_model

_Thing = TypeVar("_Thing")
_Traits = tuple[tuple[str, Callable[[_Thing], str]], ...]

_HARDWARE: _Traits[Hardware] = (
    ("Processor", lambda h: h.processor or ""),
    ("Sockets × cores", lambda h: cores_text(h) or ""),
    ("Clock", lambda h: f"{h.clock_ghz:g} GHz" if h.clock_ghz else ""),
    ("Memory", lambda h: f"{h.memory_gb:g} GB" if h.memory_gb else ""),
    ("Storage", lambda h: h.storage or ""),
)

_HOST: _Traits[Host] = (
    ("Roles", lambda h: ", ".join(h.roles)),
    ("Number", lambda h: str(h.count)),
    ("Model", lambda h: h.model),
    *_HARDWARE,
    ("Network", lambda h: h.network or ""),
    ("Operating system", lambda h: h.operating_system or ""),
    ("Settings", lambda h: ", ".join(h.settings)),
)

_MODEL: _Traits[Model] = (
    *_HARDWARE,
    ("I/O subsystem", lambda m: m.io_subsystem or ""),
    ("RAID controller", lambda m: m.raid or ""),
    ("Workload network", lambda m: ", ".join(m.workload_network)),
    ("Management network", lambda m: ", ".join(m.management_network)),
)


def configuration_tables(chapter: Chapter) -> list[Table]:
    """Show all that a report discloses, a table with a label of its own for each kind."""
    about = chapter.about
    tables = [
        *(hosts_table(chapter, name) for name in about.host_sets),
        models_table(chapter),
        links_table(chapter),
        _listed(
            chapter, "workloads", "workloads",
            ["Workload", "Requesters", "Responders", "Messages on the network", "Load driver"],
            [[name, w.requesters, w.responders, w.flows, w.driver or NOT_STATED]
             for name, w in about.workloads.items()],
            shares=(12, 28, 28, 17, 15),
        ),
        _listed(
            chapter, "scenarios", "scenarios", ["Source", "Scenario", "What it does"],
            [[section_named(s.section, "sec"), s.name, s.says] for s in about.scenarios],
            # By section where several have the same name.
            group_by_first=len({s.name for s in about.scenarios}) < len(about.scenarios),
        ),
        tuning_table(chapter),
        _listed(  # whether the data of charts is at hand
            chapter, "charts", "charts of the source", ["Figure", "Section", "Shows", "Data"],
            [[f.number, f.section, f.shows, f.data] for f in about.figures],
        ),
    ]  # fmt: skip
    return [table for table in tables if table is not None]


def campaigns_table(chapter: Chapter) -> Table | None:
    """List what measured campaigns ran on, None where there is none."""
    known = chapter.observations
    if not known.campaign_ids:
        return None
    rows = []
    machines: dict[str, list[str]] = {}
    for name in known.campaign_ids:
        campaign = known.campaign(name)
        host, system = campaign.host, campaign.plan.system
        told = [system.what, system.host] if system else []
        if campaign.plan.factor_of_brokers:  # which the question need not name
            told = [tested(campaign), *told]
        about = ", ".join(filter(None, told))
        placed = {
            ", ".join(one.roles) or f"in reserve for {', '.join(one.spare)}": one.about
            for one in campaign.hosts
        }
        machine = "; ".join(
            f"{f'{roles}: ' if roles else ''}{processors_text(about)}, "
            f"{about['memory_mb'] / 1000:.0f} GB, {about['operating_system']}"
            for roles, about in (placed or {"": host}).items()
        )
        machines.setdefault(machine, []).append(name)
        rows.append(
            [name, campaign.plan.question, about or tested(campaign) or campaign.broker,
             str(len(campaign.runs)), campaign.sessions[0].started[:10]]
        )  # fmt: skip
    (usual, _), *others = sorted(machines.items(), key=lambda it: -len(it[1]))
    return plain_table(
        "Measured campaigns and their test systems",
        ["Campaign", "Question", "System under test", "Runs", "Begun"],
        rows,
        code_columns=(0,),
        right_columns=(3,),
        notes=[
            f"Machine{', unless stated otherwise' if others else ''}: {usual}.",
            *(f"{listed(names)}: {machine}." for machine, names in others),
            "Plan, effective configuration and noise readings are in each campaign's "
            "manifest.yml, under data/campaigns/.",
        ],
        label="tbl-campaigns",
        shares=(20, 46, 16, 6, 12),
    )


def campaign_settings_table(chapter: Chapter) -> Table | None:
    """List the software and the settings of measured campaigns, None where there is none."""
    found: dict[str, dict[str, list[str]]] = {}
    for name in chapter.observations.campaign_ids:
        for what, value in _settings(chapter.observations.campaign(name)).items():
            found.setdefault(what, {}).setdefault(value, []).append(name)
    rows = []
    for what, values in found.items():
        (usual, most), *others = sorted(values.items(), key=lambda it: -len(it[1]))
        several = "all others" if len(most) > 1 else listed(most)
        rows += [[what, value, listed(names)] for value, names in others]
        rows.append([what, usual, several if others else "all"])
    return _table(
        "Measured campaigns: software and settings", ["What", "Value", "Campaigns"], rows,
        label="tbl-campaign-settings", shares=(22, 44, 34),
        notes=["Settings of the recovery log hold for persistent messages, and where no factor of "
               "the campaign sets them."],
    )  # fmt: skip


def _settings(campaign: Manifest) -> dict[str, str]:
    """Give software and settings of a campaign, those that its manifest states."""
    host, software, plan = campaign.host, campaign.software, campaign.plan
    journal = plan.broker.journal
    chosen = any(option.endswith("GC") for option in (*plan.broker.jvm, *plan.driver.jvm))
    told = {
        "Kernel": host.get("kernel"),
        "Java": " ".join(filter(None, (software.get(key) for key in ("jvm", "java")))),
        "Garbage collector, where no option names one": None if chosen
        else software.get("collector"),
        "Java options of the drivers": " ".join(plan.driver.jvm),
        "Payload": f"{plan.driver.payload}, compressibility "
        + ("as it comes" if plan.driver.compressibility is None
           else f"{plan.driver.compressibility:g}"),
    }  # fmt: skip
    if campaign.broker_restarted:
        told |= {
            "Java options of the broker": " ".join(plan.broker.jvm),
            "File system of the recovery log": host.get("journal_file_system"),
            "Recovery log": f"{journal.type}, {'' if journal.sync else 'not '}synchronous, buffer "
            f"timeout {journal.buffer_timeout_us:g} µs, at least {journal.min_files} files",
        }
    return {what: str(value) for what, value in told.items() if value}


def ingested_context_table(chapter: Chapter) -> Table | None:
    """List who measured what and where, as each ``campaign.yml`` says; None where none does."""
    rows = []
    for name in chapter.observations.ingested_ids:
        path = chapter.project.campaigns / name / CONTEXT
        if path.is_file():
            said = load_model(path, CampaignFile, DataError)
            told = {
                "Title": said.title, "Measured by": said.who, "Where": said.where,
                "When": said.when, "Note": said.note,
            }  # fmt: skip
            rows += [[name, what, " ".join(text.split())] for what, text in told.items() if text]
    return _table(
        "Ingested campaigns: who measured what and where", ["Campaign", "What", "As stated"], rows,
        group_by_first=True, label="tbl-ingested-context", shares=(22, 78),
    )  # fmt: skip


def ingested_inputs_table(chapter: Chapter) -> Table | None:
    """List what was ingested, None where nothing was."""
    rows = [
        [name, entry.name, entry.tool or "unknown", str(entry.lines)]
        for name in chapter.observations.ingested_ids
        for entry in load_inputs(chapter.project.campaigns / name)
    ]
    return _table(
        "Ingested campaigns: files read", ["Campaign", "File", "Tool", "Lines"], rows,
        group_by_first=True, code_columns=(1,), right_columns=(3,), label="tbl-ingested-inputs",
    )  # fmt: skip


def _table(
    caption: str, header: Sequence[str], rows: Sequence[Sequence[str]], **look: Any
) -> Table | None:
    """Lay out texts, None where there are none."""
    return plain_table(caption, header, rows, **look) if rows else None


def _listed(
    chapter: Chapter, label: str, what: str, header: Sequence[str], rows: Sequence[Sequence[str]],
    **look: Any,
) -> Table | None:  # fmt: skip
    """Lay out what a report discloses of one kind, None where it discloses nothing of it."""
    about = chapter.about
    caption, label = f"{about.short_title}: {what}", table_label(about.id, label)
    return _table(caption, header, rows, label=label, **look)


def _stated(things: Sequence[_Thing], traits: _Traits[_Thing]) -> list[list[str]]:
    """Set traits as rows and things as columns; traits that nothing states are left out."""
    rows = [(name, [read(thing) for thing in things]) for name, read in traits]
    return [[name, *[text or NOT_STATED for text in texts]] for name, texts in rows if any(texts)]


def hosts_table(chapter: Chapter, host_set: str) -> Table:
    """Describe the hosts of one host set, a column for each kind of host."""
    entry = chapter.about.host_sets[host_set]
    count = len(entry.hosts)
    heads = ["Hosts"] if count == 1 else [f"Hosts {number}" for number in range(1, count + 1)]
    return plain_table(
        f"{entry.title} (host set {host_set}, {section_named(entry.section, 'sec')})",
        ["", *heads],
        _stated(entry.hosts, _HOST),
        notes=[entry.note] if entry.note else [],
        label=table_label(chapter.about.id, f"hosts-{host_set}"),
        # Hosts that are compared stand in columns of one width.
        shares=(16, *[84 // count] * count) if count > 1 else (),
    )


def models_table(chapter: Chapter) -> Table | None:
    """Describe the models of an appliance, a column for each of which anything is stated."""
    models = chapter.about.models
    notes = [f"{name}: {model.note}" for name, model in models.items() if model.note]
    told = {name: m for name, m in models.items() if any(read(m) for _, read in _MODEL)}
    rows = _stated(list(told.values()), _MODEL)
    return _listed(chapter, "models", "models", ["", *told], rows, notes=notes)


def links_table(chapter: Chapter) -> Table | None:
    """List links, storage and software of all host sets."""
    rows = []
    for entry in chapter.about.host_sets.values():
        for link in entry.links:
            speed = f"{link.bandwidth_gbps:g} Gb/s" if link.bandwidth_gbps else NOT_STATED
            rows.append([entry.title, "Link", f"{link.between}: {speed}"])
        rows += [[entry.title, "Storage", text] for text in entry.storage]
        rows += [[entry.title, "Software", text] for text in entry.software]
    if not rows:
        return None
    kinds = {"Link": "links", "Storage": "storage", "Software": "software"}
    parts = [words for kind, words in kinds.items() if any(row[1] == kind for row in rows)]
    return _listed(
        chapter, "links", listed(parts), ["Host set", "Part", "What"], rows, group_by_first=True
    )


def tuning_table(chapter: Chapter) -> Table | None:
    """List the settings of operating system and queue manager."""
    places = [s.place for s in chapter.about.tuning]
    rows = [
        [s.place, s.name, s.value, section_named(s.section, "sec"),
         ". ".join(filter(None, [s.applies_to, s.note]))]
        for s in sorted(chapter.about.tuning, key=lambda s: places.index(s.place))
    ]  # fmt: skip
    heads = ["Place", "Setting", "Value", "Source", "Applies to, remarks"]
    shown = len(heads) if any(row[-1] for row in rows) else len(heads) - 1
    return _listed(
        chapter, "tuning", "settings", heads[:shown], [row[:shown] for row in rows],
        group_by_first=True, code_columns=(1,),
    )  # fmt: skip
