"""One question to Z3 about schedules: variables, requirements, and an answer within a budget.

A formula is over truth values, or over reals from 0 to 1 in their place: whatever has no real
solution has no solution of zeros and ones either, and reals are decided quickly.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from time import monotonic
from typing import Literal

import z3

from ringproof.proof.ask import ask

Sort = Literal["Bool", "Real"]
Verdict = Literal["possible", "impossible", "unknown"]
_MOST_MILLISECONDS = 2**31


@dataclass(frozen=True, slots=True)
class Clock:
    """A moment to stop at, in seconds of `time.monotonic`."""

    deadline: float

    @classmethod
    def of(cls, seconds: float) -> Clock:
        """A clock that stops in so many seconds."""
        return cls(monotonic() + seconds)

    def left(self) -> int:
        """Milliseconds that remain, 0 if none do."""
        return min(max(0, int((self.deadline - monotonic()) * 1000)), _MOST_MILLISECONDS)

    def part(self, share: float) -> Clock:
        """A clock with a share of the time that remains."""
        return Clock(monotonic() + self.left() * share / 1000)


@dataclass(frozen=True, slots=True)
class Answer:
    """``true``: the variables that hold in the model found, if a model of truth values was."""

    verdict: Verdict
    true: frozenset[str] = frozenset()


UNKNOWN = Answer("unknown")


class Formula:
    """Collects a query as SMT-LIB text."""

    def __init__(self, sort: Sort) -> None:
        self.sort = sort
        self.lines: list[str] = []
        self.declared: set[str] = set()

    def variable(self, name: str) -> str:
        """Declare a variable, once."""
        if name not in self.declared:
            self.declared.add(name)
            bounds = f"(assert (<= 0 {name} 1))" if self.sort == "Real" else ""
            self.lines.append(f"(declare-const {name} {self.sort}){bounds}")
        return name

    def require(self, term: str) -> None:
        """Every solution has ``term``."""
        self.lines.append(f"(assert {term})")

    def fix(self, name: str, value: Literal[0, 1]) -> None:
        """A variable has a known value."""
        if self.sort == "Real":
            self.require(f"(= {name} {value})")
        else:
            self.require(name if value else f"(not {name})")

    def at_most(self, count: int, terms: Iterable[str]) -> None:
        """No more than ``count`` of the terms are true; of reals, their sum is no more."""
        terms = list(terms)
        if len(terms) <= count:
            return
        if self.sort == "Real":
            self.require(f"(<= {total(terms)} {count})")
        else:
            self.require(f"((_ at-most {count}) {' '.join(terms)})")

    def decide(self, clock: Clock, work: int = 0) -> Answer:
        """Ask Z3; ``work`` limits its steps (0: only the clock does), the same on every machine."""
        if not clock.left():
            return UNKNOWN
        fresh = z3.Context()  # so that an answer does not depend on what was asked before
        solver = z3.SimpleSolver(ctx=fresh) if self.sort == "Real" else z3.SolverFor("QF_FD", ctx=fresh)
        solver.from_string("".join(self.lines))
        solver.set("timeout", max(1, clock.left()))
        if work:
            solver.set("rlimit", work)
        answer = str(ask(solver))
        if answer != "sat":
            return Answer("impossible") if answer == "unsat" else UNKNOWN
        if self.sort == "Real":
            return Answer("possible")
        model = solver.model()
        return Answer("possible", frozenset(d.name() for d in model.decls() if z3.is_true(model[d])))


def total(terms: Iterable[str]) -> str:
    """The sum of terms."""
    return f"(+ 0 {' '.join(terms)})"


def some(terms: Iterable[str]) -> str:
    """At least one of the terms is true."""
    return f"(or false {' '.join(terms)})"
