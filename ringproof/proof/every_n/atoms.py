"""Atoms: the integers that polynomials are made of, what each means, and what is true of it; trusted.

An atom is an unknown (a rank, N) or one nonlinear operation on polynomials.  Every operation is
*total*: where the table language has no value it has an arbitrary fixed one, stated by `meaning`.
`own` gives true facts about one atom; they hold for every value of every unknown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ringproof.proof.every_n.formula import And, Eq, Formula, Le, Not, Or, holds, polys
from ringproof.proof.every_n.poly import Monomial, Poly

Argument = Poly | Formula | int | str


@dataclass(frozen=True, slots=True)
class Atom:
    """``kind`` and arguments: var(name), div(x, m), half(q, k), digit(q, k), pow(b, e), when(f),
    if(f, x, y), log(b, x), clog(b, x), ctz(x), min(x, y), xor(x, y, ...), known(i)."""

    kind: str
    args: tuple[Argument, ...]

    def poly(self, i: int) -> Poly:
        """Argument i, a polynomial."""
        found = self.args[i]
        if not isinstance(found, Poly):
            raise TypeError(f"argument {i} of {self.kind} is no polynomial")
        return found

    def number(self, i: int) -> int:
        """Argument i, a number."""
        found = self.args[i]
        if not isinstance(found, int):
            raise TypeError(f"argument {i} of {self.kind} is no number")
        return found

    def condition(self) -> Formula:
        """The condition of an indicator."""
        found = self.args[0]
        if isinstance(found, (bool, Le, Eq, Not, And, Or)):
            return found
        raise TypeError(f"{self.kind} has no condition")


@dataclass(frozen=True, slots=True)
class Digit:
    """An unknown that is one digit of another: ``number`` // ``weight`` % ``size``."""

    number: str
    weight: Poly
    size: Poly


