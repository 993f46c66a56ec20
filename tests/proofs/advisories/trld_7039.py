"""The end of a completion is missed where it is the second eos id of the model."""

import torch
from small import MARKS, generated, grpo, lengths, verdict

ends = [1, *range(len(MARKS), len(MARKS) + 10)]
sizes = {"num_generations": 8, "per_device_train_batch_size": 8, "max_completion_length": 12}
trained = grpo(lengths, 8, {"eos_token_id": ends}, **sizes)
batch = generated(trained)
ids, mask = batch["completion_ids"], batch["completion_mask"]
is_end = torch.isin(ids, torch.tensor(ends)).int()
wanted = (is_end.cumsum(1) - is_end == 0).int()
verdict(
    not torch.equal(mask.int(), wanted),
    f"{mask.sum()} tokens are in the loss, {wanted.sum()} are there up to each completion's end",
)
