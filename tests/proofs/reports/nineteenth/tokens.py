"""Threads of a nineteenth list: rows that a script makes into tokens itself."""

from reports.report import CHATS, COMPLETIONS, PAIRS, Report, changed, rows

LABELS = """\
import torch
from datasets import load_dataset
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    DataCollatorForLanguageModeling,
    DataCollatorForSeq2Seq,
)
from trl import SFTConfig, SFTTrainer


def _process_fn(samples, tokenizer):
    input_ids, labels = [], []
    for asked, answer in zip(samples["prompt"], samples["completion"]):
        messages = [{"role": "user", "content": asked}, {"role": "assistant", "content": answer}]
        prompt = tokenizer.apply_chat_template(
            messages[:1], tokenize=True, add_generation_prompt=True
        )
        whole = tokenizer.apply_chat_template(messages, tokenize=True)
        input_ids.append(whole)
        labels.append([-100] * len(prompt) + whole[len(prompt) :])
    return {"input_ids": input_ids, "labels": labels}


tokenizer = AutoTokenizer.from_pretrained("model")
data = load_dataset("json", data_files="pairs.jsonl", split="train")
data = data.map(
    _process_fn,
    batched=True,
    fn_kwargs={"tokenizer": tokenizer},
    remove_columns=data.column_names,
)
collators = {
    "clm": DataCollatorForLanguageModeling(tokenizer=tokenizer, mlm=False),
    "seq2seq": DataCollatorForSeq2Seq(tokenizer=tokenizer),
}
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    args=SFTConfig(
        output_dir="sft",
        max_steps=1,
        per_device_train_batch_size=4,
        learning_rate=1e-5,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=data,
    data_collator=collators["clm"],
    processing_class=tokenizer,
)
trainer.train()
"""
OWN_MASKS = """\
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

import json

TEMPLATE = (
    "{% for message in messages %}{% if message['role'] == 'assistant' %}"
    "{{ '<|im_start|>assistant\\\\n' }}{% generation %}{{ message['content'] + '<|im_end|>' }}"
    "{% endgeneration %}{{ '\\\\n' }}{% else %}{{ '<|im_start|>' + message['role'] + '\\\\n' + "
    "message['content'] + '<|im_end|>' + '\\\\n' }}{% endif %}{% endfor %}"
)


def tokenize_sft(row, tokenizer):
    result = tokenizer.apply_chat_template(
        row["messages"], tokenize=True, return_dict=True, return_assistant_tokens_mask=True
    )
    masks = result["assistant_masks"]
    if len(masks) != len(result["input_ids"]):
        raise ValueError("The mask and the tokens differ in length.")
    return {"input_ids": list(result["input_ids"]), "assistant_masks": list(masks)}


tokenizer = AutoTokenizer.from_pretrained("model")
with open("chats.jsonl") as opened:
    data = [tokenize_sft(json.loads(line), tokenizer) for line in opened]

trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    processing_class=tokenizer,
    train_dataset=Dataset.from_list(data),
    args=SFTConfig(
        output_dir="liquid",
        max_steps=1,
        per_device_train_batch_size=2,
        learning_rate=1e-4,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
batch = next(iter(trainer.get_train_dataloader()))
print("tokens that are trained:", int((batch["labels"] != -100).sum()))
"""
UNBOUNDED = """\
from dataclasses import dataclass, field

import torch
from datasets import Dataset, load_dataset
from torch.nn.utils.rnn import pad_sequence
from transformers import AutoModelForCausalLM, AutoTokenizer, HfArgumentParser
from trl import SFTConfig, SFTTrainer


@dataclass
class TrainingArguments(SFTConfig):
    max_seq_length: int = field(
        default=32768,
        metadata={
            "help": "Maximum sequence length. Sequences will be right padded (and possibly "
            "truncated)."
        },
    )


class SupervisedRows:
    def __init__(self, data_path, tokenizer):
        self.rows = load_dataset("json", data_files=data_path, split="train")
        self.tokenizer = tokenizer

    def encoded(self):
        for row in self.rows:
            asked = self.tokenizer(row["prompt"])["input_ids"]
            answer = self.tokenizer(row["completion"])["input_ids"] + [self.tokenizer.eos_token_id]
            yield {"input_ids": asked + answer, "labels": [-100] * len(asked) + answer}


def collate(examples):
    ids = [torch.tensor(example["input_ids"]) for example in examples]
    labels = [torch.tensor(example["labels"]) for example in examples]
    input_ids = pad_sequence(ids, batch_first=True, padding_value=tokenizer.pad_token_id)
    return {
        "input_ids": input_ids,
        "attention_mask": (input_ids != tokenizer.pad_token_id).long(),
        "labels": pad_sequence(labels, batch_first=True, padding_value=-100),
    }


(training_args,) = HfArgumentParser(TrainingArguments).parse_args_into_dataclasses(
    [
        "--output_dir", "qwen-vl",
        "--max_seq_length", "64",
        "--max_steps", "1",
        "--per_device_train_batch_size", "2",
        "--learning_rate", "1e-5",
        "--remove_unused_columns", "false",
        "--report_to", "none",
        "--save_strategy", "no",
        "--use_cpu", "true",
        "--bf16", "false",
    ]
)
training_args.dataset_kwargs = {"skip_prepare_dataset": True}
tokenizer = AutoTokenizer.from_pretrained("model")
train_dataset = Dataset.from_list(list(SupervisedRows("answers.jsonl", tokenizer).encoded()))
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    args=training_args,
    train_dataset=train_dataset,
    data_collator=collate,
    processing_class=tokenizer,
)
trainer.train()
longest = max(len(row["input_ids"]) for row in train_dataset)
print("the limit holds" if longest <= 64 else f"the longest row has {longest} tokens")
"""
ANSWERS = rows(
    *(
        {"prompt": asked, "completion": f" {answer}" * (30 if n else 1)}
        for n, (asked, answer) in enumerate(PAIRS)
    )
)
REPORTS = (
    Report(
        "huggingface/transformers#39266",
        "four",
        "Unable to create tensor",
        "labels",
        {"train.py": LABELS, "pairs.jsonl": COMPLETIONS},
        changed(LABELS, ('collators["clm"]', 'collators["seq2seq"]')),
        level="",
    ),
    Report(
        "Liquid4All/liquid-finetune#37",
        "four",
        "tokens that are trained: 0",
        "generation|mask",
        {"train.py": OWN_MASKS, "chats.jsonl": CHATS},
        changed(
            OWN_MASKS,
            (
                'tokenizer = AutoTokenizer.from_pretrained("model")\n',
                'tokenizer = AutoTokenizer.from_pretrained("model")\n'
                "tokenizer.chat_template = TEMPLATE\n",
            ),
        ),
        level="",
    ),
    Report(
        "2U1/Qwen-VL-Series-Finetune#260",
        "current",
        r"the longest row has \d+ tokens",
        "max_seq_length|max_length",
        {"train.py": UNBOUNDED, "answers.jsonl": ANSWERS},
        changed(
            UNBOUNDED,
            (
                'yield {"input_ids": asked + answer, "labels": [-100] * len(asked) + answer}',
                "ids, labels = asked + answer, [-100] * len(asked) + answer\n"
                "            limit = training_args.max_seq_length\n"
                '            yield {"input_ids": ids[:limit], "labels": labels[:limit]}',
            ),
        ),
    ),
)
