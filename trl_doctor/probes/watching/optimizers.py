"""Looks at optimizers around every step that they make."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator


@contextlib.contextmanager
def steps(before: Callable[..., None], after: Callable[..., None]) -> Iterator[None]:
    """While this lasts, both are called around each step, of any optimizer, with the optimizer."""
    from torch.optim import optimizer

    hooks = [
        optimizer.register_optimizer_step_pre_hook(before),
        optimizer.register_optimizer_step_post_hook(after),
    ]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()
