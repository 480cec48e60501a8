"""`ringproof draw -o x.gif`: frames cut from one picture, in the order in which things happen."""

from __future__ import annotations

import importlib.util
import io
import itertools
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ringproof.cli import main
from ringproof.figure import gif, render, timing
from ringproof.figure.facts import sealed
from ringproof.figure.grid import grid
from ringproof.figure.layout import Layout, Wanted
from ringproof.figure.picture import picture
from ringproof.figure.prepare import proved
from ringproof.figure.scene import Scene
from ringproof.verdict import Exit
from tests.conftest import HOME

if TYPE_CHECKING:
    from PIL import Image

RING = "schedules/ring.toml"
WRONG = "tests/wrong/ring_one_rotation_shifted.toml"
needs_pillow = pytest.mark.skipif(
    not importlib.util.find_spec("PIL"), reason="the extra gif is not installed"
)


@pytest.fixture(autouse=True)
def at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(HOME)


def draw(*arguments: object) -> int:
    return int(main(["draw", *map(str, arguments)]))


def scene_of(path: str, N: int, layout: Layout = "auto", width: float = 240.0) -> Scene:
    found = proved(path, N)
    return picture(found.story, Wanted(layout, width), found.texts, "0", None).scene


def frames(path: Path) -> tuple[list[Image.Image], list[int], dict[str, Any]]:
    """Every frame in full colour, how long each stands, and what the file says of itself."""
    from PIL import Image, ImageSequence

    with Image.open(path) as image:
        told = json.loads(image.info["comment"])
        assert image.info["loop"] == 0
        seen = [
            (frame.convert("RGB"), int(frame.info["duration"])) for frame in ImageSequence.Iterator(image)
        ]
    return [frame for frame, _ in seen], [time for _, time in seen], told


# ---- when is what ---------------------------------------------------------------------------------


@pytest.mark.parametrize("N", [2, 4, 7])
def test_columns_are_the_states_of_the_grid(N: int) -> None:
    scene = scene_of(RING, N, width=504.0)
    story = proved(RING, N).story
    box = next(part.width for part in scene.ink if getattr(part, "kind", "") == "box")
    made = grid(story, 504.0, box, 22.0)
    (field,) = timing.course(scene).fields
    middles = [(left + right) / 2 for left, right in field.columns]
    assert middles == pytest.approx([made.x(state) for state in range(story.steps + 1)], abs=0.05)


@pytest.mark.parametrize(
    ("layout", "N", "drawn"),
    [("token", 8, "token"), ("vector", 4, "vector"), ("matrix", 8, "matrix"), ("life", 8, "life"),
     ("auto", 9, "matrix+life")],
)  # fmt: skip
def test_time_only_goes_on(layout: Layout, N: int, drawn: str) -> None:
    scene = scene_of(RING, N, layout, 504.0)
    assert scene.metadata["layout"] == drawn
    course = timing.course(scene)
    assert len(course.fields) == drawn.count("+") + 1
    for field in course.fields:
        whens = [(step, share / 8) for step in range(course.steps) for share in range(8)]
        whens.append((course.steps, 0.0))
        fronts = [field.front(step, share) for step, share in whens]
        assert fronts == sorted(fronts)
        assert len(set(fronts)) > course.steps
        assert field.front(course.steps, 0.0) >= field.columns[-1][1]
        for state in range(course.steps + 1 - field.behind):
            left, right = field.columns[state]
            done = state + field.behind
            assert field.front(done, 0.0) >= right - 0.31  # a cell lies that far under the next
            if done:
                assert field.front(done - 1, 0.0) <= left + 0.7


