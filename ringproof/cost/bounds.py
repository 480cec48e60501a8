"""Lower bounds in closed form: what no schedule of a collective can do better.

Steps: with at most k partners a step each way, k + 1 times as many ranks know something after a step
as before it, so that news for M ranks takes ceil(log_(k + 1) M) steps (Bruck, Ho, Kipnis, Upfal and
Weathersby, IEEE TPDS 1997); k is what the table itself uses.  Traffic, for one port Chan, Heimlich,
Purkayastha and van de Geijn, Concurrency and Computation 2007: a part that another rank needs leaves
its rank at least once; sums of different chunks cannot be taken apart again, so that every chunk is
a message of its own; and 2(N - 1) messages a chunk are the fewest after which all ranks know of all
(Harary and Schwenk, one-way gossip, 1974).  The busiest rank has at least the mean.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ringproof.contract import Contract
from ringproof.cost.values import Bounds

Array = np.ndarray[Any, np.dtype[Any]]
ZERO, ONE = Fraction(0), Fraction(1)


@dataclass(frozen=True, slots=True)
class Needs:
    """What a promise asks for, whatever the schedule.

    One rank's part is needed by ``reach`` ranks, and one rank needs the parts of ``hear``, itself
    included.  ``sent`` and ``received`` by the busiest rank and the ``total``, in buffers (D).
    """

    reach: int
    hear: int
    sent: Fraction
    received: Fraction
    total: Fraction


@dataclass(frozen=True, slots=True)
class Shares:
    """N ranks, the root (0 if there is none) and which part of the buffer each rank owns.

    ``owned`` has a meaning only where the collective has owners; then the shares add up to 1.
    """

    N: int
    root: int
    owned: tuple[Fraction, ...]

    @property
    def mean(self) -> Fraction:
        """(N - 1)/N: what each of N ranks has of N - 1 buffers."""
        return Fraction(self.N - 1, self.N)

    @property
    def party(self) -> int:
        """The owners and, where some rank owns nothing, that rank."""
        return min(self.N, 1 + sum(share > 0 for share in self.owned))

    @property
    def largest(self) -> Fraction:
        """The largest share; with one rank nothing has to move."""
        return max(self.owned) if self.N > 1 else ZERO

    @property
    def others(self) -> tuple[Fraction, ...]:
        """The shares of all ranks but the root."""
        return self.owned[: self.root] + self.owned[self.root + 1 :]

    @property
    def involved(self) -> int:
        """The root and every other rank that owns something."""
        return 1 + sum(share > 0 for share in self.others)


def bounds(contract: Contract, ports: tuple[int, int]) -> Bounds | None:
    """The bounds for one promise and the most partners a step, out and in; None: none is known."""
    entry = NEEDS.get(contract.collective)
    if entry is None:
        return None
    needs = entry(shares(contract))
    steps, one_port = (
        max(ceil_log(needs.reach, out + 1), ceil_log(needs.hear, into + 1))
        for out, into in (ports, (1, 1))
    )
    return Bounds(steps, one_port, needs.sent, needs.received, needs.total)


def ceil_log(count: int, base: int) -> int:
    """The least number of steps of a factor ``base`` from 1 to at least ``count``."""
    steps, reached = 0, 1
    while reached < count:
        steps, reached = steps + 1, reached * max(base, 2)
    return steps


def shares(contract: Contract) -> Shares:
    """Who owns how much of the buffer, and who is the root, read off the promise itself."""
    N, chunks = contract.starts.shape
    by_end = contract.collective in ("reduce-scatter", "scatter")
    owned = (contract.ends if by_end else contract.starts).sum(axis=1).tolist()
    rooted = {"broadcast": contract.starts, "scatter": contract.starts,
              "reduce": contract.ends, "gather": contract.ends}  # fmt: skip
    root = _first(rooted[contract.collective]) if contract.collective in rooted else 0
    return Shares(N, root, tuple(Fraction(count, chunks) for count in owned))


def _first(holds: Array) -> int:
    """The first rank that has a slot at all."""
    return int(np.argmax(holds.any(axis=1)))


def _all_reduce(of: Shares) -> Needs:
    return Needs(of.N, of.N, 2 * of.mean, 2 * of.mean, Fraction(2 * (of.N - 1)))


def _reduce_scatter(of: Shares) -> Needs:
    """A rank sends on every chunk that it does not own, and receives every one that it owns."""
    leaves = 1 - min(of.owned)
    return Needs(of.party, of.N, leaves, max(of.mean, of.largest), Fraction(of.N - 1))


def _all_gather(of: Shares) -> Needs:
    """A rank receives every chunk that it does not own, and sends on every one that it owns."""
    comes = 1 - min(of.owned)
    return Needs(of.N, of.party, max(of.mean, of.largest), comes, Fraction(of.N - 1))


def _broadcast(of: Shares) -> Needs:
    whole = ONE if of.N > 1 else ZERO
    return Needs(of.N, min(of.N, 2), whole, whole, Fraction(of.N - 1))


def _reduce(of: Shares) -> Needs:
    whole = ONE if of.N > 1 else ZERO
    return Needs(min(of.N, 2), of.N, whole, whole, Fraction(of.N - 1))


def _scatter(of: Shares) -> Needs:
    leaves = sum(of.others, ZERO)
    return Needs(of.involved, 1, leaves, max(of.others, default=ZERO), leaves)


def _gather(of: Shares) -> Needs:
    comes = sum(of.others, ZERO)
    return Needs(1, of.involved, max(of.others, default=ZERO), comes, comes)


def _all_to_all(of: Shares) -> Needs:
    return Needs(of.N, of.N, of.mean, of.mean, Fraction(of.N - 1))


NEEDS: Mapping[str, Callable[[Shares], Needs]] = {
    "all-reduce": _all_reduce,
    "reduce-scatter": _reduce_scatter,
    "all-gather": _all_gather,
    "broadcast": _broadcast,
    "reduce": _reduce,
    "scatter": _scatter,
    "gather": _gather,
    "all-to-all": _all_to_all,
}
