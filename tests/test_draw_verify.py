"""`verify-figure` reads pictures back from their ink: as drawn they agree, and no planted defect passes.

A defect is planted in the ink, and the file is sealed again as a careful forger would: so it is the
reading that has to find it, not the digest.
"""

from __future__ import annotations

import hashlib
import html
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from ringproof.cli import main
from ringproof.figure.facts import sealed
from ringproof.figure.verify import verify
from ringproof.verdict import Exit
from tests.conftest import HOME, sampled

RING, WRONG = "schedules/ring.toml", "tests/wrong/ring_one_rotation_shifted.toml"
_METADATA = re.compile(r"<metadata>(.*?)</metadata>\n", re.DOTALL)
CASES = {
    "token": (RING, "-N", "4"),
    "vector": (RING, "-N", "4", "--layout", "vector", "--width", "2col"),
    "several": ("schedules/halving_doubling.toml", "-N", "8", "--width", "2col"),
    "heat": (RING, "-N", "9"),
    "matrix": (RING, "-N", "5", "--layout", "matrix"),
    "life": (RING, "-N", "5", "--layout", "life", "--chunk", "2"),
    "wrong": (WRONG, "-N", "4", "--counterexample"),
    "double": ("tests/wrong/swing_six.toml", "--counterexample"),
    "broken": ("tests/wrong/ring_send_to_rank_n.toml", "--counterexample"),
    "near the seam": ("schedules/double_binary_tree_all_reduce.toml", "-N", "7", "-p", "S=4",
                      "--layout", "vector", "--width", "2col"),
    "rooted": ("schedules/binomial_broadcast.toml", "-N", "7"),
    "scratch": ("schedules/one_shot_all_reduce.toml", "-N", "3"),
    "local": ("schedules/bruck_all_to_all.toml", "-N", "4", "--width", "2col"),
    "compare": ("--compare", RING, WRONG, "-N", "4", "--width", "2col"),
}  # fmt: skip


def drawn(name: str, folder: Path) -> str:
    path = folder / f"{name}.svg"
    assert main(["draw", *CASES[name], "-o", str(path)]) == Exit.PROVED
    return path.read_text()


def resealed(svg: str, change: Callable[[dict[str, object]], None] | None = None) -> str:
    """The same file with metadata that fit its ink again."""
    found = _METADATA.search(svg)
    assert found
    facts = json.loads(html.unescape(found[1]))
    facts["ink"] = hashlib.sha256(svg[found.end() :].encode()).hexdigest()
    if change:
        change(facts)
    text = html.escape(json.dumps(sealed(facts)), quote=False)
    return f"{svg[: found.start()]}<metadata>{text}</metadata>\n{svg[found.end() :]}"


def shape(svg: str, name: str) -> re.Match[str]:
    found = re.search(rf'<\w+ id="{name}"[^>]*/>\n|<text id="{name}"[^>]*>[^<]*</text>\n', svg)
    assert found, name
    return found


def replaced(svg: str, name: str, change: Callable[[str], str]) -> str:
    found = shape(svg, name)
    changed = change(found[0])
    assert changed != found[0]
    return svg[: found.start()] + changed + svg[found.end() :]


def without(svg: str, *names: str) -> str:
    for name in names:
        svg = replaced(svg, name, lambda _: "")
    return svg


def shifted(text: str, dx: float, dy: float) -> str:
    """All coordinates of a group moved, in units of a twentieth of a point."""

    def move(match: re.Match[str]) -> str:
        return f"{float(match[1]) + dx:g},{float(match[2]) + dy:g}"

    return re.sub(r"(-?[\d.]+),(-?[\d.]+)", move, text)


def painted(text: str, color: str) -> str:
    return re.sub(r'fill="#[0-9a-f]{6}"', f'fill="{color}"', text)


def exchanged(svg: str, first: str, second: str) -> str:
    """Two shapes with each other's paint."""
    a, b = (re.findall(r'fill="(#[0-9a-f]{6})"', shape(svg, name)[0])[0] for name in (first, second))
    return replaced(replaced(svg, first, lambda g: painted(g, b)), second, lambda g: painted(g, a))


