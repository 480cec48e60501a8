"""The committed figures are what `ringproof figures` draws, byte for byte; each reads back.

After a change on purpose, `pytest --bless` writes them again: look at them before they are committed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from ringproof.cli import main
from ringproof.figure import chart
from ringproof.figure.gallery import COST, EXHIBITS
from ringproof.figure.ink import read_ink
from ringproof.figure.legibility import illegible
from ringproof.figure.palette import BLACK, CHUNKS, GREY, QUIET, WHITE
from ringproof.figure.reading_chart import ink_of
from ringproof.figure.verify import verify
from ringproof.verdict import Exit
from tests.conftest import HOME, Blessed, Run
from tests.test_draw_verify import resealed

FOLDER = HOME / "figures"
NAMES = [exhibit.name for exhibit in EXHIBITS]
MOST = 5_000_000  # bytes that all figures together may have
needs_matplotlib = pytest.mark.skipif(not chart.possible(), reason="the extra charts is not installed")


def redrawn(names: list[str], folder: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(HOME)
        assert main(["figures", *names, "-o", str(folder)]) == Exit.PROVED


@pytest.fixture(scope="module")
def exhibits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("figures")
    redrawn(NAMES, folder)
    return folder


def test_the_folder_has_what_is_drawn_and_nothing_else() -> None:
    expected = {f"{name}.{suffix}" for name in NAMES for suffix in ("svg", "dot")} | {f"{COST}.svg"}
    found = [path for path in FOLDER.iterdir() if path.is_file()]
    assert {path.name for path in found if path.suffix in (".svg", ".dot")} == expected
    assert sum(path.stat().st_size for path in found) < MOST


@pytest.mark.parametrize("name", NAMES)
def test_a_committed_figure_is_drawn_again(name: str, exhibits: Path, blessed: Blessed) -> None:
    for suffix in ("svg", "dot"):
        blessed(FOLDER / f"{name}.{suffix}", (exhibits / f"{name}.{suffix}").read_text(encoding="utf-8"))
    text = (FOLDER / f"{name}.svg").read_text(encoding="utf-8")
    assert verify(text).wrong == ()
    assert illegible(read_ink(text)) == []


@needs_matplotlib
def test_the_cost_chart_is_drawn_again(tmp_path: Path, blessed: Blessed) -> None:
    redrawn([COST], tmp_path)
    blessed(FOLDER / f"{COST}.svg", (tmp_path / f"{COST}.svg").read_text(encoding="utf-8"))


def test_the_cost_chart_reads_back_and_can_be_read() -> None:
    text = (FOLDER / f"{COST}.svg").read_text(encoding="utf-8")
    assert verify(text).wrong == ()
    drawing = ink_of(text)
    assert illegible(drawing) == []
    labels = [shape for shape in drawing.shapes if shape.kind == "text"]
    assert min(label.size for label in labels) >= 6.0
    assert {label.text for label in labels} >= {words for _, words, _ in chart.CURVES}
    colors = {color for shape in drawing.shapes for color in (shape.fill, shape.stroke) if color}
    assert colors <= {*CHUNKS, BLACK, WHITE, GREY, QUIET}


def test_the_cost_chart_says_what_the_library_counts() -> None:
    found = chart.curves(sorted(map(str, (HOME / "schedules").glob("*.toml"))))
    ring = next(curve for curve in found if curve.table == "ring")
    assert ring.steps == tuple((N, 2.0 * (N - 1)) for N in chart.RANKS)
    assert ring.traffic == tuple((N, 2 * (N - 1) / N) for N in chart.RANKS)
    doubling = next(curve for curve in found if curve.table == "halving_doubling")
    assert doubling.steps == tuple((2**k, 2.0 * k) for k in range(1, 7))


def moved(text: str, pattern: str) -> str:
    """The second point of a curve five points lower."""
    found = re.search(pattern + r'.*?<path d="M [-\d. ]+\nL [-\d.]+ ([-\d.]+)', text, re.DOTALL)
    assert found
    return text[: found.start(1)] + f"{float(found[1]) + 5:g}" + text[found.end(1) :]


CHART_DEFECTS: dict[str, tuple[str, Callable[[str], str]]] = {
    "a curve moved": ("the curve steps_ring", lambda text: moved(text, 'id="steps_ring"')),
    "a grey curve moved": ("the curve traffic_swing", lambda text: moved(text, 'id="traffic_swing"')),
    "a curve renamed": ("other curves of steps", lambda text: text.replace(
        'id="steps_ring"', 'id="steps_king"')),
    "a tick renumbered": ("an axis whose numbers", lambda text: text.replace(">16</text>", ">17</text>", 1)),
    "a mark moved": ("a mark of steps_ring", lambda text: re.sub(
        r'(id="steps_ring".*?<use [^>]*? y=")[\d.]+', r"\g<1>9", text, count=1, flags=re.DOTALL)),
}  # fmt: skip


@pytest.mark.parametrize("defect", CHART_DEFECTS)
def test_a_defect_in_the_chart_is_found(defect: str) -> None:
    why, plant = CHART_DEFECTS[defect]
    text = (FOLDER / f"{COST}.svg").read_text(encoding="utf-8")
    changed = plant(text)
    assert changed != text
    assert any("ink was changed" in wrong for wrong in verify(changed).wrong) or verify(changed).wrong
    assert any(wrong.startswith(why) for wrong in verify(resealed(changed)).wrong)


def test_a_figure_that_does_not_exist(run: Run, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, _ = run("figures", "ring5", "-o", str(tmp_path))
    assert code == Exit.CANNOT_CHECK
    assert list(tmp_path.iterdir()) == []


def test_elsewhere_it_says_where_to_run_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["figures", "-o", "."]) == Exit.CANNOT_CHECK
    assert "at the root of the repository" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_without_matplotlib_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(HOME)
    monkeypatch.setattr(chart, "possible", lambda: False)
    assert main(["figures", "-o", str(tmp_path)]) == Exit.CANNOT_CHECK
    assert "ringproof[charts]" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