@dataclass(slots=True)
class Atoms:
    """All atoms of one table, numbered once.

    ``links``: q -> k*half + digit; ``splits``: those used when polynomials are written.
    ``positive``: atoms of at least 1, because they are powers or by an assumption on the sizes that
    every obligation states.  ``sizes``: unknowns that are sizes.  ``made``: powers that only facts
    use.  ``digits``: unknowns that are digits of another.  ``small``: unknowns that are hardly ever
    above this.  ``products``: sums that the table multiplies by a size.  ``facts``, ``texts``: kept,
    because they are asked for again and again.
    """

    kinds: list[Atom] = field(default_factory=list)
    numbers: dict[Atom, int] = field(default_factory=dict)
    splits: dict[int, Poly] = field(default_factory=dict)
    links: dict[int, Poly] = field(default_factory=dict)
    positive: set[int] = field(default_factory=set)
    sizes: set[int] = field(default_factory=set)
    made: set[int] = field(default_factory=set)
    digits: dict[int, Digit] = field(default_factory=dict)
    small: dict[int, int] = field(default_factory=dict)
    products: dict[Monomial, dict[Poly, None]] = field(default_factory=dict)
    facts: dict[tuple[object, ...], list[Formula]] = field(default_factory=dict)
    texts: dict[Formula, tuple[str, tuple[str, ...]]] = field(default_factory=dict)

    def number(self, kind: str, *args: Argument) -> int:
        """The number of an atom, the same for the same atom; negative where it is 0 or 1."""
        atom = Atom(kind, args)
        found = self.numbers.get(atom)
        if found is None:
            self.kinds.append(atom)
            found = len(self.kinds)
            if kind == "when" or (kind == "digit" and args[1] == 2):
                found = -found
            self.numbers[atom] = found
            if kind == "pow":
                self.positive.add(found)
        return found

    def poly(self, kind: str, *args: Argument) -> Poly:
        """An atom as a polynomial."""
        return Poly({(self.number(kind, *args),): 1})

    def known(self, kind: str, *args: Argument) -> bool:
        """Whether such an atom is in use already."""
        return Atom(kind, args) in self.numbers

    def of(self, number: int) -> Atom:
        """The atom with a number."""
        return self.kinds[abs(number) - 1]

    def name(self, number: int) -> str:
        """How SMT-LIB text calls an atom."""
        atom = self.of(number)
        told = f"{atom.args[0]}" if atom.kind == "var" else atom.kind
        return f"{told}.{abs(number)}"

    def is_spelled(self, x: Poly) -> bool:
        """Whether it is made of digits and sizes: such sums are compared digit by digit."""
        return bool(self.digits) and set(x.atoms()) <= self.digits.keys() | self.sizes

    def split(self, number: int, k: int) -> tuple[Poly, Poly]:
        """Half and digit of an atom: q = k * half + digit, 0 <= digit < k."""
        whole = Poly({(number,): 1})
        half, digit = (self.poly(kind, whole, k) for kind in ("half", "digit"))
        self.links.setdefault(number, half * k + digit)
        if self.of(number).kind != "var":
            self.splits.setdefault(number, half * k + digit)
        return half, digit

    def splits_by(self, number: int, k: int) -> bool:
        """Whether an atom may be split by k: one that stands for any integer, and not split otherwise."""
        whole = Poly({(number,): 1})
        split = self.poly("half", whole, k) * k + self.poly("digit", whole, k)
        if number < 0 or number in self.positive or self.links.get(number, split) != split:
            return False
        return self.of(number).kind in ("var", "div", "half")

    def split_before(self, poly: Poly, k: int) -> int:
        """A divisor of k by which something in a sum was split already; 0 where there is none."""
        for m, coefficient in poly.terms.items():
            if len(m) == 1 and 1 < coefficient < k and k % coefficient == 0:
                atom = self.of(m[0])
                if atom.kind == "half" and atom.args[1] == coefficient:
                    return coefficient
        return 0

    def written(self, poly: Poly) -> Poly:
        """The polynomial with every split atom replaced, as often as possible."""
        while (after := poly.replaced(self.splits)) is not poly:
            poly = after
        return poly

    def linked(self, poly: Poly) -> Poly:
        """The polynomial with every atom that has a digit replaced, once."""
        return poly.replaced(self.links)

    def is_size(self, number: int) -> bool:
        """Whether an atom depends on nothing but the sizes."""
        atom = self.of(number)
        return number in self.sizes if atom.kind == "var" else all(map(self.is_size, parts(atom)))

    def exponent(self, number: int) -> str:
        """What the exponent of a power of two is, or nothing."""
        atom = self.of(number)
        if atom.kind != "pow" or atom.args[0] != 2:
            return ""
        exponent = atom.poly(1).atom
        return self.of(exponent).kind if exponent is not None else "sum"

    def is_positive(self, m: Monomial) -> bool:
        """Whether a product is at least 1 because each of its atoms is."""
        return all(a in self.positive for a in m)


def meaning(atom: Atom, values: Mapping[int, int]) -> int:
    """The value of an atom (not an unknown) under the values of the atoms it is made of."""
    if atom.kind == "when":
        return int(holds(atom.condition(), values))
    if atom.kind == "if":
        return atom.poly(1 if holds(atom.condition(), values) else 2).value(values)
    args = [a.value(values) if isinstance(a, Poly) else a for a in atom.args]
    numbers = [a for a in args if isinstance(a, int)]
    x, y = (*numbers, 0)[:2]
    match atom.kind:
        case "div":
            return x // y if y > 0 else 0
        case "half":
            return x // y
        case "digit":
            return x % y
        case "pow":
            return x**y if y > 0 else 1
        case "log" | "clog":
            return _log(x, y, atom.kind == "clog")
        case "ctz":
            return (x & -x).bit_length() - 1 if x else 0
        case "min":
            return min(x, y)
        case "xor":
            result = 0
            for a in numbers:
                result ^= a
            return result
    raise ValueError(atom.kind)


def _log(base: int, x: int, up: bool) -> int:
    count, power = 0, 1
    while (power < x) if up else (power * base <= x):
        power, count = power * base, count + 1
    return count


def parts(atom: Atom) -> Iterator[int]:
    """The atoms that an atom is made of."""
    for arg in atom.args:
        if isinstance(arg, Poly):
            yield from arg.atoms()
        elif not isinstance(arg, (int, str)) or isinstance(arg, bool):
            for poly in polys(arg):
                yield from poly.atoms()
