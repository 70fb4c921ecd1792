"""What the detectors allow: every number in one place, each with its reason."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

MEDIUM_FROM, HIGH_FROM = 2.0, 4.0
"""Where the levels of certainty begin, in multiples of what is allowed. A number that was cut off
and not rounded is out by up to twice half a unit of its last digit, so that below 2 a slip of the
last digit explains a deviation. Where what is allowed is a spread, it is about two standard
deviations: 2 of it is one case in 16,000 if spreads are normal, and 4 is out of the question."""

SPREAD = 0.03
"""Share by which the rate of one set-up differs from run to run, in a careful measurement. The
ledger of claims calls values within 3 % similar, for the same reason."""

SHORTFALL = 0.10
"""Share by which requesters that were told a rate may stay below it: some are lost or late, and a
mean over the run takes in its beginning. Above it they can only be by the spread."""

IN_FLIGHT = 1.5
"""Factor by which rate times response time may differ from the number of requesters. Both are
means, over periods and requesters that need not be the same, and drivers differ in what they
count as response time: 30 to 40 % more than requesters is common."""

IN_FLIGHT_USUAL = 1.25
"""The same factor about the report's own median: its driver counts alike in all points."""

IN_FLIGHT_POINTS = 20
"""Points from which a report has a median of its own."""

ROBUST_LIMIT = 3.5
"""Robust standard deviations beyond which a value is an outlier: from Iglewicz and Hoaglin, How
to Detect and Handle Outliers (1993)."""

OUTLIER_FACTOR = 10**0.5
"""Factor by which an outlier differs at least from what its neighbours lead to expect. A lost or
added digit makes 10; half the way there on a log scale is 3.2."""

LEAST_SCATTER = 1.12
"""Factor of scatter that is taken for granted among neighbours, so that a series which happens to
lie on a line does not make outliers of its next values."""

SERIES_LENGTH = 5
"""Least values of a column for a robust fit: with fewer, one wrong value can bend the fit."""

SHARE_EXPLAINED = 2 / 3
"""Share of a column's derived values that a formula must give before the rest are doubted."""

LEAST_EXPLAINED = 3
"""And their least number: fewer agree by chance."""

DIGITS_IN_COMMON = 3
"""Significant digits of one value that two points must share to be taken for one measurement
where their factors do not contradict each other, but are not all stated: with three, one pair in
about 500 agrees by chance."""

POINTS_IN_COMMON = 20
"""A value that more points than this share, such as 100 % CPU, tells no two of them apart."""

NEAR, NEAR_NAMED = 0.03, 0.10
"""Share by which a number of a sentence may differ from a cell of its section, or of a table that
it names, and still be taken for what the sentence speaks of: editions of a report differ by this
much. Beyond it the sentence may speak of something else."""

BUSY_CPU = 90.0
"""CPU in per cent from which a host counts as the limit: with a tenth idle at most, its rate can
rise by no more than a ninth."""

MESSAGES_EACH_WAY: Mapping[str, int] = MappingProxyType(
    {"RR-CC": 2, "RR-CB": 1, "RR-DQ-BB": 1, "RR-BB": 0, "client/server": 1}
)
"""Messages per round trip that a link to the queue manager carries in each direction, by
workload. Where both ends are clients, request and reply each come and go over it."""

LOGGED = ("persistent", "transactional")
"""Delivery modes whose messages are written to the recovery log and so wait for its copies."""
