"""Threads that searches drawn by a seed found: what a recipe and a model's files lack or say."""

import json

from reports.report import CHATS, PREFERENCES, TEXT, Report, changed

BASE = """\
import sys

from trl import ModelConfig, ScriptArguments, SFTConfig, SFTTrainer, TrlParser


def main(script_args, training_args, model_args):
    from datasets import load_dataset
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(model_args.model_name_or_path)
    dataset = load_dataset("json", data_files=script_args.dataset_name)
    trainer = SFTTrainer(
        model=AutoModelForCausalLM.from_pretrained(model_args.model_name_or_path),
        args=training_args,
        train_dataset=dataset[script_args.dataset_train_split],
        processing_class=tokenizer,
    )
    trainer.train()
    trainer.save_model(training_args.output_dir)


if __name__ == "__main__":
    parser = TrlParser((ScriptArguments, SFTConfig, ModelConfig))
    given = sys.argv[1:] or ["--config", "sft.yaml"]
    main(*parser.parse_args_and_config(given))
"""
RECIPE = """\
model_name_or_path: model
dataset_name: chats.jsonl
output_dir: Qwen-0.5B-SFT
learning_rate: 2.0e-05
max_steps: 1
per_device_train_batch_size: 2
save_strategy: "no"
report_to: none
use_cpu: true
bf16: false
"""
NO_TEMPLATE = json.dumps(
    {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "eos_token": "<|im_end|>",
        "pad_token": "<|fim_pad|>",
        "model_max_length": 2048,
        "model_input_names": ["input_ids", "attention_mask"],
    }
)
CHATML = (
    "{%- for message in messages -%}"
    "{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>\\n' }}"
    "{%- endfor -%}{%- if add_generation_prompt -%}{{ '<|im_start|>assistant\\n' }}{%- endif -%}"
)
SAVED = """\
import logging

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

logging.basicConfig(level=logging.INFO)

args = SFTConfig(
    output_dir="sft_llama2",
    dataset_text_field="text",
    per_device_train_batch_size=2,
    learning_rate=1.41e-5,
    max_steps=1,
    save_strategy="no",
    report_to="none",
    use_cpu=True,
    bf16=False,
)
model = AutoModelForCausalLM.from_pretrained("model")
tokenizer = AutoTokenizer.from_pretrained("model")
raw = load_dataset("json", data_files="rows.jsonl", split="train")
trainer = SFTTrainer(model=model, args=args, train_dataset=raw, processing_class=tokenizer)
trainer.train()
trainer.save_model(args.output_dir)
"""
SAMPLED = json.dumps(
    {
        "do_sample": False,
        "temperature": 0.9,
        "top_p": 0.6,
        "eos_token_id": 298,
        "pad_token_id": 299,
    }
)
MEDICAL = """\
import shlex
import sys
from dataclasses import dataclass, field
from typing import Optional

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, HfArgumentParser
from trl import DPOConfig, DPOTrainer


@dataclass
class ScriptArguments:
    model_name_or_path: Optional[str] = field(default=None)
    train_file: Optional[str] = field(default=None)
    output_dir: Optional[str] = field(default="outputs-dpo")
    per_device_train_batch_size: int = field(default=2)
    max_steps: int = field(default=200)
    learning_rate: float = field(default=5e-4)
    max_source_length: int = field(default=256)
    report_to: str = field(default="none")


def main(given):
    args = HfArgumentParser(ScriptArguments).parse_args_into_dataclasses(given)[0]
    tokenizer = AutoTokenizer.from_pretrained(args.model_name_or_path)
    trainer = DPOTrainer(
        model=AutoModelForCausalLM.from_pretrained(args.model_name_or_path),
        args=DPOConfig(
            output_dir=args.output_dir,
            per_device_train_batch_size=args.per_device_train_batch_size,
            max_steps=args.max_steps,
            learning_rate=args.learning_rate,
            max_prompt_length=args.max_source_length,
            report_to=args.report_to,
            save_strategy="no",
            use_cpu=True,
        ),
        train_dataset=load_dataset("json", data_files=args.train_file, split="train"),
        processing_class=tokenizer,
    )
    trainer.train()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(sys.argv[1:])
    else:  # as run_dpo.sh starts it
        with open("run_dpo.sh") as file:
            main(shlex.split(file.read())[2:])
"""
LAUNCHED = (
    "python train.py --model_name_or_path model --train_file rows.jsonl --max_steps 1 "
    "--per_device_train_batch_size 2 --learning_rate 5e-5 --report_to none"
)
DEEPSPEED = '{"train_micro_batch_size_per_gpu": "auto", "zero_optimization": {"stage": 2}}\n'
REPORTS = (
    Report(
        "huggingface/trl#3309",
        "current",
        "chat_template is not set",
        "chat.?template",
        {
            "train.py": BASE,
            "sft.yaml": RECIPE,
            "chats.jsonl": CHATS,
            "model/tokenizer_config.json": NO_TEMPLATE,
        },
        {"sft.yaml": RECIPE + "chat_template_path: chatml.jinja\n", "chatml.jinja": CHATML},
        level="",
    ),
    Report(
        "huggingface/transformers#29988",
        "four",
        "`do_sample` is not set to `True`|`do_sample` is set to `False`",
        "do_sample|temperature|top_p",
        {"train.py": SAVED, "rows.jsonl": TEXT, "model/generation_config.json": SAMPLED},
        changed(
            SAVED,
            ("tokenizer = Auto", "model.generation_config.do_sample = True\ntokenizer = Auto"),
        ),
    ),
    Report(
        "shibing624/MedicalGPT#206",
        "ppo-first",
        "arguments are not used by the HfArgumentParser",
        "deepspeed",
        {
            "train.py": MEDICAL,
            "run_dpo.sh": f"{LAUNCHED} --deepspeed zero2.json\n",
            "zero2.json": DEEPSPEED,
            "rows.jsonl": PREFERENCES,
        },
        {"run_dpo.sh": f"{LAUNCHED}\n"},
        level="",
    ),
)
