"""The sends of a picture that draws none of them one by one, short enough to be kept beside it.

A send is written as its difference to the one before: step, how far the receiver is from the sender, sender,
slot read, slot written, and whether it adds, all modulo how many there are.  What was written before is not
written again: ``63@1`` says that the last 1 difference follows 63 more times, ``8@4`` the last 4 twice.
"""

from __future__ import annotations

import re

import numpy as np

from ringproof.events import Events

Send = tuple[int, ...]  # step, sender, receiver, slot read, slot written, 1 where it is added
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


def sends(text: str, steps: int, ranks: int, slots: int) -> list[Send]:
    """The sends that `written` wrote; errors: `ValueError`."""
    moduli, rows = _moduli(steps, ranks, slots), list[Send]()
    for word in text.split():
        found = _WORD.fullmatch(word)
        count = int(found[1] or 1) if found else 0
        if found is None or count + len(rows) > steps * ranks * ranks * max(slots, 1):
            raise ValueError(f"not a list of sends: {word!r}")
        if found[3]:
            rows.append(tuple(map(int, found[3].split(","))))
        elif not 0 < int(found[2]) <= len(rows):
            raise ValueError(f"a repetition of nothing: {word!r}")
        for _ in range(count if found[1] else 0):
            rows.append(rows[-int(found[2])])
    at, made = (0,) * len(moduli), []
    for row in rows:
        at = tuple((a + b) % m for a, b, m in zip(at, row, moduli, strict=True))
        made.append((at[0], at[2], (at[2] + at[1]) % ranks, *at[3:]))
    return sorted(made)


def _moduli(steps: int, ranks: int, slots: int) -> tuple[int, ...]:
    return max(steps, 1), ranks, ranks, max(slots, 1), max(slots, 1), 2
