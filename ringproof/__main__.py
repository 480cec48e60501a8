"""``python -m ringproof``."""

from ringproof.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
