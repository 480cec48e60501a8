"""Which cell of a GPU's memory an operand is, for one way of calling a program.

In place, input and output share memory: all of it where both hold the whole vector; where a rank
starts or ends with one block only, that block is its own part of the other buffer.  A custom program
promises nothing about which input lies where in the output, so its buffers stay apart.
"""

from __future__ import annotations

from dataclasses import dataclass

from ringproof.program.model import BUFFERS, COLLECTIVE_OF, Buffer, Case, Program

_STARTS_WITH_A_BLOCK = ("all-gather", "gather")
_ENDS_WITH_A_BLOCK = ("reduce-scatter", "scatter")


@dataclass(frozen=True, slots=True)
class Memory:
    """One case of a program's memory: every GPU has ``cells`` cells, a buffer's are consecutive.

    ``bases``: for every GPU the first cells of i, o and s.  ``whole``: chunks of the whole vector (what
    an all-reduce reduces, an all-gather ends with).
    """

    case: Case
    collective: str
    bases: tuple[tuple[int, int, int], ...]
    cells: int
    whole: int

    def cell(self, rank: int, buffer: Buffer, offset: int) -> int:
        """The cell of one chunk, counted within its GPU."""
        return self.bases[rank][BUFFERS.index(buffer)] + offset

    def block(self, rank: int) -> int:
        """The first chunk of a rank's part of the whole vector: chunk c belongs to rank c * N // whole."""
        return -(-rank * self.whole // len(self.bases))

    def input_cell(self, rank: int, slot: int) -> int:
        """Where a rank's part of chunk ``slot`` of the whole vector lies at the start."""
        shift = self.block(rank) if self.collective in _STARTS_WITH_A_BLOCK else 0
        return self.bases[rank][0] + slot - shift

    def output_cell(self, rank: int, slot: int) -> int:
        """Where chunk ``slot`` of the whole vector must lie at the end."""
        shift = self.block(rank) if self.collective in _ENDS_WITH_A_BLOCK else 0
        return self.bases[rank][1] + slot - shift


def memory(program: Program, case: Case, collective: str = "") -> Memory:
    """Lay out the memory of one case; ``collective`` (of our catalogue) overrides the program's own."""
    collective = collective or COLLECTIVE_OF.get(program.coll, program.coll)
    ranks = max(program.ranks, 1)
    i, o, s = (max((gpu.chunks(buffer) for gpu in program.gpus), default=0) for buffer in BUFFERS)
    starts, ends = collective in _STARTS_WITH_A_BLOCK, collective in _ENDS_WITH_A_BLOCK
    whole = max((o if starts else i) or program.chunks, 1)
    block = -(-whole // ranks)
    shared = case == "in place" and collective in COLLECTIVE_OF.values()
    input_cells, output_cells = max(i, block if starts else whole), max(o, block if ends else whole)
    plan = Memory(case, collective, ((0, 0, 0),) * ranks, 0, whole)
    bases = [
        (plan.block(rank) * starts, plan.block(rank) * ends) if shared else (0, input_cells)
        for rank in range(ranks)
    ]
    scratch = max(max(a + input_cells, b + output_cells) for a, b in bases)
    return Memory(case, collective, tuple((a, b, scratch) for a, b in bases), scratch + s, whole)


def bytes_needed(program: Program) -> float:
    """Roughly the memory that deciding a program takes: for its cells, its steps and the sums they make."""
    ranks = program.ranks
    cells = sum(max(gpu.chunks(buffer) for gpu in program.gpus) for buffer in BUFFERS)
    whole = max(cells, program.chunks)
    moved = sum(step.cnt for gpu in program.gpus for tb in gpu.tbs for step in tb.steps)
    return ranks * whole * (900.0 + 8 * ranks) + 2000.0 * program.size + moved * (100.0 + 8 * ranks)
