"""Two engines written apart give one verdict: on right tables, on wrong ones, on random ones."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ringproof import assess as assess_module
from ringproof.assess import Options, Settings, by_z3
from ringproof.check import check
from ringproof.contract import Contract
from ringproof.events import Events, expand
from ringproof.problem import ExpansionError
from ringproof.proof.bounded import Fails, Holds, Unknown, prove
from ringproof.proof.rotation import commutes
from ringproof.proof.terms import Terms
from ringproof.simulate import Outcome, simulate
from ringproof.strategies import values_of_tables as tables
from ringproof.table.expr import parse
from ringproof.table.integers import Environment, Undefined
from ringproof.table.reader import read_schedule
from ringproof.table.schedule import Schedule
from ringproof.table.source import parse as parse_toml
from ringproof.verdict import Exit, Size, TableError
from tests.conftest import sampled
from tests.strategies import mutated

ROOT = Path(__file__).parent.parent
SCHEDULES = sorted((ROOT / "schedules").glob("*.toml"))
WRONG = sorted((ROOT / "tests" / "wrong").glob("*.toml"))
# Every third schedule by default, all of them under --sweep; a new one takes its turn by its name.
SAMPLED = [*sampled(SCHEDULES, 3), *WRONG]
SLOW = settings(
    max_examples=25,
    suppress_health_check=list(HealthCheck),
)  # fmt: skip
TIMEOUT = 20_000


def load(path: Path) -> Schedule:
    return read_schedule(tomllib.loads(path.read_text(encoding="utf-8")), str(path))


def small(schedule: Schedule, most: int = 8, count: int = 7) -> list[Size]:
    return list(islice((s for s in schedule.claimed() if s.N <= most), count))


def outcome_at(schedule: Schedule, size: Size) -> Outcome | None:
    """The replay of one size, or nothing where the table makes no sense."""
    try:
        return simulate(expand(schedule, size))
    except ExpansionError:
        return None


def agree(outcome: Outcome, symmetry: str = "shapes") -> None:
    """Z3 decides every property as replay does, and points at a place replay finds wrong."""
    asked = [name for name in outcome.violations if by_z3(name)]
    proof = prove(outcome.events, asked, symmetry, TIMEOUT)  # type: ignore[arg-type]
    for name in asked:
        found, decision = outcome.violations[name], proof.decisions[name]
        if isinstance(decision, Fails):
            assert decision.cell in found.cells or decision.event in found.events, (name, decision)
        else:
            assert isinstance(decision, Holds), (name, decision)
            assert not found, (name, outcome.events.size)


@pytest.mark.parametrize("path", SAMPLED, ids=lambda p: p.stem)
def test_engines_agree_on_the_tables_of_this_repository(path: Path) -> None:
    schedule = load(path)
    asked = 0
    for size in small(schedule):
        outcome = outcome_at(schedule, size)
        if outcome is not None and "complete" in outcome.violations:
            agree(outcome)
            asked += 1
    assert asked or path in WRONG


@pytest.mark.parametrize("path", SAMPLED, ids=lambda p: p.stem)
def test_symmetry_never_changes_a_verdict(path: Path) -> None:
    schedule = load(path)
    turns = commutes(schedule, TIMEOUT)
    for size in small(schedule, most=6, count=4):
        outcome = outcome_at(schedule, size)
        if outcome is not None and "complete" in outcome.violations:
            agree(outcome, "none")
            if turns:
                agree(outcome, "rotation")


@SLOW
@given(mutant=mutated(SCHEDULES))
def test_engines_agree_on_mutants(mutant: Any) -> None:
    check_values(mutant.values)


@SLOW
@given(values=tables())
def test_engines_agree_on_random_tables(values: dict[str, Any]) -> None:
    check_values(values)


def check_values(values: Any) -> None:
    try:
        schedule = read_schedule(values)
        sizes = small(schedule, most=7, count=5)
    except (TableError, Undefined):
        return
    turns = commutes(schedule, TIMEOUT)
    for size in sizes:
        outcome = outcome_at(schedule, size)
        if outcome is not None and "complete" in outcome.violations:
            agree(outcome)
            if turns:
                agree(outcome, "rotation")


def test_a_guard_without_a_value_is_no_number() -> None:
    """`p and q` with q undefined everywhere must stay a condition: as 0 it would pick by index."""
    table = """
