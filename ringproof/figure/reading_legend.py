"""The arrows of a legend, compared with the words beside them and with the sends that are drawn."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ringproof.figure import palette
from ringproof.figure.ink import Shape

Kind = tuple[str, str]  # reduce or copy, single or double
_REACH = 7.0  # from an arrow's tip to its words, in points


def mislabelled(shapes: Sequence[Shape], drawn: frozenset[Kind]) -> Iterator[str]:
    """Where a legend says another thing than its arrows show, or leaves out one that is drawn."""
    found: set[Kind] = set()
    triangles = [s for s in shapes if s.kind == "triangle"]
    texts = [s for s in shapes if s.kind == "text" and not re.fullmatch(r"[ct]\d+", s.text)]
    lines = [s for s in shapes if s.kind == "line" and s.stroke == palette.SEVERAL]
    for head in (s for s in triangles if s.fill == palette.SEVERAL):
        tip, y = head.box[2], head.middle[1]
        beside = [t for t in texts if 0 < t.box[0] - tip < _REACH and abs(t.middle[1] - y) < 2]
        flat = [s for s in lines if abs(s.points[0][1] - s.points[-1][1]) < 0.01
                and abs(s.middle[1] - y) < 1.2 and head.box[0] - 0.1 < s.box[2] < tip]  # fmt: skip
        if not beside or not flat:
            continue  # an arrow among the lanes, or of a circle
        hollow = any(s.fill == palette.WHITE and head.box[0] < s.middle[0] < tip and abs(s.middle[1] - y) < 1
                     for s in triangles)  # fmt: skip
        kind = "copy" if hollow else "reduce", "double" if len(flat) == 2 else "single"
        found.add(kind)
        if _said(beside[0].text) != kind:
            yield f"the legend calls an arrow {beside[0].text!r}, and it shows {' '.join(kind)}"
    if found and found != drawn:
        yield f"the legend shows {len(found)} kinds of arrow, and {len(drawn)} are drawn"


def _said(words: str) -> Kind:
    op = "reduce" if words.endswith("adds") else "copy" if words.endswith("overwrites") else ""
    return op, "double" if re.match("finished|whole|to its place", words) else "single"