def last(svg: str, ink: str) -> str:
    """Ink painted over everything else."""
    return svg.replace("</g>\n</svg>", f"{ink}\n</g>\n</svg>")


POINTS = 'points="{0},{1} {2},{1} {2},{3} {0},{3}"'


@pytest.fixture(autouse=True)
def at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(HOME)


@pytest.mark.parametrize("name", sampled(CASES, 2))
def test_a_picture_agrees_with_itself(name: str, tmp_path: Path) -> None:
    svg = drawn(name, tmp_path)
    assert verify(svg).wrong == ()
    assert verify(resealed(svg)).wrong == ()
    assert main(["verify-figure", str(tmp_path / f"{name}.svg")]) == Exit.PROVED


TOOTH = r'<path fill="none" stroke="#4a4a4a" stroke-width="10"[^>]*/>\n'
def beside(svg: str, name: str, more: str) -> str:
    """One more attribute for a shape."""
    return replaced(svg, name, lambda g: g.replace(f'id="{name}"', f'id="{name}" {more}'))


GAP = 900, -1980, 1020, -1860  # between two boxes of the token picture, where a send goes
ON_BOX = 1140, -2180, 1460, -1960
HIDDEN = {
    "a white patch on a send": lambda svg: last(svg, f'<polygon fill="#ffffff" {POINTS.format(*GAP)}/>'),
    "a patch with an edge": lambda svg: last(
        svg, f'<polygon fill="#ffffff" stroke="#ffffff" {POINTS.format(*ON_BOX)}/>'),
    "a round patch": lambda svg: last(
        svg, '<ellipse fill="#ffffff" cx="1300" cy="-2070" rx="200" ry="140"/>'),
    "a patch of five corners": lambda svg: last(
        svg, '<polygon fill="#ffffff" points="1140,-2180 1460,-2180 1460,-1960 1300,-1940 1140,-1960"/>'),
    "a patch that is a path": lambda svg: last(
        svg, '<path fill="#ffffff" d="M1140,-2180C1240,-2180 1360,-2180 1460,-1960"/>'),
    "a thick white stroke": lambda svg: last(
        svg, '<path fill="none" stroke="#ffffff" stroke-width="60" '
        'd="M960,-2000C960,-1950 960,-1900 960,-1850"/>'),
    "a thick lane": lambda svg: last(
        svg, '<path fill="none" stroke="#cfcfcf" stroke-width="60" '
        'd="M900,-1900C940,-1900 980,-1900 1020,-1900"/>'),
    "a second label": lambda svg: last(svg, '<text x="1240" y="-2060" font-size="140">c9</text>'),
    "loose words": lambda svg: last(svg, '<text x="900" y="-1900" font-size="140">c9</text>'),
    "another element": lambda svg: last(
        svg, '<rect x="900" y="-2000" width="500" height="500" fill="#ffffff"/>'),
    "an image": lambda svg: last(svg, '<image x="900" y="-2000" width="500" height="500"/>'),
    "a style sheet": lambda svg: svg.replace(
        '<g id="graph0"', '<style>polygon{fill:red}</style><g id="graph0"'),
    "a style": lambda svg: beside(svg, SEND, 'style="display:none"'),
    "covered words": lambda svg: last(
        svg, f'<polygon fill="#ffffff" {POINTS.format(350, -300, 3600, -220)}/>'),
    "what is hidden": lambda svg: beside(svg, SEND, 'visibility="hidden"'),
    "what is seen through": lambda svg: beside(svg, "t1_r1_s3_p0", 'fill-opacity="0"'),
    "what is cut off": lambda svg: beside(svg, SEND, 'clip-path="url(#a)"'),
    "what moves": lambda svg: replaced(svg, SEND, lambda g: g.replace(
        "/>", '><animate attributeName="opacity" values="0" dur="1s"/></path>')),
    "a part of a label": lambda svg: replaced(svg, "t1_r1_s3_label", lambda g: g.replace(
        ">c3<", '>c3<tspan dx="-99">c1</tspan><')),
    "another view": lambda svg: svg.replace('viewBox="0.00 0.00 240.00', 'viewBox="0.00 0.00 120.00'),
    "a style sheet before it": lambda svg: '<?xml-stylesheet href="x.css"?>' + svg,
}  # fmt: skip


