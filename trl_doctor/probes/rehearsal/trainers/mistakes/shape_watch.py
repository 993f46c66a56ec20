"""Watches operations of torch for tensors of the shapes (n, 1) and (n,) that become (n, n)."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from ...where import At

LOSSES = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "kl_div", "poisson_nll_loss")
"""Functions that compare two tensors number by number."""

VIEWS = ("unsqueeze", "view", "reshape", "__getitem__")
"""Operations that make (n, 1) of (n,), where a matrix is wanted."""

OF_MATRICES = ("diagonal", "diag", "triu", "tril", "matmul", "mm", "softmax", "log_softmax",
               "logsumexp", "cross_entropy", "fill_diagonal_", "argmax", "topk",
               "sort")  # fmt: skip
"""Operations on the result that say that a matrix is wanted."""


class Mixed(NamedTuple):
    """An operation on the values of so many rows; the shapes are those of its operands."""

    operation: str
    shapes: tuple[tuple[int, ...], ...]
    rows: int


class ShapeWatch:
    """Looks at operations of the user's lines, which `line` tells.

    Left alone: a column that a view has made of a vector, a vector that is the column itself, and
    a result that is used as a matrix.
    """

    def __init__(self, line: Callable[[], At | None]) -> None:
        self.line = line
        self.mixed = dict[At, Mixed]()
        self.wanted = set[At]()
        self.columns: list[Any] = []
        """Tensors (n, 1) that views have made."""
        self.results: list[tuple[Any, At]] = []
        """Tensors (n, n) that mix rows."""

    def found(self) -> dict[At, Mixed]:
        """The operations that mix rows, by the line."""
        return {at: mixed for at, mixed in self.mixed.items() if at not in self.wanted}

    @contextlib.contextmanager
    def watched(self) -> Iterator[None]:
        """While this lasts, operations are watched."""
        from torch.overrides import TorchFunctionMode

        see = self._see

        class Mode(TorchFunctionMode):  # type: ignore[misc]
            def __torch_function__(
                self, operation: Any, _: Any, given: Any = (), more: Any = None
            ) -> Any:
                result = operation(*given, **(more or {}))
                see(getattr(operation, "__name__", ""), _tensors([*given, *(more or {}).values()]),
                    result)  # fmt: skip
                return result

        try:
            with Mode():
                yield
        finally:
            self.columns.clear()
            self.results.clear()

    def _see(self, name: str, given: Sequence[Any], result: Any) -> None:
        shape = _shape(result)
        if shape is None:
            return
        self._follow(name, given, result)
        column = next((one for one in given if _is_column(one)), None)
        if len(shape) == 2 and shape[1] == 1 and shape[0] > 1:
            viewed = name in VIEWS and bool(given) and _shape(given[0]) == shape[:1]
            if viewed or (column is not None and self._is_made(column)):
                self.columns.append(result)
            return
        rows = 0 if column is None else int(column.shape[0])
        vector = next((one for one in given if _shape(one) == (rows,)), None)
        if column is None or vector is None or not (name in LOSSES or shape == (rows, rows)):
            return
        meant = self._is_made(column) or column.data_ptr() == vector.data_ptr()
        if (meant and name not in LOSSES) or any(_shape(one) == (rows, rows) for one in given):
            return
        if (at := self.line()) is not None:
            self.mixed.setdefault(at, Mixed(name.strip("_"), (_shape(column) or (), (rows,)), rows))
            self.results.append((result, at))

    def _is_made(self, column: Any) -> bool:
        return any(column is one for one in self.columns)

    def _follow(self, name: str, given: Sequence[Any], result: Any) -> None:
        """Note what becomes of the results that mix rows."""
        for mixed, at in list(self.results):
            if not any(one is mixed for one in given):
                continue
            own = [of for of, _ in self.results]
            others = [one for one in given if not any(one is of for of in own)]
            if name in OF_MATRICES or any(one.shape == mixed.shape for one in others):
                self.wanted.add(at)
            elif result.shape == mixed.shape:
                self.results.append((result, at))


def _tensors(values: Sequence[Any]) -> list[Any]:
    """The tensors among the arguments of an operation, and in lists among them."""
    parts = [part for one in values for part in (one if isinstance(one, (tuple, list)) else [one])]
    return [part for part in parts if _shape(part) is not None]


def _shape(value: Any) -> tuple[int, ...] | None:
    """The shape of a tensor; None for anything else."""
    import torch

    return tuple(value.shape) if isinstance(value, torch.Tensor) else None


def _is_column(value: Any) -> bool:
    return bool(value.dim() == 2 and value.shape[1] == 1 and value.shape[0] > 1)
