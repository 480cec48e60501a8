"""Index arithmetic: from what a table writes between quotes to a tree.

One tree, three readings that must agree: Python integers (`integers`), numpy columns (`columns`)
and SMT-LIB terms (`ringproof.proof.terms`).  The text is parsed with Python's own grammar and a
white list; nothing is ever executed.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Mapping
from types import MappingProxyType

from ringproof.table.misread import foreign, letters, misread, not_a_helper, wrong_arguments
from ringproof.table.tree import (
    LIMIT,
    Divisors,
    Expr,
    ExprError,
    Items,
    Kind,
    Node,
    Range,
    constant,
    joined,
    unread,
    walk,
)
from ringproof.verdict import Route

__all__ = [
    "CONSTANTS", "HELPERS", "LIMIT", "LISTS", "Divisors", "Expr", "ExprError", "Items", "Kind", "Node",
    "Range", "constant", "joined", "parse", "parse_items", "unread", "walk",
]  # fmt: skip

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


def parse(text: str, route: Route = ()) -> Expr:
    """Read one expression; errors: `ExprError` with the range at fault."""
    _guard(text)
    if ".." in text:
        at = text.index("..")
        hint = "a range belongs in `for` or `params`: `for = { j = \"0..N - 1\" }`"
        raise ExprError("RP114", "a range stands where one value belongs", at, at + 2, hint)
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
        fixed = rest.lstrip(".")
        hint = f"did you mean `{text[:at]}..{fixed}`?" if text[:at].strip() and ".." not in fixed else ""
        title = "a range has two ends and one `..` between them"
        raise ExprError("RP112", title, at, len(text), hint)
    if not text[:at].strip() or not rest.strip():
        raise ExprError("RP112", "a range needs both its ends: `lo..hi`", 0, len(text))
    lo, hi = _ends(text, at)
    return Range(Expr(text, lo, route), Expr(text, hi, route))


def _ends(text: str, at: int) -> tuple[Node, Node]:
    """Both ends of a range, and what is wrong with either."""
    found: list[Node] = []
    errors: list[ExprError] = []
    for piece, offset in ((text[:at], 0), (text[at + 2 :], at + 2)):
        try:
            found.append(_node(piece, offset))
        except ExprError as error:
            errors += [error, *error.more]
    if errors:
        raise joined(errors)
    return found[0], found[1]


def _guard(text: str) -> None:
    if len(text) > MAX_TEXT:
        title = f"the expression has {len(text)} characters; the limit is {MAX_TEXT}"
        raise ExprError("RP113", title, 0, 40, "give its parts names with `let`")
    if not text.strip():
        raise ExprError("RP105", "an empty expression", 0, len(text), "as in `(r + 1) % N`")
    if slips := list(letters(text)):
        raise joined([ExprError("RP105", *slip) for slip in slips])


class _Builder:
    """Python's tree -> ours, with every offset counted from the start of the whole text.

    What has no place in the table language is noted in ``errors``, and a constant stands in for it.
    """

    def __init__(self, text: str, offset: int, lists: Mapping[str, int]) -> None:
        self.text, self.offset, self.lists = text, offset, lists
        self.errors: list[ExprError] = []

    def span(self, node: ast.expr) -> tuple[int, int]:
        return node.col_offset + self.offset, (node.end_col_offset or 0) + self.offset

    def source(self, node: ast.expr) -> str:
        return self.text[node.col_offset : node.end_col_offset]

    def wrong(self, node: ast.expr, code: str, title: str, hint: str = "") -> Node:
        self.errors.append(ExprError(code, title, *self.span(node), hint))
        return Node("unread", (), *self.span(node))

    def build(self, node: ast.expr, depth: int = 0) -> Node:
        if depth > MAX_DEPTH and any(error.code == "RP113" for error in self.errors):
            return Node("unread", (), *self.span(node))
        if depth > MAX_DEPTH:
            title = f"nested deeper than {MAX_DEPTH} levels"
            return self.wrong(node, "RP113", title, "give its parts names with `let`")

        def of(op: str, *args: ast.expr, value: int | bool | str = 0) -> Node:
            return Node(op, tuple(self.build(a, depth + 1) for a in args), *self.span(node), value)

        match node:
            case ast.Constant(value=bool() as value):
                return of("const", value=value)
            case ast.Constant(value=int() as value):
                if value >= LIMIT:
                    return self.wrong(node, "RP113", "the number is 2**62 or more")
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
        return self.wrong(node, "RP105", *foreign(node, self.source(node)))

    def compare(self, node: ast.Compare, depth: int) -> Node:
        operands = [node.left, *node.comparators]
        built = [self.build(o, depth + 1) for o in operands]
        links = []
        for i, op in enumerate(node.ops):
            if type(op) not in _COMPARE:
                title = "`is` and `in` are not part of the table language"
                return self.wrong(node, "RP105", title)
            span = self.balanced(built[i].start, built[i + 1].end)
            links.append(Node(_COMPARE[type(op)], (built[i], built[i + 1]), *span))
        return links[0] if len(links) == 1 else Node("and", tuple(links), *self.span(node))

    def balanced(self, start: int, end: int) -> tuple[int, int]:
        """A range widened to hold both of every pair of parentheses that it holds one of."""
        start, end = start - self.offset, end - self.offset
        depth = lowest = 0
        for char in self.text[start:end]:
            depth += {"(": 1, ")": -1}.get(char, 0)
            lowest = min(lowest, depth)
        for _ in range(-lowest):
            start = self.text.rindex("(", 0, start)
        for _ in range(depth - lowest):
            end = self.text.index(")", end) + 1
        return start + self.offset, end + self.offset

    def call(self, node: ast.Call, depth: int) -> Node:
        name = self.source(node.func)
        lists = self.lists if depth == 0 else {}
        if name in LISTS and name not in lists:
            return self.wrong(node, "RP114", f"`{name}` is a list; one value belongs here")
        wanted = {**HELPERS, **lists}
        if name not in wanted:
            return self.wrong(node.func, "RP107", *not_a_helper(node, name, list(wanted)))
        if wrong := wrong_arguments(node, name, wanted[name]):
            return self.wrong(node, "RP107", *wrong)
        return Node(name, tuple(self.build(a, depth + 1) for a in node.args), *self.span(node))


def _node(text: str, offset: int, lists: Mapping[str, int] = MappingProxyType({})) -> Node:
    flat = text.replace("\n", " ").replace("\t", " ")
    stripped = flat.lstrip(" ")
    offset += len(flat) - len(stripped)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(stripped, mode="eval")
    except SyntaxError as error:
        slip = misread(stripped, (error.offset or 1) - 1)
        here = slip.start + offset, slip.end + offset
        raise ExprError("RP105", slip.title, *here, slip.hint) from None
    except (ValueError, MemoryError, RecursionError):
        title = "the expression is too deeply nested or a number too long"
        raise ExprError("RP113", title, offset, offset + len(stripped)) from None
    builder = _Builder(stripped, offset, lists)
    node = builder.build(tree.body)
    if builder.errors:
        raise joined(builder.errors)
    return node
