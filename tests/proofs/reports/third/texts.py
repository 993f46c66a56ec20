"""Threads that searches for symptoms found: SFT, what it makes of texts and images."""

from reports.report import CHATS, TEXT, Report, changed

BOTH = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, TrainingArguments
from trl import DataCollatorForCompletionOnlyLM, SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
model = AutoModelForCausalLM.from_pretrained("model")
train_dataset = load_dataset("json", data_files="rows.jsonl", split="train")

response_template = "ANSWER:"
collator = DataCollatorForCompletionOnlyLM(response_template, tokenizer=tokenizer)
training_args = SFTConfig(
    output_dir="zephyr-7b-sft",
    do_eval=False,
    gradient_accumulation_steps=2,
    learning_rate=2e-05,
    logging_steps=1,
    lr_scheduler_type="cosine",
    max_steps=1,
    per_device_train_batch_size=2,
    max_seq_length=64,
    dataset_text_field="text",
    packing=True,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
)
trainer = SFTTrainer(
    model=model,
    args=training_args,
    train_dataset=train_dataset,
    tokenizer=tokenizer,
    data_collator=collator,
)
trainer.train()
"""
NEVER_STOPS = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

dataset = load_dataset("json", data_files="rows.jsonl", split="train")
tokenizer = AutoTokenizer.from_pretrained("model")
tokenizer.pad_token = tokenizer.eos_token
model = AutoModelForCausalLM.from_pretrained("model")

training_args = SFTConfig(
    output_dir="OpenR1-Qwen-7B-SFT",
    learning_rate=5e-5,
    max_seq_length=128,
    packing=False,
    max_steps=1,
    per_device_train_batch_size=2,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
)
trainer = SFTTrainer(
    model=model, args=training_args, train_dataset=dataset, processing_class=tokenizer
)
trainer.train()
labels = [row["labels"] for row in trainer.get_train_dataloader()]
print("trained ends:", sum((one == tokenizer.eos_token_id).sum().item() for one in labels))
"""
NAMED = """\
from datasets import load_dataset
from transformers import AutoModelForImageTextToText, AutoProcessor
from trl import SFTConfig, SFTTrainer

model = AutoModelForImageTextToText.from_pretrained("model")
processor = AutoProcessor.from_pretrained("model")
rows = load_dataset("parquet", data_files="rows.parquet", split="train")


def with_images(row):
    return {"messages": row["messages"], "imgs": row["images"]}


dataset = rows.map(with_images, remove_columns=["images"])
training_args = SFTConfig(
    output_dir="vlm-sft",
    max_length=None,
    max_steps=1,
    per_device_train_batch_size=2,
    report_to="none",
    save_strategy="no",
    bf16=False,
    use_cpu=True,
)
trainer = SFTTrainer(
    model=model,
    args=training_args,
    train_dataset=dataset,
    processing_class=processor,
)
batches = list(trainer.get_train_dataloader())
print("batches with images:", sum("pixel_values" in batch for batch in batches))
trainer.train()
"""
ANSWERS = (
    TEXT.replace("? ", "? ANSWER: ").replace("e. ", "e. ANSWER: ").replace("a. ", "a. ANSWER: ")
)
REPORTS = (
    Report(
        "NielsRogge/Transformers-Tutorials#381",
        "ppo-first",
        "not compatible with the `packing` argument|not compatible with the packing",
        "packing",
        {"train.py": BOTH, "rows.jsonl": ANSWERS},
        changed(BOTH, ("    packing=True,\n", "    packing=False,\n")),
    ),
    Report(
        "huggingface/open-r1#492",
        "grpo-first",
        "trained ends: 0",
        "pad.*eos|eos.*pad|never.*(stop|end)",
        {"train.py": NEVER_STOPS, "rows.jsonl": CHATS},
        changed(NEVER_STOPS, ("tokenizer.pad_token = tokenizer.eos_token\n", "")),
    ),
    Report(
        "huggingface/trl#4874",
        "vision",
        "batches with images: 0",
        "imgs|images",
        {"train.py": NAMED},
        changed(
            NAMED,
            ('"imgs": row["images"]}', '"images": row["images"]}'),
            ('rows.map(with_images, remove_columns=["images"])', "rows.map(with_images)"),
        ),
        sees="gemma3 sft",
    ),
)