name = "x"
collective = "all-reduce"
ranks = "2"
chunks = "1"
[[phase]]
name = "p"
steps = "1"
  [[phase.send]]
  to = "(r + 1) % N"
  chunk = "0"
  op = "reduce"
  when = "(N > 2 and 1 // (N - 2) == r) or r == 1"
"""
    report = check(parse_toml(table, "x.toml"), Options(suggest=0))
    assert report.exit is Exit.REFUTED
    schedule = read_schedule(tomllib.loads(table))
    assert expand(schedule, Size(2)).sender.tolist() == [1]


def test_rotation_needs_every_unit_of_slot_0() -> None:
    """Ranks that keep their own chunk are right; what they swap is not, and is another unit."""
    table = """
name = "pairs"
collective = "all-to-all"
ranks = "2"
chunks = "N"
[[phase]]
name = "exchange"
steps = "N"
  [[phase.send]]
  let = { partner = "(s + r) % N" }
  when = "partner != r"
  to = "partner"
  chunk = "partner"
  into = "r"
  op = "reduce"
"""
    schedule = read_schedule(tomllib.loads(table))
    outcome = simulate(expand(schedule, Size(2)))
    assert commutes(schedule, TIMEOUT)
    assert outcome.violations["complete"]
    agree(outcome, "rotation")


# ---- relabelling and shifting -------------------------------------------------------------------


def relabelled(events: Events, turn: int) -> Events:
    """The same schedule with every rank r called (r + turn) % N."""
    N = events.ranks

    def contract(c: Contract) -> Contract:
        def turned(a: Any) -> Any:
            return np.roll(a, turn, axis=0)

        return replace(
            c, starts=turned(c.starts), ends=turned(c.ends), part=turned(c.part), chunk=turned(c.chunk)
        )

    return replace(
        events,
        sender=(events.sender + turn) % N,
        receiver=(events.receiver + turn) % N,
        contract=contract(events.contract),
        ensures=tuple(replace(e, contract=contract(e.contract)) for e in events.ensures),
    )


def verdicts(outcome: Outcome) -> dict[str, tuple[int, int]]:
    return {n: (len(v.events), len(v.cells)) for n, v in outcome.violations.items()}


@pytest.mark.parametrize("path", SAMPLED, ids=lambda p: p.stem)
def test_relabelling_ranks_changes_no_verdict(path: Path) -> None:
    schedule = load(path)
    for size in small(schedule, most=7, count=5):
        outcome = outcome_at(schedule, size)
        if outcome is None or outcome.violations["in-range"]:
            continue
        for turn in sorted({1, size.N // 2, size.N - 1}):
            other = simulate(relabelled(outcome.events, turn))
            assert verdicts(other) == verdicts(outcome)
            if "complete" in other.violations and turn == 1:
                agree(other)


@pytest.mark.parametrize("shift", [-3, -1, 0, 1, 2, 5])
@pytest.mark.parametrize("wrong", [0, 1])
def test_shifting_both_ring_phases_changes_no_verdict(shift: int, wrong: int) -> None:
    """The rotation decides where a chunk rests in between, never whether the ring is right."""

    def ring(by: int) -> list[dict[str, bool]]:
        values = tomllib.loads((ROOT / "schedules" / "ring.toml").read_text(encoding="utf-8"))
        for phase, offset in zip(values["phase"], (-1, wrong), strict=True):
            phase.pop("ensures", None)
            phase["send"][0]["chunk"] = f"(r - s + {offset + by}) % N"
        schedule = read_schedule(values)
        outcomes = [simulate(expand(schedule, Size(N))) for N in range(2, 9)]
        for outcome in outcomes:
            agree(outcome)
        return [{n: bool(v) for n, v in o.violations.items()} for o in outcomes]

    assert ring(shift) == ring(0)
    assert any(any(v.values()) for v in ring(shift)) == bool(wrong)


# ---- counterexamples are minimal ----------------------------------------------------------------


@SLOW
@given(mutant=mutated(SCHEDULES))
def test_counterexamples_are_minimal(mutant: Any) -> None:
    """The finding speaks of the smallest wrong size, and of the earliest wrong step there."""
    source = replace(parse_toml("", "mutant.toml"), values=dict(mutant.values))
    report = check(source, Options(ranks=((1, 7),), suggest=0))
    if report.exit is not Exit.REFUTED:
        return
    schedule = read_schedule(mutant.values)
    for finding in report.findings:
        name = finding.details.get("property")
        if finding.severity != "error" or name in ("claims", "optimal"):
            continue
        size = Size(finding.details["N"], tuple(finding.details["params"].items()))
        for smaller in (s for s in report.sizes if s < size):
            outcome = simulate(expand(schedule, smaller))
            assert not any(v for n, v in outcome.violations.items() if n.split("[")[0] == name)
        outcome = simulate(expand(schedule, size))
        broken = [v for n, v in outcome.violations.items() if v and n.split("[")[0] == name]
        if broken[0].events:
            steps = outcome.events.step[list(broken[0].events)]
            assert finding.details["step"] == steps.min()


# ---- the checks can fail ------------------------------------------------------------------------


def test_disagreement_is_an_internal_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """A replay that overlooks a wrong sum is contradicted by Z3, and nothing is claimed."""
    path = ROOT / "tests" / "wrong" / "ring_flipped_sign.toml"
    source = parse_toml(path.read_text(encoding="utf-8"), "wrong.toml")
    honest = assess_module.simulate

    def blind(*arguments: Any) -> Outcome:
        outcome = honest(*arguments)
        return replace(outcome, violations={n: type(v)() for n, v in outcome.violations.items()})

    monkeypatch.setattr(assess_module, "simulate", blind)
    report = check(source, Options(suggest=0))
    assert report.exit is Exit.INTERNAL
    assert [f.code for f in report.findings] == ["RP503"]


def test_a_false_alarm_is_an_internal_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """A replay that sees a resend where there is none is contradicted by Z3."""
    source = parse_toml((ROOT / "schedules" / "ring.toml").read_text(encoding="utf-8"), "ring.toml")
    honest = assess_module.simulate

    def alarmed(*arguments: Any) -> Outcome:
        outcome = honest(*arguments)
        broken = replace(outcome.violations["no-resend"], events=(0,), other=(-1,))
        return replace(outcome, violations={**outcome.violations, "no-resend": broken})

    monkeypatch.setattr(assess_module, "simulate", alarmed)
    report = check(source, Options(suggest=0))
    assert report.exit is Exit.INTERNAL


def test_unknown_is_not_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    """A solver that gives up leaves the property undecided, exit 3."""
    from ringproof.proof import bounded

    monkeypatch.setattr(bounded._Session, "ask", lambda self, *literals: "unknown")
    monkeypatch.setattr(bounded._Session, "why", lambda self: "the solver ran out of time")
    source = parse_toml((ROOT / "schedules" / "ring.toml").read_text(encoding="utf-8"), "ring.toml")
    report = check(source, Options(Settings(), ((2, 4),)))
    assert report.exit is Exit.UNDECIDED
    assert "RP501" in [f.code for f in report.findings]


def test_a_question_is_asked_once_unless_everything_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    """What Z3 found to have no answer is known at every size; what it left open is asked again."""
    from ringproof.proof import bounded

    asked: list[str] = []
    made = bounded._Session.__init__

    def noted(session: Any, unit: Any, question: Any, timeout: int) -> None:
        asked.append(question.text)
        made(session, unit, question, timeout)

    monkeypatch.setattr(bounded._Session, "__init__", noted)
    source = parse_toml((ROOT / "schedules" / "van_de_geijn_broadcast.toml").read_text("utf-8"), "x.toml")
    ranks, counted = ((3, 6),), {}
    for symmetry in ("auto", "none"):
        asked.clear()
        options = Options(Settings(symmetry=symmetry), ranks, induction="never")
        assert check(source, options).exit is Exit.PROVED
        counted[symmetry] = len(asked), len(set(asked))
    assert counted["auto"] == (1, 1)
    assert counted["none"] == (3 + 4 + 5 + 6, 1)
    asked.clear()
    monkeypatch.setattr(bounded._Session, "ask", lambda self, *literals: "unknown")
    assert check(source, Options(Settings(), ranks, induction="never")).exit is Exit.UNDECIDED
    assert len(asked) > len(set(asked)) == 1


@pytest.mark.parametrize(
    ("lie", "path"),
    [("the target lacks it", ROOT / "schedules" / "ring.toml"),
     ("the message has it", ROOT / "tests" / "wrong" / "ring_flipped_sign.toml")],
    ids=["target", "message"],
)  # fmt: skip
def test_a_wrong_witness_proves_nothing(lie: str, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The contribution that a copy is said to bring is a guess; Z3 must see through a wrong one."""
    from ringproof.proof import smt

    def brings(writer: Any, event: int, sent: Any, held: Any) -> None:
        has_neither = writer.ones & ~sent.support & ~held.support
        wrong = sent.support & held.support if lie == "the target lacks it" else has_neither
        if wrong:
            writer.contains(smt._highest(wrong), (sent, 1), (held, 0))
            lies.append(event)

    lies: list[int] = []
    monkeypatch.setattr(smt._Writer, "brings", brings)
    monkeypatch.setattr(smt._Writer, "repeats", lambda writer: None)
    outcome = outcome_at(load(path), Size(4))
    assert outcome is not None
    decision = prove(outcome.events, ["no-resend"], "shapes", TIMEOUT).decisions["no-resend"]
    assert lies
    assert isinstance(decision, Unknown)


