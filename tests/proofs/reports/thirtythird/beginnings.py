"""Threads of a thirty-third list: texts that begin twice."""

import json

from laid import ROOT

from reports.report import CHATS, PAIRS, Report, changed, rows

MODEL = ROOT / "fixtures/models/healthy"
FIRST = "<|endoftext|>"
ORDERS = rows(*({"instruction": asked, "context": "", "response": said} for asked, said in PAIRS))


def beginning() -> dict[str, str]:
    """The files of a model whose tokenizer and whose chat template both put a first token."""
    tokenizer = json.loads((MODEL / "tokenizer.json").read_text())
    number = next(t["id"] for t in tokenizer["added_tokens"] if t["content"] == FIRST)
    tokenizer["post_processor"] = {
        "type": "TemplateProcessing",
        "single": [
            {"SpecialToken": {"id": FIRST, "type_id": 0}},
            {"Sequence": {"id": "A", "type_id": 0}},
        ],
        "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 0}}],
        "special_tokens": {FIRST: {"id": FIRST, "ids": [number], "tokens": [FIRST]}},
    }
    settings = json.loads((MODEL / "tokenizer_config.json").read_text())
    settings |= {
        "bos_token": FIRST,
        "chat_template": "{{ bos_token }}" + settings["chat_template"],
        "model_input_names": ["input_ids", "attention_mask"],
    }
    return {
        "model/tokenizer.json": json.dumps(tokenizer),
        "model/tokenizer_config.json": json.dumps(settings),
    }


DOLLY = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

max_seq_length = 256
model = AutoModelForCausalLM.from_pretrained("model")
tokenizer = AutoTokenizer.from_pretrained("model")


def to_conversation(example):
    question = example["instruction"]
    if example["context"]:
        question = f"{example['context']}\\n\\n{question}"
    return {
        "conversations": [
            {"role": "user", "content": question},
            {"role": "assistant", "content": example["response"]},
        ]
    }


def formatting_prompts_func(examples):
    convos = examples["conversations"]
    texts = [
        tokenizer.apply_chat_template(convo, tokenize=False, add_generation_prompt=False)
        for convo in convos
    ]
    return {"text": texts}


dataset = load_dataset("json", data_files="dolly.jsonl", split="train")
dataset = dataset.map(to_conversation, remove_columns=dataset.column_names)
dataset = dataset.map(formatting_prompts_func, batched=True, remove_columns=["conversations"])

trainer = SFTTrainer(
    model=model,
    processing_class=tokenizer,
    train_dataset=dataset,
    args=SFTConfig(
        dataset_text_field="text",
        max_length=max_seq_length,
        per_device_train_batch_size=2,
        gradient_accumulation_steps=1,
        max_steps=2,
        logging_steps=1,
        output_dir="outputs",
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
first, second = trainer.train_dataset[0]["input_ids"][:2]
trainer.train()
print("rows begin with two:", first == second == tokenizer.bos_token_id)
"""
CHATML = '''\
"""Supervised fine-tuning on chats."""

import argparse

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer


def count_first(trainer):
    """How many of the first tokens there are in the first batch."""
    batch = next(iter(trainer.get_train_dataloader()))
    return (batch["input_ids"] == trainer.processing_class.bos_token_id).sum(dim=1).tolist()


def main(arguments):
    tokenizer = AutoTokenizer.from_pretrained(arguments.model)
    model = AutoModelForCausalLM.from_pretrained(arguments.model)
    data = load_dataset("json", data_files=arguments.data, split="train")
    trainer = SFTTrainer(
        model=model,
        processing_class=tokenizer,
        train_dataset=data,
        args=SFTConfig(
            output_dir="chatml",
            max_steps=1,
            per_device_train_batch_size=2,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
        ),
    )
    print("first tokens in a row:", max(count_first(trainer)))
    trainer.train()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="model")
    parser.add_argument("--data", default="chats.jsonl")
    main(parser.parse_args())
'''
TWICE = (
    r"(two|twice|doubl|second|again|another|once more).{0,120}(bos|first token|begin|start"
    r"|special token|<\|endoftext)|(bos|special token|<\|endoftext\|>).{0,120}(two|twice|doubl"
    r"|second|again|add_special_tokens)"
)
REPORTS = (
    Report(
        "unslothai/unsloth#2648",
        "four",
        "rows begin with two: True",
        TWICE,
        {**beginning(), "train.py": DOLLY, "dolly.jsonl": ORDERS},
        changed(
            DOLLY,
            (
                "tokenizer.apply_chat_template(convo, tokenize=False, "
                "add_generation_prompt=False)\n",
                "tokenizer.apply_chat_template(\n            convo, tokenize=False, "
                "add_generation_prompt=False\n        ).removeprefix(tokenizer.bos_token)\n",
            ),
        ),
    ),
    Report(
        "huggingface/trl#1400",
        "grpo-first",
        "first tokens in a row: 2",
        TWICE,
        {**beginning(), "train.py": CHATML, "chats.jsonl": CHATS},
        changed(
            CHATML,
            (
                "    model = AutoModel",
                "    template = tokenizer.chat_template\n"
                '    tokenizer.chat_template = template.replace("{{ bos_token }}", "")\n'
                "    model = AutoModel",
            ),
        ),
    ),
)
