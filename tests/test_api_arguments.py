"""What a newcomer hands to `import ringproof`: numpy's numbers, paths of every kind, and much that is wrong.

Whatever is raised is of one family, says what to give instead, and comes before any work.
"""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ringproof
from ringproof import Exit
from ringproof.assess import Options
from ringproof.inputs import check_item
from ringproof.program.asked import Asked
from ringproof.report import text
from ringproof.testing import assert_proved
from tests.conftest import HOME

RING = str(HOME / "schedules" / "ring.toml")
PARAMS = str(HOME / "schedules" / "hierarchical_ring.toml")
PROGRAM = str(HOME / "tests" / "programs" / "ring_all_reduce.xml")
WRONG_PROGRAM = str(HOME / "tests" / "programs" / "ring_wrong_offset.xml")
CUSTOM = str(HOME / "tests" / "programs" / "custom.xml")
TEXT = Path(RING).read_text(encoding="utf-8")
Ask = Callable[..., Any]
ASKS: dict[str, Ask] = {
    "check": ringproof.check, "load": lambda table, *_: ringproof.load(table), "simulate": ringproof.simulate,
    "cost": ringproof.cost, "draw": ringproof.draw, "assert_proved": assert_proved,
}  # fmt: skip
AT_A_SIZE = {name: ASKS[name] for name in ("simulate", "cost", "draw")}


def test_every_public_error_is_of_the_family() -> None:
    errors = [getattr(ringproof, name) for name in ringproof.__all__ if name.endswith("Error")]
    assert len(errors) == 7
    for error in errors:
        assert issubclass(error, ringproof.RingproofError)
        assert error is ringproof.RingproofError or error.__name__ in (ringproof.RingproofError.__doc__ or "")
    assert issubclass(ringproof.ArgumentError, ValueError)
    assert issubclass(ringproof.ArgumentTypeError, TypeError)


# ---- what fits ----------------------------------------------------------------------------------


@pytest.mark.parametrize("path", [RING, Path(RING), RING.encode()], ids=lambda path: type(path).__name__)
@pytest.mark.parametrize("name", ASKS)
def test_a_path_of_any_kind(name: str, path: Any) -> None:
    assert ASKS[name](path, 3) is not None
    assert isinstance(ringproof.load(path).path, str)
    assert ringproof.check(path, 3).path == RING


@pytest.mark.parametrize("kind", [np.int64, np.int32, np.uint8])
def test_whole_numbers_of_numpy_are_numbers(kind: Any) -> None:
    assert ringproof.check(RING, kind(3)).sizes == ringproof.check(RING, 3).sizes
    size = ringproof.simulate(PARAMS, kind(4), L=kind(2)).events.size
    assert size == ringproof.simulate(PARAMS, 4, L=2).events.size
    assert ringproof.cost(RING, kind(64)) == ringproof.cost(RING, 64)
    assert ringproof.draw(RING, kind(4), chunk=kind(1)) == ringproof.draw(RING, 4, chunk=1)
    assert ringproof.build({**ringproof.load(RING).values, "ranks": kind(4)}).values["ranks"] == 4


def test_several_ranks_in_whatever_holds_them() -> None:
    expected = ringproof.check(RING, (2, 3, 4)).sizes
    assert [size.N for size in expected] == [2, 3, 4]
    for ranks in ([4, 2, 3, 2], {2, 3, 4}, range(2, 5), range(4, 1, -1), np.arange(2, 5), iter([2, 3, 4])):
        assert ringproof.check(RING, ranks).sizes == expected
    fixed = HOME / "schedules" / "ring4_sends.toml"
    assert ringproof.check(fixed, range(1, 10**15)).sizes == ringproof.check(fixed).sizes


# ---- what does not ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ASKS)
@pytest.mark.parametrize(("given", "told"), [
    (None, "not None"), (5, "not int"), ({"name": "x"}, r"ringproof\.build\(values\)"), (["a"], "not list"),
], ids=lambda value: type(value).__name__)  # fmt: skip
def test_what_is_no_path(name: str, given: Any, told: str) -> None:
    with pytest.raises(ringproof.ArgumentTypeError, match=told):
        ASKS[name](given, 3)


