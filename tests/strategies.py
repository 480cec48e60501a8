"""Hypothesis strategies: random expressions, random small tables, and tables one edit off.

A strategy yields what a person would write: texts and plain values, never ringproof's own types.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from ringproof.table.mutate import Mutant, mutants, sample
from tests.reference import load

Values = dict[str, Any]

# ---- expressions --------------------------------------------------------------------------------

_ARITHMETIC = ("+", "-", "*", "//", "%", "**", "&", "|", "^", "<<", ">>")
_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
_ONE = ("abs", "log2", "ceil_log2", "lowbit")
_TWO = ("log", "ceil_log", "bit", "flip", "reverse", "min", "max")
LARGE = ("(2**61 - 1)", "4611686018427387903", "(1 << 61)", "-4611686018427387903", "3037000500",
         "(2**31)", "-(2**32)")  # fmt: skip


def expressions(
    names: Sequence[str], conditions: Sequence[str] = (), large: Sequence[str] = (), depth: int = 3,
) -> tuple[SearchStrategy[str], SearchStrategy[str]]:  # fmt: skip
    """Texts of random integer expressions and of random conditions over these names.

    ``large`` are further constants.  Any part may have no value: a divisor may be 0.
    """
    numbers = st.sampled_from([*names, *names, "0", "1", "2", "3", "7", *large])
    facts = st.sampled_from([*conditions, *conditions, "True", "False", *(f"{n} > 1" for n in names)])
    return _integers(numbers, facts, depth), _conditions(numbers, facts, depth)


@st.composite
def _integers(draw: DrawFn, numbers: SearchStrategy[str], facts: SearchStrategy[str], depth: int) -> str:
    kind = draw(st.integers(0, 6)) if depth else 0
    if kind == 0:
        return draw(numbers)
    x = draw(_integers(numbers, facts, depth - 1))
    if kind == 1:
        return f"({draw(st.sampled_from('-~+'))}{x})"
    if kind == 2:
        return f"{draw(st.sampled_from(_ONE))}({x})"
    y = draw(_integers(numbers, facts, depth - 1))
    if kind == 3:
        return f"{draw(st.sampled_from(_TWO))}({x}, {y})"
    if kind == 4:
        return f"({x} if {draw(_conditions(numbers, facts, depth - 1))} else {y})"
    return f"({x} {draw(st.sampled_from(_ARITHMETIC))} {y})"


@st.composite
def _conditions(draw: DrawFn, numbers: SearchStrategy[str], facts: SearchStrategy[str], depth: int) -> str:
    kind = draw(st.integers(0, 6)) if depth else 0
    if kind == 0:
        return draw(facts)
    if kind < 3:
        ends = [draw(_integers(numbers, facts, depth - 1)) for _ in range(kind + 1)]
        signs = [draw(st.sampled_from(_COMPARISONS)) for _ in range(kind)]
        links = [f" {sign} {end}" for sign, end in zip(signs, ends[1:], strict=True)]
        return f"({ends[0]}{''.join(links)})"
    x = draw(_conditions(numbers, facts, depth - 1))
    if kind == 3:
        return f"(not {x})"
    y = draw(_conditions(numbers, facts, depth - 1))
    if kind == 4:
        return f"({x} if {draw(_conditions(numbers, facts, depth - 1))} else {y})"
    return f"({x} {'and' if kind == 5 else 'or'} {y})"


# ---- tables -------------------------------------------------------------------------------------


def one_phase(*rows: Values, steps: Any = 1, **keys: Any) -> Values:
    """An all-reduce of N chunks in one phase with these rows; ``keys`` replace or add."""
    phase = {"name": "only", "steps": steps, "send": list(rows)}
    return {"name": "by hand", "collective": "all-reduce", "ranks": "2..5", "chunks": "N",
            "phase": [phase], **keys}  # fmt: skip


# ---- mutants ------------------------------------------------------------------------------------


@cache
def _mutants(path: Path, count: int) -> tuple[Mutant, ...]:
    """Every single mutant of a table, and pairs of edits until there are ``count``."""
    values = load(path)
    return tuple(sample(values, max(count, len(list(mutants(values)))), seed=0))


@st.composite
def mutated(draw: DrawFn, paths: Sequence[Path], count: int = 400) -> Mutant:
    """One of the tables in these files, one or two edits off."""
    return draw(st.sampled_from(_mutants(draw(st.sampled_from(paths)), count)))
