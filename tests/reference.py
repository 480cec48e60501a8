"""The reference interpreter: the table language read literally, slowly and on its own.

It shares no code with ringproof, only the design; the tests hold both engines against it.
"""

from __future__ import annotations

import ast
import operator
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

Values = dict[str, Any]
State = dict[tuple[int, int], Counter]  # (rank, slot) -> how often contribution (k, c) is in it

LARGEST_EXPONENT = 4096


class TableError(Exception):
    """The table, or this size of it, is not in the language."""


class UnknownName(TableError):
    """An expression uses a name that has no value here (or not yet)."""


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


def defined(condition: bool, what: str) -> None:
    if not condition:
        raise UndefinedValue(what)


def number(value: object) -> Any:
    if type(value) not in (int, Fraction):
        raise TableError(f"expected a number, got {value!r}")
    return value


def integer(value: object) -> int:
    if type(value) is not int:
        raise TableError(f"expected an integer, got {value!r}")
    return value


def truth(value: object) -> bool:
    if type(value) is not bool:
        raise TableError(f"expected true or false, got {value!r}")
    return value


def floor_log(x: int, base: int) -> int:
    defined(x >= 1 and base >= 2, f"log({x}, {base})")
    return max(e for e in range(x.bit_length() + 1) if base**e <= x)


def ceil_log(x: int, base: int) -> int:
    defined(x >= 1 and base >= 2, f"ceil_log({x}, {base})")
    return min(e for e in range(x.bit_length() + 1) if base**e >= x)


def power_of(exponent: int) -> int:
    defined(0 <= exponent <= LARGEST_EXPONENT, f"exponent {exponent}")
    return 1 << exponent


def reverse(x: int, bits: int) -> int:
    defined(0 <= x < power_of(bits), f"reverse({x}, {bits})")
    return sum(1 << (bits - 1 - i) for i in range(bits) if x >> i & 1)


def divisors(x: int) -> list[int]:
    defined(x >= 1, f"divisors({x})")
    return [d for d in range(1, x + 1) if x % d == 0]


HELPERS = {
    "min": lambda *xs: min(xs), "max": lambda *xs: max(xs), "abs": abs,
    "log2": lambda x: floor_log(x, 2), "ceil_log2": lambda x: ceil_log(x, 2),
    "log": floor_log, "ceil_log": ceil_log,
    "is_pow2": lambda x: x > 0 and x & (x - 1) == 0,
    "bit": lambda x, i: x // power_of(i) % 2, "flip": lambda x, i: x ^ power_of(i),
    "lowbit": lambda x: x & -x, "reverse": reverse, "divisors": divisors,
}  # fmt: skip
COMPARE = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt,
    ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
}  # fmt: skip
ARITHMETIC = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow,
    ast.BitAnd: operator.and_, ast.BitOr: operator.or_, ast.BitXor: operator.xor,
    ast.LShift: operator.lshift, ast.RShift: operator.rshift, ast.Div: Fraction,
}  # fmt: skip


@lru_cache(maxsize=None)
def parse(text: str, where: str = "row") -> ast.expr:
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
    match node:
        case ast.Constant(value=value) if type(value) is int:
            return value
        case ast.Name(id=name):
            return names[name]
        case ast.BoolOp(op=ast.And(), values=parts):
            return all(truth(evaluate(part, names)) for part in parts)
        case ast.BoolOp(op=ast.Or(), values=parts):
            return any(truth(evaluate(part, names)) for part in parts)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return evaluate(body if truth(evaluate(test, names)) else orelse, names)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return not truth(evaluate(operand, names))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -number(evaluate(operand, names))
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return number(evaluate(operand, names))
        case ast.UnaryOp(op=ast.Invert(), operand=operand):
            return ~integer(evaluate(operand, names))
        case ast.Compare(left=first, ops=ops, comparators=others):
            left = number(evaluate(first, names))
            for op, other in zip(ops, others, strict=True):
                right = number(evaluate(other, names))
                if type(op) not in COMPARE:
                    break
                if not COMPARE[type(op)](left, right):
                    return False
                left = right
            else:
                return True
        case ast.BinOp(left=one, op=op, right=other) if type(op) in ARITHMETIC:
            left, right = number(evaluate(one, names)), number(evaluate(other, names))
            if isinstance(op, ast.FloorDiv | ast.Mod):
                defined(right > 0, f"divisor {right}")
            if isinstance(op, ast.Div):
                defined(right != 0, "division by zero")
            if isinstance(op, ast.Pow | ast.LShift | ast.RShift):
                defined(0 <= integer(right) <= LARGEST_EXPONENT, f"exponent {right}")
            if isinstance(op, ast.BitAnd | ast.BitOr | ast.BitXor | ast.LShift | ast.RShift):
                integer(left), integer(right)
            return ARITHMETIC[type(op)](left, right)
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in HELPERS:
            values = [number(evaluate(argument, names)) for argument in arguments]
            try:
                return HELPERS[name](*values)
            except (TypeError, ValueError) as error:
                raise TableError(f"wrong arguments for {name}: {values}") from error
    raise TableError(f"not in the language: {ast.unparse(node)}")


