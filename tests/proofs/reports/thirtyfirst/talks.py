"""Threads of a thirty-first list: texts that are imitated."""

import json

from laid import ROOT

from reports.report import PAIRS, Report, changed, rows, turn

FIXTURE = json.loads((ROOT / "fixtures/models/healthy/tokenizer_config.json").read_text())
NAMES = {"model_input_names": ["input_ids", "attention_mask"]}
OWN = FIXTURE["chat_template"]
CUT = (
    "{% for message in messages %}{% set content = message['content'] %}"
    "{% if message['role'] == 'assistant' and '</think>' in content %}"
    "{% set content = content.split('</think>')[-1] %}{% endif %}"
    "{{ '<|im_start|>' + message['role'] + '\\n' + content + '<|im_end|>' + '\\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)
STRICT = (
    "{% for message in messages %}"
    "{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}"
    "{{ raise_exception('Conversation roles must alternate user/assistant/user/assistant/...') }}"
    "{% endif %}"
    "{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)
TRACES = rows(
    *(
        {
            "messages": [
                turn("user", asked),
                turn("assistant", f"<think>\nLet me see: {asked.lower()}\n</think>\n{said}"),
            ],
            "source": "olympiads",
        }
        for asked, said in PAIRS
    )
)
TWICE_ASKED = rows(
    *(
        {
            "conversations": [
                *([turn("user", "Hello.")] if number % 2 else []),
                turn("user", asked),
                turn("assistant", said),
            ]
        }
        for number, (asked, said) in enumerate(PAIRS)
    )
)


def with_template(text: str) -> str:
    """The tokenizer's file with another chat template."""
    return json.dumps({**FIXTURE, **NAMES, "chat_template": text}, indent=2)


THINKING = """\
from dataclasses import dataclass

from datasets import load_dataset
from transformers import AutoTokenizer
from trl import SFTConfig, SFTTrainer


@dataclass
class ScriptArguments:
    model_name_or_path: str = "model"
    dataset_name: str = "math.jsonl"


def main(script_args, training_args):
    dataset = load_dataset("json", data_files=script_args.dataset_name, split="train")
    tokenizer = AutoTokenizer.from_pretrained(script_args.model_name_or_path)
    trainer = SFTTrainer(
        model=script_args.model_name_or_path,
        args=training_args,
        train_dataset=dataset,
        processing_class=tokenizer,
    )
    trainer.train()
    trainer.save_model(training_args.output_dir)
    learnt = tokenizer.decode(trainer.train_dataset[0]["input_ids"])
    print("a way of thinking is imitated:", "<think>" in learnt)


if __name__ == "__main__":
    main(
        ScriptArguments(),
        SFTConfig(
            output_dir="data/OpenR1-Distill",
            learning_rate=4.0e-5,
            max_length=512,
            max_steps=2,
            per_device_train_batch_size=2,
            packing=False,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
    )
"""
EMPTY = """\
import logging

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

logger = logging.getLogger("studio")


class ChatFormatter:
    def __init__(self, tokenizer, column="conversations"):
        self.tokenizer = tokenizer
        self.column = column
        self.warned = False

    def __call__(self, batch):
        texts = []
        for conversation in batch[self.column]:
            try:
                text = self.tokenizer.apply_chat_template(conversation, tokenize=False)
            except Exception as problem:
                if not self.warned:
                    logger.debug("chat template: %s", problem)
                    self.warned = True
                text = ""
            texts.append(text)
        return {"text": texts}


class StudioTrainer:
    def __init__(self, model_name, dataset_file):
        self.tokenizer = AutoTokenizer.from_pretrained(model_name)
        self.model = AutoModelForCausalLM.from_pretrained(model_name)
        self.dataset_file = dataset_file

    def load(self):
        dataset = load_dataset("json", data_files=self.dataset_file, split="train")
        formatter = ChatFormatter(self.tokenizer)
        return dataset.map(formatter, batched=True, remove_columns=dataset.column_names)

    def run(self):
        self.trainer = SFTTrainer(
            model=self.model,
            processing_class=self.tokenizer,
            train_dataset=self.load(),
            args=SFTConfig(
                output_dir="outputs",
                dataset_text_field="text",
                max_length=256,
                max_steps=2,
                per_device_train_batch_size=2,
                learning_rate=2e-4,
                report_to="none",
                save_strategy="no",
                use_cpu=True,
                bf16=False,
            ),
        )
        self.trainer.train()
        print("Training completed")
        return self.trainer.train_dataset


trained = StudioTrainer("model", "chats.jsonl").run()
hollow = sum(len(row["input_ids"]) < 3 for row in trained)
print(f"{hollow} of {len(trained)} trained rows say nothing")
"""
REPORTS = (
    Report(
        "huggingface/open-r1#585",
        "current",
        "a way of thinking is imitated: False",
        r"think|reasoning|template.{0,100}(drop|remov|strip|cut|lose|split|discard|leaves? out)",
        {
            "train.py": THINKING,
            "math.jsonl": TRACES,
            "model/tokenizer_config.json": with_template(CUT),
            "keep.jinja": OWN,
        },
        changed(
            THINKING,
            (
                "    trainer = SFTTrainer(\n",
                '    with open("keep.jinja") as file:\n'
                "        tokenizer.chat_template = file.read()\n"
                "    trainer = SFTTrainer(\n",
            ),
        ),
    ),
    Report(
        "unslothai/unsloth#11293",
        "current",
        "2 of 4 trained rows say nothing",
        r"\bempty|blank|\bno (text|words|content)\b|nothing but|only (an? |the )?(eos|end)\b"
        r"|swallow|except\b|alternate|template.{0,80}(fail|rais|error)",
        {
            "train.py": EMPTY,
            "chats.jsonl": TWICE_ASKED,
            "model/tokenizer_config.json": with_template(STRICT),
        },
        changed(
            EMPTY,
            (
                "batched=True, remove_columns=dataset.column_names)\n",
                "batched=True, remove_columns=dataset.column_names).filter(\n"
                '            lambda row: row["text"]\n        )\n',
            ),
        ),
    ),
)
