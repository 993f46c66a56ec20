"""Notes every tensor storage that a step makes and frees: its size, its phase, its line of code."""

from __future__ import annotations

import contextlib
import sys
import weakref
from collections.abc import Iterator
from typing import Any

from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from .guesses import Guesses
from .log import BACKWARD, FORWARD, LOAD, Log, Storage

OURS = __package__ or ""
PASSED = ("torch", "importlib", "functools", "contextlib", "weakref", OURS)
"""Modules whose lines do not show what made a tensor."""


LARGE = 1 << 20
"""Elements of a tensor that is too large to be made."""

MANY, MOST = 10_000, 200_000
"""Operations of one call of a model with long rows, and with short ones. Ordinary models take at
most two thousand in their few layers.
"""


class TooMany(Exception):
    """A trace took too many operations: the model computes token after token.

    `calls` are the shapes of ids until then, `new` the tokens of a completion.
    """

    def __init__(self, calls: dict[str, list[tuple[int, ...]]], new: int) -> None:
        super().__init__("its step takes too many operations, with few layers")
        self.calls, self.new = calls, new


class Tracker(TorchDispatchMode):  # type: ignore[misc]
    """While entered, notes what every operation allocates, in `log`.

    With a `fake` mode, operations on fake tensors and those inside `faked()` hold no data; without
    one everything is real, and the same is noted. `rounding` is the allocator's unit in bytes,
    `most` the operations of a model's call after which it stops.
    `cache` are the storages of keys and values while generating, `new` the tokens of a completion,
    `calls` the shapes of the token ids that models were called with, by phase.
    """

    def __init__(self, fake: Any, rounding: int = 1, most: int = MANY) -> None:
        super().__init__()
        self.most = most
        self.fake, self.rounding = fake, rounding
        self.guesses = Guesses(fake)
        self.log = Log()
        self.phase = LOAD
        self.cache: set[int] = set()
        self.calls: dict[str, list[tuple[int, ...]]] = {}
        self.new = 0
        self._depth = self._large = self._operations = 0
        self._live: dict[int, tuple[int, Any]] = {}
        self._flops = _flop_formulas()
        self._by_shape: dict[tuple[int, ...], str] = {}
        self.mark("building")

    def mark(self, label: str) -> None:
        """Begin a segment of the present phase."""
        self.log.segments.append((self.phase, label))
        self._operations = 0

    def enter(self, phase: str, label: str = "") -> None:
        """Begin a phase."""
        self.phase = phase
        self.mark(label)

    @contextlib.contextmanager
    def faked(self) -> Iterator[None]:
        """While this lasts new tensors hold no data, whatever they are made of."""
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1

    @contextlib.contextmanager
    def large_faked(self) -> Iterator[None]:
        """While this lasts new large tensors hold no data; what is small stays as it is."""
        self._large += 1
        try:
            yield
        finally:
            self._large -= 1

    def _holds_no_data(self, func: Any, args: Any, kwargs: Any) -> bool:
        """Whether the result of an operation is to hold no data."""
        if self.fake is None:
            return False
        if self._depth or self.guesses.any_fake(args, kwargs):
            return True
        return self._large > 0 and self.guesses.size(func, args, kwargs) > LARGE

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if self._holds_no_data(func, args, kwargs):
            self._count()
            out = self.guesses.run(func, args, kwargs)
        else:
            out = func(*args, **kwargs)
        formula = self._flops.get(func._overloadpacket)
        if formula:
            segment = len(self.log.segments) - 1
            count = int(formula(*args, **kwargs, out_val=out))
            self.log.flops[segment] = self.log.flops.get(segment, 0) + count
        for leaf in tree_leaves(out):
            self.see(leaf, str(func))
        return out

    def _count(self) -> None:
        """Stop after too many operations of a forward pass: a backward one cannot be left.

        Once: what cleans up afterwards must not be stopped.
        """
        self._operations += 1
        if self._operations == self.most and self.phase != BACKWARD:
            raise TooMany(self.calls, self.new)

    def see(self, value: Any, op: str) -> None:
        """Note the storage of a tensor that is not known yet."""
        import torch

        if not isinstance(value, torch.Tensor):
            return
        try:
            storage = value.untyped_storage()
        except (NotImplementedError, RuntimeError):
            return
        key = storage._cdata
        if key in self._live:
            return
        size = -(-storage.nbytes() // self.rounding) * self.rounding
        segment = len(self.log.segments) - 1
        shape, dtype = tuple(map(int, value.shape)), str(value.dtype).rpartition(".")[2]
        self.log.storages.append(Storage(size, op, shape, dtype, self._site(shape), segment))
        number = len(self.log.storages)
        self.log.events.append((number, segment))
        self._live[key] = number, weakref.ref(storage, self._freer(key, number))

    def number(self, value: Any) -> int:
        """The number of a tensor's storage; 0 if it was not seen."""
        return self._live.get(value.untyped_storage()._cdata, (0, None))[0]

    def _site(self, shape: tuple[int, ...]) -> str:
        """The line that makes a tensor; in a backward pass, that of its like in the forward one."""
        site = _site()
        if self.phase == FORWARD:
            self._by_shape[shape] = site
        elif self.phase == BACKWARD and site.endswith(" in backward") and shape in self._by_shape:
            return f"backward of {self._by_shape[shape]}"
        return site

    def _freer(self, key: int, number: int) -> Any:
        live, log = self._live, self.log

        def freed(_: Any) -> None:
            if live.get(key, (0, None))[0] == number:
                del live[key]
                log.events.append((-number, len(log.segments) - 1))

        return freed


def _flop_formulas() -> dict[Any, Any]:
    """What counts the floating-point operations of matrix products and attention, by operation."""
    try:
        from torch.utils.flop_counter import flop_registry
    except ImportError:
        return {}
    import torch

    grouped = getattr(torch.ops.aten, "_grouped_mm", None)
    more = {} if grouped is None or grouped in flop_registry else {grouped: _grouped_flops}
    return {**flop_registry, **more}


def _grouped_flops(left: Any, other: Any, *_: Any, out_val: Any, **__: Any) -> int:
    """Each row is multiplied with one of the groups' matrices."""
    rows = left.shape[-1] if left.dim() == other.dim() == 2 else left.shape[-2]
    return (
        2
        * int(rows)
        * int(out_val.shape[-1])
        * int(left.shape[-2] if left.dim() == other.dim() == 2 else left.shape[-1])
    )


def _site() -> str:
    """The innermost line of a library or script that led here: `file:line in function`."""
    frame: Any = sys._getframe(3)
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if not (name.partition(".")[0] in PASSED or name.startswith(OURS)):
            code = frame.f_code
            file = code.co_filename.rpartition("site-packages/")[2]
            return f"{file}:{frame.f_lineno} in {code.co_name}"
        frame = frame.f_back
    return ""
