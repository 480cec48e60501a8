"""Everything that is not a refuted property -> findings: bad sizes, claims, warnings, notes."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from ringproof.cost.best import Best
from ringproof.problem import Problem
from ringproof.table.integers import TOO_LARGE, TOO_MANY
from ringproof.table.schedule import Claim, Schedule
from ringproof.verdict import Finding, Label, Place, Route, Size
from ringproof.wording import bytes_text, count_text, join_text, sizes_text

_NOT_YET = {"chunks": "a buffer has at least 1 chunk", "steps": "a phase has 0 or more steps",
            "scratch": "there are 0 or more scratch slots"}  # fmt: skip


def problem(found: Problem) -> Finding:
    """The finding for a table that cannot be unrolled at one size."""
    if found.kind == "memory":
        return _memory(found)
    if found.kind == "undefined":
        return _undefined(found)
    if found.kind == "composition":
        return _composition(found)
    return _bad_size(found)


def _composition(found: Problem) -> Finding:
    """A used table that does not fit its groups or its chunks."""
    facts, size = found.facts, found.size
    if "claims" in facts:
        title = f"the used table claims N = {facts['claims']}; a group at {size} makes it {facts['size']}"
    elif "param" in facts:
        title = f"the used table has no {facts['param']} = {facts['value']}, at {size}"
    elif "place" in facts:
        title = (f"rank {facts['rank']} is member {facts['place']} of group {facts['group']} at {size}; "
                 f"member {facts['expected']} comes next")  # fmt: skip
    elif "uneven" in facts:
        few, many = facts["uneven"]
        title = f"a chunk of the used table stands for {few} slots and another for {many}, at {size}"
    elif "slot" in facts:
        title = (f"chunk {facts['c']} of the used table stands for slot {facts['slot']} at {size}; "
                 f"there are chunks 0..{facts['chunks'] - 1}")  # fmt: skip
    elif "scratch" in facts:
        title = f"the used table needs {facts['scratch']} scratch slots at {size}; there are {facts['own']}"
    else:
        title = f"two chunks of the used table stand for one slot at {size}"
    helps = ("the members of a group are numbered 0, 1, 2, ...",) if "place" in facts else ()
    return Finding("RP116", title, primary=Label(Place(found.route)), helps=helps,
                   details={"N": size.N, "params": dict(size.params), **facts})  # fmt: skip


def _undefined(found: Problem) -> Finding:
    start, end = found.part or (None, None)
    facts = found.facts
    cell = [f"{name} = {value}" for name, value in facts.items() if name not in ("r", "s")]
    where = [str(found.size)]
    where += [f"{word} {key} = {facts[key]}" for key, word in (("r", "rank"), ("s", "step")) if key in facts]
    large = TOO_LARGE in found.reason or TOO_MANY in found.reason
    code = "RP113" if large else "RP201"
    place = Place(found.route, start, end)
    title = f"{found.reason}, at {', '.join([*where, *cell])}"
    title = f"at {found.size}, {found.reason}" if TOO_MANY in found.reason else title
    label = "" if TOO_MANY in found.reason else found.reason
    details = {"N": found.size.N, "params": dict(found.size.params), **facts}
    return Finding(code, title, primary=Label(place, label), helps=(_way_out(found),), details=details)


def _way_out(found: Problem) -> str:
    """What to do about a value that does not exist, by where it is needed."""
    if TOO_MANY in found.reason:
        return "give the params fewer values"
    if TOO_LARGE in found.reason:
        return "values lie between -2**62 and 2**62, at every step of an expression"
    if "negative number" in found.reason and found.reason.startswith(("division", "modulo")):
        return "a divisor is 1 or more; for a case that cannot be, use `... if ... else ...`"
    if "s" in found.facts:
        return "guard the row with `when`, or the value with `... if ... else ...`"
    if found.route[-1:] == ("where",):
        return "let an earlier condition decide, as in `N > 3 and ...`"
    return "give it a value at every size, with `... if ... else ...`, or leave sizes out with `where`"


def _bad_size(found: Problem) -> Finding:
    facts, what = found.facts, str(found.route[-1]) if found.route else ""
    size = str(found.size)
    if "multiple" in facts:
        title = f"all-to-all needs as many chunks for every rank: {facts['multiple']} chunks at {size}"
        helps: tuple[str, ...] = ("make `chunks` a multiple of N",)
    elif "root" in facts:
        title = f"the root is rank {facts['root']} at {size}; there are 0..{found.size.N - 1}"
        helps = ("ranks count from 0",)
    elif "owner" in facts:
        title = (f"the owner of chunk {facts['c']} is rank {facts['owner']} at {size}; "
                 f"there are 0..{found.size.N - 1}")  # fmt: skip
        helps = ("ranks count from 0",)
    elif what == "step":
        steps = count_text(facts["steps"], "step")
        title = f"there is no step {facts['value']}: its phase has {steps}"
        helps = ("steps count from 0",)
    else:
        title = f"`{what}` is {facts['value']} at {size}"
        helps = (_NOT_YET[what],) if what in _NOT_YET else ()
    return Finding("RP204", title, primary=Label(Place(found.route)), helps=helps,
                   details={"N": found.size.N, **facts})  # fmt: skip


def _memory(found: Problem) -> Finding:
    need, have = (bytes_text(float(found.facts[k])) for k in ("need", "memory"))
    title = f"replay at {found.size} needs about {need} of memory; the limit is {have}"
    helps = ("narrow the sizes with -N, or raise the limit with --memory",)
    place = Label(Place(found.route or ("ranks",)))
    return Finding("RP205", title, primary=place, helps=helps, details={"N": found.size.N})


def out_of_memory(have: float) -> Finding:
    """A replay for which the machine has less memory than it was allowed."""
    title = f"the machine ran out of memory, below the limit of {bytes_text(have)}"
    helps = ("narrow the sizes with -N, or check fewer tables at once with -j 1",)
    return Finding("RP205", title, primary=Label(Place(("ranks",))), helps=helps)


def false_claim(
    claim: Claim, size: Size, claimed: Fraction, counted: Fraction, wrong: int, asked: int
) -> Finding:
    """A claimed count that the send log does not confirm."""
    sizes = "size" if asked == 1 else f"{wrong} of {asked} sizes; smallest {size}"
    where = f"at {size}" if asked == 1 else f"for {sizes}"
    words = {"==": "claimed", "<=": "claimed at most", ">=": "claimed at least",
             "<": "claimed below", ">": "claimed above"}  # fmt: skip
    label = f"{words[claim.relation]} {claimed} at {size}; the send log counts {counted}"
    title = f"the claim `{claim.what}` is false {where}"
    details = {"property": "claims", "claim": claim.what, "N": size.N, "params": dict(size.params),
               "claimed": str(claimed), "counted": str(counted)}  # fmt: skip
    return Finding("RP401", title, primary=Label(Place(claim.route), label), details=details)


def not_optimal(schedule: Schedule, size: Size, best: Best, fewest: int) -> Finding:
    """A table that claims to be optimal, and a schedule that is better."""
    ports, message = count_text(best.ports, "partner"), count_text(best.message, "chunk")
    title = f"not optimal at {size}: {fewest} steps are enough, the send log counts {best.counted}"
    label = f"Z3 finds a schedule with {ports} a step and {message} a message that takes {fewest}"
    chunks = schedule.environment(size).integer(schedule.chunks)
    command = (f"ringproof bound --collective {schedule.promise.collective} -N {size.N} "
               f"--chunks {chunks} --ports {best.ports} --message-chunks {best.message}")  # fmt: skip
    details = {"property": "optimal", "N": size.N, "params": dict(size.params),
               "counted": str(best.counted), "fewest": fewest}  # fmt: skip
    place = Label(Place(("optimal",)), label)
    return Finding("RP403", title, primary=place, helps=(f"{command}   shows one",), details=details)


def reversed_range(route: Route, size: Size, lo: int, hi: int) -> Finding:
    """A range that runs backwards; `hi = lo - 1` is the usual empty range and is not reported."""
    title = f"the range {lo}..{hi} runs backwards at {size}, and is empty"
    helps = ("an empty range is written `lo..lo - 1`; was another bound meant?",)
    return Finding("RP206", title, "warning", Label(Place(route)), helps=helps)


def idle_step(route: Route, size: Size, step: int) -> Finding:
    """A step in which nothing moves."""
    title = f"nothing moves in step {step} at {size}"
    return Finding("RP207", title, "note", Label(Place(route, on="key")))


def stale_waiver(index: int, name: str) -> Finding:
    """A waiver that nothing needs."""
    title = f"`{name}` is waived, and holds for every size that was checked"
    helps = ("remove it from `waive`",)
    return Finding("RP402", title, "warning", Label(Place(("waive", index))), helps=helps)


def partial(claimed: str, sizes: str) -> Finding:
    """Not the whole claim was checked."""
    title = f"partial: the table claims {claimed}; checked for {sizes}"
    return Finding("RP504", title, "note")


def nothing(claimed: str, why: str) -> Finding:
    """A check that had nothing to check."""
    return Finding("RP502", f"nothing to prove: {why}", "warning", Label(Place(("ranks",))),
                   notes=(f"the table claims {claimed}",))  # fmt: skip


def undecided(name: str, reason: str, sizes: tuple[Size, ...]) -> Finding:
    """A property that the solver could not decide."""
    title = f"{name} is undecided for {sizes_text(sizes)}: {reason}"
    helps = ("give Z3 more time with --timeout SECONDS",)
    return Finding("RP501", title, "warning", helps=helps, details={"property": name})


def wrong_beyond(size: Size, names: tuple[str, ...]) -> Finding:
    """A table that is right for all it claims, and not for every N."""
    title = f"right for all it claims; not for every N: first wrong at {size} ({join_text(names)})"
    details = {"N": size.N, "params": dict(size.params), "size": str(size), "properties": list(names)}
    return Finding("RP505", title, "note", Label(Place(("ranks",))), details=details)


def undecided_every_n(sizes: str, reasons: tuple[tuple[str, str], ...]) -> Finding:
    """A proof for every N that was asked for and is not there."""
    same = {reason for _, reason in reasons}
    what = "every property" if len(same) == 1 and len(reasons) > 1 else join_text([n for n, _ in reasons])
    title = f"undecided for {sizes}: {what}"
    notes = tuple(dict.fromkeys(reason for _, reason in reasons))
    return Finding("RP501", title, "warning", notes=notes,
                   helps=("what is proved for the claim stands",))  # fmt: skip


def disagreement(what: str, details: Mapping[str, object]) -> Finding:
    """The two engines differ: a bug in ringproof."""
    title = "internal error: replay and Z3 disagree, so nothing is claimed of this table"
    helps = ("this is a bug in ringproof, not in the table: please report it with the table",)
    return Finding("RP503", title, "error", None, (), (what,), helps, details)
