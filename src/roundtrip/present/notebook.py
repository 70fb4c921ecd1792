"""How a notebook shows what a chapter names or ends a cell with, and what it refuses."""

from __future__ import annotations

import html
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from roundtrip.errors import ChapterError, RoundtripError
from roundtrip.outputs import MARKDOWN
from roundtrip.present.numbers import Quantity
from roundtrip.project import PACKAGE

_FORMS: WeakKeyDictionary[Any, str] = WeakKeyDictionary()
"""The format of numbers of each kernel."""


def show_values(
    write: Callable[[Quantity], str],
    inline: Callable[[Quantity], str],
    names: Callable[[Sequence[str]], list[str]],
    form: str,
) -> None:
    """Have the kernel, where there is one, show what a text cell names as a sentence would.

    Parameters
    ----------
    write, inline : callable
        Give a quantity as plain text; as Markdown.
    names : callable
        Gives the names of cells.
    form : str
        The format of numbers.

    Raises
    ------
    ChapterError
        If the kernel shows values in another format: it could not tell which one a value is for.
    """
    from IPython import get_ipython

    shell = get_ipython()
    if shell is None:
        return
    if (before := _FORMS.setdefault(shell, form)) != form:
        raise ChapterError(
            f"number_format is {form!r}, and values here are already shown as {before!r}",
            where="Chapter", remedy="use chapter.on('another-report'), which keeps the format, or "
            "give both the same; after a change of the parameter restart the kernel",
        )  # fmt: skip

    def spanned(quantity: Quantity) -> str:
        """Write a quantity for JupyterLab, which shows HTML within a line, Markdown as a block."""
        where = html.escape("; ".join(names(quantity.cells)))
        return f'<span title="{where}">{html.escape(write(quantity))}</span>'

    formatters = shell.display_formatter.formatters
    formatters[MARKDOWN].for_type(Quantity, inline)
    formatters["text/html"].for_type(Quantity, spanned)
    plain = formatters["text/plain"]
    plain.for_type(Quantity, lambda one, printer, cycle: printer.text(write(one)))
    for code in np.typecodes["AllInteger"]:  # such as counts of pandas
        kind = np.dtype(code).type
        plain.for_type(kind, lambda one, printer, cycle: printer.text(str(one)))
    # Python would write the space of "2 KB", which does not break, as "\xa0".
    plain.for_type(
        str, lambda one, printer, cycle: printer.text(json.dumps(one, ensure_ascii=False))
    )


def show_refusals_in_short() -> None:
    """Have the kernel, where there is one, show what is refused without lines of this package."""
    from IPython import get_ipython

    if (shell := get_ipython()) is not None:
        shell.set_custom_exc((RoundtripError,), _show_refusal)


def _show_refusal(
    shell: Any,
    kind: type[BaseException],
    problem: BaseException,
    steps: TracebackType | None,
    tb_offset: int | None = None,
) -> None:
    """Show the author's own lines: the message says all that those of this package could."""
    passed = []
    while steps is not None:
        passed.append(steps)
        steps = steps.tb_next
    shown = None
    for step in reversed(passed):
        if not Path(step.tb_frame.f_code.co_filename).is_relative_to(PACKAGE):
            shown = TracebackType(shown, step.tb_frame, step.tb_lasti, step.tb_lineno)
    shell.showtraceback((kind, problem, shown), tb_offset=tb_offset)
