"""What is asked of a program beside what its file says."""

from __future__ import annotations

from dataclasses import dataclass

from ringproof.program.load import Runtime
from ringproof.program.promise import Post


@dataclass(frozen=True, slots=True)
class Asked:
    """``collective`` (of our catalogue, or ``custom``) overrides the file's; ``post`` is a wanted result
    and overrides both; ``runtime`` is one that must load the file.
    """

    collective: str = ""
    post: Post | None = None
    runtime: Runtime | None = None
