"""The ring all-reduce as a film: every chunk on its way, and in every cell exactly which ranks' parts.

    cd figures/ring_allreduce && manim -qm scene.py RingAllReduce

Needs `pip install 'ringproof[render]'`, and on Debian, for manim:
    apt install build-essential pkg-config python3-dev libcairo2-dev libpango1.0-dev ffmpeg fonts-liberation

Ranks, sends and contents come from the table RING_TABLE (default: schedules/ring.toml) at RING_RANKS ranks
(default: 4; at most 5).  The table is proved, executed and checked when this file is imported: unless every
rank ends with the true sum the import fails, and there is no film.  Steps and bytes are counted from the
executed sends, of this table and of schedules/naive.toml, with which it is compared.  A cell's colour is its
chunk, its strip the ranks whose parts are in it; no colour looks at a value.
"""

from __future__ import annotations

import os
from math import cos, pi, sin
from pathlib import Path

from ringproof.figure import palette
from ringproof.figure.film import film
from ringproof.figure.story import Content, Sent

TABLES = Path(__file__).resolve().parents[2] / "schedules"
RANKS = int(os.environ.get("RING_RANKS", "4"))
if not 3 <= RANKS <= 5:
    raise ImportError(f"the film shows 3 to 5 ranks, not {RANKS}")
RING = film(os.environ.get("RING_TABLE", TABLES / "ring.toml"), RANKS)  # refuses what is not true
NAIVE = film(TABLES / "naive.toml", RANKS)
if RING.story.slots > 5:
    raise ImportError(f"the film shows at most 5 slots a rank, not {RING.story.slots}")

from manim import (  # noqa: E402  (nothing is drawn, nor manim loaded, before the check)
    DOWN,
    LEFT,
    ORIGIN,
    RIGHT,
    UP,
    ArcBetweenPoints,
    Arrow,
    Create,
    FadeIn,
    FadeOut,
    LaggedStart,
    Line,
    MoveAlongPath,
    Rectangle,
    ReplacementTransform,
    RoundedRectangle,
    Scene,
    Text,
    VGroup,
    VMobject,
    linear,
    smooth,
)  # fmt: skip

FONT = "Liberation Sans"
BUFFER = 64  # megabytes, for a number that one can picture; a chunk is a part of it
INK, QUIET, RULE, PAPER = "#14181F", "#4B5563", "#CFD5DD", "#FFFFFF"
CELL, HIGH, STRIP, BETWEEN = 0.74, 0.64, 0.21, 0.08
WIDE = RING.story.slots * CELL + (RING.story.slots + 1) * BETWEEN + 0.06  # of a rank's card
SCALE = min(1.0, (3.42 if RANKS < 5 else 3.2) / WIDE)
MIDDLE, ACROSS, UPWARD = (-2.62, -0.55, 0.0), 2.6 if RANKS < 5 else 2.98, 2.3
PANEL = 2.85  # where the right-hand side begins


def words(text: str, size: float = 0.24, color: str = INK, weight: str = "NORMAL") -> Text:
    """Text whose capitals are about ``size`` units high: drawn large, because small text is spaced badly."""
    made = Text(text, font=FONT, font_size=96, color=color, weight=weight)
    return made.scale(size / 0.98)


class Cell(VGroup):
    """One slot of one rank: its label, and a strip in which slot i is filled once rank i's part is in."""

    def __init__(self, label: str, content: Content) -> None:
        super().__init__()
        color = palette.chunk_color(content.chunk)
        solid = content.whole
        self.frame = RoundedRectangle(
            width=CELL, height=HIGH, corner_radius=0.07, stroke_width=3 if solid else 2.2,
            stroke_color=palette.mixed(color, palette.BLACK, 0.35) if solid else color,
            fill_color=color if solid else PAPER, fill_opacity=1,
        )  # fmt: skip
        name = words(label, 0.19, palette.ink_on(color) if solid else INK, "BOLD")
        self.add(self.frame)
        if not solid:
            self.add(*self._strip(content, color))
        up = 0.0 if solid else STRIP / 2
        self.add(name.move_to(self.frame.get_center() + UP * up))

    def _strip(self, content: Content, color: str) -> list[VMobject]:
        each = (CELL - 0.06) / len(content.counts)
        left, bottom = self.frame.get_left()[0] + 0.03, self.frame.get_bottom()[1] + 0.03
        made: list[VMobject] = []
        for rank, times in enumerate(content.counts):
            box = Rectangle(width=each, height=STRIP - 0.05, stroke_width=0.8,
                            stroke_color=palette.mixed(color, palette.WHITE, 0.55),
                            fill_color=color, fill_opacity=1 if times else 0)  # fmt: skip
            made.append(box.move_to([left + (rank + 0.5) * each, bottom + (STRIP - 0.05) / 2, 0]))
        return made


