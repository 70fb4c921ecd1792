"""Parameters that a project declares for its chapters: ``params/parameters.yml``."""

from __future__ import annotations

import keyword
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    Field,
    TypeAdapter,
    ValidationError,
    create_model,
    model_validator,
)

from roundtrip.errors import ParameterError
from roundtrip.params.edition import Line, ReportParameters
from roundtrip.yamlfile import Strict, load_model, matching, place_in, validate

_NAME = re.compile(r"[a-z][a-z0-9_]{0,59}")
_TAKEN = {*dir(ReportParameters), *ReportParameters.model_fields, "commit", "parameters"}
_PATTERN = "a path in the project with one *, such as params/workloads/*.yml"


_TYPES: dict[str, Any] = {
    "string": Annotated[str, Field(max_length=200)],
    "integer": Annotated[int, Field(strict=True)],
    "number": Annotated[float, Field(strict=True, allow_inf_nan=False)],
    "boolean": Annotated[bool, Field(strict=True)],
}


class Declaration(Strict):
    """One parameter of a project's chapters."""

    type: Literal["string", "integer", "number", "boolean"]  # of each value
    description: Line  # what it is for
    default: Any  # where no edition says otherwise
    list: bool = False  # whether it is a list of values, which may be empty where the default is
    # The values that exist; None when the set is open.
    allowed: tuple[str | int | float, ...] | None = Field(default=None, min_length=1)
    minimum: float | None = None
    maximum: float | None = None
    values_of: tuple[str, ...] = ()  # factors: each value must occur in the data as a value of one
    # Path with one *: each value must be what that stands for in the name of a file or folder.
    file: (
        Annotated[str, matching(r"(?!.*\.\.)(?!.*(?:^|/)\.?/)[^*?\[]*\*[^*?\[]*", _PATTERN)] | None
    ) = None

    @model_validator(mode="after")
    def _values_and_ends_are_of_the_type(self) -> Declaration:
        ends = self.minimum is not None or self.maximum is not None
        if ends and (self.type not in ("integer", "number") or self.allowed is not None):
            raise ValueError(
                "minimum and maximum are of numbers of which not every value is allowed by name: "
                "leave them out"
            )
        kind = TypeAdapter(_TYPES[self.type])
        for value in self.allowed or ():
            try:
                kind.validate_python(value, strict=True)
            except ValidationError:
                raise ValueError(f"allowed has {value!r}, which is no {self.type}") from None
        return self

    def names_in(self, root: Path) -> Sequence[str]:
        """Give what the * of `file` stands for in a project, sorted."""
        assert self.file is not None  # noqa: S101 - who asks has looked
        before, _, after = self.file.partition("*")
        found = (path.relative_to(root).as_posix() for path in root.glob(self.file))
        names = sorted(name[len(before) : len(name) - len(after)] for name in found)
        return [name for name in names if not name.startswith(".")]  # still being written

    def annotation(self) -> Any:
        """Give the type that pydantic holds values to."""
        one = _TYPES[self.type]
        if self.allowed is not None:
            one = Literal[*self.allowed]
        elif self.type in ("integer", "number"):
            one = Annotated[one, Field(ge=self.minimum, le=self.maximum)]
        if not self.list:
            return one
        several: Any = tuple[one, ...]  # type: ignore[valid-type]
        return Annotated[several, Field(min_length=1 if self.default else 0)]


class _Declarations(Strict):
    parameters: dict[str, Declaration] = Field(default={})


def load_declarations(path: Path) -> dict[str, Declaration]:
    """Read what a project declares.

    Parameters
    ----------
    path : Path
        ``params/parameters.yml``, which need not exist.

    Raises
    ------
    ParameterError
        If the file breaks the schema, or a name is taken or cannot be a variable of a chapter.
    """
    if not path.exists():
        return {}
    declared = load_model(path, _Declarations, ParameterError).parameters
    for name in declared:
        if name in _TAKEN or keyword.iskeyword(name) or not _NAME.fullmatch(name):
            raise ParameterError(
                f"'{name}' cannot be the name of a parameter of this project",
                where=place_in(path, "parameters", name),
                allowed="lower case letters, digits and underscores; none of "
                + ", ".join([*ReportParameters.model_fields, "commit", "parameters"]),
            )
    return declared


def parameter_model(path: Path) -> type[ReportParameters]:
    """Give the schema of all parameters: those of any report, and those that a project declares.

    Parameters
    ----------
    path : Path
        ``params/parameters.yml``, which need not exist.

    Raises
    ------
    ParameterError
        If a declaration is wrong, or its default is not a value that it allows.
    """
    fields: dict[str, Any] = {}
    for name, declared in load_declarations(path).items():
        kind = declared.annotation()
        alone = create_model("Alone", **{name: (kind, ...)})  # type: ignore[call-overload]
        where = place_in(path, "parameters", name, "default")
        try:
            default = getattr(
                validate({name: declared.default}, alone, where, ParameterError), name
            )
        except ParameterError as problem:
            raise ParameterError(
                f"the default is not allowed: {problem.what}", where=where,
                remedy="correct the default, or what the parameter may be",
            ) from problem  # fmt: skip
        fields[name] = (kind, Field(default=default, description=declared.description))
    return create_model("ProjectParameters", __base__=ReportParameters, **fields)
