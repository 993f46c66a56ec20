"""Where a rehearsed process begins: before any line of the user's, and touching nothing yet."""

from __future__ import annotations

import atexit
import dataclasses
import gc
import os
import resource
import sys
import time
from types import TracebackType

from .. import landlock, network
from ..processes import die_with
from . import draws, leaving, patching
from .actions import waiting
from .errors import stacks
from .errors.failing import failing
from .order import Order, read_order
from .record import Record, rank, world
from .writes.away import Away
from .writes.notebooks import Notebooks
from .writes.overlay import Overlay

SELDOM = (20_000, 20, 20)
"""Objects, and rounds, between two collections: libraries make many objects that stay."""


@dataclasses.dataclass(frozen=True)
class Shim:
    """What examines a rehearsal in one of its processes; it does nothing before `begin`."""

    order: Order
    record: Record
    away: Away
    overlay: Overlay

    def begin(self) -> None:
        """From now on the process is confined to the scratch folder and reports what it does."""
        order, record = self.order, self.record
        die_with(os.getppid())
        confined = not landlock.confine([order.scratch, *order.caches])
        record.add("started", argv=list(getattr(sys, "orig_argv", sys.argv)), process=os.getpid(),
                   parent=os.getppid(), confined=confined,
                   root=str(order.root), folder=str(order.folder))  # fmt: skip
        _limit(order)
        _record_end(order, record)
        gc.set_threshold(*SELDOM)
        network.close()
        sys.meta_path.append(Notebooks(record))
        self.overlay.begin()
        self.away.watch_writes()
        draws.begin()
        patching.begin()


def begin() -> None:
    """Begin, where this process belongs to a rehearsal."""
    order = read_order()
    if order is not None:
        waiting_for_libraries(order).begin()


def waiting_for_libraries(order: Order) -> Shim:
    """A shim that acts on libraries as they are imported."""
    record = Record(order)
    away = Away(order, record)
    overlay = Overlay(away)
    sys.meta_path.insert(0, waiting(order, record, away, overlay))
    return Shim(order, record, away, overlay)


def _limit(order: Order) -> None:
    """No core, no file larger than the disk allowed; every thread is written down at times.

    The rest of the limits is the doctor's, for all processes together.
    """
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    most = order.disk if hard == resource.RLIM_INFINITY else min(order.disk, hard)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    seconds = max(2.0, order.begun + order.seconds - time.time())
    stacks.begin(order.records, rank(), world(), seconds)


def _record_end(order: Order, record: Record) -> None:
    """Report an error that ends the process, and an exit."""
    before = sys.excepthook

    def failed(
        kind: type[BaseException], error: BaseException, calls: TracebackType | None
    ) -> None:
        record.add("failed", stage="script", **failing(error), module=getattr(error, "name", None),
                   file=getattr(error, "filename", None), line=getattr(error, "lineno", None),
                   network=_is_network(error))  # fmt: skip
        before(kind, error, calls)

    sys.excepthook = failed
    leaving.watch(record)
    atexit.register(gc.freeze)  # or the interpreter looks through all of it a second long


def _is_network(error: BaseException) -> bool:
    from ..child import causes

    return any(isinstance(cause, network.NetworkRefused) for cause in causes(error))
