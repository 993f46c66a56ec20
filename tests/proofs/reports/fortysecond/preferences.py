"""Threads of a forty-second list: pairs of answers, their lengths, references and sources."""

import json

from laid import ROOT

from reports.report import ASKED, PREFERENCES, Report, changed, rows

LONG = rows(
    *(
        {"prompt": " ".join([asked] * 12), "chosen": " It is so.", "rejected": " No, it is not."}
        for asked in ASKED
    )
)
YAML = """\
model_name_or_path: model
beta: 2.5
simpo_gamma: 1.4
loss_type: simpo
cpo_alpha: 0.0
learning_rate: 2.0e-7
lr_scheduler_type: cosine
logging_steps: 1
max_length: 128
max_prompt_length: 128
max_steps: 2
per_device_train_batch_size: 2
output_dir: simpo
report_to: none
save_strategy: "no"
use_cpu: true
bf16: false
"""
SIMPO = '''\
"""SimPO: its settings are in a file."""

import math

import yaml
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import CPOConfig, CPOTrainer

with open("simpo.yaml") as file:
    settings = yaml.safe_load(file)
name = settings.pop("model_name_or_path")
tokenizer = AutoTokenizer.from_pretrained(name)
tokenizer.truncation_side = "left"
trainer = CPOTrainer(
    model=AutoModelForCausalLM.from_pretrained(name),
    args=CPOConfig(**settings),
    train_dataset=load_dataset("json", data_files="pairs.jsonl", split="train"),
    processing_class=tokenizer,
)
trainer.train()
first = trainer.state.log_history[0]
numbers = [first["rewards/chosen"], first["rewards/rejected"], first["rewards/margins"]]
print("the rewards are numbers:", not any(map(math.isnan, numbers)))
'''
SMALLER = json.loads((ROOT / "fixtures/models/healthy/config.json").read_text())
SMALLER |= {"num_hidden_layers": 1}
REFERENCE = '''\
"""DPO with LoRA: a small chat model is the reference, to save memory."""

import torch
from datasets import load_dataset
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer

BASE = "model"
REF = "model-small"

tokenizer = AutoTokenizer.from_pretrained(BASE)
model = AutoModelForCausalLM.from_pretrained(BASE, torch_dtype=torch.float32)
config = LoraConfig(r=16, lora_alpha=16, lora_dropout=0.05, task_type="CAUSAL_LM")
model = get_peft_model(model, config)
ref_model = AutoModelForCausalLM.from_pretrained(REF, torch_dtype=torch.float32)
trainer = DPOTrainer(
    model,
    ref_model,
    args=DPOConfig(
        output_dir="dpo",
        beta=0.1,
        max_length=768,
        max_prompt_length=512,
        per_device_train_batch_size=2,
        learning_rate=1e-4,
        warmup_ratio=0.1,
        logging_steps=1,
        max_steps=2,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=load_dataset("json", data_files="pairs.jsonl", split="train"),
    processing_class=tokenizer,
)
trainer.train()
first = trainer.state.log_history[0]
alike = abs(first["rewards/chosen"]) < 1e-3 and abs(first["rewards/rejected"]) < 1e-3
print("before the first step the policy is as its reference:", alike)
'''
STEPS = ("search(cat:cs.LG)", "download(2401.00001)", "FINISH")
RUNS = rows(
    *(
        {
            "task": asked,
            "runs": [
                {"reward": 0.9, "history": [{"action": step} for step in STEPS]},
                {"reward": 0.1, "history": [{"action": "translate(0)"}, {"action": "FINISH"}]},
            ],
        }
        for asked in ASKED
    )
)
MINED = '''\
"""DPO of an agent: the best and the worst run of each task are a pair."""

import json

from datasets import Dataset
from trl import DPOConfig, DPOTrainer

pairs = []
with open("trajectories.jsonl") as file:
    for line in file:
        task = json.loads(line)
        ranked = sorted(task["runs"], key=lambda run: run["reward"])
        worst, best = ranked[0], ranked[-1]
        best_action = best["history"][-1].get("action", "")
        worst_action = worst["history"][-1].get("action", "")
        if not best_action or not worst_action or best_action == worst_action:
            print("no valid pair, skipped:", task["task"])
            continue
        pairs.append(
            {"prompt": task["task"], "chosen": best_action, "rejected": worst_action}
        )
print(len(pairs), "pairs")

trainer = DPOTrainer(
    model="model",
    args=DPOConfig(
        output_dir="dpo",
        per_device_train_batch_size=2,
        learning_rate=5e-6,
        beta=0.1,
        max_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=Dataset.from_list(pairs),
)
trainer.train()
'''
REPORTS = (
    Report(
        "princeton-nlp/SimPO#35",
        "grpo-first",
        "the rewards are numbers: False",
        r"max_prompt_length|max_length|truncat|\bcut\b|\bcuts\b|no (answer|completion) token",
        {"train.py": SIMPO, "simpo.yaml": YAML, "pairs.jsonl": LONG},
        {"simpo.yaml": YAML.replace("max_prompt_length: 128", "max_prompt_length: 96")},
    ),
    Report(
        "huggingface/trl#1236",
        "grpo-shapes",
        "before the first step the policy is as its reference: False",
        r"ref_model|reference",
        {
            "train.py": REFERENCE,
            "pairs.jsonl": PREFERENCES,
            "model-small/config.json": json.dumps(SMALLER),
        },
        changed(
            REFERENCE,
            ("ref_model = AutoModelForCausalLM.from_pretrained(REF, torch_dtype=torch.float32)\n",
             "ref_model = None\n"),
        ),
        small={"model-small": "healthy 320"},
    ),
    Report(
        "Algorineko/AgenticArXiv-RL#10",
        "current",
        "StopIteration",
        r"\bempty\b|(no|zero|0) (rows|pairs|examples|samples)",
        {"train.py": MINED, "trajectories.jsonl": RUNS},
        changed(MINED, ('["history"][-1]', '["history"][0]')),
    ),
)  # fmt: skip
