"""Ctrl-C ends the process at once, whatever is at work."""

from __future__ import annotations

import os
import signal
import sys
import threading

from ringproof.verdict import Exit


def leave_at_once() -> None:
    """From here on an interrupt ends this process and its children, with exit code 130.

    Z3 takes an interrupt for the end of one query, and a finalizer that ctypes calls swallows it; the
    check would go on as if nothing had been asked.  So the signal is blocked in every thread but one,
    which does nothing else than wait for it.  Where it is ignored, as below `nohup`, it stays ignored.
    """
    if not hasattr(signal, "pthread_sigmask") or signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        return
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    threading.Thread(target=_wait, name="interrupt", daemon=True).start()


def _wait() -> None:
    signal.sigwait({signal.SIGINT})
    clear = "\r\x1b[K" if os.isatty(2) else ""
    os.write(2, f"{clear}interrupted\n".encode())
    pools = sys.modules.get("multiprocessing")
    for child in pools.active_children() if pools else ():
        os.kill(child.pid, signal.SIGKILL)
    os._exit(Exit.INTERRUPTED)  # before anyone here wonders what became of them
