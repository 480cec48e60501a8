"""The operations of the table language on polynomials, simplified in a context; trusted.

Every simplification is an identity of integers under conditions that the context entails.
"""

from __future__ import annotations

from dataclasses import dataclass

from ringproof.proof.every_n.division import Division, Untranslatable
from ringproof.proof.every_n.formula import Formula, both, eq, le
from ringproof.proof.every_n.poly import ONE, ZERO, Poly, polynomial

__all__ = ["Arithmetic", "Untranslatable"]


@dataclass(frozen=True, slots=True)
class Arithmetic(Division):
    """All operations in one context."""

    def operate(self, op: str, args: list[Poly]) -> Poly:
        """One operation of the table language; errors: `Untranslatable`."""
        x, y = (*args, ZERO)[:2]
        match op:
            case "+":
                return x + y
            case "-":
                return x - y
            case "*":
                self._note(x, y)
                self._note(y, x)
                return x * y
            case "neg":
                return -x
            case "pos":
                return x
            case "~":
                return -x - 1
            case "//":
                return self.divide(x, y)
            case "%":
                return self.modulo(x, y)
            case "**":
                return self.power(x, y)
            case "<<":
                return x * self.power(polynomial(2), y)
            case ">>":
                return self.divide(x, self.power(polynomial(2), y))
            case "abs":
                return self.maximum([x, -x])
            case "min":
                return self.minimum(args)
            case "max":
                return self.maximum(args)
        return self._bits(op, x, y)

    def _bits(self, op: str, x: Poly, y: Poly) -> Poly:
        match op:
            case "bit":
                return self.bit(x, y)
            case "flip":
                return self._flipped(x, self.power(polynomial(2), y))
            case "^":
                return self.xor(x, y)
            case "&":
                return self.conjunction(x, y)
            case "|":
                return x + y - self.conjunction(x, y)
            case "lowbit":
                return self.lowbit(x)
            case "log2":
                return self.log("log", 2, x)
            case "ceil_log2":
                return self.log("clog", 2, x)
            case "log" | "ceil_log":
                if y.number is None or y.number < 2:
                    raise Untranslatable("a logarithm to an unknown base")
                return self.log("log" if op == "log" else "clog", y.number, x)
        raise Untranslatable(f"`{op}`")

    def is_power(self, x: Poly) -> Formula:
        """Whether x is a power of two."""
        if self._one_bit(x):
            return True
        return both(le(1, x), eq(x, self.power(polynomial(2), self.log("log", 2, x))))

    # -- bits

    def bit(self, x: Poly, i: Poly) -> Poly:
        """Bit i of x."""
        return self.modulo(self.divide(x, self.power(polynomial(2), i)), polynomial(2))

    def _flipped(self, x: Poly, power: Poly) -> Poly:
        """x with the bit of a power of two turned over."""
        bit = self.modulo(self.divide(x, power), polynomial(2))
        return x + power - power * bit * 2

    def _one_bit(self, x: Poly) -> bool:
        """Whether x is surely a power of two (with an exponent of at least 0)."""
        if x.number is not None:
            return x.number > 0 and x.number & (x.number - 1) == 0
        single = x.single
        if single is None or not self._one_bit(polynomial(single[1])) or len(single[0]) != 1:
            return False
        atom = self.atoms.of(single[0][0])
        return atom.kind == "pow" and atom.args[0] == 2

    def xor(self, x: Poly, y: Poly) -> Poly:
        """x ^ y."""
        for a, b in ((x, y), (y, x)):
            if self._one_bit(b):
                return self._flipped(a, b)
        operands: dict[Poly, None] = {}
        for part in (x, y):
            atom = self.atoms.of(part.atom) if part.atom is not None else None
            inner = list(atom.args) if atom and atom.kind == "xor" else [self.atoms.written(part)]
            for a in (i for i in inner if isinstance(i, Poly)):
                if a in operands:
                    del operands[a]
                elif a != ZERO:
                    operands[a] = None
        found = sorted(operands, key=lambda p: sorted(p.terms.items()))
        if len(found) < 2:
            return found[0] if found else ZERO
        return self.atoms.poly("xor", *found)

    def conjunction(self, x: Poly, y: Poly) -> Poly:
        """x & y, where one is a power of two or one less than one, or they are opposite."""
        for a, b in ((x, y), (y, x)):
            if self._one_bit(b):
                return b * self.modulo(self.divide(a, b), polynomial(2))
            if self._one_bit(b + 1):
                return self.modulo(a, b + 1)
        if x == -y:
            return self.lowbit(x)
        raise Untranslatable("`&` or `|` of two unknown numbers")

    def lowbit(self, x: Poly) -> Poly:
        """The lowest bit of x that is set; 0 for 0."""
        power = self.atoms.poly("pow", 2, self.atoms.poly("ctz", self.atoms.written(x)))
        return power * (ONE - self.indicator(eq(x, 0)))
