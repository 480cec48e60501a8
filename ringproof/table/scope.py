"""Which names an expression may use, what kind each is, and what it needs in the end.

Names are resolved by what they use, never by order.  A scope is small: the names that are given
from outside with their kinds, and the names that the table writes.
"""

from __future__ import annotations

import keyword
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from ringproof.table.expr import CONSTANTS, HELPERS, LISTS, Expr, ExprError, Kind, Node, walk
from ringproof.table.kinds import Kinds
from ringproof.table.misread import USAGE, closest, cut, nearest
from ringproof.table.resolve import Extent, extent, too_much
from ringproof.verdict import Route

GIVEN: Mapping[str, str] = MappingProxyType({
    "N": "the number of ranks", "r": "the rank that a row is read for", "s": "the step, from 0",
    "c": "the chunk, or the slot of a used table", "root": "the root rank", "chunks": "slots of a buffer",
})  # fmt: skip
KEYS = {
    "table": ("name collective ranks chunks where root owner scratch let params waive optimal reference "
              "notes claims phase").split(),
    "phase": "name steps let ensures send sends".split(),
    "use": "name use group rank when chunk for params let ensures".split(),
    "send": "to from chunk into op when for let".split(),
    "sends": "step from to chunk into op".split(),
    "ensures": "collective owner root".split(),
    "claims": "steps sends_per_rank total_sends traffic received".split(),
}  # fmt: skip
REQUIRED = {
    "table": "name collective ranks chunks phase".split(), "phase": ["name"],
    "use": "name use group rank chunk".split(), "send": ["chunk", "op"],
    "sends": "step from to chunk op".split(), "ensures": ["collective"], "claims": [],
}  # fmt: skip
_RESERVED = {key for of, keys in KEYS.items() if of != "use" for key in keys}
_MEANT = {"step": "s", "rank": "r", "ranks": "N", "size": "N", "P": "N", "p": "N"}
_PLACES = {
    "table": "at the top of the file, above the first `[table]`", "phase": "in a `[[phase]]`",
    "use": "in a `[[phase]]` with `use`", "send": "in a `[[phase.send]]`", "ensures": "in `ensures`",
    "claims": "in `[claims]`", "sends": "in an entry of `sends`",
}  # fmt: skip


