"""The reference interpreter: the table language read literally, slowly and on its own.

It shares no code with ringproof, only the design; the tests hold both engines against it.
"""

from __future__ import annotations

import ast
import operator
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")
Values = dict[str, Any]
State = dict[
    tuple[int, int], Counter[tuple[int, int]]
]  # (rank, slot) -> how often contribution (k, c) is in it

LARGEST_EXPONENT = 4096


class TableError(Exception):
    """The table, or this size of it, is not in the language."""


class UnknownName(TableError):
    """An expression uses a name that has no value here, or not yet."""


class UndefinedValue(TableError):
    """An expression has no value: a division by zero, a negative shift, the log of 0."""


class Send(NamedTuple):
    """One chunk on its way in one step of a phase; sender == receiver is a local move."""

    step: int
    sender: int
    receiver: int
    chunk: int
    into: int
    op: str


def load(path: Path) -> Values:
    """The plain values of a table file."""
    return tomllib.loads(path.read_text(encoding="utf-8"))


# --- expressions -------------------------------------------------------------------------------


def expect(value: Any, kind: type[T]) -> T:
    """The value itself, if it is of just this type: True is not an int."""
    if type(value) is not kind:
        raise TableError(f"expected {kind.__name__}, got {value!r}")
    expected: T = value
    return expected


def number(value: Any) -> Any:
    return value if type(value) is Fraction else expect(value, int)


def defined(condition: bool, what: str) -> None:
    if not condition:
        raise UndefinedValue(what)


def log_exponents(x: int, base: int) -> range:
    defined(x >= 1 and base >= 2, f"log({x}, {base})")
    return range(x.bit_length() + 1)


def power_of_two(exponent: int) -> int:
    defined(0 <= exponent <= LARGEST_EXPONENT, f"exponent {exponent}")
    return 1 << exponent


def reverse(x: int, bits: int) -> int:
    defined(0 <= x < power_of_two(bits), f"reverse({x}, {bits})")
    return sum(1 << (bits - 1 - i) for i in range(bits) if x >> i & 1)


def divisors(x: int) -> list[int]:
    defined(x >= 1, f"divisors({x})")
    return [d for d in range(1, x + 1) if x % d == 0]


def log(x: int, base: int) -> int:
    return max(e for e in log_exponents(x, base) if base**e <= x)


def ceil_log(x: int, base: int) -> int:
    return min(e for e in log_exponents(x, base) if base**e >= x)


HELPERS: dict[str, Callable[..., Any]] = {
    "min": lambda *xs: min(xs), "max": lambda *xs: max(xs), "abs": abs,
    "log2": lambda x: log(x, 2), "ceil_log2": lambda x: ceil_log(x, 2),
    "log": log, "ceil_log": ceil_log, "is_pow2": lambda x: x > 0 and x & (x - 1) == 0,
    "bit": lambda x, i: x // power_of_two(i) % 2, "flip": lambda x, i: x ^ power_of_two(i),
    "lowbit": lambda x: x & -x, "reverse": reverse, "divisors": divisors,
}  # fmt: skip
COMPARISONS: dict[type, Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt,
    ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
}  # fmt: skip
ARITHMETIC: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow,
    ast.BitAnd: operator.and_, ast.BitOr: operator.or_, ast.BitXor: operator.xor,
    ast.LShift: operator.lshift, ast.RShift: operator.rshift, ast.Div: Fraction,
}  # fmt: skip
SIGNS: dict[type, Callable[[Any], Any]] = {
    ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert,
}  # fmt: skip


@cache
def parse(text: str, where: str) -> ast.expr:
    """The tree of an expression; `/` is for claims only."""
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except SyntaxError as error:
        raise TableError(f"cannot read {text!r}") from error
    if where != "claims" and any(isinstance(node, ast.Div) for node in ast.walk(tree)):
        raise TableError(f"`/` outside claims: {text!r}")
    return tree


