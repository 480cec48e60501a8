"""The alpha-beta-gamma model: what a machine needs for a table, and which table is fastest when.

A step in which a message moves takes alpha, plus the most bytes that one rank sends or receives in it
divided by beta; a step in which something is added takes the most bytes that one rank adds divided
by gamma.  Steps follow one another; all links of a rank share its beta; local copies are free.  On a
machine with k ports a step takes alpha for every k partners of the rank that has the most.
(Hockney, Parallel Computing 1994; gamma as in Thakur, Rabenseifner and Gropp, IJHPCA 2005.)

So the time of one table is a straight line over the size of the buffer, and the fastest table is the
lower envelope of lines: crossovers are where two lines meet, in exact arithmetic.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import lcm

from ringproof.cost.values import Cost, Counted, Crossover, Interval, Machine, Survey, groups

Line = tuple[Fraction, Fraction]


def line(counted: Counted, machine: Machine) -> Line:
    """Seconds for an empty buffer, and seconds for each byte of the buffer."""
    chunk = counted.serial / machine.beta
    if machine.gamma is not None:
        chunk += counted.added / machine.gamma
    starts = counted.steps
    if machine.ports is not None:
        starts = sum(steps * -(-partners // machine.ports) for partners, steps in counted.partners)
    return starts * machine.alpha, chunk / counted.chunks


def seconds(counted: Counted, machine: Machine, size: int) -> Fraction:
    """The predicted time for a buffer of ``size`` bytes, exact."""
    fixed, each = line(counted, machine)
    return fixed + each * size


def timed(survey: Survey, machine: Machine, size: int) -> Survey:
    """A survey with the predicted time of every table for a buffer of ``size`` bytes."""
    costs = tuple(
        cost if cost.counted is None else replace(cost, seconds=seconds(cost.counted, machine, size))
        for cost in survey.costs
    )
    return replace(survey, costs=costs, machine=machine, size=size)


def undivided(costs: Sequence[Cost], size: int) -> str:
    """Why a buffer of ``size`` bytes cannot be cut into whole chunks; nothing where it can."""
    chunks = [cost.counted.chunks if cost.counted else 1 for cost in costs]
    for cost, count in zip(costs, chunks, strict=True):
        if size % count:
            every = lcm(*chunks)
            up = -(-size // every) * every
            sizes = f"{up - every} or {up}" if up > every else f"{up}"
            return (f"{size} bytes do not divide into the {count} chunks of {cost.label} at {cost.size}; "
                    f"{sizes} bytes divide for every table and N asked")  # fmt: skip
    return ""


def crossovers(
    costs: Sequence[Cost], machine: Machine, ends: tuple[int, int]
) -> tuple[Crossover, ...]:
    """Which tables are fastest from ``ends[0]`` to ``ends[1]`` bytes, for each collective and N."""
    costed = tuple(cost for cost in costs if cost.counted is not None)
    return tuple(
        Crossover(group[0].collective, group[0].size.N, _intervals(group, machine, ends))
        for group in groups(costed)
    )


def _intervals(
    group: Sequence[Cost], machine: Machine, ends: tuple[int, int]
) -> tuple[Interval, ...]:
    lines = [line(cost.counted, machine) for cost in group if cost.counted is not None]
    return tuple(
        Interval(first, last, tuple(c for c, its in zip(group, lines, strict=True) if its == fastest))
        for first, last, fastest in envelope(lines, Fraction(ends[0]), Fraction(ends[1]))
    )


def envelope(
    lines: Sequence[Line], first: Fraction, last: Fraction
) -> list[tuple[Fraction, Fraction, Line]]:
    """The lowest line over every part of ``first`` to ``last``: (from, to, line), ascending.

    To the right only a line with a smaller slope can take over: the one that meets the lowest first,
    and of several that meet it there the flattest.
    """
    pieces: list[tuple[Fraction, Fraction, Line]] = []
    at = first
    lowest = min(lines, key=lambda it: (it[0] + it[1] * at, it[1]))
    while at < last:
        meets = [
            ((fixed - lowest[0]) / (lowest[1] - each), each, fixed)
            for fixed, each in lines if each < lowest[1]
        ]  # fmt: skip
        end, each, fixed = min(meets, default=(last, lowest[1], lowest[0]))
        pieces.append((at, min(end, last), lowest))
        at, lowest = min(end, last), (fixed, each)
    return pieces
