"""How wide a text of a drawing is, without loading a font."""

from __future__ import annotations

# Advance widths of IBM Plex Sans in thousandths of the font size, characters 32 to 126 in order.
_REGULAR = (
    "236 284 419 713 598 927 694 242 335 335 450 600 272 399 272 383 "
    "600 600 600 600 600 600 600 600 600 600 292 292 600 600 600 477 "
    "891 641 653 621 671 583 559 695 707 400 510 634 501 812 707 708 "
    "606 708 640 581 572 678 609 891 613 593 580 317 383 317 600 565 "
    "600 534 580 503 580 549 324 528 568 250 250 527 272 873 568 560 "
    "580 580 367 487 351 568 492 768 507 499 464 343 314 343 600"
)
_SEMIBOLD = (
    "236 309 471 656 600 960 713 260 337 337 556 600 298 402 298 437 "
    "600 600 600 600 600 600 600 600 600 600 318 318 600 600 600 493 "
    "899 672 663 642 689 600 577 712 719 423 545 678 521 816 719 712 "
    "641 712 664 611 580 690 638 949 655 632 599 329 437 329 600 559 "
    "600 559 600 513 600 558 350 545 588 276 276 562 294 888 588 563 "
    "600 600 393 499 374 588 524 819 544 524 502 363 376 363 600"
)
# Everything else counts as wide as an ellipsis, wider than nearly all letters.
_OTHER = 880
_TABLES = {
    weight: {chr(32 + at): int(width) for at, width in enumerate(table.split())}
    for weight, table in {400: _REGULAR, 600: _SEMIBOLD}.items()
}

ASCENT = 0.80
"""Height of a text above its baseline, as a part of the font size."""
DESCENT = 0.22
"""Depth of a text below its baseline, as a part of the font size."""


def text_width(content: str, size: float, weight: int = 400) -> float:
    """Estimate the width of a text, never too small for the shipped fonts.

    Parameters
    ----------
    content : str
        One line of text.
    size : float
        Font size in pixels.
    weight : {400, 600}
        Weight of the font.

    Returns
    -------
    float
        Width in pixels. Kerning only ever makes the real text narrower.
    """
    table = _TABLES[weight]
    return sum(table.get(character, _OTHER) for character in content) * size / 1000
