"""Index arithmetic as a tree: what a table writes between quotes.

One tree, three readings that must agree: Python integers (`integers`), numpy columns (`columns`)
and SMT-LIB terms (`ringproof.proof.terms`).  The text is parsed with Python's own grammar and a
white list; nothing is ever executed.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from ringproof.verdict import Route

Kind = Literal["integer", "condition", "fraction", "unknown"]

LIMIT = 1 << 62  # every value stays strictly inside (-LIMIT, LIMIT)
MAX_TEXT = 2000
MAX_DEPTH = 60

HELPERS = {  # name -> number of arguments; None is "one or more"
    "min": None, "max": None, "abs": 1, "log2": 1, "ceil_log2": 1, "log": 2, "ceil_log": 2,
    "is_pow2": 1, "bit": 2, "flip": 2, "lowbit": 1, "reverse": 2,
}  # fmt: skip
LISTS = {"divisors": 1}
CONSTANTS = {"True": True, "False": False, "true": True, "false": False}

_BINARY = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.Div: "/", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
    ast.LShift: "<<", ast.RShift: ">>",
}  # fmt: skip
_COMPARE = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
}  # fmt: skip
_UNARY = {ast.USub: "neg", ast.Invert: "~", ast.Not: "not", ast.UAdd: "pos"}


@dataclass(frozen=True, slots=True)
class Node:
    """One operation; ``start`` and ``end`` are its half-open range in the expression's text."""

    op: str
    args: tuple[Node, ...]
    start: int
    end: int
    value: int | bool | str = 0


@dataclass(frozen=True, slots=True)
class Expr:
    """A parsed expression and the route of the value it was read from."""

    text: str
    node: Node
    route: Route

    def names(self) -> frozenset[str]:
        """The names it uses, helpers excluded."""
        return frozenset(str(n.value) for n in walk(self.node) if n.op == "name")


@dataclass(frozen=True, slots=True)
class Range:
    """``lo..hi``: both ends included; ``hi = lo - 1`` is empty."""

    lo: Expr
    hi: Expr


@dataclass(frozen=True, slots=True)
class Divisors:
    """``divisors(x)``: every positive divisor of x, ascending."""

    of: Expr


Items = Range | Divisors | Expr


class ExprError(Exception):
    """Text that is not an expression; ``start`` and ``end`` are the part at fault."""

    def __init__(self, code: str, title: str, start: int, end: int, hint: str = "") -> None:
        super().__init__(title)
        self.code, self.title, self.start, self.end, self.hint = code, title, start, end, hint


def walk(node: Node) -> Iterator[Node]:
    """Every node of a tree, parents first."""
    yield node
    for arg in node.args:
        yield from walk(arg)


def parse(text: str, route: Route = ()) -> Expr:
    """Read one expression; errors: `ExprError` with the range at fault."""
    _guard(text)
    if ".." in text:
        at = text.index("..")
        raise ExprError("RP114", "a range stands where one value belongs", at, at + 2)
    return Expr(text, _node(text, 0), route)


def parse_items(text: str, route: Route = ()) -> Items:
    """Read what a variable runs over: ``lo..hi``, ``divisors(x)`` or one value."""
    _guard(text)
    at = text.find("..")
    if at < 0:
        node = _node(text, 0, lists=LISTS)
        if node.op == "divisors":
            return Divisors(Expr(text, node.args[0], route))
        return Expr(text, node, route)
    rest = text[at + 2 :]
    if rest.startswith(".") or ".." in rest:
        raise ExprError("RP112", "a range has two ends and one `..` between them", at, len(text))
    if not text[:at].strip() or not rest.strip():
        raise ExprError("RP112", "a range needs both its ends: `lo..hi`", 0, len(text))
    lo, hi = _node(text[:at], 0), _node(rest, at + 2)
    return Range(Expr(text, lo, route), Expr(text, hi, route))


def constant(value: int | bool, route: Route = ()) -> Expr:
    """A number or truth value that the table wrote without quotes, or that is a default."""
    text = str(value)
    return Expr(text, Node("const", (), 0, len(text), value), route)


def _guard(text: str) -> None:
    if len(text) > MAX_TEXT:
        title = f"the expression has {len(text)} characters; the limit is {MAX_TEXT}"
        raise ExprError("RP113", title, 0, 40)
    if not text.strip():
        raise ExprError("RP105", "an empty expression", 0, len(text))
    for at, char in enumerate(text):
        if not (" " <= char <= "~" or char in "\t\n"):
            title = f"the character {char!a} does not belong in an expression"
            raise ExprError("RP105", title, at, at + 1)


