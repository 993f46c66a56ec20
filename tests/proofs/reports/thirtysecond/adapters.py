"""Threads of a thirty-second list: adapters."""

from reports.report import COMPLETIONS, PAIRS, TEXT, Report, changed, rows

GRADED = rows(
    *(
        {"text": f"{asked} {said}", "label": number % 2}
        for number, (asked, said) in enumerate(PAIRS)
    )
)
PREPARED = """\
import torch
from datasets import load_dataset
from peft import LoraConfig, PeftModel, get_peft_model, prepare_model_for_kbit_training
from transformers import AutoModelForCausalLM, AutoTokenizer, set_seed
from trl import SFTConfig, SFTTrainer

set_seed(1)
base_model_id = "model"
adapter_path = "first-round"

# The adapter of the first round.
first = get_peft_model(
    AutoModelForCausalLM.from_pretrained(base_model_id),
    LoraConfig(r=8, lora_alpha=16, target_modules=["q_proj", "v_proj"], task_type="CAUSAL_LM"),
)
first.save_pretrained(adapter_path)
del first

# The second round goes on with it.
model = AutoModelForCausalLM.from_pretrained(base_model_id)
model = PeftModel.from_pretrained(model, adapter_path, is_trainable=True)
model.gradient_checkpointing_enable()
model = prepare_model_for_kbit_training(model)

tokenizer = AutoTokenizer.from_pretrained(base_model_id)
data = load_dataset("json", data_files="texts.jsonl", split="train")

trainer = SFTTrainer(
    model=model,
    processing_class=tokenizer,
    train_dataset=data,
    args=SFTConfig(
        output_dir="second-round",
        max_steps=2,
        learning_rate=1e-2,
        lr_scheduler_type="constant",
        per_device_train_batch_size=2,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
before = {name: value.clone() for name, value in model.named_parameters() if "lora_" in name}
trainer.train()
moved = sum(not torch.equal(value, before[name]) for name, value in model.named_parameters()
            if name in before)
print(f"weights of the adapter that moved: {moved}")
"""
FROZEN = '''\
"""Goes on with the weights of an earlier LoRA fine-tuning."""

import argparse

import transformers
from datasets import load_dataset
from peft import LoraConfig, PeftModel, get_peft_model
from transformers import AutoModelForCausalLM, AutoTokenizer


def generate_prompt(data_point, with_answer=True):
    text = f"### Instruction:\\n{data_point['prompt']}\\n\\n### Response:\\n"
    return text + data_point["completion"].strip() if with_answer else text


def train(base_model, data_path, lora_weights, output_dir, cutoff_len=128):
    tokenizer = AutoTokenizer.from_pretrained(base_model)
    model = AutoModelForCausalLM.from_pretrained(base_model)
    model = PeftModel.from_pretrained(model, lora_weights)
    model.print_trainable_parameters()

    def generate_and_tokenize_prompt(data_point):
        result = tokenizer(
            generate_prompt(data_point) + tokenizer.eos_token,
            truncation=True,
            max_length=cutoff_len,
        )
        result["labels"] = result["input_ids"].copy()
        return result

    data = load_dataset("json", data_files=data_path, split="train")
    trainer = transformers.Trainer(
        model=model,
        train_dataset=data.map(generate_and_tokenize_prompt, remove_columns=data.column_names),
        args=transformers.TrainingArguments(
            output_dir=output_dir,
            per_device_train_batch_size=2,
            gradient_accumulation_steps=2,
            max_steps=1,
            learning_rate=3e-4,
            logging_steps=1,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
        ),
        data_collator=transformers.DataCollatorForSeq2Seq(
            tokenizer, pad_to_multiple_of=8, return_tensors="pt", padding=True
        ),
    )
    model.config.use_cache = False
    trainer.train()
    model.save_pretrained(output_dir)


def earlier(base_model, lora_weights):
    config = LoraConfig(r=4, target_modules=["q_proj", "v_proj"], task_type="CAUSAL_LM")
    model = AutoModelForCausalLM.from_pretrained(base_model)
    get_peft_model(model, config).save_pretrained(lora_weights)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base_model", default="model")
    parser.add_argument("--data_path", default="alpaca.jsonl")
    parser.add_argument("--lora_weights", default="lora-alpaca")
    parser.add_argument("--output_dir", default="lora-alpaca-2")
    given = parser.parse_args()
    transformers.set_seed(0)
    earlier(given.base_model, given.lora_weights)
    train(given.base_model, given.data_path, given.lora_weights, given.output_dir)
'''
HALF = """\
import torch
from datasets import load_dataset
from peft import LoraConfig, TaskType, get_peft_model
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    DataCollatorWithPadding,
    Trainer,
    TrainingArguments,
    set_seed,
)


class Classifier:
    def __init__(self, path, labels):
        self.tokenizer = AutoTokenizer.from_pretrained(path)
        base = AutoModelForSequenceClassification.from_pretrained(
            path, num_labels=labels, torch_dtype=torch.float16
        )
        base.config.pad_token_id = self.tokenizer.pad_token_id
        peft_config = LoraConfig(
            task_type=TaskType.SEQ_CLS,
            inference_mode=False,
            r=8,
            lora_alpha=32,
            lora_dropout=0.1,
            target_modules=["q_proj", "v_proj"],
        )
        self.model = get_peft_model(base, peft_config)

    def read(self, file):
        data = load_dataset("json", data_files=file, split="train")
        return data.map(
            lambda batch: self.tokenizer(batch["text"], truncation=True, max_length=64),
            batched=True,
            remove_columns=["text"],
        )

    def fit(self, file):
        arguments = TrainingArguments(
            output_dir="classifier",
            learning_rate=1e-4,
            per_device_train_batch_size=2,
            max_steps=4,
            logging_steps=1,
            lr_scheduler_type="constant",
            report_to="none",
            save_strategy="no",
            use_cpu=True,
        )
        trainer = Trainer(
            model=self.model,
            args=arguments,
            train_dataset=self.read(file),
            data_collator=DataCollatorWithPadding(self.tokenizer),
        )
        trainer.train()
        return trainer


set_seed(3)
classifier = Classifier("model", labels=2)
classifier.fit("graded.jsonl")
broken = [
    name
    for name, weight in classifier.model.named_parameters()
    if weight.requires_grad and not torch.isfinite(weight).all()
]
print("weights that are no numbers any more:", len(broken) > 0)
"""
REPORTS = (
    Report(
        "huggingface/transformers#26098",
        "current",
        "weights of the adapter that moved: 0|empty parameter list|does not require grad",
        r"prepare_model_for_kbit_training|frozen|freez|requires_grad|trainable|nothing (is )?train"
        r"|does not (train|learn)|no (parameter|weight).{0,40}train",
        {"train.py": PREPARED, "texts.jsonl": TEXT},
        changed(
            PREPARED,
            (
                "model = PeftModel.from_pretrained(model, adapter_path, is_trainable=True)\n"
                "model.gradient_checkpointing_enable()\n"
                "model = prepare_model_for_kbit_training(model)\n",
                "model = prepare_model_for_kbit_training(model)\n"
                "model = PeftModel.from_pretrained(model, adapter_path, is_trainable=True)\n",
            ),
        ),
    ),
    Report(
        "tloen/alpaca-lora#352",
        "grpo-shapes",
        "does not require grad|empty parameter list",
        r"is_trainable|frozen|freez|requires?_grad|trainable|inference.mode"
        r"|no (parameter|weight).{0,40}train",
        {"train.py": FROZEN, "alpaca.jsonl": COMPLETIONS},
        changed(
            FROZEN,
            (
                "PeftModel.from_pretrained(model, lora_weights)",
                "PeftModel.from_pretrained(model, lora_weights, is_trainable=True)",
            ),
        ),
    ),
    Report(
        "huggingface/peft#1522",
        "grpo-shapes",
        "weights that are no numbers any more: True",
        r"float16|fp16|half.precision|\bnan\b|not a number|float32|no numbers?",
        {"train.py": HALF, "graded.jsonl": GRADED},
        changed(HALF, ("torch_dtype=torch.float16", "torch_dtype=torch.float32")),
    ),
)
