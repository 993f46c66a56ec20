"""Threads of a twenty-sixth list: a map that gives text for some rows, and rows never shuffled."""

from reports.report import PAIRS, Report, changed, rows

SOMETIMES = """\
import re

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7}
WORDS = re.compile(r"\\b(" + "|".join(NUMBERS) + r")\\b", re.IGNORECASE)


def text_numbers_to_int(text, column):
    \"\"\"Write the numbers of a text as digits.\"\"\"
    if not WORDS.search(text):
        return text
    text = WORDS.sub(lambda found: str(NUMBERS[found.group().lower()]), text)
    return {column: text}


dataset = load_dataset("json", data_files="squad.jsonl", split="train")
dataset = dataset.map(
    text_numbers_to_int, input_columns=["text"], fn_kwargs={"column": "text"}
)
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    processing_class=AutoTokenizer.from_pretrained("model"),
    train_dataset=dataset,
    args=SFTConfig(
        output_dir="squad",
        max_steps=1,
        per_device_train_batch_size=2,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
"""
IN_ORDER = """\
from datasets import load_dataset
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer


class LoaderTrainer(SFTTrainer):
    def get_train_dataloader(self):
        loader = DataLoader(
            self.train_dataset,
            batch_size=self.args.per_device_train_batch_size,
            collate_fn=self.data_collator,
        )
        return self.accelerator.prepare(loader)

    def training_step(self, model, inputs, num_items_in_batch=None):
        seen.append(tuple(inputs["input_ids"].sum(dim=1).tolist()))
        return super().training_step(model, inputs, num_items_in_batch)


seen = []
trainer = LoaderTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    processing_class=AutoTokenizer.from_pretrained("model"),
    train_dataset=load_dataset("json", data_files="molecules.jsonl", split="train"),
    args=SFTConfig(
        output_dir="potential",
        num_train_epochs=4,
        per_device_train_batch_size=1,
        seed=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
size = len(trainer.train_dataset)
orders = {tuple(seen[start : start + size]) for start in range(0, len(seen), size)}
print(f"orders of the rows in {len(seen) // size} epochs: {len(orders)}.")
"""
TEXTS = rows(*({"text": f"{asked} {answer}"} for asked, answer in PAIRS))
REPORTS = (
    Report(
        "huggingface/datasets#3329",
        "current",
        "TypeError|AttributeError|ArrowInvalid",
        r"text_numbers_to_int|(return|give)s?.{0,60}(str|text|dict)",
        {"train.py": SOMETIMES, "squad.jsonl": TEXTS},
        changed(SOMETIMES, ("        return text\n", "        return {column: text}\n")),
        level="",
    ),
    Report(
        "choderalab/modelforge#129",
        "current",
        r"epochs: 1\.",
        r"shuffl|(same|fixed) order",
        {"train.py": IN_ORDER, "molecules.jsonl": TEXTS},
        changed(
            IN_ORDER,
            (
                "            collate_fn=self.data_collator,\n",
                "            shuffle=True,\n            collate_fn=self.data_collator,\n",
            ),
        ),
        level="",
    ),
)
