"""The film of the ring: what it refuses to show, what it counts, and that its words never overlap."""

from __future__ import annotations

import importlib.util
import itertools
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from ringproof.events import expand
from ringproof.figure.film import NotTrueError, film, moves, sent, true_sums
from ringproof.figure.story import Story, tell
from ringproof.simulate import simulate
from ringproof.table.reader import read_schedule
from ringproof.table.source import read
from tests.conftest import HOME

SCENE = HOME / "figures" / "ring_allreduce" / "scene.py"
RING, NAIVE = HOME / "schedules" / "ring.toml", HOME / "schedules" / "naive.toml"
WRONG = HOME / "tests" / "wrong" / "ring_one_rotation_shifted.toml"
SCATTER = HOME / "schedules" / "ring_reduce_scatter.toml"
needs_manim = pytest.mark.skipif(
    not importlib.util.find_spec("manim"), reason="the extra render is not installed"
)


def story_of(path: Path, N: int) -> Story:
    """A story without any check."""
    schedule = read_schedule(read(str(path)).values, str(path))
    return tell(schedule, simulate(expand(schedule, next(iter(schedule.at(N))))))


@pytest.mark.parametrize("N", [3, 4, 5])
def test_a_film_counts_what_was_sent(N: int) -> None:
    ring, naive = film(RING, N), film(NAIVE, N)
    assert ring.steps == 2 * (N - 1)
    assert ring.busiest(0) == 0
    assert ring.busiest(ring.steps) == Fraction(2 * (N - 1), N) == ring.story.outcome.counts.traffic
    assert (naive.busiest(naive.steps), naive.steps) == (N - 1, 1)
    assert sum(map(len, ring.moves)) == ring.story.outcome.counts.total_sends == 2 * N * (N - 1)


def test_what_stays_on_its_rank_is_no_traffic() -> None:
    story = story_of(HOME / "schedules" / "pairwise_all_to_all.toml", 4)
    assert any(move.sender == move.receiver for step in moves(story) for move in step)
    assert max(sent(story)[-1]) == story.outcome.counts.traffic


@pytest.mark.parametrize(
    ("path", "told"),
    [
        (WRONG, "all-reduce is wrong for N = 4"),
        (SCATTER, "chunk 1 on rank 0 is not the true sum"),
        (HOME / "nowhere.toml", "is not filmed"),
    ],
    ids=["refuted", "proved for something else", "missing"],
)
def test_what_is_not_true_is_not_filmed(path: Path, told: str) -> None:
    with pytest.raises(NotTrueError, match=told):
        film(path, 4)


def test_a_size_that_the_table_does_not_claim_is_not_filmed() -> None:
    with pytest.raises(NotTrueError, match=r"claims N = 2\.\.64"):
        film(RING, 65)


@pytest.mark.parametrize("path", sorted((HOME / "tests" / "wrong").glob("ring_*.toml")), ids=lambda p: p.stem)
def test_the_sums_are_checked_without_the_proof(path: Path) -> None:
    try:
        story = story_of(path, 4)
    except ValueError:
        pytest.skip("it cannot run at all")
    complete = not story.outcome.violations.get("complete")
    if complete and story.schedule.promise.collective == "all-reduce":
        true_sums(story)
    else:
        with pytest.raises(NotTrueError):
            true_sums(story)


# ---- the scene itself ---------------------------------------------------------------------------

# Names of manim as this scene takes them; importing the stub is seen on standard output.
STUB = """
print("manim is imported")
class Any_:
    def __getattr__(self, name): return self
    def __call__(self, *a, **k): return self
def __getattr__(name):
    return type(name, (), {}) if name[0].isupper() and not name.isupper() else Any_()
"""


