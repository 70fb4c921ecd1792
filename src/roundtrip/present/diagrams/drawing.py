"""Drawings of test topologies, described in ``templates/diagrams`` and written as SVG."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from roundtrip.errors import DataError
from roundtrip.present.diagrams.links import LOOKS, Routed, draw_link, line, route, step, touches
from roundtrip.present.diagrams.model import LinkKind, Topology
from roundtrip.present.diagrams.parts import (
    Placed,
    draw_part,
    edge,
    is_container,
    place,
)
from roundtrip.present.diagrams.queues import queues_height
from roundtrip.present.diagrams.scene import (
    LEADING,
    TITLE_SIZE,
    UNIT,
    WIDTH,
    Box,
    Point,
    Scene,
    Text,
    num,
)
from roundtrip.project import Project
from roundtrip.yamlfile import load_model

ORIGIN: Point = (0.0, 40.0)
LEGEND_SAMPLE = 40.0
LEGEND_GAP = 24.0


@dataclass(frozen=True)
class Diagram:
    """A topology that can be drawn.

    Attributes
    ----------
    topology : Topology
        What the file says.
    where : str
        Name of the file, for messages.
    """

    topology: Topology
    where: str

    @property
    def title(self) -> str:
        """The title drawn above the picture."""
        return self.topology.title

    @property
    def caption(self) -> str:
        """The caption under the picture."""
        return " ".join(self.topology.caption.split())

    @property
    def alt(self) -> str:
        """What is connected with what, in words."""
        return " ".join(self.topology.alt.split())

    def svg(self, name: str) -> str:
        """Draw the topology.

        Parameters
        ----------
        name : str
            Prefix of every id, so that several drawings can share a page.

        Returns
        -------
        str
            An SVG document; the same for the same file and name.
        """
        scene, height = self._scene()
        return scene.svg(name, self.title, self.alt, height)

    def texts(self) -> list[Text]:
        """List every text of the drawing with the rectangle it needs."""
        return self._scene()[0].texts

    def problems(self) -> list[str]:
        """List what a reader could not read: texts that collide, are cut off or struck through.

        Returns
        -------
        list of str
            One sentence for each; empty when the drawing is legible.
        """
        scene, height = self._scene()
        placed = self._placed()
        paper = Box(0, 0, WIDTH, height)
        found = _collisions(scene.texts)
        for text in scene.texts:
            holder = placed[text.owner].box if text.owner else paper
            if not holder.holds(text.box):
                found.append(f"'{text.content}' does not fit into {text.owner or 'the picture'}")
        for routed in self._routed(placed):
            found += _crossings(routed, scene.texts, placed)
        for item in placed.values():
            if not paper.holds(item.box):
                found.append(f"{item.part.id} is outside the picture")
            elif item.inside and not placed[item.inside].box.holds(item.box):
                found.append(f"{item.part.id} is outside {item.inside}")
            if item.part.kind == "queues" and abs(item.box.height - queues_height(item.part)) > 1:
                rows = num(queues_height(item.part) / UNIT)
                found.append(f"{item.part.id} has to be {rows} rows high for its queues")
        return found

    def _placed(self) -> dict[str, Placed]:
        placed: dict[str, Placed] = {}
        for item in place(self.topology.parts, ORIGIN):
            if item.part.id in placed:
                raise DataError(f"two parts are called '{item.part.id}'", where=self.where)
            placed[item.part.id] = item
        return placed

    def _routed(self, placed: dict[str, Placed]) -> list[Routed]:
        return [route(link, placed, ORIGIN, self.where) for link in self.topology.links]

    def _scene(self) -> tuple[Scene, float]:
        """Draw everything; give the scene and the height it needs."""
        placed = self._placed()
        scene = Scene()
        scene.texts.append(Text(self.title, UNIT / 2, 20, TITLE_SIZE, 600))
        for item in placed.values():
            draw_part(scene, item)
        for routed in self._routed(placed):
            draw_link(scene, routed, ORIGIN)
        bottom = max(
            [item.box.bottom for item in placed.values()]
            + [text.box.bottom for text in scene.texts]
        )
        return scene, self._legend(scene, bottom + 3 * UNIT) + UNIT

    def _legend(self, scene: Scene, top: float) -> float:
        """Explain the kinds of link in use, under the picture; give the lower edge."""
        used = [kind for kind in LOOKS if any(link.kind == kind for link in self.topology.links)]
        x, y = UNIT / 2, top
        for kind in used:
            text = Text(self._words(kind), x + LEGEND_SAMPLE + 8, y + 4.5, muted=True)
            if text.box.right > WIDTH and x > UNIT / 2:
                x, y = UNIT / 2, y + LEADING + 6
                text = Text(text.content, x + LEGEND_SAMPLE + 8, y + 4.5, muted=True)
            line(scene, kind, ((x, y), (x + LEGEND_SAMPLE, y)))
            if any(link.kind == kind and link.step for link in self.topology.links):
                step(scene, (x + LEGEND_SAMPLE / 2 - 3, y), 1)
            scene.texts.append(text)
            x = text.box.right + LEGEND_GAP
        return y + UNIT if used else top - 2 * UNIT

    def _words(self, kind: LinkKind) -> str:
        return self.topology.legend.get(kind, LOOKS[kind].legend)


def load_diagram(path: Path) -> Diagram:
    """Read a topology file.

    Parameters
    ----------
    path : Path
        A YAML file as in ``templates/diagrams``.

    Raises
    ------
    DataError
        If a key is unknown, a part is named twice, or a link leads nowhere.
    """
    diagram = Diagram(load_model(path, Topology, DataError), str(path))
    diagram.svg(path.stem)
    return diagram


def diagram_names(project: Project) -> list[str]:
    """List the topologies of a project, in alphabetical order."""
    return sorted(path.stem for path in (project.templates / "diagrams").glob("*.yml"))


def _collisions(texts: list[Text]) -> list[str]:
    return [
        f"'{one.content}' and '{other.content}' overlap"
        for at, one in enumerate(texts)
        for other in texts[at + 1 :]
        if one.box.overlaps(other.box)
    ]


def _crossings(routed: Routed, texts: list[Text], placed: dict[str, Placed]) -> list[str]:
    """Find the texts and boxes that a link runs through though it should not."""
    name = f"the link from {routed.link.start} to {routed.link.end}"
    found = [
        f"{name} strikes through '{text.content}'"
        for text in texts
        if not text.covered and touches(routed, text.box)
    ]
    found += [
        f"{name} runs through {item.part.id}"
        for item in placed.values()
        if not is_container(item.part) and touches(routed, edge(item).grown(-1))
    ]
    return found