class Names:
    """Names in scope: given values, and texts that are evaluated when first asked for."""

    def __init__(self, values: Values, texts: Values) -> None:
        self.values, self.texts, self.open = dict(values), texts, set()

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
        return evaluate(parse(value, where), self) if isinstance(value, str) else value

    def several(self, value: Any) -> list[int]:
        """The values of a range `lo..hi`, a list, or an expression that lists (divisors)."""
        if isinstance(value, str) and ".." in value:
            low, high = (integer(self.read(end)) for end in value.split(".."))
            return list(range(low, high + 1))
        found = [self.read(one) for one in value] if isinstance(value, list) else self.read(value)
        return [integer(one) for one in (found if isinstance(found, list) else [found])]


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
    """A table at one size: its numbers, and for each phase its sends."""

    def __init__(self, values: Values, N: int, params: Values) -> None:
        self.values, self.N = values, N
        self.given = {"N": N, **params}
        self.texts = {"root": 0, **values.get("let", {})}
        self.texts |= {key: values[key] for key in ("root", "chunks") if key in values}
        names = Names(self.given, self.texts)
        self.chunks, self.root = integer(names["chunks"]), integer(names["root"])
        self.slots = self.chunks + integer(names.read(values.get("scratch", 0)))
        if self.chunks < 1 or self.slots < self.chunks or not 0 <= self.root < N:
            raise TableError("chunks, scratch or root out of range")
        self.phases = [self.sends(phase) for phase in values.get("phase", [])]

    def owner(self, chunk: int, text: Any = None) -> int:
        """The rank that owns a chunk, by the given text, the table's, or the default."""
        text = self.values.get("owner", "c * N // chunks") if text is None else text
        rank = integer(Names({**self.given, "c": chunk}, self.texts).read(text))
        if not 0 <= rank < self.N:
            raise TableError(f"owner of chunk {chunk} is rank {rank}")
        return rank

    def sends(self, phase: Values) -> tuple[int, list[Send]]:
        """A phase's number of steps, and its sends."""
        texts = {**self.texts, **phase.get("let", {})}
        listed = [
            Send(*(one[key] for key in ("step", "from", "to", "chunk")),
                 one.get("into", one["chunk"]), one["op"])
            for one in phase.get("sends", [])
        ]  # fmt: skip
        if "steps" in phase:
            steps = integer(Names(self.given, texts).read(phase["steps"]))
        else:
            steps = max((send.step for send in listed), default=-1) + 1
        if steps < 0 or ("send" in phase and "steps" not in phase):
            raise TableError("a phase needs its number of steps")
        rows = phase.get("send", [])
        return steps, listed + [
            send
            for s in range(steps)
            for row in rows
            for r in range(self.N)
            for send in row_sends(row, {**self.given, "r": r, "s": s}, texts)
        ]


def row_sends(row: Values, values: Values, texts: Values) -> Iterator[Send]:
    """What a row sends for one rank and one step."""
    texts = {**texts, **row.get("let", {})}
    when = row.get("when", True)
    try:
        if not truth(Names(values, texts).read(when)):
            return
    except (UnknownName, UndefinedValue):
        pass  # it depends on the `for` variables: ask again for each of their values
    if ("to" in row) == ("from" in row):
        raise TableError("a row has either `to` or `from`")
    for bound in assignments(row.get("for", {}), values, texts):
        names = Names(bound, texts)
        if truth(names.read(when)):
            other = integer(names.read(row["to"] if "to" in row else row["from"]))
            sender, receiver = (values["r"], other) if "to" in row else (other, values["r"])
            chunk = integer(names.read(row["chunk"]))
            into = integer(names.read(row.get("into", row["chunk"])))
            yield Send(values["s"], sender, receiver, chunk, into, row["op"])


# --- what the collectives promise --------------------------------------------------------------


def start(table: Table) -> State:
    """What every slot holds before the first step."""
    every = [(k, c) for k in range(table.N) for c in range(table.chunks)]
    match table.values["collective"]:
        case "all-reduce" | "reduce-scatter" | "reduce" | "all-to-all":
            filled = every
        case "all-gather" | "gather":
            filled = [(k, c) for k, c in every if k == table.owner(c)]
        case "broadcast" | "scatter":
            filled = [(k, c) for k, c in every if k == table.root]
        case other:
            raise TableError(f"unknown collective {other!r}")
    return {(k, c): Counter([(k, c)]) for k, c in filled}


