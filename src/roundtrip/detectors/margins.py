"""What the detectors allow: every number in one place, each with its reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType


def _each_way() -> Mapping[str, int]:
    return MappingProxyType({"RR-CC": 2, "RR-CB": 1, "RR-DQ-BB": 1, "RR-BB": 0, "client/server": 1})


@dataclass(frozen=True)
class Margins:
    """Margins of the detectors.

    Attributes
    ----------
    medium_from, high_from : float
        Where the levels of certainty begin, in multiples of what is allowed. A number that was
        cut off and not rounded is out by up to twice half a unit of its last digit, so that below
        2 a slip of the last digit explains a deviation. Where what is allowed is a spread, it is
        about two standard deviations: 2 of it is one case in 16,000 if spreads are normal, and 4
        is out of the question.
    spread : float
        Share by which the rate of one set-up differs from run to run, in a careful measurement.
        The ledger of claims calls values within 3 % similar, for the same reason.
    shortfall : float
        Share by which requesters that were told a rate may stay below it: some are lost or late,
        and a mean over the run takes in its beginning. Above it they can only be by the spread.
    in_flight : float
        Factor by which rate times response time may differ from the number of requesters. Both
        are means, over periods and requesters that need not be the same, and drivers differ in
        what they count as response time: 30 to 40 % more than requesters is common.
    in_flight_usual : float
        The same factor about the report's own median: its driver counts alike in all points.
    in_flight_points : int
        Points from which a report has a median of its own.
    robust_limit : float
        Robust standard deviations beyond which a value is an outlier: 3.5, from Iglewicz and
        Hoaglin, How to Detect and Handle Outliers (1993).
    outlier_factor : float
        Factor by which an outlier differs at least from what its neighbours lead to expect. A
        lost or added digit makes 10; half the way there on a log scale is 3.2.
    least_scatter : float
        Factor of scatter that is taken for granted among neighbours, so that a series which
        happens to lie on a line does not make outliers of its next values: 1.12.
    series_length, sibling_length : int
        Least values in a column of its own, and least rows of two columns, for a robust fit: with
        fewer, one wrong value can bend the fit.
    share_explained : float
        Share of a column's derived values that a formula must give before the rest are doubted.
    least_explained : int
        And their least number: fewer agree by chance.
    digits_in_common : int
        Significant digits of one value that two points must share to be taken for one measurement
        where their factors do not contradict each other, but are not all stated: with three, one
        pair in about 500 agrees by chance.
    points_in_common : int
        A value that more points than this share, such as 100 % CPU, tells no two of them apart.
    near, near_named : float
        Share by which a number of a sentence may differ from a cell of its section, or of a table
        that it names, and still be taken for what the sentence speaks of: editions of a report
        differ by this much. Beyond it the sentence may speak of something else.
    words_in_common : int
        Words of at least three letters that two sentences must have to be taken for the same one.
    busy_cpu : float
        CPU in per cent from which a host counts as the limit: with a tenth idle at most, its rate
        can rise by no more than a ninth.
    messages_each_way : mapping
        Messages per round trip that a link to the queue manager carries in each direction, by
        workload. Where both ends are clients, request and reply each come and go over it.
    logged : tuple of str
        Delivery modes whose messages are written to the recovery log and so wait for its copies.
    """

    medium_from: float = 2.0
    high_from: float = 4.0
    spread: float = 0.03
    shortfall: float = 0.10
    in_flight: float = 1.5
    in_flight_usual: float = 1.25
    in_flight_points: int = 20
    robust_limit: float = 3.5
    outlier_factor: float = 10**0.5
    least_scatter: float = 1.12
    series_length: int = 5
    sibling_length: int = 4
    share_explained: float = 2 / 3
    least_explained: int = 3
    digits_in_common: int = 3
    points_in_common: int = 20
    near: float = 0.03
    near_named: float = 0.10
    words_in_common: int = 6
    busy_cpu: float = 90.0
    messages_each_way: Mapping[str, int] = field(default_factory=_each_way)
    logged: tuple[str, ...] = ("persistent", "transactional")


MARGINS = Margins()
