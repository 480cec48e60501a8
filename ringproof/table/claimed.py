"""What a table claims: for which rank counts, and which counts of its sends."""

from __future__ import annotations

from ringproof.table.expr import Divisors, Expr, ExprError, Items, Range, joined, parse, parse_items, unread
from ringproof.table.fields import Fields
from ringproof.table.integers import Environment, Undefined
from ringproof.table.scope import Scope
from ringproof.verdict import Route

RELATIONS = ("<=", ">=", "==", "<", ">")
_ONE_RANGE = 'one range such as "2..64"; `where` picks sizes of it, as in `where = "is_pow2(N)"`'


def claim(at: Fields, key: str) -> tuple[str, Expr]:
    """A claimed value, or a bound such as ``<= N``: the relation and the expression."""
    value, route = at.values[key], at.route_of(key)
    if not isinstance(value, str):
        return "==", at.expr(key) or unread("", route)
    stripped = value.lstrip()
    relation = next((r for r in RELATIONS if stripped.startswith(r)), "")
    skip = len(value) - len(stripped) + len(relation)
    try:
        if relation and not value[skip:].strip():
            title = f"a bound needs a value after `{relation}`"
            raise ExprError("RP105", title, skip - len(relation), skip)
        if stripped.startswith("=") and not relation:
            title, start = "a value is claimed without `=`", skip
            raise ExprError("RP105", title, start, start + 1, "a bound is written `<= ...` or `>= ...`")
        return relation or "==", parse(" " * skip + value[skip:], route)
    except ExprError as error:
        at.report.error(error, route)
        return relation or "==", unread(value, route)


def ranks(at: Fields) -> tuple[int, int]:
    """The claimed rank counts, both ends included; 2..2 stands in where they cannot be read."""
    if "ranks" not in at:
        return 2, 2
    value, route = at.values["ranks"], at.route_of("ranks")
    if type(value) is not int and not isinstance(value, str):
        at.wrong("ranks", 'a range such as "2..64" or a whole number', _hint(value))
        return 2, 2
    try:
        ends = _ends(at.constant(value, route) if isinstance(value, int) else _items(value, route))
    except ExprError as error:
        at.report.error(error, route)
        return 2, 2
    if ends is None or not _sensible(at, ends, str(value), route):
        return 2, 2
    return ends


def _hint(value: object) -> str:
    if not isinstance(value, list) or not all(type(v) is int for v in value) or not value:
        return ""
    return f'the sizes {min(value)} to {max(value)} are written `"{min(value)}..{max(value)}"`'


def _items(text: str, route: Route) -> Items:
    """Errors: `ExprError`, with a hint where several ranges are given."""
    try:
        return parse_items(text, route)
    except ExprError as error:
        if "," in text:
            at = text.index(",")
            raise ExprError("RP112", "ranks are one range", at, len(text), _ONE_RANGE) from None
        if error.code in ("RP105", "RP112") and not error.hint:
            error.hint = 'both ends are numbers: `"2..64"`'
        raise


def _ends(items: Items) -> tuple[int, int] | None:
    """Both ends as numbers, None when that was told already; errors: `ExprError`."""
    if isinstance(items, Divisors):
        raise ExprError("RP112", "ranks are a range, not divisors", 0, len(items.of.text), _ONE_RANGE)
    ends = (items.lo, items.hi) if isinstance(items, Range) else (items, items)
    if any(end.node.op == "unread" for end in ends):
        return None
    scope, environment = Scope({}, {}), Environment({}, {})
    errors = [error for end in dict.fromkeys(ends) for error in scope.check(end, "integer")]
    if errors:
        for error in errors:
            error.hint = error.hint or 'ranks are numbers: `"2..64"`'
        raise joined(errors)
    try:
        return environment.integer(ends[0]), environment.integer(ends[1])
    except Undefined as error:
        start, end = (error.node.start, error.node.end) if error.node else (0, len(ends[0].text))
        raise ExprError("RP112", f"this has no value: {error.reason}", start, end) from None


def _sensible(at: Fields, ends: tuple[int, int], text: str, route: Route) -> bool:
    lo, hi = ends
    if lo < 1:
        hint = f'did you mean `"1..{hi}"`?' if hi > 1 else 'as in `ranks = "2..64"`'
        first, dash, last = text.partition("-")
        if dash and first.strip().isdigit() and last.strip().isdigit():
            hint = f'a range is written with two dots: `"{first.strip()}..{last.strip()}"`'
        at.report.add("RP112", "a schedule has at least 1 rank", route, hint)
    elif hi < lo:
        at.report.add("RP112", f"the range {lo}..{hi} is empty", route, f'did you mean `"{hi}..{lo}"`?')
    return 1 <= lo <= hi


