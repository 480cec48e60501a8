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

from ringproof.proof.every_n.atoms import Atom, Atoms, own
from ringproof.proof.every_n.formula import Formula, both, eq, implies, le, polys, same
from ringproof.proof.every_n.poly import ONE, ZERO, Monomial, Poly, without

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

    def copy(self) -> Facts:
        """The same, to ask further questions of."""
        forms = {base: dict(sums) for base, sums in self._forms.items()}
        return Facts(
            self.atoms, list(self.fresh), dict(self.seen_atoms), dict(self.seen_monomials), forms,
            set(self._polys), set(self._known), [], set(self._looked),
        )  # fmt: skip

    def ask(self, f: Formula) -> None:
        """Collect what is needed for a formula that somebody asks about."""
        for poly in polys(f):
            if poly not in self._polys:
                self._polys.add(poly)
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
        self._lowest()
        self._work()

    def _lowest(self) -> None:
        """A lowest bit may be one of the other powers: then products with it are the same."""
        powers = [n for n in self.seen_atoms if self._power(n) and n not in self.atoms.made]
        for number in [n for n in self.seen_atoms if self.atoms.of(n).kind == "ctz"]:
            for other in powers:
                if self._power(other) != "ctz" and not self.atoms.is_size(other):
                    x, power = self.atoms.of(number).poly(0), Poly({(other,): 1})
                    self._atom(self.atoms.number("div", x, power))
        self._work()
        for base, sums in list(self._forms.items()):
            if len(base) == 1 and self._power(base[0]) == "ctz":
                for other in powers:
                    if self._power(other) != "ctz" and not self.atoms.is_size(other):
                        for u in list(sums):
                            self._same(base[0], other, u)

    def _power(self, number: int) -> str:
        """What the exponent of a power of two is, or nothing."""
        atom = self.atoms.of(number)
        if atom.kind != "pow" or atom.args[0] != 2:
            return ""
        exponent = atom.poly(1).atom
        return self.atoms.of(exponent).kind if exponent is not None else "sum"

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
                self._atom(atom)
            if len(m) > 1:
                self._monomial(m)

    def _atom(self, number: int) -> None:
        if number in self.seen_atoms:
            return
        others = list(self.seen_atoms)
        self.seen_atoms[number] = None
        for fact in self._kept(("own", number), lambda: own(self.atoms, number)):
            self._own(fact)
        for other in others:
            for fact in self._pairs(number, other):
                self._fact(fact)
            self._fact(shared(self.atoms, number, other))
            self._fact(shared(self.atoms, other, number))
        if self.atoms.of(number).kind in ("half", "digit"):
            for m in list(self.seen_monomials):
                self._written(m)

    def _pairs(self, one: int, two: int) -> list[Formula]:
        kinds = self.atoms.of(one).kind, self.atoms.of(two).kind
        if kinds[0] != kinds[1] or kinds[0] not in ("pow", "div", "xor", "ctz", "log", "clog"):
            return []
        return self._kept(("pair", one, two), lambda: pair(self.atoms, one, two))

    def _monomial(self, m: Monomial) -> None:
        if m in self.seen_monomials:
            return
        others = list(self.seen_monomials)
        self.seen_monomials[m] = None
        product = Poly({m: 1})
        self._written(m)
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
        for other in others:
            for fact in linked(self.atoms, m, other):
                self._fact(fact)

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
        """Sums of products with one base that are asked about are forms of their own."""
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
        for v in others:
            for fact in self._kept(("gap", u, v, base), partial(gaps, u, v, m)):
                self._fact(implies(guard, fact))


def _rest(m: Monomial, atom: int) -> Poly:
    rest = list(m)
    rest.remove(atom)
    return Poly({tuple(rest): 1})


def gaps(u: Poly, v: Poly, m: Poly) -> Iterator[Formula]:
    """What u*m - v*m can be, for m >= 0."""
    d, gap = u - v, (u - v) * m
    if d.number is not None:
        return
    for i in (-1, 0, 1):
        yield implies(eq(d, i), eq(gap, m * i))
    yield implies(le(2, d), le(m * 2, gap))
    yield implies(le(d, -2), le(gap, m * -2))


def pair(atoms: Atoms, one: int, two: int) -> Iterator[Formula]:
    """Facts about two powers of one base, or two quotients of one number by such powers."""
    a, b = atoms.of(one), atoms.of(two)
    if a.kind == b.kind == "pow" and a.args[0] == b.args[0]:
        p, q = Poly({(one,): 1}), Poly({(two,): 1})
        yield from _ordered(p, q, a.poly(1), b.poly(1), a.number(0))
        yield from _ordered(q, p, b.poly(1), a.poly(1), a.number(0))
    if a.kind == b.kind and a.kind in ("ctz", "log", "clog") and a.args[:-1] == b.args[:-1]:
        x, y = (t.poly(len(t.args) - 1) for t in (a, b))
        yield implies(eq(x, y), eq(Poly({(one,): 1}), Poly({(two,): 1})))
    if a.kind == b.kind == "xor":
        yield from _cancelled(a, b, one, two)
    if a.kind == b.kind == "div" and a.args[0] == b.args[0]:
        e, f = _exponent(atoms, a.poly(1)), _exponent(atoms, b.poly(1))
        if e and f and e[0] == f[0]:
            p, q = (atoms.written(Poly({(n,): 1})) for n in (one, two))
            yield implies(eq(e[1], f[1]), eq(p, q))
            yield from _nested(a.poly(1), p, e[1], b.poly(1), q, f[1])
            yield from _nested(b.poly(1), q, f[1], a.poly(1), p, e[1])
            yield from _exact(atoms, one, two)
            yield from _exact(atoms, two, one)
            yield from _finer(p, q, e[1], f[1], e[0])
            yield from _finer(q, p, f[1], e[1], e[0])


