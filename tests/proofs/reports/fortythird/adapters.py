"""Threads of a forty-third list: an adapter, and what goes with it."""

from reports.report import PROMPTS, Report, changed

TWICE = '''\
"""Fine-tuning of a model that sees images, with LoRA, as in the notebook."""

from datasets import load_dataset
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForImageTextToText, AutoProcessor
from trl import SFTConfig, SFTTrainer

model_id = "model"
model = AutoModelForImageTextToText.from_pretrained(model_id)
processor = AutoProcessor.from_pretrained(model_id)

peft_config = LoraConfig(
    lora_alpha=16,
    lora_dropout=0.05,
    r=8,
    bias="none",
    target_modules=["q_proj", "v_proj"],
    task_type="CAUSAL_LM",
)
peft_model = get_peft_model(model, peft_config)
peft_model.print_trainable_parameters()

training_args = SFTConfig(
    output_dir="qwen-vl-chartqa",
    num_train_epochs=1,
    max_steps=1,
    per_device_train_batch_size=2,
    gradient_accumulation_steps=1,
    gradient_checkpointing=False,
    learning_rate=2e-4,
    max_length=None,
    logging_steps=1,
    save_strategy="no",
    report_to="none",
    use_cpu=True,
    bf16=False,
)
trainer = SFTTrainer(
    model=model,
    args=training_args,
    train_dataset=load_dataset("parquet", data_files="rows.parquet", split="train"),
    peft_config=peft_config,
    processing_class=processor,
)
trainer.train()
trainer.save_model(training_args.output_dir)
'''
SYNCED = '''\
"""GRPO with LoRA; the reference follows the policy."""

from datasets import load_dataset
from peft import LoraConfig
from trl import GRPOConfig, GRPOTrainer

dataset = load_dataset("json", data_files="questions.jsonl", split="train")


def reward_unique(completions, **kwargs):
    """More different characters are better."""
    return [len(set(completion)) / 10 for completion in completions]


training_args = GRPOConfig(
    output_dir="grpo-sync",
    beta=0.04,
    sync_ref_model=True,
    ref_model_sync_steps=64,
    ref_model_mixup_alpha=0.6,
    per_device_train_batch_size=4,
    num_generations=4,
    max_completion_length=16,
    learning_rate=1e-5,
    max_steps=1,
    logging_steps=1,
    save_strategy="no",
    report_to="none",
    use_cpu=True,
    bf16=False,
)
peft_config = LoraConfig(
    r=16,
    lora_alpha=32,
    lora_dropout=0.05,
    target_modules=["q_proj", "k_proj", "v_proj", "o_proj"],
    task_type="CAUSAL_LM",
)
trainer = GRPOTrainer(
    model="model",
    reward_funcs=reward_unique,
    args=training_args,
    train_dataset=dataset,
    peft_config=peft_config,
)
trainer.train()
'''
REPORTS = (
    Report(
        "huggingface/cookbook#338",
        "vision",
        "modify a model with PEFT for a second time",
        r"get_peft_model|(peft_config|adapter).*(twice|already|second)|"
        r"(twice|already|second).*(peft_config|adapter)",
        {"train.py": TWICE},
        changed(
            TWICE,
            ("from peft import LoraConfig, get_peft_model\n", "from peft import LoraConfig\n"),
            ("peft_model = get_peft_model(model, peft_config)\n"
             "peft_model.print_trainable_parameters()\n", ""),
        ),
        sees="llava sft",
    ),
    Report(
        "huggingface/trl#3108",
        "current",
        "sync_ref_model|NoneType",
        r"sync_ref_model",
        {"train.py": SYNCED, "questions.jsonl": PROMPTS},
        changed(
            SYNCED,
            ("    sync_ref_model=True,\n    ref_model_sync_steps=64,\n"
             "    ref_model_mixup_alpha=0.6,\n", ""),
        ),
    ),
)  # fmt: skip
