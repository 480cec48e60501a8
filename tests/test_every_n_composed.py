"""Tables used over groups of ranks, for every N: the demands that make the rows those of the phase."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ringproof.proof.every_n import Proved, Undecided, prove, prove_every_n
from ringproof.proof.every_n.composition import written_out
from ringproof.proof.every_n.context import Desk
from ringproof.proof.every_n.groups import groups
from ringproof.proof.every_n.model import Model
from ringproof.proof.every_n.sizes import cases
from ringproof.proof.every_n.writing import Writer, said
from ringproof.table.expr import Node
from ringproof.table.reader import read_schedule
from ringproof.table.schedule import Schedule
from ringproof.table.source import read
from tests.test_every_n import sends

PATH = Path(__file__).parent.parent / "schedules" / "hierarchical_composed.toml"


def table(phase: int = 0, **keys: Any) -> Schedule:
    """The composed ring with some keys of a phase exchanged."""
    values = read(str(PATH)).values
    phases = [{**p, **keys} if i == phase else p for i, p in enumerate(values["phase"])]
    return read_schedule({**values, "phase": phases}, str(PATH))


def failed(schedule: Schedule, guess: Any = groups) -> set[str]:
    """Which demands are not proved."""
    composition = written_out(schedule, guess)
    (sizes,) = cases(composition.schedule, Desk(), frozenset())
    asked = composition.obligations(Model(sizes))
    return {ob.what for ob in asked if ob.context.ask(ob.goal).verdict != "proved"}


def test_a_right_composition_meets_its_demands() -> None:
    assert failed(table()) == set()


@pytest.mark.parametrize(
    ("keys", "what"),
    [
        ({"chunk": "c*G + j + 1"}, "the slots of a used table exist"),
        ({"chunk": "c // 2 * G + j"}, "a slot stands for one slot"),
        ({"chunk": "c*G"}, "a slot stands for one slot"),
        ({"use": "recursive_doubling_all_gather.toml"}, "the used table claims groups of this size"),
        ({"when": "r > 0"}, "a member at every place"),
    ],
)
def test_a_wrong_composition_does_not(keys: dict[str, Any], what: str) -> None:
    guess = (lambda *_: (said("L"), said("1"))) if "when" in keys else groups
    assert what in failed(table(**keys), guess)


@pytest.mark.parametrize(
    ("size", "stride", "what"),
    [
        ("L + 1", "1", "a member at every place"),
        ("L - 1", "1", "a place in the group"),
        ("L", "2", "a member at every place"),
        ("N", "1", "a member at every place"),
    ],
)
def test_a_wrong_guess_of_the_groups_is_refused(size: str, stride: str, what: str) -> None:
    def guess(schedule: Schedule, use: Any) -> tuple[Node, Node]:
        first = use is schedule.phases[0].use
        return (said(size), said(stride)) if first else groups(schedule, use) or (said("L"), said("1"))

    assert what in failed(table(), guess)


def test_two_members_at_one_place_are_refused() -> None:
    keys = {"group": "r // L // 2"}
    found = failed(table(**keys), lambda s, u: (said("L"), said("1")) if u.route[1] == 0 else groups(s, u))
    assert "one member at a place" in found


def test_a_composed_table_is_proved_with_its_claims() -> None:
    found = prove_every_n(table(), budget=60)
    assert found.verdict == Proved()
    assert set(found.claims) == {Proved()}


def test_without_a_guess_of_the_groups_it_stays_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prove, "groups", lambda *a: None)
    assert isinstance(prove_every_n(table()).verdict, Undecided)


@pytest.mark.parametrize(
    ("keys", "reason"),
    [
        ({"ranks": "4"}, "it claims one size, N = 4: there is nothing beyond it to prove"),
        (None, "its sends are written out for one size, N = 4"),
    ],
)
def test_one_size_is_all_there_is(keys: dict[str, Any] | None, reason: str) -> None:
    path = PATH.with_name("ring4_sends.toml" if keys is None else "ring.toml")
    values = {**read(str(path)).values, **(keys or {})}
    assert prove_every_n(read_schedule(values, str(path))).verdict == Undecided(reason)


def test_wrong_writing_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    right = Writer.slot
    monkeypatch.setattr(Writer, "slot", lambda w, r, c, tag="": right(w, r, said("c + 1", c=c), tag))
    assert any(said_ != real for said_, real in sends(table(), 4))