def _cancelled(a: Atom, b: Atom, one: int, two: int) -> Iterator[Formula]:
    """x ^ y and x ^ z are equal only where y and z are."""
    mine = [p for p in a.args if p not in b.args and isinstance(p, Poly)]
    others = [p for p in b.args if p not in a.args and isinstance(p, Poly)]
    if len(mine) == len(others) == 1:
        it, that = (Poly({(n,): 1}) for n in (one, two))
        yield same(eq(it, that), eq(mine[0], others[0]))
        yield same(eq(it, others[0]), eq(that, mine[0]))
    if len(mine) == len(others) == 2:
        it, that = (Poly({(n,): 1}) for n in (one, two))
        for i, j in ((0, 0), (0, 1), (1, 0), (1, 1)):
            rest = same(eq(it, that), eq(mine[1 - i], others[1 - j]))
            yield implies(eq(mine[i], others[j]), rest)


def _exponent(atoms: Atoms, m: Poly) -> tuple[int, Poly] | None:
    number = m.atom
    atom = atoms.of(number) if number is not None else None
    return (atom.number(0), atom.poly(1)) if atom and atom.kind == "pow" else None


def shared(atoms: Atoms, size: int, part: int) -> Formula:
    """A size that is a power is a multiple of every smaller power of its base."""
    whole, small = atoms.of(size), atoms.of(part)
    if whole.kind != "pow" or small.kind != "pow" or whole.args[0] != small.args[0]:
        return True
    if part in atoms.made or size in atoms.made:
        return True
    if not atoms.is_size(size) or atoms.is_size(part):
        return True
    e, f = whole.poly(1), small.poly(1)
    if (e - f).number is not None:
        return True
    number = atoms.number("pow", whole.number(0), e - f)
    atoms.made.add(number)
    times = Poly({(part,): 1}) * Poly({(number,): 1})
    return implies(both(le(0, f), le(f, e)), eq(Poly({(size,): 1}), times))


def _ordered(p: Poly, q: Poly, e: Poly, f: Poly, base: int) -> Iterator[Formula]:
    """p = base**e and q = base**f where e >= f."""
    natural = le(0, f)
    yield implies(le(f, e), le(q, p))
    for i in (1, 2):
        yield implies(both(natural, eq(e, f + i)), eq(p, q * base**i))
        yield implies(both(natural, le(f + i, e)), le(q * base**i, p))


def _exact(atoms: Atoms, one: int, two: int) -> Iterator[Formula]:
    """An exact multiple of a power, divided by a smaller power of its base, is a multiple of it."""
    a, b = atoms.of(one), atoms.of(two)
    e, f = _exponent(atoms, a.poly(1)), _exponent(atoms, b.poly(1))
    assert e is not None
    assert f is not None
    _, digit = atoms.split(two, e[0])
    multiple = eq(atoms.written(a.poly(0)), a.poly(1) * atoms.written(Poly({(one,): 1})))
    yield implies(both(le(0, f[1]), le(f[1] + 1, e[1]), multiple), eq(digit, 0))


def _nested(m: Poly, p: Poly, e: Poly, n: Poly, q: Poly, f: Poly) -> Iterator[Formula]:
    """The multiples m*p and n*q next below one number, where n divides m: blocks within blocks."""
    big, small = m * p, n * q
    inside = both(le(big, small), le(small + n, big + m))
    yield implies(both(le(0, f), le(f, e)), inside)


def _finer(p: Poly, q: Poly, e: Poly, f: Poly, base: int) -> Iterator[Formula]:
    """p = x // base**e is q = x // base**f divided by a small power where e is a little larger."""
    for i in (1, 2):
        power = base**i
        near = both(le(p * power, q), le(q, p * power + (power - 1)))
        yield implies(both(le(0, f), eq(e, f + i)), near)


def powers(atoms: Atoms, m: Monomial) -> Iterator[Formula]:
    """A product of two powers of one base is a power."""
    if len(m) != 2:
        return
    a, b = atoms.of(m[0]), atoms.of(m[1])
    if a.kind == b.kind == "pow" and a.args[0] == b.args[0]:
        e, f = a.poly(1), b.poly(1)
        whole = e + f
        number = whole.number
        if number is None and not atoms.known("pow", a.number(0), whole):
            if m[0] in atoms.made or m[1] in atoms.made:
                return
            atoms.made.add(atoms.number("pow", a.number(0), whole))
        power = (
            atoms.poly("pow", a.number(0), whole) if number is None
            else Poly({(): a.number(0) ** max(number, 0)})
        )  # fmt: skip
        yield implies(both(le(0, e), le(0, f)), eq(Poly({m: 1}), power))


def linked(atoms: Atoms, m: Monomial, n: Monomial) -> Iterator[Formula]:
    """Products of one number with two powers of one base."""
    if len(m) != len(n):
        return
    mine, others = list(m), list(n)
    for atom in m:
        if atom in others:
            mine.remove(atom)
            others.remove(atom)
    if len(mine) != 1:
        return
    a, b = atoms.of(mine[0]), atoms.of(others[0])
    if a.kind == b.kind == "pow" and a.args[0] == b.args[0]:
        e, f, base = a.poly(1), b.poly(1), a.number(0)
        p, q = Poly({m: 1}), Poly({n: 1})
        yield implies(eq(e, f), eq(p, q))
        yield implies(both(le(0, f), eq(e, f + 1)), eq(p, q * base))
        yield implies(both(le(0, e), eq(f, e + 1)), eq(q, p * base))
