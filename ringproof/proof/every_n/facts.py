"""Which facts a question needs: those of its atoms, and those that link products and powers; trusted."""

from __future__ import annotations

from dataclasses import dataclass

from ringproof.proof.every_n.formula import Formula, eq, implies, polys
from ringproof.proof.every_n.gathered import Gathered
from ringproof.proof.every_n.poly import Monomial, Poly, polynomial, times
from ringproof.proof.every_n.relations import scaled


@dataclass(slots=True)
class Facts(Gathered):
    """Grows with the questions asked."""

    def copy(self) -> Facts:
        """The same, to ask further questions of."""
        forms = {base: dict(sums) for base, sums in self._forms.items()}
        return Facts(
            self.atoms, list(self.fresh), dict(self.seen_atoms), dict(self.seen_monomials), forms,
            set(self._polys), set(self._known), [], set(self._looked),
            {m: dict(found) for m, found in self._multiples.items()}, set(self._asked),
        )  # fmt: skip

    def ask(self, f: Formula) -> None:
        """Collect what is needed for a formula that somebody asks about."""
        for poly in polys(f):
            if poly not in self._polys:
                self._polys.add(poly)
                self._asked.update(poly.atoms())
                self._poly(poly)
                self._combinations(poly)
        self._work()
        for base, sums in self.atoms.products.items():
            for u in sums:
                if all(a in self.seen_atoms for a in (*base, *u.atoms())):
                    self._form(base, u)
                    for size in [a for a in self.seen_atoms if self._plain(a)]:
                        self._form(base, Poly({(size,): 1}))
        self._work()
        self._scaled(f)
        for base, found in self._multiples.items():
            for k in found if base in self._forms else ():
                self._form(base, polynomial(k))
        self._work()
        self._lowest()
        self._work()
        self._parted()
        self._work()

    def _parted(self) -> None:
        """A power that is asked about is so in products where one a little larger is."""
        asked = [self.atoms.of(n) for n in self._asked if self.atoms.of(n).kind == "pow"]
        for base, sums in list(self._forms.items()):
            for atom in [self.atoms.of(u.atom) for u in sums if u.atom is not None]:
                if atom.kind == "pow":
                    for other in asked:
                        gap = (atom.poly(1) - other.poly(1)).number
                        if other.args[0] == atom.args[0] and gap in (1, 2):
                            self._form(base, self.atoms.poly("pow", *other.args))

    def _scaled(self, f: Formula) -> None:
        """What is asked of a sum, also of its multiples by a power, where those are known already."""
        bases = [b for b in self._forms if len(b) == 1 and self.atoms.of(b[0]).kind == "pow"]
        for poly in polys(f):
            parts = [m for m in poly.terms if m]
            for base in bases if len(parts) > 1 else ():
                if all(self._multiplied(m, base) for m in parts):
                    for fact in scaled(poly, Poly({base: 1})):
                        self._fact(fact)

    def _multiplied(self, m: Monomial, power: Monomial) -> bool:
        """Whether a product times a power is in use, or is one with another power."""
        base = self.atoms.of(power[0]).args[0]
        kinds = [self.atoms.of(a) for a in m]
        merged = any(k.kind == "pow" and k.args[0] == base for k in kinds)
        return times(m, power) in self.seen_monomials or (merged and len(m) > 1)

    def _lowest(self) -> None:
        """A lowest bit may be one of the other powers: then products with it are the same."""
        powers = [n for n in self.seen_atoms if self.atoms.exponent(n) and n not in self.atoms.made]
        for number in [n for n in self.seen_atoms if self.atoms.of(n).kind == "ctz"]:
            for other in powers:
                if self.atoms.exponent(other) != "ctz" and not self.atoms.is_size(other):
                    x, power = self.atoms.of(number).poly(0), Poly({(other,): 1})
                    self._poly(self.atoms.poly("div", x, power))
        self._work()
        for base, sums in list(self._forms.items()):
            if len(base) == 1 and self.atoms.exponent(base[0]) == "ctz":
                for other in powers:
                    if self.atoms.exponent(other) != "ctz" and not self.atoms.is_size(other):
                        for u in list(sums):
                            self._same(base[0], other, u)

    def _same(self, one: int, other: int, u: Poly) -> None:
        p, q = (Poly({(n,): 1}) for n in (one, other))
        self._fact(implies(eq(p, q), eq(p * u, q * u)))

    def _plain(self, number: int) -> bool:
        return number in self.atoms.positive and self.atoms.of(number).kind == "var"
