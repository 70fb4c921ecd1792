"""YAML files read safely, with the line of everything that is wrong in them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from roundtrip.errors import RoundtripError, nearest

Model = TypeVar("Model", bound=BaseModel)


# The same rules, read several times as fast where PyYAML was built with libyaml.
_SafeLoader: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _UniqueKeyLoader(_SafeLoader):  # type: ignore[valid-type, misc]
    """A safe loader that refuses a key given twice: YAML would silently keep the last."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key_node, _ in node.value:
            key = str(key_node.value)
            if key in seen and key != "<<":
                raise yaml.constructor.ConstructorError(
                    None, None, f"key '{key}' is given twice", key_node.start_mark
                )
            seen.add(key)
        mapping: dict[Any, Any] = super().construct_mapping(node, deep=deep)
        return mapping


# Dates stay the text they are: what a file prints is what the report shows.
_UniqueKeyLoader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def parse_yaml(text: str, where: str, error: type[RoundtripError]) -> Any:
    """Parse YAML text with safe types only.

    Parameters
    ----------
    text : str
        The document.
    where : str
        Its name in error messages.
    error : type
        The error to raise.

    Returns
    -------
    object
        Mappings, sequences and scalars; dates stay text.
    """
    try:
        return yaml.load(text, Loader=_UniqueKeyLoader)  # noqa: S506 - a SafeLoader subclass
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark
        place = f"{where}:{mark.line + 1}" if mark else where
        raise error(f"not valid YAML: {problem.problem}", where=place) from problem
    except yaml.YAMLError as problem:
        raise error(f"not valid YAML: {problem}", where=where) from problem


def load_yaml(path: Path, error: type[RoundtripError]) -> Any:
    """Read a YAML file with safe types only.

    Raises
    ------
    RoundtripError
        Of the given type, when the file is missing, is not UTF-8 or is not YAML.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as problem:
        raise error("the file is missing", where=path) from problem
    except (OSError, UnicodeDecodeError) as problem:
        raise error(f"cannot be read: {problem}", where=path) from problem
    return parse_yaml(text, str(path), error)


def load_model(path: Path, model: type[Model], error: type[RoundtripError]) -> Model:
    """Read a YAML file into a pydantic model.

    Raises
    ------
    RoundtripError
        Of the given type; it names the file, the key and what is allowed.
    """
    content = load_yaml(path, error)
    return validate(content, model, str(path), error)


def validate(content: Any, model: type[Model], where: str, error: type[RoundtripError]) -> Model:
    """Validate plain data against a pydantic model, with our kind of message.

    Raises
    ------
    RoundtripError
        Of the given type, naming each key that is wrong.
    """
    try:
        return model.model_validate(content)
    except ValidationError as problem:
        raise error(
            "; ".join(_explain(item, model) for item in problem.errors()), where=where
        ) from (problem)


def _explain(item: Any, model: type[BaseModel]) -> str:
    """Put one pydantic complaint into words a user can act on."""
    key = ".".join(str(part) for part in item["loc"])
    if item["type"] == "extra_forbidden":
        name = str(item["loc"][-1])
        return f"{key}: unknown key '{name}'{nearest(name, _known(model, item['loc'][:-1]))}"
    if item["type"] == "missing":
        return f"{key}: is missing"
    message = str(item["msg"]).removeprefix("Value error, ")
    shown = "" if isinstance(item["input"], (dict, list)) else f" (it is {item['input']!r})"
    return f"{key}: {message}{shown}" if key else f"{message}{shown}"


def _known(model: type[BaseModel], location: tuple[Any, ...]) -> list[str]:
    """List the keys that exist where an unknown one was found."""
    fields: set[str] = set()
    _collect(model, fields, depth=len(location) + 1)
    return sorted(fields)


def _collect(annotation: Any, fields: set[str], depth: int) -> None:
    if depth < 0:
        return
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        for name, field in annotation.model_fields.items():
            fields.add(field.alias or name)
            _collect(field.annotation, fields, depth - 1)
    for inner in getattr(annotation, "__args__", ()):
        _collect(inner, fields, depth)
