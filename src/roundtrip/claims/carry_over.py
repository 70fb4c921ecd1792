"""Which claims can be asked of another system, and why others cannot.

Only what does not depend on the speed of a machine carries over: a claim whose value stays as it is
when every rate is doubled.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import pyarrow.compute as pc

from roundtrip.claims.cases import CaseError, cases_of
from roundtrip.claims.ledger import Judged
from roundtrip.observations import Observations
from roundtrip.sandbox.process import QueryError, Sandbox

RATE = "round_trip_rate"
_EXACT = 1e-6


def carry_over(observations: Observations, claims: Sequence[Judged]) -> dict[tuple[str, str], str]:
    """Say of each claim why it cannot be asked of another system; empty where it can.

    Returns
    -------
    dict
        Report and id to the reason.
    """
    table = observations.table
    rates = pc.equal(table.column("metric"), RATE)
    for name in ("value", "value_corrected"):
        column = table.column(name)
        doubled = pc.if_else(rates, pc.multiply(column, 2.0), column)
        table = table.set_column(table.schema.get_field_index(name), name, doubled)
    metrics = dict(
        zip(table.column("observation_id").to_pylist(), table.column("metric").to_pylist(),
            strict=True)
    )  # fmt: skip
    found = {}
    with Sandbox(table) as sandbox:
        for row in claims:
            why = _apart(row, {metrics[cell] for cell in row.cells})
            if not why and not _free_of_scale(row, sandbox, frozenset(metrics)):
                why = "an absolute rate belongs to its machine"
            found[row.report, row.claim.id] = why
    return found


def _apart(row: Judged, metrics: set[str]) -> str:
    if not row.cases:
        return "its source prints no numbers for it"
    if row.claim.kind == "count":
        return "it counts what its source tested"
    return "it rests on more than rates of round trips" if metrics != {RATE} else ""


def _free_of_scale(row: Judged, sandbox: Sandbox, known: frozenset[str]) -> bool:
    """Say whether the claim would say the same of a machine of twice the speed."""
    try:
        cases = cases_of(row.claim, *sandbox.rows(str(row.claim.sql), row.report), known)
    except (CaseError, QueryError):
        return False  # such as of rates below a bound: none is left
    before = {case.item: case.value for case in row.cases}
    after = {case.item: case.value for case in cases}
    if before.keys() != after.keys():
        return False
    ratios = [after[item] / value if value else 1.0 for item, value in before.items()]
    expect = row.claim.expect
    # Whether something is above nothing, or above something else, is the same in any unit.
    of_sign = expect is not None and (expect.of_items or expect.above == 0 or expect.below == 0)
    wanted = ratios[0] if of_sign else 1.0
    return all(math.isclose(ratio, wanted, rel_tol=_EXACT) for ratio in ratios)
