"""Which facts a question needs: those of its atoms, and those that link products and powers; trusted.

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
from ringproof.proof.every_n.poly import ONE, ZERO, Monomial, Poly, polynomial, times, without
from ringproof.proof.every_n.relations import added, chosen, gaps, linked, pair, powers, scaled, shared
from ringproof.proof.every_n.truths import own

MOST_FORMS, MOST_FACTS = 20, 6000


@dataclass(slots=True)
class Facts:
    """Grows with the questions asked; ``fresh`` are facts that nobody has taken yet."""

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

    def copy(self) -> Facts:
        """The same, to ask further questions of."""
        forms = {base: dict(sums) for base, sums in self._forms.items()}
        return Facts(
            self.atoms, list(self.fresh), dict(self.seen_atoms), dict(self.seen_monomials), forms,
            set(self._polys), set(self._known), [], set(self._looked),
            {m: dict(found) for m, found in self._multiples.items()}, set(self._asked),
        )  # fmt: skip

    def ask(self, f: Formula) -> None:
        """Collect what is needed for a formula that somebody asks about."""
        for poly in polys(f):
            if poly not in self._polys:
                self._polys.add(poly)
                self._asked.update(poly.atoms())
                self._poly(poly)
                self._combinations(poly)
        self._work()
        for base, sums in self.atoms.products.items():
            for u in sums:
                if all(a in self.seen_atoms for a in (*base, *u.atoms())):
                    self._form(base, u)
                    for size in [a for a in self.seen_atoms if self._plain(a)]:
                        self._form(base, Poly({(size,): 1}))
        self._work()
        self._scaled(f)
        for base, found in self._multiples.items():
            for k in found if base in self._forms else ():
                self._form(base, polynomial(k))
        self._work()
        self._lowest()
        self._work()
        self._parted()
        self._work()

    def _parted(self) -> None:
        """A power that is asked about is so in products where one a little larger is."""
        asked = [self.atoms.of(n) for n in self._asked if self.atoms.of(n).kind == "pow"]
        for base, sums in list(self._forms.items()):
            for atom in [self.atoms.of(u.atom) for u in sums if u.atom is not None]:
                if atom.kind == "pow":
                    for other in asked:
                        gap = (atom.poly(1) - other.poly(1)).number
                        if other.args[0] == atom.args[0] and gap in (1, 2):
                            self._form(base, self.atoms.poly("pow", *other.args))

    def _scaled(self, f: Formula) -> None:
        """What is asked of a sum, also of its multiples by a power, where those are known already."""
        bases = [b for b in self._forms if len(b) == 1 and self.atoms.of(b[0]).kind == "pow"]
        for poly in polys(f):
            parts = [m for m in poly.terms if m]
            for base in bases if len(parts) > 1 else ():
                if all(self._multiplied(m, base) for m in parts):
                    for fact in scaled(poly, Poly({base: 1})):
                        self._fact(fact)

    def _multiplied(self, m: Monomial, power: Monomial) -> bool:
        """Whether a product times a power is in use, or is one with another power."""
        base = self.atoms.of(power[0]).args[0]
        kinds = [self.atoms.of(a) for a in m]
        merged = any(k.kind == "pow" and k.args[0] == base for k in kinds)
        return times(m, power) in self.seen_monomials or (merged and len(m) > 1)

    def _lowest(self) -> None:
        """A lowest bit may be one of the other powers: then products with it are the same."""
        powers = [n for n in self.seen_atoms if self.atoms.exponent(n) and n not in self.atoms.made]
        for number in [n for n in self.seen_atoms if self.atoms.of(n).kind == "ctz"]:
            for other in powers:
                if self.atoms.exponent(other) != "ctz" and not self.atoms.is_size(other):
                    x, power = self.atoms.of(number).poly(0), Poly({(other,): 1})
                    self._poly(self.atoms.poly("div", x, power))
        self._work()
        for base, sums in list(self._forms.items()):
            if len(base) == 1 and self.atoms.exponent(base[0]) == "ctz":
                for other in powers:
                    if self.atoms.exponent(other) != "ctz" and not self.atoms.is_size(other):
                        for u in list(sums):
                            self._same(base[0], other, u)

    def _same(self, one: int, other: int, u: Poly) -> None:
        p, q = (Poly({(n,): 1}) for n in (one, other))
        self._fact(implies(eq(p, q), eq(p * u, q * u)))

    def _plain(self, number: int) -> bool:
        return number in self.atoms.positive and self.atoms.of(number).kind == "var"

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
        for fact in powers(self.atoms, m):
            self._fact(fact)
        for base in self._bases(m) or [(m[0],)]:
            rest = without(m, base)
            if rest:
                self._form(base, Poly({rest: 1}))
                self._unsplit(base, rest)
        for other in others:
            for fact in linked(self.atoms, m, other):
                self._fact(fact)

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
        m = Poly({base: 1})
        guard: Formula = True if self.atoms.is_positive(base) else le(0, m)
        for i in (1, 2):
            self._fact(implies(eq(m, i), eq(m * u, u * i)))
            self._fact(implies(both(le(i, m), le(0, u)), le(u * i, m * u)))
            self._fact(implies(both(le(i, m), le(u, 0)), le(m * u, u * i)))
        others = [ZERO, ONE, *forms] if len(forms) < MOST_FORMS else [ZERO]
        forms[u] = None
        power = len(base) == 1 and self.atoms.of(base[0]).kind == "pow"
        if power and _mixed(u):  # a difference, and which way round the others are is chance
            others += [-v for v in others if _mixed(v)]
        for v in others:
            for fact in self._kept(("gap", u, v, base), partial(gaps, u, v, m)):
                self._fact(implies(guard, fact))


def _mixed(u: Poly) -> bool:
    return len({k > 0 for k in u.terms.values()}) > 1


def _rest(m: Monomial, atom: int) -> Poly:
    rest = list(m)
    rest.remove(atom)
    return Poly({tuple(rest): 1})
