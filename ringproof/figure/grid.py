"""The page that token and vector share: lanes are ranks, columns are states, steps are the gaps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ringproof.figure import palette
from ringproof.figure.lettering import width_of
from ringproof.figure.scene import Band, Ink, Line, Runs, Text, bold, regular
from ringproof.figure.story import Stage, Story

EDGE = 1.0  # nothing stands nearer to the paper's edge
HEADER = 23.5  # from the top of the page to the first lane's upper edge
_DASH, _SPACE = 3.0, 2.0


class NotLegibleError(Exception):
    """A layout that does not fit; the message says why, in words that end a sentence."""


@dataclass(frozen=True, slots=True)
class Grid:
    """Where columns and lanes are, in points; ``box`` is the width of a box."""

    width: float
    left: float
    box: float
    columns: int
    lanes: int
    lane: float
    top: float

    @property
    def pitch(self) -> float:
        """From one state's middle to the next."""
        return (self.width - EDGE - self.left - self.box) / max(self.columns - 1, 1)

    @property
    def gap(self) -> float:
        """What is left between two columns for the sends."""
        return self.pitch - self.box

    @property
    def bottom(self) -> float:
        """The lower edge of the last lane."""
        return self.top + self.lanes * self.lane

    def x(self, state: int) -> float:
        """The middle of a column."""
        return self.left + self.box / 2 + state * self.pitch

    def y(self, rank: int) -> float:
        """The middle of a lane."""
        return self.top + (rank + 0.5) * self.lane


def grid(story: Story, width: float, box: float, lane: float, header: str = "step 0") -> Grid:
    """The grid of a story; errors: `NotLegibleError` when a step's number does not fit its gap."""
    left = width_of(f"rank {story.ranks - 1}", "regular", palette.LABEL) + 3 + EDGE
    made = Grid(width, left, box, story.steps + 1, story.ranks, lane, HEADER)
    widest = width_of(str(max(story.steps - 1, 0)), "regular", palette.SMALL)
    if made.pitch < widest + 2:
        raise NotLegibleError(f"{story.steps} steps are too many for {width:g} pt")
    return made


def backdrop(story: Story, grid: Grid) -> list[Ink]:
    """Header, bands and lanes, in painting order."""
    ink: list[Ink] = []
    for number, stage in enumerate(story.stages):
        left, right = span(stage, story, grid)
        if number % 2:
            ink.append(Band(left, grid.top, right - left, grid.bottom - grid.top, palette.BAND))
    for rank in range(grid.lanes):
        y = grid.y(rank)
        ink.append(Line(grid.x(0), y, grid.x(grid.columns - 1), y, palette.RULE, 0.5, kind="lane"))
        ink.append(Text(0.5 + EDGE, y + 2.4, regular(f"rank {rank}"), kind="rank"))
    return ink + header(story, grid) + _steps(story, grid)


def span(stage: Stage, story: Story, grid: Grid) -> tuple[float, float]:
    """The first and last x of a phase: from the middle of its first state to that of its last."""
    left = grid.left if stage.start == 0 else grid.x(stage.start)
    right = grid.width - EDGE if stage.stop == story.steps else grid.x(stage.stop)
    return left, right


def header(story: Story, grid: Grid) -> list[Ink]:
    """A rule and words over every phase."""
    ink: list[Ink] = []
    for stage, runs in zip(story.stages, titles(story.stages, rooms(story, grid)), strict=True):
        left, right = span(stage, story, grid)
        a = left if stage.start == 0 else left + 1.2
        b = right if stage.stop == story.steps else right - 1.2
        ink.append(Line(a, 10.3, b, 10.3, palette.BLACK, 0.7, kind="phase-rule"))
        ink.append(Text((a + b) / 2, 7.6, runs, "middle", kind="phase"))
    return ink


def rooms(story: Story, grid: Grid) -> list[float]:
    """How wide the words over each phase may be."""
    return [right - left - 3 for left, right in (span(s, story, grid) for s in story.stages)]


def titles(stages: Sequence[Stage], rooms: Sequence[float]) -> list[Runs]:
    """What stands over the phases: name and what its receivers do, the name alone, or a number."""
    for wording in (_full(stages), [bold(stage.name) for stage in stages]):
        widths = [sum(width_of(text, face, palette.LABEL) for text, face in runs) for runs in wording]
        if all(width <= room for width, room in zip(widths, rooms, strict=True)):
            return wording
    return [bold(str(number + 1)) for number in range(len(stages))]


def key(stages: Sequence[Stage], rooms: Sequence[float]) -> list[Runs]:
    """What the header had no room for, one entry a phase; empty when all of it stands there."""
    shown, full = titles(stages, rooms), _full(stages)
    if shown == full:
        return []
    numbered = shown != [bold(stage.name) for stage in stages]
    return [(*(bold(f"{number + 1} ") if numbered else ()), *runs) for number, runs in enumerate(full)]


def _full(stages: Sequence[Stage]) -> list[Runs]:
    return [(*bold(stage.name), *regular(f": {stage.says}")) for stage in stages]


def _steps(story: Story, grid: Grid) -> list[Ink]:
    """The number of every step, over its gap; the word `step` beside each, or once at the left."""
    widest = width_of(f"step {story.steps - 1}", "regular", palette.SMALL)
    worded = widest + 2 <= grid.pitch
    ink: list[Ink] = []
    if not worded:
        ink.append(_quiet(0.5 + EDGE, "step", "left"))
    for step in range(story.steps):
        middle = grid.x(step) + grid.pitch / 2
        ink.append(_quiet(middle, f"step {step}" if worded else str(step), "middle"))
    return ink


def _quiet(x: float, text: str, anchor: str) -> Text:
    return Text(x, 19.4, regular(text), "left" if anchor == "left" else "middle",
                palette.SMALL, palette.QUIET, kind="step")  # fmt: skip


def seams(grid: Grid) -> list[Ink]:
    """Two dashed lines: what leaves through the one re-enters through the other at the same x."""
    ink: list[Ink] = []
    for y in (grid.top, grid.bottom):
        x = grid.left - 2
        while x < grid.width - EDGE:
            end = min(x + _DASH, grid.width - EDGE)
            ink.append(Line(x, y, end, y, palette.SEAM, 0.5, kind="seam"))
            x += _DASH + _SPACE
    return ink
