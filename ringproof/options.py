"""Option types and options that several commands share; nothing heavy is imported here."""

from __future__ import annotations

from typing import Any

import click

Ranks = tuple[tuple[int, int], ...]


class RanksType(click.ParamType[Ranks]):
    """``8``, ``2..8`` or ``4,64``: inclusive ranges of N."""

    name = "N"

    def convert(self, value: Any, param: Any, ctx: Any) -> Ranks:
        if isinstance(value, tuple):
            return value
        ranges = []
        for piece in str(value).split(","):
            lo, dots, hi = piece.strip().partition("..")
            try:
                ends = int(lo), int(hi if dots else lo)
            except ValueError:
                self.fail(f"{piece!r} is not a number or a range such as 2..8", param, ctx)
            if ends[0] < 1 or ends[1] < ends[0]:
                self.fail(f"{piece!r} is an empty range of ranks", param, ctx)
            ranges.append(ends)
        return tuple(ranges)


COLOR = click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto",
                     help="Colour the report (default: on a terminal, unless NO_COLOR is set).")  # fmt: skip
