"""What is wrong with a program before any of it runs, and where it hangs."""

from __future__ import annotations

from collections.abc import Sequence

from ringproof.program.decide import Decided
from ringproof.program.execute import Wait
from ringproof.program.places import Places
from ringproof.program.steps import NEVER, Connection, Steps
from ringproof.verdict import Finding, Label, Severity
from ringproof.wording import count_text

MOST_SHOWN = 3
_WAITS = 12


class Words:
    """Findings about one program; ``places`` knows where its elements stand."""

    def __init__(self, decided: Decided, places: Places) -> None:
        self.decided, self.steps, self.places = decided, decided.steps, places

    def label(self, x: int, text: str = "", attribute: str = "") -> Label:
        """A step in the file, said in words."""
        name = self.steps.name(x)
        return self.places.label(self.steps.steps[x].at, attribute or "type", f"{name} {text}".strip())

    def block(self, tb: int, text: str, attribute: str) -> Label:
        """A threadblock in the file."""
        return self.places.label(self.steps.tbs[tb].at, attribute, text)

    def many(self, xs: Sequence[int], text: str, attribute: str = "") -> tuple[Label, ...]:
        """The steps after the first, as far as they are shown."""
        return tuple(self.label(x, text, attribute) for x in xs[1 : 1 + MOST_SHOWN])

    def tb(self, tb: int) -> str:
        """A threadblock in words."""
        return f"GPU {self.steps.rank_of[tb]}, threadblock {self.steps.tbs[tb].id}"


def connection_text(c: Connection) -> str:
    """A connection in words."""
    return f"from GPU {c.sender} to GPU {c.receiver} on channel {c.chan}"


def out_of_bounds(w: Words) -> Finding:
    """An operand that reaches beyond its buffer."""
    found = w.decided.shape.outside
    first = found[0]
    step = w.steps.steps[first.step]
    buffer, offset = (step.srcbuf, step.srcoff) if first.side == "src" else (step.dstbuf, step.dstoff)
    used = "reads" if first.side == "src" else "adds to" if step.op == "re" else "writes"
    has = f"GPU {w.steps.rank(first.step)} has {first.chunks} of `{buffer}`"
    what = f"{used} {_span(buffer, offset, step.cnt)}; {has}"
    title = f"{count_text(len(found), 'operand lies', 'operands lie')} outside {_their(len(found))} buffer"
    others = tuple(w.label(one.step, "too", f"{one.side}off") for one in found[1 : 1 + MOST_SHOWN])
    return Finding(
        "RP611", title, primary=w.label(first.step, what, f"{first.side}off"), related=others,
        helps=("offset + cnt must not exceed i_chunks, o_chunks or s_chunks of the GPU",),
        details={"count": len(found), "step": w.steps.name(first.step)},
    )  # fmt: skip


def _their(count: int) -> str:
    return "its" if count == 1 else "their"


def _span(buffer: str, offset: int, count: int) -> str:
    if count == 1:
        return f"{buffer}[{offset}]"
    return f"{buffer}[{offset}..{offset + count - 1}]"


def no_peer(w: Words) -> Finding:
    """A step that sends or receives in a threadblock that has nobody to send to or receive from."""
    found = w.decided.shape.alone
    x = found[0]
    side = "send" if w.steps.out[x] == NEVER else "recv"
    verb = "sends to" if side == "send" else "receives from"
    verb = f"{verb} a peer, and its threadblock has none"
    block = w.block(w.steps.tb_of[x], f"`{side}` is -1", side)
    title = f"{count_text(len(found), 'step has', 'steps have')} no peer"
    return Finding("RP613", title, primary=w.label(x, verb), related=(block, *w.many(found, "too")),
                   details={"count": len(found), "step": w.steps.name(x)})  # fmt: skip


def shared_connection(w: Words) -> Finding:
    """Two threadblocks on one side of a connection."""
    found = w.decided.shape.shared
    c = found[0]
    side, tbs = ("send", c.senders) if len(c.senders) > 1 else ("recv", c.receivers)
    verb = "sends" if side == "send" else "receives"
    first, second = tbs[0], tbs[1]
    count = count_text(len(found), "connection is", "connections are")
    title = f"{count} used by several threadblocks on one side"
    return Finding(
        "RP612", title, primary=w.block(second, f"{w.tb(second)} {verb} {connection_text(c)} too", side),
        related=(w.block(first, f"{w.tb(first)} {verb} {connection_text(c)}", side),),
        notes=("a connection is one FIFO; with two on a side nothing says whose message is whose",),
        helps=("give one of them a channel of its own (`chan`)",),
        details={"count": len(found), "sender": c.sender, "receiver": c.receiver, "chan": c.chan},
    )  # fmt: skip


def unequal_counts(w: Words) -> Finding:
    """A message received with another count than it was sent."""
    found = w.decided.shape.unequal
    one = found[0]
    sent, taken = (w.steps.steps[x].cnt for x in (one.send, one.receive))
    title = f"{count_text(len(found), 'message is', 'messages are')} received with another count than sent"
    return Finding(
        "RP614", title, primary=w.label(one.receive, f"receives {count_text(taken, 'chunk')}", "cnt"),
        related=(w.label(one.send, f"sends {count_text(sent, 'chunk')}", "cnt"),),
        details={"count": len(found), "sent": sent, "received": taken},
    )  # fmt: skip


