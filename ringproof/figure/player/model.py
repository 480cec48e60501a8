"""A story as the player's script reads it: what every slot holds at the start, and every send after it.

The page counts nothing: contents, whether they are all that is promised, and the verdict come from here.
"""

from __future__ import annotations

from typing import Any

from ringproof.diagnose.lineage import wanted
from ringproof.figure import palette
from ringproof.figure.arrows import wraps
from ringproof.figure.focus import Focus
from ringproof.figure.player.words import ending, full, moving
from ringproof.figure.story import Cell, NotPlayableError, Story

MOST_RANKS, MOST_SLOTS, MOST_SENDS = 16, 64, 20_000


def playable(ranks: int) -> None:
    """Say before the work that no page shows so many ranks; errors: `NotPlayableError`."""
    if ranks > MOST_RANKS:
        raise NotPlayableError(
            f"a page shows at most {MOST_RANKS} ranks, not {ranks}: give a smaller -N, or draw an .svg"
        )


def model(story: Story, focus: Focus | None) -> dict[str, Any]:
    """Everything the page shows, as JSON takes it; errors: `NotPlayableError`.

    ``contents``: parts by rank, the colour's number, the label's slot, whether whole, further chunks;
    ``start``: the number of a content by cell (rank * slots + slot); ``sends``: by step, each (sender,
    slot read, receiver, slot written, adds, carries all that is promised, content then, seam).
    """
    playable(story.ranks)
    _small_enough(story)
    known: dict[tuple[Any, ...], int] = {}
    cells = [(0, rank, slot) for rank in range(story.ranks) for slot in range(story.slots)]
    start = [_number(story, cell, known) for cell in cells]
    seams = wraps(story.sends, story.ranks)
    sends: list[list[list[int]]] = [[] for _ in range(story.steps)]
    for s in story.sends:
        after = _number(story, (s.step + 1, s.receiver, s.into), known)
        seam = seams.get((s.step, s.sender, s.receiver), 0)
        sends[s.step].append(
            [s.sender, s.chunk, s.receiver, s.into, int(s.reduce), int(s.whole), after, seam]
        )
    return {
        "N": story.ranks, "slots": story.slots, "steps": story.steps, "parts": story.parts,
        "full": full(story),
        "names": [story.slot_name(slot) for slot in range(story.slots)],
        "phases": [{"name": s.name, "start": s.start, "stop": s.stop, "says": s.says} for s in story.stages],
        "contents": [[list(counts), color, chunk, int(whole), list(more)]
                     for counts, color, chunk, whole, more in known],
        "start": start, "sends": sends, "focus": _focus(story, focus),
        "said": [*(moving(story, step) for step in range(story.steps)), ending(story, *kept(story))],
    }  # fmt: skip


def kept(story: Story) -> tuple[int, int]:
    """How many promised slots end with exactly what is promised, and how many are promised."""
    ends = story.outcome.events.contract.ends
    promised = [(rank, slot) for rank in range(story.ranks) for slot in range(ends.shape[1])
                if ends[rank, slot]]  # fmt: skip
    held = story.held[story.steps]
    right = [wanted(story.outcome.events, cell) == story.lineage.contents(int(held[cell]))
             for cell in promised]  # fmt: skip
    return sum(right), len(promised)


def _small_enough(story: Story) -> None:
    if story.slots > MOST_SLOTS:
        raise NotPlayableError(f"a page shows at most {MOST_SLOTS} slots a rank, not {story.slots}")
    if len(story.sends) > MOST_SENDS or story.steps > MOST_SENDS:
        raise NotPlayableError(f"a page shows at most {MOST_SENDS} sends, not {len(story.sends)}")


def _number(story: Story, cell: Cell, known: dict[tuple[Any, ...], int]) -> int:
    """The number of what a slot holds, the same for the same contents."""
    content = story.content(cell)
    found = {c for _, c in story.lineage.contents(int(story.held[cell]))}
    more = tuple(sorted(found - {content.chunk}))
    color = content.chunk % len(palette.CHUNKS)
    return known.setdefault((content.counts, color, content.chunk, content.whole, more), len(known))


def _focus(story: Story, focus: Focus | None) -> dict[str, Any] | None:
    """The counterexample: where it is, what led to it, and the sentences."""
    if focus is None:
        return None
    starts = story.outcome.events.bounds.tolist()
    place = {s.event: [s.step, s.event - starts[s.step]] for s in story.sends}
    return {
        "title": focus.title, "sentences": list(focus.sentences), "tag": focus.tag,
        "at": place[focus.at] if focus.at is not None else None,
        "cell": list(focus.cell) if focus.cell else None,
        "events": [place[event] for event in sorted(focus.events)],
        "lines": [list(line) for line in focus.lines],
    }  # fmt: skip
