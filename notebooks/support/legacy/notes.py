"""What belongs beside measured values: settings in effect, and attempts that broke off."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from roundtrip.campaign.products import PRODUCTS
from roundtrip.outputs import escape_markdown
from roundtrip.present import Measured, Table, Text, plain_table
from support.shared.cases import Cases


def broken_off(found: Cases) -> Text | None:
    """Say of how many attempts nothing came and why, and which cases have no rate; or None."""
    manifest = found.here.manifest
    failed = [] if manifest is None else [one for one in manifest.failed if not one.interrupted]
    if not failed:
        return None
    reasons = Counter(entry.reason.partition("\n")[0] for entry in failed)
    told = [
        f"{count} attempt{'s' * (count > 1)} failed ({escape_markdown(reason)})"
        for reason, count in sorted(reasons.items())
    ]
    text = f"{'; '.join(told)}; the means leave them out."
    without = [case.whole_name for case in found.all if found.here.mean(**case.of) is None]
    if without:
        text += f" There is no rate for {escape_markdown('; '.join(without))}."
    return Text(text)


def settings_in_effect(
    here: Measured, settings: Mapping[str, str], *, caption: str, notes: Sequence[str] = ()
) -> Table | None:
    """List settings as the running brokers stated them, by product.

    Parameters
    ----------
    settings : mapping
        Name of a setting for readers to its place in what a broker states, such as
        ``journal.sync``; those that a product does not state are left out.
    """
    if here.manifest is None:
        return None
    found: dict[tuple[str, str], list[Any]] = {}
    for configuration in here.manifest.configurations:
        for product, broker in _brokers(configuration.effective):
            for label, place in settings.items():
                value = _at(broker, place.split("."))
                values = found.setdefault((product, label), [])
                if value is not None and value not in values:
                    values.append(value)
    shown = here.chapter.numbers.write
    rows = [
        [product, label, ", ".join(_shown(value, shown) for value in sorted(values, key=_natural))]
        for (product, label), values in sorted(found.items(), key=lambda entry: entry[0][0])
        if values
    ]
    if not rows:
        return None
    return plain_table(
        caption, ["Product", "Setting", "In effect"], rows, group_by_first=True, notes=notes
    )


def _brokers(effective: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for product in PRODUCTS:
        if product.key in effective:
            yield product.name, effective
            return
    for inner in effective.values():
        if isinstance(inner, Mapping):
            yield from _brokers(inner)


def _at(content: Any, path: Sequence[str]) -> Any:
    for key in path:
        content = content.get(key) if isinstance(content, Mapping) else None
    return content


def _shown(value: Any, number: Callable[[float], str]) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return number(value) if isinstance(value, int) else str(value)


def _natural(value: Any) -> tuple[float, str]:
    return (value, "") if isinstance(value, int | float) else (0.0, str(value))
