"""Threads of a twenty-second list: rows that do not become a batch."""

from reports.report import PAIRS, Report, changed, rows

ASKED = rows(*({"question": a, "answer": b} for a, b in PAIRS))
CAPITALS = rows(*({"Instruction": a, "Input": "", "Output": b} for a, b in PAIRS))
LOWER = rows(*({"instruction": a, "input": "", "output": b} for a, b in PAIRS))
MEMORY = """\
import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
model = AutoModelForCausalLM.from_pretrained("model")


def instruct_tokenize(examples):
    asked = tokenizer([text + "\\n" for text in examples["question"]])["input_ids"]
    answered = tokenizer(examples["answer"])["input_ids"]
    rows = {"input_ids": [], "labels": []}
    for prompt, answer in zip(asked, answered):
        answer = answer + [tokenizer.eos_token_id]
        rows["input_ids"].append(prompt + answer)
        rows["labels"].append([-100] * len(prompt) + answer)
    return rows


def collate(examples):
    return {
        "input_ids": torch.tensor([example["input_ids"] for example in examples]),
        "labels": torch.tensor([example["labels"] for example in examples]),
    }


data = load_dataset("json", data_files="questions.jsonl", split="train")
data = data.map(instruct_tokenize, batched=True, remove_columns=["question", "answer"])
trainer = SFTTrainer(
    model=model,
    processing_class=tokenizer,
    data_collator=collate,
    train_dataset=data,
    args=SFTConfig(
        output_dir="instruct",
        max_steps=2,
        per_device_train_batch_size=2,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
"""
PADDED = """\
def collate(examples):
    longest = max(len(example["input_ids"]) for example in examples)

    def padded(name, value):
        return torch.tensor(
            [example[name] + [value] * (longest - len(example[name])) for example in examples]
        )

    ids = padded("input_ids", tokenizer.pad_token_id)
    labels = padded("labels", -100)
    lengths = torch.tensor([[len(example["input_ids"])] for example in examples])
    mask = (torch.arange(longest)[None] < lengths).long()
    return {"input_ids": ids, "attention_mask": mask, "labels": labels}


"""
NO_RETURN = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, DataCollatorForSeq2Seq
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
model = AutoModelForCausalLM.from_pretrained("model")


def preprocess_function(example):
    inputs = tokenizer(
        f"{example['question']} {example['answer']}{tokenizer.eos_token}",
        max_length=64,
        truncation=True,
    )
    asked = len(tokenizer(example["question"])["input_ids"])
    label_ids = list(inputs["input_ids"])
    label_ids[:asked] = [-100] * asked
    inputs["labels"] = label_ids


train_ds = load_dataset("json", data_files="questions.jsonl", split="train")
train_ds = train_ds.map(preprocess_function, batched=False)
trainer = SFTTrainer(
    model=model,
    processing_class=tokenizer,
    data_collator=DataCollatorForSeq2Seq(tokenizer),
    train_dataset=train_ds,
    args=SFTConfig(
        output_dir="questions",
        dataset_kwargs={"skip_prepare_dataset": True},
        max_steps=2,
        per_device_train_batch_size=2,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
"""
ADAPTERS = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, DataCollatorForSeq2Seq
from trl import SFTConfig, SFTTrainer

COLUMNS = ("instruction", "input", "output")
tokenizer = AutoTokenizer.from_pretrained("model")
model = AutoModelForCausalLM.from_pretrained("model")


def generate_and_tokenize_prompt(row):
    instruction, given, output = (row.get(name) or "" for name in COLUMNS)
    prompt = f"### Instruction:\\n{instruction}\\n{given}\\n### Response:\\n"
    asked = tokenizer(prompt)["input_ids"]
    answered = tokenizer(output + tokenizer.eos_token)["input_ids"]
    return {
        "input_ids": asked + answered,
        "attention_mask": [1] * (len(asked) + len(answered)),
        "labels": [-100] * len(asked) + answered,
    }


data = load_dataset("json", data_files="example.jsonl", split="train")
data = data.map(generate_and_tokenize_prompt)
data = data.remove_columns([name for name in COLUMNS if name in data.column_names])
trainer = SFTTrainer(
    model=model,
    processing_class=tokenizer,
    data_collator=DataCollatorForSeq2Seq(tokenizer, padding=True),
    train_dataset=data,
    args=SFTConfig(
        output_dir="adapters",
        remove_unused_columns=False,
        dataset_kwargs={"skip_prepare_dataset": True},
        max_steps=2,
        per_device_train_batch_size=2,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
"""
REPORTS = (
    Report(
        "getao/icae#19",
        "four",
        r"expected sequence of length \d+ at dim 1",
        r"\bpad|same length|different lengths|ragged|expected sequence of length",
        {"train.py": MEMORY, "questions.jsonl": ASKED},
        changed(
            MEMORY,
            (MEMORY[MEMORY.index("def collate") : MEMORY.index("data = load")], PADDED),
        ),
        level="",
    ),
    Report(
        "huggingface/datasets#2988",
        "four",
        "No columns in the dataset match the model's forward method signature",
        r"preprocess_function|returns? (nothing|None)",
        {"train.py": NO_RETURN, "questions.jsonl": ASKED},
        changed(
            NO_RETURN,
            (
                '    inputs["labels"] = label_ids\n',
                '    inputs["labels"] = label_ids\n    return inputs\n',
            ),
        ),
    ),
    Report(
        "cckuailong/SuperAdapters#2",
        "current",
        r"Perhaps your features \(`(Instruction|Input|Output)` in this case\)",
        r"\bInstruction\b|instruction",
        {"train.py": ADAPTERS, "example.jsonl": CAPITALS},
        {"example.jsonl": LOWER},
        level="",
    ),
)
