"""The legend: what the ink of this very picture means, and nothing that is not in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from ringproof.figure import palette
from ringproof.figure.arrows import Arrow, drawn
from ringproof.figure.grid import Grid
from ringproof.figure.scene import Fill, Frame, Head, Ink, Line, Runs, Text, bold, regular
from ringproof.figure.story import Story

ROW = 11.0
_SPACE, _AFTER_SYMBOL = 9.0, 3.2


@dataclass(frozen=True, slots=True)
class Entry:
    """A symbol of some width, drawn round a middle line, and the words beside it."""

    width: float
    draw: Callable[[float, float], list[Ink]]
    words: Runs


def entries(story: Story, boxes: frozenset[str]) -> list[Entry]:
    """The entries for what occurs: ``boxes`` names the kinds of box that are drawn."""
    found: list[Entry] = []
    partial, whole, words = _words(story)
    if "partial" in boxes:
        found.append(Entry(15.5, _partial, regular(partial)))
    if "whole" in boxes:
        found.append(Entry(15.5, _whole, regular(whole)))
    if "unset" in boxes:
        found.append(Entry(15.5, _unset, regular("nothing yet")))
    kinds = {(message.reduce, message.whole) for message in story.messages()}
    for kind, text in words.items():
        if kind in kinds:
            found.append(Entry(17.0, _arrow(*kind), regular(text)))
    if "split" in boxes:
        found.append(Entry(11.0, _split, regular("upper: received, lower: sent next")))
    if "several" in boxes:
        found.append(Entry(17.0, _chip, regular("several chunks in one message")))
    if any(send.chunk >= story.chunks or send.into >= story.chunks for send in story.sends):
        found.append(Entry(0.0, _nothing, regular("t0, t1, ...: temporary slots")))
    return found


def _words(story: Story) -> tuple[str, str, dict[tuple[bool, bool], str]]:
    """What boxes are called, and sends by (adds, whole)."""
    if story.parts > 1:
        return "partial sum; slot i is filled once rank i's part is in", "finished sum", {
            (True, False): "send, receiver adds", (True, True): "finished sum, receiver adds",
            (False, True): "finished sum, receiver overwrites", (False, False): "unfinished sum, overwrites",
        }  # fmt: skip
    whole = "whole chunk" if story.uniform else "what the slot is promised"
    return "slot i is filled where it holds rank i's part", whole, {
        (True, False): "send, receiver adds", (True, True): "whole chunk, receiver adds",
        (False, True): "whole chunk, overwrites" if story.uniform else "to its place, overwrites",
        (False, False): "send, receiver overwrites",
    }  # fmt: skip


def placed(found: list[Entry], x: float, y: float, width: float) -> list[Ink]:
    """Entries in rows that begin at ``y``, as many in a row as fit."""
    ink: list[Ink] = []
    at, middle = x, y + ROW / 2
    for entry in found:
        text = Text(0, 0, entry.words)
        need = entry.width + (_AFTER_SYMBOL if entry.width else 0) + text.width
        if at > x and at + need > x + width:
            at, middle = x, middle + ROW
        ink += entry.draw(at, middle)
        words = at + entry.width + (_AFTER_SYMBOL if entry.width else 0)
        ink.append(Text(words, middle + 2.4, entry.words, kind="legend"))
        at += need + _SPACE
    return ink


def _nothing(x: float, y: float) -> list[Ink]:
    return []


def _partial(x: float, y: float) -> list[Ink]:
    ink: list[Ink] = [Fill(x, y - 3.5, 11.6, 7, palette.SEVERAL, kind="legend")]
    for i in (1, 2):
        ink.append(Fill(x + i * 3.875 - 0.15, y - 3.5, 0.3, 7, palette.WHITE, kind="legend"))
    return [*ink, Frame(x, y - 3.5, 15.5, 7, palette.SEVERAL, 0.6, kind="legend")]


def _whole(x: float, y: float) -> list[Ink]:
    edge = palette.mixed(palette.SEVERAL, palette.BLACK, 0.35)
    return [Fill(x, y - 3.5, 15.5, 7, palette.SEVERAL, kind="legend"),
            Frame(x, y - 3.5, 15.5, 7, edge, 0.9, kind="legend")]  # fmt: skip


def _unset(x: float, y: float) -> list[Ink]:
    return [Frame(x, y - 3.5, 15.5, 7, palette.RULE, 0.6, kind="legend")]


def _split(x: float, y: float) -> list[Ink]:
    return [Frame(x, y - 4.4, 11, 3.6, palette.SEVERAL, 0.6, kind="legend"),
            Frame(x, y + 0.8, 11, 3.6, palette.SEVERAL, 0.6, kind="legend")]  # fmt: skip


def _chip(x: float, y: float) -> list[Ink]:
    return [
        Fill(x, y - 4, 17, 8, palette.SEVERAL, kind="legend"),
        Text(x + 8.5, y + 2.3, bold("c0-1"), "middle", palette.SMALL, palette.WHITE, kind="legend"),
    ]


def _arrow(reduce: bool, whole: bool) -> Callable[[float, float], list[Ink]]:
    def draw(x: float, y: float) -> list[Ink]:
        arrow = Arrow(f"legend_{'add' if reduce else 'copy'}{'_whole' if whole else ''}", palette.SEVERAL,
                      (x, y), (x + 17, y), reduce, whole)  # fmt: skip
        flat = Grid(0, 0, 0, 1, 1, 1, 0)
        return [_renamed(part) for part in drawn(arrow, flat)]

    return draw


def _renamed(part: Ink) -> Ink:
    return replace(part, kind="legend") if isinstance(part, Line | Head) else part
