"""`ringproof draw`: what is drawn, what is refused, and that the bytes are the same on every run."""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from ringproof.cli import main
from ringproof.figure import pdf, render
from ringproof.figure.ink import read_ink
from ringproof.verdict import Exit
from tests.conftest import HOME

RING = "schedules/ring.toml"
WRONG = "tests/wrong/ring_flipped_sign.toml"


@pytest.fixture(autouse=True)
def at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(HOME)


def draw(*arguments: object) -> int:
    return int(main(["draw", *map(str, arguments)]))


def metadata(svg: str) -> dict[str, object]:
    found = re.search(r"<metadata>(.*?)</metadata>", svg)
    assert found
    facts: dict[str, object] = json.loads(html.unescape(found[1]))
    return facts


def test_every_format_follows_its_suffix(tmp_path: Path) -> None:
    forms = {".svg": b"<svg", ".png": b"\x89PNG", ".dot": b"// ring", ".gv": b"// ring", ".tikz": b"% ring",
             ".tex": b"% ring"}  # fmt: skip
    outputs = [argument for suffix in forms for argument in ("-o", tmp_path / f"ring{suffix}")]
    assert draw(RING, "-N", 4, *outputs) == Exit.PROVED
    for suffix, begins in forms.items():
        assert (tmp_path / f"ring{suffix}").read_bytes().startswith(begins)


def test_the_same_bytes_on_every_run(tmp_path: Path) -> None:
    for suffix in ("svg", "dot", "tikz", "png"):
        for name in ("a", "b"):
            assert draw(RING, "-N", 5, "-o", tmp_path / f"{name}.{suffix}") == Exit.PROVED
        assert (tmp_path / f"a.{suffix}").read_bytes() == (tmp_path / f"b.{suffix}").read_bytes()


def test_a_file_says_what_it_is(tmp_path: Path) -> None:
    draw(RING, "-N", 4, "-o", tmp_path / "ring.svg")
    svg = (tmp_path / "ring.svg").read_text()
    facts = metadata(svg)
    assert (facts["N"], facts["verdict"], facts["layout"], facts["steps"]) == (4, "proved", "token", 6)
    assert 'role="img"' in svg
    assert "<title>ring all-reduce, N = 4</title>" in svg
    assert str(HOME) not in svg
    assert "<!--" not in svg


of_every_kind = pytest.mark.parametrize(
    "arguments", [("-N", 4), ("-N", 9), ("-N", 4, "--layout", "vector", "--width", "2col")]
)


def raw(dot: Path) -> str:
    """Graphviz's own SVG of a DOT file, before it is dressed."""
    command = [render._bundled(), "-Kneato", "-n2", "-Tsvg"]
    return subprocess.run(command, input=dot.read_bytes(), capture_output=True, check=True).stdout.decode()


@of_every_kind
def test_every_node_and_edge_of_the_dot_is_a_group_in_the_svg(
    arguments: tuple[object, ...], tmp_path: Path
) -> None:
    draw(RING, *arguments, "-o", tmp_path / "ring.dot")
    text = (tmp_path / "ring.dot").read_text()
    nodes = set(re.findall(r"^(\w+) \[", text, re.MULTILINE)) - {"graph", "node", "edge", "page"}
    edges = set(re.findall(r"^\w+ -> \w+ \[id=\"([^\"]+)\"", text, re.MULTILINE))
    groups = re.findall(r'<g id="([^"]+)" class="(?:node|edge)', raw(tmp_path / "ring.dot"))
    assert len(nodes) > 100
    assert sorted(groups) == sorted(nodes | edges)


@of_every_kind
def test_dressing_changes_no_ink(arguments: tuple[object, ...], tmp_path: Path) -> None:
    draw(RING, *arguments, "-o", tmp_path / "ring.dot", "-o", tmp_path / "ring.svg")
    plain, dressed = raw(tmp_path / "ring.dot"), (tmp_path / "ring.svg").read_text()
    before = [replace(s, group="", order=0) for s in read_ink(plain).shapes if s.fill or s.stroke]
    after = [replace(s, group="", order=0) for s in read_ink(dressed).shapes]
    assert len(dressed) < 0.75 * len(plain)
    assert before == after


def test_a_send_runs_between_its_cells(tmp_path: Path) -> None:
    draw(RING, "-N", 4, "-o", tmp_path / "ring.dot")
    dot = (tmp_path / "ring.dot").read_text()
    assert re.search(r't0_r0_s3 -> t1_r1_s3 \[id="send_t0_r0_r1_c3" class="send reduce" pos="', dot)


def test_a_refuted_table_is_not_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert draw(WRONG, "-N", 4, "-o", tmp_path / "x.svg") == Exit.REFUTED
    assert "RP301" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []


