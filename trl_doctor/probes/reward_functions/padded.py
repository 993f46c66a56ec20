"""Whether the model of a reward function reads its score at a pad."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..watching.row_losses import exact
from .calls import Sheet, called
from .rows import Case

LONGER = " Let me say the same once more, in other words." * 4
FEW = 3
"""The most completions that are tried."""

PADS = 8
"""Pads that are put behind a completion."""

SMALL = 0.02
"""The share of a score up to which another one is a rounding error, as of bfloat16."""


def of_padding(function: Callable[..., Any], sheet: Sheet, cases: Sequence[Case]) -> bool:
    """Whether a completion gets another reward beside a longer one, but not beside a shorter one.

    Only of functions that call a model with padded texts, and give a completion alone another
    reward as soon as pads are put behind it: one that compares the completions of a call does not.
    """
    try:
        for case in [case for case in cases if len(case.text) > 1][:FEW]:
            with _calls() as seen:
                (alone,) = called(function, [case], sheet).values
            if not seen:
                return False  # it calls no model
            beside = []
            for text in (case.text + LONGER, case.text[: len(case.text) // 2]):
                with _calls() as seen:
                    call = called(function, [case, case._replace(text=text)], sheet)
                if not any(padded for _, padded in seen) or call.returned != 2:
                    return False
                beside.append(call.values[0])
            longer, shorter = (not _near(alone, value) for value in beside)
            if longer and not shorter and _changed_by_pads(function, sheet, case):
                return True
    except Exception:
        return False
    return False


def _changed_by_pads(function: Callable[..., Any], sheet: Sheet, case: Case) -> bool:
    """Whether pads behind the tokens of a completion alone change its reward, in float32."""
    models: list[Any] = []
    with _calls() as seen:
        called(function, [case], sheet)
    for model, _ in seen:
        models = [*(one for one in models if _apart(one, model)), model]
    with contextlib.ExitStack() as stack:
        for model in models:
            stack.enter_context(exact(model))
        (alone,) = called(function, [case], sheet).values
        for model in models:
            pads = model.register_forward_pre_hook(_with_pads, with_kwargs=True)
            stack.callback(pads.remove)
        (padded,) = called(function, [case], sheet).values
    return not _near(alone, padded)


def _apart(one: Any, model: Any) -> bool:
    """Whether a module is no part of a model: the model is called after its parts."""
    return all(part is not one for part in model.modules())


def _with_pads(model: Any, given: Any, keywords: dict[str, Any]) -> Any:
    """The tokens and the mask of a call, with pads behind them."""
    from torch.nn.functional import pad

    ids, mask = keywords.get("input_ids"), keywords.get("attention_mask")
    if ids is None or ids.shape != getattr(mask, "shape", None):
        raise ValueError("the tokens of this call are not known")
    token = getattr(getattr(model, "config", None), "pad_token_id", None) or 0
    values = {"input_ids": token, "attention_mask": 0, "token_type_ids": 0, "position_ids": 0}
    longer = {name: pad(keywords[name], (0, PADS), value=value)
              for name, value in values.items() if keywords.get(name) is not None}  # fmt: skip
    return given, {**keywords, **longer}


def _near(first: float, second: float) -> bool:
    return abs(first - second) <= SMALL * max(abs(first), abs(second))


@contextlib.contextmanager
def _calls() -> Iterator[list[tuple[Any, bool]]]:
    """Meanwhile each model that is called with a mask, and whether the mask leaves tokens out."""
    from torch.nn.modules import module

    seen: list[tuple[Any, bool]] = []

    def watch(model: Any, _: Any, keywords: dict[str, Any], __: Any) -> None:
        mask: Any = keywords.get("attention_mask")
        if getattr(mask, "ndim", 0) == 2:
            seen.append((model, not bool(mask.all())))

    handle = module.register_module_forward_hook(watch, with_kwargs=True)
    try:
        yield seen
    finally:
        handle.remove()
