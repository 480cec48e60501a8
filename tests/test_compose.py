"""A phase that uses another table: the meaning is the expanded table's, errors point into both."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ringproof.assess import Options
from ringproof.check import check_file
from ringproof.events import expand
from ringproof.report import concise, text
from ringproof.simulate import simulate
from ringproof.table.reader import read_schedule
from ringproof.table.schedule import Schedule
from ringproof.table.source import read
from ringproof.verdict import Exit, Report, Size

ROOT = Path(__file__).parent.parent
FEW = Options(ranks=((2, 8),), suggest=0)

RING = (ROOT / "schedules" / "ring.toml").read_text(encoding="utf-8")

OUTER = """
name       = "across groups of L"
collective = "all-reduce"
ranks      = "2..12"
chunks     = "N"
params     = { L = "divisors(N)" }
let        = { G = "N // L" }

[[phase]]
name  = "inside"
use   = "ring.toml"
group = "r // L"
rank  = "r % L"
chunk = "c*G + j"
for   = { j = "0..G - 1" }

[[phase]]
name  = "across"
use   = "ring.toml"
group = "r % L"
rank  = "r // L"
chunk = "c*L + j"
for   = { j = "0..L - 1" }
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "ring.toml").write_text(RING, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(folder: Path, outer: str, **others: str) -> Report:
    for name, content in others.items():
        (folder / f"{name}.toml").write_text(content, encoding="utf-8")
    (folder / "outer.toml").write_text(outer, encoding="utf-8")
    return check_file("outer.toml", Options(suggest=0, induction="never"))


def schedule_of(path: str) -> Schedule:
    return read_schedule(read(path).values, path)


def sends(schedule: Schedule, size: Size) -> Any:
    events = expand(schedule, size)
    columns = (events.step, events.sender, events.receiver, events.chunk, events.into, events.reduce)
    return sorted(zip(*(c.tolist() for c in columns), strict=True))


def test_the_ring_over_all_ranks_is_the_ring_itself(folder: Path) -> None:
    whole = OUTER.replace('params     = { L = "divisors(N)" }', "").replace('{ G = "N // L" }', "{}")
    whole = whole[: whole.index("[[phase]]")] + """
[[phase]]
name = "all"
use = "ring.toml"
group = "0"
rank = "r"
chunk = "c"
"""
    assert written(folder, whole).exit is Exit.PROVED
    for N in range(2, 9):
        assert sends(schedule_of("outer.toml"), Size(N)) == sends(schedule_of("ring.toml"), Size(N))


def test_composed_equals_the_table_written_out() -> None:
    """The hierarchical ring put together from rings costs and means what the written one does."""
    one, two = (
        schedule_of(str(ROOT / "schedules" / f"{name}.toml"))
        for name in ("hierarchical_composed", "hierarchical_ring")
    )
    for size in list(one.claimed())[:40]:
        a, b = simulate(expand(one, size)), simulate(expand(two, size))
        assert a.counts == b.counts
        assert {n: bool(v) for n, v in a.violations.items() if "ensures" not in n} == {
            n: bool(v) for n, v in b.violations.items() if "ensures" not in n
        }
        final = [o.trail.final() for o in (a, b) if o.trail]
        assert [f.shape for f in final] == [final[0].shape] * 2


def test_two_all_reduces_in_a_row_add_up_to_one(folder: Path) -> None:
    """Inside, then across: every rank's part arrives once; what `once` says is checked as well."""
    report = written(folder, OUTER)
    assert report.exit is Exit.PROVED, text.render([report])
    assert len(report.sizes) == sum(len([d for d in range(1, n + 1) if n % d == 0]) for n in range(2, 13))


def test_a_used_table_keeps_its_own_steps_and_groups_run_side_by_side(folder: Path) -> None:
    written(folder, OUTER)
    events = expand(schedule_of("outer.toml"), Size(6, (("L", 3),)))
    assert events.steps == 2 * (3 - 1) + 2 * (2 - 1)
    first = events.step == 0
    groups = events.sender[first] // 3
    assert np.array_equal(groups, events.receiver[first] // 3)
    assert set(groups.tolist()) == {0, 1}


def test_groups_of_different_sizes(folder: Path) -> None:
    """Ragged groups: five ranks as a group of three and one of two; a group of one does nothing."""
    ragged = """
name = "ragged"
collective = "reduce-scatter"
ranks = "4..9"
chunks = "1"
owner = "0"
scratch = "6"

[[phase]]
name = "up"
steps = 1
  [[phase.send]]
  to = "0"
  when = "r > 0"
  chunk = "0"
  op = "reduce"

[[phase]]
name = "idle groups"
use = "idle.toml"
group = "r // 3"
rank = "r % 3"
chunk = "0"
"""
    idle = """
name = "idle"
collective = "broadcast"
ranks = "2..3"
chunks = "1"
scratch = "1"
[[phase]]
name = "keep"
steps = "N"
  [[phase.send]]
  to = "r"
  chunk = "0"
  into = "1"
  op = "copy"
"""
    report = written(folder, ragged, idle=idle)
    assert report.exit is Exit.PROVED, text.render([report])
    events = expand(schedule_of("outer.toml"), Size(4))
    later = events.step > 0
    assert sorted(set(events.sender[later].tolist())) == [0, 1, 2]  # rank 3 is alone
    assert set(events.into[later].tolist()) == {1}  # the first scratch slot of the outer table


def test_params_of_the_used_table(folder: Path) -> None:
    inner = (
        RING.replace('ranks      = "2..64"', 'ranks = "2..64"\nparams = { k = [1, 2] }')
        .replace('steps   = "N - 1"', 'steps = "(N - 1) * 1"')
    )  # fmt: skip
    outer = OUTER.replace('use   = "ring.toml"', 'use = "inner.toml"\nparams = { k = "min(N, 2)" }')
    assert written(folder, outer, inner=inner).exit is Exit.PROVED
    missing = written(folder, OUTER.replace("ring.toml", "inner.toml"), inner=inner)
    assert "RP102" in concise.render([missing])
    wrong = written(folder, outer.replace("min(N, 2)", "N"), inner=inner)
    assert wrong.exit is Exit.CANNOT_CHECK
    assert "the used table has no k = 3" in text.render([wrong])


@pytest.mark.parametrize(
    ("change", "code", "says", "under"),
    [
        (('rank  = "r % L"', 'rank  = "r"'), "RP116", "member 0 comes next", '"r"'),
        (('chunk = "c*G + j"', 'chunk = "c*N + j"'), "RP116", "stands for slot", '"c*N + j"'),
        (('chunk = "c*G + j"', 'chunk = "c"'), "RP116", "stand for one slot", '"c"'),
        (('"0..G - 1"', '"0..c"'), "RP116", "stands for 1 slots and another", '"c*G + j"'),
        (('use   = "ring.toml"', 'use   = "rong.toml"'), "RP116", "there is no such file", '"rong.toml"'),
        (('use   = "ring.toml"', 'use   = "outer.toml"'), "RP116", "cannot use itself", '"outer.toml"'),
        (('group = "r // L"', 'group = "q // L"'), "RP106", "unknown name `q`", '"q // L"'),
        (('rank  = "r % L"\n', ""), "RP102", "no `rank`", "[[phase]]"),
        (('rank  = "r % L"', 'rank = "r % L"\nsteps = 3'), "RP101", "unknown key `steps`", "steps"),
    ],
)
def test_mistakes_of_composition(
    folder: Path, change: tuple[str, str], code: str, says: str, under: str
) -> None:
    assert change[0] in OUTER
    report = written(folder, OUTER.replace(change[0], change[1], 1))
    rendered = text.render([report])
    assert report.exit is Exit.CANNOT_CHECK
    assert f"error[{code}]" in rendered
    assert says in rendered
    line = next(i for i, row in enumerate(rendered.splitlines()) if "^" in row)
    assert under in rendered.splitlines()[line - 1]


def test_a_cycle_of_two_tables(folder: Path) -> None:
    report = written(folder, OUTER.replace("ring.toml", "middle.toml"), middle=OUTER.replace("ring", "outer"))
    assert "a table cannot use itself: outer.toml -> middle.toml -> outer.toml" in text.render([report])


def test_a_mistake_in_the_used_table_is_shown_there_and_here(folder: Path) -> None:
    report = written(folder, OUTER, ring=RING.replace("(r - s - 1)", "(r - z - 1)"))
    rendered = text.render([report])
    assert "--> ring.toml:" in rendered
    assert "::: outer.toml:" in rendered
    assert "used here" in rendered
    assert concise.render([report]).startswith("ring.toml:")


def test_a_wrong_used_table_is_blamed_in_its_own_file(folder: Path) -> None:
    report = written(folder, OUTER, ring=RING.replace("(r - s) % N", "(r + s) % N"))
    assert report.exit is Exit.REFUTED
    rendered = text.render([report])
    assert "--> ring.toml:" in rendered
    assert "::: outer.toml:" in rendered


def test_a_group_that_the_used_table_does_not_claim(folder: Path) -> None:
    report = written(folder, OUTER, ring=RING.replace('"2..64"', '"2..4"'))
    assert report.exit is Exit.CANNOT_CHECK
    assert "the used table claims N = 2..4; a group at" in text.render([report])


def test_a_broken_used_file_is_an_error_here(folder: Path) -> None:
    report = written(folder, OUTER, ring="name = \n")
    assert "cannot use `ring.toml`" in text.render([report])
    assert "ring.toml:1" in text.render([report])