@dataclass(frozen=True)
class Scope:
    """``given``: name -> kind of values from outside; ``names``: the table's own expressions.

    ``elsewhere`` are names that exist in other places of a table, for a better message.
    """

    given: Mapping[str, Kind]
    names: Mapping[str, Expr]
    elsewhere: frozenset[str] = frozenset()
    fractions: str = ""
    extents: Mapping[str, Extent] = field(default_factory=dict)
    _kinds: dict[str, Kind] = field(default_factory=dict, repr=False)

    def within(
        self, given: Mapping[str, Kind], names: Mapping[str, Expr],
        extents: Mapping[str, Extent] | None = None,
    ) -> Scope:  # fmt: skip
        """This scope and more names; ``extents`` says how much each of them stands for."""
        known = {**self.extents, **(extents or {})}
        return Scope({**self.given, **given}, {**self.names, **names}, self.elsewhere, "", known)

    def known(self) -> list[str]:
        """Every name that may be used here, sorted."""
        return sorted({*self.given, *self.names})

    def places(self) -> dict[str, Route]:
        """Where the table's own names are defined."""
        return {name: expr.route for name, expr in self.names.items() if expr.route}

    def has(self, name: str) -> bool:
        """Whether a name may be used here."""
        return name in self.given or name in self.names

    def check(self, expr: Expr, want: Kind) -> list[ExprError]:
        """What is wrong with ``expr`` as a value of kind ``want`` here: unknown names, kinds."""
        if reason := too_much(extent(expr, self.extents)):
            return [ExprError("RP113", reason, 0, len(expr.text))]
        used: dict[str, Node] = {}
        for node in walk(expr.node):
            if node.op == "name":
                used.setdefault(str(node.value), node)
        errors = [self.unknown(node) for name, node in used.items() if not self.has(name)]
        for name, node in used.items():
            if self.has(name) and (missing := self.missing(name)):
                uses = " and ".join(f"`{m}`" for m in sorted(missing))
                title = f"`{cut(name)}` uses {uses}, which has no value here"
                errors.append(ExprError("RP106", title, node.start, node.end))
        kinds = Kinds(expr.text, self._kind_of_name, self.fractions)
        kinds.expect(expr.node, want)
        return sorted([*errors, *kinds.errors], key=lambda error: error.start)

    def missing(self, name: str) -> set[str]:
        """The names that ``name`` needs in the end and that have a value elsewhere, but not here."""
        return {n for n in self.needs(name) if n in self.elsewhere and not self.has(n)}

    def needs(self, *names: str) -> frozenset[str]:
        """What these names use in the end, themselves included, through all `let` names."""
        seen: set[str] = set()
        todo = list(names)
        while todo:
            name = todo.pop()
            if name not in seen:
                seen.add(name)
                if name in self.names:
                    todo.extend(self.names[name].names())
        return frozenset(seen)

    def unknown(self, node: Node) -> ExprError:
        """A name that stands for nothing here, and what may have been meant."""
        name = str(node.value)
        title, known = f"unknown name `{cut(name)}`", self.known()
        hint = f"names with a value here: {', '.join(known)}" if known else ""
        if name in self.elsewhere or name in GIVEN:
            title = f"`{name}` has no value here"
        elif name in HELPERS or name in LISTS:
            title, hint = f"`{name}` needs its arguments", f"as in `{USAGE[name]}`"
        elif name in _MEANT and self.has(_MEANT[name]):
            hint = f"did you mean `{_MEANT[name]}`?"
        elif near := closest(name, [*known, *HELPERS]):
            hint = near
        elif name in _RESERVED:
            title = f"`{name}` is a key, not a name; an expression sees names only"
        return ExprError("RP106", title, node.start, node.end, hint)

    def _kind_of_name(self, name: str) -> Kind:
        if name in self.given:
            return self.given[name]
        if name not in self.names:
            return "unknown"
        if name not in self._kinds:
            self._kinds[name] = "unknown"  # a cycle, which is told at the names' own places
            kinds = Kinds(self.names[name].text, self._kind_of_name, self.fractions)
            found = kinds.kind(self.names[name].node)
            self._kinds[name] = "unknown" if kinds.errors else found
        return self._kinds[name]


def misplaced(key: str, known: Collection[str]) -> str:
    """What to do about a key that does not belong here: where it belongs, or which was meant."""
    if nearest(key, known):
        return closest(key, known)
    if key == "send":
        return "write `[[phase.send]]`, below its `[[phase]]`"
    places = [_PLACES[what] for what, keys in KEYS.items() if key in keys and what != "use"]
    if places:
        return f"`{key}` belongs {' or '.join(places)}"
    return f"known here: {', '.join(known)}"


def bad_name(name: str, taken: Collection[str]) -> str:
    """Why ``name`` cannot be a new name, or nothing.  ``c`` is given only where `owner` sees it."""
    if not name:
        return "a name is empty"
    if not (name.isidentifier() and name.isascii()):
        return f"`{cut(name)}` is not a name (letters, digits and _, not starting with a digit)"
    if keyword.iskeyword(name) or name in CONSTANTS:
        return f"`{name}` is a word of the expression language"
    if name in HELPERS or name in LISTS:
        return f"`{name}` is the name of a helper"
    if name in GIVEN and (name != "c" or "c" in taken):
        return f"`{name}` is given and cannot be defined again"
    if name in _RESERVED:
        return f"`{name}` is a key of the table language"
    if name in taken:
        return f"`{cut(name)}` is a name already, and one name has one meaning"
    return ""
