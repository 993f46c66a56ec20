"""Threads of a fifteenth list: models that see images, in SFT and DPO."""

from reports.report import COMPLETIONS, Report, changed

ONE_IMAGE = """\
from datasets import load_dataset
from transformers import AutoModelForImageTextToText, AutoProcessor
from trl import SFTConfig, SFTTrainer

dataset = load_dataset("parquet", data_files="rows.parquet", split="train")


def one_image(row):
    return {"image": row["images"][0], "messages": row["messages"]}


dataset = dataset.map(one_image, remove_columns=["images"])
training_args = SFTConfig(
    output_dir="llava-sft",
    max_length=None,
    per_device_train_batch_size=2,
    max_steps=1,
    learning_rate=2e-5,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = SFTTrainer(
    model=AutoModelForImageTextToText.from_pretrained("model"),
    args=training_args,
    train_dataset=dataset,
    processing_class=AutoProcessor.from_pretrained("model"),
)
trainer.train()
"""
TEXT_ONLY = """\
from datasets import load_dataset
from transformers import AutoModelForImageTextToText, AutoProcessor
from trl import SFTConfig, SFTTrainer

dataset = load_dataset("json", data_files="train.jsonl", split="train")
processor = AutoProcessor.from_pretrained("model")
model = AutoModelForImageTextToText.from_pretrained("model")
training_args = SFTConfig(
    output_dir="gemma3-texts",
    max_length=256,
    per_device_train_batch_size=2,
    max_steps=1,
    learning_rate=2e-5,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = SFTTrainer(
    model=model,
    args=training_args,
    train_dataset=dataset,
    processing_class=processor,
)
trainer.train()
"""
PICTURED = """\
from datasets import load_dataset
from transformers import AutoModelForImageTextToText, AutoProcessor
from trl import DPOConfig, DPOTrainer

processor = AutoProcessor.from_pretrained("model")


def multimodal(row):
    asked, chosen, rejected = (row[name][0]["content"] for name in ("prompt", "chosen", "rejected"))
    question = [{"type": "image", "text": None}, {"type": "text", "text": asked}]
    return {
        "prompt": [{"role": "user", "content": question}],
        "chosen": [{"role": "assistant", "content": [{"type": "text", "text": chosen}]}],
        "rejected": [{"role": "assistant", "content": [{"type": "text", "text": rejected}]}],
    }


dataset = load_dataset("parquet", data_files="rows.parquet", split="train")
dataset = dataset.map(multimodal)
training_args = DPOConfig(
    output_dir="dpo-rlaif-v",
    max_length=None,
    per_device_train_batch_size=2,
    max_steps=1,
    learning_rate=5e-6,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = DPOTrainer(
    model=AutoModelForImageTextToText.from_pretrained("model"),
    ref_model=AutoModelForImageTextToText.from_pretrained("model"),
    args=training_args,
    train_dataset=dataset,
    processing_class=processor,
)
trainer.train()
batch = next(iter(trainer.get_train_dataloader()))
print("the model gets the images:", "pixel_values" in batch)
"""
REPORTS = (
    Report(
        "huggingface/trl#5132",
        "vision-four",
        "KeyError: 'images'",
        "(column|key).{0,40}images?|`?images`?.{0,40}column",
        {"train.py": ONE_IMAGE},
        changed(
            ONE_IMAGE,
            (
                '    return {"image": row["images"][0], "messages"',
                '    return {"images": row["images"][:1], "messages"',
            ),
            (', remove_columns=["images"]', ""),
        ),
        sees="llava sft",
        level="",
    ),
    Report(
        "huggingface/trl#4553",
        "vision-four",
        "has no attribute 'eos_token'",
        r"processing_class|processor\.tokenizer",
        {"train.py": TEXT_ONLY, "train.jsonl": COMPLETIONS},
        changed(
            TEXT_ONLY,
            ("processing_class=processor,", "processing_class=processor.tokenizer,"),
        ),
        sees="gemma3",
        level="",
    ),
    Report(
        "huggingface/trl#2563",
        "vision-four",
        "the model gets the images: False",
        "remove_unused_columns|pixel_values",
        {"train.py": PICTURED},
        changed(
            PICTURED,
            ("    max_length=None,\n", "    max_length=None,\n    remove_unused_columns=False,\n"),
        ),
        sees="llava dpo",
        level="",
    ),
)
