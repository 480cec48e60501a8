"""Reports in every format, from hand-made values to the bytes that are printed."""

from __future__ import annotations

import json as stdlib_json
import re
import subprocess
import sys
import unicodedata
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ringproof.report import concise, json, text
from ringproof.report.snippet import visible, width
from ringproof.table.source import SourceError, parse
from ringproof.verdict import (
    Finding,
    Label,
    Place,
    Proved,
    Refuted,
    Report,
    Result,
    Size,
    Spot,
    Undecided,
)
from ringproof.wording import (
    count_text,
    counted_sizes_text,
    join_text,
    outcome,
    outcome_text,
    result_word,
    sizes_text,
)

HOME = Path(__file__).parents[1]

RING = """\
name       = "ring all-reduce"
collective = "all-reduce"
ranks      = "2..64"
chunks     = "N"

[[phase]]
name    = "reduce-scatter"
steps   = "N - 1"

  [[phase.send]]
  to    = "(r + 1) % N"
  chunk = "(r - s - 1) % N"
  op    = "reduce"

[[phase]]
name  = "all-gather"
steps = "N - 1"

  [[phase.send]]
  to    = "(r + 1) % N"
  chunk = "(r + s) % N"
  op    = "copy"
"""


def numbers(first: int, last: int) -> tuple[Size, ...]:
    return tuple(Size(n) for n in range(first, last + 1))


def at(*route: str | int, part: str = "", text: str = RING) -> Place:
    """A place by route, or the first occurrence of a part of its string."""
    if not part:
        return Place(route)
    value = parse(text, "t").values
    for key in route:
        value = value[key]  # type: ignore[index]
    assert isinstance(value, str)
    start = value.index(part)
    return Place(route, start, start + len(part))


WRONG = Finding(
    "RP301",
    "all-reduce is wrong for 62 of 63 rank counts; smallest N = 3",
    primary=Label(
        at("phase", 1, "send", 0, "chunk"), "rank 2 sends chunk 1 in step 1 before it is complete"
    ),
    related=(
        Label(at("phase", 0, "send", 0, "chunk"), "rank 2 last added to chunk 1 here, in step 0"),
    ),
    notes=(
        "N = 3, chunk 1 as rank 0 ends with it\n"
        "  expected  x0 + x1 + x2\n"
        "  got            x1 + x2      (rank 0 is missing)",
        "proved for N = 2; refuted for N = 3..64",
    ),
    helps=("`(r - s) % N` here is proved for N = 2..64",),
    details={"N": 3, "cell": (0, np.int64(1)), "seen": {2, 1}, "counts": np.array([1, 2])},
)
SIZES = numbers(2, 64)
RANGE = Result("in-range", "every rank exists", Proved(), "counted by simulate", SIZES)
COMPLETE = Result("complete", "all sums are full", Proved(), "Z3 for all inputs", SIZES)
ONCE = Result("once", "nothing is counted twice", Proved(), "Z3 for all inputs", SIZES)
RIGHT = Report(
    "schedules/ring.toml",
    "ring all-reduce",
    RING,
    "all-reduce for N = 2..64",
    SIZES,
    (RANGE, COMPLETE, ONCE),
    facts=("one chunk stands for all:\nthe rows commute with r -> r + 1",),
    seconds=(("replay", 0.03125), ("proof", 1.5)),
)
REFUTED = replace(COMPLETE, verdict=Refuted(WRONG), proved=numbers(2, 2), refuted=numbers(3, 64))
BROKEN = replace(RIGHT, results=(RANGE, REFUTED, ONCE), findings=(WRONG,), facts=())
LATE = replace(
    ONCE, verdict=Undecided("Z3 ran out of time"), proved=numbers(2, 60), undecided=numbers(61, 64)
)
OPEN = replace(RIGHT, results=(RANGE, COMPLETE, LATE), facts=())
EMPTY = Finding("RP502", "no size is left", "warning", Label(Place(("ranks",)), "nothing"))
VACUOUS = replace(RIGHT, sizes=(), results=(), findings=(EMPTY,), facts=())
UNREADABLE = Report("no.toml", "", "", "", findings=(Finding("RP001", "cannot read the file"),))
ALL = (RIGHT, BROKEN, OPEN, VACUOUS, UNREADABLE)


