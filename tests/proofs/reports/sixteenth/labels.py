"""Threads of a sixteenth list: which tokens SFT learns, and what is saved."""

from reports.report import CHATS, Report, changed

PREPROCESSED = '''\
"""Preprocess once, train from the cache."""
from datasets import load_dataset, load_from_disk
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

BASE = "model"
MAX_LENGTH = 128


def preprocess(path):
    tokenizer = AutoTokenizer.from_pretrained(BASE)

    def tokenize(example):
        text = tokenizer.apply_chat_template(example["messages"], tokenize=False)
        encoded = tokenizer(text, truncation=True, max_length=MAX_LENGTH)
        return {"input_ids": encoded["input_ids"], "attention_mask": encoded["attention_mask"]}

    raw = load_dataset("json", data_files="chats.jsonl", split="train")
    raw.map(tokenize, remove_columns=raw.column_names).save_to_disk(path)


def main():
    preprocess("cache")
    trainer = SFTTrainer(
        model=AutoModelForCausalLM.from_pretrained(BASE),
        args=SFTConfig(
            output_dir="out",
            per_device_train_batch_size=2,
            max_length=MAX_LENGTH,
            max_steps=1,
            learning_rate=2e-4,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
        train_dataset=load_from_disk("cache"),
        processing_class=AutoTokenizer.from_pretrained(BASE),
    )
    trainer.train()
    batch = next(iter(trainer.get_train_dataloader()))
    print("tokens of the question in the loss:", int((batch["labels"][:, :8] != -100).sum()))


if __name__ == "__main__":
    main()
'''
MASKED = """\
        text = tokenizer.apply_chat_template(example["messages"], tokenize=False)
        asked = tokenizer.apply_chat_template(
            example["messages"][:-1], tokenize=False, add_generation_prompt=True
        )
        encoded = tokenizer(text, truncation=True, max_length=MAX_LENGTH)
        ids = encoded["input_ids"]
        known = len(tokenizer(asked)["input_ids"])
        return {
            "input_ids": ids,
            "attention_mask": encoded["attention_mask"],
            "labels": [-100] * known + ids[known:],
        }
"""
QUESTIONS = """\
import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DataCollatorForCompletionOnlyLM, SFTConfig, SFTTrainer

model = AutoModelForCausalLM.from_pretrained("model", torch_dtype=torch.float32)
tokenizer = AutoTokenizer.from_pretrained("model")
dataset = load_dataset("json", data_files="chats.jsonl")["train"]

# only the answers of the assistant are to be learnt
config = SFTConfig(
    output_dir="assistant-sft",
    max_seq_length=512,
    per_device_train_batch_size=2,
    gradient_accumulation_steps=1,
    max_steps=1,
    learning_rate=1e-5,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
)
trainer = SFTTrainer(
    model=model,
    args=config,
    train_dataset=dataset,
    processing_class=tokenizer,
)
trainer.train()
batch = next(iter(trainer.get_train_dataloader()))
print("tokens of the question in the loss:", int((batch["labels"][:, :8] != -100).sum()))
"""
UNSAVED = """\
from pathlib import Path

from datasets import load_dataset
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

TEMPLATE = (
    "{% for m in messages %}{{ '<|im_start|>' + m.role + ': ' + m.content + eos_token }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant: ' }}{% endif %}"
)

# Load model and tokenizer
tokenizer = AutoTokenizer.from_pretrained("model")
model = AutoModelForCausalLM.from_pretrained("model")
lora = LoraConfig(r=8, target_modules=["q_proj", "v_proj"], task_type="CAUSAL_LM")
model = get_peft_model(model, lora)

# Set up the chat template and prepare the dataset
tokenizer.chat_template = TEMPLATE
dataset = load_dataset("json", data_files="chats.jsonl", split="train")
dataset = dataset.map(
    lambda chats: {
        "text": [tokenizer.apply_chat_template(one, tokenize=False) for one in chats["messages"]]
    },
    batched=True,
    remove_columns=dataset.column_names,
)

trainer = SFTTrainer(
    model=model,
    train_dataset=dataset,
    args=SFTConfig(
        dataset_text_field="text",
        output_dir="outputs",
        per_device_train_batch_size=2,
        gradient_accumulation_steps=1,
        max_steps=1,
        learning_rate=2e-4,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()

# Save the fine-tuned model
model.save_pretrained("finetuned_model")
print("saved with its chat template:", any(Path("finetuned_model").glob("chat_template*")))
"""
COLLATED = (
    "    processing_class=tokenizer,\n)\ntrainer.train()",
    "    processing_class=tokenizer,\n"
    "    data_collator=DataCollatorForCompletionOnlyLM(\n"
    '        response_template="<|im_start|>assistant\\n", tokenizer=tokenizer\n'
    "    ),\n)\ntrainer.train()",
)
REPORTS = (
    Report(
        "MakazhanAlpamys/Soup#1054",
        "current",
        "tokens of the question in the loss: [1-9]",
        "labels|completion_mask|assistant_masks|loss.{0,60}(prompt|question|user)",
        {"train.py": PREPROCESSED, "chats.jsonl": CHATS},
        changed(
            PREPROCESSED,
            (
                PREPROCESSED[
                    PREPROCESSED.index("        text = ") : PREPROCESSED.index("    raw = ") - 1
                ],
                MASKED,
            ),
        ),
        level="",
    ),
    Report(
        "huggingface/trl#3279",
        "grpo-first",
        "tokens of the question in the loss: [1-9]",
        "completion.?only|assistant_only_loss|loss.{0,60}(prompt|question|user)"
        "|(prompt|question|user).{0,60}(loss|learn|train)",
        {"train.py": QUESTIONS, "chats.jsonl": CHATS},
        changed(QUESTIONS, COLLATED),
        level="",
    ),
    Report(
        "Shubhamsaboo/awesome-llm-apps#1027",
        "current",
        "saved with its chat template: False",
        "tokenizer.{0,60}(sav|folder)|sav.{0,60}(tokenizer|template)",
        {"train.py": UNSAVED, "chats.jsonl": CHATS},
        changed(
            UNSAVED,
            (
                'model.save_pretrained("finetuned_model")\n',
                'model.save_pretrained("finetuned_model")\n'
                'tokenizer.save_pretrained("finetuned_model")\n',
            ),
        ),
    ),
)
