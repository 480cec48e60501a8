"""`import ringproof`: what users call from Python, and tables that are built there."""

from __future__ import annotations

import doctest
import enum
import importlib
import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.vendor.pretty import pretty

import ringproof
from ringproof import api, pictures
from ringproof.assess import Options, Settings
from ringproof.check import check_file
from ringproof.collective import COLLECTIVES
from ringproof.figure.layout import Layout
from ringproof.figure.targets import FORMATS as PICTURES
from ringproof.program.load import Runtime
from ringproof.report import FORMATS, renderer, text
from ringproof.simulate import Optional
from ringproof.strategies import mutants, schedules
from ringproof.table.reader import read_schedule
from ringproof.table.source import read
from ringproof.table.written import literal, plain, written
from ringproof.testing import assert_proved
from tests.conftest import HOME

SCHEDULES = sorted((HOME / "schedules").rglob("*.toml"))
RING = str(HOME / "schedules" / "ring.toml")
WRONG = str(HOME / "tests" / "wrong" / "ring_reduce_scatter_plus_one.toml")
GATHER: dict[str, Any] = {
    "name": "ring all-gather", "collective": "all-gather", "ranks": "2..5", "chunks": "N",
    "phase": [{
        "name": "all-gather", "steps": "N - 1",
        "send": [{"to": "(r + 1) % N", "chunk": "(r - s) % N", "op": "copy"}],
    }],
}  # fmt: skip

def python(script: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", script]
    return subprocess.run(command, cwd=HOME, capture_output=True, text=True, timeout=60)


# ---- threads ------------------------------------------------------------------------------------


THREADS = """
import ringproof
from concurrent.futures import ThreadPoolExecutor
paths = [{wrong!r}, {ring!r}, {program!r}] * 4

def told(path):
    return ringproof.render(ringproof.check(path, 4 if path.endswith("ring_all_reduce.xml") else None,
                                            **({{}} if path.endswith("xml") else {{"every_n": "never"}})))

alone = [told(path) for path in paths[:3]] * 4
with ThreadPoolExecutor(6) as threads:
    assert list(threads.map(told, paths)) == alone
"""
FORKED = """
import multiprocessing, threading, ringproof
from ringproof.turn import in_turn
path, at_work, over = {ring!r}, threading.Event(), threading.Event()

@in_turn
def work():
    at_work.set()
    over.wait()

def exit_code():
    with multiprocessing.get_context("fork").Pool(1) as forked:
        return forked.apply(ringproof.check, (path, 3)).exit

other = threading.Thread(target=work)
other.start()
at_work.wait()
try:
    exit_code()
except ringproof.ForkedError as error:
    print(error)
over.set()
other.join()
print(exit_code(), in_turn(exit_code)())
"""


def test_threads_take_turns_and_find_what_one_alone_finds() -> None:
    program = str(HOME / "tests" / "programs" / "ring_all_reduce.xml")
    done = python(THREADS.format(wrong=WRONG, ring=RING, program=program))
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_process_that_is_forked_while_a_thread_checks_is_refused_z3() -> None:
    done = python(FORKED.format(ring=RING))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "this process was forked while another thread of its parent checked, and cannot use Z3; "
        "begin it in another way, such as spawn",
        "0 0",
    ]


# ---- examples and imports -----------------------------------------------------------------------


@pytest.mark.parametrize("name", ["ringproof", "ringproof.tables", "ringproof.api", "ringproof.pictures",
                                  "ringproof.testing", "ringproof.strategies"])  # fmt: skip
