"""Ranks and slots by their digits, where there are as many of them as a product of sizes; trusted.

Every number from 0 to a*b*... - 1 is d + a*(e + b*...) for exactly one choice of digits 0 <= d < a,
0 <= e < b, ...: so an unknown number may be written that way, whatever the order of the sizes.
Comparisons of such sums go digit by digit: A*m + B with -m < B < m is 0 exactly where A and B are,
and at most 0 exactly where A is below 0, or is 0 and B is at most 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ringproof.proof.every_n.atoms import Atoms, Digit
from ringproof.proof.every_n.formula import (
    And,
    Eq,
    Formula,
    Le,
    Not,
    Or,
    both,
    either,
    eq,
    le,
    lt,
    negation,
    within,
)
from ringproof.proof.every_n.poly import ONE, ZERO, Poly, polynomial

Entails = Callable[[Formula], bool]


def spelled(atoms: Atoms, name: str, count: Poly, order: Sequence[int]) -> tuple[Poly, Formula]:
    """An unknown number from 0 to ``count`` - 1, and its range; the sizes of ``order`` come first."""
    single = count.single
    if single is None or not _is_product(atoms, *single):
        number = atoms.poly("var", name)
        return number, within(0, number, count)
    monomial, times = single
    factors = [Poly({(a,): 1}) for a in sorted(monomial, key=lambda a: _rank(order, a))]
    if times > 1:
        factors.append(polynomial(times))
    weight, total, ranges = ONE, ZERO, []
    for at, factor in enumerate(factors):
        atom = atoms.number("var", f"{name}.{at}")
        atoms.digits[atom] = Digit(name, weight, factor)
        if factor.number is not None and factor.number <= 8:
            atoms.small[atom] = factor.number - 1
        digit = Poly({(atom,): 1})
        ranges.append(within(0, digit, factor))
        total, weight = total + digit * weight, weight * factor
    return total, both(*ranges)


def _is_product(atoms: Atoms, monomial: tuple[int, ...], times: int) -> bool:
    plain = all(a in atoms.positive and a in atoms.sizes for a in monomial)
    return plain and times > 0 and len(set(monomial)) == len(monomial) > 1


def _rank(order: Sequence[int], atom: int) -> tuple[int, int]:
    return (order.index(atom) if atom in order else len(order), atom)


def by_digits(atoms: Atoms, entails: Entails, f: Formula) -> Formula:
    """The same condition, where ``entails`` is what is known, with sums compared digit by digit."""
    match f:
        case Le(poly):
            parts = _parted(atoms, entails, poly)
            if parts:
                high, low = parts
                found = either(lt(high, 0), both(eq(high, 0), le(low, 0)))
                return by_digits(atoms, entails, found)
        case Eq(poly):
            parts = _parted(atoms, entails, poly)
            if parts:
                return by_digits(atoms, entails, both(*(eq(part, 0) for part in parts)))
        case Not(arg):
            return negation(by_digits(atoms, entails, arg))
        case And(args):
            return both(*(by_digits(atoms, entails, a) for a in args))
        case Or(args):
            return either(*(by_digits(atoms, entails, a) for a in args))
    return f


def _parted(atoms: Atoms, entails: Entails, poly: Poly) -> tuple[Poly, Poly] | None:
    """A and B with poly = A*m + B, for a size m and -m < B < m."""
    sizes = dict.fromkeys(a for m in poly.terms if len(m) > 1 for a in m if a in atoms.sizes)
    for size in sorted(sizes):
        high, low = poly.split((size,))
        if size not in atoms.positive or any(len(m) > 1 for m in low.terms):
            continue
        if low == ZERO:
            return high, low
        m = Poly({(size,): 1})
        if _one_or_two(entails, low, m) or entails(both(lt(-m, low), lt(low, m))):
            return high, low
    return None


def _one_or_two(entails: Entails, low: Poly, m: Poly) -> bool:
    """Whether it is a digit below m, or the difference of two: then what is known says so itself."""
    single = [(mono[0], k) for mono, k in low.terms.items() if len(mono) == 1]
    if len(single) != len(low.terms) or sorted(k for _, k in single) not in ([1], [-1], [-1, 1]):
        return False
    digits = (Poly({(a,): 1}) for a, _ in single)
    return all(entails(f) for d in digits for f in (le(0, d), lt(d, m)))
