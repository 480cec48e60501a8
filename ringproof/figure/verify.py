"""A picture read back: what its ink says is rebuilt, run again and compared with what the file says."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ringproof.figure import logged
from ringproof.figure.facts import SEAL, Facts, sealed
from ringproof.figure.ink import InkError, Shape, metadata_of, place_in, read_ink
from ringproof.figure.legibility import COVERED, illegible
from ringproof.figure.reading import TooLargeError, UnreadableError, lanes, slots
from ringproof.figure.reading_chart import misread
from ringproof.figure.reading_finding import misjudged
from ringproof.figure.reading_heat import fields
from ringproof.figure.reading_legend import mislabelled
from ringproof.figure.reading_phases import misnamed
from ringproof.figure.reading_sends import sends
from ringproof.figure.reading_strays import strays
from ringproof.figure.rerun import again, miscolored, misfilled, most, otherwise, stages

MOST_CELLS, MOST_STEPS = 1 << 25, 1 << 12  # cells as are in a ring of 256; steps that are never legible
MOST_METADATA = 8 << 20  # bytes


@dataclass(frozen=True, slots=True)
class Reading:
    """``wrong``: what does not agree, empty when all does; ``told``: what was read, in words.

    ``foreign``: why the file cannot be read as a picture of ringproof's at all, and ``place``, the line and
    column where that shows; ``arrows``: the kinds of send drawn.
    """

    wrong: tuple[str, ...]
    told: str = ""
    foreign: str = ""
    place: tuple[int, int] = (1, 1)
    arrows: frozenset[tuple[str, str]] = frozenset()
    metadata: Mapping[str, Any] = field(default_factory=dict)


def verify(text: str) -> Reading:
    """Read a picture back; whatever is wrong with it is in the result, never an exception."""
    try:
        if not text.startswith("<svg "):
            raise InkError("not an SVG as ringproof writes it: it does not begin with <svg")
        metadata = json.loads(metadata_of(text, MOST_METADATA))
        if metadata["tool"] != "ringproof":
            raise KeyError("tool")
    except InkError as error:
        return Reading((str(error),), foreign=str(error), place=error.place)
    except (KeyError, TypeError, ValueError, RecursionError):
        why = "it has no metadata that ringproof writes"
        return Reading((why,), foreign=why, place=place_in(text, text.find("<metadata")))
    try:
        wrong = list(_sealed(text, metadata))
        if metadata["layout"] == "cost":
            wrong += misread(text, metadata)
            return Reading(tuple(wrong), f"{len(metadata['curves'])} curves read back", metadata=metadata)
        told: list[str] = []
        arrows: set[tuple[str, str]] = set()
        drawing = read_ink(text)
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
            arrows |= found.arrows
        wrong += mislabelled(ink, frozenset(arrows))
        wrong += [f"the words {found.text!r} are covered" for found in illegible(drawing)
                  if found.why == COVERED]  # fmt: skip
    except TooLargeError as error:
        return Reading((str(error),), foreign=str(error), place=place_in(text, text.find("<metadata")))
    except (InkError, UnreadableError) as error:
        return Reading((str(error),))
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        return Reading((f"no metadata that ringproof writes: {error!r}",))
    return Reading(tuple(wrong), "; ".join(told), metadata=metadata)


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
        inside = [s for s in shapes if s.box[0] < right + 1 and s.box[2] > left - 1
                  and s.box[1] < bottom + 1 and s.box[3] > top - 1]  # fmt: skip
        panels.append((panel, inside))
    return panels


def _panel(metadata: Mapping[str, Any], shapes: Sequence[Shape]) -> Reading:
    _fitting(metadata)
    name = f"{metadata['table']}, N = {metadata['N']}"
    return (_lanes if metadata["layout"] in ("token", "vector") else _fields)(name, metadata, shapes)


def _fitting(metadata: Mapping[str, Any]) -> None:
    """Sizes that a picture can have, before anything is made of them; errors: as `verify` tells them."""
    sizes = [metadata[key] for key in ("N", "slots", "steps", "chunks", "chunk", "parts")]
    if not all(type(size) is int and 0 <= size < MOST_CELLS for size in sizes):
        raise ValueError("a size that is none")
    numbers = all(type(value) is int for value in metadata["params"].values())
    if not numbers or type(metadata["version"]) is not str:
        raise ValueError("parameters or a version that are none")
    ranks, slots, steps, chunks, _, parts = sizes
    if parts > ranks:
        raise ValueError("more parts than ranks")
    if ranks * max(slots, chunks, 1) * max(ranks, steps + 1) > MOST_CELLS or steps > MOST_STEPS:
        raise TooLargeError(f"sizes larger than any picture's: N = {ranks}, {slots} slots, {steps} steps")
    for _, start, stop in metadata["phases"]:
        if not type(start) is type(stop) is int or not 0 <= start <= stop <= MOST_STEPS:
            raise ValueError("a phase of more steps than any")


def _lanes(name: str, metadata: Mapping[str, Any], shapes: Sequence[Shape]) -> Reading:
    """Sends and slots by themselves: everything is in the ink."""
    page = lanes(shapes)
    if len(page.ranks) != metadata["N"] or len(page.steps) != metadata["steps"]:
        return Reading((f"{len(page.ranks)} ranks and {len(page.steps)} steps are drawn",))
    boxes = slots(shapes, page, metadata["chunks"])
    strays(shapes, page, boxes)
    found = sends(shapes, page, boxes, metadata["chunks"])
    facts = Facts(tuple(found), tuple((b.state, b.rank, b.slot, b.counts) for b in boxes))
    wrong = [] if facts.digest == metadata["facts"] else ["sends and slots say something else than was drawn"]
    single = [(step, sender, receiver, chunk, into, int(op == "reduce"))
              for step, sender, receiver, read, written, op, _ in found
              for chunk, into in zip(read, written, strict=True)]  # fmt: skip
    run = again(metadata, single)
    if metadata["runs"]:
        wrong += misfilled(run, boxes, metadata["verdict"] == "proved")
    wrong += [*otherwise(run, metadata),
              *misnamed(shapes, stages(run, metadata["phases"]), page.steps, page.top, _words(shapes)),
              *misjudged(run, metadata, shapes, boxes)]  # fmt: skip
    kinds = frozenset((send[5], send[6]) for send in found)
    return Reading(tuple(wrong), f"{name}: {len(single)} sends and {len(boxes)} slots read back, run again: "
                   f"{metadata['verdict']}", arrows=kinds)  # fmt: skip


def _words(shapes: Sequence[Shape]) -> str:
    return "".join(shape.text for shape in shapes if shape.kind == "text")


def _fields(name: str, metadata: Mapping[str, Any], shapes: Sequence[Shape]) -> Reading:
    """Cells: what is sent when and what is held when, compared with the sends that the file lists."""
    found = fields(shapes, metadata)
    cells = tuple((one.name, *cell) for one in found for cell in one.cells)
    wrong = [] if Facts(fields=cells).digest == metadata["facts"] else [
        "the cells say something else than was drawn"]  # fmt: skip
    sizes = metadata["steps"], metadata["N"], metadata["slots"]
    run = again(metadata, logged.sends(metadata["sends"], *sizes))
    chunk, chunks, several = metadata["chunk"], metadata["chunks"], max(most(run), 1)
    wrong += [*miscolored(run, cells, chunk, metadata["parts"]), *otherwise(run, metadata),
              *misjudged(run, metadata, shapes)]  # fmt: skip
    for one in found:
        slot = chunk if one.name == "life" else metadata["slots"] - 1
        if one.slot != (f"c{slot}" if slot < chunks else f"t{slot - chunks}"):
            wrong.append(f"the legend of the {one.name} says {one.slot}")
        if one.name == "matrix" and one.several != several:
            wrong.append(f"the legend says that up to {one.several} chunks are sent at once, not {several}")
        steps = one.columns[1:] if one.name == "life" else one.columns
        here = [s for s in shapes if one.columns[0] - 60 < s.middle[0] < one.columns[-1] + 20]
        wrong += misnamed(here, stages(run, metadata["phases"]), steps, one.top, _words(shapes))
    count = len(run.outcome.events.step)
    return Reading(tuple(wrong), f"{name}: {len(cells)} cells read back and compared with {count} sends, "
                   f"run again: {metadata['verdict']}")  # fmt: skip
