"""What a step does, in sentences and short lists: read aloud, and read where scripts are off."""

from __future__ import annotations

from collections.abc import Sequence

from ringproof.figure.story import Content, Message, Sent, Story

_OPS = {frozenset({True}): "receivers add", frozenset({False}): "receivers overwrite",
        frozenset({True, False}): "receivers add or overwrite"}  # fmt: skip


def counted(number: int, noun: str) -> str:
    """``1 step``, ``2 steps``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def listed(names: Sequence[str]) -> str:
    """``a, b and c``."""
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def moving(story: Story, step: int) -> str:
    """One sentence about a step."""
    here = [message for message in story.messages() if message.key[0] == step]
    across = [message for message in here if message.key[1] != message.key[2]]
    local = sum(len(m.sends) for m in here if m.key[1] == m.key[2])
    said = [_across(story, across)] if across else []
    if local:
        said.append(f"{counted(local, 'slot')} moved within a rank, without a message")
    return f"{'; '.join(said) or 'Nothing moves'}."


def _across(story: Story, messages: Sequence[Message]) -> str:
    """Who sends how much, and what the receivers do."""
    senders = {message.key[1] for message in messages}
    sizes = {len(message.sends) for message in messages}
    what = counted(sum(len(message.sends) for message in messages), "chunk")
    if len(senders) == 1:
        who = f"Rank {min(senders)} sends"
    else:
        who = "Every rank sends" if len(senders) == story.ranks else f"{len(senders)} ranks send"
    even = len(messages) % len(senders) == 0 and len({_from(messages, rank) for rank in senders}) == 1
    if len(sizes) == 1 and even:
        each = counted(len(messages) // len(senders), "message")
        what = f"{each} of {counted(min(sizes), 'chunk')}"
        what += " each" if len(senders) > 1 and len(senders) < story.ranks else ""
    else:
        what = f"{counted(len(messages), 'message')}, {what} in all"
        who = who.replace("Every rank sends", "The ranks send")
    return f"{who} {what}; {_OPS[frozenset(message.reduce for message in messages)]}"


def _from(messages: Sequence[Message], rank: int) -> int:
    return sum(message.key[1] == rank for message in messages)


def ending(story: Story, right: int, promised: int) -> str:
    """One sentence about what is there when all steps are done."""
    if right == promised:
        what = f"{'The one' if promised == 1 else 'All'} {counted(promised, 'promised slot')}"
        verb = "holds" if promised == 1 else "hold"
        return f"{what} {verb} exactly what {story.schedule.promise.collective} promises."
    return f"{right} of {counted(promised, 'promised slot')} hold what is promised."


def phase_of(story: Story, step: int) -> str:
    """The name of the phase that a step belongs to."""
    return next((stage.name for stage in story.stages if stage.start <= step < stage.stop), "")


def sends(story: Story, step: int) -> list[str]:
    """Every message of a step, each as a few words."""
    return [_message(story, message) for message in story.messages() if message.key[0] == step]


def _message(story: Story, message: Message) -> str:
    _, sender, receiver = message.key
    slots = listed(_runs(story, message.sends))
    way = f"{sender} to {receiver}" if sender != receiver else f"within {sender}"
    return f"{way}: {slots} {'added' if message.reduce else 'copied'}"


def _runs(story: Story, sends: Sequence[Sent]) -> list[str]:
    """Slots by name, from three on in a row as `c4 to c7`."""
    runs: list[list[Sent]] = []
    for send in sends:
        if runs and _follows(runs[-1][-1], send, story.chunks):
            runs[-1].append(send)
        else:
            runs.append([send])
    said = []
    for run in runs:
        if len(run) > 2:
            said.append(f"{story.slot_name(run[0].chunk)} to {story.slot_name(run[-1].chunk)}")
        else:
            said += [_slot(story, send) for send in run]
    return said


def _follows(last: Sent, send: Sent, chunks: int) -> bool:
    stays = send.chunk == send.into and last.chunk == last.into
    return stays and send.chunk == last.chunk + 1 and send.chunk != chunks


def _slot(story: Story, send: Sent) -> str:
    name = story.slot_name(send.chunk)
    return name if send.chunk == send.into else f"{name} into {story.slot_name(send.into)}"


def holding(story: Story, content: Content) -> str:
    """What a slot holds, in words."""
    if content.empty:
        return "nothing yet"
    if content.whole:
        return full(story)
    ranks = [str(rank) for rank, times in enumerate(content.counts) if times]
    twice = [f"; the part of rank {rank} is in it {times} times"
             for rank, times in enumerate(content.counts) if times > 1]  # fmt: skip
    return f"{'part of rank' if len(ranks) == 1 else 'parts of ranks'} {listed(ranks)}{''.join(twice)}"


def full(story: Story) -> str:
    """What a solid cell holds."""
    if story.parts > 1:
        return "the finished sum"
    return "the whole chunk" if story.uniform else "all that is promised"
