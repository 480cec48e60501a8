"""Certificates: what was guessed, as readable data, and every question that must be answered.

A certificate is built and checked by the same road: the guesses (strings of the table language) and
the table make the obligations again, from nothing.  So a certificate cannot smuggle in another
claim; it can only be refused.  The questions are SMT-LIB 2 texts, each unsatisfiable, and include
every simplification that the terms rely on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import z3

from ringproof.proof.every_n import basics, exact, moves
from ringproof.proof.every_n.context import Desk, question
from ringproof.proof.every_n.formula import Formula
from ringproof.proof.every_n.model import Model, Obligation, Predicate, Sender
from ringproof.proof.every_n.search import CaseProof
from ringproof.proof.every_n.sizes import cases
from ringproof.proof.every_n.verdicts import EveryN, Proved
from ringproof.table.expr import Expr, ExprError, parse
from ringproof.table.schedule import Schedule

FORMAT = 1


@dataclass(frozen=True, slots=True)
class Certificate:
    """``guesses``: plain data for JSON; ``questions``: SMT-LIB texts in a fixed order."""

    guesses: Mapping[str, Any]
    questions: tuple[str, ...]


class Refused(Exception):
    """A certificate that does not certify its table, and why."""


def certificate(schedule: Schedule, found: EveryN) -> Certificate:
    """The certificate of a proved table; errors: `Refused` where there is nothing to certify."""
    if found.verdict != Proved():
        raise Refused("the table is not proved for every N")
    proofs = [p for p in found.guesses if isinstance(p, CaseProof)]
    data = {"format": FORMAT, "table": schedule.name, "sizes": found.sizes,
            "cases": [_case(p) for p in proofs]}  # fmt: skip
    return Certificate(data, rebuild(schedule, data))


def _case(proof: CaseProof) -> dict[str, Any]:
    domain = "moves" if isinstance(proof.domain, moves.Moves) else "exact"
    phases = [_moves(g) if isinstance(g, moves.Guess) else _exact(g) for g in proof.guesses]
    return {"fixed": dict(proof.sizes.fixed), "domain": domain, "phases": phases}


def _moves(guess: moves.Guess) -> dict[str, Any]:
    return {
        "live": _predicate(guess.live), "whole": _predicate(guess.whole),
        "dying": [_sender(s) for s in guess.dying],
        "gaining": [_sender(s) for s in guess.gaining],
    }  # fmt: skip


def _exact(guess: exact.Guess) -> dict[str, Any]:
    return {
        "holds": _predicate(guess.holds),
        "gaining": [_sender(s) for s in guess.gaining],
        "losing": [_sender(s) for s in guess.losing],
        "witnesses": [{"from": w.origin.text, "chunk": w.chunk.text} for w in guess.witnesses],
    }


def _predicate(guess: Predicate | None) -> Any:
    if guess is None:
        return None
    rules = [[e.text for e in rule] for rule in guess.rules]
    return {"not any of" if guess.sign else "any of": rules}


def _sender(guess: Sender) -> dict[str, Any]:
    loops = {name: e.text for name, e in guess.loops.items()}
    return {"row": guess.row, "part": guess.part, "rank": guess.rank.text, "variables": loops}


def rebuild(schedule: Schedule, data: Mapping[str, Any]) -> tuple[str, ...]:
    """Every question that the table and these guesses raise; errors: `Refused`."""
    try:
        return tuple(_questions(schedule, data))
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, RuntimeError, ExprError) as error:
        raise Refused(f"the guesses do not fit the table: {error}") from None


def _questions(schedule: Schedule, data: Mapping[str, Any]) -> Iterator[str]:
    if data["format"] != FORMAT or data["table"] != schedule.name:
        raise Refused("another format, or another table")
    for_cases = data["cases"]
    split = frozenset(for_cases[0]["fixed"])
    desk = Desk()
    every = list(cases(schedule, desk, split))
    if len(every) != len(for_cases) or not every:
        raise Refused("not every case of the sizes is there")
    for sizes, case in zip(every, for_cases, strict=True):
        if dict(sizes.fixed) != case["fixed"]:
            raise Refused("another case of the sizes")
        asked: dict[tuple[tuple[Formula, ...], Formula], None] = {}
        for ob in obligations(schedule, Model(sizes), case):
            asked[ob.context.hypotheses, ob.goal] = None
        asked.update(desk.relied)
        for hypotheses, goal in asked:
            if goal is not True:
                yield question(desk.atoms, hypotheses, goal)
        desk.relied.clear()


def obligations(
    schedule: Schedule, model: Model, case: Mapping[str, Any]
) -> Iterator[Obligation]:  # fmt: skip
    """All obligations of one case, in order."""
    waived = "yes" if "no-resend" in schedule.waive else ""
    yield from basics.sense(model)
    yield from basics.ranges(model)
    yield from basics.conflicts(model)
    if len(case["phases"]) != len(model.stages):
        raise Refused("another number of phases")
    domain: moves.Moves | exact.Exact
    if case["domain"] == "moves":
        domain = moves.Moves(model, tuple(map(_read_moves, case["phases"])), waived)
    else:
        domain = exact.Exact(model, tuple(map(_read_exact, case["phases"])), waived)
        yield from domain.links()
    for stage in model.stages:
        yield from domain.phase(stage)
    yield from domain.ends(model.contract, len(model.stages) - 1, "complete")
    for number, (phase, contract) in enumerate(model.ensures.items()):
        yield from domain.ends(contract, phase, f"ensures[{number}]")


def _read_moves(data: Mapping[str, Any]) -> moves.Guess:
    dying, gaining = (tuple(map(_read_sender, data[k])) for k in ("dying", "gaining"))
    return moves.Guess(_read(data["live"]), _read(data["whole"]), dying, gaining)


def _read_exact(data: Mapping[str, Any]) -> exact.Guess:
    holds = _read(data["holds"])
    if holds is None:
        raise Refused("a phase without an invariant")
    gaining, losing = (tuple(map(_read_sender, data[k])) for k in ("gaining", "losing"))
    seen = tuple(exact.Witness(parse(w["from"]), parse(w["chunk"])) for w in data["witnesses"])
    return exact.Guess(holds, gaining, losing, seen)


def _read(data: Mapping[str, Any] | None) -> Predicate | None:
    if data is None:
        return None
    ((sign, rules),) = data.items()
    if sign not in ("any of", "not any of"):
        raise Refused(f"an invariant is `any of` or `not any of`, not `{sign}`")
    read: tuple[tuple[Expr, ...], ...] = tuple(tuple(map(parse, rule)) for rule in rules)
    return Predicate(read, "not" if sign == "not any of" else "")


def _read_sender(data: Mapping[str, Any]) -> Sender:
    loops = {name: parse(text) for name, text in data["variables"].items()}
    return Sender(int(data["row"]), int(data["part"]), parse(data["rank"]), loops)


def compare(schedule: Schedule, given: Certificate) -> None:
    """Errors: `Refused` where the questions are not those of the table and the guesses."""
    wanted = rebuild(schedule, given.guesses)
    if len(wanted) != len(given.questions):
        raise Refused(f"{len(given.questions)} questions instead of {len(wanted)}")
    for number, (one, other) in enumerate(zip(wanted, given.questions, strict=True)):
        if one != other:
            raise Refused(f"question {number} is another one")


def discharge(questions: Sequence[str], solver: str, seconds: float = 20.0) -> tuple[int, ...]:
    """The numbers of the questions that a solver ("z3" or "cvc5") does not find unsatisfiable."""
    ask = {"z3": _z3, "cvc5": _cvc5}[solver]
    return tuple(i for i, text in enumerate(questions) if not ask(text, seconds))


def _z3(text: str, seconds: float) -> bool:
    solver = z3.SimpleSolver()
    solver.set("timeout", int(seconds * 1000))
    solver.from_string(text.replace("(check-sat)", ""))
    return bool(solver.check() == z3.unsat)


def _cvc5(text: str, seconds: float) -> bool:
    """Errors: `ImportError` where cvc5 is not installed."""
    import cvc5  # type: ignore[import-untyped,import-not-found,unused-ignore]

    solver = cvc5.Solver()
    solver.setOption("tlimit-per", str(int(seconds * 1000)))
    solver.setLogic("QF_LIA")
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "question")
    answer = ""
    while not (command := parser.nextCommand()).isNull():
        answer += str(command.invoke(solver, parser.getSymbolManager()))
    return answer.strip() == "unsat"
