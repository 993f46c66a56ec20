"""Threads of a forty-fourth list: an adapter around an adapter, and one around nothing."""

from reports.report import CHATS, PREFERENCES, TEXT, Report, changed

STAGES = '''\
"""SFT, then DPO on top of its adapter."""

from datasets import load_dataset
from peft import AutoPeftModelForCausalLM, LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer, SFTConfig, SFTTrainer

BASE, ADAPTER = "model", "teen-emo-sft"
ALWAYS = {"report_to": "none", "save_strategy": "no", "use_cpu": True, "bf16": False}
LORA = LoraConfig(
    r=16,
    lora_alpha=16,
    lora_dropout=0.0,
    target_modules=["q_proj", "k_proj", "v_proj", "o_proj"],
    task_type="CAUSAL_LM",
)
tokenizer = AutoTokenizer.from_pretrained(BASE)


def sft():
    trainer = SFTTrainer(
        model=AutoModelForCausalLM.from_pretrained(BASE),
        args=SFTConfig(
            output_dir=ADAPTER, max_steps=2, learning_rate=2e-4, logging_steps=1, **ALWAYS
        ),
        train_dataset=load_dataset("json", data_files="chats.jsonl", split="train"),
        processing_class=tokenizer,
        peft_config=LORA,
    )
    trainer.train()
    trainer.save_model(ADAPTER)


def dpo():
    model = AutoPeftModelForCausalLM.from_pretrained(ADAPTER, is_trainable=True)
    model = get_peft_model(model, LORA)
    trainer = DPOTrainer(
        model=model,
        args=DPOConfig(
            output_dir="teen-emo-dpo",
            beta=0.1,
            learning_rate=5e-6,
            max_length=128,
            max_steps=2,
            logging_steps=1,
            **ALWAYS,
        ),
        train_dataset=load_dataset("json", data_files="pairs.jsonl", split="train"),
        processing_class=tokenizer,
    )
    trainer.train()


if __name__ == "__main__":
    sft()
    dpo()
'''
ELSEWHERE = '''\
"""SFT with LoRA; the modules are those of the model that was tuned before."""

from dataclasses import dataclass
from typing import Optional

from datasets import load_dataset
from peft import LoraConfig
from transformers import AutoModelForCausalLM, AutoTokenizer, HfArgumentParser
from trl import SFTConfig, SFTTrainer


@dataclass
class ScriptArguments:
    model_name: Optional[str] = "model"
    lora_r: Optional[int] = 16
    lora_alpha: Optional[int] = 16
    lora_dropout: Optional[float] = 0.1
    learning_rate: Optional[float] = 5e-6


script_args = HfArgumentParser(ScriptArguments).parse_args_into_dataclasses()[0]
peft_config = LoraConfig(
    lora_alpha=script_args.lora_alpha,
    lora_dropout=script_args.lora_dropout,
    r=script_args.lora_r,
    bias="none",
    task_type="CAUSAL_LM",
    target_modules=["att_proj", "attn_out", "ff_proj", "ff_out"],
)
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained(script_args.model_name),
    args=SFTConfig(
        output_dir="tuned",
        learning_rate=script_args.learning_rate,
        per_device_train_batch_size=2,
        max_length=128,
        max_steps=1,
        logging_steps=1,
        save_strategy="no",
        report_to="none",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=load_dataset("json", data_files="texts.jsonl", split="train"),
    processing_class=AutoTokenizer.from_pretrained(script_args.model_name),
    peft_config=peft_config,
)
trainer.train()
'''
REPORTS = (
    Report(
        "huggingface.co/datasets/YUGOROU/TeenEmo-Scripts/commit/d6cfb51",
        "current",
        "has no attribute 'last_hidden_state'",
        r"get_peft_model|(adapter|PEFT|LoRA).*(twice|already|second|again|around|nested)|"
        r"(twice|already|second|again|around|nested).*(adapter|PEFT|LoRA)",
        {"train.py": STAGES, "chats.jsonl": CHATS, "pairs.jsonl": PREFERENCES},
        changed(
            STAGES,
            ("AutoPeftModelForCausalLM, LoraConfig, get_peft_model\n",
             "AutoPeftModelForCausalLM, LoraConfig\n"),
            ("    model = get_peft_model(model, LORA)\n", ""),
        ),
    ),
    Report(
        "allenai/OLMo#622",
        "current",
        "not found in the base model",
        r"target[_ ]modules",
        {"train.py": ELSEWHERE, "texts.jsonl": TEXT},
        changed(
            ELSEWHERE,
            ('["att_proj", "attn_out", "ff_proj", "ff_out"]',
             '["q_proj", "o_proj", "up_proj", "down_proj"]'),
        ),
    ),
)  # fmt: skip