def drawn(source: str, *labels: Label, title: str = "t") -> str:
    """The lines of one finding below its title, without the outcome."""
    finding = Finding("RP101", title, primary=labels[0], related=labels[1:])
    report = Report("t.toml", "", source, "", findings=(finding,))
    rendered = text.render([report])
    assert rendered.endswith("\n\ncannot check  1 error in t.toml\n")
    return "\n" + rendered.split("\n", 1)[1].rsplit("\n\n", 1)[0] + "\n"


# ---- text ---------------------------------------------------------------------------------------


def test_a_pass_tells_what_was_proved_and_by_whom() -> None:
    rendered = text.render([RIGHT])
    expected = """\
schedules/ring.toml: ring all-reduce
  all-reduce for N = 2..64 (63 sizes)

  proved  in-range  N = 2..64  every rank exists
  proved  complete  N = 2..64  all sums are full
  proved  once      N = 2..64  nothing is counted twice
  = note: in-range: counted by simulate
  = note: complete and once: Z3 for all inputs
  = note: one chunk stands for all:
          the rows commute with r -> r + 1

proved  3 of 3 properties for N = 2..64 (63 sizes)
"""
    assert rendered == expected


def test_a_refutation_shows_the_counterexample_first() -> None:
    rendered = text.render([BROKEN])
    expected = """\
error[RP301]: all-reduce is wrong for 62 of 63 rank counts; smallest N = 3
  --> schedules/ring.toml:21:11
   |
12 |   chunk = "(r - s - 1) % N"
   |           ----------------- rank 2 last added to chunk 1 here, in step 0
...
21 |   chunk = "(r + s) % N"
   |           ^^^^^^^^^^^^^ rank 2 sends chunk 1 in step 1 before it is complete
   |
   = note: N = 3, chunk 1 as rank 0 ends with it
             expected  x0 + x1 + x2
             got            x1 + x2      (rank 0 is missing)
   = note: proved for N = 2; refuted for N = 3..64
   = help: `(r - s) % N` here is proved for N = 2..64

schedules/ring.toml: ring all-reduce
  all-reduce for N = 2..64 (63 sizes)

  proved   in-range  N = 2..64  every rank exists
  refuted  complete  N = 3..64  all sums are full
                     proved for N = 2
  proved   once      N = 2..64  nothing is counted twice
  = note: in-range: counted by simulate
  = note: complete and once: Z3 for all inputs

refuted  1 of 3 properties; counterexample replayed
"""
    assert rendered == expected


def test_undecided_says_why_and_what_still_stands() -> None:
    assert text.render([OPEN]).endswith("""
  proved     in-range  N = 2..64   every rank exists
  proved     complete  N = 2..64   all sums are full
  undecided  once      N = 61..64  nothing is counted twice
                       Z3 ran out of time; proved for N = 2..60
  = note: in-range: counted by simulate
  = note: complete and once: Z3 for all inputs

undecided  1 of 3 properties for N = 2..64 (63 sizes)
""")


def test_a_waived_property_is_never_called_proved() -> None:
    waived = replace(
        ONCE, proved=numbers(2, 63), waived=numbers(64, 64), remark="192 of 4224 sends at N = 64"
    )
    lines = text.render([replace(RIGHT, results=(RANGE, waived))]).splitlines()
    assert lines[4:7] == [
        "  waived  once      N = 64     nothing is counted twice",
        "                    proved for N = 2..63",
        "                    192 of 4224 sends at N = 64",
    ]
    assert lines[-1] == "proved  1 of 2 properties for N = 2..64 (63 sizes); 1 waived"


def test_many_sizes_are_counted_and_then_all_told() -> None:
    sizes = tuple(Size(n, (("L", k),)) for n in range(4, 65) for k in (1, n))
    result = replace(REFUTED, proved=sizes[:2], refuted=sizes[2:])
    lines = text.render([replace(BROKEN, sizes=sizes, results=(result,))]).splitlines()
    where = lines.index(
        "  all-reduce for N = 2..64; checked for N = 4..64 (122 sizes with param L)"
    )
    assert lines[where + 2 : where + 4] == [
        "  refuted  complete  120 sizes  all sums are full",
        "                     refuted for N = 5..64 (120 sizes with param L); "
        "proved for N = 4, L = 1; N = 4, L = 4",
    ]


