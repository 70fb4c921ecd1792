"""Static pictures of the charts: SVG with real text, drawn once and kept by content."""

from __future__ import annotations

import asyncio
import html
import re
import tempfile
from collections.abc import Mapping, MutableMapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from threading import Thread
from typing import Any

from roundtrip.cache import Cache
from roundtrip.errors import RenderError, SetupError
from roundtrip.files import sha256_of_json, sha256_of_tree
from roundtrip.project import Project

_ID = re.compile(r'\bid="([^"]+)"')
_TRACE = re.compile(r"\btrace[0-9a-f]{6}\b")
_PATTERN = re.compile(
    r'(?P<open><pattern id="(?P<id>[^"]+)"[^>]*>)'
    r'<rect [^>]*fill="(?P<color>[^"]+)"[^>]*fill-opacity="1"/>'
)
_PATTERNED = re.compile(r"<path [^>]*fill: url\('#(?P<id>[^']+)'\);[^>]*/>")
_CLEAR = re.compile(r'<rect [^>]*fill-opacity: 0;"\s*/>')


_PATIENCE = 90.0

_OPENING = (10.0, 20.0, 90.0)
"""Seconds that a browser may take to open, which is a matter of one second, at each attempt."""


class PictureMaker:
    """Draws charts as SVG while other work goes on; what is at hand is not drawn again.

    The browser that draws them works in a thread of its own. Used as a context: its end closes the
    browser.
    """

    def __init__(self, project: Project) -> None:
        self._fonts = project.template_folders("fonts")
        self._cache = Cache(project.cache)
        code = sha256_of_tree(*self._fonts, Path(__file__))
        self._look = code + version("plotly") + version("kaleido")
        self._at_hand: dict[str, str] = {}
        self._drawing: list[Future[None]] = []
        self._browser: Future[Any] | None = None

    def __enter__(self) -> PictureMaker:
        self._folder = tempfile.TemporaryDirectory(prefix="browser-", ignore_cleanup_errors=True)
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, name="chart-browser", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(TimeoutError):
            self._submit(self._close()).result(timeout=_PATIENCE)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(timeout=5)
        self._folder.cleanup()

    def _submit(self, work: Any) -> Future[Any]:
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def expect_charts(self) -> Future[Any]:
        """Start the browser, which takes seconds, because charts are likely to come."""
        if self._browser is None:
            self._browser = self._submit(self._open())
        return self._browser

    async def _open(self) -> Any:
        try:
            return await _opened(_font_configuration(Path(self._folder.name), self._fonts))
        except Exception as problem:
            if "chrome" in type(problem).__name__.lower() or "Chrome" in str(problem)[:200]:
                raise SetupError(
                    "no Chrome or Chromium was found to draw the static figures",
                    remedy="apt-get install chromium, or set BROWSER_PATH to a browser",
                ) from problem
            raise _failure(problem) from problem

    def add(self, charts: Mapping[str, dict[str, Any]]) -> None:
        """Begin to draw charts: Plotly figures in JSON form, with width and height, by label."""
        for label, chart in charts.items():
            key = sha256_of_json([label, chart, self._look])[:24]
            kept = self._cache.get("pictures", key)
            if kept is not None:
                self._at_hand[label] = kept.decode()
            else:
                drawing = self._draw(self.expect_charts(), label, chart, key)
                self._drawing.append(self._submit(drawing))

    async def _draw(
        self, opening: Future[Any], label: str, chart: dict[str, Any], key: str
    ) -> None:
        browser = await asyncio.wrap_future(opening)
        layout = {**chart["layout"], "paper_bgcolor": "rgba(0,0,0,0)"}
        options = {"format": "svg", "width": layout["width"], "height": layout["height"]}
        try:
            svg: bytes = await browser.calc_fig({**chart, "layout": layout}, options)
        except Exception as problem:
            raise _failure(problem) from problem
        self._at_hand[label] = clean_svg(svg.decode(), label)
        self._cache.put("pictures", key, self._at_hand[label].encode())

    async def _close(self) -> None:
        if self._browser is not None:
            with suppress(Exception):  # what goes wrong on the way out harms no picture
                browser = await asyncio.wrap_future(self._browser)
                await browser.close()

    def pictures(self) -> dict[str, str]:
        """Wait for the pictures of all charts that were added, by label.

        Each is in the cache as soon as it is drawn, so that a build that ends early has drawn it.
        Identifiers are made from the label, so that equal charts give equal bytes and pictures can
        stand in one page together. Raises SetupError without a browser, RenderError when one cannot
        draw.
        """
        for drawing in self._drawing:
            drawing.result()
        return self._at_hand