# ---- rotation -----------------------------------------------------------------------------------

_ROTATES = {"ring", "ring_shifted", "ring_reduce_scatter", "ring_all_gather"}


@pytest.mark.parametrize("path", SCHEDULES, ids=lambda p: p.stem)
def test_rotation_is_proved_only_where_replay_confirms_it(path: Path) -> None:
    schedule = load(path)
    proved = commutes(schedule, TIMEOUT)
    assert proved or path.stem not in _ROTATES
    for size in small(schedule, most=7) if proved else ():
        events = expand(schedule, size)
        turned = [
            sorted(zip(*(c.tolist() for c in columns), strict=True))
            for columns in (
                (events.step, events.sender, events.receiver, events.chunk, events.into),
                (
                    events.step, *((c + 1) % size.N for c in (
                        events.sender, events.receiver, events.chunk, events.into)),
                ),
            )
        ]  # fmt: skip
        assert turned[0] == turned[1]


def ring_with(**changes: Any) -> Schedule:
    values = tomllib.loads((ROOT / "schedules" / "ring.toml").read_text(encoding="utf-8"))
    values["phase"][0]["send"][0].update(changes)
    return read_schedule(values)


@pytest.mark.parametrize(
    "changes",
    [
        {"chunk": "(r - s - 1) % N if r > 0 else (r - s) % N"},
        {"to": "(r + 1) % N if r != 3 else (r + 2) % N"},
        {"when": "r != 7"},
        {"chunk": "(2*r - s - 1) % N"},
        {"into": "(r + s) % N if r < 5 else 0"},
        {"chunk": "s % N"},
    ],
)
def test_tables_that_do_not_commute_are_not_proved_to(changes: dict[str, str]) -> None:
    assert not commutes(ring_with(**changes), TIMEOUT)


