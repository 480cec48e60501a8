"""What names need in the end: cycles among them, and how much they stand for when written out."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from ringproof.table.expr import Expr, Node, unread, walk
from ringproof.table.findings import Findings
from ringproof.table.misread import cut
from ringproof.verdict import Label, Place

MOST_OPERATIONS = 10_000
DEEPEST = 150
Graph = Mapping[str, Collection[str]]
Extent = tuple[int, int]  # operations, and how deep they nest


def cycles(graph: Graph) -> Iterator[list[str]]:
    """Chains of names that lead back to their first; every name that needs itself can be cut by them.

    An edge leads from a name to what it needs; edges out of the graph are ignored.
    """
    done: set[str] = set()
    for start in graph:
        trail: dict[str, Iterator[str]] = {}
        if start not in done:
            trail[start] = iter(sorted(graph[start]))
        while trail:
            here = next(reversed(trail))
            step = next((n for n in trail[here] if n in graph and n not in done), None)
            if step is None:
                done.add(here)
                del trail[here]
            elif step in trail:
                chain = list(trail)
                yield chain[chain.index(step) :]
            else:
                trail[step] = iter(sorted(graph[step]))


def in_order(graph: Graph) -> list[str]:
    """The names of a graph without cycles, each after those it needs."""
    ordered: dict[str, None] = {}
    for start in graph:
        trail = [start]
        while trail:
            here = trail[-1]
            waiting = [n for n in sorted(graph[here]) if n in graph and n not in ordered]
            if here in ordered or not waiting:
                ordered[here] = None
                trail.pop()
            else:
                trail += waiting
    return list(ordered)


def extent(expr: Expr, known: Mapping[str, Extent]) -> Extent:
    """How much an expression stands for when every name is written out, given that of its names."""

    def measure(node: Node) -> Extent:
        if node.op == "name":
            return known.get(str(node.value), (1, 1))
        parts = [measure(arg) for arg in node.args]
        return 1 + sum(p[0] for p in parts), 1 + max((p[1] for p in parts), default=0)

    return measure(expr.node)


def too_much(found: Extent) -> str:
    """Why an expression cannot be worked with, or nothing."""
    operations, depth = found
    if operations > MOST_OPERATIONS:
        return f"with its names written out this has over {MOST_OPERATIONS} operations"
    if depth > DEEPEST:
        return f"with its names written out this nests deeper than {DEEPEST} levels"
    return ""


def settle(
    names: Mapping[str, Expr], given: Collection[str], known: Mapping[str, Extent], report: Findings
) -> tuple[dict[str, Expr], dict[str, Extent]]:
    """Names that can be worked with, and how much each stands for; the others are reported.

    What stands in for those fits everywhere, so that a slip is told once.
    """
    settled, extents = dict(names), dict(known)
    for chain in cycles(_graph(settled, given)):
        if all(names[name] is settled[name] for name in chain):
            _circular(chain, names, report)
        settled |= {name: unread(names[name].text, names[name].route) for name in chain}
    told = False
    for name in in_order(_graph(settled, given)):
        expr = settled[name]
        extents[name] = extent(expr, extents)
        if reason := too_much(extents[name]):
            if not told:
                report.add("RP113", reason, expr.route, "a proof reads every name written out; shorten it")
            told = True
            settled[name], extents[name] = unread(expr.text, expr.route), (1, 1)
    return settled, extents


def _graph(names: Mapping[str, Expr], given: Collection[str]) -> dict[str, frozenset[str]]:
    return {name: expr.names() for name, expr in names.items() if name not in given}


def _circular(chain: list[str], names: Mapping[str, Expr], report: Findings) -> None:
    """Tell a cycle at the place of every link."""
    labels = []
    for name, following in zip(chain, [*chain[1:], chain[0]], strict=True):
        expr = names[name]
        uses = next(n for n in walk(expr.node) if n.op == "name" and n.value == following)
        place = Place(expr.route, uses.start, uses.end)
        labels.append(Label(place, f"`{cut(name)}` needs `{cut(following)}`"))
    title = "these names need each other: " + " -> ".join(map(cut, [*chain[:6], chain[0]]))
    if len(chain) == 1:
        title = f"`{cut(chain[0])}` needs itself"
    elif len(chain) > 6:
        title = f"{len(chain)} names need each other"
    first = labels[0]
    if isinstance(first.place, Place):
        part = (first.place.start or 0, first.place.end or 0)
        hint = "define one of them without the others" if len(chain) > 1 else "define it without itself"
        report.add("RP109", title, first.place.route, hint, first.text, part=part,
                   related=tuple(labels[1:4]))  # fmt: skip
