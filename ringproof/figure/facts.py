"""What a picture says, as plain lists: made from the story when it is drawn, from the ink when it is read.

The digest of these facts, and a seal over all that a file says of itself, are its metadata.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ringproof.figure.focus import Focus
from ringproof.figure.shades import held_as, lowest_sent, sent_as, shades
from ringproof.figure.story import Content, Story
from ringproof.figure.token import shown_in

SEAL = "seal"


@dataclass(frozen=True, slots=True)
class Facts:
    """``sends``: (step, sender, receiver, slots read, slots written, op, line); ``slots``: (state, rank,
    slot, how often each rank's part is in it, 2 for more than once; nothing where a box is solid);
    ``fields``: (field, row, column, colour as a number or -1).
    """

    sends: tuple[tuple[int, int, int, tuple[int, ...], tuple[int, ...], str, str], ...] = ()
    slots: tuple[tuple[int, int, int, tuple[int, ...]], ...] = ()
    fields: tuple[tuple[str, int, int, int], ...] = ()

    @property
    def digest(self) -> str:
        """SHA-256 of the facts in order."""
        return digest([sorted(self.sends), sorted(self.slots), sorted(self.fields)])


def digest(value: Any) -> str:
    """SHA-256 of a value's JSON."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def sealed(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Metadata with a seal over all the rest of it."""
    rest = {key: value for key, value in metadata.items() if key != SEAL}
    return {**rest, SEAL: digest(rest)}


def facts_of(story: Story, layout: str, chunk: int, focus: Focus | None = None) -> Facts:
    """What a picture of this story says in some layout."""
    if layout in ("token", "vector", "player"):
        sends = tuple(
            (*m.key, m.chunks, m.into, "reduce" if m.reduce else "copy", "double" if m.whole else "single")
            for m in story.messages()
        )
        return Facts(sends, _slots(story, layout, focus))
    fields: list[tuple[str, int, int, int]] = []
    if layout in ("matrix", "matrix+life"):
        sent, says = lowest_sent(story.outcome.events), sent_as(story.slots)
        fields += [("matrix", rank, step, says(int(sent[step, rank])))
                   for rank in range(story.ranks) for step in range(story.steps)]  # fmt: skip
    if layout in ("life", "matrix+life"):
        held, says = shades(story.content, story.held, chunk), held_as(story.parts)
        fields += [("life", rank, state, says(held[state][rank]))
                   for rank in range(story.ranks) for state in range(story.steps + 1)]  # fmt: skip
    return Facts(fields=tuple(fields))


def _slots(
    story: Story, layout: str, focus: Focus | None
) -> tuple[tuple[int, int, int, tuple[int, ...]], ...]:
    if layout == "token":
        cells = [(state, rank, slot) for (state, rank), slots in shown_in(story, focus).items()
                 for slot in slots]  # fmt: skip
    else:
        cells = [(state, rank, slot) for state in range(story.steps + 1) for rank in range(story.ranks)
                 for slot in range(story.slots)]  # fmt: skip
    return tuple((*cell, held(story, cell, focus)) for cell in cells)


def held(story: Story, cell: tuple[int, int, int], focus: Focus | None) -> tuple[int, ...]:
    """How often each part is in a slot, as its strip says it; nothing for a solid box."""
    return strip(story.content(cell), focus is None)


def strip(content: Content, plain: object) -> tuple[int, ...]:
    """How often each part is in a slot, 2 for more than once; nothing for a solid box."""
    if content.whole and plain:
        return ()
    return tuple(min(times, 2) for times in content.counts)


def schedule_digest(texts: Sequence[str]) -> str:
    """SHA-256 of a table's text and of those it uses."""
    return hashlib.sha256("\0".join(texts).encode("utf-8")).hexdigest()
