"""Threads of a twenty-second list: arguments that a library or the machine refuses."""

from reports.report import TEXT, Report, changed

PATTERNS = """\
from datasets import load_dataset
from peft import LoraConfig, TaskType
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

model = AutoModelForCausalLM.from_pretrained("model")
tokenizer = AutoTokenizer.from_pretrained("model")
# an adapter of the attention of the second layer alone
lora = LoraConfig(
    task_type=TaskType.CAUSAL_LM,
    r=4,
    lora_alpha=8,
    target_modules=[r".*\\.1\\..*q_proj"],
)
trainer = SFTTrainer(
    model=model,
    processing_class=tokenizer,
    train_dataset=load_dataset("json", data_files="texts.jsonl", split="train"),
    peft_config=lora,
    args=SFTConfig(
        output_dir="second-layer",
        max_steps=2,
        per_device_train_batch_size=2,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
"""
NOTHING_TO_EVALUATE = """\
import json

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

reviews = load_dataset("json", data_files={"train": "texts.jsonl"})
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    processing_class=AutoTokenizer.from_pretrained("model"),
    train_dataset=reviews["train"],
    eval_dataset=reviews.get("validation"),
    args=SFTConfig(
        output_dir="aspects",
        max_steps=2,
        per_device_train_batch_size=2,
        per_device_eval_batch_size=2,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
with open("metrics.json", "w") as file:
    json.dump(trainer.evaluate(), file)
"""
OF_NEWER_CARDS = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

args = SFTConfig(
    output_dir="llama-dolly",
    num_train_epochs=1,
    per_device_train_batch_size=2,
    gradient_accumulation_steps=2,
    gradient_checkpointing=True,
    optim="adamw_torch",
    logging_steps=1,
    save_strategy="epoch",
    learning_rate=2e-4,
    bf16=True,
    max_grad_norm=0.3,
    warmup_ratio=0.03,
    lr_scheduler_type="constant",
    report_to="none",
)
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    processing_class=AutoTokenizer.from_pretrained("model"),
    args=args,
    train_dataset=load_dataset("json", data_files="texts.jsonl", split="train"),
)
trainer.train()
"""
REPORTS = (
    Report(
        "huggingface/peft#1206",
        "current",
        "not found in the base model",
        r"has no module|target.modules",
        {"train.py": PATTERNS, "texts.jsonl": TEXT},
        changed(
            PATTERNS,
            ('target_modules=[r".*\\.1\\..*q_proj"]', 'target_modules=r".*\\.1\\..*q_proj"'),
        ),
        level="files",
    ),
    Report(
        "kevinscaria/InstructABSA#22",
        "four",
        "evaluation requires an eval_dataset",
        "eval_dataset",
        {"train.py": NOTHING_TO_EVALUATE, "texts.jsonl": TEXT},
        changed(
            NOTHING_TO_EVALUATE,
            (
                'data_files={"train": "texts.jsonl"})\n',
                'data_files={"train": "texts.jsonl"})\n'
                'split = reviews["train"].train_test_split(test_size=1, seed=0)\n'
                'reviews = {"train": split["train"], "validation": split["test"]}\n',
            ),
        ),
        level="",
    ),
    Report(
        "tatsu-lab/stanford_alpaca#133",
        "four",
        "Your setup doesn't support bf16",
        "bf16",
        {"train.py": OF_NEWER_CARDS, "texts.jsonl": TEXT},
        changed(OF_NEWER_CARDS, ("    bf16=True,\n", "    bf16=False,\n")),
        level="",
    ),
)
