"""Checking in a process of its own, that can be ended at any moment: the next letter may be typed."""

from __future__ import annotations

import asyncio
import multiprocessing
import signal
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess

from ringproof.table.source import Source
from ringproof.verdict import Report


class Worker:
    """One process that checks one table after another; begun when it is first needed."""

    def __init__(self) -> None:
        self.turn = asyncio.Lock()
        self.process: BaseProcess | None = None
        self.ours: Connection | None = None

    async def check(self, source: Source) -> Report | None:
        """The report on a table; None when the process ended, as when memory ran out.

        A check that is cancelled ends the process, and with it whatever Z3 is at.
        """
        async with self.turn:
            try:
                return await asyncio.to_thread(self._ask, source)
            except asyncio.CancelledError:
                self.end()
                raise

    def _ask(self, source: Source) -> Report | None:
        ours = self.ours if self.process and self.process.is_alive() else self._begin()
        if ours is None:
            return None
        try:
            ours.send(source)
            report: Report | None = ours.recv()
            return report
        except (EOFError, OSError):
            return None

    def _begin(self) -> Connection | None:
        context = multiprocessing.get_context("spawn")
        self.ours, theirs = context.Pipe()
        self.process = context.Process(target=serve, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()
        return self.ours

    def end(self) -> None:
        """End the process, whatever it is at."""
        if self.process and self.process.is_alive():
            self.process.kill()
            self.process.join()
        self.process = None


def serve(theirs: Connection) -> None:
    """Check every table that comes, until nobody is left to ask."""
    from ringproof.assess import Options
    from ringproof.check import check
    from ringproof.diagnose.problems import out_of_memory

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever began this process ends it
    options = Options(induction="never")
    while True:
        try:
            source: Source = theirs.recv()
        except EOFError:
            return
        try:
            report = check(source, options)
        except MemoryError:
            report = Report(source.path, "", source.text, "",
                            findings=(out_of_memory(options.settings.memory),))  # fmt: skip
        theirs.send(report)
