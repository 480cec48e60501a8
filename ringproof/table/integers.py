"""The first reading of an expression: one value at a time, in exact Python integers."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from fractions import Fraction

from ringproof.table.expr import LIMIT, Divisors, Expr, Items, Node, Range

Value = int | bool | Fraction


class Undefined(Exception):
    """A value that does not exist, such as a division by zero, and the node that asked for it."""

    def __init__(self, node: Node | None, reason: str) -> None:
        super().__init__(reason)
        self.node, self.reason = node, reason
        self.expr: Expr | None = None


class Environment:
    """Names -> values, computed only when asked for; ``inputs`` are given, ``names`` are written."""

    def __init__(self, inputs: Mapping[str, Value], names: Mapping[str, Expr]) -> None:
        self._values = dict(inputs)
        self._names = names

    def __getitem__(self, name: str) -> Value:
        if name not in self._values:
            self._values[name] = self.value(self._names[name])
        return self._values[name]

    def value(self, expr: Expr) -> Value:
        """Evaluate ``expr`` here; errors: `Undefined`."""
        try:
            return evaluate(expr.node, self)
        except Undefined as error:
            error.expr = error.expr or expr
            raise

    def integer(self, expr: Expr) -> int:
        """Evaluate an expression that the table checked to be an integer."""
        return int(self.value(expr))

    def items(self, items: Items | tuple[Items, ...]) -> list[int]:
        """Every value that a variable runs over, in the order written."""
        if isinstance(items, tuple):
            return [v for item in items for v in self.items(item)]
        if isinstance(items, Range):
            values = range(self.integer(items.lo), self.integer(items.hi) + 1)
            if values[MOST_VALUES:]:
                raise too_many(f"{values[-1] - values[0] + 1} values", items.lo)
            return list(values)
        if isinstance(items, Divisors):
            try:
                return divisors(self.integer(items.of))
            except Undefined as error:
                error.node, error.expr = error.node or items.of.node, error.expr or items.of
                raise
        return [self.integer(items)]


def evaluate(node: Node, names: Environment) -> Value:
    """The value of a tree; errors: `Undefined` (its ``expr`` is filled in by the environment)."""
    op, args = node.op, node.args
    if op == "const":
        return node.value  # type: ignore[return-value]
    if op == "name":
        return names[str(node.value)]
    if op == "if":
        return evaluate(args[1 if evaluate(args[0], names) else 2], names)
    if op == "and":
        return all(evaluate(a, names) for a in args)
    if op == "or":
        return any(evaluate(a, names) for a in args)
    try:
        value = OPERATIONS[op](*(evaluate(a, names) for a in args))
    except Undefined as error:
        error.node = error.node or node
        raise
    if not -LIMIT < value < LIMIT:
        raise Undefined(node, TOO_LARGE)
    return value


TOO_LARGE = "the value is 2**62 or more"
MOST_VALUES = 10_000
TOO_MANY = f"are too many to check one by one; the limit is {MOST_VALUES}"


def too_many(what: str, expr: Expr) -> Undefined:
    """What to raise, before it is allocated, for a list that would take for ever to go through."""
    error = Undefined(None, f"{what} {TOO_MANY}")
    error.expr = expr
    return error


def _need(holds: bool, reason: str) -> None:
    if not holds:
        raise Undefined(None, reason)


def _floordiv(x: int, y: int) -> int:
    _need(y != 0, "division by zero")
    _need(y > 0, "division by a negative number")
    return x // y


def _mod(x: int, y: int) -> int:
    _need(y != 0, "modulo by zero")
    _need(y > 0, "modulo by a negative number")
    return x % y


def _fraction(x: Value, y: Value) -> Fraction:
    _need(y != 0, "division by zero")
    return Fraction(x) / Fraction(y)


def _pow(x: int, y: int) -> int:
    _need(y >= 0, "a negative exponent")
    _need(y < 62 or abs(x) < 2, TOO_LARGE)
    return int(x**y) if abs(x) >= 2 else int(x ** (y if y < 2 else 2 - y % 2))


def _lshift(x: int, y: int) -> int:
    _need(y >= 0, "a shift by a negative number")
    _need(y < 62 or x == 0, TOO_LARGE)
    return x << y if x else 0


def _rshift(x: int, y: int) -> int:
    _need(y >= 0, "a shift by a negative number")
    return x >> min(y, 63)


def _log2(x: int) -> int:
    _need(x > 0, f"the logarithm of {'zero' if x == 0 else 'a negative number'}")
    return x.bit_length() - 1


def _ceil_log2(x: int) -> int:
    _log2(x)
    return (x - 1).bit_length()


def _log(x: int, k: int) -> int:
    _log2(x)
    _need(k > 1, "a logarithm to a base below 2")
    count = 0
    while x >= k:
        x, count = x // k, count + 1
    return count


def _ceil_log(x: int, k: int) -> int:
    _log2(x)
    _need(k > 1, "a logarithm to a base below 2")
    count = 0
    while x > 1:
        x, count = -(-x // k), count + 1
    return count


def _bit(x: int, i: int) -> int:
    _need(i >= 0, "a bit with a negative number")
    return x >> min(i, 63) & 1


def _flip(x: int, i: int) -> int:
    _need(i >= 0, "a bit with a negative number")
    return x ^ _lshift(1, i)


def _reverse(x: int, bits: int) -> int:
    _need(bits >= 0, "a reversal of a negative number of bits")
    _need(bits < 62, "a reversal of more than 61 bits")
    _need(0 <= x < 1 << bits, "a reversal of a number that does not fit in its bits")
    return sum((x >> i & 1) << bits - 1 - i for i in range(bits))


def divisors(x: int) -> list[int]:
    """Every positive divisor of ``x >= 1``, ascending."""
    _need(x >= 1, "the divisors of a number below 1")
    _need(x < 1 << 40, "the divisors of a number above 2**40")
    found, rest, prime = [1], x, 2
    while rest > 1:
        prime = _factor(rest, prime)
        powers = [1]
        while rest % prime == 0:
            rest, powers = rest // prime, [*powers, powers[-1] * prime]
        found = [d * power for d in found for power in powers]
    return sorted(found)


def _factor(x: int, least: int) -> int:
    """The smallest prime factor of x, which has none below ``least``."""
    if x % 2 == 0:
        return 2
    return next((d for d in range(least | 1, math.isqrt(x) + 1, 2) if x % d == 0), x)


OPERATIONS: Mapping[str, Callable[..., Value]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "//": _floordiv, "%": _mod,
    "**": _pow, "/": _fraction, "&": operator.and_, "|": operator.or_, "^": operator.xor,
    "<<": _lshift, ">>": _rshift, "neg": operator.neg, "pos": operator.pos, "~": operator.invert,
    "not": operator.not_, "<": operator.lt, "<=": operator.le, ">": operator.gt,
    ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
    "min": lambda *x: min(x), "max": lambda *x: max(x), "abs": abs, "log2": _log2,
    "ceil_log2": _ceil_log2, "log": _log, "ceil_log": _ceil_log,
    "is_pow2": lambda x: x > 0 and x & (x - 1) == 0, "bit": _bit, "flip": _flip,
    "lowbit": lambda x: x & -x, "reverse": _reverse,
}  # fmt: skip
