"""YAML files read safely, with the line of everything that is wrong in them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_args, get_origin

import yaml
from pydantic import AfterValidator, BaseModel, ConfigDict, StringConstraints, ValidationError

from roundtrip.errors import RoundtripError, nearest

Model = TypeVar("Model", bound=BaseModel)
Text = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]


class Strict(BaseModel):
    """A part of a file: unknown keys are errors, and no number is infinite."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


# The same rules, read several times as fast where PyYAML was built with libyaml.
_SafeLoader: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _UniqueKeyLoader(_SafeLoader):  # type: ignore[valid-type, misc]
    """A safe loader that refuses a key given twice: YAML would silently keep the last."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        # A tag may call a list a mapping, which the safe loader refuses.
        for key_node, _ in node.value if isinstance(node, yaml.MappingNode) else ():
            key = str(key_node.value)
            if key in seen and key != "<<":
                raise yaml.constructor.ConstructorError(
                    None, None, f"key '{key}' is given twice", key_node.start_mark
                )
            seen.add(key)
        mapping: dict[Any, Any] = super().construct_mapping(node, deep=deep)
        return mapping

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep=deep)
        except (ValueError, LookupError, AttributeError) as problem:  # of !!int, 0x_, 5,000 digits
            kind = str(node.tag).rpartition(":")[2]
            raise yaml.constructor.ConstructorError(
                None, None, f"cannot be read as {kind}", node.start_mark
            ) from problem

    def construct_scalar(self, node: yaml.ScalarNode) -> Any:
        hidden = hidden_character(str(node.value))
        if hidden is not None:
            raise yaml.constructor.ConstructorError(None, None, f"holds {hidden}", node.start_mark)
        return super().construct_scalar(node)


_HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)


def hidden_character(text: str) -> str | None:
    """Name a character of a text that steers a terminal, or the direction that it is read in.

    What is shown would not be what is there: such characters are refused wherever a text comes in.

    Returns
    -------
    str or None
        Its number, and its name where it has one; None when there is no such character.
    """
    found = _HIDDEN.search(text)
    if found is None:
        return None
    return f"the hidden character {unicodedata.name(found[0], f'U+{ord(found[0]):04X}')}"


# Dates stay the text they are: what a file prints is what the report shows.
_UniqueKeyLoader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def parse_yaml(text: str, where: str, error: type[RoundtripError]) -> Any:
    """Parse YAML text with safe types only.

    Returns
    -------
    object
        Mappings, sequences and scalars; dates stay text.
    """
    try:
        _refuse_depth(text)
        return yaml.load(text, Loader=_UniqueKeyLoader)  # noqa: S506 - a SafeLoader subclass
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark
        place = f"{where}:{mark.line + 1}" if mark else where
        raise error(
            f"not valid YAML: {problem.problem}", where=place,
            remedy="correct it there or just above: lines are indented with spaces, and text with "
            "': ', '#' or brackets in it stands in quotes",
        ) from problem  # fmt: skip
    except yaml.YAMLError as problem:
        raise error(f"not valid YAML: {problem}", where=where) from problem


def _refuse_depth(text: str) -> None:
    """Refuse what is nested so deeply that libyaml would take more of the stack than there is."""
    depth = 0
    for event in yaml.parse(text, Loader=_UniqueKeyLoader):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > _DEEPEST:
            problem, mark = f"is nested more than {_DEEPEST} deep", event.start_mark
            raise yaml.MarkedYAMLError(None, None, problem, mark)  # type: ignore[arg-type]


def load_yaml(path: Path, error: type[RoundtripError]) -> Any:
    """Read a YAML file with safe types only.

    Raises
    ------
    RoundtripError
        Of the given type, when the file is missing, is not UTF-8 or is not YAML.
    """
    return parse_yaml(text_of(path, error), str(path), error)


def text_of(path: Path, error: type[RoundtripError]) -> str:
    """Read a text file.

    Raises
    ------
    RoundtripError
        Of the given type, when the file is missing or is not UTF-8.
    """
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError as problem:
        raise error(
            "the file is missing", where=path, remedy="put it back, or correct its path"
        ) from problem
    except UnicodeDecodeError as problem:
        line = problem.object.count(b"\n", 0, problem.start) + 1
        raise error(
            f"is not UTF-8: {problem.reason}", where=f"{path}:{line}",
            remedy="save the file as UTF-8",
        ) from problem  # fmt: skip
    except OSError as problem:
        raise error(
            f"cannot be read: {problem.strerror}", where=path,
            remedy="correct the path or its permissions, then run the command again",
        ) from problem  # fmt: skip


@lru_cache(maxsize=4)  # a file is asked for many of its lines
def _composed(text: str) -> yaml.Node | None:
    return yaml.compose(text, Loader=_UniqueKeyLoader)


def line_of(text: str, keys: Iterable[str | int]) -> int | None:
    """Find the line of a key in YAML text.

    Parameters
    ----------
    text : str
        A valid document.
    keys : iterable of str or int
        Keys and positions on the way down. Where one does not exist, the line of the mapping or
        sequence that lacks it is given.

    Returns
    -------
    int or None
        From 1; None when the document is empty.
    """
    node = _composed(text)
    if node is None:
        return None
    line = int(node.start_mark.line)
    for key in keys:
        found: tuple[yaml.Node, yaml.Node] | None = None
        if isinstance(node, yaml.MappingNode):
            found = next((pair for pair in node.value if pair[0].value == str(key)), None)
        elif isinstance(node, yaml.SequenceNode) and str(key).isdigit():
            items = node.value[int(key) : int(key) + 1]
            found = next(((item, item) for item in items), None)
        if found is None:
            break
        line, node = int(found[0].start_mark.line), found[1]
    return line + 1


def place_in(path: Path, *keys: str | int) -> str:
    """Name a YAML file that was read before, with the line of a key as `line_of` finds it."""
    line = line_of(path.read_text(encoding="utf-8"), keys)
    return f"{path}:{line}" if line else str(path)


def scalars(path: Path, error: type[RoundtripError]) -> Iterator[tuple[str, str, int]]:
    """Give the scalars of a YAML file in order: the key that each stands under, text and line.

    Raises
    ------
    RoundtripError
        Of the given type, when the file is missing, is not UTF-8 or is not YAML.
    """
    load_yaml(path, error)
    held = [("", yaml.compose(text_of(path, error), Loader=_UniqueKeyLoader))]
    seen: set[int] = set()  # an alias is the node that it names: a few may stand for billions
    while held:
        key, node = held.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, yaml.MappingNode):
            held += [(str(name.value), value) for name, value in reversed(node.value)]
        elif isinstance(node, yaml.SequenceNode):
            held += [(key, value) for value in reversed(node.value)]
        elif node is not None:
            yield key, str(node.value), int(node.start_mark.line) + 1


def load_model(path: Path, model: type[Model], error: type[RoundtripError]) -> Model:
    """Read a YAML file into a pydantic model.

    Raises
    ------
    RoundtripError
        Of the given type; it names the file, the line, the key and what is allowed.
    """
    text = text_of(path, error)
    content = parse_yaml(text, str(path), error)
    # A file of comments only sets nothing.
    return validate({} if content is None else content, model, str(path), error, text)


def validate(
    content: Any,
    model: type[Model],
    where: str,
    error: type[RoundtripError],
    text: str | None = None,
) -> Model:
    """Validate plain data against a pydantic model, with our kind of message.

    Parameters
    ----------
    model : type
        A pydantic model.
    text : str, optional
        The YAML text of the content, where there is one: it gives the lines.

    Raises
    ------
    RoundtripError
        Of the given type, naming each key that is wrong.
    """
    try:
        return model.model_validate(content)
    except ValidationError as problem:
        found: dict[tuple[str | int, ...], list[Any]] = {}
        for item in problem.errors():
            found.setdefault(_place_of(item, content), []).append(item)
        # Of a list with wrong entries, or of one more type that was tried, these say enough.
        found = {
            place: items for place, items in found.items()
            if not any(one[:len(place)] == place != one for one in found)
        }  # fmt: skip
        first = dict(list(found.items())[:_TOLD])
        lines = [line_of(text, place) if text else None for place in first]
        messages = [_explain(place, items, model) for place, items in first.items()]
        for position, line in enumerate(lines):
            if position and line and line != lines[0]:
                messages[position] = f"line {line}: {messages[position]}"
        if len(found) > _TOLD:
            messages.append(f"and {len(found) - _TOLD} more")
        place = f"{where}:{lines[0]}" if lines[0] else where
        remedy = "correct it there, then run the command again" if text is not None else None
        raise error("; ".join(messages), where=place, remedy=remedy) from problem


def _place_of(item: Any, content: Any) -> tuple[str | int, ...]:
    """Give the keys that lead to what a complaint is about, without the types that were tried."""
    place: list[str | int] = []
    for part in item["loc"]:
        inside = (
            part in content if isinstance(content, dict)
            else isinstance(content, list) and isinstance(part, int) and part < len(content)
        )  # fmt: skip
        if inside:
            content = content[part]
        if inside or (item["type"] == "missing" and part == item["loc"][-1]):
            place.append(part)
    return tuple(place)


def _explain(place: Sequence[str | int], items: Sequence[Any], model: type[BaseModel]) -> str:
    """Put what pydantic complains of at one place into words a user can act on."""
    key = ".".join(map(str, place))
    item = items[0]
    if item["type"] == "extra_forbidden":
        name, known = str(place[-1]), sorted(_keys_at(model, place[:-1]))
        allowed = f"; allowed are {', '.join(known)}" if known else ""
        return f"{key}: unknown key '{name}'{nearest(name, known) or allowed}"
    if item["type"] == "missing":
        return f"{key}: is missing"
    # A value may be of one of several types: then each says what it must be.
    message = " or ".join(dict.fromkeys(map(_wanted, items))).replace(" or must be ", " or ")
    value = item["input"]
    if not isinstance(value, (dict, list)):
        message += f" (it is {_SHOWN.get(repr(value)) or _shortened(repr(value), _LONGEST_VALUE)})"
    return f"{key}: {message}" if key else message


def _wanted(item: Any) -> str:
    """Say what would have been right: in pydantic's words, unless these name types of Python."""
    said = _YAML_TYPES.get(item["type"], item["msg"]).removeprefix("Value error, ")
    return _shortened(re.sub(r"^\w+ should ", "must ", said), _LONGEST_MESSAGE)


