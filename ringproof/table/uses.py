"""A phase that uses another table: which file, over which groups of ranks, into which chunks."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from ringproof.table.expr import Expr, constant
from ringproof.table.fields import Fields
from ringproof.table.schedule import Schedule, Use
from ringproof.table.scope import KEYS, REQUIRED, Scope
from ringproof.table.source import read
from ringproof.verdict import Finding, Label, Place, Spot, TableError, Used

if TYPE_CHECKING:
    from ringproof.table.reader import Reader

_ZERO = constant(0)
USED_HERE = "used here"


def read_use(reader: Reader, at: Fields, scope: Scope, let: Mapping[str, Expr]) -> Use | None:
    """The `use` of one phase; mistakes are reported where they stand, in either file."""
    at.only(KEYS["use"], REQUIRED["use"], what="this phase")
    sizes = scope.within({}, let)
    ranks = sizes.within({"r": "integer"}, {})
    for_table = at.table("for")
    reader.names_ok(for_table, sizes.known())
    places = dict.fromkeys(("group", "c", *for_table.keys()), "integer")
    if "group" in sizes.known():
        title = "`group` is the number of a group here, and also a name of this table; rename that"
        reader.report.add("RP110", title, at.route_of("chunk"))
    slots = sizes.within(places, {})  # type: ignore[arg-type]
    group, rank = (reader.expr(at, key, ranks, "integer", _ZERO) for key in ("group", "rank"))
    when = reader.expr(at, "when", ranks, "condition", constant(True))
    chunk = reader.expr(at, "chunk", slots, "integer", _ZERO)
    loops = reader.loops(for_table, slots)
    schedule = _used(reader, at)
    if schedule is None:
        return None
    params = _params(reader, at.table("params"), schedule, sizes)
    return Use(at.route, schedule, group, rank, when, chunk, loops, params, slots.names)


def _params(reader: Reader, at: Fields, schedule: Schedule, scope: Scope) -> dict[str, Expr]:
    names = [loop.name for loop in schedule.params]
    for key in at.unknown(names):
        at.misspelt("RP101", key, names or ["none"], "parameter of the used table")
    for name in names:
        if name not in at:
            title = f"the used table has a parameter `{name}`; `params` must say which value"
            at.missing(name, title)
    return {name: reader.expr(at, name, scope, "integer", _ZERO) for name in names}


def _used(reader: Reader, at: Fields) -> Schedule | None:
    """Read the used table, its routes within this one."""
    name, route = at.text("use"), at.route_of("use")
    if not name:
        return None
    path = os.path.join(os.path.dirname(reader.path), name)
    if "\0" in name or (os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)):
        reader.report.add("RP116", f"cannot use `{name}`: it is no file", route)  # opening a pipe may wait
        return None
    chain = (*reader.chain, os.path.realpath(reader.path))
    if os.path.realpath(path) in chain:
        again = [os.path.basename(p) for p in (*chain, path)]
        reader.report.add("RP116", f"a table cannot use itself: {' -> '.join(again)}", route)
        return None
    try:
        source = read(path)
    except TableError as error:
        reader.report.add("RP116", f"cannot use `{name}`: {_first(error, path)}", route)
        return None
    told = len(reader.report.findings)
    schedule = reader.nested(path, chain).table(Fields(route, source.values, reader.report))
    reader.used.insert(0, Used(route, source.path, source.text))
    found = reader.report.findings
    found[told:] = [_from_here(finding, Label(Place(route), USED_HERE)) for finding in found[told:]]
    return schedule if len(found) == told else None


def _from_here(finding: Finding, label: Label) -> Finding:
    return replace(finding, related=(*finding.related, label))


def _first(error: TableError, path: str) -> str:
    """The first thing wrong with a file that is no table, with its place."""
    finding = error.findings[0]
    where = ""
    if finding.primary and isinstance(finding.primary.place, Spot):
        where = f" ({path}:{finding.primary.place.line}:{finding.primary.place.column})"
    return f"{finding.title}{where}"
