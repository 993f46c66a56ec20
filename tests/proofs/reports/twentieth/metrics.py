"""Threads of a twentieth list: what is measured while a model is trained, and what is kept."""

from reports.report import COMPLETIONS, TEXT, Report, changed, rows

PER_CLASS = """\
import numpy as np
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
CLASSES = [tokenizer.encode(word)[0] for word in ("F", "O", "T")]


def preprocess_logits_for_metrics(logits, labels):
    if isinstance(logits, tuple):
        logits = logits[0]
    return logits.argmax(dim=-1)


def f1_score(labels, predictions, average=None):
    scores = []
    for each in CLASSES:
        hits = np.sum((predictions == each) & (labels == each))
        scores.append(2 * hits / max(1, np.sum(predictions == each) + np.sum(labels == each)))
    return np.array(scores) if average is None else float(np.mean(scores))


def compute_metrics(eval_pred):
    predictions, labels = eval_pred.predictions[:, :-1], eval_pred.label_ids[:, 1:]
    kept = labels != -100
    predictions, labels = predictions[kept], labels[kept]
    return {
        "accuracy": float((predictions == labels).mean()),
        "f1": f1_score(labels, predictions, average=None),
    }


data = load_dataset("json", data_files="pairs.jsonl", split="train")
data = data.train_test_split(test_size=0.5, seed=0)
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    processing_class=tokenizer,
    train_dataset=data["train"],
    eval_dataset=data["test"],
    args=SFTConfig(
        output_dir="classes",
        num_train_epochs=1,
        per_device_train_batch_size=1,
        per_device_eval_batch_size=1,
        save_total_limit=1,
        eval_strategy="epoch",
        save_strategy="epoch",
        learning_rate=1e-5,
        report_to="none",
        use_cpu=True,
        bf16=False,
    ),
    compute_metrics=compute_metrics,
    preprocess_logits_for_metrics=preprocess_logits_for_metrics,
)
trainer.train()
"""
NO_VALIDATION = """\
from datasets import load_dataset
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    DataCollatorForLanguageModeling,
    TrainingArguments,
)
from trl import SFTTrainer

max_seq_length = 256
model = AutoModelForCausalLM.from_pretrained("model")
tokenizer = AutoTokenizer.from_pretrained("model")
dataset = load_dataset("json", data_files="texts.jsonl", split="train")
data_collator = DataCollatorForLanguageModeling(tokenizer=tokenizer, mlm=False)

trainer = SFTTrainer(
    model=model,
    tokenizer=tokenizer,
    train_dataset=dataset,
    dataset_text_field="text",
    max_seq_length=max_seq_length,
    data_collator=data_collator,
    packing=False,
    args=TrainingArguments(
        per_device_train_batch_size=2,
        gradient_accumulation_steps=1,
        warmup_steps=1,
        max_steps=2,
        eval_steps=1,
        learning_rate=2e-4,
        logging_steps=1,
        weight_decay=0.01,
        lr_scheduler_type="linear",
        seed=3407,
        output_dir="outputs",
        report_to="none",
        save_strategy="no",
        use_cpu=True,
    ),
)
trainer.train()
losses = [entry["eval_loss"] for entry in trainer.state.log_history if "eval_loss" in entry]
print("validation losses that were logged:", len(losses))
"""
LAST = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, set_seed
from trl import SFTConfig, SFTTrainer

set_seed(42)
training_args = SFTConfig(
    output_dir="outputs-sft-v1",
    num_train_epochs=15,
    per_device_train_batch_size=4,
    per_device_eval_batch_size=4,
    learning_rate=2e-2,
    lr_scheduler_type="constant",
    eval_strategy="steps",
    eval_steps=1,
    save_strategy="steps",
    save_steps=1,
    save_total_limit=3,
    report_to="none",
    use_cpu=True,
    bf16=False,
)
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model", torch_dtype="float32"),
    processing_class=AutoTokenizer.from_pretrained("model"),
    train_dataset=load_dataset("json", data_files="train.jsonl", split="train"),
    eval_dataset=load_dataset("json", data_files="valid.jsonl", split="train"),
    args=training_args,
)
trainer.train()
losses = {e["step"]: e["eval_loss"] for e in trainer.state.log_history if "eval_loss" in e}
best = min(losses, key=losses.get)
saved = trainer.evaluate()["eval_loss"]
trainer.save_model("outputs-sft-v1")
print(f"lowest eval loss {losses[best]:.3f} in step {best}, that of the saved model {saved:.3f}")
print("the saved model is the", "best" if saved < losses[best] + 0.01 else "last")
"""
VALID = rows({"text": "The ship was late."}, {"text": "Nobody answered the letter in time."})
REPORTS = (
    Report(
        "huggingface/transformers#39616",
        "four",
        "ndarray is not JSON serializable",
        "compute_metrics|JSON|ndarray",
        {"train.py": PER_CLASS, "pairs.jsonl": COMPLETIONS},
        changed(
            PER_CLASS,
            (
                '"f1": f1_score(labels, predictions, average=None),',
                '"f1": f1_score(labels, predictions, average="macro"),',
            ),
        ),
        level="",
    ),
    Report(
        "unslothai/unsloth#2305",
        "ppo-first",
        "validation losses that were logged: 0",
        "eval_strategy|eval_steps|eval_dataset",
        {"train.py": NO_VALIDATION, "texts.jsonl": TEXT},
        changed(
            NO_VALIDATION,
            (
                'split="train")\ndata_collator',
                'split="train")\nsplit = dataset.train_test_split(test_size=0.25)\ndata_collator',
            ),
            (
                "    train_dataset=dataset,\n",
                '    train_dataset=split["train"],\n    eval_dataset=split["test"],\n',
            ),
            ("        eval_steps=1,\n", '        eval_strategy="steps",\n        eval_steps=1,\n'),
        ),
    ),
    Report(
        "shibing624/MedicalGPT#368",
        "four",
        "the saved model is the last",
        "load_best_model_at_end|best (model|checkpoint)",
        {"train.py": LAST, "train.jsonl": TEXT, "valid.jsonl": VALID},
        changed(
            LAST,
            (
                "    save_total_limit=3,\n",
                "    save_total_limit=3,\n    load_best_model_at_end=True,\n",
            ),
        ),
        level="",
    ),
)
