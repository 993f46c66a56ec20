"""Threads of a twenty-eighth list: the course of a run, its checkpoints and what is asked of it."""

from reports.report import Report, changed
from reports.twentyseventh.data import COMPLETIONS, TEXTS

PATIENT = """\
from datasets import load_dataset
from transformers import EarlyStoppingCallback
from trl import SFTConfig, SFTTrainer

validation_file = None
train_dataset = load_dataset("json", data_files="train.jsonl", split="train")
eval_dataset = None
if validation_file is not None:
    eval_dataset = load_dataset("json", data_files=validation_file, split="train")
trainer = SFTTrainer(
    model="model",
    train_dataset=train_dataset,
    eval_dataset=eval_dataset,
    callbacks=[EarlyStoppingCallback(early_stopping_patience=3)],
    args=SFTConfig(
        output_dir="patient",
        num_train_epochs=2,
        per_device_train_batch_size=4,
        metric_for_best_model="loss",
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
"""
BEST = """\
import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, set_seed
from trl import SFTConfig, SFTTrainer

set_seed(0)
data = load_dataset("json", data_files="texts.jsonl", split="train").train_test_split(
    test_size=4, seed=0
)
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model", dtype=torch.float32),
    processing_class=AutoTokenizer.from_pretrained("model"),
    train_dataset=data["train"],
    eval_dataset=data["test"],
    args=SFTConfig(
        output_dir="best",
        max_steps=40,
        per_device_train_batch_size=8,
        learning_rate=2e-2,
        lr_scheduler_type="constant",
        eval_strategy="steps",
        eval_steps=5,
        save_strategy="steps",
        save_steps=500,
        load_best_model_at_end=True,
        metric_for_best_model="eval_loss",
        greater_is_better=False,
        report_to="none",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
best = min(log["eval_loss"] for log in trainer.state.log_history if "eval_loss" in log)
loss = trainer.evaluate()["eval_loss"]
print(f"best loss seen {best:.3f}, loss at the end {loss:.3f}")
print("the model at the end is the best one:", abs(loss - best) < 1e-3)
"""
RESUMED = """\
import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, set_seed
from trl import SFTConfig, SFTTrainer

set_seed(0)
tokenizer = AutoTokenizer.from_pretrained("model")
dataset = load_dataset("json", data_files="texts.jsonl", split="train")


def make_trainer(**more):
    return SFTTrainer(
        model=AutoModelForCausalLM.from_pretrained("model", dtype=torch.float32),
        processing_class=tokenizer,
        train_dataset=dataset,
        args=SFTConfig(
            output_dir="resumed",
            max_steps=12,
            per_device_train_batch_size=4,
            learning_rate=1e-3,
            lr_scheduler_type="cosine",
            warmup_steps=4,
            logging_steps=1,
            save_steps=6,
            report_to="none",
            use_cpu=True,
            bf16=False,
            **more,
        ),
    )


make_trainer().train()
rates = []
trainer = make_trainer(resume_from_checkpoint="resumed/checkpoint-6")
trainer.log = lambda logs, *rest: rates.append(logs.get("learning_rate"))
trainer.train()
rates = [rate for rate in rates if rate is not None]
print("steps after the checkpoint of step 6:", len(rates))
"""
BATCH = """\
import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, set_seed
from trl import SFTConfig, SFTTrainer

set_seed(0)
tokenizer = AutoTokenizer.from_pretrained("model", padding_side="right")
dataset = load_dataset("json", data_files="quiz.jsonl", split="train")
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model", dtype=torch.float32),
    processing_class=tokenizer,
    train_dataset=dataset,
    args=SFTConfig(
        output_dir="quiz",
        max_steps=40,
        per_device_train_batch_size=12,
        learning_rate=1e-2,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
model = trainer.model.eval()


def answers(prompts):
    inputs = tokenizer(prompts, return_tensors="pt", padding=True)
    out = model.generate(**inputs, max_new_tokens=8, do_sample=False)
    texts = tokenizer.batch_decode(out[:, inputs["input_ids"].shape[1] :], skip_special_tokens=True)
    return [text.strip() for text in texts]


together = answers(dataset["prompt"][:])
alone = [answers([prompt])[0] for prompt in dataset["prompt"][:]]
other = sum(one != two for one, two in zip(together, alone))
print("questions with another answer in a batch:", other)
"""
REPORTS = (
    Report(
        "microsoft/binder#13",
        "current",
        "EarlyStoppingCallback requires",
        r"EarlyStopping.{0,200}eval|eval_strategy|evaluat",
        {"train.py": PATIENT, "train.jsonl": TEXTS},
        changed(
            PATIENT,
            (
                "callbacks=[EarlyStoppingCallback(early_stopping_patience=3)],",
                "callbacks=[EarlyStoppingCallback(3)] if eval_dataset else None,",
            ),
        ),
        level="",
    ),
    Report(
        "huggingface/transformers#28500",
        "current",
        "the model at the end is the best one: False",
        r"save_steps|load_best_model_at_end|best.{0,100}(checkpoint|save)|checkpoint.{0,100}best",
        {"train.py": BEST, "texts.jsonl": TEXTS},
        changed(BEST, ("save_steps=500", "save_steps=5")),
        level="files",
    ),
    Report(
        "huggingface/transformers#27749",
        "current",
        "steps after the checkpoint of step 6: 12",
        r"resume_from_checkpoint",
        {"train.py": RESUMED, "texts.jsonl": TEXTS},
        changed(
            RESUMED,
            (
                'make_trainer(resume_from_checkpoint="resumed/checkpoint-6")',
                "make_trainer()",
            ),
            (
                "trainer.train()\nrates = [",
                'trainer.train(resume_from_checkpoint="resumed/checkpoint-6")\nrates = [',
            ),
        ),
        level="files",
    ),
    Report(
        "RUCAIBox/LC-Rec#6",
        "current",
        "another answer in a batch: [1-9]",
        r"padding_side|right.?padd|padd\w*.{0,60}(right|left)|left.?padd",
        {"train.py": BATCH, "quiz.jsonl": COMPLETIONS},
        changed(
            BATCH,
            (
                "model = trainer.model.eval()\n",
                'model = trainer.model.eval()\ntokenizer.padding_side = "left"\n',
            ),
        ),
        level="",
    ),
)
