"""What was found at every size -> one result for each property, and the findings to read first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ringproof import counted
from ringproof.assess import Assessment, Options, Symmetry, by_z3, confirm, replayed
from ringproof.diagnose import problems
from ringproof.table.schedule import Schedule
from ringproof.table.source import Source
from ringproof.verdict import Finding, Proved, Refuted, Result, Size, Undecided, Verdict
from ringproof.wording import count_text

STATEMENTS: Mapping[str, str] = {
    "in-range": "every rank, slot and step exists",
    "conflict-free": "in one step a slot takes any number of reduces or one copy",
    "defined": "nothing unset is sent or added to",
    "complete": "every promised slot ends with exactly its sum",
    "once": "no contribution is counted twice, at any step",
    "no-resend": "no chunk is sent twice",
    "ensures": "every phase leaves behind what it states",
    "used": "every value sent reaches a promised slot",
    "ports": "at most {ports} partners a step, each way",
    "order": "all ranks add in the same order",
    "no-swap": "no slot is written while a message reads it",
    "claims": counted.CLAIMS,
    "optimal": counted.OPTIMAL,
}
_REPLAY = "decided by exact replay of every send"
_Z3 = "decided by Z3 for all inputs, after exact replay"
_Z3_ELSEWHERE = "decided by exact replay; by Z3 for all inputs where nothing is refuted"


@dataclass(frozen=True, slots=True)
class Collected:
    """The results in their order, the findings root cause first, and what was assumed."""

    results: tuple[Result, ...]
    findings: tuple[Finding, ...]
    facts: tuple[str, ...]


def collect(
    schedule: Schedule, source: Source, assessed: Sequence[Assessment], options: Options,
    symmetry: Symmetry,
) -> Collected:  # fmt: skip
    """Gather assessments, ascending by size, into results; refutations are confirmed by Z3 first."""
    whole = _Whole(schedule, source, assessed, options, symmetry)
    found = tuple(whole.result(name) for name in whole.properties())
    findings = [r.verdict.counterexample for r in found if isinstance(r.verdict, Refuted)]
    findings += whole.false_claims[1:]
    findings += [
        problems.undecided(r.name, r.verdict.reason, r.undecided)
        for r in found if isinstance(r.verdict, Undecided) and not whole.blocked(r)
    ]  # fmt: skip
    helped = _helped(findings, schedule, source, options)
    better = dict(zip(map(id, findings), helped, strict=True))
    found = tuple(_with(r, better) for r in found)
    return Collected(found, (*helped, *whole.remarks(found)), whole.facts(found))


def _helped(
    findings: list[Finding], schedule: Schedule, source: Source, options: Options
) -> list[Finding]:
    if not findings:
        return []
    from ringproof.diagnose.suggest import attach

    return attach(findings, schedule, source, options)


def _with(result: Result, better: Mapping[int, Finding]) -> Result:
    """A refuted result that points to the finding with its repairs."""
    if not isinstance(result.verdict, Refuted):
        return result
    counterexample = result.verdict.counterexample
    return replace(result, verdict=Refuted(better.get(id(counterexample), counterexample)))


class _Whole:
    """All sizes of one table."""

    def __init__(
        self, schedule: Schedule, source: Source, assessed: Sequence[Assessment],
        options: Options, symmetry: Symmetry,
    ) -> None:  # fmt: skip
        self.schedule, self.source, self.assessed = schedule, source, assessed
        self.options, self.symmetry = options, symmetry
        self.false_claims = counted.false_claims(schedule, assessed)
        self.sizes = tuple(a.size for a in assessed)

    def properties(self) -> list[str]:
        """The names to report, in order."""
        judged = {name.partition("[")[0] for a in self.assessed for name in a.judged}
        if any(phase.ensures for phase in self.schedule.phases):
            judged.add("ensures")
        judged |= {"in-range", "conflict-free", "defined", "complete", "once", "no-resend"}
        wanted = self.options.settings.wanted
        judged |= {*wanted.names, *(["ports"] if wanted.ports else [])}
        judged |= {"claims"} if self.schedule.claims else set()
        judged |= {"optimal"} if self.schedule.optimal else set()
        return [name for name in STATEMENTS if name in judged]

    def result(self, name: str) -> Result:
        """One property over all sizes."""
        if name == "claims":
            return counted.claims(self.schedule, self.assessed, self.false_claims)
        if name == "optimal":
            seconds = self.options.settings.timeout / 4
            return counted.optimal(self.schedule, self.assessed, seconds)
        proved: list[Size] = []
        refuted: list[Size] = []
        waived: list[Size] = []
        undecided: list[Size] = []
        reasons: dict[str, None] = {}
        for a in self.assessed:
            parts = [n for n in a.judged if n.partition("[")[0] == name]
            if any(n in a.failing for n in parts):
                (waived if name in self.schedule.waive else refuted).append(a.size)
            elif unknown := [a.unknown[n] for n in parts if n in a.unknown]:
                undecided.append(a.size)
                reasons |= dict.fromkeys(unknown)
            elif parts or self._trivial(name, a):
                proved.append(a.size)
            else:
                undecided.append(a.size)
                reasons[f"{_blocker(a)} fails there, so it cannot be asked"] = None
        verdict: Verdict = Proved()
        if refuted:
            verdict = Refuted(self._finding(name, tuple(proved), tuple(refuted)))
        elif undecided:
            verdict = Undecided("; ".join(reasons))
        statement = STATEMENTS[name].format(ports=self.options.settings.wanted.ports)
        engine = self._engine(name, proved)
        remark = self._waived(name, waived)
        return Result(name, statement, verdict, engine, tuple(proved), tuple(refuted),
                      tuple(undecided), tuple(waived), remark)  # fmt: skip

    def _engine(self, name: str, proved: Sequence[Size]) -> str:
        """Who decided a property: Z3 is not asked at sizes where replay refutes something."""
        if not by_z3(name):
            return _REPLAY
        by_both = {a.size for a in self.assessed if a.looked}
        if by_both.issuperset(proved):
            return _Z3
        return _Z3_ELSEWHERE if by_both else _REPLAY

    def blocked(self, result: Result) -> bool:
        """Whether a property is undecided only because its cause is refuted."""
        return all(
            not any(n.partition("[")[0] == result.name for n in a.judged)
            for a in self.assessed if a.size in set(result.undecided)
        )  # fmt: skip

    def _trivial(self, name: str, a: Assessment) -> bool:
        """An `ensures` line at a size where everything before it could be judged."""
        return name == "ensures" and "complete" in a.judged

    def _finding(self, name: str, proved: tuple[Size, ...], refuted: tuple[Size, ...]) -> Finding:
        """The finding at the smallest refuted size: replayed, and confirmed by Z3."""
        from ringproof.diagnose.case import Case
        from ringproof.diagnose.refuted import finding

        settings = self.options.settings
        outcome = replayed(self.schedule, refuted[0], settings)
        full = next(n for n, v in outcome.violations.items() if v and n.partition("[")[0] == name)
        confirm(outcome, [full], settings, self.symmetry)
        violations = outcome.violations[full]
        asked = len(proved) + len(refuted)
        case = Case(self.schedule, self.source.path, full, outcome, violations,
                            proved, refuted, asked)  # fmt: skip
        return finding(case)

    def _waived(self, name: str, waived: Sequence[Size]) -> str:
        if not waived:
            return ""
        last = next(a for a in reversed(self.assessed) if a.size == waived[-1])
        at_fault, total = next(v for n, v in last.failing.items() if n.partition("[")[0] == name)
        what = "slots" if name == "order" else "sends"
        return f"waived: {at_fault} of {total} {what} at {waived[-1]}"

    def remarks(self, found: Sequence[Result]) -> list[Finding]:
        """Warnings and notes: waivers nothing needs, ranges that run backwards, idle steps."""
        remarks: list[Finding] = []
        by_name = {r.name: r for r in found}
        for i, name in enumerate(self.schedule.waive):
            result = by_name.get(name)
            if result and not result.waived and isinstance(result.verdict, Proved):
                remarks.append(problems.stale_waiver(i, name))
        told: set[object] = set()
        for a in self.assessed:
            for route, lo, hi in a.reversed:
                if route not in told:
                    told.add(route)
                    remarks.append(problems.reversed_range(route, a.size, lo, hi))
            if a.idle and "idle" not in told:
                told.add("idle")
                phase, step = a.idle
                route = self.schedule.phases[phase].route
                remarks.append(problems.idle_step((*route, "steps"), a.size, step))
        return remarks

    def facts(self, found: Sequence[Result]) -> tuple[str, ...]:
        """How it was proved and what is assumed."""
        facts = []
        looked, units = (sum(getattr(a, n) for a in self.assessed) for n in ("looked", "units"))
        if self.symmetry == "rotation" and units:
            facts.append("one chunk stands for all: Z3 proved for every N that the rows commute "
                         "with r -> r + 1, c -> c + 1 (mod N)")  # fmt: skip
        elif self.symmetry == "shapes" and units:
            facts.append(f"Z3 was given one of each shape: {looked} of "
                         f"{count_text(units, 'independent part')} of the send lists")  # fmt: skip
        elif units:
            facts.append(f"Z3 was given every independent part: {units} of {units}")
        if any(by_z3(r.name) and r.proved for r in found):
            facts.append("for all inputs: a part is a free integer x >= 0, so the sums are right for "
                         "any payload whose addition is associative and commutative")  # fmt: skip
        facts.append("assumed: steps run in lock-step (all sends of a step read the state before it) "
                     "and every message arrives")  # fmt: skip
        return tuple(facts)


def _blocker(a: Assessment) -> str:
    return next((n for n in ("in-range", "conflict-free", "defined") if n in a.failing), "a cause")
