"""Threads of a thirty-second list: turns that are opened, and rows without padding."""

import json

from laid import ROOT

from reports.report import PAIRS, TEXT, Report, changed, rows, turn

FIXTURE = json.loads((ROOT / "fixtures/models/healthy/tokenizer_config.json").read_text())
NAMES = {"model_input_names": ["input_ids", "attention_mask"]}
OPENING = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' "
    "+ message['content'] + '<|im_end|>' + '\\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n<think>\\n' }}{% endif %}"
)
ASKED_AND_SAID = rows(
    *({"prompt": [turn("user", a)], "completion": [turn("assistant", b)]} for a, b in PAIRS)
)
OPENED = """\
from dataclasses import dataclass, field

from datasets import load_dataset
from transformers import AutoTokenizer, HfArgumentParser
from trl import SFTConfig, SFTTrainer


@dataclass
class Arguments:
    model: str = field(default="model")
    data: str = field(default="pairs.jsonl")
    thinking: bool = field(default=False)


def run(arguments, config):
    tokenizer = AutoTokenizer.from_pretrained(arguments.model)
    dataset = load_dataset("json", data_files=arguments.data, split="train")
    trainer = SFTTrainer(
        model=arguments.model,
        args=config,
        train_dataset=dataset,
        processing_class=tokenizer,
    )
    trainer.train()
    row = trainer.train_dataset[0]
    learnt = [
        token for token, kept in zip(row["input_ids"], row["completion_mask"]) if kept
    ]
    answer = dataset[0]["completion"][0]["content"]
    print("the whole answer is learnt:", answer in tokenizer.decode(learnt))


if __name__ == "__main__":
    (given,) = HfArgumentParser(Arguments).parse_args_into_dataclasses(args=[])
    run(
        given,
        SFTConfig(
            output_dir="qwen-sft",
            completion_only_loss=True,
            max_length=512,
            per_device_train_batch_size=2,
            max_steps=2,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
    )
"""
FLAT = """\
import json
import os

from datasets import Dataset
from trl import SFTConfig, SFTTrainer

CONFIG = {
    "model": "model",
    "data": "texts.jsonl",
    "max_seq_length": 128,
    "padding_free": True,
    "packing": False,
}


class Tuner:
    def __init__(self, config):
        self.config = config
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

    def dataset(self):
        with open(self.config["data"]) as file:
            return Dataset.from_list([json.loads(line) for line in file])

    def arguments(self):
        return SFTConfig(
            output_dir="tuned",
            max_length=self.config["max_seq_length"],
            padding_free=self.config["padding_free"],
            packing=self.config["packing"],
            per_device_train_batch_size=2,
            max_steps=1,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        )

    def run(self):
        trainer = SFTTrainer(
            model=self.config["model"], args=self.arguments(), train_dataset=self.dataset()
        )
        return trainer.train()


if __name__ == "__main__":
    print(Tuner(CONFIG).run())
"""
REPORTS = (
    Report(
        "huggingface/trl#5213",
        "four",
        "the whole answer is learnt: False",
        r"generation.prompt|mismatch|prefix|\bbegins? with|starts? with|<think>|completion.mask",
        {
            "train.py": OPENED,
            "pairs.jsonl": ASKED_AND_SAID,
            "model/tokenizer_config.json": json.dumps(
                {**FIXTURE, **NAMES, "chat_template": OPENING}
            ),
            "training.jinja": OPENING.replace("<think>\\n", ""),
        },
        changed(
            OPENED,
            (
                "    dataset = load_dataset(",
                '    with open("training.jinja") as file:\n'
                "        tokenizer.chat_template = file.read()\n    dataset = load_dataset(",
            ),
        ),
    ),
    Report(
        "unslothai/unsloth#7951",
        "current",
        "`max_length` is not enforced",
        r"padding_free|padding.free|max_length",
        {"train.py": FLAT, "texts.jsonl": TEXT},
        changed(FLAT, ('"packing": False', '"packing": True')),
    ),
)
