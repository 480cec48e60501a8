"""Features from rows whose variable says which block of slots they fill; not trusted.

Where a row writes ``tree * S + ...`` the slot c lies in block c // S, so what the row calls by a name
can be read for a rank and a slot.
"""

from __future__ import annotations

from ringproof.proof.every_n.model import Places
from ringproof.proof.every_n.nodes import inline, name, node, substitute, subtrees, uses
from ringproof.table.expr import Node
from ringproof.table.schedule import Phase, Row, Schedule


def blocks(schedule: Schedule, phase: Phase, places: Places) -> tuple[Node, ...]:
    """What rows have names for, of the rank and the slot at hand."""
    sizes = {"N", *(p.name for p in schedule.params)}
    found: dict[Node, None] = {}
    for row in phase.rows:
        loops = _loops(row, sizes, name(places.slot))
        at = {"r": name(places.rank), "s": name(places.step), **loops}
        kept = frozenset({"r", "s", *sizes, *(loop.name for loop in row.loops)})
        for expr in row.names.values() if loops else ():
            tree = inline(expr.node, row.names, kept)
            if uses(tree) & set(loops) and uses(tree) <= {"r", "s", *sizes, *loops}:
                found[substitute(tree, at)] = None
    return tuple(found)


def _loops(row: Row, sizes: set[str], slot: Node) -> dict[str, Node]:
    """Every variable that is multiplied by a size in the slot that a row fills."""
    kept = frozenset({"r", "s", *sizes, *(loop.name for loop in row.loops)})
    mine = {loop.name for loop in row.loops}
    found = {}
    for sub in subtrees(inline(row.into.node, row.names, kept)):
        for one, other in (sub.args, sub.args[::-1]) if sub.op == "*" else ():
            if one.op == "name" and one.value in mine and uses(other) and uses(other) <= sizes:
                found[str(one.value)] = node("//", slot, other)
    return found
