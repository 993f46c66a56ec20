"""The loss of luspo trains on the padding behind completions where ratios are those of tokens."""

import re

import torch
from small import generated, grpo, lengths, verdict

SHORT = [[1, 1, 1, 1, 1, 1, 1, 1], [1, 1, 0, 0, 0, 0, 0, 0]]


def gradients():
    """The loss's gradients by log-probabilities, for completions of eight and of two tokens."""
    trained = grpo(lengths, loss_type="luspo", importance_sampling_level="token")
    batch = generated(trained)
    batch["completion_ids"], batch["completion_mask"] = torch.full((2, 8), 7), torch.tensor(SHORT)
    batch["advantages"] = -torch.ones(2)
    trained.current_gradient_accumulation_steps = 1
    trained.model.train()
    taken, make = [], trained._get_per_token_logps_and_entropies

    def kept(*args, **more):
        out = make(*args, **more)
        out[0].retain_grad()
        taken.append(out[0])
        return out

    trained._get_per_token_logps_and_entropies = kept
    trained.compute_loss(trained.model, batch).backward()
    return taken[0].grad[1].tolist()


try:
    values = gradients()
except (ValueError, AttributeError) as error:
    if not re.search("loss type|_get_per_token_logps_and_entropies", str(error)):
        raise
    verdict(False, "this release has no luspo")
else:
    text = ", ".join(f"{value:.2f}" for value in values)
    verdict(
        any(values[2:]), f"gradients by the tokens of a completion of two, padded to eight: {text}"
    )
