"""How a plan measures: the warm-up, the search, when runs are enough, when the machine is quiet."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from roundtrip.yamlfile import Strict

Seconds = Annotated[float, Field(gt=0, le=86_400)]
Percent = Annotated[float, Field(ge=0, le=100)]


class WarmUp(Strict):
    """How long a run warms up: until the steady-state rule holds, within limits.

    Attributes
    ----------
    least_seconds, most_seconds : float
        The rule is asked after the first; after the second the run is measured all the same and
        marked as not steady.
    window : int
        Intervals that the rule looks at.
    scatter, drift : float
        Its limits, as shares of the mean; see `roundtrip.stats.steady.is_steady`.
    """

    least_seconds: Seconds = 5
    most_seconds: Seconds = 30
    window: Annotated[int, Field(ge=3, le=1000)] = 6
    scatter: Annotated[float, Field(gt=0, le=1)] = 0.05
    drift: Annotated[float, Field(gt=0, le=1)] = 0.05


class Search(Strict):
    """Which numbers of requesters are run.

    Attributes
    ----------
    method : {"grid", "until_peak", "until_slow"}
        All that are listed; upwards until the rate stops rising, as the published reports do; or
        upwards until the mean time of a round trip exceeds `slow_ms`, as rated tests do.
    rise : float
        A rate must exceed the best so far by this share to count as rising.
    patience : int
        How many numbers of requesters in a row may fail to rise before the search ends.
    slow_ms : float
        Time of a round trip above which a load is too much.
    """

    method: Literal["grid", "until_peak", "until_slow"] = "grid"
    rise: Annotated[float, Field(ge=0, lt=1)] = 0.02
    patience: Annotated[int, Field(ge=1, le=10)] = 1
    slow_ms: Annotated[float, Field(gt=0, le=3_600_000)] = 1000


class Precision(Strict):
    """When an operating point has been run often enough: sequential stopping, with a cap.

    After the plan's `repetitions` a point is run again as long as the interval of its rate is too
    wide, or fewer of its runs than `repetitions` came without a mark; in blocks over all such
    points. The half width relative to the mean is the criterion of Law (*Simulation Modeling and
    Analysis*, chapter 9) and of Kalibera and Jones (*Rigorous Benchmarking in Reasonable Time*,
    2013). An interval that is looked at several times covers the mean less often than one whose
    number of runs was fixed before: of runs that scatter by 8 to 10 %, from three of them to a
    narrow interval within a cap of 20 or 100, in 88 to 91 % of cases instead of 95.

    Attributes
    ----------
    within : float
        Most that the 95 % interval may reach to either side, as a share of the mean.
    most_repetitions : int
        After which a point stays as it is.
    """

    within: Annotated[float, Field(gt=0, le=1)]
    most_repetitions: Annotated[int, Field(ge=2, le=1000)]


class Quiet(Strict):
    """When a machine counts as quiet.

    Attributes
    ----------
    busy, steal, pressure : float
        Most that other work may take of all processors, that the hypervisor may take, and that
        runnable tasks may wait for a processor (PSI), in percent, while nothing of ours runs.
    """

    busy: Percent = 10
    steal: Percent = 2
    pressure: Percent = 10


class Guard(Quiet):
    """What else must hold of a quiet machine, and what to do when it does not become so.

    Attributes
    ----------
    other : float
        Most processor time that other work, the kernel's threads included, or the hypervisor may
        take during the measured part, in percent of all processors; more marks the run as
        disturbed.
    disk : float
        Most of the measured part, in percent, in which tasks may wait for a disk while
        non-persistent messages, which nothing logs, are exchanged; more marks the run likewise.
    wait_seconds : float
        How long to wait for quiet before each run.
    otherwise : {"refuse", "mark"}
        What to do then.
    """

    other: Percent = 10
    disk: Percent = 10
    wait_seconds: Annotated[float, Field(ge=0, le=3600)] = 60
    otherwise: Literal["refuse", "mark"] = "mark"
