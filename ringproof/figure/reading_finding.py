"""The words below a drawing, compared with the file's claim and with its sends run again."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ringproof.figure import palette
from ringproof.figure.ink import Shape
from ringproof.figure.reading import Slot
from ringproof.figure.rerun import Again


def misjudged(
    run: Again, metadata: Mapping[str, Any], shapes: Sequence[Shape], boxes: Sequence[Slot] = ()
) -> Iterator[str]:
    """What the words say that is not so; ``boxes``: those of the drawing, where it has any."""
    texts = [s for s in shapes if s.kind == "text"]
    red = [s for s in shapes if palette.VIOLATION in (s.fill, s.stroke)]
    lines = " ".join(text.text for text in texts)
    if metadata["verdict"] == "proved" and (red or metadata["finding"]):
        yield "a proved schedule is drawn with a violation"
    if metadata["verdict"] == "refuted" and not metadata["finding"]:
        yield "refuted, and no finding says why"
    for sentence in (metadata["finding"], *metadata["sentences"]):
        if sentence and sentence not in lines:
            yield f"nowhere it says: {sentence}"
    moving = int(run.outcome.events.message.sum())
    for steps, sends in re.findall(r"(?<!\d)(\d+) steps, (\d+) sends", lines):
        if (int(steps), int(sends)) != (metadata["steps"], moving):
            yield f"it says {steps} steps and {sends} sends, and there are {metadata['steps']} and {moving}"
    if metadata["verdict"] == "refuted" and metadata["runs"]:
        yield from _tagged(texts, [s for s in red if s.kind == "rectangle" and not s.fill], boxes)


def _tagged(texts: Sequence[Shape], frames: Sequence[Shape], boxes: Sequence[Slot]) -> Iterator[str]:
    """Whether the tag at the framed box counts what is in it."""
    framed = [box for box in boxes for frame in frames
              if max(abs(p - q) for p, q in zip(box.box, frame.box, strict=True)) < 0.1]  # fmt: skip
    for text in texts if framed and framed[0].counts else ():
        counts = framed[0].counts
        tag, parts = re.match(r"(\d+)(?:/\d+$| of \d+ parts(?!.*belong))", text.text), sum(map(bool, counts))
        if tag and int(tag[1]) != parts:
            yield f"{text.text} stands at a box with {parts} parts"
        if re.fullmatch(r"x\d+", text.text) and max(counts) < 2:
            yield f"{text.text} stands at a box in which nothing is twice"
