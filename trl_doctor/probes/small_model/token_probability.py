"""Sets the probability with which a random model generates one token, after any prompt."""

from __future__ import annotations

import math
from typing import Any

PUSH = 10.0
"""How far all input embeddings are moved in one direction, in their standard deviations."""

STRONGEST = 1e6
TOLERANCE = 0.02
SUREST = 0.999
ROUNDS = 12


def set_probability(model: Any, token: int, probability: float) -> float | None:
    """Set the probability of a token; returns the measured one, None if it cannot be set.

    A constant direction in all input embeddings makes the last hidden state nearly the same
    everywhere; the token's row of the output matrix is moved along that state as far as necessary.
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
    """The mean input of the output layer; None if it has none."""
    inputs: list[Any] = []
    hook = head.register_forward_pre_hook(lambda _, arguments: inputs.append(arguments[0]))
    try:
        model(input_ids=ids)
    finally:
        hook.remove()
    if not inputs or inputs[-1].shape[-1] != head.weight.shape[1]:
        return None
    return inputs[-1].float().flatten(0, -2).mean(0)


def _strength(
    model: Any, weight: Any, token: int, state: Any, ids: Any, target: float
) -> float | None:
    """Move the token's row along the state until it has the probability `target`, with secants.

    The log-odds of the token are nearly linear in the distance that its row is moved.
    """
    original = weight[token].float().clone()
    along = state / state.pow(2).sum().clamp(min=1e-12)

    def measured(by: float) -> float:
        weight[token] = (original + by * along).to(weight.dtype)
        probabilities = model(input_ids=ids).logits[:, -1].float().softmax(-1)[:, token]
        return float(probabilities.mean())

    target = min(target, SUREST)
    tolerance = TOLERANCE if target < 1 - TOLERANCE else 1 - SUREST
    before, by = 0.0, 1.0
    odds, reached = _odds(measured(before)), measured(by)
    for _ in range(ROUNDS):
        if abs(reached - target) <= tolerance:
            return reached
        slope = (_odds(reached) - odds) / (by - before)
        if not slope > 0 or by > STRONGEST:
            return None
        before, odds = by, _odds(reached)
        by += (_odds(target) - odds) / slope
        reached = measured(by)
    return reached if abs(reached - target) <= 5 * tolerance else None


def _odds(probability: float) -> float:
    """The log-odds of a probability, finite."""
    within = min(max(probability, 1e-12), 1 - 1e-6)
    return math.log(within / (1 - within))
