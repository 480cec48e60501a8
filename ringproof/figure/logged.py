"""The sends of a picture that draws none of them one by one, short enough to be kept beside it.

A send is written as its difference to the one before: step, how far the receiver is from the sender, sender,
slot read, slot written, and whether it adds, all modulo how many there are.  What was written before is not
written again: ``63@1`` says that the last 1 difference follows 63 more times, ``8@4`` the last 4 twice.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from ringproof.events import Events
from ringproof.figure.reading import TooLargeError

Array = np.ndarray[Any, np.dtype[Any]]
Send = tuple[int, ...]  # step, sender, receiver, slot read, slot written, 1 where it is added
MOST_SENDS = 1 << 20
_LEAST = 3  # differences that are worth to be said as a repetition
_WORD = re.compile(r"(\d+)@(\d+)|(\d+(?:,\d+){5})")


def written(events: Events) -> str:
    """All sends in order; the same text for the same sends on every machine."""
    away = (events.receiver - events.sender) % events.ranks
    columns = (events.step, away, events.sender, events.chunk, events.into, events.reduce)
    rows = np.stack([column.astype(np.int64) for column in columns], axis=1)
    rows = rows[np.lexsort(rows.T[::-1])]
    moduli = np.array(_moduli(events.steps, events.ranks, events.slots))
    return " ".join(_words([tuple(row) for row in (np.diff(rows, axis=0, prepend=0) % moduli).tolist()]))


def _words(rows: list[Send]) -> list[str]:
    """The differences, with what was there before as a repetition."""
    words: list[str] = []
    latest: dict[tuple[Send, ...], int] = {}
    at = 0
    while at < len(rows):
        start = latest.get(tuple(rows[at : at + _LEAST]))
        count = 0
        while start is not None and at + count < len(rows) and rows[start + count] == rows[at + count]:
            count += 1
        words.append(f"{count}@{at - start}" if start is not None else ",".join(map(str, rows[at])))
        for i in range(at, at + max(count, 1)):
            latest[tuple(rows[i : i + _LEAST])] = i
        at += max(count, 1)
    return words


def sends(text: str, steps: int, ranks: int, slots: int) -> Array:
    """The sends that `written` wrote, int64 (E, 6) in order; errors: `ValueError`, `TooLargeError`."""
    moduli = _moduli(steps, ranks, slots)
    rows = np.zeros((_counted(text), len(moduli)), dtype=np.int64)
    done = 0
    for word in re.finditer(r"\S+", text):
        found = _WORD.fullmatch(word[0])
        if found is None:
            raise ValueError(f"not a list of sends: {word[0][:40]!r}")
        if found[3]:
            numbers = map(int, found[3].split(","))
            rows[done] = [number % modulus for number, modulus in zip(numbers, moduli, strict=True)]
            done += 1
            continue
        count, away = int(found[1]), int(found[2])
        if not 0 < away <= done:
            raise ValueError(f"a repetition of nothing: {word[0][:40]!r}")
        rows[done : done + count] = np.resize(rows[done - away : done], (count, len(moduli)))
        done += count
    at = np.cumsum(rows, axis=0) % moduli
    at[:, 1:3] = np.stack([at[:, 2], (at[:, 2] + at[:, 1]) % ranks], axis=1)
    return at[np.lexsort(at.T[::-1])]


def _counted(text: str) -> int:
    """How many sends a log lists, before any is made; errors: `ValueError`, `TooLargeError`."""
    total = 0
    for word in re.finditer(r"\S+", text):
        total += int(word[0].partition("@")[0]) if "@" in word[0] else 1
        if total > MOST_SENDS:
            raise TooLargeError(f"a list of more than {MOST_SENDS} sends: no picture has as many")
    return total


def _moduli(steps: int, ranks: int, slots: int) -> tuple[int, ...]:
    return max(steps, 1), ranks, ranks, max(slots, 1), max(slots, 1), 2
