"""Run ringproof as a command or with ``python -m ringproof``."""

import gc
import os
import sys

MANY = 200_000  # a proof makes that many small values without a cycle among them


def main() -> int:
    """Run the command line of this process and return its exit code."""
    from ringproof.interrupt import leave_at_once

    gc.set_threshold(MANY, 20, 20)
    leave_at_once()
    from ringproof.cli import main as run

    code = run()
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    except OSError:
        return code
    os._exit(code)  # taking Z3 and numpy down piece by piece is a tenth of a short run


if __name__ == "__main__":
    sys.exit(main())
