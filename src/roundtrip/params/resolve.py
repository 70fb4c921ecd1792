"""From files and options to one validated set of parameters."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from roundtrip.errors import ParameterError, RenderError, again, unknown
from roundtrip.params.declared import Declaration, load_declarations, parameter_model
from roundtrip.params.edition import ReportParameters
from roundtrip.params.rerun import RERUN
from roundtrip.project import Project
from roundtrip.redaction.names import REDACT
from roundtrip.secrets import refuse_secrets
from roundtrip.yamlfile import load_yaml, parse_yaml, place_in, validate

_UPGRADE = "'roundtrip docs install' says how to upgrade a project"
_REMEDY = "run 'roundtrip build --help-parameters' to see every parameter"


def resolve_parameters(
    project: Project,
    files: Sequence[Path] = (),
    yaml_texts: Sequence[str] = (),
    pairs: Sequence[tuple[str, str]] = (),
) -> ReportParameters:
    """Merge parameters; the later source wins: the book's, the edition's, ``-f``, ``-y``, ``-p``.

    Parameters
    ----------
    project : Project
        Its ``_quarto.yml`` may say title, subtitle, author and date, its ``params/report.yml`` any
        parameter; ``params/parameters.yml`` declares those of its own.
    files : sequence of Path
        Further YAML files.
    yaml_texts : sequence of str
        YAML mappings given on the command line.
    pairs : sequence of (str, str)
        Single names and values; a value is read as YAML, so ``[2048, 20480]`` is a list.

    Raises
    ------
    ParameterError
        If a name is unknown (the nearest known one is given), or a value of the wrong type, out
        of range, not the name of a file as declared, or what looks like a secret.
    """
    base = project.params / "report.yml"
    declarations = project.params / "parameters.yml"
    model = parameter_model(declarations)
    given = [path for path in (base, *files) if path != base or base.exists()]
    layers: list[tuple[str | Path, Any]] = [(project.book, _of_the_book(project.book))]
    layers += [(path, load_yaml(path, ParameterError)) for path in given]
    layers += [("-y", parse_yaml(text, "-y", ParameterError)) for text in yaml_texts]
    layers += [(f"-p {name}", {name: _value(model, name, text)}) for name, text in pairs]
    for path in (project.book, *given):
        if path.exists():
            refuse_secrets(path.read_text(encoding="utf-8"), str(path))
    for text in (*yaml_texts, *(f"{name}: {value}" for name, value in pairs)):
        refuse_secrets(text, "the command line")
    merged, origin = _merged(layers, model)
    try:
        parameters = validate(merged, model, str(base), ParameterError)
    except ParameterError as problem:
        # Name the file or option that gave the bad value, not the one merged first.
        key = problem.what.split(":", 1)[0]
        raise again(
            ParameterError, problem, where=_place(origin.get(key.split(".", 1)[0], base), key),
            remedy=_UPGRADE if key == "made_with" else _REMEDY,
        ) from problem  # fmt: skip
    declared = load_declarations(declarations)
    for name, declaration in declared.items():
        if declaration.file:
            value, where = getattr(parameters, name), origin.get(name, base)
            _refuse_unknown_file(project, declaration, name, value, where)
    parameters._places |= {
        name: place_in(declarations, "parameters", name, "default")
        for name in declared.keys() - origin.keys()
    } | {name: place_in(where, name) for name, where in origin.items() if isinstance(where, Path)}
    return parameters


def _merged(
    layers: Sequence[tuple[str | Path, Any]], model: type[ReportParameters]
) -> tuple[dict[str, Any], dict[str, str | Path]]:
    """Give each parameter the value of the last layer that has it, and say which that is."""
    merged: dict[str, Any] = {}
    origin: dict[str, str | Path] = {}
    for where, content in layers:
        if not isinstance(content, dict):
            raise ParameterError(
                "must be a mapping of names to values", where=where, remedy=_REMEDY
            )
        for name, value in content.items():
            if name in (RERUN, REDACT):
                if isinstance(where, Path):
                    continue  # speaks of a broker, or of names that the edition must not tell
                raise ParameterError(
                    f"'{name}' is a section of a parameter file, no parameter", where=where,
                    remedy="write it into a file and give that with -f",
                )  # fmt: skip
            if name not in model.model_fields:
                raise unknown(
                    ParameterError, "parameter", str(name), model.model_fields,
                    where=_place(where, str(name)), remedy=_REMEDY,
                )  # fmt: skip
            merged[name], origin[name] = value, where
    return merged, origin


def _refuse_unknown_file(
    project: Project, declared: Declaration, name: str, value: Any, where: str | Path
) -> None:
    """Refuse values that must be in names of files, and are in none."""
    known = declared.names_in(project.root)
    for one in map(str, value if declared.list else [value]):
        if one not in known and (one or declared.default):  # an empty default stands for none
            raise unknown(
                ParameterError, name, one, known, where=_place(where, name),
                allowed=", ".join(known) or f"there is no {declared.file} yet",
            )  # fmt: skip


def _of_the_book(path: Path) -> dict[str, Any]:
    """Give what the book definition says of the edition, in the words of Quarto."""
    book = load_yaml(path, RenderError) if path.exists() else {}
    book = book.get("book") if isinstance(book, dict) else {}
    said = book if isinstance(book, dict) else {}
    found = {name: said[name] for name in ("title", "subtitle", "date") if name in said}
    if "author" in said:
        author = said["author"]
        found["authors"] = author if isinstance(author, list) else [author]
    return found


def _place(where: str | Path, key: str) -> str:
    """Add the line of a key to the name of the file that holds it."""
    return where if isinstance(where, str) else place_in(where, *key.split("."))


def _value(model: type[ReportParameters], name: str, text: str) -> Any:
    """Read a value as YAML, except where the parameter is text: ``-p title "A: B"`` is a title."""
    field = model.model_fields.get(name)
    if field is not None and isinstance(field.get_default(), str):
        return text
    return parse_yaml(text, f"-p {name}", ParameterError)