def test_several_tables_end_with_a_count() -> None:
    rendered = text.render(ALL)
    assert rendered.endswith(
        "\n5 tables: 1 proved, 1 refuted, 1 undecided, 1 nothing to prove, 1 cannot check\n"
    )
    assert "\n\n\n" not in rendered


def test_quiet_tells_only_what_is_not_proved() -> None:
    assert text.render([RIGHT, RIGHT], detail="quiet") == ""
    rendered = text.render([RIGHT, BROKEN], detail="quiet")
    assert rendered.startswith("error[RP301]")
    assert "  refuted  complete  N = 3..64  all sums are full\n" in rendered
    assert "in-range" not in rendered
    assert rendered.endswith("\n2 tables: 1 proved, 1 refuted\n")


def test_verbose_adds_times_and_how_to_read_on() -> None:
    assert "  = note: took replay 0.03 s, proof 1.50 s\n" in text.render([RIGHT], detail="verbose")
    assert "took" not in text.render([RIGHT])
    hint = "   = help: ringproof explain RP301   says more about this rule\n"
    assert hint in text.render([BROKEN], detail="verbose")


def test_nothing_to_prove() -> None:
    rendered = text.render([VACUOUS])
    expected = """\
warning[RP502]: no size is left
 --> schedules/ring.toml:3:14
  |
3 | ranks      = "2..64"
  |              ^^^^^^^ nothing

nothing to prove  schedules/ring.toml
"""
    assert rendered == expected


def test_a_file_without_text_has_no_snippet() -> None:
    rendered = text.render([UNREADABLE])
    expected = """\
error[RP001]: cannot read the file
 --> no.toml

cannot check  1 error in no.toml
"""
    assert rendered == expected


def test_a_counterexample_outside_the_findings_is_shown_too() -> None:
    assert text.render([replace(BROKEN, findings=())]) == text.render([BROKEN])


# ---- colour -------------------------------------------------------------------------------------


def test_colour_changes_no_word() -> None:
    colored = text.render(ALL, style="color")
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == text.render(ALL)
    assert "\x1b[91m\x1b[1merror[RP301]\x1b[0m" in colored


def test_only_proved_is_green() -> None:
    green = re.findall(r"\x1b\[32m\x1b\[1m(.*?)\x1b\[0m", text.render(ALL, style="color"))
    assert set(green) == {"proved", "1 proved"}
    vacuous = replace(RIGHT, results=(replace(RANGE, proved=()),))
    assert "\x1b[32m" not in text.render([vacuous], style="color")
    assert text.render([vacuous]).endswith("\nundecided  0 of 1 property for N = 2..64 (63 sizes); "
                                           "1 vacuous\n")  # fmt: skip


def test_plain_text_imports_no_colour_and_no_parser() -> None:
    program = (
        "import sys; from ringproof.report import text, concise; from ringproof.verdict import *; "
        "f = (Finding('RP003', 'x', primary=Label(Spot(1, 1))),); "
        "print(text.render([Report('p', '', 'x = ', '', findings=f)])); "
        "print({'rich', 'click', 'tree_sitter', 'numpy', 'z3'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=HOME
    )
    assert done.stdout.endswith("set()\n")


# ---- snippets -----------------------------------------------------------------------------------


def test_labels_on_one_line_are_stacked() -> None:
    source = 'chunk = "foo(r) + M + bar"\n'
    rendered = drawn(
        source,
        Label(at("chunk", part="M", text=source), "nothing is called `M`"),
        Label(at("chunk", part="bar", text=source), "nor `bar`"),
        Label(at("chunk", part="(r)", text=source), "a rank"),
    )
    expected = """
 --> t.toml:1:19
  |
1 | chunk = "foo(r) + M + bar"
  |             ---   ^   --- nor `bar`
  |             |     |
  |             |     nothing is called `M`
  |             a rank
"""
    assert rendered == expected


def test_a_label_inside_another() -> None:
    source = 'chunk = "(r + s) % N"\n'
    rendered = drawn(
        source,
        Label(at("chunk", part="r + s", text=source), "inner"),
        Label(at("chunk"), "outer"),
        Label(at("chunk", part="N", text=source)),
    )
    expected = """
 --> t.toml:1:11
  |
1 | chunk = "(r + s) % N"
  |         --^^^^^------
  |         | |
  |         | inner
  |         outer
"""
    assert rendered == expected


