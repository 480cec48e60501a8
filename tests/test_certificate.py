"""Certificates: what is proved can be checked again from the table, and nothing else can."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from ringproof.proof.certificate import Certificate, Refused, at_hand, certificate, compare, discharge, make
from ringproof.proof.every_n import Undecided, prove_every_n
from ringproof.table.reader import read_schedule
from ringproof.table.schedule import Schedule
from ringproof.table.source import read
from ringproof.verdict import Exit
from tests.conftest import Run

SCHEDULES = Path(__file__).parents[1] / "schedules"
NAMES = ("ring_reduce_scatter", "ring_all_gather", "naive", "one_shot_all_reduce", "bine_all_gather")


def table(name: str) -> Schedule:
    path = SCHEDULES / f"{name}.toml"
    return read_schedule(read(str(path)).values, str(path))


@cache
def made(name: str) -> Certificate:
    return certificate(table(name), prove_every_n(table(name)))


def data(name: str) -> Any:
    """The data of a certificate as it comes back from its file."""
    return json.loads(json.dumps(made(name).data))


@pytest.mark.parametrize("name", NAMES)
def test_questions_come_back_from_the_table_and_the_guesses(name: str) -> None:
    compare(table(name), data(name), made(name).questions)


@pytest.mark.parametrize("name", NAMES)
def test_no_solver_is_needed_to_make_them_again(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import z3

    questions, given = made(name).questions, data(name)
    monkeypatch.setattr(z3, "SimpleSolver", None)
    compare(table(name), given, questions)


@pytest.mark.parametrize("solver", ["z3", "cvc5", "python"])
@pytest.mark.parametrize("name", NAMES)
def test_solvers_discharge_every_question(name: str, solver: str) -> None:
    if solver not in at_hand():
        pytest.skip(f"{solver} is not installed")
    assert set(discharge(made(name).questions, solver)) == {"proved"}


@pytest.mark.parametrize("solver", ["z3", "cvc5", "python"])
def test_no_solver_settles_a_question_that_has_an_answer(solver: str) -> None:
    if solver not in at_hand():
        pytest.skip(f"{solver} is not installed")
    start = "; (assert false)\n(set-logic QF_LIA)\n(declare-const x Int)\n(assert (or (<= x 0) (= x 7)))\n"
    assert discharge([start + "(check-sat)\n"], solver)[0] in ("fails", "unknown")
    more = "(assert (not (<= x 0)))\n(assert (<= x 6))\n(check-sat)\n"
    assert discharge([start + more], solver) == ("proved",)


def test_a_certificate_of_another_table_is_refused() -> None:
    with pytest.raises(Refused):
        compare(table("ring_all_gather"), data("ring_reduce_scatter"), made("ring_reduce_scatter").questions)


def test_an_edited_question_is_refused() -> None:
    first, *rest = made("naive").questions
    edited = first.replace("(assert ", "(assert (not ", 1)
    with pytest.raises(Refused, match=r"0001\.smt2, line \d+"):
        compare(table("naive"), data("naive"), (edited, *rest))
    with pytest.raises(Refused, match="does not list every question"):
        compare(table("naive"), data("naive"), tuple(rest))


def _whole_always(found: Any) -> None:
    found["cases"][0]["phases"][0]["whole"] = {"any of": [["True"]]}


def test_an_edited_invariant_is_refused() -> None:
    given = data("ring_all_gather")
    _whole_always(given)
    with pytest.raises(Refused):
        compare(table("ring_all_gather"), given, made("ring_all_gather").questions)


def test_an_edited_invariant_with_its_own_questions_leaves_one_open() -> None:
    from ringproof.proof.certificate.rebuild import rebuild

    given = data("ring_all_gather")
    _whole_always(given)
    rebuilt = rebuild(table("ring_all_gather"), given, None)
    assert "fails" in discharge([one.text() for one in rebuilt.asked], "z3")


def test_simplifications_are_questions_of_their_own() -> None:
    """Whoever says yes to every simplification has questions that nobody can settle."""
    from ringproof.proof.certificate.rebuild import SIMPLIFIED, rebuild

    given = data("ring_all_gather")
    rebuilt = rebuild(table("ring_all_gather"), given, given["simplifications"])
    assert any(one.about == SIMPLIFIED for one in rebuilt.asked)
    lied = {**given, "simplifications": given["simplifications"].replace("0", "1", 1)}
    assert lied != given
    with pytest.raises(Refused):
        compare(table("ring_all_gather"), lied, made("ring_all_gather").questions)


def _set(key: str, value: Any) -> Callable[[Any], None]:
    def edit(found: Any) -> None:
        found[key] = value

    return edit


def _case(key: str, value: Any) -> Callable[[Any], None]:
    return lambda found: found["cases"][0].update({key: value})


def _phase(key: str, value: Any) -> Callable[[Any], None]:
    return lambda found: found["cases"][0]["phases"][0].update({key: value})


def _question(key: str, value: Any) -> Callable[[Any], None]:
    return lambda found: found["questions"][0].update({key: value})


EDITS: dict[str, Callable[[Any], None]] = {
    "format": _set("format", 99),
    "no cases": _set("cases", []),
    "two cases": lambda found: found["cases"].append(found["cases"][0]),
    "cases of a parameter that is none": _case("fixed", {"L": 2}),
    "no phases": _case("phases", []),
    "domain": _case("domain", "guesses"),
    "no claims": _case("claims", {}),
    "a claim that is not there": _case("claims", {"-1": "steps"}),
    "a way that does not count it": _case("claims", {"0": "sends"}),
    "sign": _phase("whole", {"none of": []}),
    "expression": _phase("whole", {"any of": [["x ==="]]}),
    "unknown name": _phase("whole", {"any of": [["x == secret"]]}),
    "a number for a condition": _phase("whole", {"any of": [["x + 1"]]}),
    "no guess": _phase("gaining", []),
    "row": lambda found: found["cases"][0]["phases"][0]["gaining"][0].update({"row": 7}),
    "sizes": _set("sizes", "every N >= 1"),
    "properties": _set("properties", []),
    "said claims": _set("claims", ["steps = 0"]),
    "name": _set("table", "another"),
    "no answers": _set("simplifications", ""),
    "answers that are none": _set("simplifications", 5),
    "one answer more": lambda found: _set("simplifications", found["simplifications"] + "0")(found),
    "about": _question("about", "nothing"),
    "premises": _question("premises", [0, 99999]),
    "a premise that counts from behind": _question("premises", [-1]),
    "premises that are none": _question("premises", "all"),
    "fewer premises": _question("premises", []),
    "no questions": _set("questions", None),
}


@pytest.mark.parametrize("edit", EDITS)
def test_data_that_does_not_fit_is_refused(edit: str) -> None:
    found = data("ring_all_gather")
    EDITS[edit](found)
    with pytest.raises(Refused):
        compare(table("ring_all_gather"), found, made("ring_all_gather").questions)


def test_only_what_is_proved_is_certified() -> None:
    found = replace(prove_every_n(table("naive")), verdict=Undecided("no"))
    with pytest.raises(Refused):
        certificate(table("naive"), found)


# ---- on disk, and on the command line -------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path, run: Run) -> Path:
    code, said = run("certify", str(SCHEDULES / "ring_all_gather.toml"), "-o", str(tmp_path / "c"))
    assert code == Exit.PROVED, said
    return tmp_path / "c"


def test_the_same_bytes_every_time(folder: Path, tmp_path: Path, run: Run) -> None:
    code, _ = run("certify", str(SCHEDULES / "ring_all_gather.toml"), "-o", str(tmp_path / "d"))
    assert code == Exit.PROVED
    assert contents(folder) == contents(tmp_path / "d")
    assert set(contents(folder)) > {"certificate.json", "ring_all_gather.toml", "questions/0001.smt2"}


def contents(folder: Path) -> dict[str, bytes]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@pytest.mark.parametrize("solver", ["all", "z3", "python"])
def test_what_is_certified_is_verified(folder: Path, run: Run, solver: str) -> None:
    code, said = run("verify", str(folder), "--solver", solver)
    assert code == Exit.PROVED, said
    assert said.splitlines()[-1].startswith("proved  every N >= 2, by ")


def _edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


TAMPERED: dict[str, tuple[str, str, str, str]] = {
    "table": ("ring_all_gather.toml", "(r + 1) % N", "(r + 2) % N", "is not the table that was certified"),
    "invariant": ("certificate.json", "<= s", "<= s + 1", "table and guesses give"),
    "question": ("questions/0001.smt2", "(assert ", "(assert  ", "0001.smt2, line"),
    "hash": ("certificate.json", '.toml": "', '.toml": "0', "the certificate says 0"),
    "sizes": ("certificate.json", "every N >= 2", "every N >= 1", "`sizes` says"),
}


@pytest.mark.parametrize("part", TAMPERED)
def test_a_certificate_edited_anywhere_is_refused(folder: Path, run: Run, part: str) -> None:
    name, old, new, why = TAMPERED[part]
    _edit(folder / name, old, new)
    code, said = run("verify", str(folder))
    assert (code, said.startswith("refuted  ")) == (Exit.REFUTED, True)
    assert why in said


def test_a_question_more_or_less_is_refused(folder: Path, run: Run) -> None:
    (folder / "questions" / "0001.smt2").rename(folder / "questions" / "extra.smt2")
    code, said = run("verify", str(folder))
    assert code == Exit.REFUTED
    assert "not those that certificate.json lists" in said


def test_a_question_with_an_answer_is_no_proof(
    folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Were `compare` blind, the solvers would still refuse what is not so."""
    from ringproof.proof import certificate as room

    monkeypatch.setattr(room, "compare", lambda *a: None)
    lines = (folder / "questions" / "0003.smt2").read_text(encoding="utf-8").splitlines()
    body = [line for line in lines if not line.startswith("(assert ")]
    (folder / "questions" / "0003.smt2").write_text("\n".join(body) + "\n", encoding="utf-8")
    code, said = run("verify", str(folder), "--solver", "z3")
    assert code == Exit.REFUTED
    assert "0003.smt2: has one" in said
    code, said = run("verify", str(folder), "--solver", "python")
    assert code == Exit.UNDECIDED


