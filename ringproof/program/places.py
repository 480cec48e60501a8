"""Where an element or an attribute stands in the text of a file, looked up only when it is told."""

from __future__ import annotations

import re

from ringproof.textfile import Offsets
from ringproof.verdict import Label, Spot

_TAG = re.compile(r"""<(?:[^<>"']++|"[^"]*+"|'[^']*+')*+>?""")
_NAME = re.compile(r"</?[^\s<>/]+")


class Places:
    """Byte offsets of elements to lines and columns of one text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.offsets: Offsets | None = None

    def spot(self, at: int, attribute: str = "") -> Spot:
        """Where an element's name stands, or the value of one of its attributes if it is there."""
        offsets = self.offsets = self.offsets or Offsets(self.text)
        start, _ = offsets.characters(max(at, 0), max(at, 0))
        element = _TAG.match(self.text, start)
        tag = element[0] if element else self.text[start : start + 1]
        found = _attribute(attribute).search(tag) if attribute else None
        named = _NAME.match(tag)
        first, last = found.span(1) if found else named.span() if named else (0, 1)
        span = offsets.span(start + first, start + last)
        width = span.end_column - span.column if span.line == span.end_line else 1
        return Spot(span.line, span.column, max(width, 1))

    def label(self, at: int, attribute: str = "", text: str = "") -> Label:
        """A place in the file with the words written under it."""
        return Label(self.spot(at, attribute), text)


def _attribute(name: str) -> re.Pattern[str]:
    return re.compile(rf"""\s{re.escape(name)}\s*=\s*("[^"]*"|'[^']*')""")