def _solid_below_patterns(svg: str) -> str:
    """Draw the ground of a patterned bar as one shape, and only the pattern in tiles.

    A ground that is part of each tile shows seams wherever it is drawn with smooth edges.
    """
    grounds = {match["id"]: match["color"] for match in _PATTERN.finditer(svg)}
    svg = _PATTERN.sub(lambda match: match["open"], svg)

    def doubled(match: re.Match[str]) -> str:
        path, name = match[0], match["id"]
        if name not in grounds:
            return path
        return path.replace(f"url('#{name}')", grounds[name]) + path

    return _PATTERNED.sub(doubled, svg)


def clean_svg(svg: str, label: str) -> str:
    """Give an SVG identifiers made from its label, and take out its invisible backgrounds.

    Parameters
    ----------
    svg : str
        As the browser wrote it, with random identifiers.
    label : str
        Unique in the book.
    """
    svg = _solid_below_patterns(_CLEAR.sub("", svg))
    names = dict.fromkeys(_ID.findall(svg))
    for position, name in enumerate(names):
        svg = re.sub(rf"""(?<=["#]){re.escape(name)}(?=["')&])""", f"{label}-{position}", svg)
    for position, name in enumerate(dict.fromkeys(_TRACE.findall(svg))):
        svg = svg.replace(name, f"trace{position}")
    return svg.replace(' style=""', "").strip() + "\n"


async def _opened(fonts: Path) -> Any:
    """Open a browser that sees the fonts of a configuration, and another one if its page hangs.

    Kaleido asks to be told of the page's end of loading after it has asked for the page. Where the
    page is faster, as on a busy machine, Kaleido would wait for ever.
    """
    from choreographer.browsers import Chromium
    from kaleido import Kaleido

    class WithFonts(Chromium):
        def get_env(self) -> MutableMapping[str, str]:  # kernels that start meanwhile have no part
            return {**super().get_env(), "FONTCONFIG_FILE": str(fonts)}

    for patience in _OPENING:
        # Formulas are not used, and their library would be fetched from another host.
        browser = Kaleido(timeout=_PATIENCE, mathjax=False, browser_cls=WithFonts)
        opening = asyncio.ensure_future(browser.open())
        if (await asyncio.wait({opening}, timeout=patience))[0]:
            opening.result()
            return browser
        await browser.close()
        opening.cancel()
        with suppress(Exception, asyncio.CancelledError):
            await opening
    raise TimeoutError("its page did not get ready")


def _failure(problem: Exception) -> RenderError:
    return RenderError(
        f"the browser could not draw the figures: {problem}", remedy="run 'roundtrip doctor'"
    )


def _font_configuration(folder: Path, fonts: Sequence[Path]) -> Path:
    """Let the browser see the shipped fonts and no others, so that text has one width.

    The web fonts beside them are kept from it: Chromium would pick them and measure every text
    as nothing.
    """
    configuration = folder / "fonts.conf"
    folders = "".join(f"<dir>{html.escape(str(place))}</dir>" for place in fonts)
    configuration.write_text(
        '<?xml version="1.0"?>\n<!DOCTYPE fontconfig SYSTEM "fonts.dtd">\n'
        f"<fontconfig>{folders}<cachedir>{html.escape(str(folder / 'fonts'))}</cachedir>"
        "<selectfont><rejectfont><glob>*.woff2</glob></rejectfont></selectfont></fontconfig>\n",
        encoding="utf-8",
    )
    return configuration