@pytest.mark.parametrize("defect", HIDDEN)
def test_nothing_can_be_hidden(defect: str, tmp_path: Path) -> None:
    svg = drawn("token", tmp_path)
    changed = HIDDEN[defect](svg)
    assert changed != svg
    found = verify(resealed(changed)).wrong
    assert found != (), "sealed again, it passes"
    assert not any("seal" in why or "digest" in why for why in found)


def test_a_patch_over_two_panels_is_in_both(tmp_path: Path) -> None:
    svg = drawn("compare", tmp_path)
    changed = last(svg, f'<polygon fill="#ffffff" {POINTS.format(4000, -3300, 6500, -2300)}/>')
    assert verify(resealed(changed)).wrong != ()


SEND = "send_t1_r1_r2_c3"  # of the token picture: the step in which rank 1 sends rank 2 chunk 3
COPY = "send_t3_r0_r1_c0"
DEFECTS: dict[str, tuple[str, Callable[[str], str]]] = {
    "an arrow moved": ("token", lambda svg: replaced(
        replaced(svg, SEND, lambda g: shifted(g, 0, 440)), f"{SEND}_head", lambda g: shifted(g, 0, 440))),
    "a head hollowed": ("token", lambda svg: replaced(svg, f"{SEND}_head", lambda g: g + painted(
        re.sub(rf'id="{SEND}_head"', 'id="x"', g), "#ffffff"))),
    "a hollow head filled": ("token", lambda svg: without(svg, f"{COPY}_hollow")),
    "a slot painted in": ("token", lambda svg: replaced(svg, "t1_r1_s3_p0", lambda g: g + shifted(
        g, 2 * 15.5 / 4 * 20, 0))),
    "a slot painted out": ("token", lambda svg: without(svg, "t1_r1_s3_p0")),
    "a slot painted white": ("token", lambda svg: replaced(
        svg, "t1_r1_s3_p0", lambda g: painted(g, "#ffffff"))),
    "a send deleted": ("token", lambda svg: without(svg, SEND, f"{SEND}_head")),
    "a head deleted": ("token", lambda svg: without(svg, f"{SEND}_head")),
    "a line of two deleted": ("token", lambda svg: without(svg, f"{COPY}_b")),
    "the seam shifted": ("token", lambda svg: replaced(
        svg, "send_t0_r3_r0_c2_out", lambda g: shifted(g, 60, 0))),
    "a label changed": ("token", lambda svg: replaced(
        svg, "t1_r1_s3_label", lambda g: g.replace(">c3<", ">c1<"))),
    "a patch over a box": ("token", lambda svg: replaced(svg, "t1_r1_s3_label", lambda g: g + (
        '<polygon fill="#ffffff" points="1200,-2100 1500,-2100 1500,-1900 1200,-1900"/>\n'))),
    "a rank's label changed": ("token", lambda svg: svg.replace(">rank 1<", ">rank 2<")),
    "a step's number changed": ("token", lambda svg: svg.replace(">step 1<", ">step 2<")),
    "a chip changed": ("several", lambda svg: svg.replace(">c4&#45;7<", ">c0&#45;3<", 1)),
    "a tooth deleted": ("several", lambda svg: re.sub(TOOTH, "", svg, count=1)),
    "a vector slot painted out": ("vector", lambda svg: without(svg, "t2_r2_s3_p0")),
    "a solid box emptied": ("vector", lambda svg: replaced(svg, "t6_r0_s0", lambda g: painted(g, "#ffffff"))),
    "a cell repainted": ("heat", lambda svg: replaced(svg, "m_2_3", lambda g: painted(g, "#440154"))),
    "a cell of a strange colour": ("heat", lambda svg: replaced(
        svg, "m_2_3", lambda g: painted(g, "#ff0000"))),
    "a life cell repainted": ("heat", lambda svg: replaced(svg, "v_2_1_8", lambda g: painted(g, "#17304a"))),
    "a cell deleted": ("heat", lambda svg: without(svg, "m_2_3")),
    "a run of cells deleted": ("heat", lambda svg: without(svg, "v_2_1_8")),
    "a cell moved by a column": ("heat", lambda svg: replaced(svg, "m_2_3", lambda g: shifted(g, 267, 0))),
    "a cell moved by a row": ("heat", lambda svg: replaced(svg, "m_2_3", lambda g: shifted(g, 0, 232))),
    "a cell moved a little": ("heat", lambda svg: replaced(svg, "m_2_3", lambda g: shifted(g, 6, 0))),
    "two cells exchanged": ("heat", lambda svg: exchanged(svg, "m_2_3", "m_5_7")),
    "two rows exchanged": ("heat", lambda svg: exchanged(svg, "v_2_0", "v_2_10_16")),
    "a patch over cells": ("heat", lambda svg: replaced(svg, "m_2_3", lambda g: g + shifted(g, 7, 7))),
    "a patch exactly over a cell": ("heat", lambda svg: replaced(svg, "m_2_3", lambda g: g + painted(
        g, "#440154"))),
    "a patch under a cell": ("heat", lambda svg: replaced(svg, "m_2_3", lambda g: painted(g, "#440154") + g)),
    "a patch painted last": ("heat", lambda svg: last(
        svg, f'<polygon fill="#17304a" {POINTS.format(1000, -6000, 2000, -5500)}/>')),
    "a patch over all": ("heat", lambda svg: last(
        svg, f'<polygon fill="#ffffff" {POINTS.format(0, -6720, 4800, 0)}/>')),
    "a line through cells": ("heat", lambda svg: last(
        svg, '<path fill="none" stroke="#000000" stroke-width="20" d="M1000,-6000C1100,-5900 1200,-5800 '
        '1300,-5700"/>')),
    "a label on cells": ("heat", lambda svg: last(svg, '<text x="1000" y="-6000" font-size="130">c3</text>')),
    "a rank of an axis changed": ("heat", lambda svg: svg.replace(">4</text>", ">5</text>", 1)),
    "a step of an axis changed": ("heat", lambda svg: svg.replace(">10</text>", ">11</text>", 1)),
    "another chunk in the legend": ("heat", lambda svg: svg.replace("parts of c0", "parts of c1")),
    "another whole in the legend": ("heat", lambda svg: svg.replace(">all 9<", ">all 8<")),
    "another scale": ("heat", lambda svg: svg.replace(">c8</text>", ">c7</text>")),
    "a legend repainted": ("heat", lambda svg: svg.replace(
        'fill="#440154" points="1', 'fill="#fde725" points="1')),
    "an axis renamed": ("heat", lambda svg: svg.replace(">steps done<", ">step<")),
    "what receivers do": ("heat", lambda svg: svg.replace("receiver adds", "receiver overwrites")),
    "what receivers do, in lanes": ("token", lambda svg: svg.replace("receiver adds", "receiver overwrites")),
    "a phase renamed": ("token", lambda svg: svg.replace(">reduce&#45;scatter<", ">all&#45;gather<")),
    "a phase over other steps": ("token", lambda svg: svg.replace(
        "M2648.53,-2554C", "M3348.53,-2554C")),
    "a counterexample mended": ("wrong", lambda svg: replaced(svg, "t4_r1_s0_p1", lambda g: painted(
        g, "#0b3c7d"))),
    "a legend's words exchanged": ("token", lambda svg: svg.replace(
        ">send, receiver adds<", ">send, overwrites<")),
    "a legend's arrow hollowed": ("token", lambda svg: last(
        svg, '<polygon fill="#ffffff" points="280,-150 340,-130 280,-110"/>')),
    "a finding changed": ("wrong", lambda svg: svg.replace(
        ">1 of 4 parts, missing ranks 1", ">1 of 4 parts, missing ranks 0")),
    "a finding changed, here and there": ("wrong", lambda svg: svg.replace("1 of 4 parts", "2 of 4 parts")),
    "a tag changed": ("wrong", lambda svg: svg.replace(">1/4<", ">3/4<")),
    "a count changed": ("compare", lambda svg: svg.replace(">6 steps, 24 sends<", ">6 steps, 12 sends<")),
    "a red frame on what is right": ("token", lambda svg: last(
        svg, '<polygon fill="none" stroke="#c8102e" stroke-width="28" '
        f"{POINTS.format(469, -2176, 779, -1964)}/>")),
    "one panel of two": ("compare", lambda svg: without(svg, "a_t1_r1_s3_p0")),
    "a broken picture's send": ("broken", lambda svg: without(
        svg, "send_t0_r0_r1_c1_head")),
}  # fmt: skip


