"""Write docs/vocabulary.md: each public name of roundtrip.present, an example, its picture.

make docs
"""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path
from typing import Any

import roundtrip.present
from roundtrip.present import Figure, Table

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent / "vocabulary.md"
_PARAMETER = re.compile(r"^(\*{0,2}\w[\w, *]*) : (.+)$")


def cells() -> dict[str, str]:
    """Give the example of each name, in order; ``setup`` comes first."""
    parts = re.split(r"^# %% (\w+)\n", (HERE / "examples.py").read_text("utf-8"), flags=re.M)[1:]
    return {name: code.strip() for name, code in zip(parts[::2], parts[1::2], strict=True)}


def shown_by(examples: dict[str, str]) -> dict[str, Any]:
    """Run all examples in one namespace; give what the last line of each shows."""
    scope: dict[str, Any] = {}
    shown: dict[str, Any] = {}
    for name, code in examples.items():
        tree = ast.parse(code, name)
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, name, "exec"), scope)  # noqa: S102 - a file of this repository
        if isinstance(last, ast.Expr):
            value = compile(ast.Expression(last.value), name, "eval")
            shown[name] = eval(value, scope)  # noqa: S307 - a file of this repository
    return shown


def page(examples: dict[str, str], shown: dict[str, Any]) -> str:
    """Write the page."""
    names = [name for name in examples if name != "setup"]
    lines = [
        "# The vocabulary of chapters",
        "",
        "Made by `make docs` from the docstrings of `roundtrip.present` and the examples in",
        "`docs/vocabulary/examples.py`, which a test runs. All examples belong together:",
        "",
        "```python",
        'from roundtrip.present import *\n\nchapter = Chapter("ibm-mq-v9.4-linux")',
        "```",
        "",
        " · ".join(f"[`{name}`](#{name.lower()})" for name in names),
    ]
    for name in names:
        thing = getattr(roundtrip.present, name)
        lines += ["", f"## `{name}`", "", *_described(name, thing)]
        lines += ["", "```python", examples[name], "```"]
        lines += ["", *_result(name, shown[name])]
    return "\n".join(lines) + "\n"


def _described(name: str, thing: Any) -> list[str]:
    text = inspect.getdoc(thing) or ""
    summary, *sections = re.split(r"\n\n(?=\w+\n-+\n)", text)
    given = inspect.signature(thing)
    bare = [each.replace(annotation=inspect.Parameter.empty) for each in given.parameters.values()]
    signature = given.replace(parameters=bare, return_annotation=inspect.Signature.empty)
    lines = ["```text", *_wrapped(f"{name}{signature}"), "```", "", summary]
    for section in sections:
        head, _, *body = section.split("\n")
        if head not in ("Parameters", "Attributes", "Returns", "Raises"):
            continue
        lines += ["", f"*{head}*", ""]
        lines += _entries(body) if head != "Returns" else [" ".join(" ".join(body).split())]
    return lines


def _wrapped(signature: str) -> list[str]:
    """Break a signature after its commas into lines that fit on a page."""
    lines, line = [], ""
    for part in re.split(r"(?<=,) ", signature):
        if line and len(line) + len(part) > 92:
            lines.append(line.rstrip())
            line = "    "
        line += part + " "
    return [*lines, line.rstrip()]


def _entries(body: list[str]) -> list[str]:
    entries: list[str] = []
    first = False
    for line in body:
        if line and not line.startswith(" "):
            found = _PARAMETER.match(line)
            names = found[1].replace("*", r"\*") if found else line
            entries.append(f"- **{names}**" + (f" ({found[2]})" if found else ""))
            first = True
        elif line.strip():
            entries[-1] += (": " if first else " ") + line.strip()
            first = False
    return entries


def _result(name: str, value: Any) -> list[str]:
    if isinstance(value, Figure):
        return [f"![{value.alt[:300].split(';')[0]}](vocabulary/{name}.svg)"]
    if isinstance(value, Table):
        rows = [[cell.text for cell in row] for row in value.rows]
        heads = [cell.text for cell in value.header[-1]]
        lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
        return lines + ["| " + " | ".join(row) + " |" for row in rows]
    text = value.to_string() if hasattr(value, "to_string") else repr(value)
    return ["```text", text.replace("\\xa0", " ").replace("\u00a0", " "), "```"]


def main() -> None:
    """Write the page and its pictures."""
    import plotly.io

    from roundtrip.publish.chapters.pictures import clean_svg

    examples = cells()
    shown = shown_by(examples)
    PAGE.write_text(page(examples, shown), "utf-8")
    charts = {
        name: value.chart
        for name, value in shown.items()
        if isinstance(value, Figure) and value.chart is not None
    }
    files = [HERE / f"{name}.svg" for name in charts]
    layouts = [chart.layout for chart in charts.values()]
    plotly.io.write_images(
        list(charts.values()), files,
        width=[layout.width for layout in layouts], height=[layout.height for layout in layouts],
    )  # fmt: skip
    for name, file in zip(charts, files, strict=True):
        file.write_text(clean_svg(file.read_text("utf-8"), name), "utf-8")


if __name__ == "__main__":
    main()
