"""Threads of a thirty-first list: runs that end in an error."""

from reports.report import COMPLETIONS, PREFERENCES, TEXT, Report, changed

CHECKPOINTED = """\
# -*- coding: utf-8 -*-
import json

import torch
from datasets import Dataset
from peft import LoraConfig, TaskType, get_peft_model
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    DataCollatorForSeq2Seq,
    Trainer,
    TrainingArguments,
)

tokenizer = AutoTokenizer.from_pretrained("model")
with open("rows.jsonl") as file:
    ds = Dataset.from_list([json.loads(line) for line in file])


def process_func(example):
    MAX_LENGTH = 384
    instruction = tokenizer(
        f"<|im_start|>user\\n{example['prompt']}<|im_end|>\\n<|im_start|>assistant\\n",
        add_special_tokens=False,
    )["input_ids"]
    response = tokenizer(example["completion"], add_special_tokens=False)["input_ids"]
    response = response + [tokenizer.eos_token_id]
    input_ids = (instruction + response)[:MAX_LENGTH]
    labels = ([-100] * len(instruction) + response)[:MAX_LENGTH]
    return {"input_ids": input_ids, "attention_mask": [1] * len(input_ids), "labels": labels}


tokenized_id = ds.map(process_func, remove_columns=ds.column_names)

model = AutoModelForCausalLM.from_pretrained("model", torch_dtype=torch.float32)
config = LoraConfig(
    task_type=TaskType.CAUSAL_LM,
    target_modules=["q_proj", "k_proj", "v_proj", "o_proj"],
    inference_mode=False,
    r=8,
    lora_alpha=32,
    lora_dropout=0.1,
)
model = get_peft_model(model, config)
model.print_trainable_parameters()

args = TrainingArguments(
    output_dir="./output/llama3_lora",
    per_device_train_batch_size=2,
    gradient_accumulation_steps=1,
    logging_steps=1,
    max_steps=2,
    learning_rate=1e-4,
    gradient_checkpointing=True,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
)
trainer = Trainer(
    model=model,
    args=args,
    train_dataset=tokenized_id,
    data_collator=DataCollatorForSeq2Seq(tokenizer=tokenizer, padding=True),
)
trainer.train()
trainer.save_model("./output/llama3_lora/final")
"""
RECIPE = """\
model_name_or_path: model
torch_dtype: float32
use_peft: true
lora_r: 8
lora_alpha: 16
lora_dropout: 0.05
lora_target_modules: [q_proj, v_proj]
dataset: pairs.jsonl
beta: 0.01
learning_rate: 5.0e-06
max_length: 256
max_prompt_length: 128
max_steps: 1
output_dir: data/zephyr-7b-dpo-qlora
per_device_train_batch_size: 2
"""
BOTH = """\
import logging
from dataclasses import dataclass, fields

import yaml
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer, ModelConfig, get_peft_config

logger = logging.getLogger(__name__)


@dataclass
class DataArguments:
    dataset: str = "pairs.jsonl"


def parse(path):
    with open(path) as file:
        recipe = yaml.safe_load(file)
    mine = {}
    for kind in (DataArguments, ModelConfig):
        names = {one.name for one in fields(kind)} & set(recipe)
        mine[kind] = kind(**{name: recipe.pop(name) for name in names})
    training_args = DPOConfig(
        **recipe, report_to="none", save_strategy="no", use_cpu=True, bf16=False
    )
    return mine[DataArguments], training_args, mine[ModelConfig]


def main(data_args, training_args, model_args):
    model = AutoModelForCausalLM.from_pretrained(
        model_args.model_name_or_path, torch_dtype=model_args.torch_dtype
    )
    ref_model = AutoModelForCausalLM.from_pretrained(
        model_args.model_name_or_path, torch_dtype=model_args.torch_dtype
    )
    tokenizer = AutoTokenizer.from_pretrained(model_args.model_name_or_path)
    trainer = DPOTrainer(
        model,
        ref_model,
        args=training_args,
        train_dataset=load_dataset("json", data_files=data_args.dataset, split="train"),
        processing_class=tokenizer,
        peft_config=get_peft_config(model_args),
    )
    trainer.train()
    logger.info("*** Save model ***")
    trainer.save_model(training_args.output_dir)


if __name__ == "__main__":
    main(*parse("config_qlora.yaml"))
"""
SAVED = """\
import pathlib

from datasets import load_dataset
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    DataCollatorForLanguageModeling,
    HfArgumentParser,
    Trainer,
    TrainingArguments,
)


class Phi3VTrainer(Trainer):
    def create_optimizer(self):
        return super().create_optimizer()

    def _save_checkpoint(self, model, trial):
        super()._save_checkpoint(model, trial)
        folder = pathlib.Path(self._get_output_dir(trial=trial))
        kept = folder / f"checkpoint-{self.state.global_step}" / "non_lora.txt"
        kept.write_text("nothing besides")


def train():
    parser = HfArgumentParser(TrainingArguments)
    (training_args,) = parser.parse_args_into_dataclasses(
        args="--output_dir output --max_steps 2 --per_device_train_batch_size 2 "
        "--save_strategy steps --save_steps 1 --learning_rate 1e-4 "
        "--report_to none --use_cpu".split()
    )
    tokenizer = AutoTokenizer.from_pretrained("model")
    data = load_dataset("json", data_files="texts.jsonl", split="train")
    data = data.map(lambda row: tokenizer(row["text"]), remove_columns=["text"])
    trainer = Phi3VTrainer(
        model=AutoModelForCausalLM.from_pretrained("model", torch_dtype="float32"),
        args=training_args,
        train_dataset=data,
        data_collator=DataCollatorForLanguageModeling(tokenizer, mlm=False),
    )
    trainer.train()


if __name__ == "__main__":
    train()
"""
REPORTS = (
    Report(
        "datawhalechina/self-llm#229",
        "grpo-shapes",
        "does not require grad",
        r"enable_input_require_grads|gradient.checkpointing|use_reentrant"
        r"|(does|do) not require (a )?grad|requires_grad",
        {"train.py": CHECKPOINTED, "rows.jsonl": COMPLETIONS},
        changed(
            CHECKPOINTED,
            (
                "model = get_peft_model(model, config)\n",
                "model.enable_input_require_grads()\nmodel = get_peft_model(model, config)\n",
            ),
        ),
    ),
    Report(
        "huggingface/alignment-handbook#224",
        "grpo-shapes",
        "both a ref_model and a peft_config",
        r"ref_model|reference model",
        {"train.py": BOTH, "config_qlora.yaml": RECIPE, "pairs.jsonl": PREFERENCES},
        changed(
            BOTH,
            (
                "        peft_config=get_peft_config(model_args),\n",
                "        peft_config=peft_config,\n",
            ),
            (
                "    ref_model = AutoModelForCausalLM.from_pretrained(\n"
                "        model_args.model_name_or_path, torch_dtype=model_args.torch_dtype\n"
                "    )\n",
                "    peft_config = get_peft_config(model_args)\n    ref_model = None\n",
            ),
        ),
    ),
    Report(
        "2U1/Phi3-Vision-Finetune#39",
        "ppo-first",
        r"_save_checkpoint\(\) got an unexpected keyword argument 'metrics'",
        r"_save_checkpoint|'metrics'|`metrics`|signature|overrid|unexpected keyword",
        {"train.py": SAVED, "texts.jsonl": TEXT},
        changed(
            SAVED,
            (
                "    def _save_checkpoint(self, model, trial):\n"
                "        super()._save_checkpoint(model, trial)\n",
                "    def _save_checkpoint(self, model, trial, metrics=None):\n"
                "        super()._save_checkpoint(model, trial, metrics=metrics)\n",
            ),
        ),
    ),
)
