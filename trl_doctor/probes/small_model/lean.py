"""Makes a random model say one token with a given probability, after any prompt."""

from __future__ import annotations

import math
from typing import Any

PUSH = 10.0
"""How far all input embeddings are moved in one direction, in their standard deviations."""

STRONGEST = 1e6
TOLERANCE = 0.02
SUREST = 0.999
ROUNDS = 12


def leaning(model: Any, token: int, probability: float) -> float | None:
    """Lean a model towards a token; the probability measured then, None where it would not.

    A constant direction in all input embeddings makes the last hidden state nearly the same
    everywhere; the token's row of the output matrix is moved along that state, as far as it takes.
    """
    import torch

    rows, head = model.get_input_embeddings(), model.get_output_embeddings()
    if rows is None or getattr(head, "weight", None) is None:
        return None
    if not 0 <= token < min(len(rows.weight), len(head.weight)):
        return None
    with torch.no_grad():
        ids = torch.randint(len(rows.weight), (2, 6), generator=torch.Generator().manual_seed(0))
        ids[:, -3] = token
        _push(rows.weight)
        state = _state(model, head, ids)
        return (
            None if state is None else _strength(model, head.weight, token, state, ids, probability)
        )


def _push(weight: Any) -> None:
    """Move all rows in a direction of plus and minus ones, without a mean."""
    import torch

    signs = torch.ones(weight.shape[1], dtype=weight.dtype)
    signs[::2] = -1
    weight += PUSH * weight[:4096].float().std().clamp(min=1e-3).to(weight.dtype) * signs


def _state(model: Any, head: Any, ids: Any) -> Any:
    """What enters the output layer, on average; None where nothing does."""
    seen: list[Any] = []
    hook = head.register_forward_pre_hook(lambda _, given: seen.append(given[0]))
    try:
        model(input_ids=ids)
    finally:
        hook.remove()
    if not seen or seen[-1].shape[-1] != head.weight.shape[1]:
        return None
    return seen[-1].float().flatten(0, -2).mean(0)


def _strength(
    model: Any, weight: Any, token: int, state: Any, ids: Any, wanted: float
) -> float | None:
    """Move the token's row along the state, as far as the probability asks for; by secants.

    The log-odds of the token are nearly a line in how far its row is moved.
    """
    own = weight[token].float().clone()
    along = state / state.pow(2).sum().clamp(min=1e-12)

    def measured(by: float) -> float:
        weight[token] = (own + by * along).to(weight.dtype)
        said = model(input_ids=ids).logits[:, -1].float().softmax(-1)[:, token]
        return float(said.mean())

    wanted = min(wanted, SUREST)
    tolerance = TOLERANCE if wanted < 1 - TOLERANCE else 1 - SUREST
    before, by = 0.0, 1.0
    odds, found = _odds(measured(before)), measured(by)
    for _ in range(ROUNDS):
        if abs(found - wanted) <= tolerance:
            return found
        slope = (_odds(found) - odds) / (by - before)
        if not slope > 0 or by > STRONGEST:
            return None
        before, odds = by, _odds(found)
        by += (_odds(wanted) - odds) / slope
        found = measured(by)
    return found if abs(found - wanted) <= 5 * tolerance else None


def _odds(probability: float) -> float:
    """The log-odds of a probability, finite."""
    within = min(max(probability, 1e-12), 1 - 1e-6)
    return math.log(within / (1 - within))