@pytest.mark.parametrize("name", ASKS)
def test_a_text_where_its_path_belongs(name: str) -> None:
    with pytest.raises(ringproof.ArgumentError, match=r"ringproof\.parse\(text\)"):
        ASKS[name](TEXT, 3)


@pytest.mark.parametrize("name", ["load", *AT_A_SIZE])
def test_a_file_that_is_not_there_is_a_finding(name: str) -> None:
    with pytest.raises(ringproof.TableError, match=r"RP001: .* there is no such file") as caught:
        ASKS[name](HOME / "schedules" / "rong.toml", 3)
    assert caught.value.findings[0].helps
    assert ringproof.check("nowhere.xml").exit is Exit.CANNOT_CHECK


def test_texts_that_are_none() -> None:
    for given in (TEXT.encode(), None, 5, Path(RING)):
        with pytest.raises(ringproof.ArgumentTypeError, match="the text of a table is str"):
            ringproof.parse(given)  # type: ignore[arg-type]
    with pytest.raises(ringproof.TableError, match="RP003"):
        ringproof.parse(RING)
    with pytest.raises(ringproof.ArgumentTypeError, match="a dict and of keywords, not of list"):
        ringproof.build([1])  # type: ignore[arg-type]
    with pytest.raises(ringproof.ArgumentError, match="lone surrogate"):
        ringproof.parse(TEXT.replace("ring", "\ud800"))


@pytest.mark.parametrize("path", [Path("sub/ours.toml"), b"sub/ours.toml"])
def test_what_is_built_or_parsed_may_be_called_by_a_path(path: Any) -> None:
    for table in (ringproof.parse(TEXT, path), ringproof.build(ringproof.load(RING).values, path=path)):
        assert table.path == "sub/ours.toml"
        assert '"path": "sub/ours.toml"' in ringproof.render(ringproof.check(table, 2), "json")
    with pytest.raises(ringproof.ArgumentTypeError, match="path of a file, not int"):
        ringproof.parse(TEXT, 3)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", AT_A_SIZE)
@pytest.mark.parametrize("N", [4.0, "4", None, True, [4], np.float64(4), np.bool_(True), 1j])
def test_a_size_that_is_no_whole_number(name: str, N: Any) -> None:
    with pytest.raises(ringproof.ArgumentTypeError, match="N is a whole number, not "):
        AT_A_SIZE[name](RING, N)
    if N not in (None, [4]):
        with pytest.raises(ringproof.ArgumentTypeError, match="one number of ranks or several, as 8 or "):
            ringproof.check(RING, N)


@pytest.mark.parametrize("name", AT_A_SIZE)
@pytest.mark.parametrize(("N", "told"), [
    (0, "at least 1 rank"), (-4, "not -4"), (65, r"the claim is N = 2\.\.64"), (10**40, r"N = 2\.\.64"),
])  # fmt: skip
def test_a_size_that_is_not_claimed(name: str, N: int, told: str) -> None:
    with pytest.raises(ringproof.ArgumentError, match=told):
        AT_A_SIZE[name](RING, N)


def test_parameters_that_are_none() -> None:
    for name, ask in AT_A_SIZE.items():
        with pytest.raises(ringproof.ArgumentTypeError, match="L is a whole number, not '2'"):
            ask(PARAMS, 4, L="2")
        with pytest.raises(ringproof.ArgumentError, match="has no parameter K; it has: L"):
            ask(PARAMS, 4, K=2)
        assert name


BAD_OPTIONS: dict[str, tuple[Any, ...]] = {
    "timeout": (0, -1, math.nan, math.inf, "x", None, True), "seconds": (0, -1, "x", None),
    "memory": (0, -1, "4GiB", None, math.inf), "ports": (-1, 1.5, "2", None, True),
    "every_n": (True, "always", None), "also": ("complete", ["complete"], 5, None),
    "ranks": ("3", "2..4", 3.0, [3, "x"], [0], -1, (), {"a": 1}, b"3", [True], [[3]]),
}  # fmt: skip


