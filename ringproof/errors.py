"""The family of what `import ringproof` raises."""

from __future__ import annotations


class RingproofError(Exception):
    """Whatever `import ringproof` raises on purpose.

    `TableError` (its ``findings``): a table that cannot be read or unrolled.  `NotProvedError` (its
    ``report``): a table that is not drawn, for it is not proved.  `ArgumentError`, which is also a
    `ValueError`, and `ArgumentTypeError`, also a `TypeError`: an argument that cannot be.  `RenderError`:
    what draws a picture is not installed, or fails.  `ForkedError`, also a `RuntimeError`: a check in a
    process that was forked while another thread was checking.
    """
