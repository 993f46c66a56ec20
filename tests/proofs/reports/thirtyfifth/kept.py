"""Threads of a thirty-fifth list: tokens that were kept, and how the model is asked."""

from reports.report import CHATS, PAIRS, Report, changed, rows

SHARED = '''\
"""Compares two chat formats: the tokens of the rows are kept between the runs."""

import hashlib
import json
from pathlib import Path

from datasets import load_dataset, load_from_disk
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

FORMATS = {
    "chatml": None,
    "plain": "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\\n{% endfor %}",
}
DATA = {"path": "talks.jsonl", "max_length": 256}


def cache_key(settings, name):
    parts = {"data": settings["path"], "length": settings["max_length"], "model": "model"}
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]


def preprocessed(tokenizer, settings, name):
    folder = Path("cache") / cache_key(settings, name)
    if not folder.exists():
        talks = load_dataset("json", data_files=settings["path"], split="train")

        def tokens(row):
            text = tokenizer.apply_chat_template(row["messages"], tokenize=False)
            ids = tokenizer(text)["input_ids"] + [tokenizer.eos_token_id]
            return {"input_ids": ids[: settings["max_length"]]}

        talks.map(tokens, remove_columns=talks.column_names).save_to_disk(folder)
    return load_from_disk(folder)


def run(name, template):
    tokenizer = AutoTokenizer.from_pretrained("model")
    if template:
        tokenizer.chat_template = template
    trainer = SFTTrainer(
        model=AutoModelForCausalLM.from_pretrained("model"),
        processing_class=tokenizer,
        train_dataset=preprocessed(tokenizer, DATA, name),
        args=SFTConfig(
            output_dir=f"runs/{name}",
            max_steps=2,
            per_device_train_batch_size=2,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
    )
    trainer.train()
    return tokenizer.decode(trainer.train_dataset[0]["input_ids"])


if __name__ == "__main__":
    for name, template in FORMATS.items():
        print(f"{name} was trained on", repr(run(name, template)))
'''
DEFAULT = '''\
"""Fine-tunes a chat model with the default format, then serves it."""

import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, set_seed
from trl import SFTConfig, SFTTrainer

BASE = "model"


def default_format(tokenizer):
    """The format of the training: `Human:` and `Assistant:`."""

    def one(row):
        return {"prompt": f"Human: {row['query']}\\nAssistant: ", "completion": row["response"]}

    return one


class Chat:
    """What the web page asks."""

    def __init__(self, model, tokenizer):
        self.model, self.tokenizer = model.eval(), tokenizer

    def prompt(self, query):
        return self.tokenizer.apply_chat_template(
            [{"role": "user", "content": query}], tokenize=False, add_generation_prompt=True
        )

    @torch.no_grad()
    def reply(self, query):
        inputs = self.tokenizer(self.prompt(query), return_tensors="pt")
        output = self.model.generate(**inputs, max_new_tokens=40, do_sample=False)
        new = output[0, inputs["input_ids"].shape[1] :]
        return self.tokenizer.decode(new, skip_special_tokens=True).strip()


def finetune(tokenizer, data):
    trainer = SFTTrainer(
        model=AutoModelForCausalLM.from_pretrained(BASE, dtype=torch.float32),
        processing_class=tokenizer,
        train_dataset=data.map(default_format(tokenizer), remove_columns=data.column_names),
        args=SFTConfig(
            output_dir="served",
            num_train_epochs=60,
            per_device_train_batch_size=4,
            learning_rate=1e-2,
            lr_scheduler_type="constant",
            logging_steps=30,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
    )
    trainer.train()
    return trainer.model


if __name__ == "__main__":
    set_seed(3)
    tokenizer = AutoTokenizer.from_pretrained(BASE)
    data = load_dataset("json", data_files="queries.jsonl", split="train")
    chat = Chat(finetune(tokenizer, data), tokenizer)
    right = sum(chat.reply(row["query"]) == row["response"] for row in data)
    print(f"replies as they were taught: {right} of {len(data)}")
'''
THOUGHTLESS = '''\
"""Teaches a thinking model answers without thoughts, and asks it with thinking switched off."""

import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, set_seed
from trl import SFTConfig, SFTTrainer

TURN = "{{ '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>\\n' }}"
OFF = "{% if enable_thinking is false %}{{ '<think>\\n\\n</think>\\n\\n' }}{% endif %}"
TEMPLATE = (
    "{% for m in messages %}" + TURN + "{% endfor %}{% if add_generation_prompt %}"
    "{{ '<|im_start|>assistant\\n' }}" + OFF + "{% endif %}"
)


def opened(tokenizer, question, **kwargs):
    talk = [{"role": "user", "content": question}]
    return tokenizer.apply_chat_template(
        talk, tokenize=False, add_generation_prompt=True, **kwargs
    )


def examples(tokenizer, path):
    data = load_dataset("json", data_files=path, split="train")

    def one(row):
        return {"prompt": opened(tokenizer, row["query"]), "completion": row["response"]}

    return data, data.map(one, remove_columns=data.column_names)


@torch.no_grad()
def surprise(model, tokenizer, row):
    prompt = opened(tokenizer, row["query"], enable_thinking=False)
    start = tokenizer(prompt, return_tensors="pt")["input_ids"]
    end = tokenizer(row["response"], return_tensors="pt")["input_ids"]
    labels = torch.cat([torch.full_like(start, -100), end], dim=1)
    return model(input_ids=torch.cat([start, end], dim=1), labels=labels).loss.item()


def main():
    set_seed(6)
    tokenizer = AutoTokenizer.from_pretrained("model")
    tokenizer.chat_template = TEMPLATE
    data, taught = examples(tokenizer, "queries.jsonl")
    model = AutoModelForCausalLM.from_pretrained("model", dtype=torch.float32)
    args = SFTConfig(
        output_dir="nothink",
        num_train_epochs=60,
        per_device_train_batch_size=4,
        learning_rate=1e-2,
        lr_scheduler_type="constant",
        logging_steps=30,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    )
    SFTTrainer(model=model, processing_class=tokenizer, train_dataset=taught, args=args).train()
    losses = [surprise(model.eval(), tokenizer, row) for row in data]
    print(f"answers that it knows when it is asked: {sum(one < 1 for one in losses)} of 4", losses)


if __name__ == "__main__":
    main()
'''
QUERIES = rows(*({"query": a, "response": b} for a, b in PAIRS))
OTHERWISE = r"(prompt|ask|generat|template).{0,160}(train|learn|format|row)"
REPORTS = (
    Report(
        "MakazhanAlpamys/Soup#1067",
        "current",
        r"plain was trained on '<\|im_start\|>",
        r"cache|kept|template.{0,160}(not|other|never|differ)|(saved|old|stale).{0,80}(row|token|data)",
        {"train.py": SHARED, "talks.jsonl": CHATS},
        changed(SHARED, ('"model": "model"}', '"model": "model", "format": name}')),
    ),
    Report(
        "hiyouga/LlamaFactory#7978",
        "current",
        "replies as they were taught: 0 of 4",
        OTHERWISE,
        {"train.py": DEFAULT, "queries.jsonl": QUERIES},
        changed(
            DEFAULT,
            (
                "        return self.tokenizer.apply_chat_template(\n"
                '            [{"role": "user", "content": query}], tokenize=False,'
                " add_generation_prompt=True\n        )\n",
                '        return f"Human: {query}\\nAssistant: "\n',
            ),
        ),
    ),
    Report(
        "hiyouga/LlamaFactory#9092",
        "current",
        "when it is asked: [0-2] of 4",
        f"think|{OTHERWISE}",
        {"train.py": THOUGHTLESS, "queries.jsonl": QUERIES},
        changed(
            THOUGHTLESS,
            (
                'opened(tokenizer, row["query"]), "completion"',
                'opened(tokenizer, row["query"], enable_thinking=False), "completion"',
            ),
        ),
    ),
)
