"""Chapters made ready to be rendered: checked, executed and drawn, side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path

from nbformat import NotebookNode

from roundtrip.checks import CheckResults, run_checks
from roundtrip.observations import Observations
from roundtrip.project import Project
from roundtrip.publish.chapters.execute import Execution, Run, execute_all
from roundtrip.publish.chapters.finalise import charts_of, finalise
from roundtrip.publish.chapters.notebooks import static_labels
from roundtrip.publish.chapters.pictures import PictureMaker
from roundtrip.publish.options import Options, Progress


def make_chapters(
    project: Project,
    executions: Sequence[Execution],
    run: Run | None,
    observations: Observations,
    options: Options,
    progress: Progress,
    refuse_changed: Callable[[Execution], None],
) -> tuple[dict[str, NotebookNode], CheckResults]:
    """Check the data while chapters run, and draw each chapter's charts when it has run.

    Parameters
    ----------
    executions : sequence of Execution
        From `roundtrip.publish.chapters.execute.plan_chapters`.
    run : callable or None
        Runs a chapter elsewhere; None for kernels of this machine.
    refuse_changed : callable
        Raises an error if files that a chapter reads are no longer as they were planned with.

    Returns
    -------
    notebooks : dict
        Chapter name to its notebook as the renderers read it.

    Raises
    ------
    CheckError
        If a check fails and the options do not allow it: nothing more is begun then, and what a
        chapter made of the wrong data is not reported.
    RoundtripError
        If a chapter or a picture fails.
    """
    executed: dict[Path, NotebookNode] = {}
    ready = options.standby
    pictured = nullcontext(ready.pictures) if ready else PictureMaker(project)
    with pictured as maker, ThreadPoolExecutor(1) as pool:
        with progress.step("Checks and chapters", total=len(executions) + 1) as advance:
            checks = pool.submit(_check, project, observations, options)
            checks.add_done_callback(lambda _: advance())

            def take(execution: Execution) -> None:
                if checks.done():
                    checks.result()
                source = execution.source
                executed[source] = execution.result()
                maker.add(charts_of(executed[source], project.relative(source)))
                advance()

            waiting = (each.notebook for each in executions if not each.executed)
            if any(label.startswith("fig-") for each in waiting for label in static_labels(each)):
                maker.expect_charts()
            try:
                kernels = ready.kernels if ready else None
                execute_all(executions, take, run, options.at_a_time, refuse_changed, kernels)
            except Exception:
                checks.result()
                raise
            results = checks.result()
        with progress.step("Figures"):
            pictures = maker.pictures()
            notebooks = {
                each.source.stem: finalise(
                    executed[each.source], pictures, project.relative(each.source)
                )
                for each in executions
            }
    return notebooks, results


def _check(project: Project, observations: Observations, options: Options) -> CheckResults:
    results = run_checks(project, observations)
    if not options.allow_failed_checks:
        results.raise_if_failed()
    return results
