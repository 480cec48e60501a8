"""The second reading of an expression: whole columns at once, with numpy.

A column is one value for every (rank, step, ...) a row is read for, with a mask of the cells where
the value does not exist, so that ``and``, ``or`` and ``if`` can still be lazy.  A scalar stays a
Python integer.  Every column carries a bound on its magnitude; an operation whose result might
leave 64 bits is redone in exact Python integers, so nothing ever wraps around.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ringproof.table.arrays import ARRAYS
from ringproof.table.expr import LIMIT, Expr, Node
from ringproof.table.integers import OPERATIONS, Undefined


class Column(NamedTuple):
    """``values``: int64 or bool array, or one Python value for all cells.

    ``undefined``: bool array or one bool; those cells hold 0.  ``bound``: no |value| exceeds it.
    """

    values: Any
    undefined: Any = False
    bound: int = 1


def column(values: np.ndarray | int | bool) -> Column:
    """A column of given values, all defined."""
    if isinstance(values, np.ndarray):
        bound = int(np.abs(values).max()) if values.size else 0
        return Column(values, False, bound)
    return Column(values, False, abs(int(values)))


class Columns:
    """Names -> columns, computed only when asked for and kept."""

    def __init__(self, inputs: Mapping[str, Column], names: Mapping[str, Expr]) -> None:
        self.inputs = dict(inputs)
        self.names = names
        self._kept: dict[str, Column] = {}

    def __getitem__(self, name: str) -> Column:
        found = self.inputs.get(name) or self._kept.get(name)
        if found is None:
            found = self._kept[name] = evaluate(self.names[name].node, self)
        return found

    def value(self, expr: Expr) -> Column:
        """Evaluate ``expr`` over all cells."""
        return evaluate(expr.node, self)


def evaluate(node: Node, names: Columns) -> Column:
    """The column of a tree; undefined cells are masked, never raised."""
    op = node.op
    if op == "name":
        return names[str(node.value)]
    if op == "const":
        return Column(node.value, False, abs(int(node.value)))
    args = [evaluate(a, names) for a in node.args]
    if op in ("and", "or"):
        return _junction(op, args)
    if op == "if":
        return _choice(*args)
    undefined: Any = False
    for arg in args:
        undefined = _either(undefined, arg.undefined)
    scalar = not any(isinstance(a.values, np.ndarray) for a in args)
    return (_scalar if scalar else _array)(op, args, undefined)


def _either(a: Any, b: Any) -> Any:
    if a is False or b is True:
        return b
    return a if b is False or a is True else a | b


def _both(a: Any, b: Any) -> Any:
    if a is False or b is True:
        return a
    return b if b is False or a is True else a & b


_CONDITIONS = {"<", "<=", ">", ">=", "==", "!=", "not", "is_pow2"}


def _nothing(op: str) -> Column:
    """No value in any cell.  It must keep its kind: an integer among conditions is a bit mask."""
    return Column(False if op in _CONDITIONS else 0, True, 0)


def _scalar(op: str, args: list[Column], undefined: Any) -> Column:
    if undefined is True:
        return _nothing(op)
    try:
        value = OPERATIONS[op](*(a.values for a in args))
    except Undefined:
        return _nothing(op)
    if not -LIMIT < value < LIMIT:
        return _nothing(op)
    return Column(value, undefined, abs(int(value)))


def _array(op: str, args: list[Column], undefined: Any) -> Column:
    if undefined is True:
        return _nothing(op)
    bound = _BOUNDS.get(op, _largest)(*(a.bound for a in args))
    if bound >= LIMIT:
        return _exact(op, args, undefined)
    values, bad = ARRAYS[op](*(a.values for a in args))
    if bad is not False and not np.any(bad):
        bad = False
    undefined = _either(undefined, bad)
    if undefined is not False:
        values = np.where(undefined, False if values.dtype == bool else 0, values)
    return Column(values, undefined, bound)


def _exact(op: str, args: list[Column], undefined: Any) -> Column:
    """The same operation cell by cell in Python integers, for values near or beyond 62 bits."""
    cells = np.broadcast_arrays(*(np.asarray(a.values) for a in args))
    bad = np.broadcast_to(np.asarray(undefined), cells[0].shape).copy()
    values = np.zeros(cells[0].shape, dtype=np.int64)
    for i, operands in enumerate(zip(*(c.tolist() for c in cells), strict=True)):
        if bad[i]:
            continue
        try:
            value = OPERATIONS[op](*operands)
        except Undefined:
            value = LIMIT
        bad[i] = not -LIMIT < value < LIMIT
        values[i] = 0 if bad[i] else value
    if not bad.any():
        return column(values)
    return Column(values, bad, int(np.abs(values).max()))


def _junction(op: str, args: list[Column]) -> Column:
    values, undefined, _ = args[0]
    for arg in args[1:]:
        undecided = values if op == "and" else _not(values)
        undefined = _either(undefined, _both(undecided, arg.undefined))
        values = values & arg.values if op == "and" else values | arg.values
    return Column(values, undefined, 1)


def _choice(test: Column, yes: Column, no: Column) -> Column:
    if not isinstance(test.values, np.ndarray):
        taken = yes if test.values else no
        return Column(taken.values, _either(test.undefined, taken.undefined), taken.bound)
    values = np.where(test.values, yes.values, no.values)
    undefined = _either(_both(test.values, yes.undefined), _both(_not(test.values), no.undefined))
    return Column(values, _either(test.undefined, undefined), max(yes.bound, no.bound))


def _not(values: Any) -> Any:
    return ~values if isinstance(values, np.ndarray) else not values


def _largest(*bounds: int) -> int:
    return max(bounds)


def _power(base: int, exponent: int) -> int:
    return max(base, 1) if base < 2 else LIMIT if exponent > 62 else int(base**exponent)


def _mask(*bounds: int) -> int:
    return 1 << max(b.bit_length() for b in bounds)


_BOUNDS: Mapping[str, Callable[..., int]] = {
    "+": lambda a, b: a + b, "-": lambda a, b: a + b, "*": lambda a, b: a * b,
    "%": lambda a, b: b, "**": _power, "<<": lambda a, k: LIMIT if k > 62 else a << k,
    "&": _mask, "|": _mask, "^": _mask, "~": lambda a: a + 1,
    "flip": lambda a, i: LIMIT if i > 61 else _mask(a, 1 << i),
    "bit": lambda a, i: 1, "reverse": lambda a, b: LIMIT if b > 61 else 1 << b,
    "log2": lambda a: 64, "ceil_log2": lambda a: 64, "log": lambda a, k: 64,
    "ceil_log": lambda a, k: 64, "lowbit": lambda a: _mask(a),
}  # fmt: skip
