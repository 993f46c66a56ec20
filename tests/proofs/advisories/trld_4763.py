"""ORPO's gradients are no numbers where a bfloat16 model is sure of an answer."""

import torch
from small import model, trainer, verdict

ROWS = [{"prompt": "w1 w2", "chosen": " w3", "rejected": " w4"}] * 2
PAIRS = {9: 10, 10: 1}  # w2, w3 and the end of the answer: each is sure of the next
policy = model().to(torch.bfloat16)
layer = policy.model.layers[0]
for part in (
    policy.model.embed_tokens,
    policy.lm_head,
    layer.self_attn.o_proj,
    layer.mlp.down_proj,
):
    part.weight.data.zero_()
for place, (before, after) in enumerate(PAIRS.items()):
    policy.model.embed_tokens.weight.data[before, place] = 1.0
    policy.lm_head.weight.data[after, place] = 2.7
trained = trainer("ORPO", ROWS, {"max_length": 16, "max_prompt_length": 8}, policy)
trained.train()
weights = dict(trained.model.named_parameters())
lost = [name for name, part in weights.items() if part.isnan().any()]
verdict(lost, f"{len(lost)} of {len(weights)} weights are no numbers after a step")
