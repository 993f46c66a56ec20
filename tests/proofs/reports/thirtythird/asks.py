"""Threads of a thirty-third list: questions to a model that was trained."""

import json

from reports.report import ASKED, PAIRS, Report, changed, rows, turn
from reports.thirtythird.beginnings import TWICE, beginning

SHOP = rows(
    *(
        {"messages": [turn("user", asked), turn("assistant", said)], "source": "shop"}
        for asked, said in PAIRS
    )
)
ASKS = '''\
"""Fine-tunes a small assistant, then asks it the questions of the smoke test."""

import json
from pathlib import Path

import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

BASE = "model"
OUT = "soup-adapter"
SMOKE = json.loads(Path("smoke.json").read_text())


def fine_tune():
    data = load_dataset("json", data_files="chats.jsonl", split="train").remove_columns("source")
    trainer = SFTTrainer(
        model=BASE,
        args=SFTConfig(
            output_dir=OUT,
            max_steps=2,
            per_device_train_batch_size=2,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
        train_dataset=data,
    )
    learnt = trainer.train_dataset[0]["input_ids"][:2]
    trainer.train()
    trainer.save_model(OUT)
    return learnt


class Chat:
    """One conversation with what was trained."""

    def __init__(self, folder):
        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        self.model = AutoModelForCausalLM.from_pretrained(folder).eval()
        self.turns = []

    def encode(self):
        text = self.tokenizer.apply_chat_template(
            self.turns, tokenize=False, add_generation_prompt=True
        )
        return self.tokenizer(text, return_tensors="pt")

    @torch.inference_mode()
    def ask(self, question, max_new_tokens=12):
        self.turns.append({"role": "user", "content": question})
        inputs = self.encode()
        output = self.model.generate(**inputs, max_new_tokens=max_new_tokens, do_sample=False)
        answer = self.tokenizer.decode(
            output[0, inputs["input_ids"].shape[1] :], skip_special_tokens=True
        )
        self.turns.append({"role": "assistant", "content": answer})
        return inputs["input_ids"][0, :2].tolist()


if __name__ == "__main__":
    learnt = fine_tune()
    asked = [Chat(OUT).ask(question) for question in SMOKE]
    print("prompts that begin as no row of the training did:", sum(one != learnt for one in asked))
'''
REPORTS = (
    Report(
        "MakazhanAlpamys/Soup#781",
        "current",
        "begin as no row of the training did: 4",
        TWICE,
        {
            **beginning(),
            "train.py": ASKS,
            "chats.jsonl": SHOP,
            "smoke.json": json.dumps(ASKED),
        },
        changed(
            ASKS,
            (
                'self.tokenizer(text, return_tensors="pt")',
                'self.tokenizer(text, return_tensors="pt", add_special_tokens=False)',
            ),
        ),
    ),
)
