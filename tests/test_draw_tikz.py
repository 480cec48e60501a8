"""The TikZ writer: LaTeX compiles it without a complaint, and puts the same ink on the page as the SVG.

Skipped, with the reason, where there is no pdflatex with TikZ, or no poppler to look at its page.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from ringproof.cli import main
from ringproof.figure import pdf
from ringproof.figure.ink import Drawing, read_ink
from ringproof.verdict import Exit
from tests.conftest import HOME
from tests.test_draw_renderers import KINDS


def lacking() -> str:
    """What this machine lacks to compile TikZ and look at it, or nothing."""
    for program in ("pdflatex", "pdftoppm", "pdftotext"):
        if not shutil.which(program):
            return f"no {program} on this system"
    for file in ("tikz.sty", "helvet.sty", "geometry.sty"):
        found = subprocess.run(["kpsewhich", file], capture_output=True, text=True, check=False)
        if not found.stdout.strip():
            return f"this TeX has no {file}"
    return "" if pdf.possible() else "the extra pdf, which the page is compared with, is not installed"


WHY = lacking()
pytestmark = pytest.mark.skipif(bool(WHY), reason=WHY)
PAGE = r"""\documentclass{article}
\usepackage[paperwidth=%gbp,paperheight=%gbp,margin=0pt]{geometry}
\usepackage{tikz}
\usepackage{helvet}
\usepackage[T1]{fontenc}
\pagestyle{empty}\parindent0pt\topskip0pt
\begin{document}
\vbox to 0pt{\input{figure.tikz}\vss}
\end{document}
"""
DPI, DARK = 150, 96  # how finely pages are compared, and from which difference of grey on pixels differ
MOST = 0.001  # of all pixels: where a stroke ends between two of them


@pytest.fixture(autouse=True)
def at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(HOME)


def compiled(kind: str, folder: Path) -> Drawing:
    """One kind of picture as TikZ through LaTeX to page.pdf, and what its SVG has."""
    outputs = ["-o", str(folder / "figure.tikz"), "-o", str(folder / "figure.svg")]
    assert main(["draw", *KINDS[kind], *outputs]) == Exit.PROVED
    svg = (folder / "figure.svg").read_text()
    drawing = read_ink(svg)
    (folder / "page.tex").write_text(PAGE % (drawing.width, drawing.height))
    (folder / "other.pdf").write_bytes(pdf.render(svg, "", ""))
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    log = (folder / "page.log").read_text(errors="replace")
    assert re.findall(r"^.*(?:Warning|Overfull|Underfull|Missing character).*$", log, re.MULTILINE) == []
    assert "Output written on page.pdf (1 page" in log
    return drawing


def grey(path: Path) -> tuple[int, int, bytes]:
    """Width, height and pixels of a one-page PDF."""
    command = ["pdftoppm", "-r", str(DPI), "-gray", "-singlefile", path, path.with_suffix("")]
    subprocess.run(command, check=True)
    header = re.match(rb"P5\s+(\d+)\s+(\d+)\s+255\s", content := path.with_suffix(".pgm").read_bytes())
    assert header
    return int(header[1]), int(header[2]), content[header.end() :]


def differing(folder: Path, drawing: Drawing) -> float:
    """The share of pixels that differ, outside of the labels: those are in another Helvetica."""
    (wide, high, a), (*size, b) = grey(folder / "page.pdf"), grey(folder / "other.pdf")
    assert [wide, high] == size
    words = bytearray(wide * high)
    for left, top, right, bottom in (s.box for s in drawing.shapes if s.kind == "text"):
        x, width = max(int((left - 1) * DPI / 72), 0), int((right - left + 2.5) * DPI / 72)
        width = min(width, wide - x)
        for y in range(max(int((top - 1) * DPI / 72), 0), min(int((bottom + 1) * DPI / 72), high)):
            words[y * wide + x : y * wide + x + width] = b"x" * width
    return sum(abs(p - q) > DARK and not w for p, q, w in zip(a, b, words, strict=True)) / len(a)


@pytest.mark.parametrize("kind", KINDS)
def test_latex_puts_the_same_ink_on_the_page(kind: str, tmp_path: Path) -> None:
    assert differing(tmp_path, compiled(kind, tmp_path)) < MOST


def test_words_stand_where_the_svg_has_them(tmp_path: Path) -> None:
    drawing = compiled("compare", tmp_path)
    command = ["pdftotext", "-bbox", str(tmp_path / "page.pdf"), "-"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = re.findall(r'xMin="(\S+)" yMin="(\S+)" xMax="(\S+)" yMax="(\S+)">([^<]*)<', listed)
    single = [shape for shape in drawing.shapes if shape.kind == "text" and " " not in shape.text]
    ends = [(word[4], float(word[0]), float(word[2])) for word in found]
    assert len(single) > 60
    for shape in single:
        assert any(abs(left - shape.box[0]) < 0.6 and (
            (word == shape.text and abs(right - shape.box[2]) < 0.6) or word == f"{shape.text}:")
            for word, left, right in ends), shape.text  # fmt: skip


def test_a_moved_box_is_seen(tmp_path: Path) -> None:
    drawing = compiled("token", tmp_path)
    text = (tmp_path / "figure.tikz").read_text()
    first = re.search(r"\\fill\[rp2776b1\] \(([\d.]+),", text)
    assert first
    moved = text.replace(first[0], rf"\fill[rp2776b1] ({float(first[1]) - 30:g},")
    (tmp_path / "figure.tikz").write_text(moved)
    subprocess.run(["pdflatex", "-interaction=batchmode", "page.tex"], cwd=tmp_path, check=True,
                   capture_output=True)  # fmt: skip
    assert differing(tmp_path, drawing) > MOST
