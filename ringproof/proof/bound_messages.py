"""The messages of an unknown schedule, as variables: who sends what to whom in which step.

In one step a rank sends to at most ``ports`` others and receives from at most as many; a message
carries at most ``message`` values (None: any number), each the size of one chunk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from ringproof.proof.bound_formula import Formula, Sort, total
from ringproof.proof.bound_turn import EVERY, Turn

Hop = tuple[int, int, int, int]
Allowed = Callable[[int, int], bool]


@dataclass(frozen=True, slots=True)
class Limits:
    """What a rank may do in one step."""

    ports: int
    message: int | None = 1

    def capacity(self, ranks: int) -> int | None:
        """How many values all messages of one step carry together; None: any number."""
        return None if self.message is None else ranks * min(self.ports, ranks - 1) * self.message


class Messages:
    """``steps`` steps of messages between ``turn``'s ranks that carry ``turn``'s things.

    The variable of a hop (step, sender, receiver, thing) says that it takes place.  Hops that turn
    into each other share one, so what is required around the ranks ``firsts`` is required of all.
    ``allowed(receiver, thing)`` says which hops there are.
    """

    def __init__(
        self, sort: Sort, turn: Turn, steps: int, limits: Limits, allowed: Allowed
    ) -> None:
        self.formula = Formula(sort)
        self.turn, self.steps, self.limits, self.allowed = turn, steps, limits, allowed
        self.ranks, self.things = len(turn.ranks), len(turn.things)
        self.firsts = turn.firsts()

    def name(self, kind: str, step: int, ranks: tuple[int, ...], thing: int) -> str:
        """The variable that stands for a place, declared."""
        ranks, thing = self.turn.first(ranks, thing)
        return self.formula.variable("_".join(map(str, (f"{kind}{step}", *ranks, thing))))

    def hop(self, step: int, sender: int, receiver: int, thing: int) -> str:
        """The variable of a hop."""
        return self.name("m", step, (sender, receiver), thing)

    def others(self, rank: int) -> list[int]:
        """Every other rank."""
        return [r for r in range(self.ranks) if r != rank]

    def sent(self, step: int, sender: int, receiver: int) -> list[str]:
        """The hops that one message could consist of."""
        return [self.hop(step, sender, receiver, v) for v in range(self.things)
                if self.allowed(receiver, v)]  # fmt: skip

    def out(self, step: int, rank: int, thing: int) -> list[str]:
        """The hops on which a rank sends a thing."""
        return [self.hop(step, rank, r, thing) for r in self.others(rank) if self.allowed(r, thing)]

    def into(self, step: int, rank: int, thing: int) -> list[str]:
        """The hops on which a rank receives a thing."""
        if not self.allowed(rank, thing):
            return []
        return [self.hop(step, r, rank, thing) for r in self.others(rank)]

    def keep_limits(self) -> None:
        """Require what `Limits` says."""
        for step in range(self.steps):
            for rank in self.firsts:
                if self.limits.message == 1:
                    self._single(step, rank)
                else:
                    self._linked(step, rank)

    def _single(self, step: int, rank: int) -> None:
        """Messages of one value: the hops themselves are counted."""
        formula, ports = self.formula, self.limits.ports
        out = [self.sent(step, rank, r) for r in self.others(rank)]
        into = [self.sent(step, r, rank) for r in self.others(rank)]
        for side in (out, into):
            formula.at_most(ports, [name for message in side for name in message])
        for message in out if ports > 1 else ():
            formula.at_most(1, message)

    def _linked(self, step: int, rank: int) -> None:
        """Messages of several values: partners are counted, and values within each message."""
        formula = self.formula
        out = [self.name("l", step, (rank, r), EVERY) for r in self.others(rank)]
        into = [self.name("l", step, (r, rank), EVERY) for r in self.others(rank)]
        for side in (out, into):
            formula.at_most(self.limits.ports, side)
        for link, r in zip(out, self.others(rank), strict=True):
            hops = self.sent(step, rank, r)
            for name in hops:
                formula.require(f"(<= {name} {link})" if formula.sort == "Real" else f"(=> {name} {link})")
            if self.limits.message is not None:
                formula.at_most(self.limits.message, hops)
                if formula.sort == "Real" and hops:
                    formula.require(f"(<= {total(hops)} (* {self.limits.message} {link}))")

    def share_distances(self, among: Literal["each step", "every step"]) -> None:
        """Narrow a search: all ranks send equally far around the circle, to ``ports`` distances, which
        are of one step or the same in every step."""
        for step in range(self.steps):
            kind = f"d{step if among == 'each step' else ''}_"
            far = [self.formula.variable(f"{kind}{d}") for d in range(1, self.ranks)]
            self.formula.at_most(self.limits.ports, far)
            for rank in self.firsts:
                for d, name in enumerate(far, 1):
                    for hop in self.sent(step, rank, (rank + d) % self.ranks):
                        self.formula.require(f"(=> {hop} {name})")

    def found(self, true: frozenset[str]) -> Iterator[Hop]:
        """The hops of a solution, in order."""
        for step in range(self.steps):
            for sender in range(self.ranks):
                for receiver in self.others(sender):
                    for thing in range(self.things):
                        if self.allowed(receiver, thing) and self.hop(step, sender, receiver, thing) in true:
                            yield step, sender, receiver, thing
