"""Threads of a twenty-fifth list: classes and functions of the script that a trainer calls."""

from reports.report import PAIRS, PROMPTS, Report, changed, rows

TEXTS = rows(*({"text": f"{a} {b}<|im_end|>"} for a, b in PAIRS))
GRAD_CACHE = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer


class GradCacheTrainer(SFTTrainer):
    \"\"\"Counts what it has seen.\"\"\"

    seen = 0

    def training_step(self, model, inputs):
        model.train()
        inputs = self._prepare_inputs(inputs)
        self.seen += len(inputs["input_ids"])
        with self.compute_loss_context_manager():
            loss = self.compute_loss(model, inputs)
        loss = loss / self.args.gradient_accumulation_steps
        self.accelerator.backward(loss)
        return loss.detach()


trainer = GradCacheTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    processing_class=AutoTokenizer.from_pretrained("model"),
    train_dataset=load_dataset("json", data_files="passages.jsonl", split="train"),
    args=SFTConfig(
        output_dir="retriever",
        max_steps=2,
        per_device_train_batch_size=2,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
print("rows seen:", trainer.seen)
"""
WORKERS = """\
import multiprocessing

import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer


def collate(tokenizer, batch):
    texts = [row["text"] for row in batch]
    inputs = tokenizer(texts, padding=True, return_tensors="pt")
    labels = torch.where(inputs["attention_mask"] == 1, inputs["input_ids"], -100)
    return {**inputs, "labels": labels}


def train():
    # what Windows and macOS do
    multiprocessing.set_start_method("spawn")
    tokenizer = AutoTokenizer.from_pretrained("model")
    trainer = SFTTrainer(
        model=AutoModelForCausalLM.from_pretrained("model"),
        processing_class=tokenizer,
        train_dataset=load_dataset("json", data_files="corpus.jsonl", split="train"),
        data_collator=lambda batch: collate(tokenizer, batch),
        args=SFTConfig(
            output_dir="cartridge",
            max_steps=1,
            per_device_train_batch_size=2,
            dataloader_num_workers=1,
            dataset_kwargs={"skip_prepare_dataset": True},
            remove_unused_columns=False,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
    )
    trainer.train()


if __name__ == "__main__":
    train()
"""
JUDGE = """\
import asyncio

from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer


class Judge:
    \"\"\"Asks a judge about each completion, all at the same time.\"\"\"

    __name__ = "judge"

    def __init__(self, weight=1.0):
        self.weight = weight

    async def ask(self, completion):
        await asyncio.sleep(0.01)
        return self.weight * (len(completion) % 5)

    async def __call__(self, completions, **kwargs):
        return await asyncio.gather(*(self.ask(completion) for completion in completions))


judge = Judge(weight=0.5)


async def judged(completions, **kwargs):
    return await judge(completions, **kwargs)


trainer = GRPOTrainer(
    model="model",
    reward_funcs=judge,
    args=GRPOConfig(
        output_dir="judged",
        num_generations=2,
        per_device_train_batch_size=2,
        max_completion_length=8,
        max_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=load_dataset("json", data_files="prompts.jsonl", split="train"),
)
trainer.train()
"""
REPORTS = (
    Report(
        "texttron/tevatron#160",
        "current",
        "takes 3 positional arguments but 4 were given",
        r"training_step|num_items_in_batch",
        {"train.py": GRAD_CACHE, "passages.jsonl": TEXTS},
        changed(
            GRAD_CACHE,
            (
                "def training_step(self, model, inputs):",
                "def training_step(self, model, inputs, num_items_in_batch=None):",
            ),
        ),
        level="",
    ),
    Report(
        "HazyResearch/cartridges#20",
        "current",
        "Can't (pickle|get) local object",
        r"pickle|lambda|dataloader_num_workers",
        {"train.py": WORKERS, "corpus.jsonl": TEXTS},
        changed(
            WORKERS,
            (
                "dataloader_num_workers=1",
                "dataloader_num_workers=0",
            ),
        ),
        level="",
    ),
    Report(
        "huggingface/trl#7213",
        "ppo-last",
        "'coroutine' object|was never awaited",
        r"\basync|coroutine|await",
        {"train.py": JUDGE, "prompts.jsonl": PROMPTS},
        changed(JUDGE, ("reward_funcs=judge,", "reward_funcs=judged,")),
        level="",
    ),
)
