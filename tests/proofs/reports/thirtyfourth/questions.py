"""Threads of a thirty-fourth list: what is learnt, and how it is asked for."""

from reports.report import PAIRS, Report, changed, rows

SUMS = rows(
    *({"prompt": f"### Question: {a}\n### Answer:", "completion": f" {b}"} for a, b in PAIRS)
)
WHOLE = '''\
"""Trains on questions and answers: the loss is to be that of the answers."""

from dataclasses import dataclass

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer


@dataclass
class Settings:
    base: str = "model"
    pairs: str = "pairs.jsonl"
    steps: int = 2


def build(settings):
    tokenizer = AutoTokenizer.from_pretrained(settings.base)
    pairs = load_dataset("json", data_files=settings.pairs, split="train")
    return SFTTrainer(
        model=AutoModelForCausalLM.from_pretrained(settings.base),
        processing_class=tokenizer,
        train_dataset=pairs,
        args=SFTConfig(
            output_dir="answers",
            max_steps=settings.steps,
            per_device_train_batch_size=2,
            learning_rate=1e-4,
            logging_steps=1,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
    )


if __name__ == "__main__":
    trainer = build(Settings())
    trainer.train()
    batch = next(iter(trainer.get_train_dataloader()))
    learnt = batch["labels"][0]
    text = trainer.processing_class.decode(learnt[learnt != -100])
    print("the question is learnt, too:", "Question" in text)
'''
FORMS = rows(*({"instruction": a, "output": b} for a, b in PAIRS))
BARE = '''\
"""Instruction tuning of a small model, with a trial of the four instructions."""

import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, set_seed
from trl import SFTConfig, SFTTrainer

BASE = "model"
TEMPLATE = (
    "Below is an instruction that describes a task. Write a response that completes it.\\n\\n"
    "### Instruction:\\n{instruction}\\n\\n### Response:\\n"
)


def as_text(example):
    return {"text": TEMPLATE.format(instruction=example["instruction"]) + example["output"]}


def tune(model, tokenizer, data):
    trainer = SFTTrainer(
        model=model,
        processing_class=tokenizer,
        train_dataset=data.map(as_text, remove_columns=data.column_names),
        args=SFTConfig(
            output_dir="instruct",
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
    return trainer.model.eval()


class Service:
    """Answers the requests of the web page."""

    def __init__(self, model, tokenizer):
        self.model, self.tokenizer = model, tokenizer

    def prompt(self, request):
        return request + "\\n"

    @torch.no_grad()
    def reply(self, request):
        inputs = self.tokenizer(self.prompt(request), return_tensors="pt")
        output = self.model.generate(**inputs, max_new_tokens=30, do_sample=False)
        new = output[0, inputs["input_ids"].shape[1] :]
        return self.tokenizer.decode(new, skip_special_tokens=True).strip()

    @torch.no_grad()
    def surprise(self, request, answer):
        """How far the answer is from what the model expects after the request."""
        start = self.tokenizer(self.prompt(request), return_tensors="pt")["input_ids"]
        end = self.tokenizer(answer, return_tensors="pt")["input_ids"]
        labels = torch.cat([torch.full_like(start, -100), end], dim=1)
        return self.model(input_ids=torch.cat([start, end], dim=1), labels=labels).loss.item()


if __name__ == "__main__":
    set_seed(1)
    tokenizer = AutoTokenizer.from_pretrained(BASE)
    data = load_dataset("json", data_files="instructions.jsonl", split="train")
    model = tune(AutoModelForCausalLM.from_pretrained(BASE, dtype=torch.float32), tokenizer, data)
    service = Service(model, tokenizer)
    print(service.reply(data[0]["instruction"]))
    known = sum(service.surprise(one["instruction"], one["output"]) < 2.5 for one in data)
    print(f"answers that it knows when it is asked: {known} of {len(data)}")
'''
REPORTS = (
    Report(
        "huggingface/trl#1507",
        "grpo-first",
        "the question is learnt, too: True",
        r"completion.?only|(prompts?|questions?).{0,80}(learn|loss|train)"
        r"|(learn|loss|train).{0,80}(prompts?|questions?)",
        {"train.py": WHOLE, "pairs.jsonl": SUMS},
        changed(
            WHOLE,
            (
                "from trl import SFTConfig, SFTTrainer",
                "from trl import DataCollatorForCompletionOnlyLM, SFTConfig, SFTTrainer",
            ),
            (
                "        train_dataset=pairs,\n",
                "        train_dataset=pairs,\n"
                "        data_collator=DataCollatorForCompletionOnlyLM(\n"
                '            "### Answer:", tokenizer=tokenizer\n        ),\n',
            ),
        ),
    ),
    Report(
        "NVIDIA/FasterTransformer#634",
        "current",
        "when it is asked: 0 of 4",
        r"template|(prompt|ask|generat).{0,120}(train|learn|format)"
        r"|(train|learn|row).{0,120}(prompt|ask|begin)",
        {"train.py": BARE, "instructions.jsonl": FORMS},
        changed(
            BARE,
            (
                'return request + "\\n"',
                "return TEMPLATE.format(instruction=request)",
            ),
        ),
    ),
)
