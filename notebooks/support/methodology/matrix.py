"""The matrix of rules and subjects: one mark for each verdict, told apart by shape and colour."""

from __future__ import annotations

from dataclasses import replace

import plotly.graph_objects as go

from roundtrip.csvfile import csv_text
from roundtrip.methodology.subject import RuleVerdict
from roundtrip.present import Figure
from roundtrip.present.plot.canvas import Canvas, plot_text
from support.methodology.grades import Reviewed

_ROW, _AROUND, _LEFT, _LETTER = 16, 110, 220, 5.8  # pixels
_LOOKS = {
    RuleVerdict.passes: ("square", "good"), RuleVerdict.fails: ("x", "bad"),
    RuleVerdict.waived: ("diamond", "warning"),
    RuleVerdict.not_assessable: ("circle-open", "warning"),
    RuleVerdict.not_applicable: ("line-ew-open", "muted"),
}  # fmt: skip
"""Symbol of each verdict, and its colour in the theme."""


def matrix(found: Reviewed, *kinds: str, title: str, caption: str) -> Figure:
    """Draw what every subject of some kinds comes to by every rule that speaks of them.

    Parameters
    ----------
    title, caption : str
        The finding; what is drawn.
    """
    grades = found.of_kind(*kinds)
    rules = [rule for rule in found.rules if set(kinds) & set(rule.applies_to)]
    marked = "campaign" in kinds  # mandatory rules forbid conclusions from campaigns
    names = [rule.title + (" *" if rule.mandatory and marked else "") for rule in rules]
    places = {rule.id: number for number, rule in enumerate(rules)}
    longest = max(len(found.named(grade)) for grade in grades)
    height = _AROUND + _ROW * len(rules) + int(_LETTER * longest)
    canvas = Canvas(found.chapter, title, height=height, margin_left=_LEFT)
    colors = canvas.colors
    shown = []
    for verdict, (symbol, color) in _LOOKS.items():
        cells = [
            (column, places[one.rule], f"{found.named(grade)}, {one.title}: {one.finding.reason}")
            for column, grade in enumerate(grades)
            for one in grade.judged
            if one.finding.verdict is verdict
        ]
        if not cells:
            continue
        shown.append(verdict.value)
        canvas.figure.add_trace(
            go.Scatter(
                x=[cell[0] for cell in cells], y=[cell[1] for cell in cells], mode="markers",
                name=verdict.value, customdata=[plot_text(cell[2]) for cell in cells],
                hovertemplate="%{customdata}<extra></extra>",
                marker={"symbol": symbol, "size": 11, "color": getattr(colors, color),
                        "line": {"width": 2, "color": getattr(colors, color)}},
            )
        )  # fmt: skip
    canvas.figure.update_xaxes(
        tickvals=list(range(len(grades))), ticktext=[plot_text(found.named(g)) for g in grades],
        tickangle=-90, range=[-0.6, len(grades) - 0.4], showgrid=False, automargin=True,
    )  # fmt: skip
    canvas.figure.update_yaxes(
        tickvals=list(range(len(rules))), ticktext=[plot_text(name) for name in names],
        range=[len(rules) - 0.4, -0.6], showgrid=True, gridcolor=colors.rule,
    )  # fmt: skip
    canvas.figure.update_layout(showlegend=True)
    canvas.fit_legend(shown)
    drawn = canvas.finish("Matrix of marks", caption)
    failing = [
        f"{found.named(grade)} fails "
        + (", ".join(one.title.lower() for one in grade.of(RuleVerdict.fails)) or "nothing")
        for grade in grades
    ]
    rows = [
        (grade.subject, one.rule, one.finding.verdict.value, one.finding.reason)
        for grade in grades for one in grade.judged
    ]  # fmt: skip
    return replace(
        drawn, alt=f"Matrix of marks. {title.rstrip('.')}. {'; '.join(failing)}.",
        csv=csv_text(["subject", "rule", "verdict", "reason"], rows),
    )  # fmt: skip
