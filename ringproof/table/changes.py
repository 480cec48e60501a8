"""What can change in a table by a single edit: an expression, an op, a row, the order of phases."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from ringproof.table.expr import HELPERS, Expr, Range, constant, parse, parse_items
from ringproof.table.splice import conditions, edits, moved
from ringproof.verdict import Route

Values = Mapping[str, Any]
Names = Collection[str]
Shifts = tuple[int, ...]

_OTHER_END = {"to": "from", "from": "to"}
_OTHER_OP = {"reduce": "copy", "copy": "reduce"}


@dataclass(frozen=True, slots=True)
class Change:
    """One edit; ``before`` and ``after`` are what a table shows at ``route``.

    ``change`` makes the new value at ``at`` from the old; ``amount``: by how much a constant moves.
    """

    kind: str
    route: Route
    before: str
    after: str
    at: Route
    change: Callable[[Any], Any]
    amount: int = 1

    def apply(self, values: Values) -> Values:
        """The values of the changed table; what did not change is shared."""
        new: Values = _changed(values, self.at, self.change)
        return new


def changes(values: Values, shifts: Shifts) -> Iterator[Change]:
    """Every single edit of a table, from its top to its end; constants move by ``shifts``."""
    yield from _lets(values, (), _conditions(values), shifts)
    phases = values["phase"]
    sends = [s for p in phases for s in p.get("sends", ())]
    ranks = 1 + max((s[end] for s in sends for end in ("from", "to")), default=0)
    chunks = 1 + max((s["chunk"] for s in sends), default=0)
    for i, phase in enumerate(phases):
        route: Route = ("phase", i)
        yield from _lets(phase, route, _conditions(values, phase), shifts)
        if "use" in phase:
            yield from _use(phase, route, _conditions(values, phase), shifts)
        if "steps" in phase:
            yield from _steps(str(phase["steps"]), (*route, "steps"), shifts)
        for j, row in enumerate(phase.get("send", ())):
            yield from _row(row, (*route, "send", j), _conditions(values, phase, row), shifts)
        for j, send in enumerate(phase.get("sends", ())):
            yield from _send(send, (*route, "sends", j), ranks, max(chunks, 2))
    for i in range(1, len(phases)):
        before, after = phases[i - 1 : i + 1]
        names = [f"{p.get('name', '')}" for p in (before, after, before)]
        yield Change("phases-swapped", ("phase", i), ", ".join(names[:2]), ", ".join(names[1:]),
                      ("phase",), _spliced(i - 1, 2, (after, before)))  # fmt: skip


def _steps(text: str, route: Route, shifts: Shifts) -> Iterator[Change]:
    node = parse(text).node
    for by in shifts:
        after = moved(text, node, by)
        if not after.startswith("-"):
            kind = "step-more" if by > 0 else "step-less"
            yield Change(kind, route, text, after, route, _put(after), abs(by))
    yield from (c for c in _text(text, route, "", (), ()) if c.kind == "rounding")


def _row(row: Values, route: Route, no_integers: Names, shifts: Shifts) -> Iterator[Change]:
    kinds = {"to": "shift", "from": "shift", "chunk": "shift", "into": "into-off-by-one",
             "when": "guard-off-by-one"}  # fmt: skip
    for key in [k for k in kinds if k in row]:
        for change in _text(row[key], (*route, key), kinds[key], no_integers, shifts):
            turns = key in ("to", "from") and change.kind == "sign"
            yield replace(change, kind="direction") if turns else change
        if kinds[key] != "guard-off-by-one":
            yield from _added_modulo(str(row[key]), (*route, key))
    if "into" not in row:
        chunk = str(row["chunk"])
        for by in shifts:
            into = moved(chunk, parse(chunk).node, by)
            yield Change("into-off-by-one", (*route, "into"), chunk, into, route,
                          partial(_with, "into", into), abs(by))  # fmt: skip
    yield from _loops(row, route, no_integers, shifts)
    yield from _lets(row, route, no_integers, shifts)
    yield _op(row, route)
    turned = {_OTHER_END.get(key, key): value for key, value in row.items()}
    key = "to" if "to" in row else "from"
    yield Change("direction", (*route, key), key, _OTHER_END[key], route, _put(turned))
    yield from _listed("row", row, route)


def _use(phase: Values, route: Route, no_integers: Names, shifts: Shifts) -> Iterator[Change]:
    """Edits of how a phase uses another table; the other table stays as it is."""
    kinds = {"group": "shift", "rank": "shift", "chunk": "shift", "when": "guard-off-by-one"}
    for key in [k for k in kinds if k in phase]:
        yield from _text(phase[key], (*route, key), kinds[key], no_integers, shifts)
    yield from _loops(phase, route, no_integers, shifts)
    for name, value in phase.get("params", {}).items():
        yield from _text(value, (*route, "params", name), "shift", no_integers, shifts)


def _added_modulo(text: str, route: Route) -> Iterator[Change]:
    node = parse(text).node
    if node.op not in ("%", "const"):
        after = f"{text} % N" if node.op == "name" or node.op in HELPERS else f"({text}) % N"
        yield Change("added-modulo", route, text, after, route, _put(after))


def _send(send: Values, route: Route, ranks: int, chunks: int) -> Iterator[Change]:
    for kind, key, size in (("redirected-send", "to", ranks), ("rechunked-send", "chunk", chunks)):
        at, value = (*route, key), (send[key] + 1) % size
        yield Change(kind, at, str(send[key]), str(value), at, _put(value))
    yield _op(send, route)
    yield from _listed("send", send, route)


def _op(row: Values, route: Route) -> Change:
    at, op = (*route, "op"), str(row["op"])
    return Change("swapped-op", at, op, _OTHER_OP[op], at, _put(_OTHER_OP[op]))


def _listed(what: str, row: Values, route: Route) -> Iterator[Change]:
    """A row or send left out, and one that stands twice."""
    *parents, i = route
    text = _inline(row)
    for kind, rows in (("dropped", ()), ("doubled", (row, row))):
        after = "\n".join([text] * len(rows))
        yield Change(f"{kind}-{what}", route, text, after, tuple(parents),
                      _spliced(int(i), 1, rows))  # fmt: skip


def _lets(at: Values, route: Route, no_integers: Names, shifts: Shifts) -> Iterator[Change]:
    for name, value in at.get("let", {}).items():
        yield from _text(value, (*route, "let", name), "shift", no_integers, shifts)


def _loops(at: Values, route: Route, no_integers: Names, shifts: Shifts) -> Iterator[Change]:
    for name, items in at.get("for", {}).items():
        here = (*route, "for", name)
        for i, item in enumerate(items) if isinstance(items, list) else [(None, items)]:
            yield from _range(item, here if i is None else (*here, i), no_integers, shifts)


def _range(item: Any, route: Route, no_integers: Names, shifts: Shifts) -> Iterator[Change]:
    text = str(item)
    items = parse_items(text)
    ends = (items.lo, items.hi) if isinstance(items, Range) else (items,)
    for end in ends:
        if isinstance(end, Expr):
            for edit in edits(text, end.node, "range-off-by-one", no_integers, shifts):
                put = _put(edit.text)
                yield Change(edit.kind, route, text, edit.text, route, put, edit.amount)


def _text(
    value: Any, route: Route, kind: str, no_integers: Names, shifts: Shifts
) -> Iterator[Change]:
    if not isinstance(value, bool):
        text = str(value)
        for edit in edits(text, parse(text).node, kind, no_integers, shifts):
            yield Change(edit.kind, route, text, edit.text, route, _put(edit.text), edit.amount)


def _conditions(*tables: Values) -> Names:
    lets = {k: v for table in tables for k, v in table.get("let", {}).items()}
    return conditions(
        {k: constant(v) if type(v) is bool else parse(str(v)) for k, v in lets.items()}
    )


def _inline(row: Values) -> str:
    """A row as TOML writes it on one line."""
    pairs = (
        f"{key} = {_inline(value) if isinstance(value, dict) else json.dumps(value)}"
        for key, value in row.items()
    )
    return "{ " + ", ".join(pairs) + " }"


# ---- changed copies -----------------------------------------------------------------------------


def _changed(value: Any, route: Sequence[str | int], change: Callable[[Any], Any]) -> Any:
    """A copy of nested values with a change at a route; all other branches are shared."""
    if not route:
        return change(value)
    here, *rest = route
    copy = value.copy()
    copy[here] = _changed(value[here], rest, change)
    return copy


def _put(new: Any) -> Callable[[Any], Any]:
    return lambda old: new


def _with(key: str, value: Any, table: Values) -> Values:
    return {**table, key: value}


def _spliced(start: int, count: int, items: Sequence[Any]) -> Callable[[list[Any]], list[Any]]:
    return lambda old: [*old[:start], *items, *old[start + count :]]
