"""What a failed clause teaches: the one bound of its level that, with earlier ones, makes it fail.
Not trusted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ringproof.proof.refute.checker import Learned
from ringproof.proof.refute.clauses import Clauses
from ringproof.proof.refute.problem import Literal, negated
from ringproof.proof.refute.trail import Trail

Cause = tuple[int, Literal]  # an event, and the literal that is needed of it


class Analysis:
    """Adds what is learned to the clauses."""

    def __init__(self, trail: Trail, clauses: Clauses) -> None:
        self.trail, self.clauses = trail, clauses
        self.units: list[int] = []  # event before any decision -> the clause that is its literal alone

    def learn(self, failed: int) -> int:
        """Add the clause learned, its new literal first; the level to go back to, -1 for none."""
        trail = self.trail
        causes = list(self._causes(failed, -1, len(trail)))
        top = max([trail.level[event] for event, _ in causes], default=0)
        needs = _Needs(self, top)
        needs.take(causes)
        hints = [failed]
        event = len(trail) if top == len(trail.starts) else trail.starts[top]
        while len(needs.here) > 1:
            event -= 1
            if needs.here.pop(event, None) is not None:
                hints.append(trail.reason[event])
                needs.take(self._causes(trail.reason[event], trail.key[event], event))
        kept: dict[int, Cause] = {}  # the latest bound of a form says more than its earlier ones
        for event in [*needs.here, *sorted(needs.below, reverse=True)]:
            kept.setdefault(trail.key[event], (event, needs.literal(event)))
        clause = tuple([negated(literal) for _, literal in kept.values()])
        self.clauses.add(Learned(clause, (*needs.units, *reversed(hints))))
        levels = [trail.level[event] for event, _ in kept.values()]
        return levels[1] if len(levels) > 1 else len(levels) - 1

    def _causes(self, number: int, skip: int, end: int) -> Iterator[Cause]:
        """What made the literals of a clause fail before an event, but the one of key ``skip``."""
        for literal in self.clauses.items[number]:
            if literal[0] != skip:
                needed = negated(literal)
                yield self.trail.source(needed, end), needed

    def unit(self, event: int) -> int:
        """The number of a clause that is the literal of an event before any decision, alone."""
        trail, clauses = self.trail, self.clauses
        while len(self.units) <= event:
            now = len(self.units)
            number = trail.reason[now]
            if len(clauses.items[number]) > 1:
                causes = self._causes(number, trail.key[now], now)
                hints = (*dict.fromkeys([self.units[cause] for cause, _ in causes]), number)
                number = clauses.add(Learned(((trail.key[now], trail.bound[now]),), hints))
            self.units.append(number)
        return self.units[event]


class _Needs:
    """Events that a failure needs: of the level ``top``, of those below, and before any decision."""

    def __init__(self, analysis: Analysis, top: int) -> None:
        self.analysis, self.top = analysis, top
        self.here: dict[int, Literal] = {}
        self.below: dict[int, Literal] = {}
        self.units: dict[int, None] = {}

    def take(self, causes: Iterable[Cause]) -> None:
        level = self.analysis.trail.level
        for event, literal in causes:
            if level[event] == 0:
                self.units[self.analysis.unit(event)] = None
                continue
            events = self.here if level[event] == self.top else self.below
            if event not in events or literal[1] < events[event][1]:
                events[event] = literal

    def literal(self, event: int) -> Literal:
        return self.here[event] if event in self.here else self.below[event]
