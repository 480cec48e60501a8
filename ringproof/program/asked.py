"""What is asked of a program beside what its file says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:  # tables are checked without what programs need
    from ringproof.program.load import Runtime
    from ringproof.program.promise import Post


@dataclass(frozen=True, slots=True)
class Asked:
    """``collective`` (of our catalogue, or ``custom``) overrides the file's; ``post`` is a wanted result
    of a program that is taken for custom; ``runtime`` is one that must load the file.  ``z3``: whether Z3
    decides the sums, "auto" where the program is not long; ``timeout`` in seconds for each of its queries.
    """

    collective: str = ""
    post: Post | None = None
    runtime: Runtime | None = None
    z3: Literal["auto", "always", "never"] = "auto"
    timeout: float = 20.0
