"""Threads of TRL's own tracker: ORPO, and DPO on the policy's own answers."""

from reports.report import PREFERENCES, PROMPTS, Report, changed

OMITTED = """\
from datasets import load_dataset
from trl import ORPOConfig, ORPOTrainer

cfg = ORPOConfig(
    output_dir="orpo-smoke",
    max_length=128,
    max_prompt_length=64,
    per_device_train_batch_size=2,
    max_steps=1,
    learning_rate=8e-6,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
ds = load_dataset("json", data_files="pairs.jsonl", split="train")
trainer = ORPOTrainer(model="model", args=cfg, train_dataset=ds)
trainer.train()
"""
ONLINE = """\
from datasets import load_dataset
from transformers import (
    AutoModelForCausalLM,
    AutoModelForSequenceClassification,
    AutoTokenizer,
)
from trl import OnlineDPOConfig, OnlineDPOTrainer

tokenizer = AutoTokenizer.from_pretrained("model", padding_side="left")
model = AutoModelForCausalLM.from_pretrained("model")
reward_model = AutoModelForSequenceClassification.from_pretrained("reward", num_labels=1)

training_args = OnlineDPOConfig(
    output_dir="online-dpo",
    max_new_tokens=24,
    max_length=24,
    temperature=1.2,
    per_device_train_batch_size=2,
    learning_rate=5e-7,
    max_steps=2,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = OnlineDPOTrainer(
    model=model,
    reward_model=reward_model,
    args=training_args,
    processing_class=tokenizer,
    reward_processing_class=AutoTokenizer.from_pretrained("reward"),
    train_dataset=load_dataset("json", data_files="prompts.jsonl", split="train"),
)
trainer.train()
"""
COMMAND = """\
import shlex
import sys

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import ModelConfig, ORPOConfig, ORPOTrainer, ScriptArguments, TrlParser


def main(given):
    parser = TrlParser((ScriptArguments, ORPOConfig, ModelConfig))
    script_args, training_args, model_args = parser.parse_args_and_config(given)
    tokenizer = AutoTokenizer.from_pretrained(model_args.model_name_or_path)
    dataset = load_dataset("json", data_files=script_args.dataset_name)
    trainer = ORPOTrainer(
        model_args.model_name_or_path,
        args=training_args,
        train_dataset=dataset[script_args.dataset_train_split],
        processing_class=tokenizer,
    )
    trainer.train()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(sys.argv[1:])
    else:  # as run.sh starts it
        with open("run.sh") as file:
            main(shlex.split(file.read())[2:])
"""
STARTED = (
    "python train.py --model_name_or_path model --dataset_name pairs.jsonl --output_dir orpo-cli "
    "--max_steps 1 --per_device_train_batch_size 2 --learning_rate 8e-6 --report_to none "
    "--save_strategy no --use_cpu True --bf16 False%s\n"
)
GIVEN = """ --model_init_kwargs '{"attn_implementation": "eager"}'"""
BUILT = (
    "        model_args.model_name_or_path,\n        args",
    "        AutoModelForCausalLM.from_pretrained(\n"
    '            model_args.model_name_or_path, attn_implementation="eager"\n'
    "        ),\n        args",
)
REPORTS = (
    Report(
        "huggingface/trl#6087",
        "four",
        "processing_class must be specified",
        "processing_class",
        {"train.py": OMITTED, "pairs.jsonl": PREFERENCES},
        changed(
            OMITTED,
            ("from trl", "from transformers import AutoTokenizer\nfrom trl"),
            (
                "train_dataset=ds)",
                'train_dataset=ds, processing_class=AutoTokenizer.from_pretrained("model"))',
            ),
        ),
    ),
    Report(
        "huggingface/trl#5230",
        "four",
        "invalid dict value",
        "model_init_kwargs",
        {"train.py": COMMAND, "run.sh": STARTED % GIVEN, "pairs.jsonl": PREFERENCES},
        {**changed(COMMAND, BUILT), "run.sh": STARTED % ""},
        level="",
    ),
    Report(
        "huggingface/trl#4193",
        "grpo-shapes",
        "size of tensor a \\(0\\) must match",
        "max_new_tokens|max_length",
        {"train.py": ONLINE, "prompts.jsonl": PROMPTS},
        changed(ONLINE, ("max_length=24", "max_length=256")),
    ),
)