TOLD = {"also": "property|list of words", "ranks": "rank|N is"}


@pytest.mark.parametrize(
    ("option", "value"), [(o, v) for o, values in BAD_OPTIONS.items() for v in values], ids=ascii
)
def test_options_that_cannot_be(option: str, value: Any) -> None:
    with pytest.raises(ringproof.RingproofError, match=TOLD.get(option, option)) as caught:
        ringproof.check(RING, **{"ranks": 3, option: value})
    assert isinstance(caught.value, ValueError | TypeError)


@pytest.mark.parametrize("given", [None, "x", 5, [5], ["x"], b"x"])
def test_what_is_no_report(given: Any) -> None:
    with pytest.raises(ringproof.ArgumentTypeError, match=r"what ringproof\.check returns"):
        ringproof.render(given)


def test_a_report_is_shown_short_and_every_format_is_at_hand() -> None:
    report = ringproof.check(RING, 3)
    assert repr(report) == f"Report(path={RING!r}, exit=<Exit.PROVED: 0>, results=8, findings=1)"
    for form in ("text", "concise", "json", "sarif", "github", "junit"):
        assert ringproof.render(report, form)
        assert ringproof.render(iter([report, report]), form)


def test_errors_come_whole_out_of_another_process() -> None:
    for ask in (lambda: ringproof.load("nowhere.toml"), lambda: ringproof.parse("a = "),
                lambda: ringproof.build(name="x"), lambda: ringproof.draw(RING, -1),
                lambda: ringproof.draw(str(HOME / "tests/wrong/swing_six.toml"), 6)):  # fmt: skip
        with pytest.raises(ringproof.RingproofError) as caught:
            ask()
        again = pickle.loads(pickle.dumps(caught.value))
        assert (type(again), str(again)) == (type(caught.value), str(caught.value))
        for name in ("findings", "report", "path", "text"):
            assert getattr(again, name, None) == getattr(caught.value, name, None)
    with pytest.raises(ringproof.NotProvedError, match=r"swing_six\.toml is not proved \(refuted\)"):
        ringproof.draw(str(HOME / "tests/wrong/swing_six.toml"), 6)


def test_completion_offers_what_is_public() -> None:
    assert [name for name in dir(ringproof) if not name.startswith("_")] == sorted(ringproof.__all__)


# ---- programs -----------------------------------------------------------------------------------


def test_a_program_is_checked_as_on_the_command_line() -> None:
    for path in (PROGRAM, Path(PROGRAM), WRONG_PROGRAM):
        told = ringproof.render(ringproof.check(path))
        assert told == text.render([check_item(str(path), Options())])
    assert ringproof.check(WRONG_PROGRAM).exit is Exit.REFUTED
    assert ringproof.check(PROGRAM, 4).exit is Exit.UNDECIDED
    with pytest.raises(AssertionError, match="RP624"):
        assert_proved(WRONG_PROGRAM)
    asked = Asked(runtime="msccl")
    told = ringproof.render(ringproof.check(PROGRAM, runtime="msccl"))
    assert told == text.render([check_item(PROGRAM, Options(program=asked))])
    assert ringproof.check(PROGRAM, collective="all-gather").exit is Exit.REFUTED


def test_a_wanted_result_of_a_program(tmp_path: Path) -> None:
    post = {"ends": "r > 0", "part": "k == r - 1"}
    (tmp_path / "p.toml").write_text("".join(f'{k} = "{v}"\n' for k, v in post.items()), encoding="utf-8")
    assert ringproof.check(CUSTOM, post=post).exit is Exit.PROVED
    assert ringproof.check(CUSTOM, post=tmp_path / "p.toml").exit is Exit.PROVED
    assert ringproof.check(CUSTOM, post={**post, "part": "k == r"}).exit is Exit.REFUTED
    with pytest.raises(ringproof.TableError, match="RP102"):
        ringproof.check(CUSTOM, post={"ends": "r > 0"})
    with pytest.raises(ringproof.ArgumentError, match="exclude each other"):
        ringproof.check(CUSTOM, post=post, collective="custom")


