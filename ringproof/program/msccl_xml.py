"""Reading MSCCL `<algo>` XML as its runtimes do, strictly, with the place of every element.

The text is parsed as a stream; what it holds is bounded by the file, for a document type or an entity
is refused where it is declared, before anything is expanded.
"""

from __future__ import annotations

from xml.parsers import expat

from ringproof.program import model
from ringproof.program.elements import Complaints, Element
from ringproof.program.model import BUFFERS, COLLECTIVE_OF, OPS, Gpu, Program, Step, Threadblock
from ringproof.table.misread import cut
from ringproof.textfile import SourceError
from ringproof.verdict import Finding, Label, Spot

_ALGO = frozenset(
    "name proto nchannels nchunksperloop ngpus coll inplace outofplace minBytes maxBytes".split()
)
_GPU = frozenset(("id", "i_chunks", "o_chunks", "s_chunks"))
_TB = frozenset(("id", "send", "recv", "chan"))
_STEP = frozenset("s type srcbuf srcoff dstbuf dstoff cnt depid deps hasdep".split())
DEEPEST = 64
_WITHIN = {"": "algo", "algo": "gpu", "gpu": "tb", "tb": "step", "step": ""}
_COLLS = (*COLLECTIVE_OF, *model.UNPROMISED)


def read_program(path: str, text: str) -> tuple[Program, tuple[Finding, ...]]:
    """Read a file's text: the program, and notes about what was not read.

    Errors: `SourceError` with every mistake of the file (RP601..RP608); the first that is no XML ends it.
    """
    complaints = Complaints(text)
    reader = _Reader(complaints)
    parser = expat.ParserCreate("utf-8")
    reader.parser = parser
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.StartDoctypeDeclHandler = reader.doctype
    parser.EntityDeclHandler = reader.doctype
    parser.buffer_text = True
    parser.CharacterDataHandler = reader.words
    try:
        parser.Parse(text.encode("utf-8"), True)
    except expat.ExpatError as error:
        complaints.findings.append(_syntax(error, parser.ErrorByteIndex, text))
    except _DepthError:
        complaints.add("RP603", f"elements are nested more than {DEEPEST} deep", parser.CurrentByteIndex)
    except _DoctypeError:
        complaints.add(
            "RP602", "the file declares a document type; a program has none, and entities are not expanded",
            parser.CurrentByteIndex, label="remove this",
        )  # fmt: skip
    if complaints.errors or reader.program is None:
        refused = SourceError(path, complaints.findings[0], text)
        refused.findings = complaints.told()
        raise refused
    return reader.program, complaints.told()


def _syntax(error: expat.ExpatError, at: int, text: str) -> Finding:
    reason = expat.ErrorString(error.code)
    if not text.strip():
        return Finding("RP601", "the file is empty", primary=Label(Spot(1, 1)))
    title = "the file is cut off, or" if error.code == _CUT_OFF else "the file"
    before = text.encode()[:at].decode("utf-8", "ignore")  # expat's own lines end at a lone CR too
    label = Label(Spot(before.count("\n") + 1, len(before) - before.rfind("\n")), reason)
    return Finding("RP601", f"{title} is not XML", primary=label)


_CUT_OFF = 3  # XML_ERROR_NO_ELEMENTS; a file that ends inside an element


class _DoctypeError(Exception):
    pass


class _DepthError(Exception):
    pass


