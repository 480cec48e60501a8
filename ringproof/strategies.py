"""Hypothesis strategies for users' own tests: small tables, right or wrong, and tables one edit off.

    from hypothesis import given, settings
    from ringproof.strategies import schedules

    @given(schedules())
    @settings(deadline=None)  # the first check of a process imports Z3
    def test_our_runtime_agrees(table):
        ...

Needs Hypothesis: ``pip install 'ringproof[hypothesis]'``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

try:
    from hypothesis import strategies as st
    from hypothesis.strategies import DrawFn, SearchStrategy
except ModuleNotFoundError as missing:
    told = "ringproof.strategies needs Hypothesis: pip install 'ringproof[hypothesis]'"
    raise ModuleNotFoundError(told, name=missing.name) from None

from ringproof.arguments import ArgumentError, PathLike
from ringproof.table.mutate import Mutant
from ringproof.table.mutate import mutants as every_mutant
from ringproof.tables import Table, build, table_of
from ringproof.verdict import Route, TableError

Values = dict[str, Any]

COLLECTIVES = ("all-reduce", "reduce-scatter", "all-gather", "broadcast", "reduce", "scatter",
               "gather", "all-to-all")  # fmt: skip


@dataclass(frozen=True)
class Mutation:
    """A table one edit away from another; ``before`` and ``after`` are what stands at ``route``."""

    table: Table
    kind: str
    route: Route
    before: str
    after: str


def schedules() -> SearchStrategy[Table]:
    """Small well-formed tables of every collective for N = 2..5, some right, most of them wrong.

    At some sizes a value may be undefined or an index out of range, as in what people write.

        >>> from hypothesis import find
        >>> find(schedules(), lambda table: "root" in table.values).values["ranks"]
        '2..5'
    """
    return values_of_tables().map(build)


def mutants(table: Table | PathLike) -> SearchStrategy[Mutation]:
    """Tables one edit away from this one: an index off by one, an op swapped, a row left out.

    Each is well-formed; most are wrong, and some mean the same.  Errors: `TableError` when the table
    cannot be read, `ArgumentError` when there is nothing in it to change.

        >>> from hypothesis import find
        >>> found = find(mutants("schedules/ring.toml"), lambda m: m.after == "(r - 1) % N")
        >>> found.kind, found.before
        ('direction', '(r + 1) % N')
    """
    found = table_of(table)
    changed = [m for m in (_mutation(found, mutant) for mutant in every_mutant(found.values)) if m]
    if not changed:
        raise ArgumentError(f"there is nothing to change in {found.path}")
    return st.sampled_from(changed)


def _mutation(table: Table, mutant: Mutant) -> Mutation | None:
    try:
        made = build(mutant.values, path=table.path)
    except TableError:
        return None
    return Mutation(made, mutant.kind, mutant.route, mutant.before, mutant.after)


# ---- the values of tables -----------------------------------------------------------------------


@st.composite
def rotations(draw: DrawFn, names: Sequence[str], modulus: str) -> str:
    """An index such as ``(r - s + 1) % N``: what a row mostly says."""
    terms = draw(st.lists(st.sampled_from(names), min_size=1, max_size=2, unique=True))
    signs = [draw(st.sampled_from(("", "-"))), draw(st.sampled_from((" + ", " - ")))]
    text = "".join(sign + term for sign, term in zip(signs, terms, strict=False))
    shift = draw(st.sampled_from(("", "", " + 1", " - 1", " + 2")))
    return f"({text}{shift}) % {modulus}"


GUARDS = ("r > 0", "s == 0 or r % 2 == 0", "s < 2 and r != s", "N % (s + 1) == 0",
          "s > 0 and r // s > 0", "not r == 1", "0 < r < N - 1", "bit(r, s) == 1", "r != root",
          "is_pow2(r + s)", "(N > 2 and 1 // (N - 2) == r) or r == 1", "flip(r, s) < N",
          "(r if s == 0 else 1 // s) == 1")  # fmt: skip
PARTIAL_GUARDS = ("r // s > 0", "log2(r) == s")  # without a value at some r and s
LOOP_GUARDS = ("j != r", "j % 2 == 0 or r == 0", "r > 0 and j >= s", "j > 0 and r // j == 1",
               "r // j > 0")  # fmt: skip
LOOPS: tuple[Any, ...] = (
    "0..1", "1..N - 1", "s..r", [0, 2], "divisors(N)", "1..0", "0..min(h, 2)", 1,
)  # fmt: skip


@st.composite
def rows(draw: DrawFn, slots: str) -> Values:
    """A row, mostly with every index in range."""
    names, extra = ["r", "s"], {}
    if draw(st.integers(0, 2)) == 0:
        names.append("j")
        extra["for"] = {"j": draw(st.sampled_from(LOOPS))}
        if draw(st.integers(0, 3)) == 0:
            names.append("i")
            extra["for"]["i"] = draw(st.sampled_from(("j..j + 1", "0..j", ["j", 0])))
    if draw(st.integers(0, 2)) == 0:
        names.append("h")
    guards = GUARDS + (LOOP_GUARDS if "j" in names else PARTIAL_GUARDS)
    if draw(st.integers(0, 2)) == 0:
        extra["when"] = draw(st.sampled_from(guards))
    peer = draw(rotations(names, "N") | st.sampled_from(("root", "r", "r ^ 1", "2**s % N")))
    chunk = draw(rotations(names, slots) | st.sampled_from(("0", "s % N", 0)))
    row = {draw(st.sampled_from(("to", "to", "from"))): peer, "chunk": chunk}
    if draw(st.integers(0, 3)) == 0:
        row["into"] = draw(rotations(names, slots))
    needed = "h" in names or "h" in str(extra)
    let = {"h": draw(st.sampled_from(("2**s", "N >> (s + 1)", "1 + r % 2", 1)))} if needed else {}
    return {**row, "op": draw(st.sampled_from(("reduce", "copy"))), **extra, "let": let}


REDUCE = {"to": "(r + 1) % N", "chunk": "(r - s - 1) % N", "op": "reduce"}
COPY = {"from": "(r - 1) % N", "chunk": "(r - s - 1) % N", "op": "copy"}
SPREAD = {"to": "(r + d) % N", "for": {"d": "1..N - 1"}, "chunk": "r", "op": "copy"}
FETCH = {"from": "(r + d) % N", "for": {"d": "1..N - 1"}, "chunk": "r", "op": "reduce"}
STAR = {"for": {"d": "0..N - 1", "q": "0..chunks - 1"}, "chunk": "q"}
DIRECT = {"for": {"d": "1..N - 1"}, "let": {"p": "(r + d) % N"}, "op": "copy"}


def _phase(steps: str, row: Values) -> Values:
    return {"name": "right", "steps": steps, "send": [row]}


RIGHT: dict[str, list[Values]] = {
    "all-reduce": [
        {"phase": [_phase("N - 1", REDUCE), _phase("N - 1", COPY)]},
        {"phase": [_phase("1", FETCH), _phase("1", SPREAD)]},
    ],
    "reduce-scatter": [{"owner": "c", "phase": [_phase("N - 1", REDUCE)]}],
    "all-gather": [{"owner": "c", "phase": [_phase("N - 1", COPY)]}],
    "broadcast": [{"chunks": "2", "phase": [
        _phase("1", {**STAR, "when": "r == root and d != r", "to": "d", "op": "copy"})]}],
    "reduce": [{"chunks": "2", "phase": [
        _phase("1", {**STAR, "when": "r == root and d != r", "from": "d", "op": "reduce"})]}],
    "scatter": [{"owner": "c % N", "chunks": "2*N", "phase": [
        _phase("1", {**STAR, "when": "r == root and d == q % N", "to": "d", "op": "copy"})]}],
    "gather": [{"owner": "c % N", "chunks": "N + 1", "phase": [
        _phase("1", {**STAR, "when": "r == root and q % N == d", "from": "d", "op": "copy"})]}],
    "all-to-all": [{"scratch": "N", "phase": [
        _phase("1", {**DIRECT, "to": "p", "chunk": "p", "into": "N + r"}),
        _phase("1", {**DIRECT, "to": "r", "chunk": "N + p", "into": "p"})]}],
}  # fmt: skip


@st.composite
def phases(draw: DrawFn, slots: str) -> Values:
    """A phase of random rows."""
    steps = draw(st.sampled_from(("1", "2", "N - 1", "ceil_log2(N)", 1)))
    send = draw(st.lists(rows(slots), min_size=1, max_size=2))
    return {"name": "random", "steps": steps, "send": send}


@st.composite
def values_of_tables(draw: DrawFn) -> Values:
    """The plain values of a small well-formed table, as a person would write them."""
    collective = draw(st.sampled_from(COLLECTIVES))
    table: Values = {"name": "any", "collective": collective, "ranks": "2..5", "chunks": "N"}
    if draw(st.booleans()):
        table |= draw(st.sampled_from(RIGHT[collective]))
    else:
        _random(draw, table)
    slots = f"(chunks + {table['scratch']})" if table.get("scratch") else "chunks"
    steps = list(table.get("phase", ()))
    for _ in range(draw(st.integers(0 if steps else 1, 1 if steps else 3))):
        steps.insert(draw(st.integers(0, len(steps))), draw(phases(slots)))
    if draw(st.integers(0, 3)) == 0:
        table["params"] = {"k": draw(st.sampled_from(([1, 2], "divisors(N)", "0..1")))}
        steps[0] = {**steps[0], "steps": f"{steps[0]['steps']} + k - 1"}
        table["where"] = draw(st.sampled_from(("k > 0", "N % 2 == 0 or k == 1")))
    if collective in ("broadcast", "reduce", "scatter", "gather"):
        table["root"] = draw(st.sampled_from((0, "N - 1", "N // 2")))
    if draw(st.integers(0, 3)) == 0:
        steps[0] = {**steps[0], "ensures": draw(st.sampled_from(PROMISES))}
    return {**table, "phase": steps}


OWNERS = ("c % N", "(c + 1) % N", "c * N // chunks")
PROMISES = (
    {"collective": "reduce-scatter", "owner": "c % N"}, {"collective": "all-reduce"},
    {"collective": "broadcast"}, {"collective": "reduce", "root": "N - 1"},
)  # fmt: skip


def _random(draw: DrawFn, table: Values) -> None:
    """Sizes and owners that fit no special schedule."""
    takes_owner = table["collective"] in ("reduce-scatter", "all-gather", "scatter", "gather")
    blocks = table["collective"] == "all-to-all"
    table["chunks"] = draw(st.sampled_from(["N", "2*N"] if blocks else ["N", "1", "2", "N + 1"]))
    table["scratch"] = draw(st.sampled_from((0, 0, 1, "N")))
    if takes_owner:
        table["owner"] = draw(st.sampled_from(OWNERS))