@pytest.mark.parametrize(("path", "more", "told"), [
    (PROGRAM, {"every_n": "demanded"}, "every_n is for tables, and .*xml is a program"),
    (PROGRAM, {"also": ("used",)}, "also is for tables"), (PROGRAM, {"ports": 2}, "ports is for tables"),
    (RING, {"runtime": "msccl"}, "runtime is for programs, and .*toml is a table"),
    (RING, {"post": {"part": "k == r"}}, "post is for programs"),
    (RING, {"collective": "all-gather"}, "collective is for programs"),
    (PROGRAM, {"collective": "gossip"}, "unknown collective 'gossip'"),
    (PROGRAM, {"runtime": "nccl"}, "unknown runtime 'nccl'; there are: msccl"),
])  # fmt: skip
def test_options_of_the_other_kind_are_refused(path: str, more: dict[str, Any], told: str) -> None:
    with pytest.raises(ringproof.ArgumentError, match=told):
        ringproof.check(path, **more)


# ---- pictures -----------------------------------------------------------------------------------

BEGINS = {"svg": b"<svg ", "pdf": b"%PDF-", "png": b"\x89PNG", "dot": b"//", "tikz": b"%", "gif": b"GIF89a",
          "html": b"<!DOCTYPE html>"}  # fmt: skip


@pytest.mark.parametrize("form", BEGINS)
def test_every_format_of_the_command_line_has_its_bytes(form: Any, tmp_path: Path) -> None:
    from ringproof.cli import main

    if form == "gif":
        pytest.importorskip("PIL")
    try:
        made = ringproof.draw(RING, 3, form=form)
    except ringproof.RenderError as error:
        pytest.skip(str(error))
    assert made.startswith(BEGINS[form])
    assert main(["draw", RING, "-N", "3", "-o", str(tmp_path / f"x.{form}")]) == Exit.PROVED
    assert made == (tmp_path / f"x.{form}").read_bytes()


def test_what_a_picture_is_like() -> None:
    assert ringproof.draw(RING, 3, width="2col", form="dot") == ringproof.draw(RING, 3, width=504, form="dot")
    assert ringproof.draw(RING, 3, legend="off", form="dot") != ringproof.draw(RING, 3, form="dot")


@pytest.mark.parametrize(("more", "error", "told"), [
    ({"form": "html", "layout": "vector"}, ValueError, "layout changes nothing in html"),
    ({"form": "html", "width": 300}, ValueError, "width changes nothing in html"),
    ({"form": "html", "chunk": 0}, ValueError, "chunk changes nothing in html"),
    ({"form": "html", "legend": "off"}, ValueError, "legend changes nothing in html"),
    ({"layout": "token", "chunk": 1}, ValueError, "whose life is drawn"),
    ({"chunk": 9}, ValueError, r"there is no chunk 9; slots are 0\.\.2"),
    ({"chunk": -1}, ValueError, "chunk is at least 0"), ({"chunk": "c"}, TypeError, "chunk is a whole"),
    ({"width": "wide"}, TypeError, "width is a number, not 'wide'"), ({"width": math.nan}, ValueError, "wid"),
    ({"width": None}, TypeError, "width"), ({"legend": False}, ValueError, "unknown legend False"),
    ({"form": None}, ValueError, "unknown form None"), ({"form": ["svg"]}, ValueError, "unknown form"),
])  # fmt: skip
def test_what_a_picture_cannot_be_like(more: dict[str, Any], error: type[Exception], told: str) -> None:
    with pytest.raises(error, match=told) as caught:
        ringproof.draw(RING, 3, **more)
    assert isinstance(caught.value, ringproof.RingproofError)


def test_a_page_of_too_many_ranks() -> None:
    with pytest.raises(ringproof.ArgumentError, match="a page shows at most 16 ranks, not 17"):
        ringproof.draw(RING, 17, form="html")


def test_what_draws_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ringproof.figure.gif.find_spec", lambda name: None)
    with pytest.raises(ringproof.RenderError, match=r"pip install 'ringproof\[gif\]'"):
        ringproof.draw(RING, 3, form="gif")
