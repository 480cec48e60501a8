"""Formulas as SMT-LIB 2 text; trusted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ringproof.proof.every_n.atoms import Atoms
from ringproof.proof.every_n.formula import And, Eq, Formula, Le, Not, Or
from ringproof.proof.every_n.poly import Monomial, Poly


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
        """One polynomial; equal ones give the same text, whatever order they were made in."""
        parts = [self._product(m, k) for m, k in sorted(poly.terms.items())]
        return f"(+ {' '.join(parts)})" if len(parts) > 1 else parts[0] if parts else "0"

    def _product(self, m: Monomial, k: int) -> str:
        number = str(k) if k >= 0 else f"(- {-k})"
        if not m:
            return number
        product = "*" + "*".join(str(abs(a)) for a in m)
        name = self.atoms.name(m[0]) if len(m) == 1 else product
        self.used[name] = None
        return name if k == 1 else f"(* {number} {name})"


def assertions(atoms: Atoms, declared: dict[str, None], formulas: Iterable[Formula]) -> str:
    """Assertions, with a declaration of what is not ``declared`` yet."""
    text = Text(atoms)
    asserted = [f"(assert {text.formula(f)})" for f in formulas]
    new = [name for name in text.used if name not in declared]
    declared.update(dict.fromkeys(new))
    return "".join(f"(declare-const {name} Int)" for name in new) + "".join(asserted)


@dataclass(frozen=True, slots=True)
class Question:
    """``premises`` (true facts, then hypotheses) and the ``denied`` goal cannot all hold: then the
    goal is proved."""

    premises: tuple[Formula, ...]
    denied: Formula

    def only(self, kept: Iterable[int]) -> Question:
        """With some of its premises: a stronger statement, so it proves the goal as well."""
        return Question(tuple(self.premises[i] for i in kept), self.denied)

    def text(self, atoms: Atoms) -> str:
        """The whole text, for any solver."""
        return "\n".join(self.lines(atoms)) + "\n"

    def lines(self, atoms: Atoms) -> Iterator[str]:
        """Declarations, assertions and the command, a line each."""
        text = Text(atoms)
        body = [text.formula(f) for f in (*self.premises, self.denied)]
        yield "(set-logic QF_LIA)"
        for name in text.used:
            yield f"(declare-const {name} Int)"
        for f in body:
            yield f"(assert {f})"
        yield "(check-sat)"
