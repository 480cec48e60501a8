"""What the library costs against N: traffic that stays flat and steps that grow, counted in the send logs.

matplotlib (the extra `charts`) draws it and lives in this room; pinned, for the bytes are kept.
"""

from __future__ import annotations

import hashlib
import html
import io
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ringproof.cost.bounds import bounds
from ringproof.cost.counts import count
from ringproof.events import expand
from ringproof.figure import palette
from ringproof.figure.dressing import FONTS
from ringproof.figure.facts import schedule_digest, sealed
from ringproof.figure.prepare import CannotDrawError
from ringproof.simulate import simulate
from ringproof.table.reader import read_schedule
from ringproof.table.source import read
from ringproof.textfile import in_shell
from ringproof.verdict import TableError

RANKS = (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
WIDTH, HEIGHT = 504.0, 178.0
# What stands out: table, its words, marker; all others are drawn in grey behind.
CURVES = (
    ("ring", "ring", "o"), ("halving_doubling", "halving-doubling", "s"),
    ("double_binary_tree_all_reduce", "double binary tree", "^"),
    ("recursive_doubling", "recursive doubling", "D"), ("binomial_all_reduce", "binomial tree", "v"),
    ("two_shot_all_reduce", "two-shot", "P"), ("naive", "naive", "X"),
)  # fmt: skip
PANELS = (("traffic", "(a) sent by the busiest rank, in buffers", (1, 2, 5, 10, 20, 50), (0.85, 70)),
          ("steps", "(b) steps", (1, 2, 5, 10, 20, 50, 100), (0.85, 140)))  # fmt: skip
LEAST = "lower_bound"
Points = tuple[tuple[int, float], ...]


@dataclass(frozen=True, slots=True)
class Curve:
    """What one table costs: (N, buffers sent by the busiest rank) and (N, steps), and its digest."""

    table: str
    digest: str
    traffic: Points
    steps: Points


def possible() -> bool:
    """Whether the extra is installed."""
    return find_spec("matplotlib") is not None


def curves(paths: Sequence[str]) -> list[Curve]:
    """The costs of every all-reduce among some tables, each replayed first; errors: `CannotDrawError`."""
    found = [curve for path in paths for curve in _curve(path)]
    missing = {name for name, _, _ in CURVES} - {curve.table for curve in found}
    if missing:
        raise CannotDrawError(f"the cost chart needs {', '.join(sorted(missing))} among the tables")
    return found


def _curve(path: str) -> Iterator[Curve]:
    try:
        source = read(path)
        schedule = read_schedule(source.values, source.path)
    except TableError as error:
        raise CannotDrawError(f"{path} is no table: ringproof check {in_shell(path)} says why") from error
    if source.values["collective"] != "all-reduce":
        return
    traffic: list[tuple[int, float]] = []
    steps: list[tuple[int, float]] = []
    for N in RANKS:
        sizes = list(schedule.at(N)) if schedule.ranks[0] <= N <= schedule.ranks[1] else []
        if not sizes:
            continue
        outcome = simulate(expand(schedule, sizes[0]))
        if any(where for name, where in outcome.violations.items() if name not in schedule.waive):
            where = f"ringproof check {in_shell(path)} says where"
            raise CannotDrawError(f"{path} is refuted at N = {N}: {where}")
        counted = count(outcome.events)
        traffic.append((N, float(counted.buffers(counted.sent.most))))
        steps.append((N, float(counted.steps)))
    texts = (source.text, *(used.text for used in schedule.used))
    yield Curve(Path(path).stem, schedule_digest(texts), tuple(traffic), tuple(steps))


def least(path: str) -> tuple[Points, Points]:
    """The lower bounds that a table of the same collective has: traffic, and steps with one port."""
    source = read(path)
    schedule = read_schedule(source.values, source.path)
    traffic, steps = [], []
    for N in RANKS:
        found = bounds(expand(schedule, next(iter(schedule.at(N)))).contract, (1, 1))
        if found is not None:
            traffic.append((N, float(found.sent)))
            steps.append((N, float(found.steps)))
    return tuple(traffic), tuple(steps)


def svg(found: Sequence[Curve], bound: tuple[Points, Points], version: str) -> bytes:
    """The chart as SVG, the same bytes on every run; errors: `CannotDrawError` without the extra."""
    if not possible():
        raise CannotDrawError("the cost chart needs matplotlib: pip install 'ringproof[charts]'")
    import matplotlib
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    settings: dict[Any, Any] = {"svg.hashsalt": "ringproof", "svg.fonttype": "none", "path.simplify": False,
                                "font.family": "DejaVu Sans", "font.size": palette.SMALL}  # fmt: skip
    with matplotlib.rc_context(settings):
        figure = Figure(figsize=(WIDTH / 72, HEIGHT / 72), dpi=72)
        for number, (panel, limit) in enumerate(zip(PANELS, bound, strict=True)):
            _panel(figure, number, panel, found, limit)
        figure.text(2 / WIDTH, 4 / HEIGHT, _key(found), fontsize=palette.LABEL)
        buffer = io.BytesIO()
        nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))
        canvas: Any = FigureCanvasSVG(figure)
        canvas.print_svg(buffer, metadata=nothing)
    return _dressed(buffer.getvalue().decode("utf-8"), found, bound, version).encode("utf-8")


