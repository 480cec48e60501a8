"""One file to check, and what is said of a file that no worker lived to check."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from multiprocessing.process import BaseProcess

from ringproof.assess import Options
from ringproof.check import Progress, check, check_file
from ringproof.diagnose.ended import cluster_lost, internal_error, not_reached, worker_died
from ringproof.diagnose.problems import out_of_memory
from ringproof.inputs import Item, ProgramText, check_item, is_program, kind_of, path_of
from ringproof.table.source import Source
from ringproof.verdict import Finding, Report
from ringproof.weigh import weight


def check_one(item: Item, options: Options, progress: Progress | None = None) -> Report:
    """Check one table or program; a machine without enough memory is no mistake of ringproof."""
    try:
        return _checked(item, options, progress)
    except Exception as error:
        error.add_note(f"while checking {path_of(item)}")
        raise


def check_one_of_many(item: Item, options: Options, progress: Progress | None = None) -> Report:
    """Check one file of several; a bug of ours is the report of that file and of no other."""
    try:
        return _checked(item, options, progress)
    except Exception as error:
        return failed(item, error)


def _checked(item: Item, options: Options, progress: Progress | None) -> Report:
    try:
        if isinstance(item, Report):
            return item
        if isinstance(item, Source):
            return check(item, options, progress)
        if isinstance(item, ProgramText) or is_program(item):
            return check_item(item, options)
        return check_file(item, options, progress)
    except MemoryError:
        return no_memory(item, options)


def no_memory(item: Item, options: Options) -> Report:
    """What is said of a file for which a machine has too little memory."""
    return _ended(item, out_of_memory(options.settings.memory))


def failed(item: Item, error: Exception) -> Report:
    """What is said of a file on which ringproof failed; the traceback is for whoever asks for it."""
    if os.environ.get("RINGPROOF_DEBUG"):
        sys.stderr.write("".join(traceback.format_exception(error)))
    return _ended(item, internal_error(error))


def lost(item: Item, how: str) -> Report:
    """What is said of a file that ended its worker twice; ``how`` it ended the second time."""
    return _ended(item, worker_died(how))


def left(item: Item, why: str) -> Report:
    """What is said of a file that a cluster left unchecked, and ``why``."""
    return _ended(item, cluster_lost(why))


def unreached(item: Item) -> Report:
    """What is said of a file that an interruption left unchecked."""
    return _ended(item, not_reached())


def _ended(item: Item, finding: Finding) -> Report:
    return Report(path_of(item), "", "", "", findings=(finding,), kind=kind_of(item))


def how_ended(process: BaseProcess) -> str:
    """How a dying process ended, in words, for `lost`."""
    process.join()
    code = process.exitcode or 0
    if code >= 0:
        return f"the process ended with exit code {code}"
    try:
        return f"the process was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"the process was ended by signal {-code}"


def heaviest_first(items: list[Item], options: Options) -> list[int]:
    """The order to begin in: a long table that starts last keeps one core busy and the others idle."""
    return sorted(range(len(items)), key=lambda i: -_weight(items[i], options))


def _weight(item: Item, options: Options) -> float:
    if isinstance(item, Report | ProgramText):
        return 0.0
    try:
        if isinstance(item, str) and is_program(item):
            return os.path.getsize(item) / 100  # bytes a step
        return weight(item, options)
    except Exception:
        return 0.0  # whoever checks the file will say what is wrong
