"""The log-probabilities of the loss are computed with attention to the padding of the prompts."""

import torch
from small import grpo, lengths, verdict

ROWS = [{"prompt": "w1"}, {"prompt": "w1 w2 w3 w4"}] * 2
trained = grpo(lengths, ROWS, per_device_train_batch_size=4)
seen = []


def looks(_, given, named):
    ids = named.get("input_ids", given[0] if given else None)
    mask = named.get("attention_mask")
    padded = ids is not None and ids.shape[1] > 4 and bool((ids[:, 0] == 0).any())
    if padded:
        seen.append(mask is None or bool((torch.as_tensor(mask)[ids == 0] == 1).all()))


trained.model.model.register_forward_pre_hook(looks, with_kwargs=True)
trained.train()
verdict(any(seen), f"{sum(seen)} of {len(seen)} forward passes over padded prompts have no mask")