class _Builder:
    """Python's tree -> ours, with every offset counted from the start of the whole text."""

    def __init__(self, text: str, offset: int, lists: dict[str, int]) -> None:
        self.text, self.offset, self.lists = text, offset, lists

    def span(self, node: ast.expr) -> tuple[int, int]:
        return node.col_offset + self.offset, (node.end_col_offset or 0) + self.offset

    def error(self, node: ast.expr, code: str, title: str, hint: str = "") -> ExprError:
        return ExprError(code, title, *self.span(node), hint)

    def build(self, node: ast.expr, depth: int = 0) -> Node:
        if depth > MAX_DEPTH:
            raise self.error(node, "RP113", f"nested deeper than {MAX_DEPTH} levels")

        def of(op: str, *args: ast.expr, value: int | bool | str = 0) -> Node:
            return Node(op, tuple(self.build(a, depth + 1) for a in args), *self.span(node), value)

        match node:
            case ast.Constant(value=bool() as value):
                return of("const", value=value)
            case ast.Constant(value=int() as value):
                if value >= LIMIT:
                    raise self.error(node, "RP113", "the number is 2**62 or more")
                return of("const", value=value)
            case ast.Name(id=name) if name in CONSTANTS:
                return of("const", value=CONSTANTS[name])
            case ast.Name(id=name):
                return of("name", value=name)
            case ast.UnaryOp(op=op, operand=operand):
                return of(_UNARY[type(op)], operand)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
                return of(_BINARY[type(op)], left, right)
            case ast.BoolOp(op=op, values=values):
                return of("and" if isinstance(op, ast.And) else "or", *values)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return of("if", test, body, orelse)
            case ast.Compare():
                return self.compare(node, depth)
            case ast.Call():
                return self.call(node, depth)
        raise self.error(node, "RP105", f"{_what(node)} is not part of the table language")

    def compare(self, node: ast.Compare, depth: int) -> Node:
        operands = [node.left, *node.comparators]
        built = [self.build(o, depth + 1) for o in operands]
        links = []
        for i, op in enumerate(node.ops):
            if type(op) not in _COMPARE:
                title = "`is` and `in` are not part of the table language"
                raise self.error(node, "RP105", title)
            span = built[i].start, built[i + 1].end
            links.append(Node(_COMPARE[type(op)], (built[i], built[i + 1]), *span))
        return links[0] if len(links) == 1 else Node("and", tuple(links), *self.span(node))

    def call(self, node: ast.Call, depth: int) -> Node:
        name = node.func.id if isinstance(node.func, ast.Name) else ast.unparse(node.func)
        if name in LISTS and not (name in self.lists and depth == 0):
            raise self.error(node, "RP114", f"`{name}` is a list; one value belongs here")
        if name not in HELPERS and name not in self.lists:
            hint = "allowed: " + ", ".join(sorted(HELPERS))
            raise self.error(node.func, "RP107", f"`{name}` is not a helper", hint)
        wanted, got = {**HELPERS, **self.lists}[name], len(node.args)
        if node.keywords or (got < 1 if wanted is None else got != wanted):
            count = "at least 1" if wanted is None else str(wanted)
            title = f"`{name}` takes {count} argument{'s' if count[-1] != '1' else ''}, not {got}"
            raise self.error(node, "RP107", title)
        return Node(name, tuple(self.build(a, depth + 1) for a in node.args), *self.span(node))


def _node(text: str, offset: int, lists: dict[str, int] | None = None) -> Node:
    flat = text.replace("\n", " ").replace("\t", " ")
    stripped = flat.lstrip(" ")
    offset += len(flat) - len(stripped)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(stripped, mode="eval")
    except SyntaxError as error:
        at = min(max((error.offset or 1) - 1, 0), max(len(stripped) - 1, 0))
        title = _syntax(stripped, error.msg)
        raise ExprError("RP105", title, offset + at, offset + at + 1) from None
    except (ValueError, MemoryError, RecursionError):
        title = "the expression is too deeply nested or a number too long"
        raise ExprError("RP113", title, offset, offset + len(stripped)) from None
    return _Builder(stripped, offset, lists or {}).build(tree.body)


def _syntax(text: str, message: str) -> str:
    if "." in text:
        return "not an expression (numbers are whole, and a range is written `lo..hi`)"
    return f"not an expression: {message.removeprefix('invalid syntax. ')}"


def _what(node: ast.expr) -> str:
    names: dict[type[ast.expr], str] = {
        ast.Attribute: "a dot", ast.Subscript: "an index", ast.Lambda: "a lambda",
        ast.List: "a list", ast.Tuple: "a tuple", ast.Dict: "a dict", ast.Set: "a set",
        ast.JoinedStr: "a string", ast.NamedExpr: "an assignment", ast.Starred: "a star",
    }  # fmt: skip
    if isinstance(node, ast.Constant):
        return f"the constant {ast.unparse(node)[:40]}"
    return names.get(type(node), "this")
