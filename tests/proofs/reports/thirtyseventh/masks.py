"""Threads of a thirty-seventh list: which tokens have a loss."""

from reports.report import CHATS, COMPLETIONS, Report, changed

PADDED = '''\
"""Fine-tunes on prompts and answers; the collator hides the prompt from the loss."""

import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, set_seed
from trl import SFTConfig, SFTTrainer


class AnswerCollator:
    def __init__(self, tokenizer):
        self.tokenizer = tokenizer

    def __call__(self, features):
        texts = [row["prompt"] + row["completion"] + "<|im_end|>" for row in features]
        prefixes = [len(self.tokenizer(row["prompt"])["input_ids"]) for row in features]
        batch = self.tokenizer(texts, padding=True, return_tensors="pt")
        labels = batch["input_ids"].clone()
        for i, prefix in enumerate(prefixes):
            labels[i, :prefix] = -100
        labels[batch["attention_mask"] == 0] = -100
        batch["labels"] = labels
        return batch


def main():
    set_seed(1)
    tokenizer = AutoTokenizer.from_pretrained("model", padding_side="left")
    rows = load_dataset("json", data_files="answers.jsonl", split="train")
    trainer = SFTTrainer(
        model=AutoModelForCausalLM.from_pretrained("model", dtype=torch.float32),
        processing_class=tokenizer,
        data_collator=AnswerCollator(tokenizer),
        train_dataset=rows,
        args=SFTConfig(
            output_dir="answers",
            max_steps=2,
            per_device_train_batch_size=4,
            remove_unused_columns=False,
            dataset_kwargs={"skip_prepare_dataset": True},
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
    )
    trainer.train()
    batch = trainer.data_collator([rows[n] for n in range(4)])
    trained = int((batch["labels"] != -100).sum())
    own = sum(len(tokenizer(row["completion"])["input_ids"]) + 1 for row in rows)
    print("tokens of prompts that have a loss:", trained - own)


if __name__ == "__main__":
    main()
'''
HISTORY = '''\
"""Fine-tunes a model to answer in the form of two examples, which stand before each question."""

import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, set_seed
from trl import SFTConfig, SFTTrainer

EXAMPLES = [
    {"role": "user", "content": "What is two times two?"},
    {"role": "assistant", "content": "Four."},
    {"role": "user", "content": "Name the first month."},
    {"role": "assistant", "content": "January."},
]


def encode(tokenizer, messages):
    """The ids of a conversation, and which of them are the assistant's."""
    ids, mask = [], []
    for message in messages:
        header = tokenizer(f"<|im_start|>{message['role']}\\n")["input_ids"]
        body = tokenizer(message["content"] + "<|im_end|>")["input_ids"]
        after = tokenizer("\\n")["input_ids"]
        own = int(message["role"] == "assistant")
        ids += header + body + after
        mask += [0] * len(header) + [own] * len(body) + [0] * len(after)
    return ids, mask


def main():
    set_seed(1)
    tokenizer = AutoTokenizer.from_pretrained("model")
    talks = load_dataset("json", data_files="talks.jsonl", split="train")

    def prepare(row):
        ids, mask = encode(tokenizer, EXAMPLES + row["messages"])
        return {"input_ids": ids, "completion_mask": mask}

    data = talks.map(prepare, remove_columns=talks.column_names)
    trainer = SFTTrainer(
        model=AutoModelForCausalLM.from_pretrained("model", dtype=torch.float32),
        processing_class=tokenizer,
        train_dataset=data,
        args=SFTConfig(
            output_dir="examples",
            max_steps=2,
            per_device_train_batch_size=2,
            completion_only_loss=True,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
    )
    trainer.train()
    labels = next(iter(trainer.get_train_dataloader()))["labels"]
    learned = [tokenizer.decode(row[row != -100]) for row in labels]
    print("rows that learn an example, too:", sum("January." in text for text in learned))


if __name__ == "__main__":
    main()
'''
SPANS = '''\
"""Fine-tunes on conversations: the loss is about what the assistant says."""

import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, DataCollatorForSeq2Seq, set_seed
from trl import SFTConfig, SFTTrainer


def labels_of(tokenizer, messages):
    """Find each answer in the rendered text, and keep the labels of its tokens."""
    text = tokenizer.apply_chat_template(messages, tokenize=False)
    encoded = tokenizer(text, return_offsets_mapping=True)
    spans, position = [], 0
    for message in messages:
        start = text.index(message["content"], position)
        position = start + len(message["content"])
        if message["role"] == "assistant":
            spans.append((start, position))
    labels = [
        token if any(begin <= first and last <= end for begin, end in spans) else -100
        for token, (first, last) in zip(encoded["input_ids"], encoded["offset_mapping"])
    ]
    return {"input_ids": encoded["input_ids"], "labels": labels}


def main():
    set_seed(1)
    tokenizer = AutoTokenizer.from_pretrained("model")
    talks = load_dataset("json", data_files="talks.jsonl", split="train")
    data = talks.map(
        lambda row: labels_of(tokenizer, row["messages"]), remove_columns=talks.column_names
    )
    trainer = SFTTrainer(
        model=AutoModelForCausalLM.from_pretrained("model", dtype=torch.float32),
        processing_class=tokenizer,
        data_collator=DataCollatorForSeq2Seq(tokenizer),
        train_dataset=data,
        args=SFTConfig(
            output_dir="spans",
            max_steps=2,
            per_device_train_batch_size=2,
            dataset_kwargs={"skip_prepare_dataset": True},
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
    )
    trainer.train()
    ends = sum(row["labels"].count(tokenizer.eos_token_id) for row in data)
    print("ends of turns that have a loss:", ends, "of", len(data))


if __name__ == "__main__":
    main()
'''
REPORTS = (
    Report(
        "QwenLM/Qwen3-ASR#212",
        "current",
        "that have a loss: [1-9]",
        r"padding_side|left|prompt.{0,80}(loss|train|learn|label)",
        {"train.py": PADDED, "answers.jsonl": COMPLETIONS},
        changed(
            PADDED,
            (
                "            labels[i, :prefix] = -100\n",
                '            begin = int((batch["attention_mask"][i] == 0).sum())\n'
                "            labels[i, : begin + prefix] = -100\n",
            ),
        ),
    ),
    Report(
        "NVIDIA-NeMo/RL#2176",
        "current",
        "an example, too: [1-9]",
        r"(same|every row|each row|all rows).{0,120}(answer|turn|text|loss|label|learn)"
        r"|example.{0,60}(loss|learn|train)|few-shot|history",
        {"train.py": HISTORY, "talks.jsonl": CHATS},
        changed(
            HISTORY,
            (
                '        ids, mask = encode(tokenizer, EXAMPLES + row["messages"])\n',
                "        ids, _ = encode(tokenizer, EXAMPLES)\n"
                '        more, mask = encode(tokenizer, row["messages"])\n'
                "        ids, mask = ids + more, [0] * len(ids) + mask\n",
            ),
        ),
    ),
    Report(
        "NVIDIA-NeMo/Megatron-Bridge#4265",
        "current",
        "have a loss: 0 of 4",
        r"end of (the|a|each|its) (turn|answer)|<\|im_end\|>|\beos\b|never (ends?|stops?)",
        {"train.py": SPANS, "talks.jsonl": CHATS},
        changed(
            SPANS,
            (
                "            spans.append((start, position))\n",
                '            spans.append((start, position + len("<|im_end|>")))\n',
            ),
        ),
    ),
)
