"""Threads of a thirty-third list: what is learnt of a text."""

import json

from laid import ROOT

from reports.report import PAIRS, Report, changed, rows, turn

SETTINGS = json.loads((ROOT / "fixtures/models/healthy/tokenizer_config.json").read_text())
SETTINGS["model_input_names"] = ["input_ids", "attention_mask"]
ENDED = json.dumps({**SETTINGS, "pad_token": SETTINGS["eos_token"]})
TALKS = rows(*({"question": asked, "answer": said} for asked, said in PAIRS))
CHATTED = rows(
    *({"prompt": [turn("user", a)], "completion": [turn("assistant", b)]} for a, b in PAIRS)
)
ASSISTANT = '''\
"""Only the answers of the assistant are learnt."""

import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DataCollatorForCompletionOnlyLM, SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
model = AutoModelForCausalLM.from_pretrained("model")

# A turn ends with the end-of-turn token, then the assistant begins.
RESPONSE_TEMPLATE = "<|im_end|>\\n<|im_start|>assistant\\n"


def formatting_prompts_func(examples):
    texts = []
    for question, answer in zip(examples["question"], examples["answer"]):
        texts.append(
            f"<|im_start|>user\\n{question}<|im_end|>\\n<|im_start|>assistant\\n{answer}<|im_end|>"
        )
    return texts


def to_text(example):
    batch = {key: [value] for key, value in example.items()}
    return {"text": formatting_prompts_func(batch)[0]}


dataset = load_dataset("json", data_files="talks.jsonl", split="train")
dataset = dataset.map(to_text, remove_columns=dataset.column_names)
collator = DataCollatorForCompletionOnlyLM(RESPONSE_TEMPLATE, tokenizer=tokenizer)

trainer = SFTTrainer(
    model,
    train_dataset=dataset,
    processing_class=tokenizer,
    data_collator=collator,
    args=SFTConfig(
        output_dir="openchat",
        max_steps=2,
        per_device_train_batch_size=2,
        logging_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
    ),
)
learnt = 0
for batch in trainer.get_train_dataloader():
    learnt += int((batch["labels"] != -100).sum())
trainer.train()
print("tokens that are learnt:", learnt)
'''
HEADER = '''\
"""Prompts and completions in chat form; the loss is on the completion alone."""

from datasets import load_dataset
from transformers import AutoTokenizer
from trl import SFTConfig, SFTTrainer

MODEL = "model"


def learnt_texts(trainer, tokenizer):
    """The part of each row that the loss is on."""
    for row in trainer.train_dataset:
        kept = [token for token, mask in zip(row["input_ids"], row["completion_mask"]) if mask]
        yield tokenizer.decode(kept)


def main():
    tokenizer = AutoTokenizer.from_pretrained(MODEL)
    data = load_dataset("json", data_files="chatted.jsonl", split="train")
    trainer = SFTTrainer(
        model=MODEL,
        processing_class=tokenizer,
        train_dataset=data,
        args=SFTConfig(
            output_dir="completions",
            completion_only_loss=True,
            max_steps=2,
            per_device_train_batch_size=2,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
        ),
    )
    header = "<|im_start|>assistant"
    count = sum(text.startswith(header) for text in learnt_texts(trainer, tokenizer))
    trainer.train()
    print("rows whose header is learnt too:", count)


if __name__ == "__main__":
    main()
'''
REPORTS = (
    Report(
        "huggingface/trl#1191",
        "grpo-first",
        "tokens that are learnt: 0",
        r"(response.?template|template).{0,200}(pad|not found|never|no row|nowhere|in none)"
        r"|all.{0,30}(mask|-100|ignored)|nothing (is )?(learn|train)"
        r"|no token.{0,40}(learn|loss|train)"
        r"|\bpad\w*.{0,60}(eos|same|end)",
        {
            "train.py": ASSISTANT,
            "talks.jsonl": TALKS,
            "model/tokenizer_config.json": ENDED,
        },
        changed(
            ASSISTANT,
            (
                'RESPONSE_TEMPLATE = "<|im_end|>\\n<|im_start|>',
                'RESPONSE_TEMPLATE = "<|im_start|>',
            ),
        ),
    ),
    Report(
        "huggingface/trl#4201",
        "grpo-shapes",
        "rows whose header is learnt too: 4",
        r"add_generation_prompt|generation prompt|header|<\|im_start\|>assistant"
        r"|(role|assistant).{0,60}(learn|loss|train)",
        {"train.py": HEADER, "chatted.jsonl": CHATTED},
        changed(
            HEADER,
            (
                "    trainer = SFTTrainer(",
                '    end = "<|im_end|>\\n"  # the trainer ends the rows\n\n'
                "    def render(row):\n"
                "        prompt = tokenizer.apply_chat_template(\n"
                '            row["prompt"], tokenize=False, add_generation_prompt=True\n'
                "        )\n"
                '        whole = row["prompt"] + row["completion"]\n'
                "        text = tokenizer.apply_chat_template(whole, tokenize=False)\n"
                '        return {"prompt": prompt, "completion": text[len(prompt) : -len(end)]}\n\n'
                "    data = data.map(render, remove_columns=data.column_names)\n"
                "    trainer = SFTTrainer(",
            ),
        ),
    ),
)
