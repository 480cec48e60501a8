"""True facts, collected atom by atom and product by product; trusted.

*Gap facts*: for a number m >= 0 and two products u*m, v*m it is true that u - v = d gives
u*m - v*m = d*m (d = -1, 0, 1), and u - v >= 2 gives u*m - v*m >= 2*m, and the same downwards.  They
replace case splits over quotients, and keep every question linear.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations

from ringproof.proof.every_n.atoms import Atoms
from ringproof.proof.every_n.formula import Formula, both, eq, implies, le, polys
from ringproof.proof.every_n.poly import ONE, ZERO, Monomial, Poly, without
from ringproof.proof.every_n.relations import (
    added,
    chosen,
    gaps,
    linked,
    pair,
    powers,
    shared,
    weighted,
)
from ringproof.proof.every_n.truths import own

MOST_FORMS, MOST_FACTS = 20, 6000


@dataclass(slots=True)
class Gathered:
    """Facts about everything seen so far; ``fresh`` are those that nobody has taken yet."""

    atoms: Atoms
    fresh: list[Formula] = field(default_factory=list)
    seen_atoms: dict[int, None] = field(default_factory=dict)
    seen_monomials: dict[Monomial, None] = field(default_factory=dict)
    _forms: dict[Monomial, dict[Poly, None]] = field(default_factory=dict)
    _polys: set[Poly] = field(default_factory=set)
    _known: set[Formula] = field(default_factory=set)
    _todo: list[Poly] = field(default_factory=list)
    _looked: set[Poly] = field(default_factory=set)
    _multiples: dict[Monomial, dict[int, None]] = field(default_factory=dict)
    _asked: set[int] = field(default_factory=set)

    def _work(self) -> None:
        """Look into everything that facts have brought up."""
        while self._todo:
            self._poly(self._todo.pop())

    def _fact(self, f: Formula) -> None:
        if f is True or f in self._known:
            return
        self._known.add(f)
        self.fresh.append(f)
        if len(self._known) < MOST_FACTS:
            self._todo.extend(polys(f))

    def _own(self, f: Formula) -> None:
        self._fact(f)
        for poly in polys(f):
            self._combinations(poly)

    def _kept(self, key: tuple[object, ...], make: Callable[[], Iterator[Formula]]) -> list[Formula]:
        """Facts made once for all questions; splitting an atom changes how they are written."""
        whole = (*key, len(self.atoms.links))
        found = self.atoms.facts.get(whole)
        if found is None:
            found = self.atoms.facts[whole] = list(make())
        return found

    def _poly(self, poly: Poly) -> None:
        if poly in self._looked:
            return
        self._looked.add(poly)
        for m in poly.terms:
            for atom in m:
                if atom not in self.seen_atoms:
                    self._atom(atom)
            if len(m) > 1 and m not in self.seen_monomials:
                self._monomial(m)

    def _atom(self, number: int) -> None:
        others = list(self.seen_atoms)
        self.seen_atoms[number] = None
        for fact in self._kept(("own", number), lambda: own(self.atoms, number)):
            self._own(fact)
        for other in others:
            for fact in self._pairs(number, other):
                self._fact(fact)
            self._fact(shared(self.atoms, number, other))
            self._fact(shared(self.atoms, other, number))
        for fact in added(self.atoms, number, others):
            self._fact(fact)
        if self.atoms.of(number).kind in ("half", "digit"):
            for m in list(self.seen_monomials):
                self._written(m)

    def _pairs(self, one: int, two: int) -> list[Formula]:
        kinds = self.atoms.of(one).kind, self.atoms.of(two).kind
        if kinds[0] != kinds[1] or kinds[0] not in ("pow", "div", "xor", "ctz", "log", "clog"):
            return []
        return self._kept(("pair", one, two), lambda: pair(self.atoms, one, two))

    def _monomial(self, m: Monomial) -> None:
        others = list(self.seen_monomials)
        self.seen_monomials[m] = None
        product = Poly({m: 1})
        self._written(m)
        for fact in chosen(self.atoms, m):
            self._own(fact)
        small = next((a for a in m if self._small(a)), None)
        if small is not None:
            self._digit(small, product, _rest(m, small))
            return
        for fact in (*powers(self.atoms, m), *weighted(self.atoms, m)):
            self._fact(fact)
        bases = self._bases(m) or [(m[0],)]
        for base in [b for b in bases if len(b) == len(m) - 1] if self._is_weighted(m) else bases:
            rest = without(m, base)
            if rest:
                self._form(base, Poly({rest: 1}))
                self._unsplit(base, rest)
        for other in others:
            for fact in linked(self.atoms, m, other):
                self._fact(fact)

    def _is_weighted(self, m: Monomial) -> bool:
        """A digit times sizes: sums of these are compared digit by digit."""
        return sum(a in self.atoms.digits for a in m) == 1 == sum(a not in self.atoms.sizes for a in m)

    def _unsplit(self, base: Monomial, rest: Monomial) -> None:
        """What was split is a form too: its bounds say more than those of its half."""
        atom = self.atoms.of(rest[0])
        whole = atom.poly(0).atom if len(rest) == 1 and atom.kind == "half" else None
        if whole is not None and self.atoms.of(whole).kind == "var":
            self._form(base, atom.poly(0))

    def _written(self, m: Monomial) -> None:
        """A product with an atom that was split is the sum of the products with its parts."""
        product = Poly({m: 1})
        written = self.atoms.linked(product)
        if written != product:
            self._fact(eq(product, written))

    def _bases(self, m: Monomial) -> list[Monomial]:
        """The positive atoms of a product, and all of them together."""
        positive = tuple(a for a in m if a in self.atoms.positive)
        found = {c for n in (1, 2) for c in combinations(positive, n)}
        return sorted(found, key=lambda b: (len(b), b))

    def _small(self, number: int) -> int:
        """How many cases a product with this atom is worth; 0 for none."""
        atom = self.atoms.of(number)
        if number < 0:
            return 2
        if atom.kind == "digit" and atom.number(1) <= 8:
            return atom.number(1)
        return self.atoms.small.get(number, -1) + 1

    def _digit(self, number: int, product: Poly, rest: Poly) -> None:
        """A product with a digit: one case for every value of the digit."""
        for i in range(self._small(number)):
            self._fact(implies(eq(Poly({(number,): 1}), i), eq(product, rest * i)))

    def _combinations(self, poly: Poly) -> None:
        """Sums of products with one base that are asked about are forms of their own, and so are
        numbers: 8*m is compared with other multiples of m (of powers it says nothing new), and so
        is 4*m, for products with what is split into halves."""
        for m, k in poly.terms.items():
            k = abs(k) if m else 0
            while k > 3 and not any(self.atoms.of(a).kind == "pow" for a in m):
                self._multiples.setdefault(m, {})[k] = None
                k = k // 2 if k % 2 == 0 else 0
        bases = dict.fromkeys(b for m in poly.terms if len(m) > 1 for b in self._bases(m))
        for base in bases:
            inside, _ = poly.split(base)
            if len(inside.terms) > 1:
                self._form(base, inside)

    def _form(self, base: Monomial, u: Poly) -> None:
        forms = self._forms.setdefault(base, {})
        if u in forms or -u in forms:
            return
        positive = self.atoms.is_positive(base)
        for fact in self._kept(("form", u, base), partial(_bounded, u, base)):
            self._fact(fact)
        others = [ZERO, ONE, *forms] if len(forms) < MOST_FORMS else [ZERO]
        forms[u] = None
        power = len(base) == 1 and self.atoms.of(base[0]).kind == "pow"
        if power and _mixed(u):  # a difference, and which way round the others are is chance
            others += [-v for v in others if _mixed(v)]
        for v in others:
            for fact in self._kept(("gap", u, v, base, positive), partial(_gaps, u, v, base, positive)):
                self._fact(fact)


def _bounded(u: Poly, base: Monomial) -> Iterator[Formula]:
    """A product with u where its base is 1, 2 or more."""
    m = Poly({base: 1})
    for i in (1, 2):
        yield implies(eq(m, i), eq(m * u, u * i))
        yield implies(both(le(i, m), le(0, u)), le(u * i, m * u))
        yield implies(both(le(i, m), le(u, 0)), le(m * u, u * i))


def _gaps(u: Poly, v: Poly, base: Monomial, positive: bool) -> Iterator[Formula]:
    m = Poly({base: 1})
    guard: Formula = True if positive else le(0, m)
    return (implies(guard, fact) for fact in gaps(u, v, m))


def _mixed(u: Poly) -> bool:
    return len({k > 0 for k in u.terms.values()}) > 1


def _rest(m: Monomial, atom: int) -> Poly:
    rest = list(m)
    rest.remove(atom)
    return Poly({tuple(rest): 1})
