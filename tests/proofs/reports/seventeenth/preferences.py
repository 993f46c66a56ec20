"""Threads of a seventeenth list: pairs of DPO."""

from reports.report import PAIRS, Report, changed, rows, turn

SINGLE_TURN = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer

tokenizer = AutoTokenizer.from_pretrained("model")


def argilla_chat(sample):
    asked = [{"role": "user", "content": sample["chosen"][0]["content"]}]
    sample["prompt"] = tokenizer.apply_chat_template(
        asked, tokenize=False, add_generation_prompt=True
    )
    sample["chosen"] = f"{sample['chosen'][1]['content']}<|im_end|>"
    sample["rejected"] = f"{sample['rejected'][1]['content']}<|im_end|>"
    return sample


dataset = load_dataset("json", data_files="capybara.jsonl", split="train").map(argilla_chat)
trainer = DPOTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    args=DPOConfig(
        output_dir="dpo-capybara",
        per_device_train_batch_size=2,
        max_steps=1,
        learning_rate=1e-4,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=dataset,
    processing_class=tokenizer,
)
trainer.train()
equal = [row["chosen_ids"] == row["rejected_ids"] for row in trainer.train_dataset]
print("pairs of two equal answers:", sum(equal), "of", len(equal))
"""
TURNS = rows(
    *(
        {
            "chosen": [
                turn("user", "I have a question."),
                turn("assistant", "Ask me."),
                turn("user", asked),
                turn("assistant", answer),
            ],
            "rejected": [
                turn("user", "I have a question."),
                turn("assistant", "Ask me."),
                turn("user", asked),
                turn("assistant", "No."),
            ],
        }
        for asked, answer in PAIRS
    )
)
EVERY_TURN = """\
def argilla_chat(sample):
    sample["prompt"] = tokenizer.apply_chat_template(
        sample["chosen"][:-1], tokenize=False, add_generation_prompt=True
    )
    sample["chosen"] = f"{sample['chosen'][-1]['content']}<|im_end|>"
    sample["rejected"] = f"{sample['rejected'][-1]['content']}<|im_end|>"
    return sample
"""
HALF_SYSTEM = '''\
"""Standard keys: system, messages, rejected_messages."""
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer


class MessagesPreprocessor:
    def preprocess(self, row):
        rejected = row.get("rejected_messages")
        if rejected is not None:
            rejected = self.preprocess({"messages": rejected})["chosen"]
        messages = list(row["messages"])
        if row.get("system"):
            messages.insert(0, {"role": "system", "content": row["system"]})
        return {"chosen": messages, "rejected": rejected}


tokenizer = AutoTokenizer.from_pretrained("model")


def encode(row):
    pair = MessagesPreprocessor().preprocess(row)
    return {key: tokenizer.apply_chat_template(pair[key], tokenize=False) for key in pair}


raw = load_dataset("json", data_files="assistant.jsonl", split="train")
dataset = raw.map(encode, remove_columns=raw.column_names)
trainer = DPOTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    args=DPOConfig(
        output_dir="dpo-assistant",
        per_device_train_batch_size=2,
        max_steps=1,
        learning_rate=1e-4,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=dataset,
    processing_class=tokenizer,
)
trainer.train()
row = trainer.train_dataset[0]
print("the question is in the prompt:", "user" in tokenizer.decode(row["prompt_ids"]))
'''
ASSISTANT = rows(
    *(
        {
            "system": "Answer in one sentence.",
            "messages": [turn("user", asked), turn("assistant", answer)],
            "rejected_messages": [turn("user", asked), turn("assistant", "No.")],
        }
        for asked, answer in PAIRS
    )
)
STUCK = """\
import torch
from datasets import load_dataset
from peft import LoraConfig
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer

torch.manual_seed(42)
tokenizer = AutoTokenizer.from_pretrained("model")
model = AutoModelForCausalLM.from_pretrained("model", dtype=torch.float32)
train_prefs = load_dataset("json", data_files="prefs.jsonl", split="train")

DPO_CONFIG = {
    "output_dir": "pt03_dpo",
    "num_train_epochs": 1,
    "per_device_train_batch_size": 2,
    "gradient_accumulation_steps": 4,
    "learning_rate": 5e-7,
    "beta": 0.1,
    "logging_steps": 1,
    "report_to": "none",
    "save_strategy": "no",
    "use_cpu": True,
    "bf16": False,
}
trainer = DPOTrainer(
    model=model,
    args=DPOConfig(**DPO_CONFIG),
    train_dataset=train_prefs,
    processing_class=tokenizer,
    peft_config=LoraConfig(r=8, lora_alpha=16, target_modules="all-linear"),
)
trainer.train()
losses = [entry["loss"] for entry in trainer.state.log_history if "loss" in entry]
print("steps:", len(losses), "the loss has left log(2):", abs(losses[-1] - 0.6931) > 0.002)
"""
PREFS = rows(
    *(
        {
            "prompt": [turn("user", f"What is {n} times two?")],
            "chosen": [turn("assistant", f"It is {2 * n}.")],
            "rejected": [turn("assistant", "I do not like numbers.")],
        }
        for n in range(50)
    )
)
REPORTS = (
    Report(
        "axolotl-ai-cloud/axolotl#1645",
        "current",
        "pairs of two equal answers: 4 of 4",
        "(equal|same|identical)",
        {"train.py": SINGLE_TURN, "capybara.jsonl": TURNS},
        changed(
            SINGLE_TURN,
            (
                SINGLE_TURN[SINGLE_TURN.index("def ") : SINGLE_TURN.index("\n\ndataset =")],
                EVERY_TURN,
            ),
        ),
        level="",
    ),
    Report(
        "modelscope/ms-swift#9611",
        "current",
        "the question is in the prompt: False",
        "(system|prompt).{0,80}(differ|empty|common|same|only|lack|not in|missing)|no prompt",
        {"train.py": HALF_SYSTEM, "assistant.jsonl": ASSISTANT},
        changed(
            HALF_SYSTEM,
            (
                'self.preprocess({"messages": rejected})["chosen"]',
                'self.preprocess({"messages": rejected, "system": row.get("system")})["chosen"]',
            ),
        ),
        level="",
    ),
    Report(
        "jsboige/CoursIA#12429",
        "current",
        r"the loss has left log\(2\): False",
        "learning.rate|too few|steps",
        {"train.py": STUCK, "prefs.jsonl": PREFS},
        changed(
            STUCK,
            ('"num_train_epochs": 1', '"num_train_epochs": 3'),
            ('"learning_rate": 5e-7', '"learning_rate": 1e-3'),
        ),
    ),
)