def test_labels_at_the_same_column() -> None:
    source = 'chunk = "r"\n'
    place = Place(("chunk",), on="key")
    rendered = drawn(source, Label(place, "one"), Label(place, "two"), Label(place, "three"))
    expected = """
 --> t.toml:1:1
  |
1 | chunk = "r"
  | ^^^^^ one
  | |
  | three
  | two
"""
    assert rendered == expected


def test_a_single_line_between_two_is_shown_and_more_are_not() -> None:
    source = "a = 1\nb = 2\nc = 3\nd = 4\ne = 5\nf = 6\n"
    labels = (Label(Place(("f",)), "F"), Label(Place(("a",)), "A"), Label(Place(("c",)), "C"))
    rendered = drawn(source, *labels)
    expected = """
 --> t.toml:6:5
  |
1 | a = 1
  |     - A
2 | b = 2
3 | c = 3
  |     - C
...
6 | f = 6
  |     ^ F
"""
    assert rendered == expected


def test_wide_characters_and_accents_stay_above_their_carets() -> None:
    source = 'name = "é日本語 e\u0301x ring"\n'
    rendered = drawn(
        source,
        Label(at("name", part="本語", text=source), "two wide"),
        Label(at("name", part="x", text=source), "plain"),
    )
    expected = """
 --> t.toml:1:11
  |
1 | name = "é日本語 e\u0301x ring"
  |            ^^^^  - plain
  |            |
  |            two wide
"""
    assert rendered == expected


def test_a_string_of_several_lines() -> None:
    source = 'notes = """\none \\\n   two\nthree"""\n'
    assert (
        drawn(
            source,
            Label(at("notes", part="two\nth", text=source), "here"),
            Label(at("notes", part="one", text=source), "first"),
        )
        == """
 --> t.toml:3:4
  |
2 | one \\
  | --- first
3 |    two
  |    ^^^
4 | three\"""
  | ^^ here
"""
    )


def test_of_a_tall_span_the_first_and_the_last_line_are_shown() -> None:
    source = "sends = [\n" + "  1,\n" * 9 + "]\n"
    rendered = drawn(source, Label(Place(("sends",)), "all of it"))
    expected = """
  --> t.toml:1:9
   |
 1 | sends = [
   |         ^
...
11 | ]
   | ^ all of it
"""
    assert rendered == expected


def test_a_line_end_at_the_end_of_a_span_marks_no_next_line() -> None:
    source = 'notes = """\none\ntwo"""\n'
    rendered = drawn(source, Label(at("notes", part="one\n", text=source), "x"))
    expected = """
 --> t.toml:2:1
  |
2 | one
  | ^^^ x
"""
    assert rendered == expected


def test_a_missing_key_is_shown_at_its_table() -> None:
    place = Place(("phase", 0, "send", 0, "into"), on="key")
    rendered = drawn(RING, Label(place, "needs `into`"), title="`into` is missing")
    expected = """
  --> t.toml:10:3
   |
10 |   [[phase.send]]
   |   ^^^^^^^^^^^^^^ needs `into`
"""
    assert rendered == expected
    rendered = drawn("# a comment\n", Label(Place(("ranks",)), "needs `ranks`"))
    expected = """
 --> t.toml:1:1
  |
1 | # a comment
  | ^ needs `ranks`
"""
    assert rendered == expected


def test_a_long_line_is_cut_around_its_span() -> None:
    source = f'steps = "{"a" * 200} + bad + {"b" * 200}"\n'
    _, _, _, code, under, _ = drawn(source, Label(at("steps", part="bad", text=source), "x")).split(
        "\n"
    )
    assert re.fullmatch(r"1 \| \.\.\.a+ \+ bad \+ b+\.\.\.", code)
    assert len(code) <= 4 + 96 + 6
    assert under == "  |" + " " * (code.index("bad") - 3) + "^^^ x"
    whole = drawn(source, Label(Place(("steps",)), "all"))
    assert max(map(len, whole.split("\n"))) <= 4 + 96 + 6 + len(" all")


