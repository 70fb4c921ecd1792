"""Data as Typst literals, so that no text can be read as markup."""

from __future__ import annotations

import json
from typing import Any

_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"})


def quoted(text: str) -> str:
    """Write text as a Typst string literal."""
    return f'"{text.translate(_ESCAPES)}"'


def data_literal(data: Any) -> str:
    """Write data as a Typst expression that gives the same data.

    All of it but the fixed call is one string literal.
    """
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return f"json(bytes({quoted(text)}))"