def _shortened(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest]}…"


_DEEPEST = 100
_TOLD = 5
"""Places that one message speaks of: who mends these is told of the others."""
_LONGEST_VALUE = 200
_LONGEST_MESSAGE = 1_000  # which may hold the value, too
_SHOWN = {"None": "empty", "True": "true", "False": "false"}
"""Values as YAML writes them."""
_LIST = "must be a list, such as [one, two]"
_MAPPING = "must be a mapping of names to values"
_YAML_TYPES = {
    "tuple_type": _LIST, "list_type": _LIST, "dict_type": _MAPPING, "model_type": _MAPPING,
    "model_attributes_type": _MAPPING, "none_required": "must be empty",
    "string_type": "must be text", "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float"), "must be a whole number"),
    **dict.fromkeys(("float_type", "float_parsing"), "must be a number"),
}  # fmt: skip
"""What must stand where pydantic names a type of Python."""


def matching(pattern: str, words: str) -> AfterValidator:
    """Hold a text against a pattern; who breaks it reads words in place of the pattern.

    Parameters
    ----------
    pattern : str
        Of the whole text.
    words : str
        What the text must be, after ``must be``.
    """

    def check(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise ValueError(f"must be {words}")
        return text

    return AfterValidator(check)


def _keys_at(annotation: Any, location: Sequence[str | int]) -> set[str]:
    """Give the keys that exist at a place in data of a type."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        fields = {field.alias or name: field for name, field in annotation.model_fields.items()}
        if not location:
            return set(fields)
        field = fields.get(str(location[0]))
        return set() if field is None else _keys_at(field.annotation, location[1:])
    # A mapping or a sequence takes a step of the way down; a union does not.
    rest = location[1:] if get_origin(annotation) in (dict, list, tuple) else location
    return set().union(*(_keys_at(inner, rest) for inner in get_args(annotation)))
