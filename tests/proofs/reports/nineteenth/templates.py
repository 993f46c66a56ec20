"""Threads of a nineteenth list: pairs that a template makes into text."""

from reports.report import PAIRS, Report, changed, rows, turn

FEEDBACK = rows(
    *(
        {
            "chosen": [turn("user", asked), turn("assistant", answer)],
            "rejected": [turn("user", asked), turn("assistant", "I do not know.")],
        }
        for asked, answer in PAIRS
    )
)
STRICT = (
    "{% for message in messages %}{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}"
    "{{ raise_exception('Conversation roles must alternate user/assistant/user/assistant/...') }}"
    "{% endif %}{% if message['role'] == 'user' %}{{ '[INST] ' + message['content'] + ' [/INST]' }}"
    "{% else %}{{ message['content'] + '<|im_end|>' }}{% endif %}{% endfor %}"
)
HANDBOOK = """\
import logging
from dataclasses import dataclass

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer

logger = logging.getLogger(__name__)


@dataclass
class DataArguments:
    data_file: str = "feedback.jsonl"
    preprocessing_num_workers: int = 1


def apply_chat_template(example, tokenizer, task):
    if task != "dpo":
        raise ValueError(f"Task {task} not supported")
    prompt_messages = example["chosen"][:-1]
    if prompt_messages[0]["role"] != "system":
        prompt_messages.insert(0, {"role": "system", "content": ""})
    example["text_prompt"] = tokenizer.apply_chat_template(prompt_messages, tokenize=False)
    example["text_chosen"] = example["chosen"][-1]["content"] + tokenizer.eos_token
    example["text_rejected"] = example["rejected"][-1]["content"] + tokenizer.eos_token
    return example


def main():
    data_args = DataArguments()
    training_args = DPOConfig(
        output_dir="zephyr-dpo",
        beta=0.01,
        learning_rate=5e-7,
        max_length=128,
        max_prompt_length=64,
        max_steps=1,
        per_device_train_batch_size=2,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    )
    raw_datasets = load_dataset("json", data_files=data_args.data_file)
    column_names = list(raw_datasets["train"].features)
    tokenizer = AutoTokenizer.from_pretrained("model", truncation_side="left")
    raw_datasets = raw_datasets.map(
        apply_chat_template,
        fn_kwargs={"tokenizer": tokenizer, "task": "dpo"},
        num_proc=data_args.preprocessing_num_workers,
        remove_columns=column_names,
        desc="Formatting comparisons with prompt template",
    )
    for split in ["train"]:
        raw_datasets[split] = raw_datasets[split].rename_columns(
            {"text_prompt": "prompt", "text_chosen": "chosen", "text_rejected": "rejected"}
        )
    trainer = DPOTrainer(
        AutoModelForCausalLM.from_pretrained("model"),
        ref_model=AutoModelForCausalLM.from_pretrained("model"),
        args=training_args,
        train_dataset=raw_datasets["train"],
        processing_class=tokenizer,
    )
    trainer.train()


if __name__ == "__main__":
    main()
"""
DEFAULT_SYSTEM = """\
{% if messages[0]['role'] == 'system' %}{% set rest = messages[1:] %}{% set system_message = \
messages[0]['content'] %}{% else %}{% set rest = messages %}{% set system_message = \
'You are a helpful assistant.' %}{% endif %}{{ '<|im_start|>system\\n' + system_message + \
'<|im_end|>\\n' }}{% for message in rest %}{{ '<|im_start|>' + message['role'] + '\\n' + \
message['content'] + '<|im_end|>\\n' }}{% endfor %}\
{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"""
SYSTEM_IN_ANSWERS = """\
from pathlib import Path

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
tokenizer.chat_template = Path("chatml.jinja").read_text()


def format_pair(example):
    prompt = example["chosen"][:-1]
    return {
        "prompt": tokenizer.apply_chat_template(
            prompt, tokenize=False, add_generation_prompt=True
        ),
        "chosen": tokenizer.apply_chat_template(example["chosen"][-1:], tokenize=False),
        "rejected": tokenizer.apply_chat_template(example["rejected"][-1:], tokenize=False),
    }


train_dataset = load_dataset("json", data_files="feedback.jsonl", split="train").map(format_pair)
print("Chosen sample:", train_dataset[0]["chosen"].splitlines()[0])

trainer = DPOTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    ref_model=AutoModelForCausalLM.from_pretrained("model"),
    args=DPOConfig(
        output_dir="dpo",
        beta=0.1,
        learning_rate=1e-6,
        max_length=256,
        max_steps=1,
        per_device_train_batch_size=2,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=train_dataset,
    processing_class=tokenizer,
)
trainer.train()
"""
REPORTS = (
    Report(
        "huggingface/alignment-handbook#93",
        "grpo-first",
        "Conversation roles must alternate",
        "system|alternate",
        {"train.py": HANDBOOK, "feedback.jsonl": FEEDBACK},
        {},
        level="",
        model={"tokenizer_config.json": {"chat_template": STRICT}},
    ),
    Report(
        "huggingface/alignment-handbook#117",
        "grpo-first",
        r"Chosen sample: <\|im_start\|>system",
        "system",
        {
            "train.py": SYSTEM_IN_ANSWERS,
            "feedback.jsonl": FEEDBACK,
            "chatml.jinja": DEFAULT_SYSTEM,
        },
        changed(
            SYSTEM_IN_ANSWERS,
            (
                'tokenizer.apply_chat_template(example["chosen"][-1:], tokenize=False)',
                'example["chosen"][-1]["content"] + "<|im_end|>\\n"',
            ),
            (
                'tokenizer.apply_chat_template(example["rejected"][-1:], tokenize=False)',
                'example["rejected"][-1]["content"] + "<|im_end|>\\n"',
            ),
        ),
        level="",
    ),
)
