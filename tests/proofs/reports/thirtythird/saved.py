"""Threads of a thirty-third list: adapters that are saved."""

import json

from laid import ROOT

from reports.report import COMPLETIONS, PAIRS, Report, changed, rows, turn

PADLESS = json.loads((ROOT / "fixtures/models/healthy/tokenizer_config.json").read_text())
PADLESS["model_input_names"] = ["input_ids", "attention_mask"]
del PADLESS["pad_token"]
MEDICAL = rows(*({"instruction": "Answer as a doctor.", "input": a, "output": b} for a, b in PAIRS))
DIALOGUES = rows(*({"conversations": [turn("user", a), turn("assistant", b)]} for a, b in PAIRS))
ALPACA = '''\
"""finetune.py of a LoRA recipe, moved to SFTTrainer."""

import os
import sys

import torch
from datasets import load_dataset
from peft import LoraConfig, get_peft_model, get_peft_model_state_dict
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer


def train(
    base_model="model",
    data_path="alpaca.jsonl",
    output_dir="lora-alpaca",
    micro_batch_size=2,
    learning_rate=3e-4,
    lora_r=8,
    lora_target_modules=("q_proj", "v_proj"),
):
    model = AutoModelForCausalLM.from_pretrained(base_model)
    tokenizer = AutoTokenizer.from_pretrained(base_model)
    config = LoraConfig(
        r=lora_r,
        lora_alpha=16,
        target_modules=list(lora_target_modules),
        lora_dropout=0.05,
        bias="none",
        task_type="CAUSAL_LM",
    )
    model = get_peft_model(model, config)
    data = load_dataset("json", data_files=data_path, split="train")
    trainer = SFTTrainer(
        model=model,
        processing_class=tokenizer,
        train_dataset=data,
        args=SFTConfig(
            output_dir=output_dir,
            per_device_train_batch_size=micro_batch_size,
            max_steps=2,
            learning_rate=learning_rate,
            logging_steps=1,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
    )
    model.config.use_cache = False

    old_state_dict = model.state_dict
    model.state_dict = (
        lambda self, *_, **__: get_peft_model_state_dict(self, old_state_dict())
    ).__get__(model, type(model))

    if torch.__version__ >= "2" and sys.platform == "darwin":
        model = torch.compile(model)

    trainer.train()
    model.save_pretrained(output_dir)
    return output_dir


if __name__ == "__main__":
    folder = train()
    kept = load_file(os.path.join(folder, "adapter_model.safetensors"))
    print("tensors in the adapter:", len(kept))
'''
LARGE = '''\
"""Week 3: a medical assistant with LoRA on two sources."""

from pathlib import Path

from datasets import concatenate_datasets, load_dataset
from peft import LoraConfig
from safetensors import safe_open
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

SYSTEM = "You are a careful medical assistant."


def load_base(name):
    tokenizer = AutoTokenizer.from_pretrained(name)
    model = AutoModelForCausalLM.from_pretrained(name)
    tokenizer.add_special_tokens({"pad_token": "<|pad|>"})
    model.resize_token_embeddings(len(tokenizer))
    model.config.pad_token_id = tokenizer.pad_token_id
    return model, tokenizer


def from_doctor(row):
    return {
        "messages": [
            {"role": "system", "content": SYSTEM},
            {"role": "user", "content": row["input"]},
            {"role": "assistant", "content": row["output"]},
        ]
    }


def from_wiki(row):
    return {"messages": [{"role": "system", "content": SYSTEM}, *row["conversations"]]}


def load_sources():
    doctor = load_dataset("json", data_files="chatdoctor.jsonl", split="train")
    wiki = load_dataset("json", data_files="wikidoc.jsonl", split="train")
    doctor = doctor.map(from_doctor, remove_columns=doctor.column_names)
    wiki = wiki.map(from_wiki, remove_columns=wiki.column_names)
    return concatenate_datasets([doctor, wiki]).shuffle(seed=3)


def main(out="medical-lora"):
    model, tokenizer = load_base("model")
    trainer = SFTTrainer(
        model=model,
        processing_class=tokenizer,
        train_dataset=load_sources(),
        peft_config=LoraConfig(
            r=4,
            lora_alpha=8,
            target_modules=["q_proj", "k_proj", "v_proj", "o_proj"],
            task_type="CAUSAL_LM",
        ),
        args=SFTConfig(
            output_dir=out,
            max_steps=2,
            per_device_train_batch_size=2,
            learning_rate=2e-4,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
    )
    trainer.train()
    trainer.save_model(out)

    weights = Path(out, "adapter_model.safetensors")
    with safe_open(weights, framework="pt") as file:
        large = [name for name in file.keys() if "embed_tokens" in name or "lm_head" in name]
    print(f"{weights.stat().st_size / 1024:.0f} KB")
    print("whole embeddings in the adapter:", len(large) > 0)


if __name__ == "__main__":
    main()
'''
REPORTS = (
    Report(
        "tloen/alpaca-lora#539",
        "grpo-shapes",
        "tensors in the adapter: 0",
        r"state_dict|(adapter|saved?|file).{0,80}(empty|no (weight|tensor)|nothing)|empty adapter",
        {"train.py": ALPACA, "alpaca.jsonl": COMPLETIONS},
        changed(
            ALPACA,
            (
                "    old_state_dict = model.state_dict\n"
                "    model.state_dict = (\n"
                "        lambda self, *_, **__: get_peft_model_state_dict(self, old_state_dict())\n"
                "    ).__get__(model, type(model))\n\n",
                "",
            ),
            (
                "from peft import LoraConfig, get_peft_model, get_peft",
                "from peft import LoraConfig, get_peft",
            ),
            ("get_peft_model_state_dict\n", "get_peft_model\n"),
        ),
    ),
    Report(
        "clawdbytes.com/fine-tuning-llama-32-3b-on-medical-qa-week-4#20260617",
        "current",
        "whole embeddings in the adapter: True",
        r"resiz|embedding|embed_tokens|lm_head|save_embedding_layers",
        {
            "train.py": LARGE,
            "chatdoctor.jsonl": MEDICAL,
            "wikidoc.jsonl": DIALOGUES,
            "model/tokenizer_config.json": json.dumps(PADLESS),
        },
        changed(
            LARGE,
            (
                '    tokenizer.add_special_tokens({"pad_token": "<|pad|>"})\n'
                "    model.resize_token_embeddings(len(tokenizer))\n",
                '    tokenizer.pad_token = "<|fim_pad|>"\n',
            ),
        ),
    ),
)
