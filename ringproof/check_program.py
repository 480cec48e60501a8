"""The pipeline for programs: a file goes in, a report comes out.

    text -> program -> steps -> order, races, one replay and Z3 (for every case) -> results -> findings
"""

from __future__ import annotations

from collections.abc import Mapping
from time import perf_counter
from typing import TYPE_CHECKING

from ringproof.diagnose import loading
from ringproof.diagnose.problems import disagreement
from ringproof.diagnose.program import Words
from ringproof.problem import GIB, EnginesDisagree
from ringproof.program.asked import Asked
from ringproof.program.decide import Decided, decide
from ringproof.program.memory import bytes_needed
from ringproof.program.model import Case
from ringproof.program.msccl_xml import read_program
from ringproof.program.places import Places
from ringproof.program_results import Telling
from ringproof.turn import in_turn
from ringproof.verdict import Finding, Report, TableError
from ringproof.wording import count_text

if TYPE_CHECKING:
    from ringproof.proof.sums import Answer

Z3_STEPS = 5_000


@in_turn
def check_program(
    path: str, text: str, asked: Asked, ranks: tuple[tuple[int, int], ...] = (), memory: float = 4 * GIB
) -> Report:
    """Check one program; whatever is wrong with it is in the report.

    ``ranks``: check only these N; ``memory``: bytes that it may take.
    """
    report = Report(path, "", text, "", kind="program")
    began = perf_counter()
    try:
        read, notes = read_program(path, text)
    except TableError as error:
        return _with(report, findings=error.findings)
    report = _with(report, name=read.name)
    N = read.ranks
    if ranks and not any(a <= N <= b for a, b in ranks):
        title = f"nothing to prove: the program is for N = {N}, and -N leaves that out"
        return _with(report, findings=(Finding("RP502", title, "warning"), *notes))
    if (needed := bytes_needed(read)) > memory:
        return _with(report, findings=(loading.too_large(Places(text), read, needed, memory), *notes))
    decided = decide(read, asked.collective, asked.post)
    ended = perf_counter()
    words = Words(decided, Places(text))
    try:
        proofs = _proofs(decided, asked)
    except EnginesDisagree as error:
        return _with(report, findings=(disagreement(str(error), {}),))
    proved = perf_counter()
    told = Telling(read, decided, words, asked, proofs)
    results = tuple(told.results())
    seconds = (("deciding", ended - began), ("Z3", proved - ended), ("report", perf_counter() - proved))
    return Report(
        path, read.name, text, told.claim(), told.sizes, results, (*told.findings, *told.remarks(), *notes),
        _facts(decided, proofs), seconds, kind="program",
    )  # fmt: skip


def _with(report: Report, name: str = "", findings: tuple[Finding, ...] = ()) -> Report:
    return Report(report.path, name or report.name, report.text, "", findings=findings, kind="program")


def _proofs(decided: Decided, asked: Asked) -> dict[Case, Answer]:
    """What Z3 says of every case that the replay finds right in all orders; errors: `EnginesDisagree`."""
    long = len(decided.steps.steps) > Z3_STEPS
    right = [one for one in decided.outcomes if one.decided and not one.wrong and one.world.promised]
    if asked.z3 == "never" or (asked.z3 == "auto" and long) or not right:
        return {}
    from ringproof.proof.sums import Claim, prove_sums

    found = {}
    for one in right:
        terms = one.world.terms
        claims = [Claim(term, wanted) for term, wanted in one.world.sums(one.end)]
        answer = prove_sums(terms.left, terms.right, claims, round(asked.timeout * 1000))
        if answer.failed:
            raise EnginesDisagree("replay finds every promised chunk right, and Z3 an input that breaks one")
        found[one.world.memory.case] = answer
    return found


def _facts(decided: Decided, proofs: Mapping[Case, Answer]) -> tuple[str, ...]:
    found = []
    if proofs and not any(answer.unknown for answer in proofs.values()):
        found.append(
            "for all inputs: a part is a free integer x >= 0, so the sums are right for any payload whose "
            "addition is associative and commutative"
        )
    if decided.window is not None and not decided.shape.shared:
        room = count_text(decided.window, "message")
        found.append(f"nothing hangs where a connection has room for {room} or more")
    found.append(
        "assumed: a step runs as a whole; messages of a connection arrive in the order they were sent"
    )
    return tuple(found)