def test_nothing_of_a_table_steers_the_terminal() -> None:
    source = 'a = "\tx\u202ey\u2028z"\n'
    place = at("a", part="y", text=source)
    finding = Finding("RP101", "a\x1b[31m\n", primary=Label(place, "b\x07"), notes=("c\rd\te",))
    report = Report("p\x1b.toml", "", source, "", findings=(finding,))
    rendered = text.render([report])
    expected = """\
error[RP101]: a\\u001b[31m\\u000a
 --> p\\u001b.toml:1:9
  |
1 | a = "    x\\u202ey\\u2028z"
  |                 ^ b\\u0007
  |
  = note: c
          d    e

cannot check  1 error in p\\u001b.toml
"""
    assert rendered == expected
    assert concise.render([report]) == ("p\\u001b.toml:1:9: error[RP101] a\\u001b[31m\\u000a\n")


def test_a_syntax_error_is_drawn_without_routes() -> None:
    with pytest.raises(SourceError) as caught:
        parse("a = 1\na = 2\n", "t.toml")
    error = caught.value
    rendered = text.render([Report(error.path, "", error.text, "", findings=error.findings)])
    expected = """\
error[RP003]: `a` is given twice
 --> t.toml:2:1
  |
1 | a = 1
  | - first given here
2 | a = 2
  | ^ given again here

cannot check  1 error in t.toml
"""
    assert rendered == expected


LABELS = st.builds(
    Label,
    st.builds(Spot, st.integers(1, 4), st.integers(1, 150), st.integers(1, 150))
    | st.builds(Place, st.sampled_from([("a",), ("b",), ("c", "d"), ()]), st.integers(0, 9)),
    st.text(st.characters(codec="utf-8"), max_size=9),
)
LINES = st.text(
    st.sampled_from("aé日\u0301\t #\u202e") | st.characters(codec="utf-8"), max_size=150
)


@given(LINES, st.lists(LABELS, min_size=1, max_size=5))
@settings(max_examples=150)
def test_any_labels_can_be_drawn_and_steer_no_terminal(line: str, labels: list[Label]) -> None:
    source = f"a = 1\n# {line}\nb = 'x'\n"
    rendered = drawn(source, *labels)
    assert not any(
        unicodedata.category(c) in ("Cc", "Cf", "Cs") for c in rendered.replace("\n", "")
    )
    assert "^" in rendered


# ---- concise ------------------------------------------------------------------------------------


def test_concise_is_a_line_for_each_finding() -> None:
    rendered = concise.render(ALL)
    expected = """\
schedules/ring.toml: proved 3 of 3 properties for N = 2..64 (63 sizes)
schedules/ring.toml:21:11: error[RP301] all-reduce is wrong for 62 of 63 rank counts; smallest N = 3
schedules/ring.toml: undecided 1 of 3 properties for N = 2..64 (63 sizes)
schedules/ring.toml:3:14: warning[RP502] no size is left
schedules/ring.toml: nothing to prove
no.toml: error[RP001] cannot read the file
"""
    assert rendered == expected


# ---- json ---------------------------------------------------------------------------------------


def test_json_tells_everything_and_the_same_every_time() -> None:
    rendered = json.render(ALL)
    assert rendered == json.render(ALL)
    document = stdlib_json.loads(rendered)
    assert list(document) == ["version", "tool", "exit", "summary", "reports"]
    assert (document["version"], document["tool"], document["exit"]) == (2, "ringproof", 1)
    assert document["summary"] == {
        "files": 5,
        "outcomes": {"proved": 1, "refuted": 1, "undecided": 1, "nothing to prove": 1, "cannot check": 1,
                     "internal error": 0, "interrupted": 0},
        "codes": document["summary"]["codes"],
    }  # fmt: skip
    assert document["summary"]["codes"] == {
        code: sum(code in {f["code"] for f in r["findings"]} for r in document["reports"])
        for code in sorted({f["code"] for r in document["reports"] for f in r["findings"]})
    }
    assert document["summary"]["codes"]["RP301"] == 1
    assert [(r["outcome"], r["exit"]) for r in document["reports"]] == [
        ("proved", 0),
        ("refuted", 1),
        ("undecided", 3),
        ("nothing to prove", 3),
        ("cannot check", 2),
    ]


