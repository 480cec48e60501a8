"""Run ringproof as a command or with ``python -m ringproof``."""

import gc
import os
import signal
import sys
from contextlib import suppress
from typing import Any

MANY = 200_000  # a proof makes that many small values without a cycle among them


def main() -> int:
    """Run the command line of this process and return its exit code."""
    if hasattr(signal, "pthread_sigmask") and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)  # until what follows is imported
    from ringproof.interrupt import leave_at_once

    gc.set_threshold(MANY, 20, 20)
    leave_at_once()
    from ringproof.cli import main as run

    code = run()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):  # whoever printed there has told so
            if stream is not None:
                stream.flush()
    os._exit(code)  # taking Z3 and numpy down piece by piece is a tenth of a short run


def _leave(*_: Any) -> None:
    """Nothing is begun, so there is nothing to tell and nobody to end."""
    with suppress(OSError):
        os.write(2, b"interrupted\n")
    os._exit(130)


if __name__ == "__main__":
    sys.exit(main())
