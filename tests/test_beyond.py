"""Every N on the command line: what is said beyond the claim, and which exit codes it costs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ringproof import beyond
from ringproof.assess import Options
from ringproof.check import check_file
from ringproof.proof import every_n
from ringproof.proof.every_n.arithmetic import Untranslatable
from ringproof.proof.every_n.context import Desk
from ringproof.proof.every_n.sizes import cases
from ringproof.table.reader import read_schedule
from ringproof.verdict import Beyond, Exit, Proved, Refuted, Size, Undecided
from tests.conftest import HOME, Run

RING = "schedules/ring.toml"
TO_41 = """
name = "ring all-gather to 41"
collective = "all-gather"
ranks = "2..41"
chunks = "N"
owner = "c"
[claims]
steps = "N - 1"
[[phase]]
name = "gather"
steps = "N - 1"
[[phase.send]]
to = "(r + 1) % N"
chunk = "(r - s) % N"
op = "copy"
"""


@pytest.fixture
def written(tmp_path: Path) -> Any:
    def write(text: str) -> str:
        path = tmp_path / "t.toml"
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write


def said_of(text: str, *words: str) -> list[str]:
    return [line for line in text.splitlines() if all(word in line for word in words)]


def test_the_ring_is_proved_for_every_n_with_its_invariants(run: Run) -> None:
    code, text = run("check", RING)
    assert code == Exit.PROVED
    assert said_of(text, "for every N >= 2, by induction over the steps: in-range", "ensures and claims")
    assert "(x - c) % N >= s + 1 or x == c" in text
    assert "(x - c) % N <= s" in text
    assert text.splitlines()[-1].endswith("; all for every N >= 2")


@pytest.mark.parametrize("options", [("--bounded",), ("-N", "2..8")])
def test_induction_can_be_left_out(run: Run, options: tuple[str, ...]) -> None:
    code, text = run("check", RING, *options)
    assert code == Exit.PROVED
    assert "every N" not in text.replace("Z3 proved for every N", "")


def test_it_can_be_demanded_of_a_narrowed_check(run: Run) -> None:
    code, text = run("check", RING, "-N", "2..8", "--every-n")
    assert code == Exit.PROVED
    assert text.splitlines()[-1].endswith("; all for every N >= 2")


def test_both_at_once_make_no_sense(run: Run) -> None:
    code, _ = run("check", RING, "--bounded", "--every-n")
    assert code == Exit.CANNOT_CHECK


def test_right_for_the_claim_and_wrong_beyond(run: Run, written: Any) -> None:
    path = written(TO_41 + 'when = "N != 42 or r != 0"\n')
    code, text = run("check", path)
    assert code == Exit.PROVED
    assert "note[RP505]: right for all it claims; not for every N: first wrong at N = 42 (defined)" in text
    assert text.splitlines()[-1] == (
        "proved  7 of 7 properties for N = 2..41 (40 sizes); not for every N, first wrong at N = 42"
    )
    code, text = run("check", path, "--every-n")
    assert code == Exit.REFUTED
    assert text.splitlines()[-1] == (
        "refuted  not for every N, first wrong at N = 42; proved for the claim, N = 2..41 (40 sizes)"
    )


def test_the_first_wrong_size_is_the_first(written: Any) -> None:
    """Induction may meet a larger one before."""
    path = written(TO_41.replace("2..41", "2..7") + 'when = "N != 9 and N < 11 or r != 0"\n')
    report = check_file(path, Options())
    assert report.every_n is not None
    assert isinstance(report.every_n.verdict, Refuted)
    assert report.every_n.verdict.counterexample.details["N"] == 9


def test_a_claim_that_is_wrong_beyond(run: Run, written: Any) -> None:
    path = written(TO_41.replace('steps = "N - 1"', 'steps = "N - 1 if N < 43 else 0"', 1))
    code, text = run("check", path)
    assert code == Exit.PROVED
    assert "first wrong at N = 43 (the claim steps)" in text



def test_undecided_is_said_and_only_green_where_nobody_asked(run: Run, written: Any) -> None:
    path = written(TO_41 + 'when = "reverse(r % 8, 3) >= 0"\n')
    code, text = run("check", path)
    assert code == Exit.PROVED
    assert said_of(text, "for every N >= 2: undecided (")
    code, text = run("check", path, "--every-n")
    assert code == Exit.UNDECIDED
    assert "warning[RP501]: undecided for every N >= 2" in text
    assert text.splitlines()[-1].startswith("undecided  not decided for every N >= 2; proved for the claim")


def test_no_time_is_undecided_too(run: Run) -> None:
    code, text = run("check", RING, "--every-n", "--induction", "0.01")
    assert (code, "within 0.01 s" in text) == (Exit.UNDECIDED, True)


def test_what_induction_does_not_know_is_not_claimed(run: Run) -> None:
    code, text = run("check", RING, "--ports", "1", "--every-n")
    assert code == Exit.UNDECIDED
    assert "ports: undecided (asked of each size alone)" in text


def test_a_table_of_one_size_is_asked_only_on_demand(run: Run) -> None:
    code, text = run("check", "schedules/ring4_sends.toml")
    assert (code, "every N" in text.replace("Z3 proved for every N", "")) == (Exit.PROVED, False)
    code, text = run("check", "schedules/ring4_sends.toml", "--every-n")
    assert (code, "written out for one size" in text) == (Exit.UNDECIDED, True)


def test_a_wrong_table_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(every_n, "prove_every_n", None)
    report = check_file(str(HOME / "tests" / "wrong" / "ring_flipped_sign.toml"), Options(suggest=0))
    assert (report.exit, report.every_n) == (Exit.REFUTED, None)


def test_engines_that_disagree_are_an_internal_error(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = every_n.EveryN(every_n.Refuted(Size(5)), "every N >= 2")
    monkeypatch.setattr(every_n, "prove_every_n", lambda *a: wrong)
    report = check_file(str(HOME / RING), Options())
    assert report.exit == Exit.INTERNAL


def test_a_refutation_that_does_not_replay_is_an_internal_error(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = every_n.EveryN(every_n.Refuted(Size(66)), "every N >= 2")
    monkeypatch.setattr(every_n, "prove_every_n", lambda *a: wrong)
    assert check_file(str(HOME / RING), Options()).exit == Exit.INTERNAL


def test_machines_are_told_too(run: Run, written: Any) -> None:
    _, text = run("check", RING, "--format", "json")
    found = json.loads(text)["reports"][0]["every_n"]
    assert (found["verdict"], found["sizes"]) == ("proved", "every N >= 2")
    assert {"complete", "claims"} <= set(found["proved"])
    assert found["invariants"][1]["condition"] == "(x - c) % N <= s"
    _, text = run("check", written(TO_41 + 'when = "N != 42 or r != 0"\n'), "--format", "json")
    report = json.loads(text)["reports"][0]
    assert report["every_n"]["verdict"] == "refuted"
    assert report["findings"][report["every_n"]["counterexample"]]["code"] == "RP505"
    _, text = run("check", RING, "--bounded", "--format", "json")
    assert json.loads(text)["reports"][0]["every_n"] is None


def test_claims_that_are_not_all_proved_are_told_one_by_one(run: Run) -> None:
    _, text = run("check", "schedules/knomial_reduce.toml")
    line = said_of(text, "by induction over the steps")[0]
    assert "the claim" in line
    assert " claims" not in line
    assert said_of(text, "the claim", "undecided (")
    assert said_of(text.splitlines()[-1], "of them for every N")


def test_several_cases_need_a_list_of_numbers() -> None:
    """A split over a range would leave cases out, and prove what is not so for them."""
    values: dict[str, Any] = {
        "name": "t", "collective": "broadcast", "ranks": "2..8", "chunks": "1",
        "params": {"k": [1, "2..N"]}, "phase": [{"name": "p", "steps": 0}],
    }  # fmt: skip
    schedule = read_schedule(values)
    with pytest.raises(Untranslatable):
        list(cases(schedule, Desk(), frozenset({"k"})))
    assert len(list(cases(schedule, Desk(), frozenset()))) == 1


def test_what_was_demanded_is_said_once() -> None:
    whole = Beyond(Proved(), "every N >= 2", demanded=True, proved=("complete",))
    assert beyond.remarks(whole) == ()
    missing = Beyond(Undecided("why"), "every N >= 2", demanded=True, undecided=(("complete", "why"),))
    assert [finding.code for finding in beyond.remarks(missing)] == ["RP501"]
