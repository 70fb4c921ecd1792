"""What a further campaign of a chapter ran on, told by what the first one ran on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roundtrip.outputs import escape_markdown
from roundtrip.present.chapter import Text
from roundtrip.present.measured.agreement import margin_of
from roundtrip.present.measured.means import Measured
from roundtrip.present.measured.words import (
    broke_off,
    conditions,
    disclosure,
    grade_words,
    marked,
    scheduling_words,
    times,
    window_words,
)

if TYPE_CHECKING:
    from roundtrip.campaign.manifest import Manifest


def disclosure_beside(here: Measured, first: Measured) -> Text:
    """Say what a campaign ran on; shortly where it ran as another one that was described before."""
    one, other = here.manifest, first.manifest
    if one is None or other is None or not here.exists or not first.exists:
        return disclosure(here)
    if one.host != other.host or _java(one) != _java(other):
        return disclosure(here)
    doubted = sum(1 for entry in one.runs if entry.doubt)
    product = " ".join(filter(None, [one.product, one.product_version]))
    text = (
        f"{grade_words(here)} Measured by the campaign `{one.id}` with "
        f"{escape_markdown(product or one.broker)}, on the machine and with the Java options of "
        f"`{other.id}` above; every point {times(one.plan)}, "
        f"{window_words(one)}. {conditions(here)}{margin_of(here).rule}"
    )
    text += f" {scheduling_words(here)}".rstrip()
    if doubted:
        text += f" {marked(doubted, len(one.runs))}."
    if replaced := len(one.replaced):
        count = f"{replaced} of them {'is' if replaced == 1 else 'are'}"
        text += f" {count} replaced by other runs and excluded from the means."
    if one.failed:
        text += f" {broke_off(len(one.failed))}"
    if one.left_out_parts:
        text += f" Left out: {escape_markdown('; '.join(one.left_out_parts))}."
    if one.state != "complete":
        text += f" It was stopped early: {escape_markdown(str(one.why_stopped))}."
    return Text(text)


def _java(manifest: Manifest) -> tuple[tuple[str, ...], ...]:
    return manifest.plan.broker.jvm, manifest.plan.driver.jvm
