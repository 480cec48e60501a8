"""What a cell holds: sums of contributions as terms, each kept once, with its exact multiset.

A term is a number.  Two additions of the same two terms are one term, in either order, for floating
point addition commutes and does not associate: equal terms are bit-identical results, equal multisets
are equal up to rounding.
"""

from __future__ import annotations

UNSET = 0
UNKNOWN = 1  # what a race leaves open
WIDTH = 64  # bits of one count
MOST = 1 << (WIDTH - 1)

# (chunk, counts, chunk, counts, ...) in ascending chunks; rank k's count stands at bit WIDTH * k.
Multiset = tuple[int, ...]


class Terms:
    """A growing table of terms; ``left`` and ``right`` are the terms that were added, or -1 of a leaf.

    ``multiset``: the contributions of every term, by their ranks and chunks.  Of a term that counts one
    contribution 2**63 times or more nothing is known but that it is none of the others.
    """

    def __init__(self) -> None:
        self.left = [-1, -1]
        self.right = [-1, -1]
        self.multiset: list[Multiset] = [(-1, 0), (-3, 0)]
        self.total = [0, 0]
        self.known: dict[tuple[int, int], int] = {}
        self.leaves: dict[tuple[int, int], int] = {}

    def leaf(self, rank: int, chunk: int) -> int:
        """Rank ``rank``'s own contribution to a chunk."""
        found = self.leaves.get((rank, chunk))
        if found is None:
            found = self.leaves[rank, chunk] = self._new(-1, -1, (chunk, 1 << (WIDTH * rank)), 1)
        return found

    def add(self, a: int, b: int) -> int:
        """The sum of two terms; anything plus what is unset or unknown is so too."""
        if a > b:
            a, b = b, a
        if a <= UNKNOWN:
            return a
        found = self.known.get((a, b))
        if found is None:
            total = min(self.total[a] + self.total[b], MOST)
            one, other = self.multiset[a], self.multiset[b]
            if total >= MOST:
                multiset: Multiset = (-2, len(self.left))
            elif len(one) == len(other) == 2 and one[0] == other[0]:
                multiset = (one[0], one[1] + other[1])
            else:
                multiset = _merged(one, other)
            found = self.known[a, b] = self._new(a, b, multiset, total)
        return found

    def _new(self, left: int, right: int, multiset: Multiset, total: int) -> int:
        self.left.append(left)
        self.right.append(right)
        self.multiset.append(multiset)
        self.total.append(total)
        return len(self.left) - 1


def _merged(one: Multiset, other: Multiset) -> Multiset:
    counts = dict(zip(one[::2], one[1::2], strict=True))
    for chunk, packed in zip(other[::2], other[1::2], strict=True):
        counts[chunk] = counts.get(chunk, 0) + packed
    return tuple(value for pair in sorted(counts.items()) for value in pair)


def contributions(multiset: Multiset) -> dict[tuple[int, int], int]:
    """A multiset spelled out: (rank, chunk) -> how often; nothing where it is unset or unknown."""
    found: dict[tuple[int, int], int] = {}
    if multiset and multiset[0] < 0:
        return found
    for chunk, packed in zip(multiset[::2], multiset[1::2], strict=True):
        rank = 0
        while packed:
            if count := packed & ((1 << WIDTH) - 1):
                found[rank, chunk] = count
            packed >>= WIDTH
            rank += 1
    return found
