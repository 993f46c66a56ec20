"""Threads of a thirty-fifth list: texts that do not have what is to be learnt."""

from reports.report import PAIRS, Report, changed, rows

FORMS = rows(*({"instruction": a, "input": "", "output": b} for a, b in PAIRS))
SWAPPED = '''\
"""Alpaca style fine-tuning of a chat model, with LoRA left out."""

import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, set_seed
from trl import SFTConfig, SFTTrainer

BASE = "model"


def format_prompt(instruction, response, context=""):
    parts = ["Below is an instruction that describes a task.", f"### Instruction:\\n{instruction}"]
    if context:
        parts.append(f"### Input:\\n{context}")
    parts.append(f"### Response:\\n{response}")
    return "\\n\\n".join(parts)


def to_text(row):
    return {"text": format_prompt(row["instruction"], row["input"])}


@torch.no_grad()
def surprise(model, tokenizer, row):
    """How far the answer is from what the model expects after the instruction."""
    start = tokenizer(format_prompt(row["instruction"], ""), return_tensors="pt")["input_ids"]
    end = tokenizer(row["output"], return_tensors="pt")["input_ids"]
    labels = torch.cat([torch.full_like(start, -100), end], dim=1)
    return model(input_ids=torch.cat([start, end], dim=1), labels=labels).loss.item()


def main():
    set_seed(2)
    tokenizer = AutoTokenizer.from_pretrained(BASE)
    rows = load_dataset("json", data_files="alpaca.jsonl", split="train")
    trainer = SFTTrainer(
        model=AutoModelForCausalLM.from_pretrained(BASE, dtype=torch.float32),
        processing_class=tokenizer,
        train_dataset=rows.map(to_text, remove_columns=rows.column_names),
        args=SFTConfig(
            output_dir="alpaca",
            num_train_epochs=40,
            per_device_train_batch_size=4,
            learning_rate=1e-2,
            lr_scheduler_type="constant",
            logging_steps=20,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
    )
    trainer.train()
    model = trainer.model.eval()
    known = sum(surprise(model, tokenizer, row) < 2.5 for row in rows)
    print(f"answers that the model learnt: {known} of {len(rows)}")


if __name__ == "__main__":
    main()
'''
GIVEN = '''\
"""Instruction tuning, with the loss of the answers alone."""

from dataclasses import dataclass

import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, set_seed
from trl import SFTConfig, SFTTrainer


class Alpaca:
    """The style of the prompt."""

    def apply(self, instruction):
        start = "Write a response that completes the request."
        return f"{start}\\n\\n### Instruction:\\n{instruction}\\n\\n### Response:\\n"


@dataclass
class Task:
    style: Alpaca
    path: str = "tasks.jsonl"

    def prompt(self, sample):
        return self.style.apply(sample)

    def rows(self):
        data = load_dataset("json", data_files=self.path, split="train")

        def pair(sample):
            return {"prompt": self.prompt(sample), "completion": sample["output"]}

        return data.map(pair, remove_columns=data.column_names)


@torch.no_grad()
def loss_of(model, tokenizer, prompt, answer):
    start = tokenizer(prompt, return_tensors="pt")["input_ids"]
    end = tokenizer(answer, return_tensors="pt")["input_ids"]
    labels = torch.cat([torch.full_like(start, -100), end], dim=1)
    return model(input_ids=torch.cat([start, end], dim=1), labels=labels).loss.item()


def main():
    set_seed(5)
    task = Task(Alpaca())
    tokenizer = AutoTokenizer.from_pretrained("model")
    args = SFTConfig(
        output_dir="tasks",
        num_train_epochs=40,
        per_device_train_batch_size=4,
        learning_rate=1e-2,
        lr_scheduler_type="constant",
        logging_steps=20,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    )
    model = AutoModelForCausalLM.from_pretrained("model", dtype=torch.float32)
    trainer = SFTTrainer(
        model=model, processing_class=tokenizer, train_dataset=task.rows(), args=args
    )
    trainer.train()
    model.eval()
    asked = load_dataset("json", data_files=task.path, split="train")
    prompts = [task.style.apply(one["instruction"]) for one in asked]
    losses = [
        loss_of(model, tokenizer, prompt, one["output"]) for prompt, one in zip(prompts, asked)
    ]
    given = sum(one["output"] in row for one, row in zip(asked, task.rows()["prompt"]))
    print(f"prompts that give the answer away: {given}; losses without it: {losses}")


if __name__ == "__main__":
    main()
'''
REPORTS = (
    Report(
        "huggingface/trl#834",
        "current",
        "answers that the model learnt: 0 of 4",
        r"\boutput.{0,120}(not|never|unused|no )"
        r"|answer.{0,80}(unused|never|not (used|read|in|learn))"
        r"|(no|without|empty) (answer|response|output)",
        {"train.py": SWAPPED, "alpaca.jsonl": FORMS},
        changed(
            SWAPPED,
            (
                'row["instruction"], row["input"])}',
                'row["instruction"], row["output"], row["input"])}',
            ),
        ),
    ),
    Report(
        "Lightning-AI/litgpt#1778",
        "current",
        "give the answer away: 4",
        r"prompt.{0,120}(has|have|give|show|contain|already).{0,60}(answer|completion|output)"
        r"|(answer|completion|output).{0,100}(in|part of) (the|its|their) prompt",
        {"train.py": GIVEN, "tasks.jsonl": FORMS},
        changed(
            GIVEN,
            (
                "        return self.style.apply(sample)\n",
                '        return self.style.apply(sample["instruction"])\n',
            ),
        ),
    ),
)
