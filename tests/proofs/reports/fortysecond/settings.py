"""Threads of a forty-second list: settings that do not arrive."""

from reports.report import PREFERENCES, Report, changed, rows

STEPWISE = rows(
    *(
        {
            "prompt": f"What is {number} times two?",
            "completions": [f"{number} plus {number}.", f"That is {2 * number}."],
            "labels": [True, number % 2 == 0],
        }
        for number in range(2, 10)
    )
)
PRM_YAML = """\
base: model
task: prm
training:
  epochs: 1
  lr: 2.0e-5
  batch_size: 2
  gradient_accumulation_steps: 1
  optimizer: adamw_torch
  scheduler: cosine
  warmup_steps: 1
  weight_decay: 0.01
  max_grad_norm: 0.5
  logging_steps: 1
output: prm
"""
PRM = '''\
"""A process reward model, as the configuration says."""

import yaml
from datasets import load_dataset
from transformers import AutoModelForTokenClassification, AutoTokenizer
from trl import PRMConfig, PRMTrainer

with open("soup.yaml") as file:
    config = yaml.safe_load(file)
training = config["training"]

args = PRMConfig(
    output_dir=config["output"],
    num_train_epochs=training["epochs"],
    per_device_train_batch_size=training["batch_size"],
    gradient_accumulation_steps=training["gradient_accumulation_steps"],
    learning_rate=training["lr"],
    logging_steps=training["logging_steps"],
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = PRMTrainer(
    model=AutoModelForTokenClassification.from_pretrained(config["base"], num_labels=2),
    args=args,
    train_dataset=load_dataset("json", data_files="steps.jsonl", split="train"),
    processing_class=AutoTokenizer.from_pretrained(config["base"]),
)
trainer.train()
print("the schedule is the configured one:", args.lr_scheduler_type == training["scheduler"])
'''
PASSED = """\
    learning_rate=training["lr"],
    optim=training["optimizer"],
    lr_scheduler_type=training["scheduler"],
    warmup_steps=training["warmup_steps"],
    weight_decay=training["weight_decay"],
    max_grad_norm=training["max_grad_norm"],
"""
ORPO_YAML = """\
base: model
task: orpo
data:
  train: pairs.jsonl
  new_special_tokens: ["<|tool|>", "<|/tool|>"]
  resize_vocab: true
training:
  lr: 8.0e-6
  orpo_beta: 0.1
output: orpo
"""
ORPO = '''\
"""ORPO, as the configuration says."""

import yaml
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import ORPOConfig, ORPOTrainer


def expand(model, tokenizer, data):
    """Add the new tokens, and rows of the embeddings for them."""
    tokenizer.add_special_tokens({"additional_special_tokens": data["new_special_tokens"]})
    if data.get("resize_vocab") and len(tokenizer) > model.config.vocab_size:
        model.resize_token_embeddings(len(tokenizer))


with open("soup.yaml") as file:
    config = yaml.safe_load(file)
tokenizer = AutoTokenizer.from_pretrained(config["base"])
model = AutoModelForCausalLM.from_pretrained(config["base"])
trainer = ORPOTrainer(
    model=model,
    args=ORPOConfig(
        output_dir=config["output"],
        beta=config["training"]["orpo_beta"],
        learning_rate=config["training"]["lr"],
        max_length=64,
        max_prompt_length=32,
        per_device_train_batch_size=2,
        max_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=load_dataset("json", data_files=config["data"]["train"], split="train"),
    processing_class=tokenizer,
)
trainer.train()
sizes = [len(tokenizer.tokenize(token)) for token in config["data"]["new_special_tokens"]]
print("each new token is one token:", set(sizes) == {1})
'''
MADE = 'model = AutoModelForCausalLM.from_pretrained(config["base"])\n'
TOOLS = PREFERENCES.replace("Count to five.", "<|tool|>count<|/tool|> to five.")
WATCH_YAML = """\
base: model
task: dpo
training:
  lr: 5.0e-6
  dpo_beta: 0.1
  loss_spike_recovery: true
  loss_spike_threshold: 3.0
output: dpo
"""
WATCH = '''\
"""DPO, as the configuration says: a callback watches the loss."""

import yaml
from datasets import load_dataset
from transformers import TrainerCallback
from trl import DPOConfig, DPOTrainer


class Watch(TrainerCallback):
    """Lowers the learning rate where the loss is far above its mean."""

    def __init__(self, total, loss_spike_recovery=False, loss_spike_threshold=3.0):
        self.total = total
        self.recovers = loss_spike_recovery
        self.threshold = loss_spike_threshold
        self.losses = []
        self.looked = 0

    def on_log(self, args, state, control, logs=None, **kwargs):
        if not self.recovers or "loss" not in (logs or {}):
            return
        loss = float(logs["loss"])
        self.looked += 1
        mean = sum(self.losses) / len(self.losses) if self.losses else loss
        if loss > self.threshold * mean:
            for group in kwargs["optimizer"].param_groups:
                group["lr"] /= 2
        self.losses.append(loss)


with open("soup.yaml") as file:
    config = yaml.safe_load(file)
training = config["training"]
watch = Watch(total=2)
trainer = DPOTrainer(
    model=config["base"],
    args=DPOConfig(
        output_dir=config["output"],
        beta=training["dpo_beta"],
        learning_rate=training["lr"],
        per_device_train_batch_size=2,
        logging_steps=1,
        max_steps=2,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=load_dataset("json", data_files="pairs.jsonl", split="train"),
    callbacks=[watch],
)
trainer.train()
print("the loss was watched:", watch.looked > 0)
'''
KEYS = """\
watch = Watch(
    total=2,
    loss_spike_recovery=training["loss_spike_recovery"],
    loss_spike_threshold=training["loss_spike_threshold"],
)
"""
REPORTS = (
    Report(
        "MakazhanAlpamys/Soup#805",
        "four",
        "the schedule is the configured one: False",
        r"scheduler|weight_decay|max_grad_norm",
        {"train.py": PRM, "soup.yaml": PRM_YAML, "steps.jsonl": STEPWISE},
        changed(PRM, ('    learning_rate=training["lr"],\n', PASSED)),
    ),
    Report(
        "MakazhanAlpamys/Soup#294",
        "four",
        "each new token is one token: False",
        r"new_special_tokens|expand|<\|tool\|>|resize_vocab",
        {"train.py": ORPO, "soup.yaml": ORPO_YAML, "pairs.jsonl": TOOLS},
        changed(ORPO, (MADE, f'{MADE}expand(model, tokenizer, config["data"])\n')),
    ),
    Report(
        "MakazhanAlpamys/Soup#802",
        "current",
        "the loss was watched: False",
        r"loss_spike|recover",
        {"train.py": WATCH, "soup.yaml": WATCH_YAML, "pairs.jsonl": PREFERENCES},
        changed(WATCH, ("watch = Watch(total=2)\n", KEYS)),
    ),
)
