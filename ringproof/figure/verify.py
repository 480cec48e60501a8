"""A picture read back: what its ink says is rebuilt, run again and compared with what the file says."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ringproof.contract import Contract
from ringproof.diagnose.lineage import Lineage
from ringproof.events import Events
from ringproof.figure.facts import SEAL, Facts, sealed, strip
from ringproof.figure.ink import InkError, Shape, read_ink
from ringproof.figure.reading import Slot, UnreadableError, lanes, slots
from ringproof.figure.reading_heat import fields
from ringproof.figure.reading_sends import sends
from ringproof.figure.story import content_of, states
from ringproof.simulate import Outcome, simulate
from ringproof.verdict import Size

RERUN = {"complete", "once", "no-resend", "defined"}  # what a picture's sends alone can refute


@dataclass(frozen=True, slots=True)
class Reading:
    """``wrong``: what does not agree, empty when all does; ``told``: what was read, in words."""

    wrong: tuple[str, ...]
    told: str = ""


def verify(text: str) -> Reading:
    """Read a picture back; whatever is wrong with it is in the result, never an exception."""
    try:
        drawing = read_ink(text)
        metadata = json.loads(drawing.metadata)
        wrong = list(_sealed(text, metadata))
        told: list[str] = []
        page = (0.0, 0.0, drawing.width, drawing.height)
        ink = [
            s
            for s in drawing.shapes
            if s.order or max(abs(a - b) for a, b in zip(s.box, page, strict=True)) > 0.1
        ]
        for panel, shapes in _panels(metadata, ink):
            found = _panel(panel, shapes)
            wrong += found.wrong
            told.append(found.told)
    except (InkError, UnreadableError) as error:
        return Reading((str(error),))
    except (KeyError, TypeError, ValueError) as error:
        return Reading((f"no metadata that ringproof writes: {error!r}",))
    return Reading(tuple(wrong), "; ".join(told))


def _sealed(text: str, metadata: Mapping[str, Any]) -> list[str]:
    """Whether the metadata are as they were written, and the ink below them too."""
    wrong = []
    if sealed(metadata)[SEAL] != metadata.get(SEAL):
        wrong.append("the metadata were changed: their seal is broken")
    body = text.partition("</metadata>\n")[2]
    if hashlib.sha256(body.encode("utf-8")).hexdigest() != metadata.get("ink"):
        wrong.append("the ink was changed after it was drawn: its digest differs")
    return wrong


def _panels(
    metadata: dict[str, Any], shapes: Sequence[Shape]
) -> list[tuple[dict[str, Any], list[Shape]]]:  # fmt: skip
    if metadata["layout"] != "compare":
        return [(metadata, list(shapes))]
    panels = []
    for panel in metadata["panels"]:
        left, top, right, bottom = panel["region"]
        inside = [s for s in shapes if left - 1 <= s.box[0] and s.box[2] <= right + 1
                  and top - 1 <= s.box[1] and s.box[3] <= bottom + 1]  # fmt: skip
        panels.append((panel, inside))
    return panels


def _panel(metadata: Mapping[str, Any], shapes: Sequence[Shape]) -> Reading:
    name = f"{metadata['table']}, N = {metadata['N']}"
    if metadata["layout"] not in ("token", "vector"):
        cells = fields(shapes, metadata["slots"], metadata["parts"])
        wrong = [] if Facts(fields=tuple(cells)).digest == metadata["facts"] else [
            "the cells say something else than was drawn"]  # fmt: skip
        return Reading(tuple(wrong), f"{name}: {len(cells)} cells; receivers are not in the picture")
    page = lanes(shapes)
    if len(page.ranks) != metadata["N"] or len(page.steps) != metadata["steps"]:
        return Reading((f"{len(page.ranks)} ranks and {len(page.steps)} steps are drawn",))
    boxes = slots(shapes, page, metadata["chunks"])
    found = sends(shapes, page, boxes, metadata["chunks"])
    facts = Facts(tuple(found), tuple((b.state, b.rank, b.slot, b.counts) for b in boxes))
    wrong = [] if facts.digest == metadata["facts"] else ["sends and slots say something else than was drawn"]
    wrong += _rerun(metadata, facts, boxes)
    count = sum(len(send[3]) for send in found)
    return Reading(tuple(wrong), f"{name}: {count} sends and {len(boxes)} slots read back, run again: "
                   f"{metadata['verdict']}")  # fmt: skip


def _rerun(metadata: Mapping[str, Any], facts: Facts, boxes: Sequence[Slot]) -> list[str]:
    """Run the sends again: every slot must hold what is drawn, and the verdict must come out."""
    outcome = simulate(_events(metadata, facts)) if metadata["runs"] else None
    if outcome is None:
        return [] if metadata["verdict"] == "refuted" else ["a schedule that cannot run is no proved one"]
    if outcome.trail is None:
        return ["the sends that are drawn cannot run"]
    wrong = list(_contents(outcome, boxes, metadata["verdict"] == "proved"))
    broken = {name for name, found in outcome.violations.items() if found} - set(metadata["waived"])
    if metadata["verdict"] == "proved" and broken:
        wrong.append(f"the sends that are drawn are not right: {', '.join(sorted(broken))}")
    if metadata["verdict"] == "refuted" and not broken and set(metadata["refutes"]) & RERUN:
        wrong.append("the sends that are drawn are right, and the picture says that they are refuted")
    return wrong


def _contents(outcome: Outcome, boxes: Sequence[Slot], plain: object) -> list[str]:
    lineage = Lineage(outcome)
    held = states(outcome, lineage)
    wrong = []
    for box in boxes:
        value = lineage.contents(int(held[box.state, box.rank, box.slot]))
        if strip(content_of(outcome, value, box.rank, box.slot), plain) != box.counts:
            wrong.append(f"slot {box.slot} of rank {box.rank} after {box.state} steps holds something else")
    return wrong[:5]


def _events(metadata: Mapping[str, Any], facts: Facts) -> Events:
    """The sends as events at one size."""
    rows = sorted((step, sender, receiver, chunk, into, op == "reduce")
                  for step, sender, receiver, read, written, op, _ in facts.sends
                  for chunk, into in zip(read, written, strict=True))  # fmt: skip
    columns = [np.array(column, dtype=np.int64) for column in zip(*rows, strict=True)] or [
        np.zeros(0, dtype=np.int64)] * 6  # fmt: skip
    step, sender, receiver, chunk, into, reduce = columns
    steps = metadata["steps"]
    return Events(
        Size(metadata["N"]), metadata["chunks"], metadata["slots"], steps, step, sender, receiver, chunk,
        into, reduce.astype(bool), step * 0, (("picture",),), np.searchsorted(step, np.arange(steps + 1)),
        (0,), _contract(metadata), (), (),
    )  # fmt: skip


def _contract(metadata: Mapping[str, Any]) -> Contract:
    promise, shape = metadata["promise"], (metadata["N"], metadata["chunks"])
    chunk = np.broadcast_to(np.arange(shape[1]), shape)
    if promise["chunk"] != "own":
        chunk = np.array(promise["chunk"], dtype=np.int64)
    starts, ends, part = (_marks(promise[key], shape) for key in ("starts", "ends", "part"))
    return Contract(promise["collective"], starts, ends, part, chunk)


def _marks(rows: str | list[str], shape: tuple[int, int]) -> np.ndarray[Any, np.dtype[Any]]:
    if rows == "all":
        return np.ones(shape, dtype=bool)
    return np.array([[mark == "1" for mark in f"{int(row, 16):0{shape[1]}b}"] for row in rows], dtype=bool)
