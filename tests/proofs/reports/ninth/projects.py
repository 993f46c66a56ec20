"""Threads of other repositories that plain searches gave: what projects make of their rows."""

import json

from reports.report import CHATS, Report, changed, rows

LOCAL_LM = """\
import json
import os
from typing import Any

import torch
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer


class LocalProvider:
    @staticmethod
    def finetune(model: str, train_data_path: str, train_kwargs: dict[str, Any] | None = None):
        train_kwargs = train_kwargs or {}
        output_dir = train_kwargs.get("output_dir", "finetuned")
        return train_sft_locally(
            model_name=model,
            train_data=get_data(train_data_path),
            train_kwargs={"output_dir": output_dir, **train_kwargs},
        )


def get_data(path: str) -> list[dict[str, Any]]:
    with open(path) as file:
        return [json.loads(line) for line in file]


def train_sft_locally(model_name, train_data, train_kwargs):
    device = train_kwargs.get("device", None)
    if device is None:
        device = "cuda" if torch.cuda.is_available() else "cpu"

    model = AutoModelForCausalLM.from_pretrained(pretrained_model_name_or_path=model_name)
    tokenizer = AutoTokenizer.from_pretrained(pretrained_model_name_or_path=model_name)
    model.to(device)
    if tokenizer.pad_token_id is None:
        tokenizer.add_special_tokens({"pad_token": "[!#PAD#!]"})
        model.resize_token_embeddings(len(tokenizer))

    max_seq_length = train_kwargs.get("max_seq_length", 4096)
    hf_dataset = Dataset.from_list(train_data)

    sft_config = SFTConfig(
        output_dir=train_kwargs["output_dir"],
        max_steps=train_kwargs.get("max_steps", -1),
        num_train_epochs=train_kwargs.get("num_train_epochs", 1),
        per_device_train_batch_size=train_kwargs.get("per_device_train_batch_size", 1),
        gradient_accumulation_steps=train_kwargs.get("gradient_accumulation_steps", 2),
        learning_rate=train_kwargs.get("learning_rate", 2e-5),
        max_grad_norm=2.0,
        logging_steps=20,
        lr_scheduler_type="constant",
        save_steps=10_000,
        bf16=False,
        use_cpu=True,
        max_seq_length=max_seq_length,
        report_to="none",
        packing=train_kwargs.get("packing", False),
    )
    trainer = SFTTrainer(model=model, args=sft_config, train_dataset=hf_dataset)
    trainer.train()
    trainer.save_model()
    return sft_config.output_dir


if __name__ == "__main__":
    lm = LocalProvider.finetune("model", "rows.jsonl", {"max_steps": 1})
    print(os.path.basename(lm))
"""
BASE = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

max_seq_length = 2048
model = AutoModelForCausalLM.from_pretrained("model")
tokenizer = AutoTokenizer.from_pretrained("model")


def formatting_prompts_func(examples):
    convos = examples["conversations"]
    texts = [
        tokenizer.apply_chat_template(convo, tokenize=False, add_generation_prompt=False)
        for convo in convos
    ]
    return {"text": texts}


dataset = load_dataset("json", data_files="rows.jsonl", split="train")
dataset = dataset.map(formatting_prompts_func, batched=True, remove_columns=["conversations"])

trainer = SFTTrainer(
    model=model,
    processing_class=tokenizer,
    train_dataset=dataset,
    args=SFTConfig(
        dataset_text_field="text",
        max_length=max_seq_length,
        packing=False,
        per_device_train_batch_size=2,
        gradient_accumulation_steps=2,
        warmup_steps=1,
        max_steps=1,
        learning_rate=2e-4,
        logging_steps=1,
        optim="adamw_torch",
        weight_decay=0.01,
        lr_scheduler_type="linear",
        seed=3407,
        output_dir="outputs",
        report_to="none",
        use_cpu=True,
        bf16=False,
    ),
)
trainer_stats = trainer.train()
"""
CONVERSATIONS = CHATS.replace('"messages"', '"conversations"')
MOLECULES = """\
import json

