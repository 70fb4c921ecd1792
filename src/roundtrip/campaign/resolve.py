"""From a plan's file, a profile and the command line to one checked plan."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from roundtrip.campaign.plan import Control, Plan, PlanFile, Profile, written
from roundtrip.campaign.settable import ALLOWED, OF_RUNNING_BROKERS
from roundtrip.dictionary import Dictionary
from roundtrip.errors import DataError, ParameterError, again, nearest, unknown
from roundtrip.project import Project
from roundtrip.secrets import refuse_secrets
from roundtrip.yamlfile import load_model, load_yaml, parse_yaml, place_in, validate


def plan_names(project: Project) -> list[str]:
    """List the campaigns that have a plan, by name."""
    return sorted(path.stem for path in (project.params / "campaigns").glob("*.yml"))


def resolve_plan(
    project: Project,
    name: str,
    profile: Profile,
    dictionary: Dictionary,
    pairs: Sequence[tuple[str, str]] = (),
) -> Plan:
    """Read a plan and apply a profile and single parameters; the later wins.

    Parameters
    ----------
    name : str
        Name of a file in ``params/campaigns``, without its ending.
    pairs : sequence of (str, str)
        ``-p NAME VALUE``: a factor with its levels as YAML (one level needs no list), or a
        setting, inner ones with a dot (``warm_up.most_seconds``; what follows the third dot of
        ``set_by`` is a level, dots included). Levels that the plan has leave
        out all others; new ones take the place of all.

    Raises
    ------
    ParameterError
        If there is no such plan, or anything in it is unknown, of the wrong type, out of range,
        not among a factor's values, or looks like a secret.
    """
    path = plan_path(project, name)
    control = control_in(path, dictionary)  # refuses the file where anything of it is wrong
    refuse_secrets(path.read_text(encoding="utf-8"), str(path))
    content: dict[str, Any] = load_yaml(path, ParameterError)
    content.pop("chapters", None)  # for readers of the results
    content.pop("control", None)
    profiles = content.pop("profiles", None) or {}
    if profile not in profiles:
        raise ParameterError(
            f"the plan has no profile '{profile}'", where=path, allowed=", ".join(profiles) or None,
            remedy=f"add it to the plan, such as profiles: {{{profile}: {{}}}}, which changes no "
            "setting, or give --profile one that the plan has",
        )  # fmt: skip
    merged = _merge(content, profiles[profile] or {})
    for key, text in pairs:
        refuse_secrets(f"{key}: {text}", "-p")
        merged = _set(merged, key, parse_yaml(text, f"-p {key}", ParameterError), dictionary)
    # The file was found in order: what is wrong now came with the parameters.
    where = f"-p {', '.join(key for key, _ in pairs)}" if pairs else str(path)
    plan = validate({**merged, "name": name, "profile": profile}, Plan, where, ParameterError)
    plan = plan.model_copy(update={"control": control})
    given = [key for key, _ in pairs]
    _refuse_times(plan, path, given)
    _refuse_system(plan, path, given)
    return _typed(plan, dictionary, path, given)


def plans_of_chapters(project: Project, chapters: Sequence[str]) -> list[str]:
    """Give the plans whose results some chapters show.

    Parameters
    ----------
    chapters : sequence of str
        By file stem.

    Raises
    ------
    ParameterError
        If no plan names one of them; those that are named are given.
    """
    folder = project.params / "campaigns"
    named = chapters_by_plan(project)
    known = sorted({chapter for chapters in named.values() for chapter in chapters})
    for chapter in chapters:
        if chapter not in known:
            raise ParameterError(
                f"no plan says that '{chapter}' shows it{nearest(chapter, known)}",
                where=project.relative(folder), allowed=", ".join(known) or None,
                remedy="name the chapter under chapters in its plan",
            )  # fmt: skip
    return [name for name, own in named.items() if set(own) & set(chapters)]


def chapters_by_plan(project: Project) -> dict[str, tuple[str, ...]]:
    """Give the chapters that each plan says show its results, by file stem."""
    return {
        name: load_model(plan_path(project, name), PlanFile, ParameterError).chapters
        for name in plan_names(project)
    }


def plan_path(project: Project, name: str) -> Path:
    """Give the file of a plan.

    Raises
    ------
    ParameterError
        If there is no such plan.
    """
    known = plan_names(project)
    if name not in known:
        raise unknown(
            ParameterError, "plan", name, known,
            where=project.relative(project.params / "campaigns"),
            remedy="name one of these, or write params/campaigns/NAME.yml "
            "('roundtrip docs campaigns')",
        )  # fmt: skip
    return project.params / "campaigns" / f"{name}.yml"


def control_in(path: Path, dictionary: Dictionary) -> Control | None:
    """Give the positive control that a plan states; None where it states none.

    Raises
    ------
    ParameterError
        If the plan is no valid one, or its control names an unknown factor, metric or statistic,
        or a value that the factor cannot have, or would be seen without any effect.
    """
    control = load_model(path, PlanFile, ParameterError).control
    if control is None:
        return None
    if control.statistic not in dictionary.statistics:
        raise unknown(
            ParameterError, "statistic", control.statistic, dictionary.statistics,
            where=place_in(path, "control", "statistic"),
        )  # fmt: skip
    typed: dict[str, dict[str, Any]] = {"of": {}, "base": {}}
    try:
        dictionary.metric(control.metric, place_in(path, "control", "metric"))
        for side, found in typed.items():
            for name, level in getattr(control, side).items():
                found[name] = dictionary.level(name, level, place_in(path, "control", side, name))
    except DataError as problem:
        raise again(ParameterError, problem) from problem
    if typed["of"] == typed["base"]:
        raise ParameterError(
            "the control compares a point with itself", where=place_in(path, "control", "base"),
            remedy="have base name other levels than of",
        )  # fmt: skip
    # A manifest keeps what its plan once stated, whatever the number.
    if control.least_ratio <= 1:
        raise ParameterError(
            f"least_ratio is {control.least_ratio:g}, which is seen without an effect too",
            where=place_in(path, "control", "least_ratio"), allowed="more than 1",
            remedy="have of select the point with the larger value, and state how many times the "
            "other it must be",
        )  # fmt: skip
    return control.model_copy(update=typed)


def _merge(base: Mapping[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    """Put the change into the base, mapping by mapping; lists are replaced whole."""
    merged = dict(base)
    for key, value in change.items():
        old = merged.get(key)
        both = isinstance(old, Mapping) and isinstance(value, Mapping)
        merged[key] = _merge(old, value) if both else value  # type: ignore[arg-type]
    return merged


def _set(content: dict[str, Any], key: str, value: Any, dictionary: Dictionary) -> dict[str, Any]:
    """Apply one parameter of the command line."""
    fixed = ("name", "profile", "parts", "control")
    settings = [name for name in Plan.model_fields if name not in fixed]
    # A level such as 3.2 has a point, too: set_by.product_version.broker_url.3.2
    head, *rest = key.split(".", 3 if key.startswith("set_by.") else -1)
    if head in dictionary.factors and not rest:
        levels = list(value) if isinstance(value, list) else [value]
        parts = list(content.get("parts") or [])
        if not any(head in part for part in parts):
            return _merge(content, {"factors": {head: levels}})
        return {**content, "parts": _narrowed(parts, head, levels)}
    if head not in settings:
        raise unknown(
            ParameterError, "parameter", key, [*settings, *dictionary.factors], where="-p",
            allowed=", ".join(settings) + "; or a factor of data/dictionary.yml",
        )  # fmt: skip
    for name in reversed(rest):
        value = {name: value}
    return _merge(content, {head: value})


def _narrowed(
    parts: Sequence[Mapping[str, Any]], name: str, levels: Sequence[Any]
) -> list[dict[str, Any]]:
    """Give a factor of parts new levels.

    Where the parts have all these levels, what has others is left out; otherwise every part takes
    them.
    """
    known = {str(level) for part in parts for level in part.get(name, ())}
    if not {str(level) for level in levels} <= known:
        return [{**part, name: levels} if name in part else dict(part) for part in parts]
    narrowed = [
        {**part, name: [level for level in part[name] if str(level) in map(str, levels)]}
        for part in parts
        if name in part
    ]
    return [part for part in narrowed if part[name]]


def _layers(path: Path, plan: Plan) -> list[tuple[tuple[str, ...], Mapping[str, Any]]]:
    """Give the parts of a plan's file that count, with their keys; what is said first wins."""
    content = load_yaml(path, ParameterError)
    own = content["profiles"][plan.profile] or {}
    return [(("profiles", plan.profile), own), ((), content)]


