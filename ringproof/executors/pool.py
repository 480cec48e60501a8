"""Checking on all cores: a process for each, one file at a time, so that a death names its file."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from ringproof.assess import Options
from ringproof.executors.task import check_one_of_many, failed, heaviest_first, how_ended, lost
from ringproof.inputs import Item
from ringproof.verdict import Report


@dataclass(slots=True)
class _Worker:
    """A process, our end of its pipe, and the number of the file that it has."""

    process: BaseProcess
    ours: Connection
    has: int


def in_processes(items: Sequence[Item], options: Options, jobs: int) -> Iterator[tuple[int, Report]]:
    """Check files on ``jobs`` processes: the number of each with its report, as they are done.

    A file whose process dies is checked once more when all others are done, with the machine to
    itself; only then it is named.  What a check raises is the report of that file.
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
    waiting, workers = deque(order), list[_Worker]()
    try:
        while waiting or workers:
            while waiting and len(workers) < jobs:
                workers.append(_begin(items, waiting.popleft(), options))
            for worker in _answering(workers):
                try:
                    told = worker.ours.recv()
                except (EOFError, OSError):
                    died[worker.has] = _ended(worker)
                    workers.remove(worker)
                    continue
                except Exception as error:  # what it sent cannot be read
                    told = failed(items[worker.has], error)
                yield worker.has, told
                if waiting:
                    worker.has = waiting.popleft()
                    _send(worker, items[worker.has])
                else:
                    _end(worker)
                    workers.remove(worker)
    finally:
        for worker in workers:
            _end(worker)


def _begin(items: Sequence[Item], i: int, options: Options) -> _Worker:
    # Our children, not those of a server: whoever ends us ends them, and what is imported is shared.
    start = multiprocessing.get_context
    context = start("fork") if sys.platform == "linux" else start("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs, options), daemon=True)
    process.start()
    theirs.close()  # so that ours ends with the process
    worker = _Worker(process, ours, i)
    _send(worker, items[i])
    return worker


def _send(worker: _Worker, item: Item) -> None:
    try:
        worker.ours.send(item)
    except OSError:
        return  # it is dead, and `recv` will say so


def _answering(workers: Sequence[_Worker]) -> list[_Worker]:
    ready = wait([worker.ours for worker in workers])
    return [worker for worker in workers if worker.ours in ready]


def _ended(worker: _Worker) -> str:
    """How a dead process ended, in words."""
    worker.ours.close()
    return how_ended(worker.process)


def _end(worker: _Worker) -> None:
    worker.process.kill()
    worker.process.join()
    worker.ours.close()


def _serve(theirs: Connection, options: Options) -> None:
    """Check every file that comes, until nobody is left to ask."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever began this process ends it
    threading.Thread(target=_end_with_parent, daemon=True).start()
    while True:
        try:
            item = theirs.recv()
        except EOFError:
            return
        try:
            theirs.send(check_one_of_many(item, options))
        except OSError:
            return
        except Exception as error:  # what it found cannot be sent
            theirs.send(failed(item, error))


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