def evaluate(node: ast.expr, names: Names) -> Any:
    """The value of a tree: an int, a bool, a list of divisors, or (in claims) a Fraction."""

    def number_of(part: ast.expr) -> Any:
        return number(evaluate(part, names))

    def truth(part: ast.expr) -> bool:
        return expect(evaluate(part, names), bool)

    match node:
        case ast.Constant(value=value):
            return expect(value, int)
        case ast.Name(id=name):
            return names[name]
        case ast.BoolOp(op=ast.And(), values=parts):
            return all(truth(part) for part in parts)
        case ast.BoolOp(op=ast.Or(), values=parts):
            return any(truth(part) for part in parts)
        case ast.UnaryOp(op=ast.Not(), operand=part):
            return not truth(part)
        case ast.UnaryOp(op=op, operand=part):
            return SIGNS[type(op)](number_of(part))
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return evaluate(body if truth(test) else orelse, names)
        case ast.Compare(left=first, ops=ops, comparators=others) if {*map(type, ops)} <= {
            *COMPARISONS
        }:
            left = number_of(first)
            for sign, other in zip(ops, others, strict=True):
                right = number_of(other)
                if not COMPARISONS[type(sign)](left, right):
                    return False
                left = right
            return True
        case ast.BinOp(left=one, op=op, right=other) if type(op) in ARITHMETIC:
            left, right = number_of(one), number_of(other)
            if isinstance(op, ast.FloorDiv | ast.Mod):
                defined(right > 0, f"divisor {right}")
            elif isinstance(op, ast.Div):
                defined(right != 0, "division by zero")
            elif isinstance(op, ast.Pow | ast.LShift | ast.RShift):
                defined(0 <= expect(right, int) <= LARGEST_EXPONENT, f"exponent {right}")
            return ARITHMETIC[type(op)](left, right)
        case ast.Call(func=ast.Name(id=name), args=parts, keywords=[]) if name in HELPERS:
            return HELPERS[name](*(number_of(part) for part in parts))
    raise TableError(f"not in the language: {ast.unparse(node)}")


class Names:
    """Names in scope: given values, and texts that are evaluated when first asked for."""

    def __init__(self, values: Values, texts: Values) -> None:
        self.values, self.texts, self.open = dict(values), texts, set[str]()

    def __getitem__(self, name: str) -> Any:
        if name not in self.values:
            if name not in self.texts:
                raise UnknownName(name)
            if name in self.open:
                raise TableError(f"{name} is defined by itself")
            self.open.add(name)
            try:
                self.values[name] = self.read(self.texts[name])
            finally:
                self.open.discard(name)
        return self.values[name]

    def read(self, value: Any, where: str = "row") -> Any:
        """The value of a table entry: a TOML integer or boolean as it stands, a text evaluated."""
        if not isinstance(value, str):
            return value
        try:
            return evaluate(parse(value, where), self)
        except (TypeError, ValueError, AttributeError, KeyError) as error:
            raise TableError(f"wrong arguments or operator in {value!r}") from error

    def integer(self, value: Any) -> int:
        return expect(self.read(value), int)

    def truth(self, value: Any) -> bool:
        return expect(self.read(value), bool)

    def several(self, value: Any) -> list[int]:
        """The values of a range `lo..hi`, of a list, or of an expression (divisors)."""
        if isinstance(value, str) and ".." in value:
            low, high = (self.integer(end) for end in value.split(".."))
            return list(range(low, high + 1))
        found = [self.read(one) for one in value] if isinstance(value, list) else self.read(value)
        return [expect(one, int) for one in (found if isinstance(found, list) else [found])]


def assignments(variables: Values, values: Values, texts: Values) -> Iterator[Values]:
    """Every combination of the variables' values; a range may use other variables, in any order."""
    if not variables:
        yield values
        return
    problem: TableError | None = None
    for variable, options in variables.items():
        try:
            found = Names(values, texts).several(options)
        except (UnknownName, UndefinedValue) as error:
            problem = error
            continue
        rest = {name: other for name, other in variables.items() if name != variable}
        for value in found:
            yield from assignments(rest, {**values, variable: value}, texts)
        return
    raise problem if problem else TableError("no variables")


# --- from a table to sends ---------------------------------------------------------------------