class Rank(VGroup):
    """A card with a rank's slots in a row."""

    def __init__(self, rank: int, done: int) -> None:
        super().__init__()
        self.rank = rank
        slots = RING.story.slots
        self.card = RoundedRectangle(width=WIDE, height=1.22, corner_radius=0.12, stroke_width=1.6,
                                     stroke_color=RULE, fill_color="#F6F7F9", fill_opacity=1)  # fmt: skip
        self.name = words(f"rank {rank}", 0.2, QUIET)
        self.name.move_to(self.card.get_top() + DOWN * 0.24)
        self.cells = VGroup(*(cell(done, rank, slot) for slot in range(slots)))
        self.cells.arrange(RIGHT, buff=BETWEEN).move_to(self.card.get_bottom() + UP * (HIGH / 2 + 0.11))
        self.add(self.card, self.name, self.cells)
        self.scale(SCALE)


def cell(done: int, rank: int, slot: int) -> Cell:
    """A slot as it is when so many steps are done."""
    content = RING.content(done, rank, slot)
    label = "" if content.empty else RING.story.slot_name(content.chunk)
    return Cell(label, content)


def places() -> list[tuple[float, float, float]]:
    """Where the ranks stand: clockwise round a ring that is wider than it is high."""
    turns = [pi / 2 - 2 * pi * rank / RANKS for rank in range(RANKS)]
    return [(MIDDLE[0] + ACROSS * cos(turn), MIDDLE[1] + UPWARD * sin(turn), 0.0) for turn in turns]


def plural(number: float, noun: str) -> str:
    """``1 step``, ``1.5 steps``."""
    return f"{number:.4g} {noun}{'' if number == 1 else 's'}"


class Meter(VGroup):
    """A bar of buffers sent, with the number at its end."""

    def __init__(self, name: str, buffers: float, steps: int, most: float, color: str) -> None:
        super().__init__()
        unit = 2.35 / most
        head = words(name, 0.21, INK, "BOLD")
        bar = Rectangle(width=max(buffers * unit, 0.015), height=0.3, stroke_width=0, fill_color=color,
                        fill_opacity=1)  # fmt: skip
        value = words(f"{buffers * BUFFER:.4g} MB", 0.2, INK)
        below = words(f"{plural(buffers, 'buffer')} in {plural(steps, 'step')}", 0.185, QUIET)
        head.move_to(ORIGIN, aligned_edge=LEFT)
        bar.next_to(head, DOWN, buff=0.14, aligned_edge=LEFT)
        value.next_to(bar, RIGHT, buff=0.12)
        below.next_to(bar, DOWN, buff=0.13, aligned_edge=LEFT)
        self.add(head, bar, value, below)


