"""What is measured of losses of a script's own at the ends of answers, in the real trainers."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import indent

import pytest
from commands import ran
from laid import ROOT, Interpreter
from losses_of_answers import LOSSES

MEASURE = """
import json, sys
sys.path[:0] = [{root!r}, "."]
import torch
from datasets import Dataset
from peft import LoraConfig
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import {kind}Config
import own
from trl_doctor.probes.watching.own_loss import of_own_loss

name = {root!r} + "/fixtures/models/healthy"
answers = [" Once, " + "very " * i + "large." for i in range(8)]
DATA = {{
    "SFT": {{"completion": answers}},
    "KTO": {{"completion": answers, "label": [True, False] * 4}},
    "DPO": {{"chosen": answers, "rejected": [" No, of " + "no " * i + "kind." for i in range(8)]}},
}}
rows = Dataset.from_dict({{"prompt": [f"Why is {{i}}?" for i in range(8)], **DATA[{kind!r}]}})
texts = Dataset.from_dict({{"text": answers}})
marked = Dataset.from_dict(
    {{"prompt": rows["prompt"][:], "completion": ["<|im_start|>" + answer for answer in answers]}})
yes = Dataset.from_dict({{"prompt": rows["prompt"][:], "completion": ["a"] * 8}})
found = {{}}
for loss, given in json.loads({more!r}).items():
    tokenizer = AutoTokenizer.from_pretrained(name)
    keys = ("whole", "lora", "pad", "mark", "shifts", "short")
    whole, lora, pad, mark, shifts, short = (given.pop(key, None) for key in keys)
    tokenizer.pad_token = tokenizer.eos_token if pad else "<|endoftext|>"
    args = dict(output_dir="out", use_cpu=True, bf16=False, report_to="none",
                per_device_train_batch_size=4, gradient_checkpointing=False)
    trainer = getattr(own, loss)(
        model=AutoModelForCausalLM.from_pretrained(name, dtype=torch.float32),
        args={kind}Config(**{{**args, **given}}), processing_class=tokenizer,
        train_dataset=texts if whole else marked if mark else yes if short else rows,
        peft_config=LoraConfig(target_modules="all-linear") if lora else None)
    if shifts:
        collate = trainer.data_collator
        def shifted(rows):
            batch = collate(rows)
            batch["labels"] = torch.nn.functional.pad(batch["labels"][:, 1:], (0, 1), value=-100)
            return batch
        trainer.data_collator = shifted
    measured = of_own_loss(trainer)
    offsets = [key for key in ("copied", "ahead") if measured.get(key)]
    lost = measured.get("unlearned")
    keys = ("moved", "pads", "fades")
    ends = [[one["side"], *(key for key in keys if one[key])] for one in lost or ()]
    found[loss] = offsets[0] if offsets else "unseen" if lost is None else ends
print(json.dumps(found))
"""
OWN = """
class {name}({base}):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
{body}
        return (loss, out) if return_outputs else loss
"""


@pytest.mark.slow
@pytest.mark.parametrize("kind", LOSSES)
def test_ends_of_answers(kind: str, tmp_path: Path, interpreter: Interpreter) -> None:
    classes = {f"Own{at}": loss for at, loss in enumerate(LOSSES[kind].values())}
    parts = [f"import torch\nimport torch.nn.functional as F\nfrom trl import {kind}Trainer\n"]
    parts += [
        OWN.format(name=name, base=f"{kind}Trainer", body=indent(loss.body, " " * 8))
        for name, loss in classes.items()
    ]
    (tmp_path / "own.py").write_text("\n".join(parts))
    more = json.dumps({name: loss.more for name, loss in classes.items()})
    (tmp_path / "measure.py").write_text(MEASURE.format(root=str(ROOT), kind=kind, more=more))
    process = ran(interpreter("current"), "measure.py", cwd=tmp_path)
    assert process.returncode == 0, process.stderr[-2000:]
    answer = json.loads(process.stdout.splitlines()[-1])
    found = dict(zip(LOSSES[kind], answer.values(), strict=True))
    expected = {name: loss.expected or [] for name, loss in LOSSES[kind].items()}
    assert {name: one for name, one in found.items() if one != expected[name]} == {}
