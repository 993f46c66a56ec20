"""Threads of a twenty-fourth list: metrics that die, and a collator that lacks its columns."""

from reports.report import PAIRS, TEXT, Report, changed, rows

ASKED = rows(*({"question": a, "answer": b} for a, b in PAIRS))
DECODED = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
model = AutoModelForCausalLM.from_pretrained("model")
data = load_dataset("json", data_files={"train": "train.jsonl", "validation": "dev.jsonl"})
data = data.rename_columns({"question": "prompt", "answer": "completion"})


def argmax(logits, labels):
    return logits.argmax(dim=-1)


def compute_metrics(eval_preds):
    preds, labels = eval_preds
    decoded_preds = tokenizer.batch_decode(preds, skip_special_tokens=True)
    decoded_labels = tokenizer.batch_decode(labels, skip_special_tokens=True)
    hits = [p.strip() == t.strip() for p, t in zip(decoded_preds, decoded_labels)]
    return {"exact_match": sum(hits) / len(hits)}


trainer = SFTTrainer(
    model=model,
    processing_class=tokenizer,
    train_dataset=data["train"],
    eval_dataset=data["validation"],
    compute_metrics=compute_metrics,
    preprocess_logits_for_metrics=argmax,
    args=SFTConfig(
        output_dir="qa",
        num_train_epochs=1,
        eval_strategy="epoch",
        per_device_train_batch_size=2,
        per_device_eval_batch_size=2,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
print(trainer.evaluate())
"""
LISTS = """\
import numpy as np
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer


def preprocess_logits_for_metrics(logits, labels):
    if isinstance(logits, tuple):
        logits = logits[0]
    return logits.argmax(dim=-1)


def compute_metrics(p):
    preds, labels = p.predictions, p.label_ids
    preds, labels = preds[:, :-1], labels[:, 1:]
    mask = labels != -100
    return {"accuracy": float(np.mean(preds[mask] == labels[mask]))}


training_args = SFTConfig(
    output_dir="clm-eval",
    max_steps=4,
    eval_strategy="steps",
    eval_steps=2,
    per_device_train_batch_size=2,
    per_device_eval_batch_size=2,
    eval_do_concat_batches=False,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
data = load_dataset("json", data_files={"train": "train.jsonl", "eval": "eval.jsonl"})
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    processing_class=AutoTokenizer.from_pretrained("model"),
    args=training_args,
    train_dataset=data["train"],
    eval_dataset=data["eval"],
    compute_metrics=compute_metrics,
    preprocess_logits_for_metrics=preprocess_logits_for_metrics,
)
trainer.train()
"""
COLLATED = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
model = AutoModelForCausalLM.from_pretrained("model")
train_dataset = load_dataset("json", data_files="qa.jsonl", split="train")


class DataCollator:
    \"\"\"Tokenizes the texts of a batch, so that it is padded to its longest.\"\"\"

    def __init__(self, tokenizer):
        self.tokenizer = tokenizer

    def __call__(self, examples):
        texts = [
            f"{example['question']}\\n{example['answer']}{self.tokenizer.eos_token}"
            for example in examples
        ]
        batch = self.tokenizer(texts, truncation=True, padding=True, return_tensors="pt")
        labels = batch["input_ids"].clone()
        labels[batch["attention_mask"] == 0] = -100
        return {**batch, "labels": labels}


trainer = SFTTrainer(
    model=model,
    processing_class=tokenizer,
    train_dataset=train_dataset,
    data_collator=DataCollator(tokenizer),
    args=SFTConfig(
        output_dir="on-the-fly",
        max_steps=2,
        per_device_train_batch_size=2,
        dataset_kwargs={"skip_prepare_dataset": True},
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
        "huggingface/transformers#22634",
        "four",
        "OverflowError",
        r"-100|batch_decode|compute_metrics",
        {"train.py": DECODED, "train.jsonl": ASKED, "dev.jsonl": ASKED},
        changed(
            DECODED,
            (
                "    preds, labels = eval_preds\n",
                "    preds, labels = eval_preds\n"
                "    preds = np.where(preds != -100, preds, tokenizer.pad_token_id)\n"
                "    labels = np.where(labels != -100, labels, tokenizer.pad_token_id)\n",
            ),
            ("from datasets import", "import numpy as np\nfrom datasets import"),
        ),
        level="",
    ),
    Report(
        "huggingface/transformers#37593",
        "four",
        "list indices must be integers or slices, not tuple",
        r"eval_do_concat_batches",
        {"train.py": LISTS, "train.jsonl": TEXT, "eval.jsonl": TEXT},
        changed(LISTS, ("    eval_do_concat_batches=False,\n", "")),
        level="",
    ),
    Report(
        "huggingface/transformers#7823",
        "current",
        "No columns in the dataset match|KeyError: 'question'",
        r"remove_unused_columns",
        {"train.py": COLLATED, "qa.jsonl": ASKED},
        changed(
            COLLATED,
            (
                "        max_steps=2,\n",
                "        max_steps=2,\n        remove_unused_columns=False,\n",
            ),
        ),
        level="",
    ),
)
