"""A schedule as it is usually drawn: ranks on a circle, an arrow for who ever sends to whom."""

from __future__ import annotations

from math import atan2, cos, hypot, pi, sin, tan

from ringproof.figure import palette
from ringproof.figure.grid import NotLegibleError
from ringproof.figure.scene import Curve, Disc, Head, Ink, Line, Text, regular
from ringproof.figure.story import Story

DISC, LEAST, EACH, MOST = 5.4, 20.0, 15.0, 64.0
_HEAD, _STROKE = 4.6, 0.8


def radius(ranks: int) -> float:
    """The radius on which so many ranks keep apart; errors: `NotLegibleError`."""
    found = max(LEAST, ranks * EACH / (2 * pi))
    if found > MOST:
        raise NotLegibleError(f"{ranks} ranks are too many for a circle")
    return found


def pairs(story: Story) -> frozenset[tuple[int, int]]:
    """Who ever sends to whom."""
    events = story.outcome.events
    moving = events.message
    return frozenset(zip(events.sender[moving].tolist(), events.receiver[moving].tolist(), strict=True))


def circle(story: Story, x: float, y: float) -> list[Ink]:
    """The circle round (x, y); neighbours by arcs, others by chords."""
    ranks, far = story.ranks, radius(story.ranks)
    ink: list[Ink] = []
    for a, b in sorted(pairs(story)):
        if ranks > 2 and (b - a) % ranks in (1, ranks - 1):
            ink += _arc(x, y, far, _angle(a, ranks), 1 if (b - a) % ranks == 1 else -1, ranks)
        else:
            ink += _chord(_place(x, y, far, a, ranks), _place(x, y, far, b, ranks))
    for rank in range(ranks):
        px, py = _place(x, y, far, rank, ranks)
        ink.append(Disc(px, py, DISC, palette.SEVERAL, 0.7, f"circle_r{rank}", "circle"))
        ink.append(Text(px, py + 2.4, regular(str(rank)), "middle", palette.SMALL, kind="circle"))
    return ink


def _angle(rank: int, ranks: int) -> float:
    return 2 * pi * rank / ranks - pi / 2


def _place(x: float, y: float, far: float, rank: int, ranks: int) -> tuple[float, float]:
    return x + far * cos(_angle(rank, ranks)), y + far * sin(_angle(rank, ranks))


def _arc(x: float, y: float, far: float, start: float, turn: int, ranks: int) -> list[Ink]:
    """A piece of the circle between two discs, as one cubic, and its head."""
    clear = (DISC + 1.2) / far
    a, b = start + turn * clear, start + turn * (2 * pi / ranks - clear)
    back = b - turn * _HEAD * 0.9 / far
    bend = 4 / 3 * tan((back - a) / 4) * far
    p, q = _on(x, y, far, a), _on(x, y, far, back)
    points = (p, (p[0] - bend * sin(a), p[1] + bend * cos(a)),
              (q[0] + bend * sin(back), q[1] - bend * cos(back)), q)  # fmt: skip
    tip, base = _on(x, y, far, b), _on(x, y, far, b - turn * _HEAD / far)
    return [Curve(points, palette.SEVERAL, _STROKE, kind="circle"), _head(base, tip)]


def _on(x: float, y: float, far: float, angle: float) -> tuple[float, float]:
    return x + far * cos(angle), y + far * sin(angle)


def _head(base: tuple[float, float], tip: tuple[float, float]) -> Head:
    angle = atan2(tip[1] - base[1], tip[0] - base[0])
    return Head(*tip, cos(angle), sin(angle), _HEAD, palette.SEVERAL, kind="circle")


def _chord(a: tuple[float, float], b: tuple[float, float]) -> list[Ink]:
    far = hypot(b[0] - a[0], b[1] - a[1])
    dx, dy = (b[0] - a[0]) / far, (b[1] - a[1]) / far
    start = a[0] + dx * (DISC + 0.4), a[1] + dy * (DISC + 0.4)
    tip = b[0] - dx * (DISC + 1.0), b[1] - dy * (DISC + 1.0)
    back = tip[0] - dx * _HEAD * 0.9, tip[1] - dy * _HEAD * 0.9
    return [Line(*start, *back, palette.SEVERAL, _STROKE, kind="circle"),
            Head(*tip, dx, dy, _HEAD, palette.SEVERAL, kind="circle")]  # fmt: skip
