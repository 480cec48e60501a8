""""Did you mean": small changes of a refuted table that have been proved for its whole claim.

Candidates come cheapest first and are tried by replay at the smallest sizes; only what survives is
proved, at every size, and only what is proved is shown.  Ties are all shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from typing import Any

from ringproof.assess import BY_Z3, Options, Symmetry, claim_holds, symmetry_of
from ringproof.events import expand
from ringproof.problem import ExpansionError
from ringproof.simulate import Counts, replay, simulate
from ringproof.simulate.properties import conflict_free, defined, in_range
from ringproof.simulate.traffic import count
from ringproof.table.integers import Undefined
from ringproof.table.mutate import Mutant, repairs
from ringproof.table.reader import read_schedule
from ringproof.table.schedule import Schedule
from ringproof.table.source import Source
from ringproof.verdict import Finding, Place, Repair, Route, Size, TableError
from ringproof.wording import sizes_text

_SMALL_SIZES = 7
_TIES = 4
_MOST_SENDS = 500  # written out: every try reads them all again
_MOST_REPLAYED = 2_000_000  # sends, as N**2 a size: a table of one large size gets few tries
_MEANING = {"RP202", "RP203", "RP305", "RP301", "RP302", "RP303", "RP304"}


def attach(
    findings: list[Finding], schedule: Schedule, source: Source, options: Options
) -> list[Finding]:
    """The findings, the first one about the meaning of the table with its repairs as help lines."""
    if not options.suggest or options.ranks:
        return findings
    findings = list(findings)
    for i, finding in enumerate(findings):
        if finding.code in _MEANING and finding.primary and isinstance(finding.primary.place, Place):
            route = finding.primary.place.route
            mutants = proved(schedule, source, route, options)
            here_first = sorted(mutants, key=lambda m: m.route != route)
            helps = [_words(m, route, schedule) for m in here_first]
            repairs = [_repair(m, text, source) for m, text in zip(here_first, helps, strict=True)]
            findings[i] = replace(finding, helps=(*helps, *finding.helps),
                                  repairs=tuple(r for r in repairs if r))  # fmt: skip
            break
    return findings


def _repair(mutant: Mutant, says: str, source: Source) -> Repair | None:
    """A mutant as one value put for another; None where rows or keys change."""
    old: Any = source.values
    new: Any = mutant.values
    try:
        for step in mutant.route:
            old, new = old[step], new[step]
    except (KeyError, IndexError, TypeError):  # a key that is added or taken away
        return None
    plain = isinstance(old, str | int) and isinstance(new, str | int)
    return Repair(Place(mutant.route), new, says) if plain and new != old else None


def proved(
    schedule: Schedule, source: Source, route: Route, options: Options
) -> list[Mutant]:
    """The cheapest single changes that make the table right at every size it claims."""
    if sum(len(phase.sends) for phase in schedule.phases) > _MOST_SENDS:
        return []
    small = list(islice(schedule.claimed(), _SMALL_SIZES))
    found: list[Mutant] = []
    replayed = 0
    for mutant in islice(repairs(source.values, route), options.suggest):
        if found and (mutant.cost > found[0].cost or len(found) == _TIES):
            break
        replayed += sum(size.N**2 for size in small)
        if replayed > _MOST_REPLAYED:
            break
        if survives(mutant, small, source.path) and _proved(mutant, source.path, options):
            found.append(mutant)
    return found


def survives(mutant: Mutant, sizes: Sequence[Size], path: str) -> bool:
    """Whether replay finds nothing wrong with a mutant at these sizes."""
    try:
        schedule = read_schedule(mutant.values, path)
        return all(right(schedule, size) for size in sizes)
    except (TableError, ExpansionError, Undefined):
        return False


def right(schedule: Schedule, size: Size) -> bool:
    """Whether every property and claim holds at one size, by replay."""
    outcome = simulate(expand(schedule, size))
    failing = [n for n, v in outcome.violations.items() if v and n not in schedule.waive]
    return not failing and _claims_hold(schedule, size, outcome.counts)


def _claims_hold(schedule: Schedule, size: Size, counts: Counts) -> bool:
    environment = schedule.environment(size)
    return all(
        claim_holds(c.relation, Fraction(environment.value(c.value)), counts.of(c.what))
        for c in schedule.claims
    )


def _proved(mutant: Mutant, path: str, options: Options) -> bool:
    """Whether a mutant can run at every size, counts what it claims, and Z3 proves the rest."""
    try:
        schedule = read_schedule(mutant.values, path)
        symmetry = symmetry_of(schedule, options.settings)
        sizes = list(schedule.claimed())
        settled: set[bytes] = set()
        return bool(sizes) and all(_proved_at(schedule, s, symmetry, options, settled) for s in sizes)
    except (TableError, ExpansionError, Undefined):
        return False


def _proved_at(
    schedule: Schedule, size: Size, symmetry: Symmetry, options: Options, settled: set[bytes]
) -> bool:
    from ringproof.proof.bounded import Holds, prove

    events = expand(schedule, size)
    if in_range(events) or conflict_free(events) or defined(events, replay(events)):
        return False
    if not _claims_hold(schedule, size, count(events)):
        return False
    asked = [n for n in BY_Z3 if n not in schedule.waive]
    asked += [f"ensures[{i}]" for i in range(len(events.ensures))]
    proof = prove(events, asked, symmetry, int(options.settings.timeout * 1000), settled)
    return all(isinstance(decision, Holds) for decision in proof.decisions.values())


def _words(mutant: Mutant, route: Route, schedule: Schedule) -> str:
    sizes = sizes_text(list(schedule.claimed()))
    if mutant.route == route:
        return f"`{mutant.after}` here is proved for {sizes}"
    key = _route_text(mutant.route)
    return f"{key} = `{mutant.after}` instead of `{mutant.before}` is proved for {sizes}"


def _route_text(route: Route) -> str:
    parts: Iterator[str] = (f"[{p}]" if isinstance(p, int) else f".{p}" for p in route)
    return "".join(parts).removeprefix(".")
