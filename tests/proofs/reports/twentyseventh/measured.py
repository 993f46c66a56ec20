"""Threads of a twenty-seventh list: what is measured in an evaluation, and what stops by it."""

from reports.report import Report, changed
from reports.twentyseventh.data import TEXTS

TUPLE = """\
import numpy as np
import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer


def compute_metrics(eval_pred):
    predictions, labels = eval_pred
    predictions = np.argmax(predictions, axis=-1)[:, :-1]
    known = labels[:, 1:] != -100
    return {"accuracy": float((predictions == labels[:, 1:])[known].mean())}


data = load_dataset("json", data_files="corpus.jsonl", split="train")
data = data.train_test_split(test_size=4, seed=42)
model = AutoModelForCausalLM.from_pretrained(
    "model", dtype=torch.float32, output_hidden_states=True
)
trainer = SFTTrainer(
    model=model,
    processing_class=AutoTokenizer.from_pretrained("model"),
    train_dataset=data["train"],
    eval_dataset=data["test"],
    compute_metrics=compute_metrics,
    args=SFTConfig(
        output_dir="weighted-layers",
        max_steps=4,
        per_device_train_batch_size=4,
        eval_strategy="steps",
        eval_steps=2,
        logging_steps=2,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
"""
UNSHIFTED = """\
import numpy as np
import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, set_seed
from trl import SFTConfig, SFTTrainer

set_seed(0)


def preprocess_logits_for_metrics(logits, labels):
    return logits.argmax(dim=-1)


def compute_metrics(eval_preds):
    preds, labels = eval_preds
    labels = labels.reshape(-1)
    preds = preds.reshape(-1)
    mask = labels != -100
    return {"accuracy": float((preds[mask] == labels[mask]).mean())}


data = load_dataset("json", data_files="corpus.jsonl", split="train")
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model", dtype=torch.float32),
    processing_class=AutoTokenizer.from_pretrained("model"),
    train_dataset=data,
    eval_dataset=data,
    compute_metrics=compute_metrics,
    preprocess_logits_for_metrics=preprocess_logits_for_metrics,
    args=SFTConfig(
        output_dir="mntp",
        max_steps=60,
        per_device_train_batch_size=12,
        learning_rate=2e-2,
        logging_steps=20,
        eval_strategy="steps",
        eval_steps=30,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
done = trainer.evaluate()
print(f"eval_loss {done['eval_loss']:.2f}, accuracy {done['eval_accuracy']:.2f}")
known = done["eval_mean_token_accuracy"]
print("the accuracy is that of the next tokens:", abs(done["eval_accuracy"] - known) < 0.1)
"""
STOPPED = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, EarlyStoppingCallback
from trl import SFTConfig, SFTTrainer

data = load_dataset("json", data_files="corpus.jsonl", split="train")
data = data.train_test_split(test_size=4, seed=42)
args = SFTConfig(
    output_dir="early",
    max_steps=4,
    max_seq_length=64,
    dataset_text_field="text",
    per_device_train_batch_size=4,
    eval_strategy="steps",
    eval_steps=2,
    metric_for_best_model="eval_loss",
    save_strategy="steps",
    save_steps=4,
    logging_steps=1,
    report_to="none",
    use_cpu=True,
    bf16=False,
)
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    processing_class=AutoTokenizer.from_pretrained("model"),
    train_dataset=data["train"],
    eval_dataset=data["test"],
    args=args,
    callbacks=[EarlyStoppingCallback(early_stopping_patience=3)],
)
trainer.train()
"""
REPORTS = (
    Report(
        "huggingface/transformers#30104",
        "four",
        "inhomogeneous shape",
        r"output_hidden_states|hidden[ _]states|tuple|inhomogeneous|preprocess_logits_for_metrics",
        {"train.py": TUPLE, "corpus.jsonl": TEXTS},
        changed(
            TUPLE,
            (
                "    compute_metrics=compute_metrics,\n",
                "    compute_metrics=compute_metrics,\n"
                "    preprocess_logits_for_metrics=lambda logits, labels: logits[0],\n",
            ),
        ),
        level="",
    ),
    Report(
        "McGill-NLP/llm2vec#32",
        "current",
        "that of the next tokens: False",
        r"shift|(next|following|one|previous) (token|position)|one (place|step)|\[:, 1:\]|:-1",
        {"train.py": UNSHIFTED, "corpus.jsonl": TEXTS},
        changed(
            UNSHIFTED,
            (
                "    labels = labels.reshape(-1)\n    preds = preds.reshape(-1)\n",
                "    labels = labels[:, 1:].reshape(-1)\n    preds = preds[:, :-1].reshape(-1)\n",
            ),
        ),
        level="files",
    ),
    Report(
        "axolotl-ai-cloud/axolotl#28",
        "ppo-first",
        "EarlyStoppingCallback requires load_best_model_at_end",
        r"load_best_model_at_end",
        {"train.py": STOPPED, "corpus.jsonl": TEXTS},
        changed(
            STOPPED,
            (
                '    save_strategy="steps",\n    save_steps=4,\n',
                '    save_strategy="steps",\n    save_steps=2,\n    load_best_model_at_end=True,\n',
            ),
        ),
        level="",
    ),
)
