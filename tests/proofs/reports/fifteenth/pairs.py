"""Threads of a fifteenth list: what ORPO, CPO and KTO make of their rows."""

from reports.report import LABELLED, PAIRS, PREFERENCES, Report, changed, rows, turn

METRICS = """\
import numpy as np
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import ORPOConfig, ORPOTrainer

data = load_dataset("json", data_files="pairs.jsonl", split="train")


def compute_metrics(eval_pred):
    logits, labels = eval_pred
    return {"mean_logits": float(np.mean(logits))}


config = ORPOConfig(
    output_dir="orpo-metrics",
    max_length=256,
    max_prompt_length=128,
    per_device_train_batch_size=2,
    per_device_eval_batch_size=2,
    eval_strategy="steps",
    eval_steps=1,
    max_steps=1,
    learning_rate=8e-6,
    remove_unused_columns=False,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
)
trainer = ORPOTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    args=config,
    train_dataset=data,
    eval_dataset=data,
    processing_class=AutoTokenizer.from_pretrained("model"),
    compute_metrics=compute_metrics,
)
trainer.train()
"""
ACCUMULATED = """\
import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import CPOConfig, CPOTrainer

dataset = load_dataset("json", data_files="pairs.jsonl", split="train")
config = CPOConfig(
    output_dir="cpo-accumulated",
    max_length=256,
    max_prompt_length=128,
    per_device_train_batch_size=1,
    gradient_accumulation_steps=4,
    max_steps=1,
    learning_rate=1e-6,
    logging_steps=1,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
)
trainer = CPOTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    args=config,
    train_dataset=dataset,
    processing_class=AutoTokenizer.from_pretrained("model"),
)
trainer.train()
logged = trainer.state.log_history[0]["grad_norm"]
trainer.model.zero_grad()
batches = list(trainer.get_train_dataloader())
for batch in batches:
    (trainer.get_batch_loss_metrics(trainer.model, batch)[0] / len(batches)).backward()
found = torch.norm(torch.stack([each.grad.norm() for each in trainer.model.parameters()])).item()
print("the step's gradient is the batches' mean times", round(logged / found))
"""
HEADED = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import CPOConfig, CPOTrainer

tokenizer = AutoTokenizer.from_pretrained("model")


def apply_chat_template(example):
    prompt, chosen = example["chosen"][:-1], example["chosen"][-1:]
    rejected = example["rejected"][-1:]
    example["prompt"] = tokenizer.apply_chat_template(
        prompt, tokenize=False, add_generation_prompt=True
    )
    example["chosen"] = tokenizer.apply_chat_template(chosen, tokenize=False)
    example["rejected"] = tokenizer.apply_chat_template(rejected, tokenize=False)
    return example


dataset = load_dataset("json", data_files="pairs.jsonl", split="train").map(apply_chat_template)
training_args = CPOConfig(
    output_dir="simpo",
    loss_type="simpo",
    cpo_alpha=0.0,
    simpo_gamma=1.6,
    beta=2.0,
    max_length=512,
    max_prompt_length=400,
    per_device_train_batch_size=2,
    max_steps=1,
    learning_rate=1e-6,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = CPOTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    args=training_args,
    train_dataset=dataset,
    processing_class=tokenizer,
)
trainer.train()
first = tokenizer.decode(trainer.train_dataset[0]["chosen_input_ids"])
print("heads of the one answer:", first.count("<|im_start|>assistant"))
"""
CHOSEN = rows(
    *(
        {
            "chosen": [turn("user", asked), turn("assistant", answer)],
            "rejected": [turn("user", asked), turn("assistant", "No.")],
        }
        for asked, answer in PAIRS
    )
)
LATER = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import KTOConfig, KTOTrainer

train = load_dataset("json", data_files="labelled.jsonl", split="train")
test = load_dataset("json", data_files="test.jsonl", split="train")
training_args = KTOConfig(
    output_dir="kto-aligned",
    precompute_ref_log_probs=True,
    per_device_train_batch_size=4,
    per_device_eval_batch_size=4,
    max_steps=1,
    learning_rate=1e-4,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = KTOTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    args=training_args,
    train_dataset=train,
    processing_class=AutoTokenizer.from_pretrained("model"),
)
trainer.train()
print(trainer.evaluate(test))
"""
REPORTS = (
    Report(
        "huggingface/trl#2969",
        "grpo-first",
        "has no attribute 'unsqueeze'",
        "compute_metrics",
        {"train.py": METRICS, "pairs.jsonl": PREFERENCES},
        changed(METRICS, ("    compute_metrics=compute_metrics,\n", "")),
        level="",
    ),
    Report(
        "huggingface/trl#2645",
        "ppo-first",
        "the batches' mean times 4",
        "gradient_accumulation_steps",
        {"train.py": ACCUMULATED, "pairs.jsonl": PREFERENCES},
        changed(
            ACCUMULATED,
            ("per_device_train_batch_size=1", "per_device_train_batch_size=4"),
            ("gradient_accumulation_steps=4", "gradient_accumulation_steps=1"),
        ),
        level="",
    ),
    Report(
        "princeton-nlp/SimPO#8",
        "four",
        "heads of the one answer: 2",
        "(twice|two|again|repeat|second|begins? with|already).{0,120}(assistant|im_start|prompt)"
        "|(assistant|im_start|generation.prompt).{0,120}(twice|two|again|repeat|second|already)",
        {"train.py": HEADED, "pairs.jsonl": CHOSEN},
        changed(HEADED, (", add_generation_prompt=True", "")),
        level="",
    ),
    Report(
        "huggingface/trl#6443",
        "current",
        "Cannot compute reference log-probs for a dataset passed to",
        "precompute_ref_log_probs",
        {"train.py": LATER, "labelled.jsonl": LABELLED, "test.jsonl": LABELLED},
        changed(LATER, ("    precompute_ref_log_probs=True,\n", "")),
        level="",
    ),
)