def _place(path: Path, plan: Plan, name: str, given: Collection[str]) -> str:
    """Give the line of a plan that gives a factor its levels, or the option that did."""
    if name in given:
        return f"-p {name}"
    for keys, layer in _layers(path, plan):
        if name in (layer.get("factors") or ()):
            return place_in(path, *keys, "factors", name)
        for number, part in enumerate(layer.get("parts") or ()):
            if name in part:
                return place_in(path, *keys, "parts", number, name)
    return place_in(path, "set_by", name)


def _refuse_what_nobody_sets(
    plan: Plan, dictionary: Dictionary, path: Path, given: Collection[str]
) -> None:
    """Refuse factors that nobody can set, and ways to set what a campaign sets by itself."""
    running = [name for name, way in plan.set_by.items() if way.broker_url is not None]
    for name in plan.set_by:
        if name in ALLOWED and not (name in running and name in OF_RUNNING_BROKERS):
            raise ParameterError(
                f"a campaign sets {name} by itself", where=_place(path, plan, name, given),
                allowed=f"broker_url of {', '.join(OF_RUNNING_BROKERS)}" if name in running
                else None,
                remedy="take it out of set_by",
            )  # fmt: skip
        if name not in dictionary.factors:
            raise ParameterError(
                f"set_by names the unknown factor '{name}'{nearest(name, dictionary.factors)}",
                where=_place(path, plan, name, given),
                remedy=f"define {name} in data/dictionary.yml",
            )
    if len(running) > 1:
        raise ParameterError(
            f"{' and '.join(running)} both choose the broker of a run",
            where=place_in(path, "set_by", running[1]), allowed="broker_url of one factor",
        )  # fmt: skip
    for factors in (plan.factors, *plan.parts):
        for name in factors:
            if name in dictionary.factors and name not in ALLOWED and name not in plan.set_by:
                raise ParameterError(
                    f"a campaign cannot set {name}, and the plan does not say how",
                    where=_place(path, plan, name, given),
                    allowed=", ".join((*ALLOWED, *plan.set_by)),
                    remedy=f"say it, such as set_by: {{{name}: {{url_option: NAME}}}} (or "
                    "client_property, broker_setting, broker_url; 'roundtrip docs campaigns'), or "
                    "leave the factor out and ingest what was measured with it",
                )  # fmt: skip