@pytest.mark.parametrize("defect", DEFECTS)
def test_every_planted_defect_is_found_in_the_ink(defect: str, tmp_path: Path) -> None:
    name, plant = DEFECTS[defect]
    svg = drawn(name, tmp_path)
    changed = plant(svg)
    assert changed != svg
    assert verify(changed).wrong != ()
    found = verify(resealed(changed)).wrong
    assert found != (), "sealed again, it passes"
    assert not any("seal" in why or "digest" in why for why in found)


def test_what_the_metadata_say_is_sealed(tmp_path: Path) -> None:
    svg = drawn("token", tmp_path)
    edits = (('"verdict":"proved"', '"verdict":"refuted"'), ('"steps":6', '"steps":6,"x":1'),
             ('"schedule":"', '"schedule":"0'))  # fmt: skip
    for old, new in edits:
        assert old in svg
        assert any("seal" in why for why in verify(svg.replace(old, new)).wrong)


def test_a_verdict_is_run_again(tmp_path: Path) -> None:
    def proved(facts: dict[str, object]) -> None:
        facts["verdict"], facts["finding"] = "proved", ""

    def refuted(facts: dict[str, object]) -> None:
        facts["verdict"], facts["refutes"] = "refuted", ["complete"]

    wrong = verify(resealed(drawn("wrong", tmp_path), proved)).wrong
    assert any("not right: complete" in why for why in wrong)
    right = verify(resealed(drawn("token", tmp_path), refuted)).wrong
    assert any("the sends that are drawn are right" in why for why in right)


