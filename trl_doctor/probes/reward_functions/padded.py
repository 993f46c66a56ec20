"""Whether the model of a reward function reads its score at a pad."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .calls import Sheet, called
from .rows import Case

LONGER = " Let me say the same once more, in other words." * 4
FEW = 3
"""The most completions that are tried."""

SMALL = 0.02
"""The share of a score up to which another one is a rounding error, as of bfloat16."""


def of_padding(function: Callable[..., Any], sheet: Sheet, cases: Sequence[Case]) -> bool:
    """Whether a completion gets another reward beside a longer one, but not beside a shorter one.

    Only of functions that call a model with padded texts: one that ranks the completions of a call
    changes the reward beside any other completion.
    """
    try:
        for case in [case for case in cases if len(case.text) > 1][:FEW]:
            with _padded() as seen:
                (alone,) = called(function, [case], sheet).values
            if not seen:
                return False  # it calls no model
            beside = []
            for text in (case.text + LONGER, case.text[: len(case.text) // 2]):
                with _padded() as seen:
                    call = called(function, [case, case._replace(text=text)], sheet)
                if not any(seen) or call.returned != 2:
                    return False
                beside.append(call.values[0])
            longer, shorter = (not _near(alone, value) for value in beside)
            if longer and not shorter:
                return True
    except Exception:
        return False
    return False


def _near(first: float, second: float) -> bool:
    return abs(first - second) <= SMALL * max(abs(first), abs(second))


@contextlib.contextmanager
def _padded() -> Iterator[list[bool]]:
    """Meanwhile, for each call of a model with a mask, whether the mask leaves tokens out."""
    from torch.nn.modules import module

    seen: list[bool] = []

    def watch(_: Any, __: Any, keywords: dict[str, Any], ___: Any) -> None:
        mask: Any = keywords.get("attention_mask")
        if getattr(mask, "ndim", 0) == 2:
            seen.append(not bool(mask.all()))

    handle = module.register_module_forward_hook(watch, with_kwargs=True)
    try:
        yield seen
    finally:
        handle.remove()