def test_a_counterexample_is_drawn_at_the_smallest_wrong_size(tmp_path: Path) -> None:
    assert draw(WRONG, "--counterexample", "-o", tmp_path / "x.svg") == Exit.PROVED
    svg = (tmp_path / "x.svg").read_text()
    facts = metadata(svg)
    assert (facts["N"], facts["verdict"]) == (3, "refuted")
    assert "#c8102e" in svg
    assert "#0b3c7d" in svg
    assert "#2776b1" not in svg


def test_a_proved_table_has_no_counterexample(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert draw(RING, "-N", 4, "--counterexample", "-o", tmp_path / "x.svg") == Exit.CANNOT_CHECK
    assert "no counterexample" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("path", sorted((HOME / "tests" / "wrong").glob("*.toml")), ids=lambda p: p.stem)
def test_every_known_mistake_can_be_drawn(path: Path, tmp_path: Path) -> None:
    assert draw(path.relative_to(HOME), "--counterexample", "-o", tmp_path / "x.svg") == Exit.PROVED


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((RING, "-N", "65"), "claims N = 2..64"),
        ((RING,), "give -N"),
        ((RING, "-N", "4", "-o", "x.webp"), "unknown suffix '.webp'"),
        ((RING, "-N", "4", "-o", "nowhere/x.svg"), "there is no folder nowhere"),
        ((RING, "-N", "4", "-o", RING, "--format", "svg"), "would overwrite the table"),
        ((RING, "-N", "64", "--width", "120", "--layout", "matrix", "-o", "x.webp"), "unknown suffix"),
        ((RING, "-N", "4", "--width", "wide"), "not 1col, 2col or a number of points"),
        ((RING, "-N", "4", "--chunk", "4"), "there is no chunk 4"),
        ((RING, "-N", "4", "-p", "L=2"), "it is no parameter"),
        (("schedules/halving_doubling.toml", "-N", "6"), "claims nothing of N = 6"),
        ((RING, RING, "-N", "4"), "draw takes one"),
    ],
)
def test_bad_input_says_what_to_do(
    arguments: tuple[str, ...], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert draw(*arguments) == Exit.CANNOT_CHECK
    assert told in capsys.readouterr().err


def test_a_width_that_no_layout_fits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "long.toml"
    table.write_text(
        'name = "long"\ncollective = "broadcast"\nranks = "2"\nchunks = "1"\nwaive = ["no-resend"]\n'
        '[[phase]]\nname = "p"\nsteps = "900"\n[[phase.send]]\nwhen = "r == 0"\nto = "1"\nchunk = "0"\n'
        'op = "copy"\n'
    )
    assert draw(table, "-N", 2, "-o", tmp_path / "x.svg") == Exit.CANNOT_CHECK
    assert "no layout fits 240 pt" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["long.toml"]


def test_nothing_is_left_where_a_file_cannot_be_written(tmp_path: Path) -> None:
    from ringproof.outfile import TargetError, write

    with pytest.raises(TargetError):
        write({str(tmp_path / "a.svg"): b"a", str(tmp_path / "no" / "b.svg"): b"b"})
    assert list(tmp_path.iterdir()) == []


def test_a_link_stays_a_link_and_a_device_a_device(tmp_path: Path) -> None:
    from ringproof.outfile import TargetError, write

    (tmp_path / "real.svg").write_text("old")
    (tmp_path / "link.svg").symlink_to("real.svg")
    write({str(tmp_path / "link.svg"): b"new", os.devnull: b"nothing"})
    assert (tmp_path / "link.svg").is_symlink()
    assert (tmp_path / "real.svg").read_bytes() == b"new"
    assert not Path(os.devnull).is_file()
    if Path("/dev/full").exists():
        with pytest.raises(TargetError, match="cannot write /dev/full: no space left"):
            write({str(tmp_path / "a.svg"): b"a", "/dev/full": b"x"})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.svg", "real.svg"]


def test_a_renderer_that_is_asked_for_is_not_replaced(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None if name == "dot" else name)
    monkeypatch.setattr(pdf, "possible", lambda: True)
    for suffix in ("pdf", "svg"):
        arguments = (RING, "-N", 4, "--renderer", "system", "-o", tmp_path / f"x.{suffix}")
        assert draw(*arguments) == Exit.CANNOT_CHECK
        assert "there is no Graphviz on this system" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_what_does_not_fit_gives_way_and_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert draw(RING, "-N", 8, "-o", tmp_path / "x.svg") == Exit.PROVED
    printed = capsys.readouterr()
    assert "note: token does not fit, matrix+life is drawn" in printed.err
    assert "matrix+life" in printed.out


def test_pdf_without_graphviz_names_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None if name == "dot" else name)
    monkeypatch.setattr(pdf, "possible", lambda: False)
    assert draw(RING, "-N", 4, "-o", tmp_path / "x.pdf") == Exit.CANNOT_CHECK
    told_by = capsys.readouterr().err
    assert "install it" in told_by
    assert "ringproof[pdf]" in told_by
    assert list(tmp_path.iterdir()) == []
