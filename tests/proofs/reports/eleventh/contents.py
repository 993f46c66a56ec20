"""Threads that searches for trainers with a symptom found: turns, and templates."""

import json

from laid import ROOT

from reports.report import PAIRS, Report, changed, rows, turn

RECOGNISE = """\
import re

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import GRPOConfig, GRPOTrainer

QUESTION_TEMPLATE = "{Question} First think in <think> tags, then answer in <answer> tags."
dataset = load_dataset("json", data_files="rows.jsonl", split="train")


def make_conversation(example):
    return {
        "prompt": [
            {
                "role": "user",
                "content": [
                    {
                        "type": "text",
                        "text": QUESTION_TEMPLATE.format(Question=example["prompt"]),
                    },
                ],
            },
        ],
    }


def format_reward(completions, **kwargs):
    texts = [completion[0]["content"] for completion in completions]
    return [bool(re.search("<think>.*</think>", t, re.DOTALL)) + len(t) / 100 for t in texts]


trainer = GRPOTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    reward_funcs=[format_reward],
    args=GRPOConfig(
        output_dir="rec-r1",
        per_device_train_batch_size=2,
        num_generations=2,
        max_completion_length=8,
        learning_rate=1e-4,
        max_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
    ),
    train_dataset=dataset.map(make_conversation),
    processing_class=AutoTokenizer.from_pretrained("model", padding_side="left"),
)
trainer.train()
"""
BINARIZED = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer

model = AutoModelForCausalLM.from_pretrained("model")
ref_model = AutoModelForCausalLM.from_pretrained("model")
tokenizer = AutoTokenizer.from_pretrained("model")
ds = load_dataset("json", data_files="binarized.jsonl", split="train")


def process(row):
    prompt = tokenizer.apply_chat_template(row["chosen"][:-1], tokenize=False)
    row["chosen"] = tokenizer.apply_chat_template(row["chosen"][-1:], tokenize=False)
    row["rejected"] = tokenizer.apply_chat_template(row["rejected"][-1:], tokenize=False)
    row["prompt"] = prompt
    return row


ds = ds.map(process)
training_args = DPOConfig(
    output_dir="qwen-dpo",
    per_device_train_batch_size=2,
    max_steps=1,
    learning_rate=5e-5,
    logging_steps=1,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
)
trainer = DPOTrainer(
    model, ref_model, args=training_args, train_dataset=ds, processing_class=tokenizer
)
trainer.train()
one = trainer.train_dataset[0]
text = tokenizer.decode(one["prompt_input_ids"] + one["chosen_input_ids"])
print("system turns in a pair:", text.count("<|im_start|>system"))
"""
WHOLE = """\
    prompt = tokenizer.apply_chat_template(
        row["chosen"][:-1], tokenize=False, add_generation_prompt=True
    )
    for name in ("chosen", "rejected"):
        text = tokenizer.apply_chat_template(row[name], tokenize=False)
        row[name] = text[len(prompt) :]
"""
QWEN = (
    "{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}"
    "{{ '<|im_start|>system\\nYou are a helpful assistant.<|im_end|>\\n' }}{% endif %}"
    "{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)
TOKENIZER = json.loads((ROOT / "fixtures/models/healthy/tokenizer_config.json").read_text())
DEFAULT_SYSTEM = json.dumps({**TOKENIZER, "chat_template": QWEN})
BINARIZED_ROWS = rows(
    *(
        {
            "chosen": [turn("user", a), turn("assistant", b)],
            "rejected": [turn("user", a), turn("assistant", "No.")],
        }
        for a, b in PAIRS
    )
)
PARTS = '                "content": ['
QUESTIONS = rows(*({"prompt": a, "answer": b} for a, b in PAIRS))
REPORTS = (
    Report(
        "om-ai-lab/VLM-R1#110",
        "grpo-first",
        'can only concatenate str \\(not "list"\\) to str',
        "content.{0,80}(list|parts|text)|(list|parts).{0,80}content",
        {"train.py": RECOGNISE, "rows.jsonl": QUESTIONS},
        changed(
            RECOGNISE,
            (
                RECOGNISE[RECOGNISE.index(PARTS) : RECOGNISE.index("            },\n        ],")],
                PARTS[:-1] + 'QUESTION_TEMPLATE.format(Question=example["prompt"]),\n',
            ),
        ),
        level="",
    ),
    Report(
        "huggingface/trl#1930",
        "ppo-first",
        "system turns in a pair: [23]",
        "same system text",
        {
            "train.py": BINARIZED,
            "binarized.jsonl": BINARIZED_ROWS,
            "model/tokenizer_config.json": DEFAULT_SYSTEM,
        },
        changed(
            BINARIZED,
            (
                BINARIZED[BINARIZED.index("    prompt = ") : BINARIZED.index('    row["prompt"]')],
                WHOLE,
            ),
        ),
        level="",
    ),
)