def test_what_the_docstrings_show_is_so(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(HOME)
    done = doctest.testmod(importlib.import_module(name))
    assert done.attempted >= 2
    assert done.failed == 0


def test_an_import_brings_nothing_heavy() -> None:
    script = (
        "import sys, ringproof; dir(ringproof); "
        "print(sorted(m for m in sys.modules if m.startswith('ringproof') or m in ('numpy', 'z3', 'click')))"
    )
    done = python(script)
    assert (done.stdout, done.stderr) == ("['ringproof']\n", "")


def test_names_of_functions_stay_so_when_their_modules_are_imported() -> None:
    script = (
        "import ringproof, ringproof.check, ringproof.simulate.state, ringproof.cost.survey\n"
        "from ringproof.check import check_file\n"
        "print([getattr(ringproof, n).__module__ for n in ('check', 'simulate', 'cost', 'draw')])\n"
        "from ringproof import check, load, Report\n"
        "print(check.__name__, load.__name__, Report.__name__, ringproof.table.__name__)"
    )
    done = python(script)
    told = "['ringproof.api', 'ringproof.api', 'ringproof.api', 'ringproof.pictures']"
    assert (done.stdout, done.stderr) == (f"{told}\ncheck load Report ringproof.table\n", "")


def test_every_public_name_is_there_and_documented() -> None:
    assert set(ringproof.__all__) <= set(dir(ringproof))
    for name in ringproof.__all__:
        assert getattr(ringproof, name).__doc__, name
    with pytest.raises(AttributeError, match="has no attribute 'chekc'"):
        ringproof.chekc  # type: ignore[attr-defined]  # noqa: B018


def test_the_words_of_the_types_are_all_there_are() -> None:
    assert get_args(api.Format) == FORMATS
    assert get_args(api.Further) == api.FURTHER
    assert set(get_args(pictures.Picture)) == set(PICTURES)
    assert get_args(Layout) == pictures.LAYOUTS
    assert get_args(api.Runtime) == get_args(Runtime)


# ---- check --------------------------------------------------------------------------------------


def test_check_says_what_the_command_says() -> None:
    few = Options(ranks=((2, 4),))
    assert ringproof.render(ringproof.check(RING, [4, 2, 3])) == text.render([check_file(RING, few)])
    one = Options(Settings(Optional(("used", "order"), 1)), ((4, 4),), induction="never")
    told = ringproof.check(RING, 4, also=("used", "order"), ports=1, every_n="never")
    assert text.render([told]) == text.render([check_file(RING, one)])


def test_check_reports_what_is_wrong_with_a_file_and_raises_nothing(tmp_path: Path) -> None:
    assert ringproof.check(tmp_path / "nowhere.toml").exit is ringproof.Exit.CANNOT_CHECK
    assert ringproof.check(WRONG, 3).exit is ringproof.Exit.REFUTED
    assert ringproof.check(RING, 65).exit is ringproof.Exit.UNDECIDED


@pytest.mark.parametrize("ranks", [0, (), [3, -1], range(0)])
def test_check_refuses_ranks_that_are_none(ranks: Any) -> None:
    with pytest.raises(ValueError, match="at least 1 rank"):
        ringproof.check(RING, ranks)


def test_check_refuses_a_property_it_does_not_know() -> None:
    with pytest.raises(ValueError, match="unknown property 'complete'; there are: used, order, no-swap"):
        ringproof.check(RING, also=("complete",))  # type: ignore[arg-type]


def test_demanded_for_every_n() -> None:
    fixed = str(HOME / "schedules" / "ring4_sends.toml")
    assert ringproof.check(fixed, every_n="never").exit is ringproof.Exit.PROVED
    assert ringproof.check(fixed, every_n="demanded").exit is ringproof.Exit.UNDECIDED


# ---- simulate, cost, draw -----------------------------------------------------------------------


def test_simulate_gives_every_send_and_where_it_is_wrong() -> None:
    outcome = ringproof.simulate(WRONG, 3)
    events = outcome.events
    columns = (events.step, events.sender, events.receiver, events.chunk, events.into)
    assert {column.shape for column in columns} == {(6,)}
    assert {column.dtype for column in columns} == {np.dtype("int64")}
    assert {name for name, found in outcome.violations.items() if found} >= {"complete"}
    assert outcome.violations["complete"].cells[0] == (0, 0)


def test_params_choose_a_size_and_others_take_their_first() -> None:
    path = str(HOME / "schedules" / "hierarchical_ring.toml")
    assert ringproof.simulate(path, 4, L=2).events.size == ringproof.cost(path, 4, L=2).size
    assert dict(ringproof.simulate(path, 4).events.size.params) == {"L": 1}
    with pytest.raises(ValueError, match="has no parameter K; it has: L"):
        ringproof.cost(path, 4, K=2)
    with pytest.raises(ValueError, match="L = 3 is not among the parameters there"):
        ringproof.simulate(path, 4, L=3)
    with pytest.raises(ValueError, match=r"the claim is N = 2\.\.64"):
        ringproof.draw(RING, 65)


def test_what_cannot_be_unrolled_has_findings() -> None:
    made = ringproof.build(GATHER, chunks="1 // (N - 3)")
    for ask in (ringproof.simulate, ringproof.cost):
        with pytest.raises(ringproof.TableError) as caught:
            ask(made, 3)
        assert caught.value.findings[0].code.startswith("RP2")


def test_a_wrong_table_has_no_cost_and_no_picture() -> None:
    found = ringproof.cost(WRONG, 3)
    assert (found.outcome, found.counted) == ("refuted", None)
    assert "complete" in found.reason
    with pytest.raises(ringproof.NotProvedError) as caught:
        ringproof.draw(WRONG, 3)
    assert caught.value.report.exit is ringproof.Exit.REFUTED


def test_draw_takes_a_built_table_and_refuses_what_does_not_fit() -> None:
    made = ringproof.build(GATHER)
    picture = ringproof.draw(made, 3, layout="token", form="dot")
    assert b"graph" in picture
    assert b"ring all-gather, N = 3" in picture
    assert picture == ringproof.draw(ringproof.parse(made.to_toml()), 3, layout="token", form="dot")
    with pytest.raises(ValueError, match=r"there is no chunk 9; slots are 0\.\.2"):
        ringproof.draw(made, 3, chunk=9)
    row = {"when": "r == 0", "to": 1, "chunk": 0, "op": "copy"}
    long = ringproof.build(name="long", collective="broadcast", ranks="2", chunks=1, waive=["no-resend"],
                           phase=[{"name": "p", "steps": 900, "send": [row]}])  # fmt: skip
    with pytest.raises(ValueError, match=r"token: .*vector: "):
        ringproof.draw(long, 2)


@pytest.mark.parametrize(("more", "told"), [
    ({"layout": "circle"}, "unknown layout 'circle'; there are: auto, "),
    ({"form": "webp"}, "unknown form 'webp'; there are: svg, "),
    ({"width": 12.0}, "width is between 120 and 1440, not 12"),
])  # fmt: skip
def test_draw_refuses_what_it_does_not_know(more: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        ringproof.draw(RING, 3, **more)


# ---- tables in Python ---------------------------------------------------------------------------


@pytest.mark.parametrize("path", SCHEDULES, ids=lambda path: path.stem)
def test_every_schedule_is_printed_as_toml_that_reads_the_same(path: Path) -> None:
    table = ringproof.load(path)
    again = ringproof.parse(table.to_toml(), str(path))
    assert again.values == table.values
    assert json.dumps(again.values, sort_keys=True) == json.dumps(table.values, sort_keys=True)
    assert again.to_toml() == table.to_toml() == str(table)
    assert again.schedule == table.schedule


def test_a_built_table_is_proved_and_printed_like_one_from_a_file(tmp_path: Path) -> None:
    made = ringproof.build(GATHER)
    file = tmp_path / "gather.toml"
    file.write_text(made.to_toml(), encoding="utf-8")
    of_file, of_table = ringproof.check(file), ringproof.check(made)
    assert of_file.exit is of_table.exit is ringproof.Exit.PROVED
    assert ringproof.render(of_table) == ringproof.render(of_file).replace(str(file), "<python>")


def test_a_finding_in_a_built_table_has_its_place_in_the_toml_it_stands_for() -> None:
    wrong = {**GATHER["phase"][0]["send"][0], "op": "add"}
    with pytest.raises(ringproof.TableError) as caught:
        ringproof.build(GATHER, phase=[{**GATHER["phase"][0], "send": [wrong]}])
    assert [finding.code for finding in caught.value.findings] == ["RP104"]
    shifted = {**GATHER["phase"][0]["send"][0], "chunk": "(r - s + 1) % N"}
    made = ringproof.build(GATHER, phase=[{**GATHER["phase"][0], "send": [shifted]}])
    assert '12 |   chunk = "(r - s + 1) % N"\n' in ringproof.render(ringproof.check(made))


def test_a_table_that_uses_another_is_built_beside_it() -> None:
    path = HOME / "schedules" / "hierarchical_composed.toml"
    values = ringproof.load(path).values
    of_file = read_schedule(read(str(path)).values, str(path))
    assert ringproof.build(values, path=str(path)).schedule == of_file
    with pytest.raises(ringproof.TableError, match="RP116"):
        ringproof.build(values, path="elsewhere/x.toml")


@pytest.mark.parametrize("value", [1.5, None, {1: 2}, {"a"}, np.float64(3), b"x", [None]])
def test_what_toml_has_not_cannot_be_built(value: Any) -> None:
    with pytest.raises(TypeError, match=r"a table holds|a key of a table is text"):
        ringproof.build(GATHER, notes=value)


def test_members_of_enums_are_what_they_stand_for() -> None:
    class Op(enum.StrEnum):
        COPY = "copy"

    class Count(enum.IntEnum):
        ONE = 1

    send = {**GATHER["phase"][0]["send"][0], "op": Op.COPY, "let": {"d": Count.ONE}}
    made = ringproof.build(GATHER, phase=[{**GATHER["phase"][0], "send": [send]}])
    row = made.values["phase"][0]["send"][0]
    assert (type(row["op"]), type(row["let"]["d"])) == (str, int)
    assert ringproof.check(made, 3).exit is ringproof.Exit.PROVED
    assert ringproof.parse(made.to_toml()).values == made.values


def test_values_without_end_are_refused() -> None:
    endless: dict[str, Any] = {**GATHER}
    endless["let"] = endless
    with pytest.raises(ringproof.ArgumentError, match="hold themselves"):
        ringproof.build(endless)


def test_tuples_are_lists_and_text_is_unicode() -> None:
    made = ringproof.build(GATHER, waive=("no-resend",))
    assert made.values["waive"] == ["no-resend"]
    with pytest.raises(ValueError, match="surrogates"):
        ringproof.build(GATHER, notes="\udcff")


_WORDS = st.text(st.characters(codec="utf-8"), max_size=8)
_VALUES = st.recursive(
    _WORDS | st.integers(-(1 << 63), (1 << 63) - 1) | st.booleans(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_WORDS, inner, max_size=4)
    | st.lists(st.dictionaries(_WORDS, inner, max_size=3), max_size=3),
    max_leaves=12,
)  # fmt: skip
_KEYS = _WORDS | st.sampled_from(["phase", "send", "sends", "let", "a.b", "", '"'])


@given(st.dictionaries(_KEYS, _VALUES, max_size=5))
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_any_values_are_written_so_that_they_read_back(values: dict[str, Any]) -> None:
    read_back = tomllib.loads(written(values))
    assert json.dumps(read_back, sort_keys=True) == json.dumps(values, sort_keys=True)
    assert plain(values) == values


@given(st.text(st.characters(codec="utf-8")))
def test_a_literal_is_one_line_and_reads_back(text: str) -> None:
    assert "\n" not in literal(text)
    assert tomllib.loads(f"a = {literal(text)}") == {"a": text}


# ---- in users' tests ----------------------------------------------------------------------------


def test_a_failure_shows_the_report() -> None:
    with pytest.raises(AssertionError) as caught:
        assert_proved(WRONG)
    assert str(caught.value) == text.render([ringproof.check(WRONG)])
    with pytest.raises(AssertionError, match="nothing to prove"):
        assert_proved(RING, ranks=65)
    with pytest.raises(AssertionError, match="RP001"):
        assert_proved("nowhere.toml")
    assert assert_proved(RING, ranks=3).exit is ringproof.Exit.PROVED


@given(schedules())
@settings(max_examples=30)
def test_drawn_schedules_are_well_formed_and_print_as_toml(table: ringproof.Table) -> None:
    assert ringproof.parse(table.to_toml()).values == table.values
    assert table.schedule.promise.collective in COLLECTIVES


@given(schedules() | st.just(ringproof.load(RING)) | st.just(ringproof.build(GATHER, notes="a\\b\n'''")))
@settings(max_examples=30)
def test_a_table_that_fails_a_test_is_shown_so_that_it_can_be_had_again(table: ringproof.Table) -> None:
    """What Hypothesis would print; the path alone says nothing of a drawn table."""
    shown = pretty(table)
    again = eval(shown, {"ringproof": ringproof})
    assert (again.values, again.path, again.schedule) == (table.values, table.path, table.schedule)
    assert table.name in shown


def test_without_hypothesis_it_says_what_to_install() -> None:
    script = (
        "import sys\nsys.modules['hypothesis'] = None\n"
        "try:\n    import ringproof.strategies\nexcept ModuleNotFoundError as error:\n    print(error)"
    )
    assert python(script).stdout == (
        "ringproof.strategies needs Hypothesis: pip install 'ringproof[hypothesis]'\n"
    )


def test_mutants_are_one_edit_off_and_most_of_a_ring_are_wrong() -> None:
    made = ringproof.build(GATHER)
    seen: dict[str, ringproof.Exit] = {}

    @given(mutants(made))
    @settings(max_examples=40)
    def look(mutation: Any) -> None:
        assert mutation.table.values != made.values
        told = ringproof.check(mutation.table, 4, every_n="never")
        seen[f"{mutation.route}{mutation.after}"] = told.exit

    look()
    exits = list(seen.values())
    assert len(exits) > 10
    assert exits.count(ringproof.Exit.REFUTED) > len(exits) / 2


def test_a_table_of_one_rank_may_have_nothing_to_change() -> None:
    with pytest.raises(ringproof.TableError):
        mutants("nowhere.toml")


def test_an_unknown_format() -> None:
    with pytest.raises(ValueError, match="unknown format 'xml'; there are: text, "):
        renderer("xml")


def test_what_replay_found_is_told_in_a_line() -> None:
    flipped = HOME / "tests" / "wrong" / "ring_flipped_sign.toml"
    right, wrong = (ringproof.simulate(path, 4) for path in (RING, flipped))
    assert repr(right) == (
        "Outcome(N = 4, Counts(steps=6, sends_per_rank=6, total_sends=24, traffic=Fraction(3, 2), "
        "received=Fraction(3, 2), idle_steps=()), failing=[])"
    )
    assert repr(wrong).endswith("failing=['complete', 'no-resend'])")


def test_how_to_work_may_be_said_of_any_file() -> None:
    program = HOME / "tests" / "programs" / "gather.xml"
    assert ringproof.check(program, every_n="never").exit is ringproof.Exit.PROVED
    with pytest.raises(ringproof.ArgumentError, match="every_n is for tables"):
        ringproof.check(program, every_n="demanded")
