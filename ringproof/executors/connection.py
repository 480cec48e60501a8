"""The way to a Dask cluster that is already there: is it one, can it check, and is it still there."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from typing import Any

from ringproof.executors.shares import differing
from ringproof.version import kin

CONNECTING = 10.0  # seconds at most; the time that Dask is set to wait for a connection, if that is less
ANSWERING = 30.0  # seconds, for a scheduler that answered before


class NoCluster(Exception):
    """There is no cluster that could check, and why."""


class LostCluster(Exception):
    """The cluster was there, and is not there any more."""


@contextmanager
def connected(address: str) -> Iterator[Any]:
    """A client of the scheduler at ``address``, whose cluster can check; it is closed at the end.

    Meanwhile the libraries log nothing: what happens to the cluster is told in the report.  Errors:
    `NoCluster`.
    """
    try:
        import dask
        import distributed
    except ImportError:
        raise NoCluster("distributed is not installed; pip install 'ringproof[dask]'") from None
    known: Any = distributed  # which is partly typed
    configured = dask.utils.parse_timedelta(dask.config.get("distributed.comm.timeouts.connect"))
    with _unlogged():
        nobody = f"there is no Dask scheduler at {address}"
        try:
            timeout = min(CONNECTING, configured)
            client = _within(timeout + 1, lambda: known.Client(address, timeout=timeout))
        except MemoryError:  # for a message of the length that other words would have as a number
            raise NoCluster(f"{nobody}: another kind of server answers") from None
        except Exception as error:  # whatever answers there, or nothing
            raise NoCluster(f"{nobody}: {_short(error)}") from None
        try:
            _able(client, address)
            yield client
        finally:
            client.close(timeout=2)


def _within(seconds: float, what: Callable[[], Any]) -> Any:
    """What it gives in that time; Dask waits for ever for a server that takes a connection and is silent.

    Errors: `TimeoutError`, or its own.
    """
    given: SimpleQueue[tuple[Any, Exception | None]] = SimpleQueue()

    def ask() -> None:
        try:
            given.put((what(), None))
        except Exception as error:
            given.put((None, error))

    threading.Thread(target=ask, daemon=True).start()
    try:
        found, error = given.get(timeout=seconds)
    except Empty:
        raise TimeoutError(f"nothing is answered in {seconds:.0f} s") from None
    if error is not None:
        raise error
    return found


def _able(client: Any, address: str) -> None:
    """Refuse a cluster of another kin; errors: `NoCluster`.

    A worker that comes later is asked with every share: some clusters begin with none.
    """
    try:
        workers = client.run(kin, on_error="return")
    except Exception as error:
        raise NoCluster(f"the scheduler at {address} cannot be asked: {_short(error)}") from None
    try:
        scheduler = client.run_on_scheduler(kin)
    except Exception as error:
        scheduler = error
    told = {f"the scheduler at {address}": scheduler, **{f"the worker at {w}": k for w, k in workers.items()}}
    strangers = [f"{who} {_strange(said)}" for who, said in told.items() if said != kin()]
    if strangers:
        more = f" (and {len(strangers) - 1} more like it)" if len(strangers) > 1 else ""
        here = ", ".join(f"{name} {version}" for name, version in kin().items())
        raise NoCluster(f"{strangers[0]}{more}; every machine of the cluster needs what is here: {here}")


def _strange(said: Any) -> str:
    """Why what a machine of the cluster says of its kin will not do."""
    if isinstance(said, Mapping):
        return f"has {differing(said, kin())}"
    return f"has no ringproof that can answer: {_short(said)}"


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__


def workers(client: Any) -> int:
    """How many workers there are now; errors: `LostCluster` when the scheduler does not answer."""
    try:
        return len(client.sync(client.scheduler.ncores, callback_timeout=ANSWERING))
    except Exception as error:
        raise LostCluster(f"the scheduler does not answer any more: {_short(error)}") from None


@contextmanager
def _unlogged() -> Iterator[None]:
    """Have nothing logged, unless somebody looks for a mistake: here nobody but the libraries logs."""
    before = logging.root.manager.disable
    if not os.environ.get("RINGPROOF_DEBUG"):
        logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)
