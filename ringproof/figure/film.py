"""An all-reduce as a film may show it: executed and checked before any frame, costs from its send log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from ringproof.figure.prepare import CannotDrawError, NotProvedError, proved
from ringproof.figure.story import Content, Sent, Story
from ringproof.problem import ExpansionError


class NotTrueError(ImportError):
    """A schedule that is not filmed, for not every rank ends with the true sum."""


@dataclass(frozen=True, slots=True)
class Film:
    """``moves``: the sends of every step; ``sent``: after so many steps, buffers that each rank has sent."""

    story: Story
    moves: tuple[tuple[Sent, ...], ...]
    sent: tuple[tuple[Fraction, ...], ...]

    @property
    def ranks(self) -> int:
        return self.story.ranks

    @property
    def steps(self) -> int:
        return self.story.steps

    def phase(self, step: int) -> str:
        """The name of the phase that a step belongs to."""
        return next(stage.name for stage in self.story.stages if stage.start <= step < stage.stop)

    def content(self, done: int, rank: int, slot: int) -> Content:
        """What a slot holds when so many steps are done."""
        return self.story.content((done, rank, slot))

    def busiest(self, done: int) -> Fraction:
        """Buffers that the busiest rank has sent when so many steps are done."""
        return max(self.sent[done])


def film(path: str | Path, N: int) -> Film:
    """Read, prove, run and check a table at N ranks; errors: `NotTrueError` with the first finding."""
    try:
        story = proved(str(path), N).story
    except NotProvedError as error:
        titles = [finding.title for finding in error.report.findings if finding.severity == "error"]
        raise NotTrueError(f"{path} is not filmed: {'; '.join(titles[:1]) or 'it is undecided'}") from error
    except (CannotDrawError, ExpansionError) as error:
        raise NotTrueError(f"{path} is not filmed: {error}") from error
    true_sums(story)
    return Film(story, moves(story), sent(story))


def true_sums(story: Story) -> None:
    """Whether at the end every rank holds every rank's part of every chunk, once; errors: `NotTrueError`.

    It reads what the executed sends leave behind, and believes no proof.
    """
    for rank in range(story.ranks):
        for chunk in range(story.chunks):
            got = story.lineage.contents(int(story.held[story.steps, rank, chunk]))
            if got == Counter({(k, chunk): 1 for k in range(story.ranks)}):
                continue
            wrong = [str(k) for k in range(story.ranks) if got[k, chunk] != 1]
            why = f"not once in it: parts of ranks {', '.join(wrong)}" if wrong else "other parts are in it"
            place = f"chunk {chunk} on rank {rank}"
            raise NotTrueError(f"{story.schedule.name} is not filmed: {place} is not the true sum; {why}")


def moves(story: Story) -> tuple[tuple[Sent, ...], ...]:
    """The executed sends, step by step."""
    return tuple(tuple(s for s in story.sends if s.step == step) for step in range(story.steps))


def sent(story: Story) -> tuple[tuple[Fraction, ...], ...]:
    """Buffers that each rank has sent after so many steps; what stays on its rank is no traffic."""
    counts: Sequence[Fraction] = (Fraction(0),) * story.ranks
    made = [tuple(counts)]
    for step in moves(story):
        out = Counter(s.sender for s in step if s.sender != s.receiver)
        counts = [count + Fraction(out[rank], story.chunks) for rank, count in enumerate(counts)]
        made.append(tuple(counts))
    return tuple(made)
