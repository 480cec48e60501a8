"""The words over the phases, compared with what the sends of each do: its rule, its name, its receivers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ringproof.figure import palette
from ringproof.figure.ink import Shape
from ringproof.figure.story import Stage


def misnamed(
    shapes: Sequence[Shape], stages: Sequence[Stage], steps: Sequence[float], top: float, said: str
) -> Iterator[str]:
    """What is wrong with the phases over a drawing; ``steps``: the middle of each, ``said``: all words."""
    texts = [s for s in shapes if s.kind == "text"]
    lines = [s for s in shapes if s.kind == "line" and s.stroke == palette.BLACK and steps
             and abs(s.width - 0.7) < 0.05 and 0 < top - s.middle[1] < 16
             and s.box[0] < steps[-1] and s.box[2] > steps[0]]  # fmt: skip
    rules = sorted(lines, key=lambda s: s.box[0])
    if len(rules) != len(stages):
        yield f"{len(rules)} phases are drawn, not {len(stages)}"
        return
    for number, (rule, stage) in enumerate(zip(rules, stages, strict=True)):
        inside = [i for i, x in enumerate(steps) if rule.box[0] < x < rule.box[2]]
        if inside != list(range(stage.start, stage.stop)):
            yield f"phase {stage.name!r} is drawn over other steps"
        over = [t for t in texts if 0 < rule.middle[1] - t.points[0][1] < 5
                and rule.box[0] - 1 < t.middle[0] < rule.box[2] + 1]  # fmt: skip
        full = f"{stage.name}: {stage.says}"
        title = "".join(t.text for t in sorted(over, key=lambda t: t.box[0]))
        if title not in (full, stage.name, str(number + 1), ""):
            yield f"phase {stage.name!r} is called {title!r}"
        if full not in said:
            yield f"nowhere it says {full!r}"
