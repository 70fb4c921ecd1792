"""What all charts share: the look of the report, alt text and data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import plotly.graph_objects as go

from roundtrip.present.chapter import Chapter
from roundtrip.present.figure import Figure
from roundtrip.present.plot.canvas import Value, finish, plot_text, title_lines
from roundtrip.present.theme import HEIGHT, base_layout, blank_figure


@dataclass
class Canvas:
    """A chart in the making.

    Parameters
    ----------
    chapter : Chapter
        Gives units, labels and the number format.
    title : str
        The finding; broken into lines where it is long.
    height : int
        Pixels at the common width.
    """

    chapter: Chapter
    title: str
    height: int = HEIGHT
    margin_left: int = 84
    figure: go.Figure = field(default_factory=blank_figure)
    values: list[Value] = field(default_factory=list)

    def __post_init__(self) -> None:
        lines = title_lines(self.title)
        self.figure.update_layout(
            base_layout(
                "<br>".join(plot_text(line) for line in lines),
                self.height,
                self.chapter.numbers.plotly_separators,
                self.margin_left,
            )
        )
        # Plotly anchors a title of several lines by its middle.
        offset = 10 + 9 * (len(lines) - 1)
        self.figure.update_layout(margin_t=46 + 20 * len(lines), title_y=1 - offset / self.height)

    def add_values(self, values: Sequence[Value]) -> None:
        """Remember what is drawn, for the alt text and the download."""
        self.values.extend(values)

    def finish(self, kind: str, caption: str) -> Figure:
        """Complete the figure; see `roundtrip.present.plot.canvas.finish`."""
        return finish(self.figure, self.title, self.values, kind, caption)
