"""Plain values -> the text of a table: what is written so reads back as the same values."""

from __future__ import annotations

import json

_DELETE = "\x7f"  # the one control character that JSON leaves as it is and TOML does not


def literal(value: str | int) -> str:
    """A string, a boolean or a whole number as TOML writes it, on one line."""
    return json.dumps(value, ensure_ascii=False).replace(_DELETE, "\\u007f")
