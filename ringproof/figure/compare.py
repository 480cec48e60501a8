"""The lead figure: two tables as circles, which look the same, and unrolled in time, which do not."""

from __future__ import annotations

from collections.abc import Sequence

from ringproof.figure.layout import Wanted
from ringproof.figure.picture import Picture


def compared(
    asked: Sequence[tuple[str, int, Sequence[tuple[str, int]]]], wanted: Wanted, version: str
) -> Picture:
    """Both tables in one picture."""
    raise NotImplementedError
