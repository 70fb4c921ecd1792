"""What a chapter needs, started before there is one to run: while a build waits for changes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass

from roundtrip.project import Project
from roundtrip.publish.chapters.kernels import Kernels
from roundtrip.publish.chapters.pictures import PictureMaker


@dataclass(frozen=True)
class Standby:
    """Kernels, one of which has loaded what chapters use, and an open browser for charts."""

    kernels: Kernels
    pictures: PictureMaker


@contextmanager
def on_standby(project: Project) -> Iterator[Standby]:
    """Start a kernel and a browser for the next build; both end with the context."""
    with closing(Kernels()) as kernels, PictureMaker(project) as pictures:
        kernels.start_ahead(project.notebooks)
        pictures.expect_charts()
        yield Standby(kernels, pictures)
