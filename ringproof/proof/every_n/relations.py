"""True facts about pairs: products with one factor, powers of one base, quotients of one number; trusted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations

from ringproof.proof.every_n.atoms import Atom, Atoms
from ringproof.proof.every_n.formula import Formula, both, either, eq, implies, le, same, within
from ringproof.proof.every_n.poly import ONE, Monomial, Poly, polynomial, without


def gaps(u: Poly, v: Poly, m: Poly) -> Iterator[Formula]:
    """What u*m - v*m can be, for m >= 0."""
    d, gap = u - v, (u - v) * m
    if d.number is not None:
        return
    for i in (-1, 0, 1):
        yield implies(eq(d, i), eq(gap, m * i))
    yield implies(le(2, d), le(m * 2, gap))
    yield implies(le(d, -2), le(gap, m * -2))


def scaled(u: Poly, m: Poly) -> Iterator[Formula]:
    """What u*m can be, for m >= 1: it has the sign of u, and is 0 or at least m apart from it."""
    yield implies(eq(u, 0), eq(u * m, 0))
    yield implies(le(1, u), le(m, u * m))
    yield implies(le(u, -1), le(u * m, -m))


def pair(atoms: Atoms, one: int, two: int) -> Iterator[Formula]:
    """Facts about two powers of one base, or two quotients of one number by such powers."""
    a, b = atoms.of(one), atoms.of(two)
    if a.kind == b.kind == "pow" and a.args[0] == b.args[0]:
        p, q = Poly({(one,): 1}), Poly({(two,): 1})
        yield from _ordered(p, q, a.poly(1), b.poly(1), a.number(0))
        yield from _ordered(q, p, b.poly(1), a.poly(1), a.number(0))
    elif a.kind == b.kind == "pow":
        yield from _rooted(atoms, one, two)
        yield from _rooted(atoms, two, one)
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
    if e is None or f is None:
        return
    _, digit = atoms.split(two, e[0])
    multiple = eq(atoms.written(a.poly(0)), a.poly(1) * atoms.written(Poly({(one,): 1})))
    yield implies(both(le(0, f[1]), le(f[1] + 1, e[1]), multiple), eq(digit, 0))


def _nested(m: Poly, p: Poly, e: Poly, n: Poly, q: Poly, f: Poly) -> Iterator[Formula]:
    """The multiples m*p and n*q next below one number, where n divides m: blocks within blocks."""
    big, small = m * p, n * q
    inside = both(le(big, small), le(small + n, big + m))
    yield implies(both(le(0, f), le(f, e)), inside)


def _rooted(atoms: Atoms, one: int, two: int) -> Iterator[Formula]:
    """A power of b**j is a power of b, with j times the exponent."""
    a, b = atoms.of(one), atoms.of(two)
    root, times = b.number(0), 1
    while root**times < a.number(0):
        times += 1
    if root**times == a.number(0):
        p, q = (Poly({(n,): 1}) for n in (one, two))
        yield from _ordered(p, q, a.poly(1) * times, b.poly(1), root)
        yield from _ordered(q, p, b.poly(1), a.poly(1) * times, root)


def _finer(p: Poly, q: Poly, e: Poly, f: Poly, base: int) -> Iterator[Formula]:
    """p = x // base**e is q = x // base**f divided by a small power where e is a little larger."""
    for i in (1, 2):
        power = base**i
        near = both(le(p * power, q), le(q, p * power + (power - 1)))
        yield implies(both(le(0, f), eq(e, f + i)), near)


def powers(atoms: Atoms, m: Monomial) -> Iterator[Formula]:
    """A product of two powers of one base, and whatever else, is a product with one power."""
    for i, j in combinations(range(len(m)), 2):
        a, b = atoms.of(m[i]), atoms.of(m[j])
        if a.kind == b.kind == "pow" and a.args[0] == b.args[0]:
            rest = Poly({tuple(n for at, n in enumerate(m) if at not in (i, j)): 1})
            yield from _merged(atoms, m[i], m[j], rest)


def _merged(atoms: Atoms, one: int, two: int, rest: Poly) -> Iterator[Formula]:
    base, e, f = atoms.of(one).number(0), atoms.of(one).poly(1), atoms.of(two).poly(1)
    whole = e + f
    number = whole.number
    if number is None and not atoms.known("pow", base, whole):
        if rest != ONE or one in atoms.made or two in atoms.made:
            return
        atoms.made.add(atoms.number("pow", base, whole))
    power = (
        atoms.poly("pow", base, whole) if number is None else polynomial(base ** max(number, 0))
    )
    product = Poly({(one,): 1}) * Poly({(two,): 1}) * rest
    yield implies(both(le(0, e), le(0, f)), eq(product, power * rest))


def chosen(atoms: Atoms, m: Monomial) -> Iterator[Formula]:
    """A product with a choice is the product with what is chosen."""
    for at, number in enumerate(m):
        atom = atoms.of(number)
        if atom.kind == "if":
            product, rest = Poly({m: 1}), Poly({m[:at] + m[at + 1 :]: 1})
            yield implies(atom.condition(), eq(product, rest * atom.poly(1)))
            yield either(atom.condition(), eq(product, rest * atom.poly(2)))


def added(atoms: Atoms, number: int, others: Iterable[int]) -> Iterator[Formula]:
    """Powers of sizes whose exponents add up: b**(e + f) is b**e * b**f for e, f >= 0."""
    if not _of_sizes(atoms, number):
        return
    base, e = atoms.of(number).number(0), atoms.of(number).poly(1)
    alike = [n for n in others if _of_sizes(atoms, n) and atoms.of(n).args[0] == base]
    known = {atoms.of(n).poly(1): n for n in alike}
    for f, part in known.items():
        for whole, one, two in ((known.get(e + f), number, part), (number, part, known.get(e - f))):
            if whole is not None and two is not None:
                natural = both(*(le(0, atoms.of(n).poly(1)) for n in (one, two)))
                product = Poly({(min(one, two), max(one, two)): 1})
                yield implies(natural, eq(Poly({(whole,): 1}), product))


def _of_sizes(atoms: Atoms, number: int) -> bool:
    return atoms.of(number).kind == "pow" and number not in atoms.made and atoms.is_size(number)


def weighted(atoms: Atoms, m: Monomial) -> Iterator[Formula]:
    """A digit below n, times w > 0, is at most (n - 1)*w."""
    for atom in m:
        digit = atoms.digits.get(atom)
        rest = without(m, (atom,))
        if digit is not None and rest and atoms.is_positive(rest):
            it, weight = Poly({(atom,): 1}), Poly({rest: 1})
            most = both(le(0, it * weight), le((it + 1) * weight, digit.size * weight))
            yield implies(within(0, it, digit.size), most)


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
