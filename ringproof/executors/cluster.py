"""Checking on a Dask cluster that is already there: its workers get files, and shares of long ones.

A worker needs ringproof in the same version, and none of the files: what they say is read here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError
from time import monotonic
from typing import Any

from ringproof.assess import Options
from ringproof.check import Prepared, prepare
from ringproof.executors import shares
from ringproof.executors.connection import LostCluster, connected, workers
from ringproof.executors.task import failed, heaviest_first, left, lost, no_memory
from ringproof.inputs import Item, ProgramText, is_program, kind_of
from ringproof.table.source import Source, read
from ringproof.textfile import LARGEST_PROGRAM, SourceError, read_text
from ringproof.verdict import Report
from ringproof.version import kin

WORKERLESS = 30.0  # seconds, for a cluster without any worker
GONE = "the connection to the scheduler is gone"
_ASLEEP = 2.0  # seconds, between two looks at who is there

Work = Prepared | ProgramText | Report


def on_cluster(items: Sequence[Item], options: Options, address: str) -> Iterator[tuple[int, Report]]:
    """Check files on the cluster of the scheduler at ``address``, as they are done.

    The scheduler tries a file on other workers when one dies with it.  What it gives up is tried
    once more when all others are done, alone; only then it is named, for another file of the same
    worker may have been the cause.  What a check raises is the report of that file, where it is not
    the only one.  Errors: `NoCluster`; `LostCluster` when the cluster goes, after a report of every file.
    """
    with connected(address) as client:
        run = _Run(client, items, options)
        try:
            yield from run.round(heaviest_first(list(items), options))
            again = sorted(run.died)
            run.died.clear()
            for i in again:
                yield from run.round([i])
        except LostCluster as error:
            yield from ((i, left(items[i], str(error))) for i in range(len(items)) if i not in run.done)
            raise
        for i, how in run.died.items():
            yield i, lost(items[i], how)


def _read(item: Item, options: Options) -> Work:
    """What a worker needs of a file, or its report when there is nothing left to do."""
    try:
        if isinstance(item, str) and is_program(item):
            return ProgramText(*read_text(item, LARGEST_PROGRAM))
        source = read(item) if isinstance(item, str) else item
        return prepare(source, options) if isinstance(source, Source) else source
    except SourceError as error:
        return Report(error.path, "", error.text, "", findings=error.findings, kind=kind_of(item))
    except MemoryError:
        return no_memory(item, options)


class _Run:
    """One run on a cluster: ``done`` files have a report, ``died`` says why some were given up."""

    def __init__(self, client: Any, items: Sequence[Item], options: Options) -> None:
        self.client, self.items, self.options = client, items, options
        self.done: set[int] = set()
        self.died: dict[int, str] = {}

    def round(self, order: Sequence[int]) -> Iterator[tuple[int, Report]]:
        """Have every file of ``order`` checked once; errors: `LostCluster`, or of an only file its own."""
        futures: dict[Any, int] = {}
        for i in order:
            begun = self._begun(i)
            if isinstance(begun, Report):
                self.done.add(i)
                yield i, begun
            else:
                futures[begun] = i
        while futures:
            for future in self._ended(futures):
                i = futures.pop(future)
                told = self._told(future, i)
                if isinstance(told, str):
                    self.died[i] = told
                else:
                    self.done.add(i)
                    yield i, told

    def _begun(self, i: int) -> Any:
        """The future of a file's report, or the report when there is nothing left to do."""
        try:
            work = _read(self.items[i], self.options)
            return work if isinstance(work, Report) else self._submit(work)
        except Exception as error:
            if self.client.status != "running":
                raise LostCluster(GONE) from error
            return self._bug(i, error)

    def _submit(self, work: Prepared | ProgramText) -> Any:
        submit, options, ours = self.client.submit, self.options, kin()
        if isinstance(work, ProgramText):
            return submit(shares.program, work, options, ours, pure=False)
        sizes = range(len(work.report.sizes))
        step = -(-len(sizes) // shares.SIZES_A_SHARE)
        parts = [submit(shares.share, work, options, sizes[k::step], ours, pure=False) for k in range(step)]
        return submit(shares.rest, work, options, parts, ours, pure=False)

    def _bug(self, i: int, error: Exception) -> Report:
        if len(self.items) == 1:
            raise error
        return failed(self.items[i], error)

    def _ended(self, futures: dict[Any, int]) -> list[Any]:
        """Futures that have come to an end; waits for one, and not for ever where nobody is left."""
        import distributed

        dask: Any = distributed
        since = monotonic()
        while True:
            try:
                return list(dask.wait(list(futures), timeout=_ASLEEP, return_when="FIRST_COMPLETED").done)
            except TimeoutError:
                if workers(self.client):
                    since = monotonic()
            except (CancelledError, OSError):
                if ended := [future for future in futures if future.done()]:
                    return ended
            if monotonic() - since > WORKERLESS:
                why = "one that has no ringproof ends as soon as it is asked"
                raise LostCluster(f"the cluster has had no worker for {WORKERLESS:.0f} s; {why}")

    def _told(self, future: Any, i: int) -> Report | str:
        """The report on a file, or how the workers that had it ended."""
        from distributed import KilledWorker

        if self.client.status != "running":
            raise LostCluster(GONE)
        try:
            error = future.exception()
        except CancelledError:
            error = None
        if future.status == "cancelled" or isinstance(error, shares.UnwantedError):
            return "the scheduler gave it up"
        if isinstance(error, KilledWorker):
            return f"{error.allowed_failures + 1} workers of the cluster died with it, one after another"
        if isinstance(error, shares.StrangerError):
            raise LostCluster(f"a worker that came later has {error}")
        if error is None:
            report: Report = future.result()
            return report
        return self._bug(i, error.with_traceback(future.traceback()))
