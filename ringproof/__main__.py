"""Run ringproof as a command or with ``python -m ringproof``."""

import sys


def main() -> int:
    """Run the command line of this process and return its exit code."""
    from ringproof.interrupt import leave_at_once

    leave_at_once()
    from ringproof.cli import main as run

    return run()


if __name__ == "__main__":
    sys.exit(main())
