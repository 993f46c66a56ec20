"""Threads of a forty-first list: what a collator for images is given, and what it labels."""

from reports.report import Report, changed

LABELS = '''\
"""SFT of a model that sees images, with a collator of one's own."""

from datasets import load_dataset
from transformers import AutoModelForImageTextToText, AutoProcessor
from trl import SFTConfig, SFTTrainer

processor = AutoProcessor.from_pretrained("model")
image_token_id = processor.tokenizer.convert_tokens_to_ids("<image>")


def pictured(messages):
    question, *rest = messages
    parts = [{"type": "image"}, {"type": "text", "text": question["content"]}]
    return [{"role": "user", "content": parts}, *rest]


def collate_fn(examples):
    chats = [pictured(row["messages"]) for row in examples]
    texts = [processor.apply_chat_template(chat, tokenize=False) for chat in chats]
    images = [row["images"][0] for row in examples]
    batch = processor(text=texts, images=images, return_tensors="pt", padding=True)
    labels = batch["input_ids"].clone()
    labels[labels == processor.tokenizer.pad_token_id] = -100
    labels[labels == image_token_id] = -100
    batch["labels"] = labels
    return batch


dataset = load_dataset("parquet", data_files="rows.parquet", split="train")
trainer = SFTTrainer(
    model=AutoModelForImageTextToText.from_pretrained("model"),
    args=SFTConfig(
        output_dir="vlm-sft",
        per_device_train_batch_size=2,
        learning_rate=1e-5,
        max_length=None,
        remove_unused_columns=False,
        dataset_kwargs={"skip_prepare_dataset": True},
        max_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    data_collator=collate_fn,
    train_dataset=dataset,
    processing_class=processor,
)
trainer.train()
labels = collate_fn([dataset[0]])["labels"][0]
learnt = processor.tokenizer.decode(labels[labels != -100])
print("the question is learnt, too:", "What is this?" in learnt)
'''
CLONED = """\
    labels = batch["input_ids"].clone()
"""
FROM_THE_ANSWER = """\
    labels = batch["input_ids"].clone()
    for row, chat, image in zip(labels, chats, images):
        asked = processor.apply_chat_template(
            chat[:-1], tokenize=False, add_generation_prompt=True
        )
        row[: processor(text=asked, images=image, return_tensors="pt")["input_ids"].shape[1]] = -100
"""
TOKENIZED = (
    LABELS[: LABELS.index("    labels[labels == image_token_id]")]
    + """\
    batch["labels"] = labels
    return batch


trainer = SFTTrainer(
    model=AutoModelForImageTextToText.from_pretrained("model"),
    args=SFTConfig(
        output_dir="vlm-sft",
        per_device_train_batch_size=2,
        learning_rate=1e-5,
        max_length=None,
        remove_unused_columns=False,
        max_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    data_collator=collate_fn,
    train_dataset=load_dataset("parquet", data_files="rows.parquet", split="train"),
    processing_class=processor.tokenizer,
)
trainer.train()
"""
)
REPORTS = (
    Report(
        "om-ai-lab/VLM-R1#123",
        "vision",
        "the question is learnt, too: True",
        r"\b(prompts?|questions?|user)\b.*\b(loss|label|learn|train)|"
        r"\b(loss|label|learn|train)\w*\b.*\b(prompts?|questions?|user)\b",
        {"train.py": LABELS},
        changed(LABELS, (CLONED, FROM_THE_ANSWER)),
        sees="llava sft",
    ),
    Report(
        "QwenLM/Qwen3-VL#1076",
        "vision-four",
        "KeyError: 'messages'|appears to be vision-related",
        r"processing_class|processor|skip_prepare_dataset",
        {"train.py": TOKENIZED},
        changed(
            TOKENIZED,
            ("processing_class=processor.tokenizer", "processing_class=processor"),
            ("        remove_unused_columns=False,\n", "        remove_unused_columns=False,\n"
             '        dataset_kwargs={"skip_prepare_dataset": True},\n'),
        ),
        sees="llava sft",
    ),
)  # fmt: skip
