"""The catalogue: a collective is only a precondition and a postcondition, one entry each.

The conditions are written in the table language over a slot ``c``, a rank ``r`` and the rank ``k``
that a contribution comes from; ``owner`` is the rank the table names for chunk ``c``.  At the start
rank r's slot c holds its own contribution (r, c) where ``starts``; at the end, where ``ends``, it
holds exactly one contribution (k, ``chunk``) of every rank k with ``part``, and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ringproof.table.expr import Expr, parse


@dataclass(frozen=True, slots=True)
class Collective:
    """The five columns of one entry; ``c`` is always the slot that starts or ends with a value."""

    name: str
    starts: Expr
    ends: Expr
    part: Expr
    chunk: Expr
    chunks_per_rank: bool = False

    @property
    def takes_owner(self) -> bool:
        """Whether a table may say who owns which chunk."""
        return any("owner" in e.names() for e in (self.starts, self.ends, self.part))


def _entry(name: str, starts: str, ends: str, part: str, chunk: str = "c") -> Collective:
    return Collective(
        name, parse(starts), parse(ends), parse(part), parse(chunk), chunks_per_rank=chunk != "c"
    )


_BLOCK = "r * (chunks // N) + c % (chunks // N)"

COLLECTIVES: Mapping[str, Collective] = {
    entry.name: entry
    for entry in (
        _entry("all-reduce", starts="True", ends="True", part="True"),
        _entry("reduce-scatter", starts="True", ends="r == owner", part="True"),
        _entry("all-gather", starts="r == owner", ends="True", part="k == owner"),
        _entry("broadcast", starts="r == root", ends="True", part="k == root"),
        _entry("reduce", starts="True", ends="r == root", part="True"),
        _entry("scatter", starts="r == root", ends="r == owner", part="k == root"),
        _entry("gather", starts="r == owner", ends="r == root", part="k == owner"),
        _entry("all-to-all", starts="True", ends="True", part="k == c * N // chunks", chunk=_BLOCK),
    )
}
DEFAULT_OWNER = parse("c * N // chunks")
