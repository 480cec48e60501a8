"""Numbers as a person reads them, and columns that stand below each other."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ringproof.cost.values import Cost, Link, Spread
from ringproof.report.snippet import visible, width

NONE = "-"


def buffers(value: Fraction) -> str:
    """Write a number of buffers with two decimals, or two digits where it is below 0.1: ``1.97D``."""
    return f"{_decimal(value)}D"


def _decimal(value: Fraction) -> str:
    number = float(value)
    return f"{number:.2f}" if not value or number >= 0.1 else f"{number:.2g}"


def traffic(least: Fraction, most: Fraction) -> str:
    """Write the buffers of the ranks with the least and the most, once where they are the same."""
    return buffers(most) if least == most else f"{_decimal(least)}..{buffers(most)}"


def sends(of: Spread) -> str:
    """Write the chunk-sends of the ranks with the least and the most."""
    return str(of.most) if of.least == of.most else f"{of.least}..{of.most}"


def ratio(times: Fraction | None) -> str:
    """Write how many times its bound a count is; only what meets it exactly is ``1x``."""
    if times is None:
        return NONE
    return "1x" if times == 1 else f"{float(times):.2f}x"


def seconds(value: Fraction) -> str:
    """Write a time with four digits: ``1.234 ms``."""
    number = float(value)
    for factor, unit in ((1, "s"), (10**3, "ms"), (10**6, "us"), (10**9, "ns")):
        if number * factor >= 1:
            return f"{_digits(number * factor)} {unit}"
    return f"{number * 10**9:.3f} ns" if number else "0 s"


def bytes_text(value: Fraction) -> str:
    """Write a number of bytes with four digits and a binary unit: ``345.6 KiB``."""
    number = float(value)
    for power, unit in ((4, "TiB"), (3, "GiB"), (2, "MiB"), (1, "KiB")):
        if number >= 1024**power:
            return f"{_short(number / 1024**power)} {unit}"
    return f"{_short(number)} B"


def _digits(number: float) -> str:
    """A number of at least 1 with four digits, or all digits before the point."""
    return f"{number:.{max(0, 4 - len(str(int(number))))}f}"


def _short(number: float) -> str:
    text = _digits(number)
    return text.rstrip("0").rstrip(".") if "." in text else text


def link(of: Link | None) -> str:
    """Write the busiest link and how many chunk-sends it carries."""
    return f"{of.sender}->{of.receiver}" if of else NONE


def ports(of: tuple[int, int]) -> str:
    """Write the most partners in a step, out and in, once where they are the same."""
    out, into = of
    return str(out) if out == into else f"{out}/{into}"


def params(cost: Cost) -> str:
    """Write the values of a table's parameters: ``k=2, S=1``."""
    return ", ".join(f"{name}={value}" for name, value in cost.size.params)


def columns(
    rows: Sequence[Sequence[str]], left: Sequence[int] = (0,), tight: Sequence[int] = ()
) -> list[str]:
    """Set rows of visible cells below each other: the columns in ``left`` to the left, others right.

    A column in ``tight`` stands closer to the one before.  A row of two cells is a name and a
    sentence, which may be wider than its column.
    """
    whole = [row for row in rows if len(row) > 2]
    wide = [max(map(width, column)) for column in zip(*whole, strict=True)]
    wide[0] = max(width(row[0]) for row in rows)
    return [_line(row, wide, left, tight) for row in rows]


def _line(row: Sequence[str], wide: Sequence[int], left: Sequence[int], tight: Sequence[int]) -> str:
    line = ""
    for i, cell in enumerate(row):
        blank = " " * (wide[i] - width(cell))
        gap = "" if i == 0 else " " if i in tight else "  "
        line += gap + (cell + blank if i in left or len(row) == 2 else blank + cell)
    return line.rstrip()


def label(cost: Cost) -> str:
    """Write the name of a table so that it cannot steer a terminal."""
    return visible(cost.label)


def named(cost: Cost) -> str:
    """Write the name of a table and the values of its parameters."""
    return f"{label(cost)} ({params(cost)})" if cost.size.params else label(cost)
