"""Every code that a finding can carry: one flat catalogue.

What ``ringproof explain`` says of a rule lies in `explanations/`, one file a code; an example of the
table language is indented there by four blanks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Code:
    """A rule: its stable code, its name and one line about it."""

    code: str
    name: str
    summary: str

    @property
    def explanation(self) -> str:
        """The whole story, read only when somebody asks for it."""
        return (files("ringproof") / "explanations" / f"{self.code}.txt").read_text(encoding="utf-8")


def find(word: str) -> Code | None:
    """Find a rule by its code or its name, in any letter case."""
    word = word.strip().lower()
    return next((c for c in CODES.values() if word in (c.code.lower(), c.name)), None)


_ALL = (
    # ---- RP0xx: the file ----
    Code("RP001", "unreadable", "the file cannot be read"),
    Code("RP002", "not-utf-8", "the file is not UTF-8 text"),
    Code("RP003", "toml-syntax", "the file is not TOML"),
    Code("RP004", "no-tables", "the folder has no tables"),
    Code("RP005", "too-large", "the file, or a key in it, is larger than any table's"),
    Code("RP006", "more-errors", "there are more errors than a report lists"),
    # ---- RP1xx: the table ----
    Code("RP101", "unknown-key", "a key that no table has"),
    Code("RP102", "missing-key", "a key that a table must have"),
    Code("RP103", "wrong-type", "a value of the wrong TOML type"),
    Code("RP104", "unknown-word", "a collective, op, property or claim that is not known"),
    Code("RP105", "expression-syntax", "an expression that cannot be read"),
    Code("RP106", "unknown-name", "a name that nothing defines here"),
    Code("RP107", "call-not-allowed",
         "a call of something that is no helper, or with the wrong number of arguments"),
    Code("RP108", "wrong-kind", "an integer where a condition belongs, or the other way round"),
    Code("RP109", "name-cycle", "names that are defined by each other"),
    Code("RP110", "bad-name", "a name that may not be defined"),
    Code("RP111", "to-or-from", "a row with both `to` and `from`, or with neither"),
    Code("RP112", "bad-range", "a range that is malformed, empty or reversed"),
    Code("RP113", "too-large-expression", "an expression that is too long, too deep or too large"),
    Code("RP114", "not-allowed-here", "something of the table language in a place where it does not belong"),
    Code("RP115", "bad-waiver", "a property that cannot be waived"),
    Code("RP116", "bad-use", "a table that cannot be used here"),
    # ---- RP2xx: what happens, step by step ----
    Code("RP201", "undefined-value", "an expression without a value, in a row that sends"),
    Code("RP202", "out-of-range", "a rank, slot or step that does not exist"),
    Code("RP203", "conflict", "two writes into one slot in one step that do not agree"),
    Code("RP204", "bad-size", "a buffer, phase or root that makes no sense at some size"),
    Code("RP205", "too-much-memory", "a schedule too large to write out send by send"),
    Code("RP206", "reversed-range", "a range that ends more than one below its start"),
    Code("RP207", "idle-step", "a step in which nothing moves"),
    # ---- RP3xx: what it means ----
    Code("RP301", "incomplete", "at the end a slot does not hold what the collective promises"),
    Code("RP302", "counted-twice", "a contribution is added where it already is (property once)"),
    Code("RP303", "resend", "a chunk is sent twice (property no-resend)"),
    Code("RP304", "ensures", "after a phase its stated postcondition does not hold"),
    Code("RP305", "undefined-slot", "a slot that nothing has set is sent or added to (property defined)"),
    Code("RP306", "unused", "a value is sent and reaches no promised slot (property used)"),
    Code("RP307", "ports", "a rank has more partners in one step than it has ports"),
    Code("RP308", "order", "ranks add in different orders, so their results are not bit-identical"),
    Code("RP309", "swap", "a slot is overwritten in the step in which a message reads it (property no-swap)"),
    # ---- RP4xx: claims ----
    Code("RP401", "false-claim", "a claim differs from what the schedule does"),
    Code("RP402", "stale-waiver", "a waived property holds at every size"),
    Code("RP403", "not-optimal", "a table claims that no schedule does better, and one does"),
    # ---- RP5xx: verdicts ----
    Code("RP501", "undecided", "a property is neither proved nor refuted"),
    Code("RP502", "nothing-to-prove", "no size is left, so every statement would hold for want of a case"),
    Code("RP503", "engines-disagree", "replay and proof give different answers: a mistake in ringproof"),
    Code("RP504", "partial", "the check was narrowed, so it says less than the table claims"),
    Code("RP505", "wrong-beyond", "a table is right for all it claims, and wrong at some N beyond"),
    Code("RP506", "worker-died", "the process or machine that checked a file died, twice"),
    Code("RP507", "interrupted", "the check was interrupted before it came to the end of a file"),
    Code("RP508", "internal-error", "ringproof failed on a file: a mistake in ringproof, not in the file"),
    Code("RP509", "cluster-lost", "the cluster that checked was gone before it came to the end of a file"),
    Code("RP510", "not-applied", "an option is for the other kind of file, so this one is checked without"),
    # ---- RP6xx: programs ----
    Code("RP601", "xml-syntax", "a program's file is not XML, or is cut off"),
    Code("RP602", "document-type", "a program's file declares a document type or entities"),
    Code("RP603", "misplaced-element", "an element or text of a program stands where it does not belong"),
    Code("RP604", "missing-attribute", "an element of a program lacks an attribute that every runtime reads"),
    Code("RP605", "bad-attribute", "a value of a program that cannot be"),
    Code("RP606", "not-read", "an element or attribute of a program that no runtime reads"),
    Code("RP607", "numbering", "ids or step numbers of a program are double, missing or out of order"),
    Code("RP608", "no-such-peer", "a threadblock sends to or receives from a GPU that is not there"),
    Code("RP611", "out-of-bounds", "an operand reaches beyond its buffer"),
    Code("RP612", "shared-connection", "two threadblocks send, or receive, on one connection"),
    Code("RP613", "no-peer", "a step sends or receives in a threadblock that has no such peer"),
    Code("RP614", "unequal-count", "a message is received with another count than it was sent"),
    Code("RP615", "unmatched-message", "a connection has more sends than receives, or the other way round"),
    Code("RP616", "no-such-step", "a step waits for a step that does not exist"),
    Code("RP617", "never-raised", "a step waits for a flag that nothing raises"),
    Code("RP618", "deadlock", "every interleaving of the program hangs"),
    Code("RP619", "window", "the program hangs unless a connection holds more messages"),
    Code("RP621", "race", "two accesses to memory have no order, and the contents depend on it"),
    Code("RP622", "harmless-race", "two accesses to memory have no order, and all orders give the same"),
    Code("RP623", "unset-read", "a step reads memory that nothing has set"),
    Code("RP624", "wrong-result", "at the end a chunk does not hold what the collective promises"),
    Code("RP625", "input-overwritten", "out of place a step writes into the input"),
    Code("RP626", "useless-send", "nothing of a message reaches the result"),
    Code("RP627", "addition-order", "ranks add the same contributions in different orders"),
    Code("RP628", "nothing-promised", "the collective of the file promises no result that is known"),
    Code("RP631", "not-loadable", "a runtime refuses to load the program"),
)

PROPERTIES: Mapping[str, str] = MappingProxyType({  # property -> the code of what refutes it
    "in-range": "RP202", "conflict-free": "RP203", "defined": "RP305", "complete": "RP301",
    "once": "RP302", "no-resend": "RP303", "ensures": "RP304", "used": "RP306", "ports": "RP307",
    "order": "RP308", "no-swap": "RP309", "claims": "RP401", "optimal": "RP403",
})  # fmt: skip
PROGRAM_PROPERTIES: Mapping[str, str] = MappingProxyType({
    "in-range": "RP611", "connected": "RP612", "matched": "RP615", "raised": "RP617",
    "deadlock-free": "RP618", "race-free": "RP621", "defined": "RP623", "complete": "RP624",
    "loads": "RP631",
})  # fmt: skip
CODES: Mapping[str, Code] = MappingProxyType({code.code: code for code in _ALL})
