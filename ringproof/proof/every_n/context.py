"""What is assumed, and what follows from it; trusted.

A question is a text: declarations, true facts, hypotheses, and the negated goal.  That it cannot be
satisfied proves the goal for every value of every unknown.  Simplifications inside terms ask the same
way, so they hold under the hypotheses of the context they are made in, and are logged as questions
too.  Whoever has recorded which simplifications were made needs no solver to make them again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from time import process_time
from typing import TYPE_CHECKING

from ringproof.proof.every_n.atoms import Atoms
from ringproof.proof.every_n.digits import by_digits
from ringproof.proof.every_n.facts import Facts
from ringproof.proof.every_n.formula import And, Formula, Not, Or, either, negation
from ringproof.proof.every_n.questions import Question, assertions

if TYPE_CHECKING:
    from ringproof.proof.every_n.session import Session

QUICK_MS, LONG_MS = 4_000, 20_000  # far beyond what the effort allowed takes


class OutOfTime(Exception):
    """The budget is spent."""


class Unrecorded(Exception):
    """More simplifications are thought of than were recorded."""


@dataclass(slots=True)
class Desk:
    """Everything one proof attempt shares.

    ``deadline``: in seconds of this process's own work.  ``relied``: the questions it relies on,
    hypotheses and goal, and where they were asked.
    ``answers``: whether each simplification was made, in the order they were thought of;
    ``recorded``: answers to take instead of asking.
    """

    atoms: Atoms = field(default_factory=Atoms)
    deadline: float = float("inf")
    relied: dict[tuple[tuple[Formula, ...], Formula], Context] = field(default_factory=dict)
    answers: list[bool] = field(default_factory=list)
    recorded: Iterator[bool] | None = None

    def left(self) -> float:
        """Milliseconds of work left; errors: `OutOfTime`."""
        left = (self.deadline - process_time()) * 1000
        if left <= 1:
            raise OutOfTime
        return left


@dataclass(frozen=True, slots=True)
class Answer:
    """``verdict``: "proved", "fails" or "unknown"; ``model``: atom -> value where it fails."""

    verdict: str
    model: dict[int, int] = field(default_factory=dict)


class Context:
    """Hypotheses, with a solver that keeps them and the facts they need."""

    def __init__(
        self, desk: Desk, hypotheses: tuple[Formula, ...], parent: Context | None = None
    ) -> None:
        self.desk, self.hypotheses, self.parent = desk, hypotheses, parent
        self._facts: Facts | None = None
        self._start: tuple[Facts, tuple[Formula, ...]] | None = None
        self._text: tuple[str, dict[str, None]] | None = None
        self._declared: dict[str, None] = {}
        self._answers: dict[Formula, bool] = {}
        self._session: Session | None = None

    def extended(self, *more: Formula) -> Context:
        """A context with more hypotheses."""
        told = (self._spelled(f) for f in more)
        each = dict.fromkeys(g for f in told for g in (f.args if isinstance(f, And) else (f,)))
        found = tuple(f for f in each if f is not True and f not in self.hypotheses)
        return Context(self.desk, (*self.hypotheses, *found), self) if found else self

    def entails(self, goal: Formula) -> bool:
        """Whether ``goal`` is proved here, quickly; for simplifying terms.

        Errors: `Unrecorded`.
        """
        return goal if isinstance(goal, bool) else self._follows(self._spelled(goal))

    def _follows(self, goal: Formula) -> bool:
        if isinstance(goal, bool):
            return goal
        if goal in self.hypotheses:
            return True
        known = self._answers.get(goal)
        if known is None:
            known = self._answers[goal] = self._simplifies(goal)
            self.desk.answers.append(known)
            if known:
                self.desk.relied[self.hypotheses, goal] = self
        return known

    def _simplifies(self, goal: Formula) -> bool:
        if self.desk.recorded is not None:
            self._fresh(goal)  # the facts of a question name new atoms
            known = next(self.desk.recorded, None)
            if known is None:
                raise Unrecorded
            return known
        from ringproof.proof.every_n.session import SIMPLE

        return self._check(goal, SIMPLE, QUICK_MS) == "proved"

    def _spelled(self, f: Formula) -> Formula:
        """The same condition here, with numbers compared digit by digit where they are spelled."""
        atoms = self.desk.atoms
        return by_digits(atoms, self._follows, f) if atoms.digits else f

    def posed(self, goal: Formula) -> tuple[Context, Formula]:
        """The question as it is asked: where numbers are spelled, what a goal supposes is known.

        Errors: `Unrecorded`.
        """
        if not self.desk.atoms.digits:
            return self, goal
        parts = goal.args if isinstance(goal, Or) else (goal,)
        context = self
        for part in parts:
            if isinstance(part, Not):
                for given in part.arg.args if isinstance(part.arg, And) else (part.arg,):
                    context = context.extended(given)
        rest = either(*(p for p in parts if not isinstance(p, Not)))
        return context, context._spelled(rest)

    def ask(self, goal: Formula) -> Answer:
        """Prove ``goal`` here, or find where it fails."""
        from ringproof.proof.every_n.session import HARD

        posed, goal = self.posed(goal)
        if goal is True or posed.settled(goal):
            return Answer("proved")
        # Facts of other questions would only distract.
        own = Context(self.desk, posed.hypotheses, posed)
        found = own._check(goal, HARD, LONG_MS)
        self.desk.left()
        if found == "proved":
            self.desk.relied[posed.hypotheses, goal] = posed
        return Answer(found, own._session.model() if found == "fails" and own._session else {})

    def settled(self, goal: Formula) -> bool:
        """Whether the goal, or a part that is enough for it, was proved here before."""
        parts = goal.args if isinstance(goal, Or) else ()
        return any((self.hypotheses, part) in self.desk.relied for part in (goal, *parts))

    def question(self, goal: Formula) -> Question:
        """The whole question: every fact that the formulas call for, the hypotheses, no goal."""
        facts = self._known()[0].copy()
        facts.ask(goal)
        return Question((*self._premises(), *facts.fresh, *self.hypotheses), negation(goal))

    def _known(self) -> tuple[Facts, tuple[Formula, ...]]:
        """The facts that the hypotheses call for, and those that the parent's do not."""
        if self._start is None:
            above = self.parent._known()[0] if self.parent else Facts(self.desk.atoms)
            new = self._new
            if self.parent and not new:
                return above, ()
            facts = above.copy()
            for f in new:
                facts.ask(f)
            fresh, facts.fresh = facts.fresh, []
            self._start = facts, tuple(fresh)
        return self._start

    @property
    def _new(self) -> tuple[Formula, ...]:
        """The hypotheses that the parent does not have."""
        return self.hypotheses[len(self.parent.hypotheses) :] if self.parent else self.hypotheses

    def _premises(self) -> tuple[Formula, ...]:
        above = self.parent._premises() if self.parent else ()
        return above + self._known()[1]

    def _assumed(self) -> tuple[str, dict[str, None]]:
        """Facts and hypotheses as text, made from the parent's, and what it declares."""
        if self._text is None:
            above, known = self.parent._assumed() if self.parent else ("", {})
            declared = dict(known)
            told = assertions(self.desk.atoms, declared, (*self._known()[1], *self._new))
            self._text = above + told, declared
        return self._text

    def _fresh(self, goal: Formula) -> list[Formula]:
        """The facts that a goal needs and no goal before it did."""
        if self._facts is None:
            self._facts = self._known()[0].copy()
        self._facts.ask(goal)
        fresh, self._facts.fresh = self._facts.fresh, []
        return fresh

    def _check(self, goal: Formula, effort: int, milliseconds: int) -> str:
        fresh = self._fresh(goal)
        if self._session is None:
            from ringproof.proof.every_n.session import Session

            text, declared = self._assumed()
            self._session, self._declared = Session(), dict(declared)
            self._session.add(text)
        self._session.add(assertions(self.desk.atoms, self._declared, fresh))
        denied = assertions(self.desk.atoms, self._declared, (negation(goal),))
        return self._session.check(denied, effort, int(min(milliseconds, self.desk.left() + 1)))
