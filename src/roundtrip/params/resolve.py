"""From files and options to one validated set of parameters."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from roundtrip.errors import ParameterError, nearest
from roundtrip.params.edition import ReportParameters
from roundtrip.yamlfile import line_of, load_yaml, parse_yaml, validate


def resolve_parameters(
    base: Path,
    files: Sequence[Path] = (),
    yaml_texts: Sequence[str] = (),
    pairs: Sequence[tuple[str, str]] = (),
) -> ReportParameters:
    """Merge parameters; the later source wins: base file, ``-f``, ``-y``, ``-p``.

    Parameters
    ----------
    base : Path
        ``params/report.yml``.
    files : sequence of Path
        Further YAML files.
    yaml_texts : sequence of str
        YAML mappings given on the command line.
    pairs : sequence of (str, str)
        Single names and values; a value is read as YAML, so ``[2048, 20480]`` is a list.

    Returns
    -------
    ReportParameters

    Raises
    ------
    ParameterError
        If a name is unknown, or a value of the wrong type or out of range. The nearest known
        name is given.
    """
    merged: dict[str, Any] = {}
    origin: dict[str, str | Path] = {}
    layers: list[tuple[str | Path, Any]] = [
        (path, load_yaml(path, ParameterError)) for path in (base, *files)
    ]
    layers += [("-y", parse_yaml(text, "-y", ParameterError)) for text in yaml_texts]
    layers += [(f"-p {name}", {name: _value(name, text)}) for name, text in pairs]
    for where, content in layers:
        if not isinstance(content, dict):
            raise ParameterError("must be a mapping of names to values", where=where)
        for name, value in content.items():
            _known(str(name), where)
            merged[str(name)] = value
            origin[str(name)] = where
    return _validated(merged, origin, base)


def _place(where: str | Path, key: str) -> str:
    """Add the line of a key to the name of the file that holds it."""
    if isinstance(where, str):
        return where
    line = line_of(where.read_text(encoding="utf-8"), key.split("."))
    return f"{where}:{line}" if line else str(where)


def _value(name: str, text: str) -> Any:
    """Read a value as YAML, except where the parameter is text: ``-p title "A: B"`` is a title."""
    field = ReportParameters.model_fields.get(name)
    if field is not None and not str(field.annotation).startswith(("tuple", "dict")):
        return text
    return parse_yaml(text, f"-p {name}", ParameterError)


def _known(name: str, where: str | Path) -> None:
    names = ReportParameters.model_fields
    if name not in names:
        raise ParameterError(
            f"unknown parameter '{name}'{nearest(name, names)}",
            where=_place(where, name),
            allowed=", ".join(names),
        )


def _validated(
    merged: dict[str, Any], origin: dict[str, str | Path], base: Path
) -> ReportParameters:
    try:
        return validate(merged, ReportParameters, str(base), ParameterError)
    except ParameterError as problem:
        # Name the file or option that gave the bad value, not the one merged first.
        key = problem.what.split(":", 1)[0]
        raise ParameterError(
            problem.what,
            where=_place(origin.get(key.split(".", 1)[0], base), key),
            remedy="run 'roundtrip build --help-parameters' to see every parameter",
        ) from problem
