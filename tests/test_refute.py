"""The refuter: what it reads, what it refutes, and that its checker lets no mistake of the search by."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ringproof.proof.refute import Refutation, Unreadable, check, checker, refute, refuted, search
from ringproof.proof.refute.checker import Learned, Lemma, holds
from ringproof.proof.refute.clauses import Clauses
from ringproof.proof.refute.cuts import best_cut
from ringproof.proof.refute.problem import Problem, problem
from ringproof.proof.refute.simplex import Simplex
from ringproof.proof.refute.smtlib import All, AtMost, Not, Some, read

LONG = 20.0  # seconds; nothing here comes near


def asked(names: str, *formulas: str) -> str:
    declared = "".join(f"(declare-const {name} Int)" for name in names.split())
    return "\n".join([declared, *(f"(assert {f})" for f in formulas), "(check-sat)\n"])


# ---- the reader ---------------------------------------------------------------------------------


def test_the_reader_takes_every_operator() -> None:
    text = "(set-logic QF_LIA)\n" + asked(
        "N!.1 *1*33 c_0",
        "(<= (+ (* (- 2) N!.1) *1*33 3) (- *1*33 N!.1 1))",
        "(or (not (= c_0 4)) true)",
        "(and (<= (* c_0 (- 5)) (- 7)) false)",
    )
    found = read(text)
    assert found.names == ("N!.1", "*1*33", "c_0")
    assert found.formulas == (
        AtMost(((0, -1),), -4),
        Some((Not(All((AtMost(((2, 1),), 4), AtMost(((2, -1),), -4)))), All(()))),
        All((AtMost(((2, -5),), -7), Some(()))),
    )


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "does not end with"),
        (asked("x", "(<= x 0)").replace("(check-sat)", ""), "does not end with"),
        (asked("x", "(<= x 0)") + "(assert false)", "does not end with"),
        (asked("x", "(<= x 0)") + "(check-sat)", "unknown command"),
        (asked("x", "(<= x 0)")[:30], "left open"),
        (asked("x", "(<= x 0))"), "never opened"),
        (asked("x", "(<= x 0) (<= x 1)"), "unknown command"),
        (asked("x", "(<= x y)"), "undeclared name or not a number: y"),
        (asked("x", "(<= x 01)"), "undeclared name or not a number"),
        (asked("x", "(<= x -1)"), "undeclared name or not a number"),
        (asked("x", "(<= x 1.5)"), "undeclared name or not a number"),
        (asked("x", "(<= x 1e3)"), "undeclared name or not a number"),
        (asked("x", f"(<= x {'9' * 5000})"), "undeclared name or not a number"),
        (asked("x", "(<= x \u0661)"), "undeclared name or not a number"),
        (asked("x", "(<= x ; (\n0)"), "left open"),
        (asked("x", "(< x 1)"), "not a formula"),
        (asked("x", "(=> true (<= x 1))"), "not a formula"),
        (asked("x", "(and)"), "not a formula"),
        (asked("x", "(or)"), "not a formula"),
        (asked("x", "(not)"), "not a formula"),
        (asked("x", "(not true true)"), "not a formula"),
        (asked("x", "(<= x 1 2)"), "not a formula"),
        (asked("x", "(= true true)"), "undeclared name"),
        (asked("x", "x"), "not a formula"),
        (asked("x", "(let ((y x)) (<= y 1))"), "not a formula"),
        (asked("x", "(<= (div x 2) 1)"), "not a term"),
        (asked("x", "(<= (+ x) 1)"), "not a term"),
        (asked("x", "(<= (-) 1)"), "not a term"),
        (asked("x", "(<= (* 1 2 x) 1)"), "not a term"),
        (asked("x y", "(<= (* x y) 1)"), "not linear"),
        (asked("x", "(<= (* x x) 1)"), "not linear"),
        (asked("x x", "(<= x 1)"), "`x` cannot be declared"),
        (asked("and", "true"), "`and` cannot be declared"),
        (asked("3x", "true"), "`3x` cannot be declared"),
        (asked("-3", "true"), "`-3` cannot be declared"),
        (asked("x", "true").replace("Int", "Real"), "unknown command"),
        (asked("x", "true").replace("(check", "(set-logic QF_NIA)(check"), "unknown command"),
        (asked("x", "(not " * 150 + "true" + ")" * 150), "too deep"),
    ],
)  # fmt: skip
def test_the_reader_refuses_what_it_does_not_know(text: str, says: str) -> None:
    for ask in (lambda: refuted(text, LONG), lambda: check(text, Refutation((), ()))):
        with pytest.raises(Unreadable, match=says):
            ask()


# ---- what is refuted ----------------------------------------------------------------------------

BOX = "(and (<= 0 x) (<= x 9) (<= 0 y) (<= y 9))"
PIGEONS = [
    f"(or {' '.join(f'(= p{i} {hole})' for hole in range(4))})" for i in range(5)
] + [f"(not (= p{i} p{j}))" for i in range(5) for j in range(i)]  # fmt: skip
REFUTED = {
    "false": asked("", "false"),
    "bounds": asked("N", "(<= (+ 2 (* (- 1) N)) 0)", "(<= N 0)"),
    "chain": asked("x y z", "(<= (+ x 1) y)", "(<= (+ y 1) z)", "(<= z (+ x 1))"),
    "fractions": asked("x y", "(<= (+ x x y) 3)", "(<= 2 (- x y))", "(<= 1 (+ y y y x))"),
    "an even number is odd": asked("x", "(= (* 2 x) 1)"),
    "a multiple of three is one": asked("x y", "(= (+ (* 3 x) (* 6 y)) 1)"),
    "a gap": asked("x y", "(<= 1 (- (* 3 x) (* 3 y)))", "(<= (- (* 3 x) (* 3 y)) 2)"),
    "parity over two equations": asked("x h d g", "(= x (+ (* 2 h) d))", "(= x (* 2 g))", "(= d 1)"),
    "parity by halves": asked("x y z", "(= (+ x y) (* 2 z))", "(= (- x y 1) 0)"),
    "no whole point": asked("x y", "(= (+ (* 2 x) (* 3 y)) 7)", "(<= x y)", "(<= 0 x)"),
    "coins": asked("x y", BOX, "(= (+ (* 5 x) (* 7 y)) 23)"),
    "a value between": asked("x", "(not (= x 1))", "(not (or (<= x 0) (<= 2 x)))"),
    "cases": asked("x y", "(or (= x 1) (= x 3))", "(or (and (= y 0) (<= x 0)) (= y 2))", "(= (+ x y) 4)"),
    "pigeons": asked("p0 p1 p2 p3 p4", *PIGEONS),
    "remainders": asked(
        "a b N q p", "(<= 2 N)", "(and (<= 0 a) (<= (+ a 1) N))", "(and (<= 0 b) (<= (+ b 1) N))",
        "(or (<= q 0) (<= N p))", "(or (<= 0 q) (<= p (- N)))", "(or (not (= q 0)) (= p 0))",
        "(= (+ a p) b)", "(not (= a b))",
    ),
}  # fmt: skip
SATISFIABLE = {
    "nothing": asked(""),
    "true": asked("x", "true"),
    "even": asked("x", "(= (* 2 x) 4)"),
    "the wider bound": asked("x", "(<= 4 x)", "(or (<= x 3) (<= x 5))", "(or (<= x 5) (<= x 3))"),
    "a part that is true": asked("x", "(<= 4 x)", "(or (<= x 3) true)", "(or (<= x 3) (not false))"),
    "unbounded": asked("x y", "(<= (+ x 1) y)"),
    "coins": asked("x y", BOX, "(= (+ (* 5 x) (* 7 y)) 24)"),
    "pigeons": asked("p0 p1 p2 p3 p4", *PIGEONS[:-1]),
    "cases": asked("x y", "(or (= x 1) (= x 3))", "(or (and (= y 0) (<= x 0)) (= y 1))", "(= (+ x y) 4)"),
    "either coins": asked("x y", BOX, "(or (= (+ (* 5 x) (* 7 y)) 23) (= (+ (* 5 x) (* 7 y)) 24))"),
    "whole": asked("x y", "(= (+ (* 2 x) (* 3 y)) 7)", "(<= y x)", "(<= 0 x)"),
}


@pytest.mark.parametrize("name", REFUTED)
def test_what_has_no_solution_is_refuted(name: str) -> None:
    text = REFUTED[name]
    found = refute(text, LONG)
    assert found is not None
    assert check(text, found)
    assert refuted(text, LONG)
    assert refute(text, LONG) == found, "the same text, the same refutation"
    assert refute(text, 0.0) is None


@pytest.mark.parametrize("name", SATISFIABLE)
def test_what_has_a_solution_is_not_refuted(name: str) -> None:
    assert refute(SATISFIABLE[name], 2.0) is None
    assert not refuted(SATISFIABLE[name], 2.0)


def test_a_refutation_of_one_question_does_not_refute_another() -> None:
    for text in REFUTED.values():
        found = refute(text, LONG)
        assert found is not None
        assert not any(check(other, found) for other in SATISFIABLE.values())


# ---- small formulas against every point of a box ------------------------------------------------

NAMES, MOST = "wxyz", 3
numbers = st.integers(-4, 4)
sums = st.tuples(st.sampled_from(["<=", "="]), st.lists(numbers, min_size=4, max_size=4), numbers)
drawn = st.recursive(
    sums,
    lambda inner: st.one_of(
        st.tuples(st.just("not"), inner),
        st.tuples(st.sampled_from(["and", "or"]), inner, inner),
        st.tuples(st.sampled_from(["and", "or"]), inner, inner, inner),
    ),
    max_leaves=5,
)


def number(value: int) -> str:
    return str(value) if value >= 0 else f"(- {-value})"


def written(formula: tuple) -> str:  # type: ignore[type-arg]
    if formula[0] in ("<=", "="):
        terms = " ".join(f"(* {number(k)} {name})" for k, name in zip(formula[1], NAMES, strict=True))
        return f"({formula[0]} (+ {terms}) {number(formula[2])})"
    return f"({formula[0]} {' '.join(map(written, formula[1:]))})"


def true(formula: tuple, point: tuple[int, ...]) -> bool:  # type: ignore[type-arg]
    kind, *parts = formula
    if kind in ("<=", "="):
        total = sum(k * value for k, value in zip(parts[0], point, strict=True))
        return bool(total <= parts[1] if kind == "<=" else total == parts[1])
    truths = [true(part, point) for part in parts]
    return {"not": not truths[0], "and": all(truths), "or": any(truths)}[kind]


@settings(max_examples=250)
@given(st.lists(drawn, min_size=1, max_size=5), st.integers(2, 4))
def test_small_formulas_against_every_point(formulas: list[tuple], used: int) -> None:  # type: ignore[type-arg]
    box = [f"(and (<= 0 {name}) (<= {name} {MOST if i < used else 0}))" for i, name in enumerate(NAMES)]
    text = asked(" ".join(NAMES), *box, *map(written, formulas))
    points = product(*(range(MOST + 1 if i < used else 1) for i in range(len(NAMES))))
    solvable = any(all(true(f, point) for f in formulas) for point in points)
    assert refuted(text, LONG) == (not solvable)


# ---- the checker --------------------------------------------------------------------------------

# x >= 1 and x <= 0, said of the sums x and 2x + y, as no search would
SMALL = Problem(
    forms=(((0, 1),), ((0, 2), (1, 1))), clauses=(((1, -1),), ((0, 0),), ((2, 5), (3, 4))), named=2
)
STEPS = (Lemma(((0, 0), (1, -1)), (1, 1)), Learned((), (0, 1)))
LEMMAS = {  # each is followed by a sound step, so that it alone stands between the checker and "yes"
    "a lemma that is not true": Lemma(((0, 0), (1, -2)), (1, 1)),
    "a literal alone": Lemma(((0, 0),), (1,)),
    "no literal": Lemma((), ()),
    "multipliers that leave something": Lemma(((0, 0), (1, -1)), (1, 2)),
    "another form": Lemma(((0, 0), (3, -1)), (1, 1)),
    "too few multipliers": Lemma(((0, 0), (1, -1)), (1,)),
    "a multiplier of zero": Lemma(((0, 0), (1, -1), (2, 0)), (1, 1, 0)),
    "a negative multiplier": Lemma(((0, 0), (0, -5)), (1, -1)),
    "a fractional multiplier": Lemma(((0, 0), (1, -1)), (0.5, 0.5)),  # type: ignore[arg-type]
    "a fractional bound": Lemma(((0, -0.5), (1, -0.5)), (1, 1)),  # type: ignore[arg-type]
    "a form that is not there": Lemma(((8, 0), (9, -1)), (1, 1)),
    "a negative key": Lemma(((-2, 0), (-1, -1)), (1, 1)),
}
UNSOUND: dict[str, tuple[Lemma | Learned, ...]] = {
    "nothing": (),
    "no empty clause": STEPS[:1],
    **{name: (lemma, STEPS[1]) for name, lemma in LEMMAS.items()},
    "a hint that does not fail": (Learned((), (0,)),),
    "a hint with two literals left": (Learned((), (2, 0, 1)),),
    "a hint to itself": (Learned((), (3,)),),
    "a hint from the end": (Learned((), (-3, 1)),),
    "no hints": (Learned((), ()),),
    "a clause that does not follow": (Learned(((3, -6),), (2,)), STEPS[1]),
}


def test_the_checker_takes_sound_steps() -> None:
    assert holds(SMALL, Refutation((), STEPS))
    assert holds(replace(SMALL, clauses=((),)), Refutation((), ()))
    assert holds(SMALL, Refutation((((1, 3),),), (Lemma(((4, 2), (5, 0)), (1, 1)), *STEPS[1:])))


@pytest.mark.parametrize("name", UNSOUND)
def test_the_checker_refuses(name: str) -> None:
    assert not holds(SMALL, Refutation((), UNSOUND[name]))


@pytest.mark.parametrize("form", [((0, 0.5),), ((0, 1.0),), ((0.5, 1),)])
def test_the_checker_refuses_a_form_that_is_not_whole(form: tuple[tuple[float, float], ...]) -> None:
    assert not holds(SMALL, Refutation((form,), STEPS))  # type: ignore[arg-type]


# ---- mistakes planted in the search -------------------------------------------------------------

Patch = pytest.MonkeyPatch


def a_wrong_multiplier(patch: Patch) -> None:
    right = Simplex._conflict

    def wrong(*given):  # type: ignore[no-untyped-def]
        literals, multipliers = right(*given)
        return literals, (multipliers[0] + 1, *multipliers[1:])

    patch.setattr(Simplex, "_conflict", wrong)


def a_bound_forgotten(patch: Patch) -> None:
    right = Simplex._conflict

    def wrong(*given):  # type: ignore[no-untyped-def]
        literals, multipliers = right(*given)
        return literals[:-1], multipliers[:-1]

    patch.setattr(Simplex, "_conflict", wrong)


def a_conflict_where_there_is_none(patch: Patch) -> None:
    def wrong(simplex: Simplex):  # type: ignore[no-untyped-def]
        trail = simplex.trail
        return tuple(zip(trail.key, trail.bound, strict=True)), (1,) * len(trail)

    patch.setattr(Simplex, "check", wrong)


def a_cut_too_deep(patch: Patch) -> None:
    def wrong(*given):  # type: ignore[no-untyped-def]
        cut = best_cut(*given)
        return cut and replace(cut, bound=cut.bound - 1)

    patch.setattr(search, "best_cut", wrong)


def a_literal_not_learned(patch: Patch) -> None:
    right = Clauses.add

    def wrong(clauses: Clauses, step: Lemma | Learned) -> int:
        if isinstance(step, Learned):
            step = replace(step, clause=step.clause[:-1])
        return right(clauses, step)

    patch.setattr(Clauses, "add", wrong)


# a mistake, a text with a solution that it "refutes", and the half of the checker that sees it
PLANTED: list[tuple[Callable[[Patch], None], str, str]] = [
    (a_conflict_where_there_is_none, SATISFIABLE["coins"], "_adds_up"),
    (a_bound_forgotten, SATISFIABLE["either coins"], "_adds_up"),
    (a_cut_too_deep, SATISFIABLE["coins"], "_adds_up"),
    (a_literal_not_learned, SATISFIABLE["cases"], "_follows"),
]


@pytest.mark.parametrize(("mistake", "text", "half"), PLANTED, ids=lambda part: getattr(part, "__name__", ""))
def test_a_mistake_of_the_search_is_seen(
    mistake: Callable[[Patch], None], text: str, half: str, monkeypatch: Patch
) -> None:  # fmt: skip
    """And only by the checker: without this half of it the text counts as refuted."""
    assert not refuted(text, 2.0)
    mistake(monkeypatch)
    assert refute(text, 2.0) is not None
    assert not refuted(text, 2.0)
    monkeypatch.setattr(checker, half, lambda *given: True)
    assert refuted(text, 2.0)


def test_a_wrong_multiplier_refutes_nothing(monkeypatch: Patch) -> None:
    text = REFUTED["fractions"]
    a_wrong_multiplier(monkeypatch)
    found = refute(text, 2.0)
    assert found is not None
    assert not check(text, found)
    monkeypatch.undo()
    assert refuted(text, 2.0)


def test_every_step_of_a_refutation_is_needed() -> None:
    for text in REFUTED.values():
        found = refute(text, LONG)
        assert found is not None
        for number, step in enumerate(found.steps[:-1]):
            always = replace(step, clause=((0, 0), (1, -1)))
            if isinstance(always, Lemma):
                always = replace(always, multipliers=(1, 1))
            steps = (*found.steps[:number], always, *found.steps[number + 1 :])
            assert not holds(problem(read(text)), replace(found, steps=steps)), text