@pytest.mark.parametrize("broken", ["", "[]", "{}", "{", '{"tables": {}}', '{"tables": {"../x": ""}}', "\0"])
def test_a_folder_that_is_no_certificate(tmp_path: Path, run: Run, broken: str) -> None:
    if broken:
        (tmp_path / "certificate.json").write_text(broken, encoding="utf-8")
    code, said = run("verify", str(tmp_path))
    assert code == Exit.CANNOT_CHECK
    assert "Traceback" not in said


def test_certify_says_why_not(tmp_path: Path, run: Run) -> None:
    wrong = str(SCHEDULES.parent / "tests" / "wrong" / "ring_flipped_sign.toml")
    code, said = run("certify", wrong, "-o", str(tmp_path / "c"))
    assert (code, "N = 3" in said) == (Exit.REFUTED, True)
    code, said = run("certify", str(tmp_path / "none.toml"), "-o", str(tmp_path / "c"))
    assert (code, "RP001" in said) == (Exit.CANNOT_CHECK, True)
    code, said = run("certify", str(SCHEDULES / "naive.toml"), "-o", str(tmp_path))
    assert code == Exit.PROVED  # an empty folder is as good as none
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "mine.txt").write_text("x", encoding="utf-8")
    code, said = run("certify", str(SCHEDULES / "naive.toml"), "-o", str(tmp_path / "d"))
    assert code == Exit.CANNOT_CHECK
    assert (tmp_path / "d" / "mine.txt").exists()
    assert not (tmp_path / "c").exists()


def test_a_question_that_is_not_settled_when_made_again_is_no_certificate(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What is written must be enough: here Z3 finds no contradiction in one of the questions."""
    found = prove_every_n(table("ring_all_gather"))
    settled = make.needed
    monkeypatch.setattr(make, "needed", lambda text: None if "whole" in text else settled(text))
    with pytest.raises(Refused, match="Z3 does not settle: complete: "):
        certificate(table("ring_all_gather"), found)


def test_guesses_that_prove_nothing_are_not_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, run: Run
) -> None:
    """An invariant that says too much: the solver itself finds a question that has an answer."""
    right = make.written

    def too_much(proof: Any) -> dict[str, Any]:
        found = right(proof)
        _whole_always({"cases": [found]})
        return found

    monkeypatch.setattr(make, "written", too_much)
    with pytest.raises(Refused, match="Z3 does not settle: "):
        certificate(table("ring_all_gather"), prove_every_n(table("ring_all_gather")))
    code, _ = run("certify", str(SCHEDULES / "ring_all_gather.toml"), "-o", str(tmp_path / "c"))
    assert code == Exit.CANNOT_CHECK
    assert not (tmp_path / "c").exists()
