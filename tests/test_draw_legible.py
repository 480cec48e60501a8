"""Every picture can be read in print: nothing too small, too faint, covered or off the page.

The whole grid, every table at every N from 2 to 64 and both widths, is a sweep; the default run has a sample.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import cycle, islice
from pathlib import Path

import pytest

from ringproof.cli import main
from ringproof.events import expand
from ringproof.figure import picture, render
from ringproof.figure.ink import read_ink
from ringproof.figure.layout import Layout, Wanted
from ringproof.figure.legibility import Illegible, illegible
from ringproof.figure.prepare import proved
from ringproof.figure.story import Story, tell
from ringproof.figure.verify import verify
from ringproof.simulate import simulate
from ringproof.table.reader import read_schedule
from ringproof.table.schedule import Schedule
from ringproof.table.source import read
from ringproof.verdict import Exit, Size
from tests.conftest import HOME, sampled

TABLES = sorted((HOME / "schedules").glob("*.toml"))
WIDTHS = (240.0, 504.0)
LAYOUTS: tuple[Layout, ...] = ("auto", "token", "vector", "matrix", "life")
every_table = pytest.mark.parametrize("path", TABLES, ids=lambda p: p.stem)


def judged(story: Story, wanted: Wanted) -> tuple[list[Illegible], tuple[str, ...]]:
    """What is illegible in a picture, and what does not read back."""
    made = picture.picture(story, wanted, ("",), "0", None)
    svg = render.svg(made.scene).decode()
    return illegible(read_ink(svg)), verify(svg).wrong


def told(schedule: Schedule, size: Size) -> Story:
    return tell(schedule, simulate(expand(schedule, size)))


def sizes(schedule: Schedule, ranks: Iterator[int] | range) -> Iterator[Size]:
    """For every N that is claimed, the first, the middle and the last parameters."""
    for N in ranks:
        if schedule.ranks[0] <= N <= schedule.ranks[1]:
            found = list(schedule.at(N))
            yield from dict.fromkeys(found[i] for i in (0, len(found) // 2, -1)) if found else ()


@pytest.mark.parametrize("path", sampled(TABLES, 3), ids=lambda p: p.stem)
def test_a_sample_of_every_table_is_legible_and_reads_back(path: Path) -> None:
    source = read(str(path))
    schedule = read_schedule(source.values, source.path)
    for width, size in zip(WIDTHS, cycle(islice(sizes(schedule, range(4, 9)), 2)), strict=False):
        story = told(schedule, size)
        assert judged(story, Wanted("auto", width)) == ([], ()), (size, width)


@pytest.mark.sweep
@every_table
def test_every_picture_of_every_table_is_legible(path: Path) -> None:
    source = read(str(path))
    schedule = read_schedule(source.values, source.path)
    for size in sizes(schedule, range(2, 65)):
        story = told(schedule, size)
        for width in WIDTHS:
            for layout in LAYOUTS if size.N <= 12 else LAYOUTS[:1]:
                assert judged(story, Wanted(layout, width)) == ([], ()), (size, width, layout)


@pytest.mark.sweep
@every_table
def test_every_table_is_proved_wherever_it_is_drawn(path: Path) -> None:
    source = read(str(path))
    schedule = read_schedule(source.values, source.path)
    low, high = schedule.ranks
    claimed = [N for N in range(2, 65) if low <= N <= high and list(schedule.at(N))]
    assert claimed
    for N in claimed:
        found = proved(str(path), N)
        assert found.focus is None
        assert found.story.ranks == N


@pytest.mark.parametrize("path", sampled(sorted((HOME / "tests" / "wrong").glob("*.toml")), 2),
                         ids=lambda p: p.stem)  # fmt: skip
def test_counterexamples_are_legible(path: Path, tmp_path: Path) -> None:
    for number, options in enumerate(([], ["--width", "2col"], ["--layout", "vector"], ["--layout", "life"])):
        target = str(tmp_path / f"{number}.svg")
        assert main(["draw", str(path), "--counterexample", *options, "-o", target]) == Exit.PROVED
        svg = Path(target).read_text()
        assert illegible(read_ink(svg)) == [], options
        assert verify(svg).wrong == (), options


@pytest.fixture(scope="module")
def ring(tmp_path_factory: pytest.TempPathFactory) -> str:
    target = tmp_path_factory.mktemp("ring") / "ring.svg"
    assert main(["draw", str(HOME / "schedules/ring.toml"), "-N", "4", "-o", str(target)]) == Exit.PROVED
    svg = target.read_text()
    assert illegible(read_ink(svg)) == []
    return svg


def added(svg: str, ink: str) -> str:
    """Ink painted last, in units of a twentieth of a point above the page's lower edge."""
    return svg.replace("</g>\n</svg>", f"<g>{ink}</g>\n</g>\n</svg>")


BOX = '<polygon fill="{}" stroke="none" points="{},{} {},{} {},{} {},{} {},{}"/>'
LINE = '<path fill="none" stroke="{}" stroke-width="{}" d="M{},{}C{},{} {},{} {},{}"/>'
DEFECTS: dict[str, tuple[str, Callable[[str], str]]] = {
    "off the page": ("off the page", lambda svg: svg.replace('width="240pt"', 'width="230pt"').replace(
        'viewBox="0.00 0.00 240', 'viewBox="0.00 0.00 230')),
    "small text": ("text of 5.00 pt", lambda svg: svg.replace('font-size="130.00"', 'font-size="100.00"')),
    "thin stroke": ("a stroke of 0.10 pt", lambda svg: svg.replace('stroke-width="17"', 'stroke-width="2"')),
    "text on text": ("text on text", lambda svg: svg.replace(">rank 0<", ">rank 0 and more than fits<")),
    "text covered": ("text covered", lambda svg: added(svg, BOX.format(
        "#ffffff", 20, -2150, 400, -2150, 400, -1950, 20, -1950, 20, -2150))),
    "a struck label": ("a stroke through a label", lambda svg: added(svg, LINE.format(
        "#000000", 20, 0, -2010, 200, -2045, 300, -2062, 460, -2090))),
    "faint text": ("text of contrast", lambda svg: svg.replace("<text", '<text fill="#bbbbbb"', 4)),
    "a faint line": ("a line of contrast", lambda svg: svg.replace('stroke="#2776b1"', 'stroke="#dddddd"')),
    "no labels": ("no labels at all", lambda svg: re.sub(r"<text.*?</text>", "", svg)),
}  # fmt: skip


@pytest.mark.parametrize("defect", DEFECTS)
def test_every_planted_defect_is_found_with_its_box(defect: str, ring: str) -> None:
    why, plant = DEFECTS[defect]
    changed = plant(ring)
    assert changed != ring
    found = [finding for finding in illegible(read_ink(changed)) if finding.why.startswith(why)]
    assert found
    assert all(finding.box[2] >= finding.box[0] for finding in found)