def test_a_box_goes_from_its_sender_to_its_receiver() -> None:
    scene = scene_of(RING, 4)
    course = timing.course(scene)
    boxes = {
        part.name: part for part in scene.ink if re.fullmatch(r"t\d+_r\d+_s\d+", getattr(part, "name", ""))
    }
    assert sorted(course.ways) == list(range(6))
    for step, ways in course.ways.items():
        assert len(ways) == 4
        ends = {(round(x, 3), round(y, 3)) for way in ways for x, y in [way.at(1.0)]}
        starts = {(round(x, 3), round(y, 3)) for way in ways for x, y in [way.at(0.0)]}

        def middles(state: int) -> set[tuple[float, float]]:
            found = [box for name, box in boxes.items() if name.startswith(f"t{state}_")]
            return {(round(b.x + b.width / 2, 3), round(b.y + b.height / 2, 3)) for b in found}  # type: ignore[union-attr]

        assert starts == middles(step)
        assert ends == middles(step + 1)
        assert sum(len(way.pieces) == 2 for way in ways) == 1  # over the seam
        for way in ways:
            across = [way.at(share / 10)[0] for share in range(11)]
            gaps = [b - a for a, b in itertools.pairwise(across)]
            assert gaps == pytest.approx([gaps[0]] * 10)


def test_two_tables_have_no_one_time() -> None:
    from dataclasses import replace

    scene = scene_of(RING, 4)
    with pytest.raises(timing.TimelessError):
        timing.course(replace(scene, metadata={**scene.metadata, "layout": "compare"}))


# ---- the file -------------------------------------------------------------------------------------


@needs_pillow
def test_the_same_bytes_on_every_run(tmp_path: Path) -> None:
    for name in "ab":
        assert draw(RING, "-N", 4, "-o", tmp_path / f"{name}.gif") == Exit.PROVED
    assert (tmp_path / "a.gif").read_bytes() == (tmp_path / "b.gif").read_bytes()


@needs_pillow
def test_a_file_says_what_it_is(tmp_path: Path) -> None:
    assert draw(RING, "-N", 4, "-o", tmp_path / "x.gif") == Exit.PROVED
    _, _, told = frames(tmp_path / "x.gif")
    scene = scene_of(RING, 4)
    assert {**told, "ink": "", "seal": "", "version": ""} == {
        **scene.metadata,
        "ink": "",
        "seal": "",
        "version": "",
    }
    assert (told["N"], told["verdict"], told["layout"]) == (4, "proved", "token")
    assert sealed(told) == told
    assert str(HOME).encode() not in (tmp_path / "x.gif").read_bytes()


@needs_pillow
def test_frames_follow_the_steps(tmp_path: Path) -> None:
    from PIL import Image

    assert draw(RING, "-N", 4, "-o", tmp_path / "x.gif") == Exit.PROVED
    made, times, told = frames(tmp_path / "x.gif")
    assert len(made) == 1 + told["steps"] * gif.BETWEEN
    assert times[0] == gif.FIRST
    assert times[-1] == gif.LAST
    assert times.count(gif.DONE) == told["steps"] - 1
    assert times.count(gif.MOVING) == told["steps"] * (gif.BETWEEN - 1)
    course = timing.course(scene_of(RING, 4))
    (field,) = course.fields
    scale = made[0].width / course.width
    png = Image.open(io.BytesIO(render.png(scene_of(RING, 4), dpi=288))).convert("RGBA")
    whole = Image.new("RGBA", png.size, "white")
    whole.alpha_composite(png)
    for state in range(told["steps"] + 1):
        frame = made[state * gif.BETWEEN]
        for column, (left, right) in enumerate(field.columns):
            box = tuple(round(v * scale) for v in (left + 1, field.top, right - 1, field.bottom))
            dark = _darkest(frame.crop(box))
            assert dark < 90 if column <= state else dark > 190, (state, column)
    assert _different(made[-1], whole.convert("RGB")) < 0.01


def _darkest(image: Image.Image) -> int:
    low, _ = image.convert("L").getextrema()
    assert isinstance(low, int)
    return low


def _different(a: Image.Image, b: Image.Image) -> float:
    """The share of pixels that differ by more than a palette explains."""
    from PIL import ImageChops

    found = ImageChops.difference(a, b).convert("L").point(lambda v: 255 if v > 40 else 0)
    return found.histogram()[255] / (a.width * a.height)


