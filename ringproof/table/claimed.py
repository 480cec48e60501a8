"""What a table claims: for which rank counts, and which counts of its sends."""

from __future__ import annotations

from ringproof.table.expr import Divisors, Expr, ExprError, Items, Range, joined, parse, parse_items, unread
from ringproof.table.fields import Fields
from ringproof.table.findings import Findings
from ringproof.table.integers import Environment, Undefined
from ringproof.table.schedule import Schedule
from ringproof.table.scope import Scope
from ringproof.verdict import Route, Size
from ringproof.wording import bytes_text

MOST_RANKS, FEW_RANKS, MOST_SIZES = 100_000, 200, 1_000_000
BYTES_PER_SLOT = 8
RELATIONS = ("<=", ">=", "==", "<", ">")
_ONE_RANGE = 'write one range; `where` picks sizes of it, as in `where = "is_pow2(N)"`'


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
            hint = "a bound is written `<= ...` or `>= ...`"
            raise ExprError("RP105", title, start, start + 1, hint)
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
    return f'write `"{min(value)}..{max(value)}"`; `where` picks sizes of it'


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
        hint = 'ranks are numbers: `"2..64"`'
        raise ExprError("RP112", f"this has no value: {error.reason}", start, end, hint) from None


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




def bounded(schedule: Schedule, report: Findings) -> None:
    """Report, before any is listed, a claim of more sizes than can be checked one by one."""
    lo, hi = schedule.ranks
    count = hi - lo + 1
    told, most = f"{count} rank counts", MOST_RANKS
    if count <= MOST_RANKS:
        if count <= FEW_RANKS or not schedule.params:
            return
        try:
            count *= len(list(schedule.at(hi)))
        except Undefined:
            return  # that is told where it is met first
        told, most = f"about {count} sizes", MOST_SIZES
    if count > most:
        title = f"{told} are too many to check one by one; the limit is {most}"
        report.add("RP113", title, (*schedule.route, "ranks"), "claim fewer; a proof names every N",
                   notes=_needed(schedule, hi))  # fmt: skip


def _needed(schedule: Schedule, N: int) -> tuple[str, ...]:
    """How much memory the slots of the largest size take, where that can be said."""
    environment = schedule.environment(Size(N))
    try:
        slots = environment.integer(schedule.chunks) + environment.integer(schedule.scratch)
    except (Undefined, KeyError):
        return ()
    need = bytes_text(float(N * slots * BYTES_PER_SLOT))
    return (f"replay at N = {N} alone needs at least {need} of memory",)
