"""One schedule at one size, asked of both engines; what they say must agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from ringproof.cost.best import Best
from ringproof.events import expand
from ringproof.problem import GIB, EnginesDisagree
from ringproof.program.asked import Asked
from ringproof.simulate import Optional, Outcome, simulate
from ringproof.table.schedule import Schedule
from ringproof.verdict import Route, Size

Symmetry = Literal["rotation", "shapes", "none"]
BY_Z3 = ("complete", "once", "no-resend")


@dataclass(frozen=True, slots=True)
class Settings:
    """How to check: ``timeout`` in seconds for every Z3 query, ``memory`` in bytes for a replay.

    ``symmetry = "none"`` gives every unit to Z3 instead of one of each shape.
    """

    wanted: Optional = field(default_factory=Optional)
    timeout: float = 20.0
    memory: float = 4 * GIB
    symmetry: Literal["auto", "none"] = "auto"


@dataclass(frozen=True, slots=True)
class Options:
    """What to check: ``ranks`` narrows the claim to these inclusive ranges of N, none is all.

    ``induction``: whether to try every N after the sweep, for so many ``seconds`` of work: "auto"
    where the whole claim of more than one size is proved, "never", or "demanded".  ``program``: what is
    asked of programs.
    """

    settings: Settings = field(default_factory=Settings)
    ranks: tuple[tuple[int, int], ...] = ()
    suggest: int = 400  # how many small changes to try for a "did you mean"
    induction: Literal["auto", "never", "demanded"] = "auto"
    seconds: float = 10.0
    program: Asked = field(default_factory=Asked)


@dataclass(frozen=True, slots=True)
class Assessment:
    """What is known of one size, small enough to send between processes.

    ``judged``: properties that replay could ask.  ``failing``: property -> (sends or slots at fault,
    out of how many).  ``unknown``: property -> why Z3 could not say.  ``claims``: for each claim of
    the table, what it says and what the send log counts.  ``best``: for each optimum that the table
    claims, how near it comes (None: no bound is known); empty where the schedule is wrong.
    ``looked`` of ``units`` stand for all, and Z3 decided these.
    """

    size: Size
    judged: tuple[str, ...]
    failing: dict[str, tuple[int, int]] = field(default_factory=dict)
    unknown: dict[str, str] = field(default_factory=dict)
    claims: tuple[tuple[Fraction, Fraction], ...] = ()
    best: tuple[Best | None, ...] = ()
    looked: int = 0
    units: int = 0
    idle: tuple[int, int] | None = None
    reversed: tuple[tuple[Route, int, int], ...] = ()


def by_z3(name: str) -> bool:
    """Whether Z3 decides this property; the others are decided by replay alone."""
    return name in BY_Z3 or name.startswith("ensures")


def assess(
    schedule: Schedule, size: Size, settings: Settings, symmetry: Symmetry, settled: set[bytes] | None = None
) -> Assessment:
    """Replay one size, and let Z3 decide for all inputs what replay found to hold.

    ``settled``: what Z3 need not be asked again, as `prove` keeps it; for all sizes of one check.

    Where replay refutes something Z3 is not asked for the rest: `confirm` asks it once, at the
    smallest such size.

    Errors: `ExpansionError`, `Undefined` (a claim without a value), `EnginesDisagree`.
    """
    outcome = replayed(schedule, size, settings)
    failing = {name: (len(v.events) or len(v.cells), v.total)
               for name, v in outcome.violations.items() if v}  # fmt: skip
    refuted = any(name not in schedule.waive for name in failing)
    asked = [n for n in outcome.violations if n not in failing and by_z3(n) and not refuted]
    unknown, looked, units = _ask(outcome, asked, settings, symmetry, settled)
    return Assessment(
        size, tuple(outcome.violations), failing, unknown, _claims(schedule, outcome),
        () if refuted else _best(schedule, outcome), looked, units, _idle(outcome), outcome.events.reversed,
    )  # fmt: skip


def replayed(schedule: Schedule, size: Size, settings: Settings) -> Outcome:
    """Expand and replay one size."""
    return simulate(expand(schedule, size, settings.memory), settings.wanted, settings.memory)


def _ask(
    outcome: Outcome, asked: Sequence[str], settings: Settings, symmetry: Symmetry, settled: set[bytes] | None
) -> tuple[dict[str, str], int, int]:
    if not asked:
        return {}, 0, 0
    from ringproof.proof.bounded import Fails, Unknown, prove

    proof = prove(outcome.events, asked, symmetry, int(settings.timeout * 1000), settled)
    for name, decision in proof.decisions.items():
        if isinstance(decision, Fails):
            raise EnginesDisagree(
                f"{outcome.events.size}: replay finds that {name} holds; Z3 finds {decision}"
            )
    unknown = {n: d.reason for n, d in proof.decisions.items() if isinstance(d, Unknown)}
    return unknown, proof.looked, proof.units


def confirm(outcome: Outcome, names: Sequence[str], settings: Settings, symmetry: Symmetry) -> None:
    """Z3 must find the same properties wrong, at a place that replay finds wrong too."""
    asked = [name for name in names if by_z3(name)]
    if not asked:
        return
    from ringproof.proof.bounded import Fails, Holds, prove

    proof = prove(outcome.events, asked, symmetry, int(settings.timeout * 1000))
    for name, decision in proof.decisions.items():
        found = outcome.violations[name]
        agrees = not isinstance(decision, Holds)
        if isinstance(decision, Fails):
            agrees = decision.cell in found.cells or decision.event in found.events
        if not agrees:
            raise EnginesDisagree(
                f"{outcome.events.size}: replay refutes {name}; Z3 finds {decision}"
            )


def _claims(schedule: Schedule, outcome: Outcome) -> tuple[tuple[Fraction, Fraction], ...]:
    if outcome.violations["in-range"]:
        return ()
    environment = schedule.environment(outcome.events.size)
    pairs = []
    for claim in schedule.claims:
        claimed = Fraction(environment.value(claim.value))
        pairs.append((claimed, outcome.counts.of(claim.what)))
    return tuple(pairs)


def _best(schedule: Schedule, outcome: Outcome) -> tuple[Best | None, ...]:
    if not schedule.optimal:
        return ()
    from ringproof.cost.optimal import best

    return tuple(best(outcome.events, what) for what in schedule.optimal)


def claim_holds(relation: str, claimed: Fraction, counted: Fraction) -> bool:
    """Whether a count is what a claim says."""
    return {
        "==": counted == claimed, "<=": counted <= claimed, ">=": counted >= claimed,
        "<": counted < claimed, ">": counted > claimed,
    }[relation]  # fmt: skip


def _idle(outcome: Outcome) -> tuple[int, int] | None:
    """The first step in which nothing moves: (phase, step)."""
    if not outcome.counts.idle_steps:
        return None
    step = outcome.counts.idle_steps[0]
    return outcome.events.phase_of(step), step


def symmetry_of(schedule: Schedule, settings: Settings) -> Symmetry:
    """Which units stand for all; Z3 is asked whether the table commutes with rotation."""
    if settings.symmetry == "none":
        return "none"
    from ringproof.proof.rotation import commutes

    return "rotation" if commutes(schedule, int(settings.timeout * 1000)) else "shapes"
