"""What is true of one atom, whatever the unknowns are; trusted."""

from __future__ import annotations

from collections.abc import Iterator

from ringproof.proof.every_n.atoms import Atom, Atoms
from ringproof.proof.every_n.formula import (
    Formula,
    both,
    either,
    eq,
    implies,
    le,
    lt,
    negation,
    same,
    within,
)  # fmt: skip
from ringproof.proof.every_n.poly import Poly, polynomial


def own(atoms: Atoms, number: int) -> Iterator[Formula]:
    """True facts about one atom."""
    atom, it = atoms.of(number), Poly({(number,): 1})
    match atom.kind:
        case "div":
            yield from _division(atoms, it, atoms.written(atom.poly(0)), atoms.written(atom.poly(1)))
        case "half" | "digit":
            whole, k = atom.poly(0), atom.number(1)
            half, digit = (atoms.poly(kind, whole, k) for kind in ("half", "digit"))
            yield eq(whole, half * k + digit)
            yield within(0, digit, k)
            parent = next(whole.atoms())
            yield from own(atoms, parent)
        case "pow":
            yield from _power(atoms, it, atom.number(0), atom.poly(1))
        case "when":
            yield within(0, it, 2)
            yield same(atom.condition(), eq(it, 1))
        case "if":
            yield implies(atom.condition(), eq(atom.poly(1), it))
            yield either(atom.condition(), eq(atom.poly(2), it))
        case "log" | "clog":
            yield from _logarithm(atoms, it, atom)
        case "ctz":
            yield from _zeros(atoms, it, atom.poly(0))
        case "min":
            x, y = atom.poly(0), atom.poly(1)
            yield both(le(it, x), le(it, y))
            yield implies(lt(it, x), eq(it, y))
        case "xor":
            yield from _xor(atoms, it, [a for a in atom.args if isinstance(a, Poly)])


def _division(atoms: Atoms, q: Poly, x: Poly, m: Poly) -> Iterator[Formula]:
    single = m.single
    sure = single is not None and single[1] > 0 and atoms.is_positive(single[0])
    guard: Formula = True if sure else le(1, m)
    q = atoms.written(q)
    rest = x - m * q
    yield implies(guard, both(le(0, rest), lt(rest, m)))
    yield implies(both(guard, le(0, x)), both(le(0, q), le(q, x)))
    yield implies(both(guard, lt(x, 0)), both(lt(q, 0), le(x, q)))
    yield implies(negation(guard), eq(q, 0))
    if x.atom is not None and m.number is not None:
        known = remainder(atoms, x.atom, m.number)
        if known is not None:
            yield implies(le(known[0], atoms.of(x.atom).poly(1)), eq(rest, known[1]))
    inner = atoms.of(x.atom) if x.atom is not None else None
    if inner and inner.kind == "div" and sure:
        a = inner.poly(1)
        if a != m and a.atom in atoms.positive and m.atom in atoms.positive:
            yield eq(q, atoms.poly("div", atoms.poly("div", inner.poly(0), m), a))


def remainder(atoms: Atoms, number: int, k: int) -> tuple[int, Poly] | None:
    """What a power b**e leaves when divided by k, and from which e on, where b leaves 0, 1 or -1.

    b = 0 (mod k) gives b**e = 0 from e = 1 on; b = 1 gives 1; b = -1 gives (-1)**e: 1 for even e,
    k - 1 for odd e.
    """
    atom = atoms.of(number)
    if atom.kind != "pow" or k < 2:
        return None
    left = atom.number(0) % k
    if left < 2:
        return 1 - left, polynomial(left)
    odd = parity(atoms, atom.poly(1)) if left == k - 1 else None
    return None if odd is None else (0, odd * (k - 2) + 1)


def parity(atoms: Atoms, x: Poly) -> Poly | None:
    """x % 2 by one digit: even multiples do not matter, nor signs, and 1 more turns it over."""
    odd = [m for m, coefficient in atoms.written(x).terms.items() if coefficient % 2]
    rest = [m for m in odd if m != ()]
    if any(len(m) > 1 for m in rest):
        return None
    if not rest:
        bit = polynomial(0)
    elif len(rest) > 1:
        bit = atoms.poly("digit", Poly(dict.fromkeys(rest, 1)), 2)
    elif rest[0][0] < 0:
        bit = Poly({rest[0]: 1})
    elif atoms.splits_by(rest[0][0], 2):
        bit = atoms.split(rest[0][0], 2)[1]
    else:
        return None
    return bit if len(rest) == len(odd) else polynomial(1) - bit


def _power(atoms: Atoms, p: Poly, base: int, e: Poly) -> Iterator[Formula]:
    yield le(1, p)
    yield implies(le(e, 0), eq(p, 1))
    yield implies(le(0, e), le(e + 1, p))
    for i in (1, 2, 3):
        yield implies(eq(e, i), eq(p, base**i))
        yield implies(lt(i, e), le(base ** (i + 1), p))
    yield implies(le(1, e), eq(p, atoms.poly("div", p, polynomial(base)) * base))


def _logarithm(atoms: Atoms, it: Poly, atom: Atom) -> Iterator[Formula]:
    base, x = atom.number(0), atom.poly(1)
    yield le(0, it)
    yield implies(le(x, 1), eq(it, 0))
    if atom.kind == "log":
        power = atoms.poly("pow", base, it)
        yield implies(le(1, x), both(le(power, x), lt(x, power * base)))
    else:
        yield le(x, atoms.poly("pow", base, it))
        below = atoms.poly("pow", base, it - 1)
        yield implies(le(2, x), both(le(1, it), lt(below, x)))


def _zeros(atoms: Atoms, it: Poly, x: Poly) -> Iterator[Formula]:
    power = atoms.poly("pow", 2, it)
    quotient = atoms.number("div", x, power)
    half, digit = atoms.split(quotient, 2)
    yield le(0, it)
    yield implies(eq(x, 0), eq(it, 0))
    yield implies(negation(eq(x, 0)), both(eq(digit, 1), eq(x, power * (half * 2 + digit))))


def _xor(atoms: Atoms, it: Poly, args: list[Poly]) -> Iterator[Formula]:
    natural = both(*(le(0, a) for a in args))
    total = Poly({})
    for arg in args:
        total = total + arg
    yield implies(natural, both(le(0, it), le(it, total)))
    if len(args) == 2:
        yield same(eq(it, 0), eq(args[0], args[1]))
        yield same(eq(it, args[0]), eq(args[1], 0))
        yield same(eq(it, args[1]), eq(args[0], 0))
    if len(args) == 3:
        for i, last in enumerate(args):
            one, two = (a for j, a in enumerate(args) if j != i)
            yield implies(eq(one, two), eq(it, last))
    for number in sorted(atoms.positive):
        atom = atoms.of(number)
        if atom.kind == "pow" and atom.args[0] == 2:
            power = Poly({(number,): 1})
            inside = both(*(lt(a, power) for a in args))
            yield implies(both(natural, inside), lt(it, power))
