"""Tables -> what each costs at each size; a table is replayed first, and costed only if it is right."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from ringproof.assess import claim_holds
from ringproof.collective import COLLECTIVES
from ringproof.cost.bounds import bounds
from ringproof.cost.counts import count
from ringproof.cost.sizes import Question, QuestionError, numbers, sizes_at, unclaimed
from ringproof.cost.values import Cost, Survey
from ringproof.diagnose.problems import problem
from ringproof.events import expand
from ringproof.problem import ExpansionError, Problem
from ringproof.simulate import Outcome, simulate
from ringproof.simulate.properties import Violations
from ringproof.table.integers import Undefined
from ringproof.table.reader import read_schedule
from ringproof.table.schedule import Schedule
from ringproof.table.source import Source, read
from ringproof.textfile import in_shell
from ringproof.verdict import Finding, Report, Size, TableError, Used
from ringproof.wording import sizes_text


@dataclass(frozen=True, slots=True)
class Table:
    """A table that could be read."""

    path: str
    label: str
    source: Source
    schedule: Schedule


def survey(files: Sequence[str | Report], question: Question) -> Survey:
    """Cost every table at every size asked, in order; what cannot be read is in ``broken``.

    Errors: `QuestionError` for a parameter, or a value of one, that no table has.
    """
    read_all = [f if isinstance(f, Report) else _table(f) for f in dict.fromkeys(files)]
    tables = _labelled([found for found in read_all if isinstance(found, Table)])
    broken = [found for found in read_all if isinstance(found, Report)]
    top = max((table.schedule.ranks[1] for table in tables), default=0)
    costs: list[Cost] = []
    for table in tables:
        try:
            asked = numbers(table.schedule, question, top)
            costs += [cost_of(table, N, question.params) for N in asked]
        except ExpansionError as error:
            broken.append(_report(table.source, tuple(map(problem, error.problems)), table.schedule.used))
    _check_params(question.params, tables, costs)
    ordered = _by_collective(costs)
    return Survey(ordered, tuple(broken), notes=_notes(ordered, question, top))


def _table(path: str) -> Table | Report:
    try:
        source = read(path)
    except TableError as error:
        called, text = getattr(error, "path", path), getattr(error, "text", "")
        return Report(called, "", text, "", findings=error.findings)
    try:
        return Table(source.path, "", source, read_schedule(source.values, source.path))
    except TableError as error:
        return _report(source, error.findings, error.used)


def _report(source: Source, findings: tuple[Finding, ...], used: tuple[Used, ...]) -> Report:
    name = str(source.values.get("name", ""))
    return Report(source.path, name, source.text, "", findings=findings, used=used)


def _labelled(tables: Sequence[Table]) -> list[Table]:
    """Tables by the name of their file, or by its path where two names are the same."""
    stems = [os.path.basename(table.path).removesuffix(".toml") for table in tables]
    return [
        replace(table, label=stem if stems.count(stem) == 1 else table.path)
        for table, stem in zip(tables, stems, strict=True)
    ]


def _by_collective(costs: Sequence[Cost]) -> tuple[Cost, ...]:
    """One collective after another, and N ascending; the tables of each in the order given."""
    order = {name: i for i, name in enumerate(COLLECTIVES)}
    return tuple(sorted(costs, key=lambda cost: (order[cost.collective], cost.size.N)))


def cost_of(table: Table, N: int, params: Mapping[str, int]) -> Cost:
    """Replay one size and count; errors: `ExpansionError`."""
    schedule = table.schedule
    sizes = sizes_at(schedule, N, params)
    cost = Cost(table.path, table.label, schedule.name, schedule.promise.collective,
                sizes[0] if sizes else Size(N), "not claimed")  # fmt: skip
    if not sizes:
        return replace(cost, reason=unclaimed(schedule, N, params))
    outcome = simulate(expand(schedule, sizes[0]))
    failing = {name: found for name, found in outcome.violations.items() if found}
    waived = {n: found for n, found in failing.items() if n.partition("[")[0] in schedule.waive}
    wrong = list(dict.fromkeys(n.partition("[")[0] for n in failing if n not in waived))
    wrong += _false_claims(schedule, outcome) if not wrong else []
    if wrong:
        return replace(cost, outcome="refuted", reason=", ".join(wrong))
    counted = count(outcome.events)
    return replace(
        cost, outcome="costed", counted=counted,
        bounds=bounds(outcome.events.contract, counted.ports),
        remark="; ".join(_waived(name, found) for name, found in waived.items()),
    )  # fmt: skip


def _false_claims(schedule: Schedule, outcome: Outcome) -> list[str]:
    """Claims that the send log does not confirm, each with what it counts."""
    size = outcome.events.size
    environment, wrong = schedule.environment(size), []
    for claim in schedule.claims:
        try:
            claimed, counted = Fraction(environment.value(claim.value)), outcome.counts.of(claim.what)
        except Undefined as error:
            raise ExpansionError((Problem.undefined(error, size, {}),)) from None
        if not claim_holds(claim.relation, claimed, counted):
            relation = "" if claim.relation == "==" else f"{claim.relation} "
            wrong.append(f"claims {claim.what} {relation}{claimed}, counted {counted}")
    return wrong


def _waived(name: str, found: Violations) -> str:
    what, at_fault = ("sends", found.events) if found.events else ("slots", found.cells)
    return f"{name} is waived: {len(at_fault)} of {found.total} {what}"


def _check_params(params: Mapping[str, int], tables: Sequence[Table], costs: Sequence[Cost]) -> None:
    known = dict.fromkeys(loop.name for table in tables for loop in table.schedule.params)
    for name, value in params.items() if tables else ():
        if name not in known:
            raise QuestionError(f"no table has a parameter {name}; there are: {', '.join(known) or 'none'}")
        if costs and all(dict(cost.size.params).get(name) != value for cost in costs):
            raise QuestionError(f"{value} is not a value of {name} at any size asked")


def _notes(costs: Sequence[Cost], question: Question, top: int) -> tuple[str, ...]:
    """Why some tables have no numbers, what is waived, and which parameters were taken."""
    said: dict[tuple[str, str], list[Size]] = {}
    for cost in costs:
        if text := _note(cost):
            said.setdefault((text, cost.label), []).append(Size(cost.size.N))
    alike: dict[tuple[str, str], list[str]] = {}
    for (text, label), sizes in said.items():
        alike.setdefault((text, sizes_text(sizes)), []).append(label)
    notes = [f"{', '.join(labels)} at {sizes}: {text}" for (text, sizes), labels in alike.items()]
    if top and any(b > top for _, b in question.ranks):
        notes.append(f"no table claims more than N = {top}")
    if any(name not in question.params for cost in costs for name, _ in cost.size.params):
        notes.append("parameters have the first value that their table lists, unless -p sets them")
    return tuple(notes)


def _note(cost: Cost) -> str:
    if cost.outcome == "refuted":
        return f"refuted, so it has no cost: {cost.reason}\n`ringproof check {in_shell(cost.path)}` shows why"
    return f"not costed: {cost.reason}" if cost.outcome == "not claimed" else cost.remark