def _refuse_times(plan: Plan, path: Path, given: Collection[str]) -> None:
    """Refuse a warm-up and a measured part that are too short for what is to be seen in them.

    Here, as campaigns of such plans may have been measured: their manifests can be read.
    """
    warm_up, interval, rounding = plan.warm_up, plan.interval_seconds, 1 + 1e-9
    window, keys = warm_up.window * interval, ["warm_up", "least_seconds"]
    if warm_up.least_seconds > warm_up.most_seconds:
        why = f"is {warm_up.least_seconds:g}, more than most_seconds, {warm_up.most_seconds:g}"
    elif window > warm_up.most_seconds * rounding:
        keys = ["warm_up", "window"]
        why = (
            f"of {warm_up.window} intervals of {interval:g} s takes {window:g} s, more than "
            f"most_seconds, {warm_up.most_seconds:g}: no run could be steady"
        )
    elif interval > plan.measure_seconds * rounding:
        keys = ["interval_seconds"]
        why = f"is {interval:g}, more than measure_seconds, {plan.measure_seconds:g}"
    else:
        return
    there = next((layer for layer, own in _layers(path, plan) if keys[0] in own), ())
    times = ("warm_up", "interval_seconds", "measure_seconds")
    options = [key for key in given if key.startswith(times)]
    raise ParameterError(
        f"{'.'.join(keys)} {why}",
        where=f"-p {', '.join(options)}" if options else place_in(path, *there, *keys),
        remedy="lengthen the one or shorten the other",
    )


