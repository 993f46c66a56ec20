"""The trainer's log-probabilities are those of temperature 1."""

import torch
from small import grpo, lengths, verdict

trained = grpo(lengths, temperature=0.5)
ids = torch.tensor([[7, 8, 9, 10, 11]])
method = (
    getattr(trained, "_get_per_token_logps", None) or trained._get_per_token_logps_and_entropies
)
with torch.no_grad():
    result = method(trained.model, ids, torch.ones_like(ids), 2)
    result = result[0] if isinstance(result, tuple) else result
    logits = trained.model(ids).logits[:, -3:-1]


def expected(temperature):
    picked = (logits / temperature).log_softmax(-1)
    return picked.gather(-1, ids[:, -2:, None])[..., 0]


off = (result - expected(0.5)).abs().max().item()
verdict(off > 1e-4, f"log-probabilities are {off:.5f} from those at the run's temperature 0.5")