from datasets import load_dataset
from peft import LoraConfig
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

task_name = "hERG"
input_type = "{Drug SMILES}"
with open("tdc_prompts.json") as file:
    tdc_prompts_json = json.load(file)

refactored_dataset_dict = load_dataset(
    "json", data_files={"train": "rows.jsonl", "val": "rows.jsonl"}
)
tokenizer = AutoTokenizer.from_pretrained("model")
model = AutoModelForCausalLM.from_pretrained("model")


def formatting_func(example):
    question = tdc_prompts_json[task_name].replace(input_type, example["input_text"])
    text = f"{question} {example['output_text']}<|im_end|>"
    return text


lora_config = LoraConfig(
    r=8,
    target_modules=["q_proj", "o_proj", "k_proj", "v_proj"],
    task_type="CAUSAL_LM",
)
# The loss is meant to be on the generated tokens, not on the prompt
trainer = SFTTrainer(
    model=model,
    train_dataset=refactored_dataset_dict["train"],
    eval_dataset=refactored_dataset_dict["val"],
    args=SFTConfig(
        output_dir="tx_gemma_herg",
        per_device_train_batch_size=2,
        max_steps=1,
        learning_rate=5e-5,
        logging_steps=1,
        eval_strategy="no",
        save_strategy="no",
        report_to="none",
        use_cpu=True,
        bf16=False,
    ),
    processing_class=tokenizer,
    formatting_func=formatting_func,
    peft_config=lora_config,
)
trainer.train()

batch = next(iter(trainer.get_train_dataloader()))
outside = (batch["labels"] == -100) & (batch["input_ids"] != tokenizer.pad_token_id)
print("prompt tokens that are not trained:", outside.sum().item())
"""
TO_PAIRS = """\
def to_pair(example):
    question = tdc_prompts_json[task_name].replace(input_type, example["input_text"])
    return {"prompt": question + " ", "completion": example["output_text"]}


refactored_dataset_dict = refactored_dataset_dict.map(
    to_pair, remove_columns=["input_text", "output_text"]
)
"""
FORMATTING = MOLECULES[MOLECULES.index("def formatting_func") : MOLECULES.index("\n\nlora_config")]
TDC = json.dumps({"hERG": "Does it block hERG? (A) no (B) yes\nDrug: {Drug SMILES}\nAnswer:"})
DRUGS = rows(
    {"input_text": "O=C(NC)c1cc", "output_text": "(B)"},
    {"input_text": "CCO", "output_text": "(A)"},
    {"input_text": "CC(=O)O", "output_text": "(A)"},
    {"input_text": "c1ccccc1OCC", "output_text": "(B)"},
)
REPORTS = (
    Report(
        "stanfordnlp/dspy#8762",
        "four",
        "unexpected keyword argument 'max_seq_length'",
        "max_seq_length",
        {"train.py": LOCAL_LM, "rows.jsonl": CHATS},
        changed(LOCAL_LM, ("max_seq_length=max_seq_length", "max_length=max_seq_length")),
    ),
    Report(
        "unslothai/unsloth#2096",
        "current",
        "chat_template is not set",
        "chat.?template",
        {"train.py": BASE, "rows.jsonl": CONVERSATIONS},
        {},
        model={"tokenizer_config.json": {"chat_template": None}},
        level="",
    ),
    Report(
        "discuss.huggingface.co/sfttrainer-loss-function-and-formatting-func#170499",
        "current",
        "prompt tokens that are not trained: 0",
        "formatting_func[^.]*(loss|prompt|completion|whole text)|completion.only"
        "|prompts?[^.]*(in the loss|are trained|is trained)|loss[^.]*on the prompt",
        {"train.py": MOLECULES, "rows.jsonl": DRUGS, "tdc_prompts.json": TDC},
        changed(MOLECULES, (FORMATTING, TO_PAIRS), ("    formatting_func=formatting_func,\n", "")),
        level="",
    ),
)
