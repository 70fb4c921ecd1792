"""What a further campaign of a chapter ran on, told by what the first one ran on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roundtrip.outputs import escape_markdown
from roundtrip.present.chapter import Text
from roundtrip.present.measured.exceptions import exceptions_words
from roundtrip.present.measured.means import Measured
from roundtrip.present.measured.words import (
    conditions,
    disclosure,
    grade_words,
    margin_words,
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
    product = " ".join(filter(None, [one.product, one.product_version]))
    text = (
        f"{grade_words(here)} Measured by the campaign `{one.id}` with "
        f"{escape_markdown(product or one.broker)}, on the machine and with the Java options of "
        f"`{other.id}` (@sec-configurations); every point was run {times(one)}; "
        f"{window_words(one)}. {conditions(here)}{scheduling_words(here)}"
        f"{exceptions_words(here.chapter, one)}{margin_words(here)}"
    )
    return Text(text)


def _java(manifest: Manifest) -> tuple[tuple[str, ...], ...]:
    return manifest.plan.broker.jvm, manifest.plan.driver.jvm
