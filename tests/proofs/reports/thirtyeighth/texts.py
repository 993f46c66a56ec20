"""Threads of a thirty-eighth list: what is learnt of a conversation, and what is put in it."""

from reports.report import PAIRS, Report, changed, rows, turn

SEEN = '''\
"""Fine-tunes a model that sees on questions about images."""

from datasets import load_dataset
from transformers import AutoModelForImageTextToText, AutoProcessor
from trl import SFTConfig, SFTTrainer

processor = AutoProcessor.from_pretrained("model")
model = AutoModelForImageTextToText.from_pretrained("model")
image_token_id = model.config.image_token_id


def conversation(example):
    question, answer = example["messages"]
    parts = [{"type": "image"}, {"type": "text", "text": question["content"]}]
    return [{"role": "user", "content": parts}, answer]


def collate_fn(examples):
    texts = [processor.apply_chat_template(conversation(one), tokenize=False) for one in examples]
    images = [one["images"] for one in examples]
    batch = processor(text=texts, images=images, return_tensors="pt", padding=True)
    labels = batch["input_ids"].clone()
    labels[labels == processor.tokenizer.pad_token_id] = -100
    labels[labels == image_token_id] = -100
    batch["labels"] = labels
    return batch


trainer = SFTTrainer(
    model=model,
    processing_class=processor,
    data_collator=collate_fn,
    train_dataset=load_dataset("parquet", data_files="rows.parquet", split="train"),
    args=SFTConfig(
        output_dir="omni",
        max_steps=1,
        per_device_train_batch_size=2,
        remove_unused_columns=False,
        dataset_kwargs={"skip_prepare_dataset": True},
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
labels = next(iter(trainer.get_train_dataloader()))["labels"][0]
print("learnt:", repr(processor.tokenizer.decode(labels[labels != -100])))
'''
FEEDBACK = rows(
    *(
        {
            "source": "made",
            "chosen": [turn("user", a), turn("assistant", b)],
            "rejected": [turn("user", a), turn("assistant", "No idea.")],
        }
        for a, b in PAIRS
    )
)
ODDS = '''\
"""A small demonstration of odds ratios: prompts are taken from the chosen conversations."""

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import ORPOConfig, ORPOTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
tokenizer.chat_template = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\\n"
    "{{ message['content'] }}<|im_end|>\\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\\n{% endif %}"
)


def answers(turns):
    return [f"{turn[1]['content']}<|im_end|>\\n" for turn in turns]


def process(sample):
    prompts = [
        tokenizer.apply_chat_template(
            [{"role": "user", "content": item[0]}], tokenize=False, add_generation_prompt=True
        )
        for item in sample["chosen"]
    ]
    return {
        "prompt": prompts,
        "chosen": answers(sample["chosen"]),
        "rejected": answers(sample["rejected"]),
    }


data = load_dataset("json", data_files="feedback.jsonl", split="train")
data = data.map(process, batched=True, remove_columns=["source"])
trainer = ORPOTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    processing_class=tokenizer,
    train_dataset=data,
    args=ORPOConfig(
        output_dir="orpo",
        beta=0.1,
        learning_rate=5e-6,
        max_length=256,
        max_prompt_length=160,
        max_steps=1,
        per_device_train_batch_size=2,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
print("first prompt:", tokenizer.decode(trainer.train_dataset[0]["prompt_input_ids"]))
'''
MASKS = """\
def mask_questions(labels, ids):
    head = processor.tokenizer("<|im_start|>assistant\\n", add_special_tokens=False)["input_ids"]
    for row, line in zip(labels, ids.tolist()):
        at = next(i for i in range(len(line)) if line[i : i + len(head)] == head)
        row[: at + len(head)] = -100
"""
REPORTS = (
    Report(
        "HumanMLLM/HumanOmniV2#10",
        "vision",
        r"learnt: .*What is this",
        r"question|prompt|user|all of the text",
        {"train.py": SEEN},
        changed(
            SEEN,
            ("def conversation(", f"{MASKS}\n\ndef conversation("),
            (
                '    batch["labels"] = labels\n',
                '    mask_questions(labels, batch["input_ids"])\n    batch["labels"] = labels\n',
            ),
        ),
        sees="llava sft",
    ),
    Report(
        "xfactlab/orpo#5",
        "four",
        r"first prompt: [^}]*'content':",
        r"dict|\{.content|str\(|message object|not a text",
        {"train.py": ODDS, "feedback.jsonl": FEEDBACK},
        changed(
            ODDS,
            (
                '[{"role": "user", "content": item[0]}], tokenize=False',
                "[item[0]], tokenize=False",
            ),
        ),
    ),
)
