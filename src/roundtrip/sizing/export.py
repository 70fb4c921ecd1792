"""Models and answers as plain data, for other programs."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from roundtrip.sizing.answer import (
    DELAY_STEP,
    MACHINE_STEP,
    OTHER_MACHINE_NOTE,
    SIZE_STEP,
    Answer,
    Answers,
    Estimate,
    Sizing,
    ranges,
)
from roundtrip.sizing.models import Model
from roundtrip.sizing.needs import needs
from roundtrip.sizing.workload import CROSSINGS, Messages, Workload


def answered(sizing: Sizing, workload: Workload, answers: Answers) -> dict[str, Any]:
    """Give the answers to a workload, with what was assumed and the coefficients.

    Returns
    -------
    dict
        Plain types only; what is not known is None.
    """
    return {
        "workload": workload.model_dump(),
        "assumed": workload.assumed,
        "needs": {"now": needs(workload, workload.rate), "later": needs(workload, workload.later)},
        "answers": [_answer(answer) for answer in answers.answers],
        "unanswered": dict(answers.unanswered),
        "coefficients": exported(sizing),
    }


def _answer(answer: Answer) -> dict[str, Any]:
    system = answer.model.system
    return {
        "source": system.source,
        "system": system.label,
        "cores": _estimate(answer.cores),
        "highest_rate": _estimate(answer.highest),
        "headroom": _estimate(answer.headroom),
        "limited_by": answer.limited_by,
        "limits": dict(answer.limits),
        "response_seconds": _estimate(answer.response),
        "no_response": answer.no_response,
        "response_at_peak": answer.at_peak,
        "memory_mb": answer.memory,
        "beyond": list(answer.beyond),
        "nearest": [dataclasses.asdict(peak) for peak in answer.nearest],
    }


def _estimate(estimate: Estimate | None) -> dict[str, float | None] | None:
    if estimate is None:
        return None
    return {name: _finite(value) for name, value in dataclasses.asdict(estimate).items()}


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def exported(sizing: Sizing) -> dict[str, Any]:
    """Give all coefficients, so that another program can compute the same answers.

    Returns
    -------
    dict
        ``systems`` with their demands in seconds, ranges and peaks, ``protections``, ``widths`` as
        logarithms by what is asked and kind, ``crossings`` of links by workload, ``silent`` for
        why a source without a fitting system says nothing, ``other_machine`` for what is not
        known of one, and the ``defaults`` of a workload. Plain types only.
    """
    bare = Workload(messages=(Messages(bytes=1),), rate=1.0)
    return {
        "format": 1,
        "systems": [_exported_model(sizing, model) for model in sizing.models],
        "widths": [
            {"what": what, "kind": kind, "source": source, "width": _finite(width)}
            for (what, kind, source), width in sizing.widths.items()
        ],
        "crossings": CROSSINGS,
        "silent": list(sizing.silent.items()),
        "other_machine": OTHER_MACHINE_NOTE,
        "steps": {"size": SIZE_STEP, "delay": DELAY_STEP, "cores": MACHINE_STEP},
        "defaults": bare.model_dump(exclude={"messages", "rate"}),
    }


def _exported_model(sizing: Sizing, model: Model) -> dict[str, Any]:
    system = model.system
    ciphers = sorted({one.cipher for one in sizing.protections if one.source == system.source})
    extras = {cipher: sizing.protection(model, cipher) for cipher in ciphers}
    return {
        "source": system.source,
        "label": system.label,
        "factors": dict(system.factors),
        "throughput": dataclasses.asdict(model.throughput),
        "response": dataclasses.asdict(model.response),
        "sizes": system.sizes,
        "ranges": ranges(system),
        "delays": sorted({peak.delay for peak in system.peaks}),
        "client_kb": list(system.client_kb),
        "peaks": [dataclasses.asdict(peak) for peak in system.peaks],
        "protections": {
            cipher: dataclasses.asdict(extra) for cipher, extra in extras.items() if extra
        },
    }