class Table:
    """A table at one size: its numbers, and for each phase its number of steps and its sends."""

    def __init__(self, values: Values, N: int, params: Values) -> None:
        self.values, self.N, self.given = values, N, {"N": N, **params}
        self.texts = {"root": 0, **values.get("let", {})}
        self.texts |= {key: values[key] for key in ("root", "chunks") if key in values}
        names = Names(self.given, self.texts)
        self.chunks, self.root = names.integer("chunks"), names.integer("root")
        self.slots = self.chunks + names.integer(values.get("scratch", 0))
        if self.chunks < 1 or self.slots < self.chunks or not 0 <= self.root < N:
            raise TableError("chunks, scratch or root out of range")
        self.phases = [self.sends(phase) for phase in values.get("phase", [])]

    def sends(self, phase: Values) -> tuple[int, list[Send]]:
        texts = {**self.texts, **phase.get("let", {})}
        sends = [
            Send(x["step"], x["from"], x["to"], x["chunk"], x.get("into", x["chunk"]), x["op"])
            for x in phase.get("sends", [])
        ]
        if "send" in phase and "steps" not in phase:
            raise TableError("a phase with rows needs its number of steps")
        listed = max((send.step for send in sends), default=-1) + 1
        steps = Names(self.given, texts).integer(phase.get("steps", listed))
        if steps < 0:
            raise TableError(f"{steps} steps")
        for s in range(steps):
            for row in phase.get("send", []):
                for r in range(self.N):
                    sends += row_sends(row, {**self.given, "r": r, "s": s}, texts)
        return steps, sends


def row_sends(row: Values, values: Values, texts: Values) -> Iterator[Send]:
    """What a row sends for one rank r and one step s."""
    if ("to" in row) == ("from" in row) or row["op"] not in ("reduce", "copy"):
        raise TableError("a row needs `to` or `from`, and the op reduce or copy")
    texts, when = {**texts, **row.get("let", {})}, row.get("when", True)
    try:
        if not Names(values, texts).truth(when):
            return
    except (UnknownName, UndefinedValue):
        pass  # it depends on the `for` variables: ask again for each of their values
    for bound in assignments(row.get("for", {}), values, texts):
        names = Names(bound, texts)
        if names.truth(when):
            other = names.integer(row["to"] if "to" in row else row["from"])
            chunk = names.integer(row["chunk"])
            sender, receiver = (values["r"], other) if "to" in row else (other, values["r"])
            into = names.integer(row.get("into", chunk))
            yield Send(values["s"], sender, receiver, chunk, into, row["op"])


# --- what the collectives promise --------------------------------------------------------------