class RingAllReduce(Scene):
    """Two phases of N - 1 steps, then the comparison with everyone sending everything to everyone."""

    def construct(self) -> None:
        self.camera.background_color = PAPER
        most = float(max(RING.busiest(RING.steps), NAIVE.busiest(NAIVE.steps)))
        self.most = most
        self.head()
        self.ranks = [Rank(rank, 0).move_to(place) for rank, place in enumerate(places())]
        links = self.links()
        self.play(LaggedStart(*(FadeIn(rank) for rank in self.ranks), lag_ratio=0.15), run_time=1.2)
        self.play(Create(links), run_time=0.8)
        self.add(*self.ranks)
        self.panel = self.told(0, "start", "every rank has its own part")
        self.meter = self.metered(0)
        self.play(FadeIn(self.panel), FadeIn(self.meter), FadeIn(self.key()), run_time=0.6)
        self.wait(0.8)
        for step in range(RING.steps):
            self.step(step)
        self.end()

    def head(self) -> None:
        """The title, and what was checked before this frame."""
        title = words(f"{RING.story.schedule.name}, {RANKS} ranks", 0.36, INK, "BOLD")
        title.move_to([-6.7, 3.5, 0], aligned_edge=LEFT)
        note = words("proved and executed before the first frame; strips show whose parts are in each sum",
                     0.2, QUIET)  # fmt: skip
        note.next_to(title, DOWN, buff=0.14, aligned_edge=LEFT)
        self.add(title, note)

    def links(self) -> VGroup:
        """Who sends to whom, from the executed sends."""
        pairs = sorted({(send.sender, send.receiver) for step in RING.moves for send in step})
        lines = VGroup()
        for a, b in pairs:
            if a == b:
                continue
            start, end = self.ranks[a].get_center(), self.ranks[b].get_center()
            line = Line(start, end)
            arrow = Arrow(line.point_from_proportion(0.36), line.point_from_proportion(0.64), buff=0,
                          stroke_width=3, color=RULE, max_tip_length_to_length_ratio=0.2)  # fmt: skip
            lines.add(arrow)
        return lines

    def told(self, done: int, phase: str, sentence: str) -> VGroup:
        """Phase, step and a sentence."""
        step = words(f"step {done} of {RING.steps}", 0.3, INK, "BOLD")
        name, said = words(phase, 0.26, palette.CHUNKS[0], "BOLD"), words(sentence, 0.2, QUIET)
        for line, top in ((name, 2.65), (step, 2.22), (said, 1.72)):  # so that no line moves with its letters
            line.move_to([PANEL, top, 0], aligned_edge=UP + LEFT)
        return VGroup(name, step, said)

    def metered(self, done: int) -> VGroup:
        """What the busiest rank has sent so far."""
        sent = float(RING.busiest(done))
        made = Meter("sent by the busiest rank", sent, done, self.most, palette.CHUNKS[0])
        return made.move_to([PANEL, 1.08, 0], aligned_edge=UP + LEFT)

    def key(self) -> VGroup:
        """What the cells mean."""
        half = Content(tuple(int(2 * rank < RANKS) for rank in range(RANKS)), 0, whole=False)
        full = Content((1,) * RANKS, 0, whole=True)
        made = VGroup()
        for content, text in ((half, "slot i: rank i's part is in"), (full, "finished sum")):
            sample = Cell("c0", content).scale(0.8)
            made.add(VGroup(sample, words(text, 0.19, QUIET)).arrange(RIGHT, buff=0.16))
        made.arrange(DOWN, buff=0.16, aligned_edge=LEFT)
        return made.move_to([PANEL, -2.5, 0], aligned_edge=UP + LEFT)

    def step(self, step: int) -> None:
        """The chunks of one step on their way, then what the receivers hold."""
        sends = RING.moves[step]
        adds = {send.reduce for send in sends}
        does = "adds or overwrites" if len(adds) > 1 else "adds it" if True in adds else "overwrites its own"
        panel = self.told(step + 1, RING.phase(step), f"the receiver {does}")
        self.play(ReplacementTransform(self.panel, panel), run_time=0.35)
        self.panel = panel
        ways = [self.way(send) for send in sends]
        for token, _ in ways:
            token.set_z_index(5)
            self.add(token)
        self.play(*(MoveAlongPath(token, path) for token, path in ways), run_time=1.15, rate_func=smooth)
        new = []
        for send in sends:
            old = self.ranks[send.receiver].cells[send.into]
            made = cell(step + 1, send.receiver, send.into).scale(SCALE).move_to(old)
            self.ranks[send.receiver].cells.submobjects[send.into] = made
            new.append((old, made))
        meter = self.metered(step + 1)
        self.play(*(FadeOut(token, run_time=0.3) for token, _ in ways),
                  *(ReplacementTransform(old, made) for old, made in new),
                  ReplacementTransform(self.meter, meter), run_time=0.45)  # fmt: skip
        self.meter = meter
        self.wait(0.35)

    def way(self, send: Sent) -> tuple[Cell, VMobject]:
        """A copy of the cell that is sent, and its path."""
        source = self.ranks[send.sender].cells[send.chunk]
        target = self.ranks[send.receiver].cells[send.into]
        path = ArcBetweenPoints(source.get_center(), target.get_center(), angle=-0.35)
        return source.copy(), path

    def end(self) -> None:
        """Every sum is there; the same by everyone sending everything, counted from its own send log."""
        done = self.told(RING.steps, "done", f"all {RANKS} ranks hold the true sum")
        self.play(ReplacementTransform(self.panel, done), run_time=0.4)
        self.wait(0.8)
        naive = Meter("everyone to everyone", float(NAIVE.busiest(NAIVE.steps)), NAIVE.steps, self.most,
                      palette.CHUNKS[2])  # fmt: skip
        naive.move_to([PANEL, -0.27, 0], aligned_edge=UP + LEFT)
        self.play(FadeIn(naive[0]), FadeIn(naive[2]), FadeIn(naive[3]),
                  naive[1].animate(run_time=0.01).set_opacity(1), run_time=0.6)  # fmt: skip
        share = RING.busiest(RING.steps) / NAIVE.busiest(NAIVE.steps)
        said = VGroup(words(f"{float(share):.0%} of the bytes,", 0.2, INK, "BOLD"),
                      words(f"{RING.steps / NAIVE.steps:.3g} times the steps", 0.2, INK, "BOLD"))  # fmt: skip
        said.arrange(DOWN, buff=0.1, aligned_edge=LEFT).move_to([PANEL, -1.6, 0], aligned_edge=UP + LEFT)
        self.play(FadeIn(said), run_time=0.5, rate_func=linear)
        self.wait(2.5)
