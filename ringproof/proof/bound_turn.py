"""Renaming ranks and chunks in a circle: which messages of a schedule are then the same one.

A turn is used in two ways.  In a *search* it narrows what is looked for to schedules that look the
same from every rank; that is a choice and can only fail to find.  In a *linear* question it loses
nothing: the mean of a solution over all turns is a solution that looks the same from every rank.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

EVERY = -1
Place = tuple[tuple[int, ...], int]


@dataclass(frozen=True, slots=True)
class Turn:
    """``ranks[r]`` is what r is renamed to, ``things[v]`` what item or chunk v is."""

    ranks: tuple[int, ...]
    things: tuple[int, ...]
    powers: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = field(init=False, repr=False)
    home: tuple[tuple[int, ...], ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Turn until all is back in place; and which of these turns take a rank to its circle's least."""
        powers = [(tuple(range(len(self.ranks))), tuple(range(len(self.things))))]
        while (last := (_after(powers[-1][0], self.ranks), _after(powers[-1][1], self.things))) != powers[0]:
            powers.append(last)
        least = [min(ranks[r] for ranks, _ in powers) for r in range(len(self.ranks))]
        home = (tuple(i for i, (ranks, _) in enumerate(powers) if ranks[r] == least[r])
                for r in range(len(self.ranks)))  # fmt: skip
        object.__setattr__(self, "powers", tuple(powers))
        object.__setattr__(self, "home", tuple(home))

    def first(self, ranks: tuple[int, ...], thing: int) -> Place:
        """The one place that stands for all that turning makes of a place: the least of them.

        ``thing`` is `EVERY` where the place has nothing to do with an item or chunk.
        """
        return min([self.turned(i, ranks, thing) for i in self.home[ranks[0]]])

    def turned(self, times: int, ranks: tuple[int, ...], thing: int) -> Place:
        """A place after so many turns."""
        to, things = self.powers[times]
        return tuple([to[r] for r in ranks]), thing if thing == EVERY else things[thing]

    def firsts(self) -> list[int]:
        """One rank of every circle: what is required of these is required of all."""
        return [r for r in range(len(self.ranks)) if self.first((r,), EVERY) == ((r,), EVERY)]


def _after(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(other[x] for x in one)


def still(ranks: int, things: int) -> Turn:
    """No renaming at all."""
    return Turn(tuple(range(ranks)), tuple(range(things)))


def rotation(ranks: int, things: Sequence[int]) -> Turn:
    """All ranks in one circle."""
    return Turn(tuple((r + 1) % ranks for r in range(ranks)), tuple(things))


def around(ranks: int, fixed: int, things: Sequence[int]) -> Turn:
    """All ranks but one in a circle."""
    others = [r for r in range(ranks) if r != fixed]
    to = dict(zip(others, others[1:] + others[:1], strict=True))
    return Turn(tuple(to.get(r, r) for r in range(ranks)), tuple(things))


def matched(before: Sequence[Hashable], after: Sequence[Hashable]) -> tuple[int, ...] | None:
    """What to rename things to so that ``before[v]`` turned is that thing's own; None: impossible.

    ``after[v]`` is what becomes of ``before[v]`` when the ranks are renamed.
    """
    waiting: dict[Hashable, list[int]] = {}
    for v in range(len(before) - 1, -1, -1):
        waiting.setdefault(before[v], []).append(v)
    found = []
    for wanted in after:
        if not waiting.get(wanted):
            return None
        found.append(waiting[wanted].pop())
    return tuple(found)
