"""Z3 on the sums of programs: it agrees with counting, and a difference between the two is never hidden."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ringproof import check_program as checking
from ringproof.check_program import Z3_STEPS, check_program
from ringproof.convert.xml import write_xml
from ringproof.program.asked import Asked
from ringproof.program.terms import Terms, contributions
from ringproof.proof.sums import Answer, Claim, prove_sums, question
from ringproof.verdict import Exit
from tests.conftest import HOME, Run
from tests.ring_programs import chain_ring

RIGHT = "tests/programs/ring_all_reduce.xml"


@st.composite
def sums(draw: Any) -> tuple[Terms, int, list[int], list[int]]:
    """Terms over four inputs, one of them claimed to be a sum of some inputs, each at most twice."""
    terms = Terms()
    inputs = [terms.leaf(k, 0) for k in range(4)]
    known = list(inputs)
    for _ in range(draw(st.integers(0, 6))):
        known.append(terms.add(draw(st.sampled_from(known)), draw(st.sampled_from(known))))
    term = draw(st.sampled_from(known))
    held = [inputs[k] for (k, _), times in contributions(terms.multiset[term]).items() for _ in range(times)]
    wanted = draw(st.one_of(st.just(held), st.lists(st.sampled_from(inputs), max_size=5)))
    return terms, term, wanted, held


@settings(max_examples=200)
@given(sums())
def test_z3_agrees_with_counting(drawn: tuple[Terms, int, list[int], list[int]]) -> None:
    terms, term, wanted, held = drawn
    answer = prove_sums(terms.left, terms.right, [Claim(term, tuple(wanted))], 5000)
    assert (answer.failed is None, answer.unknown) == (Counter(wanted) == Counter(held), "")


def test_sums_of_one_shape_are_one_question() -> None:
    terms = Terms()
    claims = []
    for chunk in range(10):
        leaves = [terms.leaf(k, chunk) for k in range(3)]
        claims.append(Claim(terms.add(terms.add(leaves[0], leaves[1]), leaves[2]), tuple(leaves)))
    answer = prove_sums(terms.left, terms.right, claims, 5000)
    assert answer == Answer(None, "", 1, 10)
    wrong = Claim(claims[0].term, claims[1].wanted)
    assert prove_sums(terms.left, terms.right, [*claims, wrong], 5000).failed == wrong


def test_a_sum_of_many_steps_is_walked_without_recursion() -> None:
    terms = Terms()
    total, leaves = terms.leaf(0, 0), [terms.leaf(0, 0)]
    for k in range(1, 3000):
        leaves.append(terms.leaf(k, 0))
        total = terms.add(total, leaves[-1])
    assert question(terms.left, terms.right, Claim(total, tuple(leaves))).count("define-fun") == 2999


def complete_of(run: Run, *arguments: str) -> dict[str, Any]:
    _, printed = run("check", "--format", "json", *arguments)
    report = json.loads(printed)["reports"][0]
    return next(each for each in report["properties"] if each["name"] == "complete")


def test_the_report_says_who_decided(run: Run, tmp_path: Path) -> None:
    assert "Z3" in complete_of(run, RIGHT)["engines"]
    long = chain_ring(4, 40, 20)
    assert long.size > Z3_STEPS
    path = tmp_path / "long.xml"
    path.write_text(write_xml(long), encoding="utf-8")
    assert "Z3" not in complete_of(run, str(path))["engines"]
    assert "Z3" in complete_of(run, "--z3", str(path))["engines"]


def test_engines_that_disagree_are_an_internal_error(monkeypatch: pytest.MonkeyPatch) -> None:
    from ringproof.proof import sums as proving

    text = (HOME / RIGHT).read_text(encoding="utf-8")
    monkeypatch.setattr(proving, "prove_sums", lambda *_: Answer(Claim(1, ()), "", 1, 1))
    report = check_program("x.xml", text, Asked())
    assert (report.exit, [f.code for f in report.findings]) == (Exit.INTERNAL, ["RP503"])


def test_what_z3_cannot_say_is_not_green(monkeypatch: pytest.MonkeyPatch) -> None:
    from ringproof.proof import sums as proving

    text = (HOME / RIGHT).read_text(encoding="utf-8")
    monkeypatch.setattr(proving, "prove_sums", lambda *_: Answer(None, "the solver ran out of time", 1, 1))
    report = check_program("x.xml", text, Asked())
    assert report.exit == Exit.UNDECIDED
    assert checking.Z3_STEPS == 5_000
    assert check_program("x.xml", text, Asked(z3="never")).exit == Exit.PROVED
