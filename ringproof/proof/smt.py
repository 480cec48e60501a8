"""One unit -> SMT-LIB 2 text: its inputs, what every slot holds, and what would be a violation.

Inputs are free integers x >= 0, one for every contribution in the unit; nothing in the text is a
number that Python worked out.  The only guess is a *witness*, the contribution that a copy is said
to bring; a wrong guess cannot prove anything, it only fails to.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, groupby

from ringproof.proof.units import FOREIGN, Unit

ANY = "any"
ONE_HOT = "one-hot"
BARREN = "barren"


@dataclass(frozen=True, slots=True)
class Query:
    """``text`` asserts, for each name in ``asked``, name => some violation.

    Also `ANY` => one of the names; `ONE_HOT` => exactly one input is 1 and the others are 0.
    ``inputs``: variable -> cell.  ``hopeless``: the first send for which no witness exists; `BARREN`
    => under one-hot inputs, it is no violation after all.
    """

    text: str
    asked: tuple[str, ...]
    inputs: dict[str, int]
    hopeless: int | None


class _Value:
    """A term, and a guess at its contents: 32 bits a contribution, counted.

    ``support`` has the lowest bit of every contribution that occurs; ``most`` is the highest count;
    ``part_of`` are the sums it goes into.
    """

    __slots__ = ("guess", "most", "part_of", "support", "term")

    def __init__(self, term: str, guess: int, ones: int) -> None:
        self.term, self.guess = term, guess
        self.part_of: list[_Value] = []
        if guess & ~ones:
            counts = {bit: _count(guess, bit) for bit in _bits(guess)}
            self.support = sum(1 << bit * _WORD for bit in counts)
            self.most = max(counts.values())
        else:
            self.support, self.most = guess, 1


_WORD = 32
_NEVER = (1 << 62, "false")
_ZERO = _Value("0", 0, 0)


def query(unit: Unit, asked: tuple[str, ...]) -> Query:
    """The whole text for one unit; ``asked`` names the properties to decide."""
    return _Writer(unit, asked).query()


class _Writer:
    """Replays a unit over terms, writing as it goes."""

    def __init__(self, unit: Unit, asked: tuple[str, ...]) -> None:
        self.unit, self.asked = unit, asked
        self.lines: list[str] = []
        self.bad: dict[str, list[str]] = {name: [] for name in asked}
        self.hopeless = _NEVER
        self.sums: list[_Value] = []
        self.lacking: dict[str, dict[str, _Value]] = {}
        self.links: dict[tuple[int, int], list[tuple[_Value, int]]] = {}
        self.state: dict[int, _Value] = {}

    def query(self) -> Query:
        unit = self.unit
        inputs = {f"x{i}": i for i in sorted(unit.starts)}
        foreign = any(FOREIGN in want for p in unit.promises for want in p.values())
        for name in [*inputs, *(["foreign"] if foreign else [])]:
            self.lines.append(f"(declare-const {name} Int)(assert (>= {name} 0))")
        self.lines.append(f"(define-fun all () Int (+ 0 0 {' '.join(inputs)}))")
        self.cell_of_bit = sorted(unit.starts)
        self.ones = sum(1 << bit * _WORD for bit in range(len(self.cell_of_bit)))
        for bit, cell in enumerate(self.cell_of_bit):
            self.state[cell] = _Value(f"x{cell}", 1 << bit * _WORD, self.ones)
        self.promises(0)
        events = range(len(unit.step))
        for step, group in groupby(events, key=unit.step.__getitem__):
            self.promises(step)
            self.step(list(group))
        self.promises(max((*unit.due, *(s + 1 for s in unit.step))))
        self.repeats()
        if "once" in self.bad:
            # A sum that goes into another one is no larger than it: inputs are not negative.
            self.bad["once"] = [f"(> {v.term} all)" for v in self.sums if not v.part_of]
        self.lacks()
        for name in self.asked:
            self.lines.append(f"(declare-const {_literal(name)} Bool)")
            bad = " ".join(dict.fromkeys(self.bad[name]))
            self.lines.append(f"(assert (=> {_literal(name)} (or false {bad})))")
        any_of = " ".join(_literal(name) for name in self.asked)
        self.lines.append(f"(declare-const {ANY} Bool)(assert (=> {ANY} (or false {any_of})))")
        self.lines.append(f"(declare-const {ONE_HOT} Bool)(assert (=> {ONE_HOT} (= all 1)))")
        event, otherwise = self.hopeless
        self.lines.append(f"(declare-const {BARREN} Bool)")
        self.lines.append(f"(assert (=> {BARREN} (and (= all 1) {otherwise})))")
        hopeless = None if event == _NEVER[0] else event
        return Query("\n".join(self.lines), self.asked, inputs, hopeless)

    def step(self, events: list[int]) -> None:
        """All sends of one step: every one reads what was there before it."""
        unit, state = self.unit, self.state
        read = {e: state.get(unit.source[e], _ZERO) for e in events}
        adds: dict[int, list[_Value]] = {}
        new: dict[int, _Value] = {}
        for e in events:
            if unit.message[e]:
                link = self.links.setdefault((unit.source[e], unit.target[e]), [])
                link.append((read[e], e))
            if unit.reduce[e]:
                adds.setdefault(unit.target[e], []).append(read[e])
            else:
                new[unit.target[e]] = read[e]
                if unit.message[e]:
                    self.brings(e, read[e], state.get(unit.target[e], _ZERO))
        for cell, parts in adds.items():
            parts = [state.get(cell, _ZERO), *parts]
            term = f"v{len(self.lines)}"
            self.lines.append(f"(define-fun {term} () Int (+ {' '.join(p.term for p in parts)}))")
            new[cell] = _Value(term, sum(p.guess for p in parts), self.ones)
            self.sums.append(new[cell])
            for value in parts:
                value.part_of.append(new[cell])
        state.update(new)

    def brings(self, event: int, sent: _Value, held: _Value) -> None:
        """A copy must bring a contribution w that its target lacks: x_w <= sent, and w not held."""
        if "no-resend" not in self.bad:
            return
        gain = sent.support & ~held.support
        if gain:
            self.contains(_highest(gain), (sent, 1), (held, 0))
            return
        self.give_up(event, f"(and (> {sent.term} 0) (= {held.term} 0))")

    def give_up(self, event: int, otherwise: str) -> None:
        """No witness: a violation, unless ``otherwise`` has an input.  The first one is enough."""
        self.hopeless = min(self.hopeless, (self.unit.event[event], otherwise))

    def contains(self, bit: int, more: tuple[_Value, int], less: tuple[_Value, int]) -> None:
        """A witness w: for all inputs ``more`` has at least a and ``less`` exactly b < a of it."""
        w = f"x{self.cell_of_bit[bit]}"
        (high, a), (low, b) = more, less
        if high.term != w:
            self.bad["no-resend"].append(f"(< {high.term} {_times(a, w)})")
        if b:
            rest = _times(low.most, f"(- all {w})")
            self.bad["no-resend"].append(f"(> {low.term} (+ {_times(b, w)} {rest}))")
        elif low.term[0] not in "0x" or low.term == w:  # 0 and other inputs are free of w as they stand
            self.lacking.setdefault(w, {})[low.term] = low

    def repeats(self) -> None:
        """No link carries one value twice: some contribution w tells any two of them apart."""
        if "no-resend" not in self.bad:
            return
        again = [found for sends in self.links.values() for found in _first_repeat(sends)]
        for one, two, event in again:
            self.give_up(event, f"(not (= {one.term} {two.term}))")
        for sends in () if again else self.links.values():
            for (one, _), (two, _) in combinations(sends, 2):
                bit = _highest(one.guess ^ two.guess)
                ranked = [(v, _count(v.guess, bit)) for v in (one, two)]
                less, more = sorted(ranked, key=lambda pair: pair[1])
                self.contains(bit, more, less)

    def lacks(self) -> None:
        """No input w is in these values: each is at most a multiple of all the other inputs.

        A value that goes into another one without w is no larger, so the larger one is enough.
        """
        for w, values in self.lacking.items():
            for value in values.values():
                if not any(v.term in values for v in value.part_of):
                    bad = f"(> {value.term} {_times(value.most, f'(- all {w})')})"
                    self.bad["no-resend"].append(bad)

    def promises(self, step: int) -> None:
        """Write down every promise that is due once ``step`` steps are done."""
        unit = self.unit
        for i, due in enumerate(unit.due):
            name = "complete" if i == 0 else f"ensures[{i - 1}]"
            if name not in self.bad or self.bad[name] or due > step:
                continue
            wanted: dict[tuple[int, ...], str] = {}
            for cell, want in unit.promises[i].items():
                if want not in wanted:
                    terms = ["foreign" if w == FOREIGN else f"x{w}" for w in want]
                    wanted[want] = f"w{len(self.lines)}"
                    self.lines.append(
                        f"(define-fun {wanted[want]} () Int (+ 0 0 {' '.join(terms)}))"
                    )
                held = self.state.get(cell, _ZERO)
                self.bad[name].append(f"(not (= {held.term} {wanted[want]}))")
            self.bad[name].append("false")


def _first_repeat(sends: list[tuple[_Value, int]]) -> list[tuple[_Value, _Value, int]]:
    """The first send of a link that carries what an earlier one carried, by the guesses."""
    seen: dict[int, _Value] = {}
    for value, event in sends:
        if value.guess in seen:
            return [(seen[value.guess], value, event)]
        seen[value.guess] = value
    return []


def _bits(guess: int) -> Iterator[int]:
    """The positions of the contributions in a guess, lowest first."""
    while guess:
        bit = _lowest(guess)
        yield bit
        guess &= ~(0xFFFFFFFF << bit * _WORD)


def _lowest(guess: int) -> int:
    return ((guess & -guess).bit_length() - 1) // _WORD


def _highest(guess: int) -> int:
    """Names follow first use, so this is often the part added last, and the same for many values."""
    return (guess.bit_length() - 1) // _WORD


def _count(guess: int, bit: int) -> int:
    return guess >> bit * _WORD & 0xFFFFFFFF


def _times(factor: int, term: str) -> str:
    return "0" if not factor else term if factor == 1 else f"(* {factor} {term})"


def _literal(name: str) -> str:
    return f"|{name}|"
