"""Every code that a finding can carry: one flat catalogue, with what ``ringproof explain`` says.

In an explanation an example of the table language is indented by four blanks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from textwrap import dedent
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Code:
    """A rule: its stable code, its name, one line about it and the whole story."""

    code: str
    name: str
    summary: str
    explanation: str


def find(word: str) -> Code | None:
    """Find a rule by its code or its name, in any letter case."""
    word = word.strip().lower()
    return next((c for c in CODES.values() if word in (c.code.lower(), c.name)), None)


def _code(code: str, name: str, summary: str, explanation: str) -> Code:
    return Code(code, name, summary, dedent(explanation).strip() + "\n")


_ALL = (
    # ---- RP0xx: the file ----
    _code(
        "RP001",
        "unreadable",
        "the file cannot be read",
        """
        The file does not exist, is a folder where one table belongs, or may not be read by you.
        Nothing was checked, so nothing is proved: the exit code is 2.

        Look at the path. `-` reads a table from standard input.
        """,
    ),
    _code(
        "RP002",
        "not-utf-8",
        "the file is not UTF-8 text",
        """
        A table is TOML, and TOML is UTF-8. The report points at the first byte that belongs to
        no UTF-8 character. Editors that write UTF-16 or Latin-1 are the usual cause.

        Save the file as UTF-8, or convert it with `iconv -f latin1 -t utf-8 old.toml >
        new.toml`. A byte order mark and Windows line ends are accepted.
        """,
    ),
    _code(
        "RP003",
        "toml-syntax",
        "the file is not TOML",
        """
        The text breaks a rule of TOML, so there is no table to check. The usual causes: an
        expression without quotes, a key given twice, a list or a string that is never closed.
        An expression is text to TOML and stands in quotes: `steps = N - 1` is not TOML.

        Right:

            steps = "N - 1"

        In double quotes a backslash begins an escape; single quotes take every character as it
        is.
        """,
    ),
    _code(
        "RP004",
        "no-tables",
        "the folder has no tables",
        """
        A folder was given, and no file in it or below it ends with `.toml`. To check nothing
        would look like success, so this is an error and the exit code is 2.

        Give the folder that holds the tables, or a file.
        """,
    ),
    _code(
        "RP005",
        "too-large",
        "the file, or a key in it, is larger than any table's",
        """
        A table says a schedule for every number of ranks in a few rows, and even a schedule
        written send by send is far below 4 MiB. A larger file is most often another file by
        mistake; so is one with a key of more than 16 parts (`a.b.c` has three).

        Say many alike sends as one row, which is read for every rank and every step:

            [[phase.send]]
            to    = "(r + 1) % N"
            chunk = "(r - s) % N"
            op    = "copy"
        """,
    ),
    _code(
        "RP006",
        "more-errors",
        "there are more errors than a report lists",
        """
        A report lists the first hundred errors of a file and counts the others. So many errors
        most often have one cause, such as a key that is misspelt in every send of a list.

        Mend what is listed first, and check again.
        """,
    ),
    # ---- RP1xx: the table ----
    _code(
        "RP101",
        "unknown-key",
        "a key that no table has",
        """
        Every key of a table means something, and a key that means nothing is most often
        misspelt. It is refused, because a guard that is silently ignored changes the schedule.

        Wrong:

            [[phase.send]]
            to    = "r + 1"
            chunk = "r"
            op    = "copy"
            wen   = "r < N - 1"

        Right:

            [[phase.send]]
            to    = "r + 1"
            chunk = "r"
            op    = "copy"
            when  = "r < N - 1"
        """,
    ),
    _code(
        "RP102",
        "missing-key",
        "a key that a table must have",
        """
        A table needs `name`, `collective`, `ranks`, `chunks` and at least one `[[phase]]`. A
        phase needs a `name`, and `steps` where it has rows. A row needs `to` or `from`, `chunk`
        and `op`. Keys of the whole table stand above its first `[table]`.

        Wrong:

            [[phase.send]]
            to    = "(r + 1) % N"
            chunk = "(r - s) % N"

        Right, a whole table; each rank copies its chunk to all others, round a ring:

            name       = "my all-gather"
            collective = "all-gather"
            ranks      = "2..8"
            chunks     = "N"

            [[phase]]
            name  = "round the ring"
            steps = "N - 1"

            [[phase.send]]
            to    = "(r + 1) % N"
            chunk = "(r - s) % N"
            op    = "copy"
        """,
    ),
    _code(
        "RP103",
        "wrong-type",
        "a value of the wrong TOML type",
        """
        An expression is a string, or a plain integer; `let`, `for`, `params` and `claims` are
        tables; `waive` is a list of strings. There are no floating-point numbers: claims are
        exact.

        Wrong:

            chunks = 4.0
            waive  = "no-resend"

        Right:

            chunks = 4
            waive  = ["no-resend"]
        """,
    ),
    _code(
        "RP104",
        "unknown-word",
        "a collective, op, property or claim that is not known",
        """
        These words come from fixed lists. `collective` is all-reduce, reduce-scatter,
        all-gather, broadcast, reduce, scatter, gather or all-to-all. `op` is `reduce` (the
        receiver adds) or `copy` (the receiver overwrites). A claim is `steps`,
        `sends_per_rank`, `total_sends`, `traffic` or `received`.

        Wrong:

            collective = "allreduce"

        Right:

            collective = "all-reduce"
        """,
    ),
    _code(
        "RP105",
        "expression-syntax",
        "an expression that cannot be read",
        """
        Expressions are integer arithmetic in Python's notation: + - * // % ** & | ^ << >> ~,
        comparisons, and, or, not, `a if c else b`, and calls of the helpers. Strings,
        attributes, subscripts and everything else of Python is no part of the table language.

        Wrong:

            to = "(r + 1 % N"
            chunk = "r mod N"

        Right:

            to = "(r + 1) % N"
            chunk = "r % N"
        """,
    ),
    _code(
        "RP106",
        "unknown-name",
        "a name that nothing defines here",
        """
        An expression may use `N`, `r`, `s`, `root` and `chunks` where they have a meaning, the
        names of `params`, `let` and `for` that are in scope, and `c` inside `owner`. `r` and
        `s` mean nothing at the top level: there is no rank and no step yet.

        Wrong, for letter case matters:

            [[phase]]
            steps = "n - 1"

        Right:

            [[phase]]
            steps = "N - 1"
        """,
    ),
    _code(
        "RP107",
        "call-not-allowed",
        "a call of something that is no helper, or with the wrong number of arguments",
        """
        Only the helpers can be called: min, max, abs, log2, ceil_log2, log(x, k), ceil_log(x,
        k), is_pow2, bit(x, i), flip(x, i), lowbit(x), reverse(x, bits), and divisors in lists.

        Wrong:

            steps = "ceil(log2(N))"

        Right, for `log2` is an integer already, rounded down:

            steps = "ceil_log2(N)"
        """,
    ),
    _code(
        "RP108",
        "wrong-kind",
        "an integer where a condition belongs, or the other way round",
        """
        Integers are not conditions and conditions are not integers. `when`, `where`, `and`,
        `or`, `not` and the middle of `a if c else b` take conditions; everything else takes
        integers. This catches `=`-like slips that Python would wave through.

        Wrong:

            when = "bit(r, s)"

        Right:

            when = "bit(r, s) == 1"
        """,
    ),
    _code(
        "RP109",
        "name-cycle",
        "names that are defined by each other",
        """
        Names are resolved by what they use, never by their order, so no definition may lead
        back to itself.

        Wrong:

            [let]
            half = "whole // 2"
            whole = "2 * half"

        Right:

            [let]
            half = "N // 2"
            whole = "2 * half"
        """,
    ),
    _code(
        "RP110",
        "bad-name",
        "a name that may not be defined",
        """
        A name of `let`, `for` or `params` is a plain identifier and must not be taken: not by
        an outer definition, a given name (N, r, s, root, chunks), a helper, a word of Python,
        or a key of the table. One name has one meaning wherever it is read.

        Wrong, for `steps` is a key of a phase:

            [phase.let]
            steps = "N - 1"

        Right:

            [phase.let]
            rounds = "N - 1"
        """,
    ),
    _code(
        "RP111",
        "to-or-from",
        "a row with both `to` and `from`, or with neither",
        """
        A row pushes or pulls. With `to`, rank r sends; with `from`, rank r receives, `chunk` is
        read at `from`, and `into` is written at r. Exactly one of the two must be there. (In a
        list of `sends` every send names both ends.)

        Wrong:

            [[phase.send]]
            from  = "r"
            to    = "(r + 1) % N"
            chunk = "r"
            op    = "copy"

        Right:

            [[phase.send]]
            to    = "(r + 1) % N"
            chunk = "r"
            op    = "copy"
        """,
    ),
    _code(
        "RP112",
        "bad-range",
        "a range that is malformed, empty or reversed",
        """
        A range `lo..hi` has two ends, two dots, and includes both ends. A claim over no sizes
        at all would hold for the wrong reason, so `ranks` must not be empty.

        Wrong:

            ranks = "64..2"

        Right:

            ranks = "2..64"
        """,
    ),
    _code(
        "RP113",
        "too-large-expression",
        "an expression that is too long, too deep or too large",
        """
        The length and depth of an expression, its constants and its exponents are limited, so
        that no table can keep the checker busy for ever: `9**9**9` has 369 million digits. So
        are the values and names that are looked at one by one: rank counts, params, `let`.

        Wrong:

            chunk = "9**9**9 % N"

        Right, for names keep long expressions short:

            chunk = "(r + skip) % N"
            let   = { skip = "2**s" }
        """,
    ),
    _code(
        "RP114",
        "not-allowed-here",
        "something of the table language in a place where it does not belong",
        """
        - `/` is exact division and belongs in claims only; indices use `//`, which rounds down.
        - A range or a list belongs in `ranks`, `params` and `for`; elsewhere one value belongs.
        - `divisors(x)` is a list.
        - `sends` lists the sends of one size, so `ranks` must be one number.

        Wrong:

            [[phase.send]]
            to    = "N / 2"
            chunk = "0..N - 1"
            op    = "copy"

        Right:

            [[phase.send]]
            to    = "N // 2"
            for   = { j = "0..N - 1" }
            chunk = "j"
            op    = "copy"
        """,
    ),
    _code(
        "RP115",
        "bad-waiver",
        "a property that cannot be waived",
        """
        `waive` is for published schedules that are right and known to be wasteful: they send
        something twice. What makes a schedule right (in-range, conflict-free, defined,
        complete) cannot be waived, because nothing would be left to prove.

        Wrong:

            waive = ["complete"]

        Right:

            waive = ["no-resend"]
        """,
    ),
    _code(
        "RP116",
        "bad-use",
        "a table that cannot be used here",
        """
        A phase may take its sends from another table, read once for every group of ranks. That
        table must exist and be right, must claim the size of the group, must not use itself, and
        its chunks must stand for slots of this one: as many for each, none of them twice. In a
        group the members are numbered 0, 1, 2, ... without a gap.

        Wrong:

            [[phase]]
            name  = "inside"
            use   = "ring_reduce_scatter.toml"
            group = "r // L"
            rank  = "r"
            chunk = "c"

        Right:

            [[phase]]
            name  = "inside"
            use   = "ring_reduce_scatter.toml"
            group = "r // L"
            rank  = "r % L"
            chunk = "c*G + j"
            for   = { j = "0..G - 1" }
        """,
    ),
    # ---- RP2xx: what happens, step by step ----
    _code(
        "RP201",
        "undefined-value",
        "an expression without a value, in a row that sends",
        """
        Division and modulo by zero or by a negative number, a negative shift or exponent, and a
        logarithm of 0 or less have no value. That is an error only where the row would send:
        guards guard, so `and`, `or`, `if` and `when` may keep such a case away.

        Wrong, for the first step divides by zero:

            [[phase.send]]
            to    = "(r + N // s) % N"
            chunk = "r"
            op    = "copy"

        Right:

            [[phase.send]]
            to    = "(r + N // s) % N"
            chunk = "r"
            op    = "copy"
            when  = "s > 0"
        """,
    ),
    _code(
        "RP202",
        "out-of-range",
        "a rank, slot or step that does not exist",
        """
        Ranks are 0..N-1, steps of a phase are 0..steps-1, and slots are 0..chunks-1, or up to
        chunks + scratch - 1. Nothing wraps around by itself.

        Wrong, for rank N - 1 sends to rank N:

            [[phase.send]]
            to    = "r + 1"
            chunk = "r"
            op    = "copy"

        Right on a ring:

            [[phase.send]]
            to    = "(r + 1) % N"
            chunk = "r"
            op    = "copy"

        Right on a line:

            [[phase.send]]
            to    = "r + 1"
            chunk = "r"
            op    = "copy"
            when  = "r < N - 1"
        """,
    ),
    _code(
        "RP203",
        "conflict",
        "two writes into one slot in one step that do not agree",
        """
        In one step a slot takes any number of reduces, or exactly one copy. Two copies, or a
        copy and a reduce, would leave what arrives last, and a network does not say what that
        is.

        Wrong, for every rank copies into chunk 0 of rank 0 in the same step:

            [[phase.send]]
            to    = "0"
            chunk = "0"
            op    = "copy"

        Right, when the parts are to be added:

            [[phase.send]]
            to    = "0"
            chunk = "0"
            op    = "reduce"
            when  = "r > 0"
        """,
    ),
    _code(
        "RP204",
        "bad-size",
        "a buffer, phase or root that makes no sense at some size",
        """
        At every size there must be at least one chunk, no phase may have a negative number of
        steps, no scratch may be negative, and every root and every owner must be a rank.

        Wrong, for N = 2 gives -1 steps:

            ranks = "2..64"

            [[phase]]
            steps = "N - 3"

        Right:

            ranks = "2..64"

            [[phase]]
            steps = "max(N - 3, 0)"
        """,
    ),
    _code(
        "RP205",
        "too-much-memory",
        "a schedule too large to write out send by send",
        """
        A replay counts every contribution in every slot: about ranks x chunks x contributions
        cells. The size in the report would need more memory than is allowed, so it was not
        replayed, and nothing is proved for it.

        Check fewer ranks, for instance:

            ranks = "2..64"

        or narrow one run with `-N 2..64`; the report then says for which N it speaks.
        """,
    ),
    _code(
        "RP206",
        "reversed-range",
        "a range that ends more than one below its start",
        """
        `lo..hi` with hi = lo - 1 is the empty range, and normal: the last step of many
        schedules has nothing left to do. An end below that is most often a slip, so it is a
        warning. The range still counts as empty.

        Doubtful, for it runs the wrong way:

            for = { j = "N - 1..1" }

        Right:

            for = { j = "1..N - 1" }
        """,
    ),
    _code(
        "RP207",
        "idle-step",
        "a step in which nothing moves",
        """
        Every guard is false in this step, so no message moves. That is not wrong, but a step
        costs time on a machine that keeps in step, and it is often a count that is off by one.
        The claim `steps` counts only steps in which a message moves.

        Doubtful, for nothing is sent in step N - 1:

            [[phase]]
            steps = "N"

            [[phase.send]]
            to    = "(r + 1) % N"
            chunk = "(r - s) % N"
            op    = "copy"
            when  = "s < N - 1"

        Right:

            [[phase]]
            steps = "N - 1"

            [[phase.send]]
            to    = "(r + 1) % N"
            chunk = "(r - s) % N"
            op    = "copy"
        """,
    ),
    # ---- RP3xx: what it means ----
    _code(
        "RP301",
        "incomplete",
        "at the end a slot does not hold what the collective promises",
        """
        A collective promises which contributions each slot holds at the end; all-reduce
        promises every rank's part, exactly once, on every rank. In the slot of the report a
        part is missing, is there twice, or belongs elsewhere. The numbers that come out are
        wrong.

        Wrong in the all-gather of a ring, for rank r passes on a chunk before it has the full
        sum:

            [[phase.send]]
            to    = "(r + 1) % N"
            chunk = "(r + s) % N"
            op    = "copy"

        Right:

            [[phase.send]]
            to    = "(r + 1) % N"
            chunk = "(r - s) % N"
            op    = "copy"
        """,
    ),
    _code(
        "RP302",
        "counted-twice",
        "a contribution is added where it already is (property once)",
        """
        `reduce` adds, so a part that arrives twice counts twice, and the sum is wrong. The
        property `once` holds at every step, not only at the end: a later copy that hides the
        double count makes the schedule right by luck only.

        Wrong, for with N steps the last one adds a finished sum to a part of itself:

            [[phase]]
            steps = "N"

            [[phase.send]]
            to    = "(r + 1) % N"
            chunk = "(r - s - 1) % N"
            op    = "reduce"

        Right:

            [[phase]]
            steps = "N - 1"

            [[phase.send]]
            to    = "(r + 1) % N"
            chunk = "(r - s - 1) % N"
            op    = "reduce"
        """,
    ),
    _code(
        "RP303",
        "resend",
        "a chunk is sent twice (property no-resend)",
        """
        A message repeats the very same value between the same ranks and slots, or a copy brings
        nothing that its receiver lacks. The result may be right, but the traffic is wasted. A
        ring passes: a chunk crosses a link once as a partial sum and once as the full one.

        Wrong, for in step N - 1 every chunk is already everywhere:

            [[phase]]
            steps = "N"

            [[phase.send]]
            to    = "(r + 1) % N"
            chunk = "(r - s) % N"
            op    = "copy"

        Right:

            [[phase]]
            steps = "N - 1"

            [[phase.send]]
            to    = "(r + 1) % N"
            chunk = "(r - s) % N"
            op    = "copy"

        A published schedule that is known to waste may say so; the report counts the waste:

            waive = ["no-resend"]
        """,
    ),
    _code(
        "RP304",
        "ensures",
        "after a phase its stated postcondition does not hold",
        """
        `ensures` states what a phase achieves, so that a mistake is found in the phase that
        makes it. Either the phase is wrong or the statement is; the usual slip is `owner`, who
        holds chunk c after a reduce-scatter.

        Wrong, for with this rotation rank r ends with chunk (r + 1) % N:

            [[phase]]
            steps   = "N - 1"
            ensures = { collective = "reduce-scatter", owner = "c" }

            [[phase.send]]
            to    = "(r + 1) % N"
            chunk = "(r - s) % N"
            op    = "reduce"

        Right:

            [[phase]]
            steps   = "N - 1"
            ensures = { collective = "reduce-scatter", owner = "(c - 1) % N" }

            [[phase.send]]
            to    = "(r + 1) % N"
            chunk = "(r - s) % N"
            op    = "reduce"
        """,
    ),
    _code(
        "RP305",
        "undefined-slot",
        "a slot that nothing has set is sent or added to (property defined)",
        """
        Scratch slots are unset at the start, and so is every slot that the collective gives no
        input, such as the other ranks' slots before an all-gather. To send such a slot, or to
        reduce into it, would read whatever lies in memory.

        Wrong in an all-gather, for slot r + 1 is still unset in step 0:

            [[phase.send]]
            to    = "(r + 1) % N"
            chunk = "(r + 1 - s) % N"
            op    = "copy"

        Right:

            [[phase.send]]
            to    = "(r + 1) % N"
            chunk = "(r - s) % N"
            op    = "copy"
        """,
    ),
    _code(
        "RP306",
        "unused",
        "a value is sent and reaches no promised slot (property used)",
        """
        What this message carries is overwritten, or stays in a slot that the collective does
        not ask for, so the message could be left out. `used` is off unless asked for: some
        schedules send whole blocks for the sake of simple messages.

        Wasteful in a broadcast down a line, for in step N - 1 the last rank sends to the root:

            [[phase]]
            steps = "N"

            [[phase.send]]
            to    = "(r + 1) % N"
            chunk = "0"
            op    = "copy"
            when  = "r == s"

        Right:

            [[phase]]
            steps = "N - 1"

            [[phase.send]]
            to    = "(r + 1) % N"
            chunk = "0"
            op    = "copy"
            when  = "r == s"
        """,
    ),
    _code(
        "RP307",
        "ports",
        "a rank has more partners in one step than it has ports",
        """
        `ports = k` allows a rank to send to at most k distinct ranks in a step, and to receive
        from at most k. A machine with fewer ports serves the messages one after the other, and
        the count of steps then says too little. A local move needs no port.

        Two ports, for both directions of the ring are used at once:

            [[phase.send]]
            to    = "(r + 1) % N"
            chunk = "0"
            op    = "copy"

            [[phase.send]]
            to    = "(r - 1) % N"
            chunk = "1"
            op    = "copy"

        Check with more ports, or take two steps.
        """,
    ),
    _code(
        "RP308",
        "order",
        "ranks add in different orders, so their results are not bit-identical",
        """
        Floating-point addition commutes but is not associative: (a + b) + c and a + (b + c)
        differ in the last bits. When every rank gets the full sum but by another order of
        additions, the ranks drift apart, and a training run cannot be repeated. `order` is off
        unless asked for.

        Differs, for what arrives in one step is added in no stated order, on each rank anew:

            [[phase.send]]
            for   = { k = "1..N - 1" }
            to    = "(r + k) % N"
            chunk = "0"
            op    = "reduce"

        Bit-identical: add each chunk up on one rank, in one order (a reduce-scatter), then copy
        the sum to the others (an all-gather):

            [[phase.send]]
            to    = "(r + 1) % N"
            chunk = "(r - s) % N"
            op    = "copy"
        """,
    ),
    _code(
        "RP309",
        "swap",
        "a slot is overwritten in the step in which a message reads it (property no-swap)",
        """
        In lock-step all messages read before any of them writes, so two ranks may swap a slot.
        A machine that receives in place needs another buffer for that. `no-swap` is off unless
        asked for.

        Swaps, for both partners send and receive chunk 0 in one step:

            [[phase.send]]
            to    = "flip(r, s)"
            chunk = "0"
            op    = "reduce"

        Right, with a spare slot that a later row adds:

            [[phase.send]]
            to    = "flip(r, s)"
            chunk = "0"
            into  = "1"
            op    = "copy"
        """,
    ),
    # ---- RP4xx: claims ----
    _code(
        "RP401",
        "false-claim",
        "a claim differs from what the schedule does",
        """
        Each claim is compared with a count of the sends, at every size. `steps` counts the
        steps in which a message moves, `sends_per_rank` the sends of the busiest rank,
        `traffic` the buffers that it sends. All are exact: `/` is a fraction, never a rounded
        number.

        Wrong for the ring all-reduce, which has two phases of N - 1 steps:

            [claims]
            steps   = "2*N - 1"
            traffic = "2"

        Right, as a value or as a bound:

            [claims]
            steps   = "2*(N - 1)"
            traffic = "<= 2"
        """,
    ),
    _code(
        "RP402",
        "stale-waiver",
        "a waived property holds at every size",
        """
        The table waives a property that nothing breaks. Perhaps the schedule was mended since;
        the waiver would hide the next mistake, so take it out.

        Stale, in a table that resends nothing:

            waive = ["no-resend"]

        Right:

            waive = []
        """,
    ),
    _code(
        "RP403",
        "not-optimal",
        "a table claims that no schedule does better, and one does",
        """
        `optimal = "steps"` says that no schedule of the same collective, with as many partners a
        step and as many chunks a message as this table uses, takes fewer steps. The closed-form
        bound decides it where it is reached; at small sizes Z3 looks for a better schedule.

        Wrong, for a chain of 4 ranks takes 3 steps where a tree takes 2:

            collective = "broadcast"
            optimal    = "steps"

            [[phase]]
            name  = "chain"
            steps = "N - 1"

        Right: leave the claim out, or double the ranks that have it in every step.

            [[phase]]
            name  = "tree"
            steps = "ceil_log2(N)"
        """,
    ),
    # ---- RP5xx: verdicts ----
    _code(
        "RP501",
        "undecided",
        "a property is neither proved nor refuted",
        """
        The solver gave up or ran out of time. Undecided is never taken for a proof: the exit
        code is 3. What was proved for other sizes or other properties still stands, and the
        report says for which.

        Check fewer sizes, or allow more time. State what a phase achieves; it often helps:

            ensures = { collective = "reduce-scatter", owner = "c" }
        """,
    ),
    _code(
        "RP502",
        "nothing-to-prove",
        "no size is left, so every statement would hold for want of a case",
        """
        `where`, `params` and `-N` together leave no size at all. Whatever is claimed of no size
        is true and worthless, so the exit code is 3, never 0.

        Wrong, for there is no power of two between 5 and 7:

            ranks = "5..7"
            where = "is_pow2(N)"

        Right:

            ranks = "2..64"
            where = "is_pow2(N)"
        """,
    ),
    _code(
        "RP503",
        "engines-disagree",
        "replay and proof give different answers: a mistake in ringproof",
        """
        Two engines, written apart, look at every table: one replays it and counts, the other
        asks Z3. They disagree, so one of them is wrong, and no verdict is given. The exit code
        is 101.

        This is a mistake in ringproof, not in the table. Please report it with the table and
        the version of ringproof.
        """,
    ),
    _code(
        "RP504",
        "partial",
        "the check was narrowed, so it says less than the table claims",
        """
        `-N` or a limit on params left out some of the sizes that the table claims. The verdict
        holds for the sizes in the report and says nothing of the others. This is a note, so
        that a narrowed check is not taken for the whole.

        Run without `-N` to check everything that the table claims:

            ranks = "2..64"
        """,
    ),
)

CODES: Mapping[str, Code] = MappingProxyType({code.code: code for code in _ALL})
