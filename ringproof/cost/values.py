"""What is known of the cost of tables, as frozen values; chunk-sends are whole, buffers (D) exact."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal

from ringproof.verdict import Exit, Report, Size, worst

Outcome = Literal["costed", "refuted", "not claimed"]
Sort = Literal["time", "steps", "traffic", "name"]


@dataclass(frozen=True, slots=True)
class Spread:
    """How much the rank with the least and the rank with the most has."""

    least: int
    most: int


@dataclass(frozen=True, slots=True)
class Link:
    """The directed pair of ranks with the most chunk-sends; ``equals`` links carry as much."""

    sender: int
    receiver: int
    sends: int
    equals: int


@dataclass(frozen=True, slots=True)
class Counted:
    """What the send log of one table at one size counts; local moves are no messages.

    ``chunks``: how many make a buffer (D).  ``steps``: those in which a message moves.
    ``messages``: all chunks from one rank to another in one step are one; ``per_rank`` of them leave
    the busiest rank.  ``sent``, ``received``: chunk-sends of a rank; ``total`` of all ranks.
    ``scratch``: slots beyond the buffer that are written; ``swapped``: slots that are written in the
    step in which a message reads them, so that what arrives needs room of its own; ``temporary``:
    both; each in chunks, on the rank that needs the most.  ``ports``: most partners of a rank in one
    step, out and in; ``partners``: for each number of most partners (either way), in how many steps.
    ``serial``: the most chunks a rank sends or receives in a step, summed over
    the steps; ``added``: the most chunks a rank adds in a step, summed.
    """

    chunks: int
    steps: int
    messages: int
    per_rank: int
    sent: Spread
    received: Spread
    total: int
    link: Link | None
    scratch: int
    swapped: int
    temporary: int
    ports: tuple[int, int]
    partners: tuple[tuple[int, int], ...]
    serial: int
    added: int

    def buffers(self, chunks: int) -> Fraction:
        """A number of chunks in buffers (D)."""
        return Fraction(chunks, self.chunks)


@dataclass(frozen=True, slots=True)
class Bounds:
    """What no schedule with the same promise and ports can do better.

    ``steps`` with at most the table's own partners a step; ``one_port``: with one.  ``sent`` and
    ``received`` of the busiest rank and the ``total`` of all, in buffers (D).
    """

    steps: int
    one_port: int
    sent: Fraction
    received: Fraction
    total: Fraction


@dataclass(frozen=True, slots=True)
class Machine:
    """``alpha`` seconds to begin; ``beta`` bytes a second, in and out of a rank at once; ``gamma``
    bytes a second that a rank adds (None: adding takes no time); ``ports``: a rank begins with as
    many partners at once (None: with all)."""

    alpha: Fraction
    beta: Fraction
    gamma: Fraction | None = None
    ports: int | None = None


@dataclass(frozen=True, slots=True)
class Cost:
    """One table at one size.

    ``label`` names it among the others.  ``counted`` and ``bounds`` (None: no bound is known) are
    there only where the table is right.  ``seconds`` is what the machine is predicted to need.
    ``reason``: why it is refuted or not claimed; ``remark``: what is waived.
    """

    path: str
    label: str
    name: str
    collective: str
    size: Size
    outcome: Outcome
    counted: Counted | None = None
    bounds: Bounds | None = None
    seconds: Fraction | None = None
    reason: str = ""
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Interval:
    """Buffers of ``first`` to ``last`` bytes, exact, and the tables that are fastest for all of them.

    At an end that two intervals share, their tables are equally fast.
    """

    first: Fraction
    last: Fraction
    fastest: tuple[Cost, ...]


@dataclass(frozen=True, slots=True)
class Crossover:
    """Which tables for one collective on N ranks are fastest, over a range of buffer sizes."""

    collective: str
    N: int
    intervals: tuple[Interval, ...]


@dataclass(frozen=True, slots=True)
class Survey:
    """Everything there is to say: ``costs`` in the order to show them, ``broken`` files, and, when
    they are asked for, times on a machine for a buffer of ``size`` bytes, and crossovers."""

    costs: tuple[Cost, ...]
    broken: tuple[Report, ...] = ()
    machine: Machine | None = None
    size: int | None = None
    crossovers: tuple[Crossover, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def exit(self) -> Exit:
        """The worst of all tables; what a table does not claim is no fault unless nothing is costed."""
        exits = [report.exit for report in self.broken]
        exits += [Exit.REFUTED for cost in self.costs if cost.outcome == "refuted"]
        exits += [Exit.PROVED for cost in self.costs if cost.outcome == "costed"]
        return worst(exits)


def groups(costs: tuple[Cost, ...]) -> list[tuple[Cost, ...]]:
    """Costs for the same collective and N, in the order in which each pair first comes."""
    found: dict[tuple[str, int], list[Cost]] = {}
    for cost in costs:
        found.setdefault((cost.collective, cost.size.N), []).append(cost)
    return [tuple(group) for group in found.values()]


def arranged(survey: Survey, sort: Sort) -> Survey:
    """Tables for the same collective and N by time, steps, traffic or name; those without last."""
    every = groups(survey.costs)
    costs = tuple(c for group in every for c in sorted(group, key=lambda c: _place(c, sort)))
    return replace(survey, costs=costs)


def _place(cost: Cost, sort: Sort) -> tuple[bool, Any]:
    counted = cost.counted
    if counted is None:
        return True, 0
    traffic = counted.buffers(counted.sent.most)
    values = {"time": cost.seconds, "steps": counted.steps, "traffic": traffic, "name": cost.label}
    return False, values[sort]


def ratios(counted: Counted, bounds: Bounds | None) -> dict[str, Fraction | None]:
    """How many times its lower bound each count is; None where none is known, or it is 0."""
    if bounds is None:
        return dict.fromkeys(("steps", "traffic", "received", "total"))
    pairs = {
        "steps": (Fraction(counted.steps), Fraction(bounds.steps)),
        "traffic": (counted.buffers(counted.sent.most), bounds.sent),
        "received": (counted.buffers(counted.received.most), bounds.received),
        "total": (counted.buffers(counted.total), bounds.total),
    }
    return {name: got / bound if bound else None for name, (got, bound) in pairs.items()}
