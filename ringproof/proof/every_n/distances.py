"""How far two places are apart, and how many strides of the table fit between them; not trusted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ringproof.proof.every_n.nodes import name, node
from ringproof.table.expr import Node


def distances(
    factors: Iterable[Node], numbers: Iterable[Node], chunks: list[Node], ranks: list[Node]
) -> Iterator[Node]:
    """Chunks from ranks, going around; and distances among ``numbers`` in powers among ``factors``."""
    N = name("N")
    yield from (node("%", node("-", q, x), N) for q in chunks for x in ranks)
    apart = [n for n in numbers if n.op == "%" and n.args[1] == N and n.args[0].op == "-"]
    strides = [p for p in factors if p.op == "**"]
    yield from (node(op, d, p) for d in apart for p in strides for op in ("//", "%"))
