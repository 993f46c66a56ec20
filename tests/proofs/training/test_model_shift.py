"""Models that move their tokens themselves, and heads that are to look further."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import ran
from laid import ROOT, Interpreter

MEASURE = """
import json, sys
sys.path.insert(0, {root!r})
import torch
from datasets import Dataset
from torch.nn.functional import cross_entropy
from transformers import LlamaForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer
from trl_doctor.probes.watching.own_loss import of_own_loss

name = {root!r} + "/fixtures/models/healthy"
rows = Dataset.from_dict({{"prompt": [f"Why is {{i}}? " for i in range(8)],
                           "completion": ["Once, " + "very " * i + "large." for i in range(8)]}})


class Moves(LlamaForCausalLM):
    def forward(self, input_ids=None, **more):
        more.pop("labels", None)
        moved = torch.cat([torch.full_like(input_ids[:, :1], 296), input_ids[:, :-1]], 1)
        return super().forward(input_ids=moved, **more)


class Same(LlamaForCausalLM):
    def forward(self, input_ids=None, **more):
        return super().forward(input_ids=input_ids, **more)


def measured(model, ahead):
    class Own(SFTTrainer):
        def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
            out = model(input_ids=inputs["input_ids"], attention_mask=inputs["attention_mask"])
            places = inputs["input_ids"].shape[1] - ahead
            logits, labels = out.logits[:, :places], inputs["labels"][:, ahead:]
            loss = cross_entropy(logits.transpose(1, 2), labels)
            return (loss, out) if return_outputs else loss

    args = SFTConfig(output_dir="out", use_cpu=True, bf16=False, report_to="none",
                     per_device_train_batch_size=4, gradient_checkpointing=False)
    trainer = Own(model=model, args=args, train_dataset=rows,
                  processing_class=AutoTokenizer.from_pretrained(name))
    found = of_own_loss(trainer)
    return next((key for key in ("copied", "ahead") if found.get(key)), "")


def loaded(kind):
    return kind.from_pretrained(name, dtype=torch.float32)


head = loaded(LlamaForCausalLM).requires_grad_(False)
head.lm_head = torch.nn.Linear(64, head.config.vocab_size, bias=False)
print(json.dumps([measured(loaded(Moves), 0), measured(loaded(Same), 0),
                  measured(loaded(LlamaForCausalLM), 2), measured(head, 2)]))
"""


@pytest.mark.slow
def test_models_that_move_their_tokens(tmp_path: Path, interpreter: Interpreter) -> None:
    (tmp_path / "measure.py").write_text(MEASURE.format(root=str(ROOT)))
    process = ran(interpreter("current"), "measure.py", cwd=tmp_path)
    assert process.returncode == 0, process.stderr[-2000:]
    answer = json.loads(process.stdout.splitlines()[-1])
    moves, same, whole, head = answer
    assert (moves, same) == ("", "copied")
    assert (whole, head) == ("ahead", "")