def test_what_a_field_says_of_its_sends_is_run(tmp_path: Path) -> None:
    svg = drawn("heat", tmp_path)

    def edited(key: str, value: object) -> Callable[[dict[str, object]], None]:
        return lambda facts: facts.update({key: value})

    sends = str(json.loads(html.unescape(_METADATA.search(svg)[1]))["sends"])  # type: ignore[index]
    fewer = " ".join(sends.split(" ")[:-1])
    edits = (
        ("sends", fewer, "not right: complete"), ("sends", "7@9", "repetition of nothing"),
        ("sends", f"{sends} 9999999@1", "more than 1048576 sends"), ("chunk", 3, "does not hold after"),
        ("chunk", 3, "the legend of the life says c0"), ("verdict", "refuted", "no finding says why"),
        ("steps", 15, "cells"), ("steps", 8, "cells"), ("phases", [["one", 0, 16]], "phases are drawn"),
        ("facts", "0", "the cells say something else"),
        ("promise", {"collective": "x", "starts": "all", "ends": "all", "part": ["1ff"] * 8 + ["1fe"],
                     "chunk": "own"}, "not right: complete"),
    )  # fmt: skip
    for key, value, why in edits:
        found = verify(resealed(svg, edited(key, value))).wrong
        assert any(why in wrong for wrong in found), (key, why, found)
    forged = {"verdict": "refuted", "refutes": ["complete"]}
    refuted = verify(resealed(svg, lambda facts: facts.update(forged)))
    assert any("the sends that are drawn are right" in wrong for wrong in refuted.wrong)


