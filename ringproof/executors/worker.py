"""A process that checks one file after another, and can be ended at any moment."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from multiprocessing.connection import Connection
from typing import Literal

from ringproof.assess import Options
from ringproof.executors.task import check_one_of_many, failed, how_ended
from ringproof.inputs import Item
from ringproof.verdict import Report


class Worker:
    """One process, begun here, and our end of its pipe, ``ours``, which is ready when it has answered.

    ``method``: how the process is begun, ``fork`` or ``spawn``.
    """

    def __init__(self, options: Options, method: Literal["fork", "spawn"]) -> None:
        start = multiprocessing.get_context
        context = start("fork") if method == "fork" else start("spawn")
        self.ours, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, options), daemon=True)
        self.process.start()
        theirs.close()  # so that ours ends with the process

    def answer(self) -> Report | str:
        """Wait for the report on what was sent; if the process died at it, how it ended, in words."""
        try:
            report: Report = self.ours.recv()
        except (EOFError, OSError):
            return how_ended(self.process)
        return report

    def send(self, item: Item) -> None:
        """Have one file checked; if the process is dead, `answer` will say so."""
        try:
            self.ours.send(item)
        except OSError:
            return

    def end(self) -> None:
        """End the process, whatever it is at.

        The pipe closes when nobody has it any more: a thread may be waiting for the answer.
        """
        self.process.kill()
        self.process.join()


def _serve(theirs: Connection, options: Options) -> None:
    """Check every file that comes, until nobody is left to ask."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever began this process ends it
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # Z3 hears what is ignored
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
