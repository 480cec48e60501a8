"""What a proof for every N says, as frozen values, and the entry to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ringproof.verdict import Invariant, Proved, Size, Undecided


@dataclass(frozen=True, slots=True)
class Refuted:
    """It fails at this size: replayed."""

    size: Size


__all__ = ["EveryN", "Invariant", "Proved", "Refuted", "Undecided", "Verdict"]
Verdict = Proved | Refuted | Undecided


@dataclass(frozen=True, slots=True)
class EveryN:
    """The outcome for one table.

    ``verdict`` is about all its properties and claims together; ``properties`` and ``claims`` say
    it of each (claims in the order of the table).  ``sizes``: the sizes spoken of, in words.
    ``guesses`` are what a certificate needs to build the obligations again.
    """

    verdict: Verdict
    sizes: str
    properties: Mapping[str, Verdict] = field(default_factory=dict)
    claims: tuple[Verdict, ...] = ()
    invariants: tuple[Invariant, ...] = ()
    seconds: float = 0.0
    guesses: tuple[object, ...] = ()
