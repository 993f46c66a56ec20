"""Threads of a forty-first list: what is computed, and read, beside the training."""

from reports.report import COMPLETIONS, TEXT, Report, changed

ROUGE = '''\
"""SFT for summaries: each evaluation measures how many lines are right."""

import numpy as np
from datasets import load_dataset
from transformers import AutoTokenizer
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
seen = []


def lines_found(predictions, references):
    """Of the lines of the references, how many are lines of their predictions."""
    pairs = [(p.split("\\n"), r.split("\\n")) for p, r in zip(predictions, references)]
    seen.extend(len(lines) for _, lines in pairs)
    return sum(line in found for found, lines in pairs for line in lines) / sum(
        len(lines) for _, lines in pairs
    )


def preprocess_logits_for_metrics(logits, labels):
    if isinstance(logits, tuple):
        logits = logits[0]
    return logits.argmax(dim=-1)


def compute_metrics(eval_preds):
    preds, labels = eval_preds
    preds = np.where(preds != -100, preds, tokenizer.pad_token_id)
    labels = np.where(labels != -100, labels, tokenizer.pad_token_id)
    decoded_preds = tokenizer.batch_decode(preds[:, :-1], skip_special_tokens=True)
    decoded_labels = tokenizer.batch_decode(labels[:, 1:], skip_special_tokens=True)
    # The measure expects a newline after each sentence.
    decoded_preds = ["\\n".join(pred.strip()) for pred in decoded_preds]
    decoded_labels = ["\\n".join(label.strip()) for label in decoded_labels]
    return {"lines": lines_found(decoded_preds, decoded_labels)}


dataset = load_dataset("json", data_files="summaries.jsonl", split="train")
trainer = SFTTrainer(
    model="model",
    args=SFTConfig(
        output_dir="summaries",
        per_device_train_batch_size=4,
        eval_strategy="steps",
        eval_steps=1,
        learning_rate=2e-5,
        max_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=dataset,
    eval_dataset=dataset,
    compute_metrics=compute_metrics,
    preprocess_logits_for_metrics=preprocess_logits_for_metrics,
    processing_class=tokenizer,
)
trainer.train()
print("a summary of one sentence is read as several lines:", max(seen) > 2)
'''
CONTROLLER = '''\
"""SFT that ends early: a rule reads the loss at each evaluation."""

from datasets import load_dataset
from transformers import TrainerCallback
from trl import SFTConfig, SFTTrainer


class Controller(TrainerCallback):
    """Stops the training once the loss of training is below a threshold."""

    def __init__(self, threshold):
        self.threshold = threshold
        self.training_loss = None

    def on_log(self, args, state, control, logs=None, **kwargs):
        if logs and "loss" in logs:
            self.training_loss = logs["loss"]

    def on_evaluate(self, args, state, control, metrics=None, **kwargs):
        if self.training_loss < self.threshold:
            control.should_training_stop = True


dataset = load_dataset("json", data_files="alpaca.jsonl", split="train")
trainer = SFTTrainer(
    model="model",
    args=SFTConfig(
        output_dir="tuned",
        per_device_train_batch_size=2,
        num_train_epochs=2,
        eval_strategy="epoch",
        logging_strategy="steps",
        logging_steps=4,
        learning_rate=1e-5,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=dataset,
    eval_dataset=dataset,
    callbacks=[Controller(threshold=1.0)],
)
trainer.train()
'''
SENTENCES = 'r"(?<=[.!?]) ", {}.strip())'
REPORTS = (
    Report(
        "huggingface/trl#862",
        "current",
        "read as several lines: True",
        r"join|characters?|letters?|compute_metrics",
        {"train.py": ROUGE, "summaries.jsonl": COMPLETIONS},
        changed(
            ROUGE,
            ("import numpy", "import re\n\nimport numpy"),
            ("join(pred.strip())", f"join(re.split({SENTENCES.format('pred')})"),
            ("join(label.strip())", f"join(re.split({SENTENCES.format('label')})"),
        ),
    ),
    Report(
        "foundation-model-stack/fms-hf-tuning#165",
        "current",
        "not supported between instances of 'NoneType' and 'float'",
        r"logging_steps|NoneType.* and '?float|on_evaluate",
        {"train.py": CONTROLLER, "alpaca.jsonl": TEXT},
        changed(CONTROLLER, ("logging_steps=4", "logging_steps=1")),
    ),
)  # fmt: skip