def uneven(w: Words) -> Finding:
    """A connection on which not as much is received as is sent."""
    found = w.decided.shape.uneven
    c = found[0]
    sends, receives = len(c.sends), len(c.receives)
    title = f"{count_text(len(found), 'connection has', 'connections have')} messages without a partner"
    if sends > receives:
        x = c.sends[receives] if not c.shared else c.sends[-1]
        primary = w.label(x, "sends a message that nobody receives")
    else:
        x = c.receives[sends] if not c.shared else c.receives[-1]
        primary = w.label(x, "waits for a message that nobody sends")
    note = f"{connection_text(c)}: {count_text(sends, 'send')}, {count_text(receives, 'receive')}"
    return Finding("RP615", title, primary=primary, notes=(note,),
                   details={"count": len(found), "sends": sends, "receives": receives})  # fmt: skip


def absent_step(w: Words) -> Finding:
    """A dependence on a step that is not there."""
    found = w.decided.shape.absent
    x = found[0]
    step = w.steps.steps[x]
    blocks = [tb for tb in range(len(w.steps.tbs)) if w.steps.rank_of[tb] == w.steps.rank(x)]
    if step.depid >= len(blocks):
        why, on = f"waits for threadblock {step.depid}; its GPU has {len(blocks)}", "depid"
    else:
        count = len(w.steps.tbs[blocks[step.depid]].steps)
        why, on = f"waits for step {step.deps} of threadblock {step.depid}, which has {count}", "deps"
    title = f"{count_text(len(found), 'step waits', 'steps wait')} for a step that does not exist"
    return Finding("RP616", title, primary=w.label(x, why, on), related=w.many(found, "too", on),
                   details={"count": len(found), "step": w.steps.name(x)})  # fmt: skip


def never_raised(w: Words) -> Finding:
    """A dependence on a flag that no step ever raises."""
    found = w.decided.shape.unraised
    x = found[0]
    step, rank = w.steps.steps[x], w.steps.rank(x)
    target = w.steps.first[w.steps.rank_of.index(rank) + step.depid] + step.deps
    title = f"{count_text(len(found), 'step waits', 'steps wait')} for a flag that nothing raises"
    return Finding(
        "RP617", title,
        primary=w.label(x, f"waits for step {step.deps} of threadblock {step.depid}", "deps"),
        related=(w.label(target, "does not raise its flag, nor does a later step there", "hasdep"),),
        helps=('set hasdep="1" on the step that is waited for',),
        details={"count": len(found), "step": w.steps.name(x)},
    )  # fmt: skip


def hangs(w: Words, window: int) -> Finding:
    """The cycle of waits, or the wait for something that never comes."""
    chain, cycle = chain_of(w.steps, w.decided.waits)
    first = chain[0]
    stuck = count_text(len(w.decided.waits), "threadblock waits", "threadblocks wait")
    how = "in a circle" if cycle else "for what never comes"
    severity: Severity = "error"
    title = f"every interleaving hangs: {stuck} for ever, {how}"
    code, helps = "RP618", ("let one step of the circle come earlier, a send before a receive that needs it",)
    if w.decided.window is not None:
        code, severity = "RP619", "warning"
        title = f"it hangs with {count_text(window, 'message')} in flight on a connection: {stuck}, {how}"
        helps = (f"it needs room for {w.decided.window}; the Simple protocol has room for 2",)
    told = [_wait_text(w, wait) for wait in chain[:_WAITS]]
    if len(chain) > _WAITS:
        told.append(f"... and {len(chain) - _WAITS} more")
    return Finding(
        code, title, severity, w.label(first.step, _short(w, first)),
        tuple(w.label(wait.step, _short(w, wait)) for wait in chain[1 : 1 + MOST_SHOWN]),
        ("\n".join([f"each waits for the next{', and the last for the first' if cycle else ''}", *told]),),
        helps if cycle else (),
        {"stuck": len(w.decided.waits), "cycle": [w.steps.name(wait.step) for wait in chain if cycle]},
    )  # fmt: skip


def cause(w: Words, known: Sequence[Finding]) -> Finding | None:
    """The finding that says already why it hangs: something that is waited for can never come."""
    chain, cycle = chain_of(w.steps, w.decided.waits)
    codes = {"peer": ("RP613",), "flag": ("RP616", "RP617"), "message": ("RP615",), "slot": ("RP615",)}
    why = () if cycle else codes[chain[0].kind]
    return next((finding for finding in known if finding.code in why), None)


def chain_of(steps: Steps, waiting: Sequence[Wait]) -> tuple[list[Wait], bool]:
    """The waits that lead to the cause, which comes first, and whether they close to a circle."""
    by_tb = {steps.tb_of[wait.step]: wait for wait in waiting}
    ends: list[Wait] = []
    for start in by_tb:
        path: list[int] = []
        tb = start
        while tb in by_tb and tb not in path:
            path.append(tb)
            tb = by_tb[tb].on
        if tb in path:
            return [by_tb[t] for t in path[path.index(tb) :]], True
        ends = ends or [by_tb[t] for t in path[::-1]]
    return ends, False


def _short(w: Words, wait: Wait) -> str:
    c = w.steps.connections[w.steps.into[wait.step] if wait.kind == "message" else w.steps.out[wait.step]] \
        if wait.kind in ("message", "slot") else None  # fmt: skip
    if wait.kind == "message" and c:
        return f"waits for a message from GPU {c.sender}"
    if wait.kind == "slot" and c:
        return f"waits for GPU {c.receiver} to receive"
    step = w.steps.steps[wait.step]
    if wait.kind == "flag":
        return f"waits for step {step.deps} of threadblock {step.depid}"
    return "waits for a peer that it has not"


def _wait_text(w: Words, wait: Wait) -> str:
    op = w.steps.steps[wait.step].op
    return f"  {w.steps.name(wait.step)} ({op}) {_short(w, wait)}"
