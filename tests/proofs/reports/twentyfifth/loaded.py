"""Threads of a twenty-fifth list: rows that cannot be read, or of which none is left."""

from reports.report import Report, changed, rows

MIXED = """\
import json

from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

ROLES = {"human": "user", "gpt": "assistant"}


def load_from_jsonl(path):
    with open(path) as file:
        rows = [json.loads(line) for line in file]
    return Dataset.from_list(rows)


def to_messages(row):
    note = " ".join(f"<{name}>" for name in row["image"])
    messages = [
        {"role": ROLES[part["from"]], "content": part["value"].replace("<image>", note)}
        for part in row["conversations"]
    ]
    return {"messages": messages}


dataset = load_from_jsonl("si-800k.jsonl")
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    processing_class=AutoTokenizer.from_pretrained("model"),
    train_dataset=dataset.map(to_messages, remove_columns=dataset.column_names),
    args=SFTConfig(
        output_dir="si",
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
SCENES = rows(
    *(
        {
            "id": n,
            "conversations": [
                {"from": "human", "value": f"<image> {asked}"},
                {"from": "gpt", "value": answer},
            ],
            "image": image,
        }
        for n, (asked, answer, image) in enumerate(
            (
                ("What is on the left?", "A chair.", ["images/000/025035.jpg"]),
                ("Which is nearer?", "The table.", ["images/000/1.jpg", "images/000/2.jpg"]),
                ("What is behind it?", "A door.", "images/061/612608.jpg"),
            )
        )
    )
)
PACKED = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

dataset = load_dataset("json", data_files="instructions.jsonl", split="train")


def create_prompt(sample):
    return f"### Instruction:\\n{sample['instruction']}\\n\\n### Response:\\n{sample['response']}"


supervised_finetuning_trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    processing_class=AutoTokenizer.from_pretrained("model"),
    train_dataset=dataset,
    formatting_func=create_prompt,
    args=SFTConfig(
        output_dir="instruct-tuned",
        packing=True,
        max_seq_length=1024,
        num_train_epochs=1,
        per_device_train_batch_size=2,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
supervised_finetuning_trainer.train()
"""
INSTRUCTIONS = rows(
    {"instruction": "What is seven times six?", "response": "Forty-two."},
    {"instruction": "Count to five.", "response": "One, two, three, four, five."},
    {"instruction": "Write about the sea.", "response": "The sea was calm."},
)
REPORTS = (
    Report(
        "OpenSenseNova/SenseNova-SI#31",
        "current",
        "cannot mix list and non-list|ArrowInvalid",
        r"\bimage\b.{0,120}(list|mix|types?)|(list|mix|types?).{0,120}\bimage\b",
        {"train.py": MIXED, "si-800k.jsonl": SCENES},
        changed(
            MIXED,
            (
                "    return Dataset.from_list(rows)\n",
                "    for row in rows:\n"
                "        if isinstance(row['image'], str):\n"
                "            row['image'] = [row['image']]\n"
                "    return Dataset.from_list(rows)\n",
            ),
        ),
        level="",
    ),
    Report(
        "FourthBrain/Building-with-Instruction-Tuned-LLMs-A-Step-by-Step-Guide#4",
        "ppo-first",
        "num_samples=0|enough samples to at least yield one packed sequence",
        r"max_seq_length|packing|packed",
        {"train.py": PACKED, "instructions.jsonl": INSTRUCTIONS},
        changed(PACKED, ("max_seq_length=1024", "max_seq_length=32")),
        level="",
    ),
)
