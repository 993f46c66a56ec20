"""With more batches a generation than a step accumulates, dapo divides by the tokens of all."""

import dataclasses

import torch
from small import grpo, lengths, of_trl, verdict

NAMES = {field.name for field in dataclasses.fields(of_trl("GRPOConfig"))}


def mean_loss(steps):
    """The mean loss of a step where each advantage is -1: a mean of tokens is 1."""
    sizes = {"num_generations": 4, "per_device_train_batch_size": 4, "steps_per_generation": steps}
    trained = grpo(lengths, 8, gradient_accumulation_steps=1, loss_type="dapo", **sizes)
    trained.current_gradient_accumulation_steps = 1
    trained.model.train()
    batch = next(iter(trained.get_train_dataloader()))
    losses = []
    for _ in range(steps):
        inputs = dict(trained._prepare_inputs(batch))
        inputs |= {"advantages": -torch.ones(4), "old_per_token_logps": None}
        losses.append(float(trained.compute_loss(trained.model, inputs).detach()))
    return sum(losses) / steps


try:
    one, four = mean_loss(1), mean_loss(4) if "steps_per_generation" in NAMES else 1.0
except ValueError as error:
    if "loss type" not in str(error):
        raise
    verdict(False, "this release has no dapo")
else:
    verdict(
        four < 0.5 * one,
        f"mean loss: {one:.2f} where each step generates, {four:.2f} where one of four does",
    )