@pytest.mark.parametrize("layout", ["matrix", "life"])
def test_more_chunks_than_colours_can_tell_apart(layout: str, tmp_path: Path) -> None:
    """Of 300 shades some are the same colour: what is drawn so is no forgery."""
    table = tmp_path / "many.toml"
    row = 'when = "r == 0"\nfor = { d = "1..N - 1" }\nto = "d"\nchunk = "s"\nop = "copy"\n'
    table.write_text('name = "many"\ncollective = "broadcast"\nranks = "5"\nchunks = 300\n[[phase]]\n'
                     f'name = "one a step"\nsteps = 300\n[[phase.send]]\n{row}')  # fmt: skip
    path = tmp_path / "many.svg"
    line = ["draw", str(table), "-N", "5", "--width", "800", "--layout", layout, "-o", str(path)]
    assert main(line) == Exit.PROVED
    assert verify(path.read_text()).wrong == ()


NOT_OURS = ("", "# a text", "<svg/>", "<svg xmlns='http://www.w3.org/2000/svg' width='9pt'></svg>",
            "<svg><metadata>{}</metadata></svg>", '<svg><metadata>{"tool":"other"}</metadata></svg>',
            "<svg><metadata>[1]</metadata></svg>")  # fmt: skip


def test_what_is_no_picture_cannot_be_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for text in NOT_OURS:
        (tmp_path / "x.svg").write_text(text)
        assert main(["verify-figure", str(tmp_path / "x.svg")]) == Exit.CANNOT_CHECK
        assert "cannot check" in capsys.readouterr().out
    (tmp_path / "x.svg").write_bytes(b"\xff\xfe\x00")
    assert main(["verify-figure", str(tmp_path / "x.svg"), str(tmp_path / "none.svg")]) == Exit.CANNOT_CHECK
    told = capsys.readouterr().out
    assert "x.svg:1:1: cannot check: the file is not UTF-8" in told
    assert "no such file" in told


OF = {
    "token": (RING,), "several": ("schedules/halving_doubling.toml",), "heat": (RING,), "life": (RING,),
    "wrong": (WRONG,), "compare": (RING, WRONG), "broken": ("tests/wrong/ring_send_to_rank_n.toml",),
}  # fmt: skip


@pytest.mark.parametrize("name", OF)
def test_a_picture_is_of_its_table(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / f"{name}.svg"
    path.write_text(drawn(name, tmp_path))
    named = [argument for table in OF[name] for argument in ("--table", table)]
    assert main(["verify-figure", str(path), *named]) == Exit.PROVED
    assert capsys.readouterr().out.endswith(f"of {' and '.join(OF[name])}\n")
    other = tmp_path / "ring_shifted.toml"
    other.write_text(Path("schedules/ring_shifted.toml").read_text())
    again = [argument for _ in OF[name] for argument in ("--table", str(other))]
    assert main(["verify-figure", str(path), *again]) == Exit.REFUTED
    assert "drawn from another text" in capsys.readouterr().out
    assert main(["verify-figure", str(path), *named, "--table", RING]) == Exit.REFUTED
    assert "tables, not" in capsys.readouterr().out


def test_a_picture_of_no_table_at_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "token.svg"
    path.write_text(drawn("token", tmp_path))
    assert main(["verify-figure", str(path), "--table", "README.md"]) == Exit.CANNOT_CHECK
    assert main(["verify-figure", str(path), "--table", "schedules/bcube.toml"]) == Exit.REFUTED


def test_the_worst_of_several_pictures_counts(tmp_path: Path) -> None:
    svg = drawn("token", tmp_path)
    (tmp_path / "bad.svg").write_text(svg.replace(">c3<", ">c1<"))
    assert main(["verify-figure", str(tmp_path / "token.svg"), str(tmp_path / "bad.svg")]) == Exit.REFUTED


def test_metadata_that_say_less_are_no_metadata(tmp_path: Path) -> None:
    svg = drawn("token", tmp_path)
    for key in ("N", "layout", "verdict", "promise", "phases", "facts", "runs", "sentences"):
        changed = resealed(svg, lambda facts, key=key: facts.pop(key))  # type: ignore[misc]
        assert any("no metadata that ringproof writes" in wrong for wrong in verify(changed).wrong), key