def test_an_empty_range_proves_nothing_else() -> None:
    """At N = 2 the range of j is empty; that must not hide a row that does not commute there."""
    values = tomllib.loads((ROOT / "schedules" / "ring.toml").read_text(encoding="utf-8"))
    rows = values["phase"][0]["send"]
    rows.append({**rows[0], "for": {"j": "2..N - 1"}, "to": "(r + j) % N", "when": "s < 0"})
    assert commutes(read_schedule(values), TIMEOUT)
    rows[0]["when"] = "N > 2 or r == 0"
    assert not commutes(read_schedule(values), TIMEOUT)


def test_every_fact_about_remainders_is_true() -> None:
    """Instantiate quotient, product and remainder, and check each gap fact at small numbers."""
    import z3

    terms = Terms({})
    for text in ("(r - s - 1) % N", "(r + 1) % N", "(2*r + s) % N"):
        terms.term(parse(text).node, {"N": "N", "r": "r", "s": "s"})
    facts = z3.Solver()
    names = ["N", "r", "s", *terms.declared]
    text = "".join(f"(declare-const {n} Int)" for n in names)
    facts.from_string(text + "".join(f"(assert {f})" for f in terms.facts))
    for N in (1, 2, 3, 5):
        for r in range(-4, 9, 3):
            for s in range(0, 7, 2):
                values = {"N": N, "r": r, "s": s}
                for i, (a, b, k) in enumerate([(1, -1, -1), (1, 0, 1), (2, 1, 0)]):
                    x = a * r + b * s + k
                    values |= {f"q{3 * i}": x // N, f"U{3 * i}": x // N * N, f"m{3 * i}": x % N}
                values = dict(zip(names, _ordered(names, values), strict=True))
                facts.push()
                facts.add(*(z3.Int(n) == v for n, v in values.items()))
                assert facts.check() == z3.sat, values
                facts.pop()


def _ordered(names: list[str], values: dict[str, int]) -> list[int]:
    """Values by name; the fresh names of a split are numbered by when they were declared."""
    by_letter = {
        letter: [v for n, v in values.items() if n[0] == letter and n[1:].isdigit()] for letter in "qUm"
    }
    return [
        values[n] if n in ("N", "r", "s") else by_letter[n[0]].pop(0) for n in names
    ]


# ---- expressions --------------------------------------------------------------------------------


@settings(max_examples=40)
@given(st.integers(-9, 9), st.integers(0, 9), st.integers(1, 9))
def test_terms_mean_what_integers_say(r: int, s: int, N: int) -> None:
    """The SMT reading of an expression has the value of the integer reading."""
    import z3

    for text in (
        "(r - s - 1) % N", "(r - s) // N", "min(r, s, 3) + max(r, s)", "abs(r) % 3 - s // 2",
        "r if r < s <= N else s - 2*r", "(3*s + r) % N + (r - 7) % N",
    ):  # fmt: skip
        expr = parse(text)
        terms = Terms({})
        names = {"N": "N", "r": "r", "s": "s"}
        term = terms.term(expr.node, names)
        declared = [*names, *terms.declared]
        solver = z3.Solver()
        expected = Environment({"N": N, "r": r, "s": s}, {}).integer(expr)
        script = "".join(f"(declare-const {n} Int)" for n in declared)
        script += "".join(f"(assert {f})" for f in terms.facts)
        for name, value in (("N", N), ("r", r), ("s", s)):
            script += f"(assert (= {name} {value if value >= 0 else f'(- {-value})'}))"
        solver.from_string(script)
        value = expected if expected >= 0 else f"(- {-expected})"
        solver.push()
        solver.from_string(f"(assert (= {term} {value}))")
        assert solver.check() == z3.sat, (text, r, s, N)
        solver.pop()
