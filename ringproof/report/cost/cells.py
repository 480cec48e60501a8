"""Numbers as a person reads them, and columns that stand below each other."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

from ringproof.cost.values import Cost, Link, Spread
from ringproof.report.snippet import visible, width

GAP = 2
NONE = "-"


def buffers(value: Fraction) -> str:
    """Write a number of buffers with two decimals, or two digits where it is below 0.1: ``1.97D``."""
    return f"{_decimal(value)}D"


def _decimal(value: Fraction) -> str:
    number = float(value)
    return f"{number:.2f}" if not value or number >= 0.1 else f"{number:.2g}"


def spread(least: str, most: str) -> str:
    """Write the least and the most of some ranks, once where they are the same."""
    return most if least == most else f"{least}..{most}"


def sends(of: Spread) -> str:
    """Write the chunk-sends of the ranks with the least and the most."""
    return spread(str(of.least), str(of.most))


def ratio(value: Fraction | int, bound: Fraction | int | None) -> str:
    """Write how many times its bound a value is; only what meets it exactly is ``1x``."""
    if not bound:
        return NONE
    times = Fraction(value) / Fraction(bound)
    return "1x" if times == 1 else f"{float(times):.2f}x"


def seconds(value: Fraction) -> str:
    """Write a time with four digits: ``1.234 ms``."""
    number = float(value)
    for factor, unit in ((1, "s"), (10**3, "ms"), (10**6, "us")):
        if number * factor >= 1 or unit == "us":
            return f"{_digits(number * factor)} {unit}"
    return ""


def bytes_text(value: Fraction) -> str:
    """Write a number of bytes with four digits and a binary unit: ``345.6 KiB``."""
    number = float(value)
    for power, unit in ((4, "TiB"), (3, "GiB"), (2, "MiB"), (1, "KiB")):
        if number >= 1024**power:
            return f"{_digits(number / 1024**power)} {unit}"
    return f"{_digits(number)} B"


def _digits(number: float) -> str:
    whole = len(str(int(number)))
    text = f"{number:.{max(0, 4 - whole)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def link(of: Link | None) -> str:
    """Write the busiest link and how many chunk-sends it carries."""
    return f"{of.sender}->{of.receiver}" if of else NONE


def params(cost: Cost) -> str:
    """Write the values of a table's parameters: ``k=2, S=1``."""
    return ", ".join(f"{name}={value}" for name, value in cost.size.params)


def columns(rows: Sequence[Sequence[str]], left: Sequence[int]) -> list[str]:
    """Set rows of visible cells below each other; the columns in ``left`` to the left, others right."""
    wide = [max(map(width, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = []
        for i, (cell, size) in enumerate(zip(row, wide, strict=True)):
            blank = " " * (size - width(cell))
            cells.append(cell + blank if i in left else blank + cell)
        lines.append((" " * GAP).join(cells).rstrip())
    return lines


def label(cost: Cost) -> str:
    """Write the name of a table so that it cannot steer a terminal."""
    return visible(cost.label)


Side = Literal["left", "right"]
