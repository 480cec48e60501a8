"""Index arithmetic: one text, two readings that agree to the last cell, and what is refused."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ringproof.table.columns import Columns, column
from ringproof.table.expr import HELPERS, LIMIT, Divisors, Expr, ExprError, Range, parse, parse_items
from ringproof.table.integers import Environment, Undefined
from ringproof.table.reader import read_schedule
from ringproof.verdict import Label, Place, TableError
from tests.strategies import LARGE, expressions, one_phase

SMALL = (0, 1, 2, 3, 5, 8, -1, -7)
EXTREME = (*SMALL, 31, 61, 62, 63, 64, 2**31, 2**32 + 1, 3037000500, 2**61 - 1, 2**61, LIMIT - 1,
           -(2**32), -(2**61), 1 - LIMIT)  # fmt: skip
R = (0, 1, 2, 3, 5, 8, -1, -7, 2**31, 2**61 - 1, -(2**61), LIMIT - 1, 1 - LIMIT, 3, 4, 6)
S = (0, 1, 2, 0, 61, 2, 3, 1, -1, 62, 3, 1, LIMIT - 1, 7, 2, 5)
LETS = {"h": "1 << s", "k": "r // (N - 3)", "p": "r % 2 == 0", "q": "1 // (N - 3) == s"}
NAMES = {name: parse(text) for name, text in LETS.items()}
INTEGER, CONDITION = expressions(["r", "s", "N", "h", "k"], ["p", "q"], LARGE)


def one_by_one(expr: Expr, N: int, r: int, s: int) -> int | bool | None:
    """The integer reading; None is a value that does not exist."""
    try:
        value = Environment({"N": N, "r": r, "s": s}, NAMES).value(expr)
    except Undefined:
        return None
    assert isinstance(value, int)
    return value


def all_at_once(expr: Expr, N: int, r: tuple[int, ...], s: tuple[int, ...]) -> list[Any]:
    """The column reading; it must also keep its promise about the largest magnitude."""
    inputs = {"N": column(N), "r": column(np.array(r)), "s": column(np.array(s))}
    found = Columns(inputs, NAMES).value(expr)
    values = np.broadcast_to(np.asarray(found.values), (len(r),))
    undefined = np.broadcast_to(np.asarray(found.undefined), (len(r),))
    assert values.dtype in (np.int64, bool)
    assert undefined.dtype == bool
    if values.dtype != bool:
        assert all(abs(v) <= found.bound for v in values.tolist())
    return [None if u else v for v, u in zip(values.tolist(), undefined.tolist(), strict=True)]


def assert_readings_agree(text: str, N: int, r: tuple[int, ...] = R, s: tuple[int, ...] = S) -> None:
    expr = parse(text)
    want = [one_by_one(expr, N, *cell) for cell in zip(r, s, strict=True)]
    got = all_at_once(expr, N, r, s)
    assert [(type(v), v) for v in got] == [(type(v), v) for v in want], text


@settings(max_examples=1000)
@given(INTEGER | CONDITION, st.sampled_from([1, 3, 3, 4]))
def test_columns_agree_with_integers(text: str, N: int) -> None:
    assert_readings_agree(text, N)


OPERATORS = ("+", "-", "*", "//", "%", "**", "&", "|", "^", "<<", ">>", "<", "<=", ">", ">=", "==", "!=")
TWO = [f"r {op} s" for op in OPERATORS] + [f"{f}(r, s)" for f, n in HELPERS.items() if n in (2, None)]
ONE = ["-r", "~r", "+r", *(f"{name}(r)" for name, count in HELPERS.items() if count in (1, None))]


@pytest.mark.parametrize("text", [*TWO, *ONE, "min(r, s, 3)", "max(1, r, s)", "not r < s"])
def test_every_operation_agrees_at_the_extremes(text: str) -> None:
    r, s = (tuple(column) for column in zip(*product(EXTREME, EXTREME), strict=True))
    assert_readings_agree(text, 3, r, s)
    for fixed in (0, 1, 3, 62, -1, LIMIT - 1):
        few = EXTREME[: len(R)]
        literal = f"({fixed})"
        assert_readings_agree(text.replace("s)", f"{literal})").replace(" s", f" {literal}"), 3, few, few)
        assert_readings_agree(text.replace("(r", f"({literal}").replace("r ", f"{literal} "), 3, few, few)


@pytest.mark.parametrize(
    ("text", "N"),
    [
        ("(N > 2 and 1 // (N - 2) == r) or r == 1", 2),
        ("r == 2 or (1 // 0 == 1 and r == 1)", 3),
        ("(p if r > 0 else 1 // 0 == 1) and r == 1", 3),
        ("1 // (N - 3) == r if r > 7 else r == 1", 3),
        ("(q or r == 1) and r < 5", 3),
        ("not (N > 3 and q) and r > 1", 3),
    ],
)  # fmt: skip
def test_a_condition_without_a_value_stays_a_condition(text: str, N: int) -> None:
    """Where another part decides, the result is a mask: one number in it would pick rows by index."""
    assert_readings_agree(text, N)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("7 - 2 - 1", 4), ("2**3**2", 512), ("-2**2", -4), ("-7 // 2", -4), ("-7 % 5", 3),
        ("1 + 2 << 1", 6), ("6 & 3 == 2", True), ("1 | 6 ^ 3 & 2", 5), ("~5", -6), ("+5", 5),
        ("not 1 == 2 and 0 < 1", True), ("1 < 2 < 3", True), ("1 < 3 < 2", False), ("3 > 2 > 1", True),
        ("1 if 2 < 1 else 3 if 1 < 2 else 4", 3), ("r - s - 1", 4), ("( r\n - s )\t% 3", 2),
        ("log2(1)", 0), ("log2(9)", 3), ("ceil_log2(9)", 4), ("ceil_log2(8)", 3), ("ceil_log2(1)", 0),
        ("log(80, 3)", 3), ("log(81, 3)", 4), ("ceil_log(81, 3)", 4), ("ceil_log(82, 3)", 5),
        ("is_pow2(0)", False), ("is_pow2(64)", True), ("is_pow2(-4)", False), ("bit(6, 1)", 1),
        ("bit(-1, 99)", 1), ("flip(6, 0)", 7), ("lowbit(12)", 4), ("lowbit(0)", 0),
        ("reverse(6, 4)", 6), ("reverse(1, 3)", 4), ("reverse(0, 0)", 0), ("abs(-3)", 3),
        ("min(3, 1, 2)", 1), ("0**0", 1), ("(-1)**4611686018427387903", -1), ("5 >> 4611686018427387903", 0),
        ("0x10 + 0b11", 19), ("True", True), ("false or true", True),
        ("r == 7 or 1 // 0 == 1", True), ("r == 8 and 1 // 0 == 1", False), ("0 if r > 0 else 1 // 0", 0),
    ],
)  # fmt: skip
def test_values(text: str, value: int | bool) -> None:
    got = one_by_one(parse(text), 5, 7, 2)
    assert got == value
    assert type(got) is type(value)


@pytest.mark.parametrize(
    ("text", "part", "reason"),
    [
        ("1 + r // (s - 2)", "r // (s - 2)", "division by zero"),
        ("r // -s", "r // -s", "division by a negative number"),
        ("r % (s - 2)", "r % (s - 2)", "modulo by zero"),
        ("r % (s - 3)", "r % (s - 3)", "modulo by a negative number"),
        ("1 << (s - 3)", "1 << (s - 3)", "a shift by a negative number"),
        ("1 >> (s - 3)", "1 >> (s - 3)", "a shift by a negative number"),
        ("2**(s - 3)", "2**(s - 3)", "a negative exponent"),
        ("2 + 9**9**9", "9**9**9", "the value is 2**62 or more"),
        ("3 * (1 << 61)", "3 * (1 << 61)", "the value is 2**62 or more"),
        ("log2(s - 2)", "log2(s - 2)", "the logarithm of zero"),
        ("ceil_log2(s - 3)", "ceil_log2(s - 3)", "the logarithm of a negative number"),
        ("log(r, 1)", "log(r, 1)", "a logarithm to a base below 2"),
        ("bit(r, -1)", "bit(r, -1)", "a bit with a negative number"),
        ("reverse(8, 3)", "reverse(8, 3)", "a reversal of a number that does not fit in its bits"),
        ("reverse(0, 62)", "reverse(0, 62)", "a reversal of more than 61 bits"),
    ],
)  # fmt: skip
def test_what_has_no_value_says_why_and_where(text: str, part: str, reason: str) -> None:
    expr = parse(text)
    with pytest.raises(Undefined) as caught:
        Environment({"N": 5, "r": 7, "s": 2}, {}).value(expr)
    node = caught.value.node
    assert node is not None
    assert caught.value.reason == reason
    assert text[node.start : node.end] == part
    assert all_at_once(expr, 5, (7,), (2,)) == [None]


def test_names_are_lazy_and_name_their_own_expression() -> None:
    names = {"bad": parse("1 // 0", ("let", "bad")), "fine": parse("r + 1"), "far": parse("bad + 1")}
    environment = Environment({"r": 3}, names)
    assert environment.value(parse("fine if r == 3 else bad")) == 4
    with pytest.raises(Undefined) as caught:
        environment.value(parse("fine + far"))
    assert caught.value.expr is names["bad"]


# ---- what is refused ----------------------------------------------------------------------------

BAD: list[tuple[str, str, str]] = [  # text, code, the part at fault
    ("__import__('os')", "RP107", "__import__"),
    ("foo(r)", "RP107", "foo"),
    ("print(r)", "RP107", "print"),
    ("min(r)(s)", "RP107", "min(r)"),
    ("r + log(r)", "RP107", "log(r)"),
    ("log2(r, 2)", "RP107", "log2(r, 2)"),
    ("min()", "RP107", "min()"),
    ("min(x=1)", "RP107", "min(x=1)"),
    ("1 + a.b", "RP105", "a.b"),
    ("r.__class__", "RP105", "r.__class__"),
    ('"x"', "RP105", '"x"'),
    ("f'{r}'", "RP105", "f'{r}'"),
    ("b'a'", "RP105", "b'a'"),
    ("(lambda: r) + 1", "RP105", "lambda: r"),
    ("[r]", "RP105", "[r]"),
    ("r[0]", "RP105", "r[0]"),
    ("(r, s)", "RP105", "(r, s)"),
    ("{r}", "RP105", "{r}"),
    ("{r: s}", "RP105", "{r: s}"),
    ("(r := 1) % N", "RP105", "r := 1"),
    ("min(*r)", "RP105", "*r"),
    ("r @ s", "RP105", "r @ s"),
    ("r is s", "RP105", "r is s"),
    ("r in s", "RP105", "r in s"),
    ("[r for r in s]", "RP105", "[r for r in s]"),
    ("1 + 0.5", "RP105", "0.5"),
    ("1e3", "RP105", "1e3"),
    ("2j", "RP105", "2j"),
    ("None", "RP105", "None"),
    ("r = 1", "RP105", "="),
    ("r; s", "RP105", ";"),
    ("r s", "RP105", "s"),
    ("r && s", "RP105", "&&"),
    ("r ? s : 1", "RP105", "?"),
    ("(r + s", "RP105", "("),
    ("", "RP105", ""),
    (" \t\n", "RP105", " \t\n"),
    ("r \N{MINUS SIGN} 1", "RP105", "\N{MINUS SIGN}"),
    ("\N{CYRILLIC SMALL LETTER A} + 1", "RP105", "\N{CYRILLIC SMALL LETTER A}"),
    ("r\x00", "RP105", "\x00"),
    ("r\r", "RP105", "\r"),
    ("1...5", "RP114", ".."),
    ("0..N", "RP114", ".."),
    ("1 + divisors(N)", "RP114", "divisors(N)"),
    ("1 + 4611686018427387904", "RP113", "4611686018427387904"),
    ("9" * 1990, "RP113", "9" * 1990),
    ("r" * 100_000, "RP113", "r" * 40),
    ("-" * 70 + "r", "RP113", "-" * 9 + "r"),
    ("r" + " + r" * 70, "RP113", "r" + " + r" * 9),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code", "part"), BAD, ids=lambda value: repr(value)[:24])
def test_bad_expressions(text: str, code: str, part: str) -> None:
    with pytest.raises(ExprError) as caught:
        parse(text)
    error = caught.value
    assert (error.code, text[error.start : error.end]) == (code, part)
    assert error.title
    assert text.count(part) > 1 or text.find(part) == error.start


@pytest.mark.parametrize("text", ["(" * 300 + "r" + ")" * 300, "~" * 1999 + "r", "(" * 1000, "r" + "(" * 999])
def test_deep_nesting_is_refused_and_does_not_crash(text: str) -> None:
    with pytest.raises(ExprError) as caught:
        parse(text)
    assert caught.value.code in ("RP105", "RP113")


@pytest.mark.parametrize(
    ("text", "code", "part"),
    [
        ("1...5", "RP112", "...5"),
        ("..N", "RP112", "..N"),
        ("1..", "RP112", "1.."),
        ("1..2..3", "RP112", "..2..3"),
        ("divisors(N) + 1", "RP114", "divisors(N)"),
        ("1..divisors(N)", "RP114", "divisors(N)"),
        ("divisors()", "RP107", "divisors()"),
        ("0..a.b", "RP105", "a.b"),
        ("0..N - 0.5", "RP105", "0.5"),
        ("0..foo(N)", "RP107", "foo"),
    ],
)
def test_bad_ranges(text: str, code: str, part: str) -> None:
    with pytest.raises(ExprError) as caught:
        parse_items(text)
    error = caught.value
    assert (error.code, text[error.start : error.end]) == (code, part)


def test_ranges_lists_and_values() -> None:
    given = Environment({"N": 6, "lo": 2, "h": 3}, {})
    assert isinstance(parse_items("lo..lo + h - 1"), Range)
    assert isinstance(parse_items("divisors(2*N)"), Divisors)
    assert isinstance(parse_items("N // 2"), Expr)
    for text, values in {
        "lo..lo + h - 1": [2, 3, 4], "1..0": [], "5..1": [], "3 .. 3": [3], "N // 2": [3],
        "divisors(2*N)": [1, 2, 3, 4, 6, 12], "-1..1": [-1, 0, 1], "0..1 if N > 5 else 2": [0, 1],
    }.items():  # fmt: skip
        assert given.items(parse_items(text)) == values, text


def test_spans_are_counted_from_the_start_of_the_whole_text() -> None:
    items = parse_items("lo .. (hi + 1)*2")
    assert isinstance(items, Range)
    spans = [items.hi.text[n.start : n.end] for n in (items.hi.node, *items.hi.node.args)]
    assert spans == ["(hi + 1)*2", "hi + 1", "2"]


@pytest.mark.parametrize("text", ["(r + 1) < (N)", "(r) == (s) or r > 0", "0 <= (r) < (N)"])
def test_the_span_of_a_comparison_is_balanced(text: str) -> None:
    """It ends up under a caret: half a parenthesis has no place there."""
    todo = [parse(text).node]
    while todo:
        node = todo.pop()
        part = text[node.start : node.end]
        depths = [part[:i].count("(") - part[:i].count(")") for i in range(len(part) + 1)]
        assert min(depths) == depths[-1] == 0, part
        todo += node.args


# ---- names and kinds, as a table reports them ---------------------------------------------------


@pytest.mark.parametrize(
    ("key", "text", "code", "part"),
    [
        ("chunk", "(r - t) % N", "RP106", "t"),
        ("chunk", "r + c", "RP106", "c"),
        ("chunk", "r + log2", "RP106", "log2"),
        ("chunk", "r < s", "RP108", "r < s"),
        ("chunk", "1 + (r == s)", "RP108", "r == s"),
        ("chunk", "r if s else 0", "RP108", "s"),
        ("chunk", "r / 2", "RP114", "r / 2"),
        ("when", "bit(r, s)", "RP108", "bit(r, s)"),
        ("when", "r and s == 0", "RP108", "r"),
        ("when", "not r", "RP108", "r"),
        ("to", "r +* s", "RP105", "*"),
    ],
)
def test_names_and_kinds(key: str, text: str, code: str, part: str) -> None:
    row = {"to": "(r + 1) % N", "chunk": "r", "op": "copy", key: text}
    with pytest.raises(TableError) as caught:
        read_schedule(one_phase(row))
    (finding,) = caught.value.findings
    assert isinstance(finding.primary, Label)
    place = finding.primary.place
    assert isinstance(place, Place)
    assert (finding.code, place.route) == (code, ("phase", 0, "send", 0, key))
    assert text[place.start : place.end] == part
