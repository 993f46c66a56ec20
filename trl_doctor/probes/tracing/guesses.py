"""What operations give on tensors without data where their result depends on the data."""

from __future__ import annotations

from typing import Any

from torch.utils._pytree import tree_leaves


class Guesses:
    """Runs operations in a fake mode, and guesses where a shape or a number depends on values.

    A boolean index is taken to select everything, a truth value to be false (rows are padded,
    nothing is NaN), a number to be one.
    """

    def __init__(self, fake: Any) -> None:
        self.fake = fake

    def any_fake(self, args: Any, kwargs: Any) -> bool:
        """Whether a tensor without data is among the arguments."""
        return any(self._is_fake(leaf) for leaf in tree_leaves((args, kwargs)))

    def size(self, func: Any, args: Any, kwargs: Any) -> int:
        """The elements of a tensor that would be made of no other; 0 if it is of others."""
        import torch

        if any(isinstance(leaf, torch.Tensor) for leaf in tree_leaves((args, kwargs))):
            return 0
        with self.fake:
            out = func(*args, **kwargs)
        return out.numel() if isinstance(out, torch.Tensor) else 0

    def run(self, func: Any, args: Any, kwargs: Any) -> Any:
        """The result of an operation, without data."""
        import torch

        aten = torch.ops.aten
        name = func._overloadpacket
        if name in (aten._local_scalar_dense, aten.item):
            return self._number(args[0], func)
        if name is aten.is_nonzero:
            return self._is_fake(args[0]) is False and func(*args)
        with self.fake:
            if name is aten.nonzero:
                size = args[0].numel()
                return torch.empty(size, args[0].dim(), dtype=torch.long)
            if name is aten.masked_select:
                return args[0].new_empty(args[0].numel())
            if name in (aten.index, aten.index_put, aten.index_put_, aten._index_put_impl_):
                args = (
                    args[0],
                    [self._positions(tensor) for tensor in _spread(args[1])],
                    *args[2:],
                )
            if name is aten.equal:
                return False
            if name is getattr(aten, "_grouped_mm", None):
                return _grouped(*args, **kwargs)
            return func(*args, **kwargs)

    def _is_fake(self, value: Any) -> bool:
        from torch._subclasses.fake_tensor import FakeTensor

        return isinstance(value, FakeTensor)

    def _number(self, value: Any, func: Any) -> Any:
        if not self._is_fake(value):
            return func(value)
        if value.dtype.is_floating_point:
            return 1.0
        return False if str(value.dtype) == "torch.bool" else 1

    def _positions(self, index: Any) -> Any:
        """An index of positions for a boolean one, as if it were true everywhere."""
        import torch

        if index is None or index.dtype not in (torch.bool, torch.uint8):
            return index
        return torch.empty(index.numel(), dtype=torch.long)


def _grouped(
    left: Any, other: Any, offs: Any = None, bias: Any = None, out_dtype: Any = None
) -> Any:
    """A product of groups of rows, in types that torch's own rule for no data refuses."""
    import torch

    if left.dim() == other.dim() == 2:
        shape = [offs.shape[0], left.shape[0], other.shape[1]]
    elif left.dim() == other.dim() == 3:
        shape = [left.shape[0], left.shape[1], other.shape[2]]
    else:
        shape = [left.shape[-2], other.shape[-1]]
    return torch.empty(shape, dtype=out_dtype or left.dtype)


def _spread(indices: Any) -> list[Any]:
    """Indices with a boolean one of several dimensions repeated for each of them."""
    import torch

    positions: list[Any] = []
    for index in indices:
        boolean = index is not None and index.dtype in (torch.bool, torch.uint8)
        positions += [index] * (index.dim() if boolean else 1)
    return positions
