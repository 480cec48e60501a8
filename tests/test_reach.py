"""What is proved for every N: all of ``schedules/``, but for what README names as out of reach.

A table that was proved once and no longer is, is a fault like any other.  All tables: ``--sweep``.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ringproof.proof.every_n import Proved, Undecided, prove_every_n
from ringproof.table.reader import read_schedule
from ringproof.table.source import read
from tests.conftest import HOME

TABLES = sorted((HOME / "schedules").glob("*.toml"))
# Some that other tests do not prove and that need most of the engine: powers, trees, digits, both domains.
ALWAYS = {"bine_all_reduce", "knomial_reduce", "neighbour_exchange", "pat_reduce_scatter",
          "recursive_doubling_any"}  # fmt: skip
SECONDS = 60.0  # what is slow here is measured by a benchmark


def told(opening: str) -> set[str]:
    """The tables that README names in the sentence with this opening."""
    text = " ".join((HOME / "README.md").read_text(encoding="utf-8").split())
    sentence = re.search(rf"{opening}.*?\.\s(?=[A-Z])", text)
    assert sentence
    return set(re.findall(r"`(\w+)`", sentence.group())) & {path.stem for path in TABLES}


def out_of_reach() -> set[str]:
    """The tables that README says are not proved for every N."""
    return told("Out of reach so far")


@pytest.mark.parametrize(
    "path",
    [p if p.stem in ALWAYS else pytest.param(p, marks=pytest.mark.sweep) for p in TABLES],
    ids=lambda path: path.stem,
)
def test_tables_in_reach_are_proved(path: Path) -> None:
    verdict = prove_every_n(read_schedule(read(str(path)).values, str(path)), SECONDS).verdict
    if path.stem in out_of_reach():
        assert isinstance(verdict, Undecided)
        assert verdict.reason
    else:
        assert verdict == Proved()


def test_most_tables_are_in_reach_and_within_ten_seconds() -> None:
    assert out_of_reach()
    slow = told("Proved, but not always within 10 s")
    assert len(out_of_reach() | slow) <= 0.15 * len(TABLES)
