"""Which sizes of a table are costed: the N that are asked, and one value for each parameter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain

from ringproof.problem import ExpansionError, Problem
from ringproof.table.integers import Undefined
from ringproof.table.schedule import Schedule
from ringproof.verdict import Size

USUAL = (8, 64)
Ranges = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Question:
    """Which sizes: ``ranks`` are inclusive ranges of N, none is the usual; ``params`` fix parameters
    of the tables that have them, every other one takes the first value it may have."""

    ranks: Ranges = ()
    params: Mapping[str, int] = field(default_factory=dict)


class QuestionError(ValueError):
    """A question that no table has an answer to; the message says why."""


def numbers(schedule: Schedule, question: Question, top: int) -> list[int]:
    """The numbers of ranks to cost a table at; beyond ``top``, which no table claims, the first."""
    if not question.ranks:
        return _usual(schedule, question.params)
    listed = chain.from_iterable(range(a, min(b, top) + 1) for a, b in question.ranks)
    above = (a for a, _ in question.ranks if a > top)
    return sorted({*listed, *above})


def _usual(schedule: Schedule, params: Mapping[str, int]) -> list[int]:
    """8 and 64 as far as the table claims them, else the largest N that it claims."""
    lo, hi = schedule.ranks
    usual = [N for N in USUAL if sizes_at(schedule, N, params)]
    down = (N for N in range(hi, lo - 1, -1) if sizes_at(schedule, N, params))
    return usual or [next(down, hi)]


def claimed(schedule: Schedule, N: int) -> list[Size]:
    """Every claimed size with N ranks; errors: `ExpansionError` where the table does not say."""
    if not schedule.ranks[0] <= N <= schedule.ranks[1]:
        return []
    try:
        return list(schedule.at(N))
    except Undefined as error:
        raise ExpansionError((Problem.undefined(error, Size(N), {}),)) from None


def sizes_at(schedule: Schedule, N: int, params: Mapping[str, int]) -> list[Size]:
    """The claimed sizes with N ranks and these values of the table's own parameters."""
    return [
        size for size in claimed(schedule, N)
        if all(params.get(name, value) == value for name, value in size.params)
    ]  # fmt: skip


def unclaimed(schedule: Schedule, N: int, params: Mapping[str, int]) -> str:
    """Why a table has no size with N ranks and these parameters, in words."""
    lo, hi = schedule.ranks
    told = f"N = {lo}" if lo == hi else f"N = {lo}..{hi}"
    if not lo <= N <= hi:
        return f"the claim is {told}"
    sizes = claimed(schedule, N)
    if not sizes:
        return f"the claim is {told} where {schedule.where.text}"
    names = [name for name, _ in sizes[0].params if name in params]
    asked = ", ".join(f"{name} = {params[name]}" for name in names)
    return f"{asked} is not among the parameters there"
