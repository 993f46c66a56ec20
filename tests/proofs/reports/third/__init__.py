"""Threads that searches for symptoms found, rebuilt and landed before the doctor was asked: SFT."""

from dataclasses import replace

from reports.report import COMPLETIONS, TEXT, Report, changed, rows
from reports.third import arguments, groups, roles, teachers, texts

GONE_TOKENIZER = """\
import torch
from datasets import load_dataset
from peft import LoraConfig
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

model_id = "model"
tokenizer = AutoTokenizer.from_pretrained(model_id, padding_side="right")
model = AutoModelForCausalLM.from_pretrained(model_id, dtype=torch.float32)
train_dataset = load_dataset("json", data_files="rows.jsonl", split="train")

peft_config = LoraConfig(r=8, lora_alpha=16, lora_dropout=0.05, task_type="CAUSAL_LM")
sft_config = SFTConfig(
    output_dir="./fine-tuned",
    dataset_text_field="text",
    per_device_train_batch_size=2,
    max_steps=1,
    learning_rate=2e-4,
    report_to="none",
    save_strategy="no",
    bf16=False,
    use_cpu=True,
)
trainer = SFTTrainer(
    model=model,
    tokenizer=tokenizer,
    train_dataset=train_dataset,
    peft_config=peft_config,
    args=sft_config,
)
trainer.train()
"""
PREFIX = """\
from datasets import load_dataset
from peft import PrefixTuningConfig, TaskType, get_peft_model
from transformers import AutoModelForCausalLM
from trl import SFTConfig, SFTTrainer

train_dataset = load_dataset("json", data_files="rows.jsonl", split="train")
peft_config = PrefixTuningConfig(
    task_type=TaskType.CAUSAL_LM,
    num_virtual_tokens=16,
    prefix_projection=True,
    encoder_hidden_size=32,
)
model = AutoModelForCausalLM.from_pretrained("model")
model = get_peft_model(model, peft_config)
model.print_trainable_parameters()

training_args = SFTConfig(
    output_dir="peft_prefix",
    per_device_train_batch_size=2,
    max_steps=1,
    learning_rate=1e-3,
    report_to="none",
    save_strategy="no",
    bf16=False,
    use_cpu=True,
)
trainer = SFTTrainer(model=model, args=training_args, train_dataset=train_dataset)
trainer.train()
"""
FORMATTED = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

formatting_template = (
    "Instruction: Summarize the Following\\nPrompt: {prompt}\\nGeneration: {completion}"
)


def format_instruction(mapping):
    return formatting_template.format(**mapping)


dataset = load_dataset("json", data_files="rows.jsonl", split="train")
model = AutoModelForCausalLM.from_pretrained("model")
tokenizer = AutoTokenizer.from_pretrained("model")
args = SFTConfig(
    output_dir="adaptors",
    num_train_epochs=1,
    max_steps=1,
    per_device_train_batch_size=2,
    packing=False,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
)
trainer = SFTTrainer(
    model=model,
    train_dataset=dataset,
    processing_class=tokenizer,
    formatting_func=format_instruction,
    args=args,
)
trainer.train()
"""
FILTERED = """\
from datasets import load_dataset
from trl import SFTConfig, SFTTrainer


class Learner:
    def __init__(self, model_name):
        self.model_name = model_name

    def learn(self):
        dataset = load_dataset("json", data_files="episodes.jsonl", split="train")
        # only the episodes that the teacher has won
        dataset = dataset.filter(
            lambda episode: (
                episode["meta"]["model"] == "Meta-Llama-3.1-8B-Instruct"
                and episode["meta"]["outcome"] == "success"
            )
        )
        dataset = dataset.remove_columns("meta")
        config = SFTConfig(
            output_dir="models/sft",
            max_length=300,
            max_steps=2,
            per_device_train_batch_size=2,
            learning_rate=1e-4,
            report_to="none",
            save_strategy="no",
            bf16=False,
            use_cpu=True,
        )
        trainer = SFTTrainer(model=self.model_name, train_dataset=dataset, args=config)
        trainer.train()


Learner("model").learn()
"""
EPISODES = rows(
    *(
        {
            "meta": {"model": "Llama-3.1-70B-Instruct", "outcome": outcome},
            "messages": [
                {"role": "user", "content": "Guess my word."},
                {"role": "assistant", "content": word},
            ],
        }
        for word, outcome in zip(
            ("Apple", "River", "Stone", "Cloud"), ("success",) * 4, strict=True
        )
    )
)
THREADS = (
    Report(
        "huggingface/huggingface-llama-recipes#88",
        "current",
        "unexpected keyword argument 'tokenizer'",
        "processing_class",
        {"train.py": GONE_TOKENIZER, "rows.jsonl": TEXT},
        changed(GONE_TOKENIZER, ("    tokenizer=tokenizer,", "    processing_class=tokenizer,")),
    ),
    Report(
        "huggingface/trl#4168",
        "current",
        "must match the size of tensor b",
        "gradient_checkpointing",
        {"train.py": PREFIX, "rows.jsonl": TEXT},
        changed(
            PREFIX, ("    max_steps=1,", "    max_steps=1,\n    gradient_checkpointing=False,")
        ),
    ),
    Report(
        "transformerlab/transformerlab-app#541",
        "grpo-shapes",
        "formatting function was provided while `completion_only_loss=True`",
        "completion_only_loss|formatting_func",
        {"train.py": FORMATTED, "rows.jsonl": COMPLETIONS},
        changed(
            FORMATTED, ("    packing=False,", "    completion_only_loss=False,\n    packing=False,")
        ),
    ),
    Report(
        "lm-playpen/playpen#24",
        "current",
        "StopIteration",
        "no rows?|empty|all rows|nothing (is )?left",
        {"train.py": FILTERED, "episodes.jsonl": EPISODES},
        changed(
            FILTERED,
            (
                'episode["meta"]["model"] == "Meta-Llama-3.1-8B-Instruct"\n                and ',
                "",
            ),
        ),
        level="",
    ),
)
REPORTS = tuple(
    replace(report, group="third")
    for report in (
        *THREADS,
        *texts.REPORTS,
        *groups.REPORTS,
        *roles.REPORTS,
        *arguments.REPORTS,
        *teachers.REPORTS,
    )
)