def collective(table: Table, stated: Values) -> tuple[State, State]:
    """What the slots hold at first, and what the promised ones must hold in the end.

    ``stated`` is the table or an ``ensures``: a collective, perhaps with an owner or a root.
    """
    N, names = table.N, Names(table.given, table.texts)
    root = names.integer(stated.get("root", "root"))
    text = stated.get("owner", table.values.get("owner", "c * N // chunks"))
    owner = {
        c: Names({**table.given, "c": c}, table.texts).integer(text) for c in range(table.chunks)
    }
    if not {root, *owner.values()} <= set(range(N)):
        raise TableError("root or owner is not a rank")
    m = table.chunks // N
    if stated["collective"] == "all-to-all" and table.chunks % N:
        raise TableError("all-to-all needs a multiple of N chunks")

    def everyone(r: int, c: int) -> bool:
        return True

    def owning(r: int, c: int) -> bool:
        return r == owner[c]

    def rooted(r: int, c: int) -> bool:
        return r == root

    def total(r: int, c: int) -> list[tuple[int, int]]:
        return [(k, c) for k in range(N)]

    known = {  # who has its own part of chunk c at first, who is promised what
        "all-reduce": (everyone, everyone, total),
        "reduce-scatter": (everyone, owning, total),
        "reduce": (everyone, rooted, total),
        "all-gather": (owning, everyone, lambda r, c: [(owner[c], c)]),
        "gather": (owning, rooted, lambda r, c: [(owner[c], c)]),
        "broadcast": (rooted, everyone, lambda r, c: [(root, c)]),
        "scatter": (rooted, owning, lambda r, c: [(root, c)]),
        "all-to-all": (everyone, everyone, lambda r, i: [(i // m, r * m + i % m)]),
    }
    if stated["collective"] not in known:
        raise TableError(f"unknown collective {stated['collective']!r}")
    has, promised, contents = known[stated["collective"]]
    places = [(r, c) for r in range(N) for c in range(table.chunks)]
    start = {place: Counter([place]) for place in places if has(*place)}
    return start, {place: Counter(contents(*place)) for place in places if promised(*place)}


# --- judging -----------------------------------------------------------------------------------


def in_range(table: Table) -> bool:
    return all(
        0 <= send.step < steps
        and {send.sender, send.receiver} <= set(range(table.N))
        and {send.chunk, send.into} <= set(range(table.slots))
        for steps, sends in table.phases
        for send in sends
    )


def conflict_free(table: Table) -> bool:
    writes = defaultdict(list)
    for phase, (_, sends) in enumerate(table.phases):
        for send in sends:
            writes[phase, send.step, send.receiver, send.into].append(send.op)
    return all(ops == ["copy"] or set(ops) == {"reduce"} for ops in writes.values())


def holds(state: State, promised: State) -> bool:
    return all(state.get(place) == contents for place, contents in promised.items())


def judge(values: Values, N: int, params: Values) -> dict[str, bool]:
    """Which properties hold at this size; what an earlier failure makes meaningless is absent."""
    table = Table(values, N, params)
    if not in_range(table):
        return {"in-range": False}
    if not conflict_free(table):
        return {"in-range": True, "conflict-free": False}
    state, promised = collective(table, values)
    once = no_resend = ensures = True
    messages = set()
    for phase, (steps, sends) in zip(values.get("phase", []), table.phases, strict=True):
        for step in range(steps):
            before, now = dict(state), [send for send in sends if send.step == step]
            for send in now:
                source, target = (send.sender, send.chunk), (send.receiver, send.into)
                if source not in before or (send.op == "reduce" and target not in before):
                    return {"in-range": True, "conflict-free": True, "defined": False}
                if send.sender != send.receiver:
                    message = (source, target, frozenset(before[source].items()))
                    brings = before[source].keys() - before.get(target, Counter()).keys()
                    no_resend &= message not in messages and (send.op == "reduce" or bool(brings))
                    messages.add(message)
                kept = Counter() if send.op == "copy" else state[target]
                state[target] = kept + before[source]
            for send in now:
                if send.op == "reduce":
                    once &= max(state[send.receiver, send.into].values()) == 1
        if "ensures" in phase:
            ensures &= holds(state, collective(table, phase["ensures"])[1])
    return {
        "in-range": True, "conflict-free": True, "defined": True,
        "complete": holds(state, promised), "once": once, "no-resend": no_resend,
        "ensures": ensures, "claims": claims_hold(table),
    }  # fmt: skip


def count(table: Table) -> dict[str, int | Fraction]:
    moved = [
        (phase, send)
        for phase, (_, sends) in enumerate(table.phases)
        for send in sends
        if send.sender != send.receiver
    ]
    sent = Counter(message.sender for _, message in moved)
    received = Counter(message.receiver for _, message in moved)
    return {
        "steps": len({(phase, message.step) for phase, message in moved}),
        "sends_per_rank": max(sent.values(), default=0),
        "total_sends": len(moved),
        "traffic": Fraction(max(sent.values(), default=0), table.chunks),
        "received": Fraction(max(received.values(), default=0), table.chunks),
    }


def counts(values: Values, N: int, params: Values) -> dict[str, int | Fraction]:
    """Steps in which a message moves, messages, and traffic; traffic and received are in buffers."""
    return count(Table(values, N, params))


def claims_hold(table: Table) -> bool:
    counted, names = count(table), Names(table.given, table.texts)
    relations = {"<=": operator.le, ">=": operator.ge}
    for key, claim in table.values.get("claims", {}).items():
        if key not in counted:
            raise TableError(f"unknown claim {key!r}")
        text = str(claim).strip()
        relation = relations.get(text[:2], operator.eq)
        value = names.read(text[2:] if text[:2] in relations else text, "claims")
        if not relation(counted[key], number(value)):
            return False
    return True


def sizes(values: Values) -> list[tuple[int, Values]]:
    """Every (N, params) that the table claims: its ranks and params where `where` holds."""
    texts, found = values.get("let", {}), []
    for N in Names({}, {}).several(values["ranks"]):
        for bound in assignments(values.get("params", {}), {"N": N}, texts):
            if Names(bound, texts).truth(values.get("where", True)):
                found.append((N, {name: bound[name] for name in values.get("params", {})}))
    return found
