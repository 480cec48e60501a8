"""What is assumed, and what follows from it: the only place that asks Z3; trusted.

A question is a text: declarations, true facts, hypotheses, and the negated goal.  ``unsat`` proves
the goal for every value of every unknown.  Simplifications inside terms ask the same way, so they
hold under the hypotheses of the context they are made in, and are logged as questions too.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from time import monotonic

import z3

from ringproof.proof.every_n.atoms import Atoms
from ringproof.proof.every_n.facts import Facts
from ringproof.proof.every_n.formula import (
    And,
    Eq,
    Formula,
    Le,
    Not,
    Or,
    both,
    negation,
    polys,
)  # fmt: skip
from ringproof.proof.every_n.poly import Monomial, Poly


class OutOfTime(Exception):
    """The budget is spent."""


@dataclass(slots=True)
class Desk:
    """Everything one proof attempt shares: atoms, the deadline, and the questions it relies on."""

    atoms: Atoms = field(default_factory=Atoms)
    deadline: float = float("inf")
    relied: dict[tuple[tuple[Formula, ...], Formula], None] = field(default_factory=dict)
    milliseconds: int = 3000

    def left(self) -> int:
        """Milliseconds for one question; errors: `OutOfTime`."""
        left = (self.deadline - monotonic()) * 1000
        if left <= 1:
            raise OutOfTime
        return int(min(left, self.milliseconds))


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
        self._start: _Start | None = None
        self._declared: dict[str, None] = {}
        self._answers: dict[Formula, bool] = {}

    def extended(self, *more: Formula) -> Context:
        """A context with more hypotheses."""
        found = tuple(f for f in more if f is not True and f not in self.hypotheses)
        return Context(self.desk, (*self.hypotheses, *found), self) if found else self

    def entails(self, goal: Formula) -> bool:
        """Whether ``goal`` is proved here, quickly; for simplifying terms."""
        if isinstance(goal, bool):
            return goal
        if goal in self.hypotheses:
            return True
        known = self._answers.get(goal)
        if known is None:
            known = self._answers[goal] = self._check(goal, min(400, self.desk.left())) == z3.unsat
            if known:
                self.desk.relied[self.hypotheses, goal] = None
        return known

    def ask(self, goal: Formula) -> Answer:
        """Prove ``goal`` here, or find where it fails."""
        if goal is True:
            return Answer("proved")
        # Facts of other questions would only distract.
        own = Context(self.desk, self.hypotheses, self)
        found = own._check(goal, self.desk.left(), keep=True)
        self.desk.left()
        if found == z3.unsat:
            self.desk.relied[self.hypotheses, goal] = None
            return Answer("proved")
        return Answer("unknown") if found == z3.unknown else Answer("fails", own._model())

    def _model(self) -> dict[int, int]:
        model = self._solver.model()
        values = {}
        for declaration in model.decls():
            name = declaration.name()
            if not name.startswith("*"):
                value = z3.simplify(model[declaration])
                if z3.is_int_value(value):  # anything else is no size to replay
                    values[int(name.rsplit(".", 1)[1])] = value.as_long()
        return values

    def start(self) -> _Start:
        """The hypotheses with the facts they need, as text; made from the parent's."""
        if self._start is None:
            known = self.parent.start() if self.parent else None
            facts = known.facts.copy() if known else Facts(self.desk.atoms)
            new = self.hypotheses[len(self.parent.hypotheses) :] if self.parent else self.hypotheses
            for f in new:
                facts.ask(f)
            fresh, facts.fresh = facts.fresh, []
            declared = dict(known.declared) if known else {}
            text = _text(self.desk.atoms, declared, (*fresh, *new))
            self._start = _Start(facts, (known.text if known else "") + text, declared)
        return self._start

    def _check(self, goal: Formula, milliseconds: int, keep: bool = False) -> z3.CheckSatResult:
        if self._facts is None:
            begun = self.start()
            self._facts, self._declared = begun.facts.copy(), dict(begun.declared)
            self._solver = z3.SimpleSolver()
            self._solver.from_string(begun.text)
        self._facts.ask(goal)
        fresh, self._facts.fresh = self._facts.fresh, []
        if fresh:
            self._solver.from_string(_text(self.desk.atoms, self._declared, fresh))
        self._solver.set("timeout", milliseconds)
        self._solver.push()
        self._solver.from_string(_text(self.desk.atoms, self._declared, (negation(goal),)))
        found = self._solver.check()
        if not keep or found == z3.unsat:
            self._solver.pop()
        return found


@dataclass(frozen=True, slots=True)
class _Start:
    """Where a context's questions start from."""

    facts: Facts
    text: str
    declared: dict[str, None]


def _text(atoms: Atoms, declared: dict[str, None], formulas: Iterable[Formula]) -> str:
    """Assertions, with a declaration of what is not ``declared`` yet."""
    text = Text(atoms)
    asserted = [f"(assert {text.formula(f)})" for f in formulas]
    new = [name for name in text.used if name not in declared]
    declared.update(dict.fromkeys(new))
    return "".join(f"(declare-const {name} Int)" for name in new) + "".join(asserted)


class Text:
    """Writes formulas in SMT-LIB; products of atoms become constants of their own."""

    def __init__(self, atoms: Atoms) -> None:
        self.atoms = atoms
        self.used: dict[str, None] = {}

    def declarations(self) -> str:
        """A declaration of everything written so far."""
        return "".join(f"(declare-const {name} Int)" for name in self.used)

    def formula(self, f: Formula) -> str:
        """One formula."""
        kept = self.atoms.texts.get(f)
        if kept is None:
            inner = Text(self.atoms)
            kept = self.atoms.texts[f] = inner._written(f), tuple(inner.used)
        self.used.update(dict.fromkeys(kept[1]))
        return kept[0]

    def _written(self, f: Formula) -> str:
        match f:
            case bool():
                return "true" if f else "false"
            case Le(poly):
                return f"(<= {self.sum(poly)} 0)"
            case Eq(poly):
                return f"(= {self.sum(poly)} 0)"
            case Not(arg):
                return f"(not {self._written(arg)})"
            case And(args):
                return f"(and {' '.join(map(self._written, args))})"
            case Or(args):
                return f"(or {' '.join(map(self._written, args))})"

    def sum(self, poly: Poly) -> str:
        """One polynomial."""
        parts = [self._product(m, k) for m, k in poly.terms.items()]
        return f"(+ {' '.join(parts)})" if len(parts) > 1 else parts[0] if parts else "0"

    def _product(self, m: Monomial, k: int) -> str:
        number = str(k) if k >= 0 else f"(- {-k})"
        if not m:
            return number
        product = "*" + "*".join(str(abs(a)) for a in m)
        name = self.atoms.name(m[0]) if len(m) == 1 else product
        self.used[name] = None
        return name if k == 1 else f"(* {number} {name})"


def question(atoms: Atoms, hypotheses: tuple[Formula, ...], goal: Formula) -> str:
    """The whole text of a question, for any solver; unsatisfiable means proved."""
    facts = Facts(atoms)
    for f in (*hypotheses, goal):
        facts.ask(f)
    text = Text(atoms)
    body = [text.formula(f) for f in (*facts.fresh, *hypotheses, negation(goal))]
    return text.declarations() + "\n" + "".join(f"(assert {b})\n" for b in body) + "(check-sat)\n"


def all_of(hypotheses: Iterable[Formula]) -> Formula:
    """Hypotheses as one formula."""
    return both(*hypotheses)


def mentions(f: Formula) -> set[int]:
    """The atoms a formula uses."""
    return {a for poly in polys(f) for a in poly.atoms()}