def promise(table: Table, promised: Values) -> State:
    """What the promised slots must hold; `promised` has a collective and perhaps owner, root."""
    N, root = table.N, integer(Names(table.given, table.texts).read(promised.get("root", "root")))
    owner = {c: table.owner(c, promised.get("owner")) for c in range(table.chunks)}
    every = [(r, c) for r in range(N) for c in range(table.chunks)]
    total = {c: Counter((k, c) for k in range(N)) for c in range(table.chunks)}
    match promised["collective"]:
        case "all-reduce":
            return {(r, c): total[c] for r, c in every}
        case "reduce-scatter":
            return {(r, c): total[c] for r, c in every if r == owner[c]}
        case "reduce":
            return {(r, c): total[c] for r, c in every if r == root}
        case "all-gather":
            return {(r, c): Counter([(owner[c], c)]) for r, c in every}
        case "gather":
            return {(r, c): Counter([(owner[c], c)]) for r, c in every if r == root}
        case "broadcast":
            return {(r, c): Counter([(root, c)]) for r, c in every}
        case "scatter":
            return {(r, c): Counter([(root, c)]) for r, c in every if r == owner[c]}
        case "all-to-all":
            if table.chunks % N:
                raise TableError("all-to-all needs a multiple of N chunks")
            m = table.chunks // N
            return {(r, i): Counter([(i // m, r * m + i % m)]) for r, i in every}
        case other:
            raise TableError(f"unknown collective {other!r}")


def holds(state: State, promised: State) -> bool:
    return all(state.get(place) == contents for place, contents in promised.items())


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


def judge(values: Values, N: int, params: Values) -> dict[str, bool]:
    """Which properties hold at this size; what an earlier failure makes meaningless is absent."""
    table = Table(values, N, params)
    if not in_range(table):
        return {"in-range": False}
    if not conflict_free(table):
        return {"in-range": True, "conflict-free": False}
    state, seen = start(table), set()
    once = no_resend = ensures = True
    for phase, (steps, sends) in zip(values.get("phase", []), table.phases, strict=True):
        for step in range(steps):
            before = dict(state)
            for send in (send for send in sends if send.step == step):
                source, target = (send.sender, send.chunk), (send.receiver, send.into)
                if source not in before or (send.op == "reduce" and target not in before):
                    return {"in-range": True, "conflict-free": True, "defined": False}
                if send.sender != send.receiver:
                    message = (*source, *target, frozenset(before[source].items()))
                    brings = before[source].keys() - before.get(target, Counter()).keys()
                    no_resend &= message not in seen and (send.op == "reduce" or bool(brings))
                    seen.add(message)
                if send.op == "copy":
                    state[target] = before[source]
                else:
                    state[target] = state[target] + before[source]
            for send in sends:
                if send.step == step and send.op == "reduce":
                    once &= max(state[send.receiver, send.into].values()) == 1
        if "ensures" in phase:
            ensures &= holds(state, promise(table, phase["ensures"]))
    return {
        "in-range": True, "conflict-free": True, "defined": True,
        "complete": holds(state, promise(table, {"collective": values["collective"]})),
        "once": once, "no-resend": no_resend, "ensures": ensures, "claims": claims_hold(table),
    }  # fmt: skip


def count(table: Table) -> dict[str, int | Fraction]:
    moved = [
        (phase, send)
        for phase, (_, sends) in enumerate(table.phases)
        for send in sends
        if send.sender != send.receiver
    ]
    sent, received = Counter(m.sender for _, m in moved), Counter(m.receiver for _, m in moved)
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
    for key, claim in table.values.get("claims", {}).items():
        relation, text = operator.eq, claim
        for sign, meaning in (("<=", operator.le), (">=", operator.ge)):
            if isinstance(claim, str) and claim.strip().startswith(sign):
                relation, text = meaning, claim.strip().removeprefix(sign)
        if not relation(counted[key], number(names.read(text, "claims"))):
            return False
    return True


def sizes(values: Values) -> list[tuple[int, Values]]:
    """Every (N, params) that the table claims: its ranks and params where `where` holds."""
    texts, found = dict(values.get("let", {})), []
    for N in Names({}, {}).several(values["ranks"]):
        for bound in assignments(values.get("params", {}), {"N": N}, texts):
            if truth(Names(bound, texts).read(values.get("where", True))):
                found.append((N, {name: x for name, x in bound.items() if name != "N"}))
    return found
