"""What the workers of a cluster do: a share of the sizes of a table, the rest of it, or a program.

Z3 in one process works for one thread at a time, so a worker with more threads has them take turns.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from ringproof.assess import Assessment, Options, Symmetry, symmetry_of
from ringproof.check import Prepared, assess_size, finish, reserve, wrong
from ringproof.executors.task import check_one, no_memory
from ringproof.inputs import ProgramText
from ringproof.problem import EnginesDisagree, ExpansionError
from ringproof.turn import in_turn
from ringproof.verdict import Report
from ringproof.version import kin

SIZES_A_SHARE = 8

Failure = ExpansionError | EnginesDisagree | MemoryError
Share = tuple[list[tuple[int, Assessment]], tuple[int, Failure] | None, Symmetry]
Kin = Mapping[str, str]
T = TypeVar("T")


class StrangerError(Exception):
    """A worker of another kin than whoever asks it: what it found might be another verdict."""


class UnwantedError(Exception):
    """Nobody waits for this share any more."""


@in_turn
def program(work: ProgramText, options: Options, asked_by: Kin) -> Report:
    """Check a program."""
    return _carried(lambda: check_one(work, options), asked_by)


@in_turn
def share(work: Prepared, options: Options, numbers: Sequence[int], asked_by: Kin) -> Share:
    """Assess the sizes of these numbers up to one that cannot be, with its number.

    Errors: `UnwantedError` as soon as nobody waits for it, between two sizes.
    """
    return _carried(lambda: _assessed(work, options, numbers), asked_by)


@in_turn
def rest(work: Prepared, options: Options, shares: Sequence[Share], asked_by: Kin) -> Report:
    """The report on a table from all its shares; the smallest size that cannot be assessed counts."""
    return _carried(lambda: _finished(work, options, shares), asked_by)


def _assessed(work: Prepared, options: Options, numbers: Sequence[int]) -> Share:
    symmetry = symmetry_of(work.schedule, options.settings)
    found: list[tuple[int, Assessment]] = []
    settled: set[bytes] = set()
    try:
        reserve(work, options)
        for i in numbers:
            if not _wanted():
                raise UnwantedError
            found.append((i, assess_size(work, work.report.sizes[i], options, symmetry, settled)))
    except (ExpansionError, EnginesDisagree, MemoryError) as error:
        return found, (numbers[len(found)], error), symmetry
    return found, None, symmetry


def _finished(work: Prepared, options: Options, shares: Sequence[Share]) -> Report:
    errors = [error for _, error, _ in shares if error is not None]
    if errors:
        _, first = min(errors, key=lambda pair: pair[0])
        if isinstance(first, MemoryError):
            return no_memory(work.source, options)
        return wrong(work.report, first)
    assessed = dict(pair for found, _, _ in shares for pair in found)
    numbers = range(len(work.report.sizes))
    try:
        return finish(work, [assessed[i] for i in numbers], shares[0][2], options, 0.0)
    except MemoryError:
        return no_memory(work.source, options)


def _wanted() -> bool:
    """Whether somebody still waits for what this thread of a worker does."""
    from distributed import get_worker

    worker = get_worker()
    task = worker.state.tasks.get(worker.get_current_task())
    return task is not None and task.state != "cancelled"


def differing(theirs: Kin, ours: Kin) -> str:
    """How a worker of another kin differs, in words."""
    names = [name for name in ours if theirs.get(name) != ours[name]]
    return " and ".join(f"{name} {theirs.get(name, 'unknown')}, here it is {ours[name]}" for name in names)


def _carried(what: Callable[[], T], asked_by: Kin) -> T:
    """What it gives, if this is a worker of the same kin; what it raises can be sent away."""
    if kin() != asked_by:
        raise StrangerError(differing(kin(), asked_by))
    try:
        return what()
    except Exception as error:
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:
            told = RuntimeError(f"{type(error).__name__}: {error}")
            raise told.with_traceback(error.__traceback__) from None
        raise
