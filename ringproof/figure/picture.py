"""A story becomes a scene that says what it shows: the one place where pictures are put together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ringproof.figure import layout, logged
from ringproof.figure.facts import facts_of, schedule_digest
from ringproof.figure.focus import Focus
from ringproof.figure.layout import Wanted
from ringproof.figure.scene import Scene
from ringproof.figure.story import Story

HEATED = ("matrix", "life", "matrix+life")


@dataclass(frozen=True, slots=True)
class Picture:
    """A scene, the layout it has, and why the layouts before it were passed over."""

    scene: Scene
    layout: str
    passed: tuple[tuple[str, str], ...]


def picture(
    story: Story, wanted: Wanted, texts: tuple[str, ...], version: str, focus: Focus | None
) -> Picture:
    """Draw a story; ``texts``: the table and those it uses; errors: `NotLegibleError`."""
    drawn = layout.draw(story, wanted, focus)
    metadata = told(story, drawn.layout, wanted.chunk, texts, version, focus)
    events, verdict = story.outcome.events, metadata["verdict"]
    title = f"{story.schedule.name}, {events.size}"
    said = f"{title}: {story.steps} steps, {len(events.step)} sends, {verdict}; {drawn.layout} layout."
    if focus:
        said += f" {focus.title}: {'; '.join(focus.sentences)}."
    order = "nodesfirst" if drawn.layout in HEATED else "edgesfirst"
    scene = Scene(wanted.width, drawn.height, drawn.ink, title, said, metadata, order)  # type: ignore[arg-type]
    return Picture(scene, drawn.layout, drawn.passed)


def told(
    story: Story, layout: str, chunk: int, texts: tuple[str, ...], version: str, focus: Focus | None
) -> dict[str, Any]:
    """What a picture says of itself, as metadata; the renderer seals it together with the ink."""
    events = story.outcome.events
    return {
        "tool": "ringproof", "version": version, "table": story.schedule.name, "N": story.ranks,
        "schedule": schedule_digest(texts), "params": dict(events.size.params),
        "verdict": "refuted" if focus else "proved", "layout": layout, "chunk": chunk,
        "chunks": story.chunks, "slots": story.slots, "steps": story.steps, "parts": story.parts,
        "waived": list(story.schedule.waive), "promise": promise(story),
        "finding": focus.title if focus else "", "sentences": list(focus.sentences) if focus else [],
        "runs": not (focus and focus.broken),
        "refutes": sorted(name for name, found in story.outcome.violations.items() if found),
        "phases": [[stage.name, stage.start, stage.stop] for stage in story.stages],
        "facts": facts_of(story, layout, chunk, focus).digest,
        **({"sends": logged.written(events)} if layout in HEATED else {}),
    }  # fmt: skip


def promise(story: Story) -> dict[str, Any]:
    """Who starts with what and who must end with what, for reading a picture back without its table."""
    contract = story.outcome.events.contract
    return {
        "collective": contract.collective,
        "starts": _rows(contract.starts), "ends": _rows(contract.ends), "part": _rows(contract.part),
        "chunk": "own" if story.uniform else contract.chunk.tolist(),
    }  # fmt: skip


def _rows(marks: np.ndarray[Any, np.dtype[Any]]) -> str | list[str]:
    """A table of yes and no, a hexadecimal number a row; `all` where every mark is set."""
    if marks.all():
        return "all"
    return [f"{int(''.join('1' if mark else '0' for mark in row), 2):x}" for row in marks.tolist()]
