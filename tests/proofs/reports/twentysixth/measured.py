"""Threads of a twenty-sixth list: evaluations that fail, count what has no label, or never come."""

from reports.report import PAIRS, Report, changed, rows

MISSPELT = """\
import numpy as np
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer


def compute_metrics(pred):
    labels = pred.label_ids[:, 1:]
    preds = np.argmax(pred.prediction, axis=-1)[:, :-1]
    known = labels != -100
    return {"accuracy": float((preds[known] == labels[known]).mean())}


dataset = load_dataset("json", data_files="reviews.jsonl", split="train")
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    processing_class=AutoTokenizer.from_pretrained("model"),
    train_dataset=dataset,
    eval_dataset=dataset.select(range(2)),
    compute_metrics=compute_metrics,
    args=SFTConfig(
        output_dir="minilm",
        max_steps=2,
        per_device_train_batch_size=2,
        eval_strategy="steps",
        eval_steps=2,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
"""
ALL_POSITIONS = """\
import numpy as np
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, EvalPrediction
from trl import SFTConfig, SFTTrainer


def keep_best(logits, labels):
    return logits.argmax(dim=-1)


def compute_metrics(eval_pred):
    predictions, target = eval_pred.predictions[:, :-1], eval_pred.label_ids[:, 1:]
    correct = (predictions == target).sum()
    total = target.size
    return {"token_accuracy": correct / total}


dataset = load_dataset("json", data_files="pairs.jsonl", split="train")
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    processing_class=AutoTokenizer.from_pretrained("model"),
    train_dataset=dataset,
    eval_dataset=dataset,
    compute_metrics=compute_metrics,
    preprocess_logits_for_metrics=keep_best,
    args=SFTConfig(
        output_dir="from-scratch",
        max_steps=2,
        per_device_train_batch_size=2,
        eval_strategy="steps",
        eval_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
labels = next(iter(trainer.get_eval_dataloader()))["labels"].numpy()
right = np.roll(np.where(labels == -100, 0, labels), -1, axis=1)
best = compute_metrics(EvalPrediction(predictions=right, label_ids=labels))["token_accuracy"]
print(f"a model without a mistake would have an accuracy of {best:.2f}")
"""
NEVER = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

data = load_dataset("json", data_files="corpus.jsonl", split="train")
data = data.train_test_split(test_size=4, seed=42)

args = SFTConfig(
    output_dir="bigbird-base",
    do_train=True,
    do_eval=True,
    num_train_epochs=2,
    per_device_train_batch_size=1,
    per_device_eval_batch_size=2,
    gradient_accumulation_steps=8,
    eval_strategy="steps",
    eval_steps=10,
    logging_steps=1,
    learning_rate=1e-4,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    processing_class=AutoTokenizer.from_pretrained("model"),
    train_dataset=data["train"],
    eval_dataset=data["test"],
    args=args,
)
trainer.train()
logged = [line["eval_loss"] for line in trainer.state.log_history if "eval_loss" in line]
print(f"losses of an evaluation, in {trainer.state.global_step} steps: {len(logged)}")
"""
TEXTS = rows(*({"text": f"{asked} {answer}"} for asked, answer in PAIRS))
CORPUS = TEXTS * 5
COMPLETIONS = rows(*({"prompt": asked, "completion": f" {answer}"} for asked, answer in PAIRS))
REPORTS = (
    Report(
        "huggingface/transformers#24034",
        "current",
        "has no attribute 'prediction'",
        r"\bpredictions?\b",
        {"train.py": MISSPELT, "reviews.jsonl": TEXTS},
        changed(MISSPELT, ("pred.prediction,", "pred.predictions,")),
        level="",
    ),
    Report(
        "jsbaan/transformer-from-scratch#7",
        "current",
        r"an accuracy of 0\.",
        r"-100|\bpad(ding|ded|s)?\b|ignored|without a (label|loss)|no label",
        {"train.py": ALL_POSITIONS, "pairs.jsonl": COMPLETIONS},
        changed(
            ALL_POSITIONS,
            (
                "    correct = (predictions == target).sum()\n    total = target.size\n",
                "    mask = target != -100\n"
                "    correct = (predictions == target)[mask].sum()\n"
                "    total = mask.sum()\n",
            ),
        ),
        level="",
    ),
    Report(
        "huggingface/transformers#12618",
        "four",
        r"losses of an evaluation, in \d+ steps: 0\n",
        r"eval_steps|(no|never|not|without an?) evaluat|gradient_accumulation.{0,150}evaluat",
        {"train.py": NEVER, "corpus.jsonl": CORPUS},
        changed(NEVER, ("    gradient_accumulation_steps=8,\n", "")),
        level="files",
    ),
)