def _panel(figure: Any, number: int, panel: tuple[Any, ...], found: Sequence[Curve], limit: Points) -> None:
    """Axes, grey curves, those that stand out, the bound, and the names at the right."""
    key, title, ticks, (low, high) = panel
    left = 22 + number * WIDTH / 2
    axes = figure.add_axes((left / WIDTH, 40 / HEIGHT, 146 / WIDTH, 121 / HEIGHT))
    axes.set(xscale="log", yscale="log", xlim=(1.85, 69), ylim=(low, high))
    axes.minorticks_off()
    axes.set_xticks((2, 4, 8, 16, 32, 64), labels=["2", "4", "8", "16", "32", "64"])
    axes.set_yticks(ticks, labels=[str(tick) for tick in ticks])
    axes.tick_params(length=2, width=0.5, pad=2, colors=palette.QUIET, labelsize=palette.SMALL)
    for side, spine in axes.spines.items():
        spine.set(linewidth=0.5, color=palette.QUIET, visible=side in ("left", "bottom"))
    figure.text((left - 20) / WIDTH, 1 - 9 / HEIGHT, title, fontsize=palette.LABEL, fontweight="bold")
    figure.text((left + 73) / WIDTH, 21 / HEIGHT, "ranks N", color=palette.QUIET, ha="center")
    chosen = {name for name, _, _ in CURVES}
    for curve in found:
        if curve.table not in chosen:
            xy = _xy(getattr(curve, key))
            axes.plot(*xy, color=palette.GREY, linewidth=0.6, gid=f"{key}_{curve.table}")
    axes.plot(*_xy(limit), color=palette.BLACK, linewidth=0.6, dashes=(3, 2), zorder=9, gid=f"{key}_{LEAST}")
    ends: dict[float, list[tuple[str, dict[str, Any]]]] = {}
    for layer, ((table, words, marker), color) in enumerate(zip(CURVES, palette.CHUNKS, strict=False)):
        points = next(getattr(curve, key) for curve in found if curve.table == table)
        # What lies below is larger, so that it is seen where curves coincide.
        look = {"color": color, "marker": marker, "markersize": 5.6 - 0.5 * layer, "markeredgewidth": 0,
                "linewidth": 1.7 - 0.15 * layer, "clip_on": False}  # fmt: skip
        axes.plot(*_xy(points), **look, gid=f"{key}_{table}")
        end = next((other for other in ends if other / 1.25 < points[-1][1] < other * 1.25), points[-1][1])
        ends.setdefault(end, []).append((words, look))
    _names(axes, ends)


def _xy(points: Points) -> tuple[list[int], list[float]]:
    return [N for N, _ in points], [value for _, value in points]


def _names(axes: Any, ends: dict[float, list[tuple[str, dict[str, Any]]]]) -> None:
    """The names of all curves that end together, one below the other, beside their end and their marker."""
    from matplotlib.transforms import offset_copy

    for end, names in ends.items():
        for line, (words, look) in enumerate(names):
            drop = 8.2 * ((len(names) - 1) / 2 - line)
            place = offset_copy(axes.transData, axes.figure, 10, drop, units="points")
            axes.plot([64], [end], transform=place, **look)
            axes.annotate(words, (64, end), xytext=(15, drop - 2.3), textcoords="offset points")


def _key(found: Sequence[Curve]) -> str:
    """What is neither named nor numbered."""
    others = len(found) - len(CURVES)
    return f"dashed: lower bound, of steps with one port; grey: the other {others} all-reduce tables"


_ROOT = re.compile(r"<svg [^>]*>\n")
_RDF = re.compile(r" <metadata>.*?</metadata>\n", re.DOTALL)
_FONT = re.compile(r"font(-family)?: ([^;\"]*?)'DejaVu Sans'[^;\"]*")


def _dressed(text: str, found: Sequence[Curve], bound: tuple[Points, Points], version: str) -> str:
    """The file as it is kept: no prolog, the fonts of the other figures, and what it says of itself."""
    body = _RDF.sub("", text[text.index("<svg ") :])
    body = _FONT.sub(lambda m: f"font{m[1] or ''}: {m[2]}{FONTS}", body)
    rest = body[_ROOT.match(body).end() :]  # type: ignore[union-attr]
    told = {c.table: {"schedule": c.digest, "traffic": c.traffic, "steps": c.steps} for c in found}
    told[LEAST] = {"traffic": bound[0], "steps": bound[1]}
    facts = sealed({"tool": "ringproof", "version": version, "layout": "cost", "curves": told,
                    "ink": hashlib.sha256(rest.encode("utf-8")).hexdigest()})  # fmt: skip
    words = html.escape(json.dumps(facts, sort_keys=True, separators=(",", ":")), quote=False)
    return (
        f'<svg width="{WIDTH:g}pt" height="{HEIGHT:g}pt" viewBox="0 0 {WIDTH:g} {HEIGHT:g}" '
        'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" role="img">\n'
        "<title>all-reduce: traffic and steps against N</title>\n"
        f"<desc>{len(found)} tables, N = {RANKS[0]} to {RANKS[-1]}, counted in their send logs.</desc>\n"
        f"<metadata>{words}</metadata>\n{rest}"
    )
