"""The lead figure: two tables as circles, which look the same, and unrolled in time, which do not."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from ringproof.figure import circle, legend, palette
from ringproof.figure import grid as grids
from ringproof.figure.grid import NotLegibleError
from ringproof.figure.layout import SIDE_BY_SIDE, Wanted, boxes_in, flowing
from ringproof.figure.lettering import ascii_of, width_of, wrapped
from ringproof.figure.marks import height_of, note
from ringproof.figure.picture import Picture, told
from ringproof.figure.prepare import CannotDrawError, Params, Prepared, either
from ringproof.figure.scene import Ink, Scene, Text, bold, moved, regular
from ringproof.figure.token import panel as token_panel
from ringproof.figure.vector import panel as vector_panel

_GUTTER = 16.0
_MAKERS = {"token": token_panel, "vector": vector_panel}


def compared(asked: Sequence[tuple[str, int, Params]], wanted: Wanted, version: str) -> Picture:
    """Both tables in one picture, each as it is; errors: as `prepare.either`, and `NotLegibleError`."""
    both = [either(path, N, params) for path, N, params in asked]
    broken = [found for found in both if found.focus and found.focus.broken]
    if broken:
        raise CannotDrawError("--compare needs tables that run: draw this one with --counterexample")
    if wanted.layout not in ("auto", "token", "vector"):
        raise CannotDrawError("--compare draws token or vector")
    beside = wanted.width >= SIDE_BY_SIDE
    width = (wanted.width - _GUTTER) / 2 if beside else wanted.width
    same = circle.pairs(both[0].story) == circle.pairs(both[1].story)
    circles = "the same picture" if same else "other pairs"
    titles = [wrapped(f"({letter}) {ascii_of(found.story.schedule.name)}", palette.LABEL, width * 0.92)
              for found, letter in zip(both, "ab", strict=True)]  # fmt: skip
    drop = max(_drop(lines, found.story.ranks, width) for lines, found in zip(titles, both, strict=True))
    passed: list[tuple[str, str]] = []
    for name in ("token", "vector") if wanted.layout == "auto" else (wanted.layout,):
        try:
            lane = max(_MAKERS[name](found.story, width, found.focus)[1].lane for found in both)
            panels = [_panel(found, (name, width, lane), (lines, circles), drop)
                      for found, lines in zip(both, titles, strict=True)]  # fmt: skip
            break
        except NotLegibleError as error:
            passed.append((name, str(error)))
    else:
        raise NotLegibleError("; ".join(f"{name}: {why}" for name, why in passed))
    dx, dy = (width + _GUTTER, 0.0) if beside else (0.0, height_of(panels[0]) + 8)
    ink = [moved(part, 0, 0, "a_") for part in panels[0]]
    ink += [moved(part, dx, dy, "b_") for part in panels[1]]
    regions = [(0.0, 0.0, width, height_of(panels[0])), (dx, dy, dx + width, dy + height_of(panels[1]))]
    if wanted.legend == "on":
        found = [entry for prepared, panel in zip(both, panels, strict=True)
                 for entry in legend.entries(prepared.story, boxes_in(panel))]  # fmt: skip
        unique = list({entry.words: entry for entry in found}.values())
        ink += legend.placed(unique, 1.0, height_of(ink) + 4, wanted.width - 2)
    return Picture(_scene(both, ink, wanted, name, version, regions), name, tuple(passed))


def _drop(titles: Sequence[str], ranks: int, width: float) -> float:
    """How far below the first title the top of the circle stays, so that no title touches it."""
    widest = max(width_of(line, "bold", palette.LABEL) for line in titles)
    crowded = widest > width / 2 - circle.DISC or circle.radius(ranks) > circle.LEAST + 5
    return 8.6 * (len(titles) - 1) + (11.5 if crowded else 4)


def _panel(
    found: Prepared, page: tuple[str, float, float], words: tuple[Sequence[str], str], drop: float
) -> list[Ink]:
    """Title, circle, unrolled schedule and verdict of one table; ``page``: layout, width and lane."""
    name, width, lane = page
    titles, circles = words
    story, focus = found.story, found.focus
    ink: list[Ink] = [
        Text(1, 7.6 + 8.6 * number, bold(line), kind="heading") for number, line in enumerate(titles)
    ]
    far = circle.radius(story.ranks)
    middle = drop + far + circle.DISC
    ink += circle.circle(story, width / 2 + 8, middle)
    beside = width / 2 + 8 + far + circle.DISC + 6
    if beside + width_of(circles, "regular", palette.SMALL) <= width:
        for line, text in enumerate(("as a circle:", circles)):
            ink.append(Text(beside, middle - 2 + 8.6 * line, regular(text), "left", palette.SMALL,
                            palette.QUIET, kind="circle"))  # fmt: skip
    drawn, grid = _MAKERS[name](story, width, focus, lane)
    below = middle + far + circle.DISC + 5
    ink += [moved(part, 0, below) for part in drawn]
    y = below + grid.bottom + 3.5
    key = grids.key(story.stages, grids.rooms(story, grid))
    if key:
        ink += flowing(key, 1.0, y, width - 2)
        y = height_of(ink) + 2.5
    if focus:
        return ink + note(focus.title, focus.sentences, palette.VIOLATION, 0.5, y, width - 2)
    return ink + note("Proved", _proved(found), palette.BLACK, 0.5, y, width - 2)


def _proved(found: Prepared) -> tuple[str, ...]:
    """What was proved, with counts from the executed events."""
    story = found.story
    contract = story.outcome.events.contract
    parts = contract.part.sum(axis=0)[contract.ends.any(axis=0)]
    every = bool(contract.ends.all()) and story.uniform
    first = f"{contract.collective}: every promised slot ends with exactly what it is promised"
    if every and parts.size and parts.min() == parts.max() == story.ranks:
        first = f"every rank ends with every chunk, each of the {story.ranks} parts exactly once"
    moving = int(story.outcome.events.message.sum())
    return first, f"{story.steps} steps, {moving} sends"


def _scene(
    both: Sequence[Prepared], ink: list[Ink], wanted: Wanted, layout: str, version: str,
    regions: Sequence[tuple[float, float, float, float]],
) -> Scene:  # fmt: skip
    names = [found.story.schedule.name for found in both]
    sizes = [str(found.story.outcome.events.size) for found in both]
    verdicts = ["refuted" if found.focus else "proved" for found in both]
    title = " and ".join(f"{name}, {size}" for name, size in zip(names, sizes, strict=True))
    panels = [told(found.story, layout, 0, found.texts, version, found.focus) for found in both]
    for panel, region in zip(panels, regions, strict=True):
        panel["region"] = [round(edge, 2) for edge in region]
    metadata = {"tool": "ringproof", "version": version, "layout": "compare", "panels": panels}
    said = f"Compared: {title}; {' and '.join(verdicts)}."
    return Scene(wanted.width, float(ceil(height_of(ink) + 2)), tuple(ink), title, said, metadata)
