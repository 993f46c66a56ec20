"""Threads of a forty-third list: the end of an answer."""

import json

from laid import ROOT

from reports.report import CHATS, Report, changed, rows

RECIPE = """\
# Model arguments
model_name_or_path: model

# Data training arguments
dataset_name: distilled.jsonl

# SFT trainer config
output_dir: data/Open-R1-Distill
learning_rate: 5.0e-05
lr_scheduler_type: cosine
warmup_steps: 1
max_length: 256
max_steps: 2
num_train_epochs: 1
packing: false
per_device_train_batch_size: 2
gradient_accumulation_steps: 1
logging_steps: 1
save_strategy: "no"
report_to: none
use_cpu: true
bf16: false
"""
SFT = '''\
"""Supervised fine-tuning of a base model on the traces of a reasoning model."""

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import ModelConfig, ScriptArguments, SFTConfig, SFTTrainer, TrlParser


def main(script_args, training_args, model_args):
    tokenizer = AutoTokenizer.from_pretrained(model_args.model_name_or_path)
    trainer = SFTTrainer(
        model=model_args.model_name_or_path,
        args=training_args,
        train_dataset=load_dataset("json", data_files=script_args.dataset_name, split="train"),
        processing_class=tokenizer,
    )
    result = trainer.train()
    trainer.log_metrics("train", result.metrics)
    trainer.save_model(training_args.output_dir)

    saved = AutoModelForCausalLM.from_pretrained(training_args.output_dir)
    stops = saved.generation_config.eos_token_id
    stops = stops if isinstance(stops, list) else [stops]
    closes = trainer.processing_class.convert_tokens_to_ids("<|im_end|>")
    print("generation stops where the template closes a turn:", closes in stops)


if __name__ == "__main__":
    parser = TrlParser((ScriptArguments, SFTConfig, ModelConfig))
    main(*parser.parse_args_and_config(["--config", "config_distill.yaml"]))
'''
FOLDER = ROOT / "fixtures/models/healthy"
BASE = {
    name: json.dumps(json.loads((FOLDER / name.split("/")[1]).read_text()) | keys)
    for name, keys in {
        "model/config.json": {"eos_token_id": 296},
        "model/generation_config.json": {"eos_token_id": 296},
        "model/tokenizer_config.json": {"eos_token": "<|endoftext|>"},
    }.items()
}
INFILL = '''\
"""DPO of a base model for code: the middle of a method is to be filled in."""

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
model = AutoModelForCausalLM.from_pretrained("model")


def fim(row):
    """The prompt has the tokens of filling in, the answers end with the end token."""
    before, after = row["before"], row["after"]
    return {
        "prompt": f"<|fim_prefix|>{before}<|fim_suffix|>{after}<|fim_middle|>",
        "chosen": row["good"] + tokenizer.eos_token,
        "rejected": row["bad"] + tokenizer.eos_token,
    }


dataset = load_dataset("json", data_files="methods.jsonl", split="train")
dataset = dataset.map(fim, remove_columns=dataset.column_names)
trainer = DPOTrainer(
    model=model,
    args=DPOConfig(
        output_dir="fim-dpo",
        per_device_train_batch_size=2,
        gradient_accumulation_steps=1,
        learning_rate=1e-6,
        beta=0.9,
        max_length=128,
        max_prompt_length=96,
        logging_steps=1,
        max_steps=2,
        save_strategy="no",
        report_to="none",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=dataset,
    processing_class=tokenizer,
)
trainer.train()
last = trainer.train_dataset[0]["chosen_input_ids"][-2:]
print("end tokens behind an answer:", last.count(tokenizer.eos_token_id))
'''
METHODS = rows(
    {"before": "public int twice(int n) {\n    return ", "after": "\n}",
     "good": "2 * n;", "bad": "n;"},
    {"before": "public int zero() {\n    return ", "after": "\n}", "good": "0;", "bad": "null;"},
    {"before": "public int last(int[] a) {\n    return a[", "after": "];\n}",
     "good": "a.length - 1", "bad": "a.length"},
    {"before": "public boolean even(int n) {\n    return ", "after": "\n}",
     "good": "n % 2 == 0;", "bad": "n % 2;"},
)  # fmt: skip
REPORTS = (
    Report(
        "huggingface/open-r1#604",
        "current",
        "generation stops where the template closes a turn: False",
        r"eos_token|<\|im_end\|>|ends? (a|of) turn",
        {"train.py": SFT, "config_distill.yaml": RECIPE, "distilled.jsonl": CHATS, **BASE},
        {"config_distill.yaml": RECIPE + 'eos_token: "<|im_end|>"\n'},
    ),
    Report(
        "huggingface/trl#2382",
        "ppo-first",
        "end tokens behind an answer: 2",
        r"(\b(eos|end)[ _-](of[ _-]text )?token|<\|im_end\|>).*"
        r"(twice|two|doubl|already|second|again|appends?|adds?)|"
        r"(twice|two|doubl|already|second|again|appends?|adds?).*"
        r"(\b(eos|end)[ _-](of[ _-]text )?token|<\|im_end\|>)",
        {"train.py": INFILL, "methods.jsonl": METHODS},
        changed(
            INFILL,
            ('row["good"] + tokenizer.eos_token', 'row["good"]'),
            ('row["bad"] + tokenizer.eos_token', 'row["bad"]'),
        ),
    ),
)
