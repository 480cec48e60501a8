"""Option types and options that several commands share; nothing heavy is imported here."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, ClassVar

import click

COLLECTIVES = ("all-reduce", "reduce-scatter", "all-gather", "broadcast", "reduce", "scatter", "gather",
               "all-to-all", "custom")  # fmt: skip
Ranks = tuple[tuple[int, int], ...]
_RANGE = re.compile(r"\s*([0-9]{1,18})\s*(?:\.\.\s*([0-9]{1,18})\s*)?")


class RanksType(click.ParamType[Ranks]):
    """``8``, ``2..8`` or ``4,64``: inclusive ranges of N."""

    name = "N"

    def convert(self, value: Any, param: Any, ctx: Any) -> Ranks:
        if isinstance(value, tuple):
            return value
        ranges = []
        for piece in str(value).split(","):
            found = _RANGE.fullmatch(piece)
            if found is None:
                self.fail(f"{piece!r} is not a number of ranks or a range such as 2..8", param, ctx)
            lo, hi = int(found[1]), int(found[2] or found[1])
            if lo < 1:
                self.fail(f"{piece!r}: a schedule has at least 1 rank", param, ctx)
            if hi < lo:
                self.fail(f"{piece!r} is empty; did you mean {hi}..{lo}?", param, ctx)
            ranges.append((lo, hi))
        return tuple(ranges)


class BytesType(click.ParamType[float]):
    """A number of bytes: ``4GiB``, ``512MiB``, ``1000000``."""

    name = "SIZE"
    units: ClassVar[dict[str, int]] = {
        "": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40,
    }  # fmt: skip

    def convert(self, value: Any, param: Any, ctx: Any) -> float:
        if isinstance(value, float):
            return value
        text = str(value).strip()
        number = text.rstrip("BKMGTi")
        unit = text[len(number) :]
        try:
            count = float(number) * self.units[unit]
        except (ValueError, KeyError):
            self.fail(f"{text!r} is not a size such as 4GiB", param, ctx)
        if not 0 < count < 1 << 60:
            self.fail(f"{text!r} is out of range", param, ctx)
        return count


class SecondsType(click.ParamType[float]):
    """A time that Z3 can count: from a millisecond to a month."""

    name = "SECONDS"
    least, most = 0.001, 30 * 86400.0

    def convert(self, value: Any, param: Any, ctx: Any) -> float:
        try:
            seconds = float(value)
        except ValueError:
            self.fail(f"{value!r} is not a number of seconds", param, ctx)
        if not self.least <= seconds <= self.most:
            self.fail(f"{value!r} is not between {self.least} and {self.most:.0f} seconds", param, ctx)
        return seconds


class ParameterType(click.ParamType[tuple[str, int]]):
    """``NAME=VALUE`` with a whole number."""

    name = "NAME=VALUE"

    def convert(self, value: Any, param: Any, ctx: Any) -> tuple[str, int]:
        if isinstance(value, tuple):
            return value
        name, _, number = (part.strip() for part in str(value).partition("="))
        if not name.isidentifier() or not re.fullmatch(r"-?[0-9]{1,18}", number):
            self.fail(f"{value!r} is not NAME=VALUE with a whole number", param, ctx)
        return name, int(number)


class TableType(click.ParamType[str]):
    """A file or folder as it is written; a shell completes its name."""

    name = "FILE"

    def shell_complete(self, ctx: Any, param: Any, incomplete: str) -> list[Any]:
        from click.shell_completion import CompletionItem

        return [CompletionItem(incomplete, type="file")]


class CodeType(click.ParamType[str]):
    """A code or the name of a rule; a shell completes either."""

    name = "CODE"

    def shell_complete(self, ctx: Any, param: Any, incomplete: str) -> list[Any]:
        from click.shell_completion import CompletionItem

        from ringproof.codes import CODES

        words = [(word, c.summary) for c in CODES.values() for word in (c.code, c.name)]
        return [CompletionItem(w, help=told) for w, told in words if w.lower().startswith(incomplete.lower())]


TABLE = TableType()
COLOR = click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto",
                     help="Colour the report (default: on a terminal, unless NO_COLOR is set).")  # fmt: skip


def written_out(names: Iterable[str]) -> tuple[str, ...]:
    """Those of these parameters that stand on the command line of this command, defaults not."""
    source = click.get_current_context().get_parameter_source
    return tuple(name for name in names if source(name) is click.core.ParameterSource.COMMANDLINE)