def test_json_of_a_refutation() -> None:
    (report,) = stdlib_json.loads(json.render([BROKEN]))["reports"]
    (finding,) = report["findings"]
    assert (finding["code"], finding["name"]) == ("RP301", "incomplete")
    assert finding["primary"] == {
        "path": "schedules/ring.toml",
        "line": 21,
        "column": 11,
        "end_line": 21,
        "end_column": 24,
        "route": ["phase", 1, "send", 0, "chunk"],
        "text": "rank 2 sends chunk 1 in step 1 before it is complete",
    }
    assert finding["related"][0]["line"] == 12
    assert finding["details"] == {"N": 3, "cell": [0, 1], "seen": [1, 2], "counts": [1, 2]}
    assert report["properties"][1]["counterexample"] == 0
    assert report["properties"][1]["proved"] == [{"first": 2, "last": 2, "params": {}}]
    assert report["properties"][1]["refuted"] == [{"first": 3, "last": 64, "params": {}}]


def test_json_lists_every_size() -> None:
    sizes = tuple(Size(n, (("L", k),)) for n in (4, 5, 8) for k in (1, n))
    (report,) = stdlib_json.loads(json.render([replace(RIGHT, sizes=sizes)]))["reports"]
    listed = [
        Size(n, tuple(run["params"].items()))
        for run in report["sizes"]
        for n in range(run["first"], run["last"] + 1)
    ]
    assert sorted(listed) == sorted(sizes)


# ---- wording ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("numbers", "brief"),
    [
        ([], "no size"),
        ([6], "N = 6"),
        ([2, 3], "N = 2, 3"),
        (range(2, 65), "N = 2..64"),
        ([3, *range(5, 65)], "N = 3, 5..64"),
        ([2, 4, 8, 16, 32, 64], "N = 2, 4, 8, 16, 32, 64"),
        (range(3, 65, 2), "N = 3, 5, 7, 9, ..., 63 (31 sizes)"),
    ],
)
def test_sizes_are_written_briefly(numbers: list[int], brief: str) -> None:
    assert sizes_text([Size(n) for n in numbers]) == brief


@pytest.mark.parametrize(
    ("sizes", "brief"),
    [
        ([Size(4, (("L", 2),))], "N = 4, L = 2"),
        ([Size(4, (("L", 2),)), Size(8, (("L", 4),))], "N = 4, L = 2; N = 8, L = 4"),
        (
            [Size(n, (("L", k), ("S", 1))) for n in range(4, 9) for k in (1, 2)],
            "N = 4..8 (10 sizes with params L, S)",
        ),
        (
            [Size(n, (("L", k),)) for n in range(3, 65, 2) for k in (1, n)],
            "N = 3, 5, 7, 9, ..., 63 (62 sizes with param L)",
        ),
    ],
)
def test_sizes_with_params(sizes: list[Size], brief: str) -> None:
    assert sizes_text(sizes) == brief


def test_counts_and_lists() -> None:
    assert counted_sizes_text(numbers(2, 64)) == "N = 2..64 (63 sizes)"
    assert counted_sizes_text(numbers(6, 6)) == "N = 6"
    assert counted_sizes_text(()) == "no size"
    assert (count_text(1, "size"), count_text(2, "property", "properties")) == (
        "1 size",
        "2 properties",
    )
    assert [join_text(list("abc"[:n])) for n in range(4)] == ["", "a", "a and b", "a, b and c"]


def test_outcomes_match_the_exit_codes() -> None:
    assert [outcome(report) for report in ALL] == [
        "proved",
        "refuted",
        "undecided",
        "nothing to prove",
        "cannot check",
    ]
    assert result_word(replace(ONCE, proved=())) == "vacuous"
    two = replace(BROKEN, results=(REFUTED, REFUTED, LATE))
    assert outcome_text(two) == (
        "refuted  2 of 3 properties; 1 undecided; counterexamples replayed"
    )


def test_the_width_of_text_on_a_terminal() -> None:
    assert [width(word) for word in ("", "abc", "日本", "e\u0301", "é")] == [0, 3, 4, 1, 1]
    assert visible("a\tb\x1b\u200f\U000e0001é") == "a    b\\u001b\\u200f\\U000e0001é"
