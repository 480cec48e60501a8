"""Every operation of the expression language on numpy arrays, and where it has no value.

Each function takes int64 arrays or Python integers and returns the result and a mask of cells
without a value; those cells are computed with a harmless operand instead.  And the different values
of an array, which every room asks for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ringproof.table.integers import OPERATIONS

Array = np.ndarray[Any, np.dtype[Any]]


def _safe(divisor: Any) -> tuple[Any, Any]:
    if not isinstance(divisor, np.ndarray):
        return (divisor, False) if divisor > 0 else (1, True)
    bad = divisor <= 0
    return (np.where(bad, 1, divisor), bad) if bad.any() else (divisor, False)


def _floordiv(x: Any, y: Any) -> tuple[Any, Any]:
    y, bad = _safe(y)
    return x // y, bad


def _mod(x: Any, y: Any) -> tuple[Any, Any]:
    y, bad = _safe(y)
    return x % y, bad


def _natural(y: Any) -> tuple[Any, Any]:
    if not isinstance(y, np.ndarray):
        return (y, False) if y >= 0 else (0, True)
    bad = y < 0
    return (np.where(bad, 0, y), bad) if bad.any() else (y, False)


def _pow(x: Any, y: Any) -> tuple[Any, Any]:
    y, bad = _natural(y)
    two = not isinstance(x, np.ndarray) and x == 2
    return (np.left_shift(1, y) if two else np.power(x, y)), bad


def _lshift(x: Any, y: Any) -> tuple[Any, Any]:
    y, bad = _natural(y)
    return np.left_shift(x, y), bad


def _rshift(x: Any, y: Any) -> tuple[Any, Any]:
    y, bad = _natural(y)
    return np.right_shift(x, np.minimum(y, 63)), bad


def _bit(x: Any, i: Any) -> tuple[Any, Any]:
    shifted, bad = _rshift(x, i)
    return shifted & 1, bad


def _flip(x: Any, i: Any) -> tuple[Any, Any]:
    i, bad = _natural(i)
    return x ^ np.left_shift(1, i), bad


def _reverse(x: Any, bits: Any) -> tuple[Any, Any]:
    bits, bad = _natural(bits)
    bad = bad | (x < 0) | (x >= np.left_shift(1, bits))
    result = x * 0 + bits * 0
    for i in range(int(np.max(bits, initial=0))):
        result = np.where(i < bits, result << 1 | x >> i & 1, result)
    return result, bad


def _log2(x: Any) -> tuple[Any, Any]:
    result, rest = x * 0, np.maximum(x, 1)
    for k in (32, 16, 8, 4, 2, 1):
        high = rest >= 1 << k
        result, rest = result + k * high, np.where(high, rest >> k, rest)
    return result, x <= 0


def _ceil_log2(x: Any) -> tuple[Any, Any]:
    down, _ = _log2(np.maximum(x - 1, 1))
    return np.where(x >= 2, down + 1, 0), x <= 0


def _logarithm(up: int) -> Callable[[Any, Any], tuple[Any, Any]]:
    def log(x: Any, k: Any) -> tuple[Any, Any]:
        bad = (x <= 0) | (k < 2)
        result, rest, base = x * 0 + k * 0, np.where(bad, 1, x), np.where(bad, 2, k)
        while np.any(more := (rest > 1 if up else rest >= base)):
            result = result + more
            rest = np.where(more, -(-rest // base) if up else rest // base, rest)
        return result, bad

    return log


def _fold(combine: Callable[[Any, Any], Any]) -> Callable[..., tuple[Any, Any]]:
    def fold(*args: Any) -> tuple[Any, Any]:
        result = args[0]
        for arg in args[1:]:
            result = combine(result, arg)
        return result, False

    return fold


def _total(function: Callable[..., Any]) -> Callable[..., tuple[Any, Any]]:
    return lambda *args: (function(*args), False)


ARRAYS: Mapping[str, Callable[..., tuple[Any, Any]]] = {
    "//": _floordiv, "%": _mod, "**": _pow, "<<": _lshift, ">>": _rshift,
    "bit": _bit, "flip": _flip, "reverse": _reverse, "log2": _log2, "ceil_log2": _ceil_log2,
    "log": _logarithm(up=0), "ceil_log": _logarithm(up=1),
    "min": _fold(np.minimum), "max": _fold(np.maximum),
    "is_pow2": _total(lambda x: (x > 0) & (x & (x - 1) == 0)),
    "lowbit": _total(lambda x: x & -x), "abs": _total(np.abs), "not": _total(np.logical_not),
    "pos": _total(lambda x: x),
    **{op: _total(OPERATIONS[op]) for op in ("+", "-", "*", "&", "|", "^", "~", "neg")},
    **{op: _total(OPERATIONS[op]) for op in ("<", "<=", ">", ">=", "==", "!=")},
}  # fmt: skip


def unique(values: Array) -> Array:
    """The different ones, ascending; as `np.unique`, which loads masked arrays before it looks."""
    ordered = np.sort(values, axis=None)
    first = np.ones(len(ordered), dtype=bool)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return ordered[first]
