"""Threads of a thirty-fourth list: reward models."""

import json

from reports.report import PAIRS, Report, changed, rows, turn

UNTIED = json.dumps(
    {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "hidden_size": 64,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "num_key_value_heads": 1,
        "max_position_embeddings": 512,
        "rms_norm_eps": 1e-06,
        "tie_word_embeddings": False,
        "vocab_size": 320,
        "eos_token_id": 298,
        "pad_token_id": 299,
    }
)
TALKS = rows(*({"messages": [turn("user", a), turn("assistant", b)]} for a, b in PAIRS))
DUELS = rows(
    *(
        {
            "chosen": [turn("user", a), turn("assistant", b)],
            "rejected": [turn("user", a), turn("assistant", "No.")],
        }
        for a, b in PAIRS
    )
)
HEAD = '''\
"""SFT, a Bradley-Terry reward model on top of it, and a look at the answers of the result."""

import torch
from datasets import load_dataset
from transformers import (
    AutoConfig,
    AutoModelForCausalLM,
    AutoModelForSequenceClassification,
    AutoTokenizer,
    set_seed,
)
from trl import RewardConfig, RewardTrainer, SFTConfig, SFTTrainer

RUN = {
    "max_steps": 20,
    "per_device_train_batch_size": 4,
    "report_to": "none",
    "save_strategy": "no",
    "use_cpu": True,
    "bf16": False,
}


def supervised(tokenizer):
    start = AutoModelForCausalLM.from_config(AutoConfig.from_pretrained("shape"))
    trainer = SFTTrainer(
        model=start,
        processing_class=tokenizer,
        train_dataset=load_dataset("json", data_files="talks.jsonl", split="train"),
        args=SFTConfig(output_dir="out/sft", learning_rate=1e-2, **RUN),
    )
    trainer.train()
    trainer.save_model("out/sft")


def bradley_terry(tokenizer):
    judge = AutoModelForSequenceClassification.from_pretrained("out/sft", num_labels=1)
    trainer = RewardTrainer(
        model=judge,
        processing_class=tokenizer,
        train_dataset=load_dataset("json", data_files="duels.jsonl", split="train"),
        args=RewardConfig(output_dir="out/judge", learning_rate=1e-5, **RUN),
    )
    trainer.train()
    trainer.save_model("out/judge")


@torch.no_grad()
def answers(folder, tokenizer):
    """How well the model of a folder predicts the first talk."""
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    talk = load_dataset("json", data_files="talks.jsonl", split="train")[0]["messages"]
    text = tokenizer.apply_chat_template(talk, tokenize=False)
    inputs = tokenizer(text, return_tensors="pt")
    return model(**inputs, labels=inputs["input_ids"]).loss.item()


def main():
    set_seed(3)
    tokenizer = AutoTokenizer.from_pretrained("model")
    supervised(tokenizer)
    bradley_terry(tokenizer)
    taught = answers("out/sft", tokenizer)
    used = answers("out/judge", tokenizer)
    print("it answers as SFT taught it:", abs(used - taught) < 0.5)


if __name__ == "__main__":
    main()
'''
ENDS = '''\
"""Trains a reward model from a chat model that has no token for padding."""

from dataclasses import dataclass, field

from datasets import load_dataset
from transformers import AutoModelForSequenceClassification, AutoTokenizer, HfArgumentParser
from trl import RewardConfig, RewardTrainer


@dataclass
class ScriptArguments:
    base_model: str = field(default="model")
    dataset: str = field(default="duels.jsonl")
    learning_rate: float = field(default=1e-3)


(script_args,) = HfArgumentParser(ScriptArguments).parse_args_into_dataclasses(args=[])
tokenizer = AutoTokenizer.from_pretrained(script_args.base_model)
tokenizer.pad_token = tokenizer.eos_token
tokenizer.padding_side = "right"
model = AutoModelForSequenceClassification.from_pretrained(script_args.base_model, num_labels=1)
model.config.pad_token_id = tokenizer.pad_token_id

trainer = RewardTrainer(
    model=model,
    processing_class=tokenizer,
    train_dataset=load_dataset("json", data_files=script_args.dataset, split="train"),
    args=RewardConfig(
        output_dir="judge",
        max_steps=8,
        learning_rate=script_args.learning_rate,
        per_device_train_batch_size=4,
        max_length=256,
        logging_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
losses = [round(entry["loss"], 3) for entry in trainer.state.log_history if "loss" in entry]
print("loss after the last step:", losses[-1])
'''
REPORTS = (
    Report(
        "RLHFlow/RLHF-Reward-Modeling#22",
        "current",
        "it answers as SFT taught it: False",
        r"lm_head|(head|weights?).{0,100}(random|new|missing|initiali)|newly|initiali[sz]ed",
        {"train.py": HEAD, "shape/config.json": UNTIED, "talks.jsonl": TALKS, "duels.jsonl": DUELS},
        changed(HEAD, ('used = answers("out/judge", tok', 'used = answers("out/sft", tok')),
    ),
    Report(
        "YangRui2015/Generalizable-Reward-Model#1",
        "grpo-first",
        "loss after the last step: 0.693",
        r"pad(ding)?[ _]?token|\bpad\b|padding",
        {"train.py": ENDS, "duels.jsonl": DUELS},
        changed(
            ENDS,
            ("tokenizer.pad_token = tokenizer.eos_token", 'tokenizer.pad_token = "<|fim_pad|>"'),
        ),
    ),
)
