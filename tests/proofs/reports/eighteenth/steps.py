"""Threads of an eighteenth list: steps, their loss, and the checkpoint that is kept."""

from reports.report import PREFERENCES, PROMPTS, TEXT, Report, changed

BEST = """\
from datasets import load_dataset
from trl import SFTConfig, SFTTrainer

texts = load_dataset("json", data_files="texts.jsonl", split="train")
parts = texts.train_test_split(test_size=0.5, seed=3)
args = SFTConfig(
    output_dir="sft-best",
    max_steps=8,
    per_device_train_batch_size=2,
    learning_rate=5e-2,
    lr_scheduler_type="constant",
    eval_strategy="steps",
    eval_steps=2,
    save_strategy="best",
    load_best_model_at_end=True,
    metric_for_best_model="eval_loss",
    report_to="none",
    use_cpu=True,
    bf16=False,
)
trainer = SFTTrainer(
    model="model", args=args, train_dataset=parts["train"], eval_dataset=parts["test"]
)
trainer.train()
losses = [entry["eval_loss"] for entry in trainer.state.log_history if "eval_loss" in entry]
kept = trainer.evaluate()["eval_loss"]
print("the best of", [round(loss, 2) for loss in losses], "is loaded:", kept <= min(losses) + 0.01)
"""
UNEVALUATED = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

texts = load_dataset("json", data_files="texts.jsonl", split="train")
parts = texts.train_test_split(test_size=0.5, seed=3407)
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    processing_class=AutoTokenizer.from_pretrained("model"),
    train_dataset=parts["train"],
    eval_dataset=parts["test"],
    args=SFTConfig(
        output_dir="outputs",
        per_device_train_batch_size=2,
        per_device_eval_batch_size=2,
        max_steps=4,
        eval_steps=2,
        logging_steps=1,
        learning_rate=2e-4,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
print("evaluations:", sum("eval_loss" in entry for entry in trainer.state.log_history))
"""
LEFTOVER = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, DataCollatorForSeq2Seq
from trl import SFTConfig, SFTTrainer

model = AutoModelForCausalLM.from_pretrained("model")
tokenizer = AutoTokenizer.from_pretrained("model")
dataset = load_dataset("json", data_files="texts.jsonl", split="train")

trainer = SFTTrainer(
    model=model,
    processing_class=tokenizer,
    train_dataset=dataset,
    data_collator=DataCollatorForSeq2Seq(tokenizer=tokenizer),
    args=SFTConfig(
        dataset_text_field="text",
        max_seq_length=256,
        per_device_train_batch_size=2,
        max_steps=2,
        learning_rate=2e-4,
        logging_steps=1,
        output_dir="outputs",
        report_to="none",
        save_strategy="no",
        use_cpu=True,
    ),
)
# train_on_responses_only(trainer) stood here: the loss is now to be on all tokens
trainer.train()
"""
SPEED = """\
from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer

dataset = load_dataset("json", data_files="tldr.jsonl", split="train")


def reward_len(completions, **kwargs):
    return [-abs(20 - len(completion)) for completion in completions]


training_args = GRPOConfig(
    output_dir="Qwen2-0.5B-GRPO",
    logging_steps=10,
    per_device_train_batch_size=4,
    num_generations=4,
    max_completion_length=16,
    max_steps=1,
    include_tokens_per_second=True,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
)
trainer = GRPOTrainer(
    model="model",
    reward_funcs=reward_len,
    args=training_args,
    train_dataset=dataset,
)
trainer.train()
"""
HALF = """\
import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer

model_name = "model"


def preprocess_data(item):
    return {
        "prompt": "Instruct: " + item["prompt"] + "\\n",
        "chosen": "Output:" + item["chosen"],
        "rejected": "Output:" + item["rejected"],
    }


dataset = load_dataset("json", data_files="truthy.jsonl", split="train").map(preprocess_data)
split_dataset = dataset.train_test_split(test_size=0.5, seed=1)

tokenizer = AutoTokenizer.from_pretrained(model_name)
model = AutoModelForCausalLM.from_pretrained(model_name, torch_dtype=torch.float16)
model_ref = AutoModelForCausalLM.from_pretrained(model_name, torch_dtype=torch.float16)

trainer = DPOTrainer(
    model=model,
    ref_model=model_ref,
    args=DPOConfig(
        output_dir="dpo_output",
        beta=0.1,
        per_device_train_batch_size=2,
        per_device_eval_batch_size=2,
        max_steps=2,
        logging_steps=1,
        eval_strategy="steps",
        eval_steps=1,
        learning_rate=1e-5,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
    ),
    train_dataset=split_dataset["train"],
    eval_dataset=split_dataset["test"],
    processing_class=tokenizer,
)
trainer.train()
print(trainer.evaluate()["eval_loss"])
"""
REPORTS = (
    Report(
        "unslothai/unsloth#1102",
        "ppo-first",
        "did not return a loss from the inputs",
        "DataCollatorForSeq2Seq|data_collator|labels",
        {"train.py": LEFTOVER, "texts.jsonl": TEXT},
        changed(
            LEFTOVER,
            ("AutoTokenizer, DataCollatorForSeq2Seq\n", "AutoTokenizer\n"),
            ("    data_collator=DataCollatorForSeq2Seq(tokenizer=tokenizer),\n", ""),
        ),
        level="",
    ),
    Report(
        "huggingface/transformers#40221",
        "four",
        "is loaded: False",
        "save_strategy|load_best_model_at_end",
        {"train.py": BEST, "texts.jsonl": TEXT},
        changed(
            BEST, ('    save_strategy="best",\n', '    save_strategy="steps",\n    save_steps=2,\n')
        ),
    ),
    Report(
        "unslothai/unsloth#3177",
        "current",
        "evaluations: 0",
        "eval_strategy|eval_steps",
        {"train.py": UNEVALUATED, "texts.jsonl": TEXT},
        changed(
            UNEVALUATED,
            ("        eval_steps=2,\n", '        eval_strategy="steps",\n        eval_steps=2,\n'),
        ),
        level="",
    ),
    Report(
        "huggingface/trl#3081",
        "grpo-first",
        "list indices must be integers",
        "include_tokens_per_second",
        {"train.py": SPEED, "tldr.jsonl": PROMPTS},
        changed(SPEED, ("    include_tokens_per_second=True,\n", "")),
    ),
    Report(
        "huggingface/trl#1789",
        "ppo-first",
        "'eval_loss': nan",
        "float16|fp16|half",
        {"train.py": HALF, "truthy.jsonl": PREFERENCES},
        changed(HALF, ("torch.float16", "torch.float32")),
    ),
)
