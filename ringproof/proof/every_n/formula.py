"""Conditions over polynomials, as small frozen trees; trusted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ringproof.proof.every_n.poly import Poly, polynomial


@dataclass(frozen=True, slots=True)
class Le:
    """``poly <= 0``."""

    poly: Poly


@dataclass(frozen=True, slots=True)
class Eq:
    """``poly == 0``."""

    poly: Poly


@dataclass(frozen=True, slots=True)
class Not:
    """The opposite."""

    arg: Formula


@dataclass(frozen=True, slots=True)
class And:
    """All of them."""

    args: tuple[Formula, ...]
    _hash: int = field(init=False, repr=False, compare=False)
    _polys: tuple[Poly, ...] | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash(("And", self.args)))
        object.__setattr__(self, "_polys", None)

    def __hash__(self) -> int:
        return self._hash


@dataclass(frozen=True, slots=True)
class Or:
    """At least one of them."""

    args: tuple[Formula, ...]
    _hash: int = field(init=False, repr=False, compare=False)
    _polys: tuple[Poly, ...] | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash(("Or", self.args)))
        object.__setattr__(self, "_polys", None)

    def __hash__(self) -> int:
        return self._hash


Formula = bool | Le | Eq | Not | And | Or
Number = Poly | int


def le(a: Number, b: Number) -> Formula:
    """``a <= b``."""
    poly = polynomial(a) - b
    return poly.number <= 0 if poly.number is not None else Le(poly)


def lt(a: Number, b: Number) -> Formula:
    """``a < b``, of integers."""
    return le(polynomial(a) + 1, b)


def eq(a: Number, b: Number) -> Formula:
    """``a == b``."""
    poly = polynomial(a) - b
    return poly.number == 0 if poly.number is not None else Eq(poly)


def within(lo: Number, x: Number, hi: Number) -> Formula:
    """``lo <= x < hi``."""
    return both(le(lo, x), lt(x, hi))


def negation(f: Formula) -> Formula:
    """Not ``f``."""
    match f:
        case bool():
            return not f
        case Not(arg):
            return arg
        case Le(poly):
            return Le(-poly + 1)
    return Not(f)


def both(*parts: Formula) -> Formula:
    """All of them, flattened."""
    return _flat(And, True, parts)


def either(*parts: Formula) -> Formula:
    """One of them, flattened."""
    return _flat(Or, False, parts)


def _flat(kind: type[And] | type[Or], neutral: Formula, parts: Iterable[Formula]) -> Formula:
    """A junction without nested ones of its kind; ``neutral`` parts change nothing."""
    kept: dict[Formula, None] = {}
    for part in parts:
        if isinstance(part, kind):
            kept.update(dict.fromkeys(part.args))
        elif not isinstance(part, bool):
            kept[part] = None
        elif part is not neutral:
            return part
    found = tuple(kept)
    return kind(found) if len(found) > 1 else found[0] if found else neutral


def implies(a: Formula, b: Formula) -> Formula:
    """``a`` only where ``b``."""
    return either(negation(a), b)


def same(a: Formula, b: Formula) -> Formula:
    """Both hold or neither does."""
    return both(implies(a, b), implies(b, a))


def polys(f: Formula) -> tuple[Poly, ...]:
    """Every polynomial in it; worked out once, because facts are looked into again and again."""
    match f:
        case Le(poly) | Eq(poly):
            return (poly,)
        case Not(arg):
            return polys(arg)
        case And(args) | Or(args):
            if f._polys is None:
                object.__setattr__(f, "_polys", tuple(p for arg in args for p in polys(arg)))
            return f._polys or ()
    return ()


def holds(f: Formula, values: Mapping[int, int]) -> bool:
    """Its truth under given values of the atoms."""
    match f:
        case bool():
            return f
        case Le(poly):
            return poly.value(values) <= 0
        case Eq(poly):
            return poly.value(values) == 0
        case Not(arg):
            return not holds(arg, values)
        case And(args):
            return all(holds(a, values) for a in args)
        case Or(args):
            return any(holds(a, values) for a in args)


def replaced(f: Formula, atoms: Mapping[int, Poly]) -> Formula:
    """Every given atom replaced by what it equals."""
    match f:
        case Le(poly):
            return le(poly.replaced(atoms), 0)
        case Eq(poly):
            return eq(poly.replaced(atoms), 0)
        case Not(arg):
            return negation(replaced(arg, atoms))
        case And(args):
            return both(*(replaced(a, atoms) for a in args))
        case Or(args):
            return either(*(replaced(a, atoms) for a in args))
    return f
