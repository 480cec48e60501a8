"""Division, powers and choices on polynomials, simplified in a context; trusted.

Every simplification is an identity of integers under conditions that the context entails.
"""

from __future__ import annotations

from dataclasses import dataclass

from ringproof.proof.every_n.atoms import Atoms
from ringproof.proof.every_n.context import Context
from ringproof.proof.every_n.formula import (
    And,
    Eq,
    Formula,
    Le,
    Not,
    Or,
    holds,
    le,
    negation,
    polys,
    within,
)  # fmt: skip
from ringproof.proof.every_n.poly import ONE, ZERO, Poly, polynomial
from ringproof.proof.every_n.truths import parity, remainder


class Untranslatable(Exception):
    """An operation that this reading does not cover: nothing is assumed, nothing proved."""


@dataclass(frozen=True, slots=True)
class Division:
    """Operations in one context."""

    context: Context

    @property
    def atoms(self) -> Atoms:
        """The atoms of this proof attempt."""
        return self.context.desk.atoms

    def _natural(self, x: Poly) -> bool:
        return self.context.entails(le(0, x))

    def _positive(self, m: Poly) -> bool:
        single = m.single
        if single is not None and single[1] > 0 and self.atoms.is_positive(single[0]):
            return True
        return self.context.entails(le(1, m))

    def _note(self, x: Poly, factor: Poly) -> None:
        """Remember a sum that is multiplied by a size: its gap facts will be wanted."""
        single = None if self.atoms.is_spelled(x) else factor.single  # those go digit by digit
        if len(x.terms) > 1 and single is not None and self.atoms.is_positive(single[0]):
            self.atoms.products.setdefault(single[0], {})[x] = None
            for atom in {a for a in x.atoms() if a in self.atoms.positive}:
                inside, rest_of_x = x.split((atom,))
                if rest_of_x == ZERO:
                    whole = tuple(sorted((*single[0], atom)))
                    self.atoms.products.setdefault(whole, {})[inside] = None
            for atom in single[0]:
                rest = list(single[0])
                rest.remove(atom)
                self.atoms.products.setdefault((atom,), {})[x * Poly({tuple(rest): 1})] = None

    # -- division

    def modulo(self, x: Poly, m: Poly) -> Poly:
        """x % m; x itself where m is not positive."""
        if m.number == 2:
            odd = parity(self.atoms, self._told(self.atoms.written(x), 2))
            if odd is not None:
                return odd
        return self.atoms.written(x - m * self.divide(x, m))

    def divide(self, x: Poly, m: Poly) -> Poly:
        """x // m; 0 where m is not positive."""
        x, m = self.atoms.written(x), self.atoms.written(m)
        if m.number is not None:
            return self._by_number(x, m.number) if m.number > 0 else ZERO
        single = m.single
        if single is None or not self._positive(m):
            return self._remaining(x, m)
        monomial, factor = single
        if factor > 1:
            return self._by_number(self.divide(x, Poly({monomial: 1})), factor)
        if len(monomial) > 1 and self.atoms.is_positive(monomial):
            exact, rest = x.split(monomial)
            return exact + self._nested(rest, monomial)
        if len(monomial) > 1:
            return self._remaining(x, m)
        exact, rest = self._multiples(x, monomial[0])
        return exact + self._remaining(rest, m)

    def _nested(self, x: Poly, monomial: tuple[int, ...]) -> Poly:
        """x // (a * b) is (x // a) // b for positive a and b."""
        if self.context.entails(within(0, x, Poly({monomial: 1}))):
            return ZERO
        first = max(dict.fromkeys(reversed(monomial)), key=lambda a: self._likely(x, a))
        rest = list(monomial)
        rest.remove(first)
        return self.divide(self.divide(x, Poly({(first,): 1})), Poly({tuple(rest): 1}))

    def _likely(self, x: Poly, atom: int) -> int:
        """How well x is divided by an atom first: in part, or as somewhere else already."""
        exact, rest = x.split((atom,))
        known = self.atoms.known("div", rest, Poly({(atom,): 1}))
        return 2 * known + (exact != ZERO)

    def _multiples(self, x: Poly, atom: int) -> tuple[Poly, Poly]:
        """x = atom * A + B; a higher power of the same base counts as a multiple."""
        exact, rest = x.split((atom,))
        mine = self.atoms.of(atom)
        if mine.kind != "pow":
            return exact, rest
        base, e = mine.number(0), mine.poly(1)
        for other in {a for a in rest.atoms() if self.atoms.of(a).kind == "pow"}:
            kind = self.atoms.of(other)
            if kind.args[0] != base or not self._natural(e):
                continue
            if self._natural(kind.poly(1) - e):
                inside, rest = rest.split((other,))
                exact = exact + inside * self.power(polynomial(base), kind.poly(1) - e)
        return exact, rest

    def _remaining(self, x: Poly, m: Poly) -> Poly:
        if x == ZERO:
            return ZERO
        ask = self.context.entails
        if self._positive(m):
            for i in (0, 1, -1):
                if ask(within(m * i, x, m * (i + 1))):
                    return polynomial(i)
        return self.atoms.poly("div", x, m)

    def _by_number(self, x: Poly, k: int) -> Poly:
        if k == 1:
            return self.atoms.written(x)
        x = self._told(self.atoms.written(x), k)
        exact: dict[tuple[int, ...], int] = {}
        rest: dict[tuple[int, ...], int] = {}
        for m, coefficient in x.terms.items():
            whole = coefficient // k if m == () or coefficient > 0 else -(-coefficient // k)
            exact[m], rest[m] = whole, coefficient - k * whole
        left = Poly(rest)
        if left.number is not None:
            return Poly(exact) + left.number // k
        finer = self.atoms.split_before(left, k)
        if finer:
            return Poly(exact) + self._by_number(self._by_number(left, finer), k // finer)
        if k <= 8:
            for atom in [a for (a, *more) in filter(None, left.terms) if not more]:
                if self.atoms.splits_by(atom, k):
                    half, digit = self.atoms.split(atom, k)
                    whole_part = {atom: half * k + digit}
                    return Poly(exact) + self._by_number(left.replaced(whole_part), k)
        if k == 2:
            table = self._halved(left)
            if table is not None:
                return Poly(exact) + table
        return Poly(exact) + self._remaining(left, polynomial(k))

    def _told(self, x: Poly, k: int) -> Poly:
        """x with every power whose remainder by k is known written as that and a multiple of k."""
        open_part = Poly({m: i for m, i in x.terms.items() if i % k})
        found = {}
        for a in set(open_part.atoms()):
            known = remainder(self.atoms, a, k)
            if known is not None and self._natural(self.atoms.of(a).poly(1) - known[0]):
                found[a] = self.atoms.poly("div", Poly({(a,): 1}), polynomial(k)) * k + known[1]
        return x - open_part + open_part.replaced(found)

    def _halved(self, x: Poly) -> Poly | None:
        """x // 2 as a polynomial, where x is made of one or two atoms that are 0 or 1."""
        found = sorted(set(x.atoms()))
        if len(found) > 2 or any(a > 0 for a in found):
            return None
        a = found[0]
        b = found[-1]
        p, q = Poly({(a,): 1}), Poly({(b,): 1})
        at = {(i, j): x.value({a: i, b: j}) // 2 for i in (0, 1) for j in (0, 1)}
        if a == b:
            return p * (at[1, 1] - at[0, 0]) + at[0, 0]
        none = at[0, 0]
        mixed = at[1, 1] - at[0, 1] - at[1, 0] + none
        return p * (at[1, 0] - none) + q * (at[0, 1] - none) + p * q * mixed + none

    # -- powers and logarithms

    def power(self, base: Poly, e: Poly) -> Poly:
        """base ** e; 1 where e is negative."""
        b, e = base.number, self.atoms.written(e)
        if e.number is not None and (b is not None or 0 <= e.number <= 3):
            product = ONE
            for _ in range(e.number):
                product = product * base
            return product
        if b is None or b in (0, 1, -1) or b < -2:
            raise Untranslatable("a power of an unknown base")
        if b < 0:
            if not self._natural(e):
                raise Untranslatable("a power of a negative number")
            return self.power(-base, e) * (ONE - self.modulo(e, polynomial(2)) * 2)
        if self._natural(e):
            for down in (3, 2, 1):
                if self._natural(e - down):
                    return self.atoms.poly("pow", b, e - down) * b**down
        return self.atoms.poly("pow", b, e)

    def log(self, kind: str, base: int, x: Poly) -> Poly:
        """The logarithm of x, rounded down or up; 0 below 1."""
        atom = self.atoms.of(x.atom) if x.atom is not None else None
        if atom and atom.kind == "pow" and atom.args[0] == base and self._natural(atom.poly(1)):
            return atom.poly(1)
        return self.atoms.poly(kind, base, self.atoms.written(x))

    # -- choices

    def indicator(self, f: Formula) -> Poly:
        """1 where f holds, else 0."""
        if isinstance(f, bool):
            return polynomial(int(f))
        used = {a for poly in polys(f) for a in poly.atoms()}
        if len(used) == 1 and (only := next(iter(used))) < 0:
            no, yes = (int(holds(f, {only: i})) for i in (0, 1))
            return Poly({(): no, (only,): yes - no})
        if self.context.entails(f):
            return ONE
        if self.context.entails(negation(f)):
            return ZERO
        if isinstance(f, Not) and isinstance(f.arg, (Le, Eq, And, Or)):
            return ONE - self.atoms.poly("when", f.arg)
        return self.atoms.poly("when", f)

    def choice(self, f: Formula, yes: Poly, no: Poly) -> Poly:
        """yes where f holds, else no; an atom of its own, unless few cases decide f."""
        indicator = self.indicator(f)
        few = all(a in self.atoms.small for poly in polys(f) for a in poly.atoms())
        if few or indicator.number is not None or (yes - no).number is not None:
            return no + indicator * (yes - no)
        return self.atoms.poly("if", f, yes, no)

    def minimum(self, args: list[Poly]) -> Poly:
        """The smallest of them."""
        best = args[0]
        for arg in args[1:]:
            if self.context.entails(le(best, arg)):
                continue
            if self.context.entails(le(arg, best)):
                best = arg
                continue
            pair = sorted((best, arg), key=lambda p: sorted(p.terms.items()))
            best = self.atoms.poly("min", *pair)
        return best

    def maximum(self, args: list[Poly]) -> Poly:
        """The largest of them."""
        return -self.minimum([-a for a in args])
