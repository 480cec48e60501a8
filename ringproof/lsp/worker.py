"""Checking in a process of its own, that can be ended at any moment: the next letter may be typed."""

from __future__ import annotations

import asyncio
import multiprocessing
import signal
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess

from ringproof.executors.task import check_one, how_ended
from ringproof.inputs import ProgramText
from ringproof.table.source import Source
from ringproof.verdict import Report


class Worker:
    """One process that checks one document after another; begun when it is first needed.

    ``ended``: how the process ended that died at its work, in words.
    """

    def __init__(self) -> None:
        self.turn = asyncio.Lock()
        self.process: BaseProcess | None = None
        self.ours: Connection | None = None
        self.ended = ""

    async def check(self, item: Source | ProgramText) -> Report | None:
        """The report on a table or program; None when the process ended, as when memory ran out.

        A check that is cancelled ends the process, and with it whatever Z3 is at.
        """
        async with self.turn:
            try:
                return await asyncio.to_thread(self._ask, item)
            except asyncio.CancelledError:
                self.end()
                raise

    def _ask(self, item: Source | ProgramText) -> Report | None:
        ours = self.ours if self.process and self.process.is_alive() else self._begin()
        process = self.process
        if ours is None or process is None:
            return None
        try:
            ours.send(item)
            report: Report | None = ours.recv()
            return report
        except (EOFError, OSError):
            self.ended = how_ended(process)
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
    """Check every document that comes, until nobody is left to ask."""
    from ringproof.assess import Options

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever began this process ends it
    options = Options(induction="never")
    while True:
        try:
            item: Source | ProgramText = theirs.recv()
        except EOFError:
            return
        theirs.send(check_one(item, options))
