"""Threads of a thirtieth list: trainers of the library below."""

from reports.report import ASKED, Report, changed

TABLE = """\
import pandas as pd
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    DataCollatorWithPadding,
    Trainer,
    TrainingArguments,
)

tokenizer = AutoTokenizer.from_pretrained("reward")
model = AutoModelForSequenceClassification.from_pretrained("reward", num_labels=1)

table = pd.read_csv("table.csv")
table["input_ids"] = [tokenizer(text)["input_ids"] for text in table["text"]]
table["labels"] = table["label"].astype("float32")
train = table[["input_ids", "labels"]]

trainer = Trainer(
    model=model,
    args=TrainingArguments(
        output_dir="out",
        max_steps=1,
        per_device_train_batch_size=2,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
    ),
    train_dataset=train,
    data_collator=DataCollatorWithPadding(tokenizer),
)
trainer.train()
"""
WARM = """\
from datasets import load_dataset
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    DataCollatorWithPadding,
    Trainer,
    TrainingArguments,
)

tokenizer = AutoTokenizer.from_pretrained("reward")


def encode(row):
    return {"input_ids": tokenizer(row["text"])["input_ids"], "labels": float(row["label"])}


data = load_dataset("csv", data_files="table.csv", split="train").map(encode)
training_args = TrainingArguments(
    output_dir="classifier",
    max_steps=2,
    per_device_train_batch_size=2,
    learning_rate=3e-5,
    warmup_ratio=0.5,
    lr_scheduler_type="cosine",
    logging_dir="classifier/logs",
    report_to="none",
    save_strategy="no",
    use_cpu=True,
)
trainer = Trainer(
    model=AutoModelForSequenceClassification.from_pretrained("reward", num_labels=1),
    args=training_args,
    train_dataset=data,
    data_collator=DataCollatorWithPadding(tokenizer),
)
trainer.train()
"""
CSV = "text,label\n" + "".join(f"{text},{n % 2}\n" for n, text in enumerate(ASKED))
REPORTS = (
    Report(
        "huggingface/peft#1729",
        "current",
        "KeyError",
        r"DataFrame|pandas|KeyError|column.{0,40}(row|index)|Dataset\.from_pandas",
        {"train.py": TABLE, "table.csv": CSV},
        changed(
            TABLE,
            (
                'train = table[["input_ids", "labels"]]',
                'train = Dataset.from_pandas(table[["input_ids", "labels"]])',
            ),
            ("import pandas as pd\n", "import pandas as pd\nfrom datasets import Dataset\n"),
        ),
    ),
    Report(
        "vllm-project/semantic-router#3925",
        "current",
        "unexpected keyword argument '(warmup_ratio|logging_dir)'",
        r"warmup_ratio|logging_dir",
        {"train.py": WARM, "table.csv": CSV},
        changed(
            WARM,
            ("warmup_ratio=0.5", "warmup_steps=0.5"),
            ('    logging_dir="classifier/logs",\n', ""),
        ),
    ),
)
