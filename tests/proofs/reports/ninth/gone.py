"""Threads of other repositories that plain searches gave: what a later TRL has no longer."""

from reports.report import CHATS, PROMPTS, TEXT, Report, changed

COLLAB = """\
from datasets import load_dataset
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM, AutoModelForSequenceClassification, AutoTokenizer
from trl import PPOConfig, PPOTrainer


class MultiturnReward:
    def __call__(self, responses):
        return [float(len(set(text.split()))) for text in responses]


def collate(rows):
    return {"input_ids": [row["input_ids"] for row in rows]}


def main():
    tokenizer = AutoTokenizer.from_pretrained("model", padding_side="left")
    model = AutoModelForCausalLM.from_pretrained("model")
    ref_model = AutoModelForCausalLM.from_pretrained("model")
    reward_model = AutoModelForSequenceClassification.from_pretrained("reward", num_labels=1)
    value_model = AutoModelForSequenceClassification.from_pretrained("reward", num_labels=1)

    dataset = load_dataset("json", data_files="rows.jsonl", split="train")
    dataset = dataset.map(
        lambda row: {"input_ids": tokenizer(row["prompt"])["input_ids"]},
        remove_columns=dataset.column_names,
    )
    ppo_config = PPOConfig(
        output_dir="outputs/ppo",
        learning_rate=1e-5,
        per_device_train_batch_size=2,
        gradient_accumulation_steps=1,
        total_episodes=2,
        response_length=8,
        num_sample_generations=0,
        stop_token="eos",
        report_to="none",
        save_strategy="no",
        use_cpu=True,
    )
    trainer = PPOTrainer(
        ppo_config,
        processing_class=tokenizer,
        policy=model,
        ref_policy=ref_model,
        reward_model=reward_model,
        value_model=value_model,
        train_dataset=dataset,
    )
    reward_fn = MultiturnReward()
    generation_kwargs = {"top_p": 1.0, "do_sample": True, "max_new_tokens": 8}
    for batch in DataLoader(dataset.with_format("torch"), batch_size=2, collate_fn=collate):
        query_tensors = batch["input_ids"]
        response_tensors = trainer.generate(
            query_tensors, return_prompt=False, **generation_kwargs
        )
        responses = tokenizer.batch_decode(response_tensors, skip_special_tokens=True)
        trainer.step(query_tensors, response_tensors, reward_fn(responses))


if __name__ == "__main__":
    main()
"""
LOOP = COLLAB[COLLAB.index("    reward_fn = ") : COLLAB.index("\n\nif __name__")]
SERVICE = """\
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer
from trl.trainer.utils import ConstantLengthDataset


class UnslothService:
    def __init__(self, base_model, output_dir):
        self.base_model, self.output_dir = base_model, output_dir
        self.model = AutoModelForCausalLM.from_pretrained(base_model)
        self.tokenizer = AutoTokenizer.from_pretrained(base_model)

    def prepare(self, rows):
        if isinstance(rows, ConstantLengthDataset):
            return rows
        return Dataset.from_list([{"text": row["text"]} for row in rows])

    def train(self, rows, steps):
        trainer = SFTTrainer(
            model=self.model,
            args=SFTConfig(
                output_dir=self.output_dir,
                max_steps=steps,
                per_device_train_batch_size=2,
                report_to="none",
                save_strategy="no",
                use_cpu=True,
                bf16=False,
            ),
            train_dataset=self.prepare(rows),
            processing_class=self.tokenizer,
        )
        trainer.train()
"""
BACKEND = """\
import json

from art.service import UnslothService


def main():
    with open("rows.jsonl") as file:
        rows = [json.loads(line) for line in file]
    service = UnslothService("model", output_dir=".art/agent-001")
    service.train(rows, steps=1)


if __name__ == "__main__":
    main()
"""
SECTION = """\
import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

device = "cuda" if torch.cuda.is_available() else "cpu"
dataset = load_dataset("json", data_files={"train": "rows.jsonl", "test": "rows.jsonl"})

model_name = "model"
model = AutoModelForCausalLM.from_pretrained(model_name).to(device)
tokenizer = AutoTokenizer.from_pretrained(model_name)

# Configure trainer
training_args = SFTConfig(
    output_dir="./sft_output",
    max_steps=1,
    per_device_train_batch_size=4,
    learning_rate=5e-5,
    logging_steps=10,
    save_steps=100,
    evaluation_strategy="steps",
    eval_steps=50,
    report_to="none",
    use_cpu=True,
    bf16=False,
)

# Initialize trainer
trainer = SFTTrainer(
    model=model,
    args=training_args,
    train_dataset=dataset["train"],
    eval_dataset=dataset["test"],
    tokenizer=tokenizer,
)

# Start training
trainer.train()
"""
REPORTS = (
    Report(
        "Wuyxin/collabllm#12",
        "ppo-first",
        "'PPOTrainer' object has no attribute 'generate'",
        "(attribute|method|has no).{0,40}\\bgenerate\\b"
        "|\\bgenerate\\b.{0,60}(attribute|method|no longer|removed)",
        {"train.py": COLLAB, "rows.jsonl": PROMPTS},
        changed(COLLAB, (LOOP, "    trainer.train()\n")),
    ),
    Report(
        "OpenPipe/ART#276",
        "four",
        "cannot import name 'ConstantLengthDataset'",
        "ConstantLengthDataset",
        {
            "train.py": BACKEND,
            "art/__init__.py": "",
            "art/service.py": SERVICE,
            "rows.jsonl": TEXT,
        },
        {
            "art/service.py": SERVICE.replace(
                "from trl.trainer.utils import ConstantLengthDataset\n", ""
            ).replace(
                "        if isinstance(rows, ConstantLengthDataset):\n            return rows\n", ""
            )
        },
        level="",
    ),
    Report(
        "huggingface/notebooks#592",
        "current",
        "unexpected keyword argument 'evaluation_strategy'",
        "evaluation_strategy",
        {"train.py": SECTION, "rows.jsonl": CHATS},
        changed(
            SECTION,
            ("evaluation_strategy=", "eval_strategy="),
            ("    tokenizer=tokenizer,", "    processing_class=tokenizer,"),
        ),
    ),
)