def imported(tmp_path: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Import the scene in a process of its own, with a stub in place of manim."""
    (tmp_path / "manim.py").write_text(STUB)
    path = os.pathsep.join([str(tmp_path), str(HOME), str(SCENE.parent)])
    return subprocess.run(
        [sys.executable, "-c", "import scene; print(sorted(n for n in dir(scene) if n.startswith('Ring')))"],
        env={**os.environ, "PYTHONPATH": path, **environment}, cwd=tmp_path, capture_output=True, text=True,
        check=False,
    )  # fmt: skip


def test_the_scene_can_be_imported(tmp_path: Path) -> None:
    found = imported(tmp_path)
    assert found.returncode == 0, found.stderr
    assert found.stdout.splitlines() == ["manim is imported", "['RingAllReduce']"]


@pytest.mark.parametrize("table", [WRONG, SCATTER], ids=lambda p: p.stem)
def test_the_scene_refuses_to_import_what_is_not_true(tmp_path: Path, table: Path) -> None:
    found = imported(tmp_path, RING_TABLE=str(table))
    assert found.returncode == 1
    assert "is not filmed" in found.stderr
    assert "manim" not in found.stdout


@pytest.mark.parametrize("ranks", ["2", "6"])
def test_the_scene_says_how_many_ranks_it_can_show(tmp_path: Path, ranks: str) -> None:
    found = imported(tmp_path, RING_RANKS=ranks)
    assert found.returncode == 1
    assert f"the film shows 3 to 5 ranks, not {ranks}" in found.stderr


# Run with manim: at every pause each text lies on the page and on no other text.
LOOK = """
import itertools, json, sys
import scene as film
from manim import Text, config, tempconfig

class Looked(film.RingAllReduce):
    seen = []
    def wait(self, *a, **k):
        words = [part for mobject in self.mobjects for part in mobject.get_family() if isinstance(part, Text)]
        words = list({id(part): part for part in words if part.fill_opacity}.values())
        boxes = [(part.text, *part.get_corner([-1, -1, 0])[:2], *part.get_corner([1, 1, 0])[:2])
                 for part in words]
        self.seen.append([[text, *map(float, box)] for text, *box in boxes])

with tempconfig({"dry_run": True, "frame_rate": 2, "pixel_width": 854, "pixel_height": 480,
                 "progress_bar": "none", "verbosity": "ERROR"}):
    scene = Looked()
    scene.render()
    page = [config.frame_width / 2, config.frame_height / 2]
json.dump({"page": page, "seen": scene.seen}, open(sys.argv[1], "w"))
"""


@needs_manim
@pytest.mark.sweep
@pytest.mark.parametrize("ranks", ["3", "4", "5"])
def test_no_words_overlap(tmp_path: Path, ranks: str) -> None:
    import json

    out = tmp_path / "seen.json"
    path = os.pathsep.join([str(HOME), str(SCENE.parent)])
    done = subprocess.run(
        [sys.executable, "-c", LOOK, str(out)], cwd=tmp_path, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": path, "RING_RANKS": ranks},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(out.read_text())
    assert len(found["seen"]) == 2 * (int(ranks) - 1) + 3
    for words in found["seen"]:
        assert len(words) > int(ranks) ** 2
        assert overlapping(words) == []
        assert outside(words, found["page"]) == []


def overlapping(words: list[list[Any]]) -> list[tuple[str, str]]:
    """Pairs of texts whose boxes share more than a hair."""
    return [
        (a[0], b[0]) for a, b in itertools.combinations(words, 2)
        if min(a[3], b[3]) - max(a[1], b[1]) > 0.01 and min(a[4], b[4]) - max(a[2], b[2]) > 0.01
    ]  # fmt: skip


def outside(words: list[list[Any]], page: list[float]) -> list[str]:
    across, up = page
    return [w[0] for w in words if min(w[1], -w[3]) < -across + 0.1 or min(w[2], -w[4]) < -up + 0.1]


def test_what_the_overlap_check_refuses() -> None:
    assert overlapping([["a", 0, 0, 1, 1], ["b", 0.5, 0.5, 2, 2]]) == [("a", "b")]
    assert overlapping([["a", 0, 0, 1, 1], ["b", 1.0, 0, 2, 1]]) == []
    assert outside([["a", 6.5, 0, 7.2, 1], ["b", 0, 0, 1, 1], ["c", 0, 3.5, 1, 4]], [7.11, 4]) == ["a", "c"]


@needs_manim
@pytest.mark.sweep
def test_the_film_is_rendered(tmp_path: Path) -> None:
    made = ["-ql", "--media_dir", str(tmp_path), "scene.py", "RingAllReduce"]
    command = [sys.executable, "-m", "manim", *made]
    done = subprocess.run(command, cwd=SCENE.parent, capture_output=True, text=True, check=False,
                          env={**os.environ, "PYTHONPATH": str(HOME)})  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    films = list(tmp_path.rglob("RingAllReduce.mp4"))
    assert len(films) == 1
    assert films[0].stat().st_size > 50_000
