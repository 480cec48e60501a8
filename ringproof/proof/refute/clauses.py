"""Clauses, and what follows from them once all literals but one have failed.  Not trusted.

Every clause is looked at only when one of its first two literals fails, as SAT solvers do.
"""

from __future__ import annotations

from ringproof.proof.refute.checker import Learned, Lemma
from ringproof.proof.refute.problem import Literal, Problem
from ringproof.proof.refute.trail import Trail


class Clauses:
    """``items``: the question's clauses, then one for each of ``steps``."""

    def __init__(self, question: Problem, trail: Trail) -> None:
        self.trail = trail
        self.items: list[list[Literal]] = [list(clause) for clause in question.clauses]
        self.steps: list[Lemma | Learned] = []
        self.watches: list[list[int]] = []  # key -> clauses to look at when its bound gets tighter
        self.head = 0  # events before this one have been propagated

    def add_form(self) -> None:
        """Two keys more."""
        self.watches += [[], []]

    def add(self, step: Lemma | Learned) -> int:
        """A clause more; its number."""
        self.steps.append(step)
        self.items.append(list(step.clause))
        return len(self.items) - 1

    def enter(self, number: int) -> int | None:
        """Put a clause in force; of its literals after the first that fail, the last to fail comes first.

        The number of the clause if it fails.
        """
        clause = self.items[number]
        if len(clause) >= 2:
            self.watches[clause[0][0] ^ 1].append(number)
            self.watches[clause[1][0] ^ 1].append(number)
        if all(self.trail.fails(literal) for literal in clause[1:]):
            if not clause or self.trail.fails(clause[0]):
                return number
            self._hold(clause[0], number)
        return None

    def _hold(self, literal: Literal, reason: int) -> None:
        if self.trail.upper[literal[0]] > literal[1]:
            self.trail.tighten(literal, reason)

    def propagate(self) -> int | None:
        """Everything that follows from the bounds; the number of a clause that fails."""
        trail = self.trail
        while self.head < len(trail.key):
            key = trail.key[self.head]
            self.head += 1
            waiting = self.watches[key]
            kept: list[int] = []
            self.watches[key] = kept
            for place, number in enumerate(waiting):
                if self._moves_on(number, key):
                    continue
                kept.append(number)
                first, second = self.items[number][:2]
                if trail.fails(second):
                    if trail.fails(first):
                        kept += waiting[place + 1 :]
                        return number
                    self._hold(first, number)
        return None

    def _moves_on(self, number: int, key: int) -> bool:
        """Whether a clause finds another literal to wait for; what it waits for comes second."""
        clause, upper = self.items[number], self.trail.upper
        if clause[0][0] ^ 1 == key:
            clause[0], clause[1] = clause[1], clause[0]
        if upper[key] >= -clause[1][1] or upper[clause[0][0]] <= clause[0][1]:
            return False
        for place in range(2, len(clause)):
            other, bound = clause[place]
            if upper[other ^ 1] >= -bound:
                clause[1], clause[place] = clause[place], clause[1]
                self.watches[other ^ 1].append(number)
                return True
        return False