class _Reader:
    """What a stream of elements has built so far, from the inside out."""

    parser: expat.XMLParserType

    def __init__(self, complaints: Complaints) -> None:
        self.complaints = complaints
        self.within = [""]
        self.program: Program | None = None
        self.ranks = self.rank = 0
        self.algo = self.gpu = self.tb = Element("", {}, -1, complaints)
        self.gpus: dict[int, Gpu] = {}
        self.tbs: dict[int, Threadblock] = {}
        self.steps: list[Step] = []

    def doctype(self, *_: object) -> None:
        raise _DoctypeError

    def words(self, data: str) -> None:
        if data.strip():
            at = self.parser.CurrentByteIndex
            self.complaints.add("RP603", f"text stands between elements: `{cut(data.strip())}`", at)

    def start(self, tag: str, values: dict[str, str]) -> None:
        parent, at = self.within[-1], self.parser.CurrentByteIndex
        self.within.append(tag)
        if len(self.within) > DEEPEST:
            raise _DepthError
        if parent == "?" or _WITHIN.get(parent) != tag:
            self.within[-1] = "?"
            if parent != "?":
                self._stranger(tag, parent, at)
            return
        element = Element(tag, values, at, self.complaints)
        if tag == "step":
            self._step(element)
        elif tag == "tb":
            self.tb, self.steps = element, []
        elif tag == "gpu":
            self.gpu, self.tbs = element, {}
            self.rank = element.integer("id")
        else:
            self.algo = element
            self.ranks = element.integer("ngpus", 1)

    def end(self, tag: str) -> None:
        tag = self.within.pop()
        if tag == "tb":
            self._threadblock(self.tb)
        elif tag == "gpu":
            self._gpu(self.gpu)
        elif tag == "algo":
            self.program = self._program(self.algo)

    def _stranger(self, tag: str, parent: str, at: int) -> None:
        belongs = _WITHIN.get(parent, "")
        if parent and tag not in _WITHIN:
            self.complaints.skipped(tag, "", at)
            return
        if not parent:
            title = f"the root of a program is `algo`, not `{cut(tag)}`"
        elif belongs:
            title = f"in `{parent}` belongs `{belongs}`, not `{cut(tag)}`"
        else:
            title = f"nothing belongs in `{parent}`, but here is `{cut(tag)}`"
        self.complaints.add("RP603", title, at)

    def _step(self, element: Element) -> None:
        values = element.values
        if len(values) != len(_STEP) or not values.keys() >= _STEP:
            element.known(_STEP)
        number = element.integer("s")
        op = element.word("type", OPS)
        if number != len(self.steps):
            title = f"step {number} stands where step {len(self.steps)} belongs"
            element.wrong("s", title, "steps are numbered 0, 1, 2, ... in the order they run", "RP607")
        self.steps.append(Step(
            op, element.word("srcbuf", BUFFERS), element.integer("srcoff", -1),  # type: ignore[arg-type]
            element.word("dstbuf", BUFFERS), element.integer("dstoff", -1),  # type: ignore[arg-type]
            element.integer("cnt"), element.integer("depid", -1), element.integer("deps", -1),
            element.flag("hasdep"), element.at,
        ))  # fmt: skip

    def _threadblock(self, element: Element) -> None:
        element.known(_TB)
        number = element.integer("id")
        send, recv = self._peer(element, "send"), self._peer(element, "recv")
        tb = Threadblock(number, send, recv, element.integer("chan"), tuple(self.steps), element.at)
        if number in self.tbs:
            self._twice(element, f"threadblock {number}", self.tbs[number].at)
        self.tbs.setdefault(number, tb)

    def _peer(self, element: Element, side: str) -> int:
        peer = element.integer(side, -1, -1)
        if peer >= self.ranks:
            title = f"there is no GPU {peer}: the program has {self.ranks}"
            element.wrong(side, title, "-1 is no peer", "RP608")
        elif peer >= 0 and peer == self.rank:
            element.wrong(side, f"GPU {peer} is its own peer", "a move within a GPU is `cpy`", "RP608")
        return peer

    def _gpu(self, element: Element) -> None:
        element.known(_GPU)
        number = self.rank
        i, o, s = (element.integer(f"{buffer}_chunks") for buffer in BUFFERS)
        missing = [i for i in range(len(self.tbs)) if i not in self.tbs]
        if missing:
            title = f"GPU {number} has {len(self.tbs)} threadblocks and none of them is {missing[0]}"
            self.complaints.add("RP607", title, element.at, hint="their ids are 0, 1, 2, ... without a gap")
        tbs = tuple(self.tbs[i] for i in sorted(self.tbs))
        gpu = Gpu(number, i, o, s, tbs, element.at)
        if number in self.gpus:
            self._twice(element, f"GPU {number}", self.gpus[number].at)
        elif number >= self.ranks:
            title = f"GPU {number} is beyond the {self.ranks} that the program says"
            element.wrong("id", title, code="RP607")
        self.gpus.setdefault(number, gpu)

    def _twice(self, element: Element, what: str, first: int) -> None:
        related = (self.complaints.places.label(first, "id", "the first"),)
        self.complaints.add("RP607", f"there are two of {what}", element.at, "id", related=related)

    def _program(self, element: Element) -> Program:
        element.known(_ALGO)
        absent = next((i for i in range(self.ranks) if i not in self.gpus), self.ranks)
        if absent < self.ranks and not self.complaints.errors:
            title = f"`ngpus` is {self.ranks}, but there is no GPU {absent}"
            element.wrong("ngpus", title, code="RP607", label=f"{len(self.gpus)} are listed")
        return Program(
            element.text("name"), element.word("coll", _COLLS), element.integer("nchunksperloop", 1, 1),
            tuple(self.gpus[i] for i in sorted(self.gpus)),
            element.word("proto", model.PROTOCOLS), element.integer("nchannels", 1, 1),  # type: ignore[arg-type]
            element.flag("inplace"), element.flag("outofplace") if "outofplace" in element.values else None,
            element.optional("minBytes"), element.optional("maxBytes"), element.at,
        )  # fmt: skip
