"""Threads of a twenty-seventh list: what has no loss, no end, or is seen though it is padding."""

from reports.report import Report, changed
from reports.twentyseventh.data import ALPACA, COMPLETIONS

PADDED = """\
import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, set_seed
from trl import SFTConfig, SFTTrainer

set_seed(0)
MAX_SRC_LENGTH = 48
tokenizer = AutoTokenizer.from_pretrained("model")


def to_features(example):
    source = tokenizer(example["prompt"])["input_ids"][:MAX_SRC_LENGTH]
    target = tokenizer(example["completion"])["input_ids"] + [tokenizer.eos_token_id]
    if len(source) < MAX_SRC_LENGTH:
        source = source + [tokenizer.pad_token_id] * (MAX_SRC_LENGTH - len(source))
    tokens = source + target
    return {"input_ids": tokens, "labels": [-100] * len(source) + target}


def attention_of(tokens, width):
    return [1] * len(tokens) + [0] * (width - len(tokens))


def collate(features):
    width = max(len(feature["input_ids"]) for feature in features)
    batch = {"input_ids": [], "attention_mask": [], "labels": []}
    for feature in features:
        tokens, labels = feature["input_ids"], feature["labels"]
        rest = width - len(tokens)
        batch["input_ids"].append(tokens + [tokenizer.pad_token_id] * rest)
        batch["attention_mask"].append(attention_of(tokens, width))
        batch["labels"].append(labels + [-100] * rest)
    return {key: torch.tensor(value) for key, value in batch.items()}


dataset = load_dataset("json", data_files="seq2seq.jsonl", split="train")
dataset = dataset.map(to_features, remove_columns=dataset.column_names)
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model", dtype=torch.float32),
    processing_class=tokenizer,
    train_dataset=dataset,
    data_collator=collate,
    args=SFTConfig(
        output_dir="seq2seq",
        max_steps=6,
        per_device_train_batch_size=4,
        logging_steps=2,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
batch = next(iter(trainer.get_train_dataloader()))
seen = (batch["input_ids"] == tokenizer.pad_token_id) & (batch["attention_mask"] == 1)
print("padding in a batch that the model attends to:", int(seen.sum()))
"""
ONE_TOO_MANY = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

CUTOFF_LEN = 256
add_eos_token = True
train_on_inputs = False
tokenizer = AutoTokenizer.from_pretrained("model")


def tokenize(prompt):
    result = tokenizer(prompt, truncation=True, max_length=CUTOFF_LEN)
    if add_eos_token and len(result["input_ids"]) < CUTOFF_LEN:
        result["input_ids"].append(tokenizer.eos_token_id)
        result["attention_mask"].append(1)
    result["labels"] = list(result["input_ids"])
    return result


def generate_and_tokenize(point):
    prompt = f"### Instruction:\\n{point['instruction']}\\n\\n### Response:\\n"
    full = tokenize(prompt + point["output"])
    if not train_on_inputs:
        length = len(tokenize(prompt)["input_ids"])
        full["labels"] = [-100] * length + full["labels"][length:]
    return full


rows = load_dataset("json", data_files="alpaca.jsonl", split="train")
dataset = rows.map(generate_and_tokenize, remove_columns=rows.column_names)
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    processing_class=tokenizer,
    train_dataset=dataset,
    args=SFTConfig(
        output_dir="lora-alpaca",
        num_train_epochs=2,
        per_device_train_batch_size=4,
        logging_steps=2,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
cut = 0
for row, given in zip(rows, trainer.train_dataset):
    learnt = tokenizer.decode([token for token in given["labels"] if token != -100])
    cut += not learnt.startswith(row["output"])
print(f"answers of which the start is not learnt: {cut} of {len(rows)}")
"""
ENDLESS = """\
import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, set_seed
from trl import SFTConfig, SFTTrainer

set_seed(0)
tokenizer = AutoTokenizer.from_pretrained("model")


def tokenize(example):
    text = f"Question: {example['prompt']}\\nAnswer:{example['completion']}"
    return tokenizer(text, truncation=True, max_length=256)


rows = load_dataset("json", data_files="qa.jsonl", split="train")
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model", dtype=torch.float32),
    processing_class=tokenizer,
    train_dataset=rows.map(tokenize, remove_columns=rows.column_names),
    args=SFTConfig(
        output_dir="phi-qa",
        max_steps=60,
        per_device_train_batch_size=12,
        learning_rate=2e-2,
        logging_steps=20,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
model = trainer.model.eval()
ended = 0
for row in rows:
    inputs = tokenizer(f"Question: {row['prompt']}\\nAnswer:", return_tensors="pt")
    output = model.generate(**inputs, max_new_tokens=24, do_sample=False)
    ended += output[0, -1].item() == tokenizer.eos_token_id
print(f"answers that come to an end: {ended} of {len(rows)}")
"""
REPORTS = (
    Report(
        "THUDM/GLM#70",
        "current",
        "that the model attends to: [1-9]",
        r"attention[ _]mask|attend",
        {"train.py": PADDED, "seq2seq.jsonl": COMPLETIONS},
        changed(
            PADDED,
            (
                "    return [1] * len(tokens) + [0] * (width - len(tokens))\n",
                "    real = [int(token != tokenizer.pad_token_id) for token in tokens]\n"
                "    return real + [0] * (width - len(tokens))\n",
            ),
        ),
        level="",
    ),
    Report(
        "tloen/alpaca-lora#306",
        "current",
        "the start is not learnt: [1-9]",
        r"first (token|word)|(start|beginning) of (the|each|every|its) (answer|response|completion)"
        r"|-100.{0,120}(answer|response|output|completion)|eos.{0,80}prompt|prompt.{0,80}eos",
        {"train.py": ONE_TOO_MANY, "alpaca.jsonl": ALPACA},
        changed(
            ONE_TOO_MANY,
            (
                '        length = len(tokenize(prompt)["input_ids"])\n',
                '        length = len(tokenize(prompt)["input_ids"])\n'
                "        if add_eos_token:\n"
                "            length -= 1\n",
            ),
        ),
        level="",
    ),
    Report(
        "Vasanthengineer4949/NLP-Projects-NHV#4",
        "current",
        "that come to an end: 0 of",
        r"\beos\b|eos_token|<\|im_end\|>|(end|stop) token|end[- ]of[- ](sequence|text|turn)"
        r"|never (ends|stops)|learns? (when )?to (end|stop)",
        {"train.py": ENDLESS, "qa.jsonl": COMPLETIONS},
        changed(
            ENDLESS,
            (
                "Answer:{example['completion']}\"\n",
                "Answer:{example['completion']}{tokenizer.eos_token}\"\n",
            ),
        ),
        level="",
    ),
)