@needs_pillow
def test_what_is_under_way_moves(tmp_path: Path) -> None:
    """Between two states a sender's box is seen at the middle of its way, and nowhere else."""
    assert draw(RING, "-N", 4, "-o", tmp_path / "x.gif") == Exit.PROVED
    made, _, _ = frames(tmp_path / "x.gif")
    course = timing.course(scene_of(RING, 4))
    scale = made[0].width / course.width
    way = next(way for way in course.ways[3] if len(way.pieces) == 1)  # a finished sum: all of it is colour
    half, tall = (way.box[2] - way.box[0]) / 2, (way.box[3] - way.box[1]) / 2
    x, y = way.at(0.5)
    x, y = x - 0.8 * half, y + 0.8 * tall  # away from the label, and from the line
    probe = tuple(round(v * scale) for v in (x - 0.5, y - 0.5, x + 0.5, y + 0.5))
    covered = set()
    for number in range(1, gif.BETWEEN):
        at = way.at(number / gif.BETWEEN)
        inside = min(half - abs(at[0] - x), tall - abs(at[1] - y))
        dark = _darkest(made[3 * gif.BETWEEN + number].crop(probe)) < 160
        if abs(inside) > 1:
            assert dark == (inside > 0), number
        covered |= {dark}
    assert covered == {True, False}


@needs_pillow
@pytest.mark.parametrize(
    ("table", "N", "more", "layout"),
    [("schedules/halving_doubling.toml", 8, ("--width", "2col"), "vector"),
     (RING, 32, ("--width", "2col"), "matrix+life"),
     ("schedules/binomial_broadcast.toml", 4, (), "token")],
)  # fmt: skip
def test_every_layout_unfolds(table: str, N: int, more: tuple[str, ...], layout: str, tmp_path: Path) -> None:
    assert draw(table, "-N", N, *more, "-o", tmp_path / "x.gif") == Exit.PROVED
    made, _, told = frames(tmp_path / "x.gif")
    assert told["layout"] == layout
    assert len(made) <= gif.MOST_FRAMES + told["steps"] + 1
    ink = [sum(frame.convert("L").histogram()[:128]) for frame in made]
    assert ink[0] < ink[len(ink) // 2] < ink[-1]


@needs_pillow
@pytest.mark.parametrize("N", [1, 2, 3])
def test_what_hardly_moves_is_drawn_too(N: int, tmp_path: Path) -> None:
    """One rank sends nothing, and a step in which nothing moves still takes its time."""
    table = tmp_path / "few.toml"
    table.write_text(
        'name = "few"\ncollective = "broadcast"\nranks = "1..3"\nchunks = "1"\n[[phase]]\nname = "p"\n'
        'steps = "N"\n[[phase.send]]\nwhen = "r == 0 and s > 0"\nto = "s"\nchunk = "0"\nop = "copy"\n'
    )
    assert draw(table, "-N", N, "-o", tmp_path / "x.gif", "-o", tmp_path / "x.html") == Exit.PROVED
    _, times, told = frames(tmp_path / "x.gif")
    assert told["steps"] == N
    assert sum(times) == gif.FIRST + gif.LAST + (N - 1) * gif.DONE + N * (gif.BETWEEN - 1) * gif.MOVING


@needs_pillow
def test_a_counterexample_moves_too(tmp_path: Path) -> None:
    assert draw(WRONG, "-N", 4, "--counterexample", "-o", tmp_path / "x.gif") == Exit.PROVED
    _, _, told = frames(tmp_path / "x.gif")
    assert (told["verdict"], told["finding"]) == ("refuted", "Unfinished sum copied")


def test_a_refuted_table_does_not_move(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert draw(WRONG, "-N", 4, "-o", tmp_path / "x.gif") == Exit.REFUTED
    assert "RP301" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []


def test_without_pillow_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(gif, "find_spec", lambda name: None)
    assert draw(RING, "-N", 4, "-o", tmp_path / "x.gif") == Exit.CANNOT_CHECK
    assert "pip install 'ringproof[gif]'" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_the_front_stands_on_paper_that_is_there() -> None:
    field = timing.Field(0.0, 10.0, ((0.0, 4.0), (10.0, 14.0)))
    assert field.front(0, 0.0) == pytest.approx(4.6)
    assert field.front(0, 0.5) == pytest.approx(7.0)
    assert field.front(0, 0.99) == pytest.approx(8.8)
    assert field.front(1, 0.0) == pytest.approx(14.6)
