"""The end of an answer has no label where it is the padding token, too."""

import inspect

import torch
from small import model, of_trl, verdict
from transformers import GenerationConfig

policy = model()
make = of_trl("GKDTrainer").generate_on_policy_outputs
prompts = torch.tensor([[7, 8]])
answer = torch.tensor([[7, 8, 9, 1]])


class Spoken(torch.nn.Module):
    def generate(self, **_):
        from types import SimpleNamespace

        return SimpleNamespace(sequences=answer)


more = {"pad_token_id": 1} if "pad_token_id" in inspect.signature(make).parameters else {}
inputs = {"prompts": prompts, "prompt_attention_mask": torch.ones_like(prompts)}
settings = GenerationConfig(pad_token_id=1, eos_token_id=1)
_, _, labels = make(Spoken(), inputs, settings, **more)
verdict(labels[0, -1] == -100, f"labels of w2 <eos> (id 1): {labels[0, 2:].tolist()}")
