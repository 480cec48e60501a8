"""Certificates: what is proved can be checked again from the table, and nothing else can."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from ringproof.proof.certificate import (
    Certificate,
    Refused,
    certificate,
    compare,
    discharge,
    rebuild,
)  # fmt: skip
from ringproof.proof.every_n import Undecided, prove_every_n
from ringproof.table.reader import read_schedule
from ringproof.table.schedule import Schedule
from ringproof.table.source import read

SCHEDULES = Path(__file__).parents[1] / "schedules"
NAMES = ("ring_reduce_scatter", "ring_all_gather", "naive")


def table(name: str) -> Schedule:
    path = SCHEDULES / f"{name}.toml"
    return read_schedule(read(str(path)).values, str(path))


@cache
def made(name: str) -> Certificate:
    return certificate(table(name), prove_every_n(table(name)))


@pytest.mark.parametrize("name", NAMES)
def test_questions_come_back_from_the_table_and_the_guesses(name: str) -> None:
    through_json = json.loads(json.dumps(dict(made(name).guesses)))
    compare(table(name), Certificate(through_json, made(name).questions))


@pytest.mark.parametrize("solver", ["z3", "cvc5"])
@pytest.mark.parametrize("name", NAMES)
def test_solvers_discharge_every_question(name: str, solver: str) -> None:
    if solver == "cvc5":
        pytest.importorskip("cvc5")
    assert discharge(made(name).questions, solver) == ()


def test_a_certificate_of_another_table_is_refused() -> None:
    with pytest.raises(Refused):
        compare(table("ring_all_gather"), made("ring_reduce_scatter"))


def test_an_edited_question_is_refused() -> None:
    first, *rest = made("naive").questions
    edited = Certificate(made("naive").guesses, (first.replace("(assert ", "(assert (not ", 1), *rest))
    with pytest.raises(Refused, match="question 0"):
        compare(table("naive"), edited)
    with pytest.raises(Refused, match="questions instead of"):
        compare(table("naive"), Certificate(made("naive").guesses, tuple(rest)))


def test_an_edited_invariant_leaves_a_question_open() -> None:
    data: Any = json.loads(json.dumps(dict(made("ring_all_gather").guesses)))
    data["cases"][0]["phases"][0]["whole"] = {"any of": [["True"]]}
    questions = rebuild(table("ring_all_gather"), data)
    assert discharge(questions, "z3") != ()


@pytest.mark.parametrize("edit", ["format", "cases", "phases", "sign", "text", "row"])
def test_data_that_does_not_fit_is_refused(edit: str) -> None:
    data: Any = json.loads(json.dumps(dict(made("ring_all_gather").guesses)))
    case = data["cases"][0]
    phase = case["phases"][0]
    match edit:
        case "format":
            data["format"] = 99
        case "cases":
            data["cases"] = []
        case "phases":
            case["phases"] = []
        case "sign":
            phase["whole"] = {"none of": []}
        case "text":
            phase["whole"] = {"any of": [["x ==="]]}
        case "row":
            phase["gaining"][0]["row"] = 7
    with pytest.raises(Refused):
        rebuild(table("ring_all_gather"), data)


def test_only_what_is_proved_is_certified() -> None:
    found = replace(prove_every_n(table("naive")), verdict=Undecided("no"))
    with pytest.raises(Refused):
        certificate(table("naive"), found)
