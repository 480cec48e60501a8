"""Polynomials with integer coefficients over numbered atoms; trusted.

An atom with a negative number is known to be 0 or 1, so a power of it is itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

Monomial = tuple[int, ...]  # atoms in ascending order, repeated for powers; () is the number 1


class Poly:
    """An immutable polynomial: monomial -> coefficient, none of them 0."""

    __slots__ = ("_hash", "terms")

    def __init__(self, terms: Mapping[Monomial, int]) -> None:
        self.terms: dict[Monomial, int] = {m: k for m, k in terms.items() if k}
        self._hash: int | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Poly) and self.terms == other.terms

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self.terms.items()))
        return self._hash

    def __repr__(self) -> str:
        return f"Poly({self.terms})"

    @staticmethod
    def _made(terms: dict[Monomial, int]) -> Poly:
        """Of terms that nobody else has, none of them 0: proofs make millions of these."""
        poly = Poly.__new__(Poly)
        poly.terms, poly._hash = terms, None
        return poly

    def __add__(self, other: Poly | int) -> Poly:
        return self._plus(other, 1)

    def __neg__(self) -> Poly:
        return Poly._made({m: -k for m, k in self.terms.items()})

    def __sub__(self, other: Poly | int) -> Poly:
        return self._plus(other, -1)

    def _plus(self, other: Poly | int, sign: int) -> Poly:
        terms = dict(self.terms)
        for m, k in other.terms.items() if isinstance(other, Poly) else (((), other),):
            total = terms.get(m, 0) + sign * k
            if total:
                terms[m] = total
            else:
                terms.pop(m, None)
        return Poly._made(terms)

    def __mul__(self, other: Poly | int) -> Poly:
        if not isinstance(other, Poly):
            return Poly._made({m: k * other for m, k in self.terms.items()} if other else {})
        terms: dict[Monomial, int] = {}
        for m, k in self.terms.items():
            for n, j in other.terms.items():
                product = times(m, n)
                terms[product] = terms.get(product, 0) + k * j
        return Poly(terms)

    @property
    def number(self) -> int | None:
        """Its value where it is a constant."""
        if not self.terms:
            return 0
        return self.terms.get(()) if len(self.terms) == 1 else None

    @property
    def constant(self) -> int:
        """Its constant term."""
        return self.terms.get((), 0)

    @property
    def single(self) -> tuple[Monomial, int] | None:
        """Its only monomial and coefficient, where it has just one."""
        return next(iter(self.terms.items())) if len(self.terms) == 1 else None

    @property
    def atom(self) -> int | None:
        """The atom that it is, where it is one."""
        only = self.single
        return only[0][0] if only and only[1] == 1 and len(only[0]) == 1 else None

    def atoms(self) -> Iterator[int]:
        """Every atom in it, with repetition."""
        for m in self.terms:
            yield from m

    def value(self, values: Mapping[int, int]) -> int:
        """Its value under given values of its atoms."""
        total = 0
        for m, k in self.terms.items():
            for atom in m:
                k *= values[atom]
            total += k
        return total

    def split(self, factor: Monomial) -> tuple[Poly, Poly]:
        """A and B with self = factor * A + B and no monomial of B divisible by ``factor``."""
        inside: dict[Monomial, int] = {}
        outside: dict[Monomial, int] = {}
        for m, k in self.terms.items():
            rest = without(m, factor)
            if rest is None:
                outside[m] = k
            else:
                inside[rest] = inside.get(rest, 0) + k
        return Poly(inside), Poly(outside)

    def replaced(self, atoms: Mapping[int, Poly]) -> Poly:
        """Every given atom replaced by what it equals."""
        if not any(a in atoms for m in self.terms for a in m):
            return self
        total = ZERO
        for m, k in self.terms.items():
            product = Poly({(): k})
            for atom in m:
                product = product * atoms.get(atom, Poly({(atom,): 1}))
            total = total + product
        return total


def times(m: Monomial, n: Monomial) -> Monomial:
    """The product of two monomials."""
    if not m or not n:
        return m or n
    joined = sorted(m + n)
    return tuple(a for i, a in enumerate(joined) if a >= 0 or i == 0 or joined[i - 1] != a)


def without(m: Monomial, factor: Monomial) -> Monomial | None:
    """m / factor, where it divides."""
    rest = list(m)
    for atom in factor:
        if atom not in rest:
            return None
        rest.remove(atom)
    return tuple(rest)


def polynomial(value: Poly | int) -> Poly:
    """An integer as a polynomial."""
    return value if isinstance(value, Poly) else Poly({(): value})


def total(parts: Iterable[Poly]) -> Poly:
    """Their sum."""
    result = ZERO
    for part in parts:
        result = result + part
    return result


ZERO, ONE = Poly({}), Poly({(): 1})
