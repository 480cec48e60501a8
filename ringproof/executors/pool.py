"""Checking on all cores: a process for each, one file at a time, so that a death names its file."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterator, Sequence
from multiprocessing.connection import wait

from ringproof.assess import Options
from ringproof.executors.task import check_one_of_many, failed, heaviest_first, lost
from ringproof.executors.worker import Worker
from ringproof.inputs import Item
from ringproof.verdict import Report


def in_processes(items: Sequence[Item], options: Options, jobs: int) -> Iterator[tuple[int, Report]]:
    """Check files on ``jobs`` processes: the number of each with its report, as they are done.

    A file whose process dies is checked once more when all others are done, with the machine to
    itself; only then it is named.  What a check raises is the report of that file.  A machine that
    gives fewer processes has fewer, and with none this one checks.
    """
    died: dict[int, str] = {}
    yield from _round(items, heaviest_first(list(items), options), options, jobs, died)
    again = sorted(died)
    died.clear()
    yield from _round(items, again, options, 1, died)
    for i, how in died.items():
        yield i, lost(items[i], how)


def _round(
    items: Sequence[Item], order: Sequence[int], options: Options, jobs: int, died: dict[int, str]
) -> Iterator[tuple[int, Report]]:
    """Check every file of ``order`` once; how the processes of some ended is added to ``died``."""
    waiting, has = deque(order), dict[Worker, int]()
    try:
        while waiting or has:
            while waiting and len(has) < jobs:
                worker = _begin(options)
                if worker is None:  # no more than there are, and room for the files that they open
                    jobs = max(len(has) // 2, min(len(has), 1))
                    break
                _give(worker, waiting.popleft(), items, has)
            if not has:  # and there are none
                i = waiting.popleft()
                yield i, check_one_of_many(items[i], options)
                continue
            for worker in _answering(has):
                i = has[worker]
                try:
                    told = worker.answer()
                except Exception as error:  # what it sent cannot be read
                    told = failed(items[i], error)
                if isinstance(told, str):
                    died[i] = told
                    del has[worker]
                    continue
                if waiting and len(has) <= jobs:
                    _give(worker, waiting.popleft(), items, has)
                else:
                    worker.end()
                    del has[worker]
                yield i, told
    finally:
        for worker in has:
            worker.end()


def _begin(options: Options) -> Worker | None:
    """A process; none where the machine has no more, or no more open files."""
    # Our children, not those of a server: whoever ends us ends them, and what is imported is shared.
    try:
        return Worker(options, "fork" if sys.platform == "linux" else "spawn")
    except OSError:
        return None


def _give(worker: Worker, i: int, items: Sequence[Item], has: dict[Worker, int]) -> None:
    has[worker] = i
    worker.send(items[i])


def _answering(has: dict[Worker, int]) -> list[Worker]:
    ready = wait([worker.ours for worker in has])
    return [worker for worker in has if worker.ours in ready]
