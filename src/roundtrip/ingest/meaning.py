"""What the columns of a tool mean as metrics and factors, as far as output or context say."""

from __future__ import annotations

import re

from roundtrip.dictionary import END_TO_END, PUBLISH, TIME, Dictionary, FactorValue
from roundtrip.errors import DataError
from roundtrip.ingest.context import FileContext
from roundtrip.ingest.points import Point, Value
from roundtrip.ingest.records import Quantity
from roundtrip.ingest.result import FileResult
from roundtrip.ingest.tools.csv_table import CsvTable

_ROLES = (
    (re.compile(r"request[eo]r", re.IGNORECASE), "requesters"),
    (re.compile(r"responder", re.IGNORECASE), "responders"),
    (re.compile(r"putget|reconnecttimer", re.IGNORECASE), "put-get"),
    (re.compile(r"sender|publisher|producer", re.IGNORECASE), "senders"),
    (re.compile(r"receiver|subscriber|consumer", re.IGNORECASE), "receivers"),
)
_DELIVERY = {
    "true": "persistent", "false": "nonpersistent", "Persistent": "persistent",
    "Non Persistent": "nonpersistent",
}  # fmt: skip
_RATES = ("rate", "rolling_rate", "run_rate")
_HISTOGRAMS = {"requesters": TIME, "receivers": END_TO_END, "senders": PUBLISH}
"""What programs record in histograms, by what they did."""
_HISTOGRAM_MS = {"ns": 1e-6, "us": 1e-3, "ms": 1.0, "s": 1e3}


def role_of(result: FileResult, context: FileContext, run: int) -> str | None:
    """Tell what the load driver's programs of a run did, from campaign.yml or from their names."""
    if context.role:
        return context.role
    if result.reader and result.reader.role:
        return result.reader.role
    told = result.settings.of(run, "programs") or result.settings.of(run, "test class")
    roles = {
        next((role for pattern, role in _ROLES if pattern.search(program)), None)
        for program in told
    }
    return roles.pop() if len(roles) == 1 else None  # of several, nobody can tell whose a value is


def meaning_of(
    result: FileResult, context: FileContext, point: Point, value: Value, dictionary: Dictionary
) -> tuple[str | None, float, str]:
    """Say what a value of a point is: its metric, and what turns it into which unit.

    It has no metric where the dictionary has none, or where nobody says; then the unit is that of
    the quantity.

    Iterations of a load driver are round trips only where its programs are requesters: the same
    numbers count messages of senders, and responders count the requesters' round trips again.
    """
    reader, quantity = result.reader, result.quantities.get(value.quantity, Quantity(""))
    metric, factor = quantity.metric, quantity.factor
    unknown = value.statistic not in dictionary.statistics
    if reader and reader.drives == "by role" and value.quantity in _RATES:
        role = role_of(result, context, point.run)
        metric = {
            "requesters": "round_trip_rate", "senders": "message_rate", "receivers": "message_rate",
            "put-get": "iteration_rate", None: "iteration_rate",
        }.get(role)  # fmt: skip
    elif result.tool == CsvTable.name:
        pass  # its mapping says what it is
    elif metric == "round_trip_time" and role_of(result, context, point.run) != "requesters":
        metric = None
    elif reader and reader.watches == "machine" and metric == "cpu":
        whole = point.stream in ("", "all")
        metric = "cpu" if context.host == "queue manager" else "machine_cpu"
        metric = metric if whole and context.host != "clients" else None
    elif quantity.unit == "as recorded" and context.histogram_unit:
        factor = _HISTOGRAM_MS[context.histogram_unit]
        metric = _HISTOGRAMS.get(role_of(result, context, point.run) or "")
        if metric is None or unknown:
            return None, factor, "ms"
    if metric is None or metric not in dictionary.metrics or unknown:
        return None, 1.0, quantity.unit
    return metric, factor, dictionary.metrics[metric].unit


def factors_of(
    result: FileResult, context: FileContext, point: Point, dictionary: Dictionary
) -> dict[str, FactorValue]:
    """Give the factors of a point, from the output and from campaign.yml, which wins."""
    told: dict[str, object] = dict(result.reader.implied if result.reader else {})
    values = {value.quantity: value.value for value in point.values}

    def setting(name: str) -> str:
        return result.settings.one(point.run, name)

    role = role_of(result, context, point.run)
    threads = values.get("threads") or values.get("threads_set") or values.get("requesters")
    if threads is not None and role in ("requesters", "responders"):
        told[role] = int(threads)
    size = setting("message bytes") or setting("messageSize")
    if "message_bytes" in values:
        told["message_bytes"] = int(values["message_bytes"])
    elif size.isdigit():
        told["message_bytes"] = int(size)
    if delivery := _DELIVERY.get(setting("persistent") or setting("delivery")):
        told["delivery"] = delivery
    if "persistent" in values and result.tool == "cphtestp":
        told["delivery"] = "persistent" if values["persistent"] else "nonpersistent"
    if setting("transacted") == "true":
        told["syncpoint"] = "inside"
    if cipher := setting("cipher"):
        told["tls_cipher"] = cipher
    if result.tool == "cphtestp":
        if (responders := setting("responders")).isdigit():
            told["responders"] = int(responders)
        if api := setting("api"):
            told["api"] = api
    found: dict[str, FactorValue] = {}
    for name, value in (told | point.factors).items():
        try:
            typed = dictionary.factor_value(name, value, result.name)
        except DataError:
            continue  # the tool's word for it is none of the dictionary's
        if typed is not None:
            found[name] = typed
    return found | context.factors
