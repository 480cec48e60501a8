"""Checking on a Dask cluster that is already there: its workers get files, and parts of long ones.

A worker needs ringproof in the same version, and none of the files: what they say is read here.  Z3
in one process works for one thread at a time, so a worker with more threads has them take turns.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError
from time import monotonic
from typing import Any

from ringproof.assess import Assessment, Options, Symmetry, symmetry_of
from ringproof.check import Prepared, assess_size, finish, prepare, reserve, wrong
from ringproof.executors.task import check_one, heaviest_first, lost, no_memory, path_of
from ringproof.inputs import Item, ProgramText, is_program
from ringproof.problem import EnginesDisagree, ExpansionError
from ringproof.table.source import Source, read
from ringproof.textfile import LARGEST_PROGRAM, SourceError, read_text
from ringproof.verdict import Report
from ringproof.version import version

SIZES_A_PART = 8
PATIENCE = 30.0  # seconds, for a cluster without any worker
_TURN = threading.Lock()

Work = Prepared | ProgramText | Report
Failure = ExpansionError | EnginesDisagree | MemoryError
Part = tuple[list[tuple[int, Assessment]], tuple[int, Failure] | None, Symmetry]


class NoCluster(Exception):
    """There is no cluster that could check, and why."""


def on_cluster(items: Sequence[Item], options: Options, address: str) -> Iterator[tuple[int, Report]]:
    """Check files on the cluster of the scheduler at ``address``, as they are done.

    The scheduler tries a file on other workers when one dies with it.  What it gives up is tried
    once more when all others are done, alone; only then it is named, for another file of the same
    worker may have been the cause.  Errors: `NoCluster`; what a check raises.
    """
    client = _connect(address)
    try:
        works = [_read(item, options) for item in items]
        died: dict[int, str] = {}
        yield from _round(client, works, heaviest_first(list(items), options), options, died)
        again = sorted(died)
        died.clear()
        for i in again:
            yield from _round(client, works, [i], options, died)
        for i, how in died.items():
            yield i, lost(items[i], how)
    finally:
        client.close(timeout=2)


def _connect(address: str) -> Any:
    try:
        import distributed
    except ImportError:
        raise NoCluster("distributed is not installed; pip install 'ringproof[dask]'") from None
    dask: Any = distributed  # which is partly typed
    try:
        client = dask.Client(address, timeout=10)
        client.wait_for_workers(1, timeout=PATIENCE)
        there = set(client.run(version).values())
    except (ValueError, OSError, ModuleNotFoundError) as error:
        told = " ".join(str(error).split())[:200]
        raise NoCluster(f"the cluster at {address} cannot be used: {told}") from None
    if there != {version()}:
        told = ", ".join(sorted(there))
        raise NoCluster(f"the workers have ringproof {told}, and this is {version()}")
    return client


def _read(item: Item, options: Options) -> Work:
    """What a worker needs of a file, or its report when there is nothing left to do."""
    try:
        if isinstance(item, str) and is_program(item):
            return ProgramText(*read_text(item, LARGEST_PROGRAM))
        source = read(item) if isinstance(item, str) else item
        return prepare(source, options) if isinstance(source, Source) else source
    except SourceError as error:
        kind = "program" if is_program(path_of(item)) else "table"
        return Report(error.path, "", error.text, "", findings=error.findings, kind=kind)  # type: ignore[arg-type]
    except MemoryError:
        return no_memory(item, options)


def _round(
    client: Any, works: Sequence[Work], order: Sequence[int], options: Options, died: dict[int, str]
) -> Iterator[tuple[int, Report]]:
    """Have every file of ``order`` checked; why some were given up is added to ``died``."""
    futures: dict[Any, int] = {}
    for i in order:
        work = works[i]
        if isinstance(work, Report):
            yield i, work
        else:
            futures[_submit(client, work, options)] = i
    while futures:
        for future in _done(client, futures, died):
            i = futures.pop(future)
            told = _told(future)
            if isinstance(told, str):
                died[i] = told
            else:
                yield i, told


def _submit(client: Any, work: Prepared | ProgramText, options: Options) -> Any:
    if isinstance(work, ProgramText):
        return client.submit(_whole, work, options, pure=False)
    count = -(-len(work.report.sizes) // SIZES_A_PART)
    parts = [client.submit(_part, work, options, k, count, pure=False) for k in range(count)]
    return client.submit(_finish, work, options, parts, pure=False)


def _done(client: Any, futures: dict[Any, int], died: dict[int, str]) -> list[Any]:
    """Futures that have come to an end; waits for one, and not for ever where no worker is left."""
    import distributed

    dask: Any = distributed
    since = monotonic()
    while True:
        try:
            return list(dask.wait(list(futures), timeout=2, return_when="FIRST_COMPLETED").done)
        except TimeoutError:
            if client.scheduler_info()["workers"]:
                since = monotonic()
            if monotonic() - since < PATIENCE:
                continue
            how = f"the cluster has had no worker for {PATIENCE:.0f} s"
        except (CancelledError, OSError):
            how = "the scheduler is gone"
        died.update(dict.fromkeys(futures.values(), how))
        futures.clear()
        return []


def _told(future: Any) -> Report | str:
    """The report, or how the workers that had it ended; errors: what the check raised."""
    from distributed import KilledWorker

    try:
        error = future.exception()
    except CancelledError:
        return "the scheduler gave it up"
    if isinstance(error, KilledWorker):
        return f"{error.allowed_failures + 1} workers of the cluster died with it, one after another"
    if isinstance(error, Exception):
        raise error
    report: Report = future.result()
    return report


def _whole(work: ProgramText, options: Options) -> Report:
    with _TURN:
        return check_one(work, options)


def _part(work: Prepared, options: Options, first: int, step: int) -> Part:
    """Assess sizes ``first``, ``first + step``, ... up to one that cannot be, with its number."""
    with _TURN:
        symmetry = symmetry_of(work.schedule, options.settings)
        found: list[tuple[int, Assessment]] = []
        numbers = range(first, len(work.report.sizes), step)
        try:
            reserve(work, options)
            for i in numbers:
                found.append((i, assess_size(work, work.report.sizes[i], options, symmetry)))
        except (ExpansionError, EnginesDisagree, MemoryError) as error:
            return found, (numbers[len(found)], error), symmetry
        return found, None, symmetry


def _finish(work: Prepared, options: Options, parts: list[Part]) -> Report:
    """The report on a table from all its parts; the smallest size that cannot be assessed counts."""
    errors = [error for _, error, _ in parts if error is not None]
    if errors:
        _, first = min(errors, key=lambda pair: pair[0])
        if isinstance(first, MemoryError):
            return no_memory(work.source, options)
        return wrong(work.report, first)
    assessed = [one for _, one in sorted((pair for part, _, _ in parts for pair in part), key=lambda p: p[0])]
    with _TURN:
        try:
            return finish(work, assessed, parts[0][2], options, 0.0)
        except MemoryError:
            return no_memory(work.source, options)