def _refuse_system(plan: Plan, path: Path, given: Collection[str]) -> None:
    """Refuse a broker without a product, and one product or version of what the plan varies."""
    if plan.system is None:
        return
    factor = plan.factor_of_brokers
    varied = {"product": ("product", "version"), "product_version": ("version",)}.get(factor or "")
    for key in varied or ():
        if getattr(plan.system, key) is not None:
            raise ParameterError(
                f"{factor} varies, so no {key} is that of all brokers: its levels say it",
                where=f"-p system.{key}" if f"system.{key}" in given
                else place_in(path, "system", key),
                remedy=f"take {key} out of system",
            )  # fmt: skip
    if plan.system.product is None and factor != "product":
        raise ParameterError(
            "the plan does not say of which product its broker is",
            where=place_in(path, "system"), remedy="add system.product, as its vendor writes it",
        )  # fmt: skip


def _typed(plan: Plan, dictionary: Dictionary, path: Path, given: Collection[str]) -> Plan:
    """Give every level the type of its factor, refusing what the dictionary does not know."""
    _refuse_what_nobody_sets(plan, dictionary, path, given)

    def typed(name: str, level: Any) -> Any:
        try:
            return dictionary.level(name, level, str(path))
        except DataError as problem:
            remedy = problem.remedy if name not in dictionary.factors else (
                "correct the level; several are a list, such as [1, 8], and text that YAML takes "
                "for a number, a yes or a no stands in quotes"
            )  # fmt: skip
            where = _place(path, plan, name, given)
            raise again(ParameterError, problem, where=where, remedy=remedy) from problem

    def levels(factors: Mapping[str, Sequence[Any]]) -> dict[str, tuple[Any, ...]]:
        return {
            name: tuple(typed(name, level) for level in values) for name, values in factors.items()
        }

    for part in plan.parts:
        twice = sorted(set(part) & set(plan.factors))
        if twice:
            raise ParameterError(
                f"{', '.join(twice)} is set in factors and in a part", where=f"{path}: parts"
            )
    models = {
        level for part in (plan.factors, *plan.parts) for level in part.get("model", ())
        if "model" not in plan.set_by
    }  # fmt: skip
    undefined = sorted(str(level) for level in models if level not in plan.broker.models)
    if undefined:
        raise ParameterError(
            f"the plan does not say what model {undefined[0]} is", where=f"{path}: broker.models"
        )
    parts = tuple(levels(part) for part in plan.parts)
    plan = plan.model_copy(update={"factors": levels(plan.factors), "parts": parts})
    _refuse_without_broker(plan, path, given)
    return plan


def _refuse_without_broker(plan: Plan, path: Path, given: Collection[str]) -> None:
    """Refuse runs of which nothing says which of the running brokers they take."""
    name = plan.factor_of_brokers
    if name is None:
        return
    urls = plan.set_by[name].broker_url or {}
    for part in plan.parts or ({},):
        levels = {**plan.factors, **part}.get(name)
        if levels is None:
            raise ParameterError(
                f"nothing says which broker runs take that have no level of {name}",
                where=place_in(path, "set_by", name),
                remedy=f"give {name} its levels under factors, or in every part",
            )
        for level in map(written, levels):
            if level not in urls:
                raise ParameterError(
                    f"{name} {level} has no URL", where=_place(path, plan, name, given),
                    allowed=", ".join(urls),
                    remedy=f"add it under set_by.{name}.broker_url, or give "
                    f"-p set_by.{name}.broker_url.{level} URL",
                )  # fmt: skip
