"""A program as text; the same program is the same bytes."""

from __future__ import annotations

import re
from xml.sax.saxutils import quoteattr

from ringproof.program.model import Program, Step

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_xml(program: Program, remark: str = "") -> str:
    """The file; ``remark`` stands in a comment before the root."""
    outofplace = "" if program.outofplace is None else f' outofplace="{int(program.outofplace)}"'
    sizes = "".join(
        f' {name}="{value}"'
        for name, value in (("minBytes", program.min_bytes), ("maxBytes", program.max_bytes))
        if value is not None
    )
    lines = [f"<!-- {_plain(remark).replace('--', '- -')} -->"] if remark else []
    lines.append(
        f"<algo name={quoteattr(_plain(program.name))} proto=\"{program.proto}\" "
        f'nchannels="{program.nchannels}" nchunksperloop="{program.chunks}" ngpus="{program.ranks}" '
        f'coll="{program.coll}" inplace="{int(program.inplace)}"{outofplace}{sizes}>'
    )
    for gpu in program.gpus:
        lines.append(f'  <gpu id="{gpu.id}" i_chunks="{gpu.i_chunks}" o_chunks="{gpu.o_chunks}" '
                     f's_chunks="{gpu.s_chunks}">')  # fmt: skip
        for tb in gpu.tbs:
            lines.append(f'    <tb id="{tb.id}" send="{tb.send}" recv="{tb.recv}" chan="{tb.chan}">')
            lines += [f"      {_step(s, step)}" for s, step in enumerate(tb.steps)]
            lines.append("    </tb>")
        lines.append("  </gpu>")
    return "\n".join([*lines, "</algo>", ""])


def _step(s: int, x: Step) -> str:
    return (f'<step s="{s}" type="{x.op}" srcbuf="{x.srcbuf}" srcoff="{x.srcoff}" dstbuf="{x.dstbuf}" '
            f'dstoff="{x.dstoff}" cnt="{x.cnt}" depid="{x.depid}" deps="{x.deps}" '
            f'hasdep="{int(x.hasdep)}"/>')  # fmt: skip


def _plain(text: str) -> str:
    return _NOT_XML.sub("?", " ".join(text.split()))
