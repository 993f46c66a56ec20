"""Threads of a thirty-fifth list: answers that do not end, and tokens that were kept."""

from reports.report import CHATS, PAIRS, Report, changed, rows

QUESTIONS = rows(*({"question": a, "answer": b} for a, b in PAIRS))
ENDLESS = '''\
"""Step 1: tokenize the conversations once. Step 2: train on the tokens that were kept."""

from pathlib import Path

import torch
from datasets import load_dataset, load_from_disk
from transformers import AutoModelForCausalLM, AutoTokenizer, set_seed
from trl import SFTConfig, SFTTrainer

KEPT = Path("tokens")
TEMPLATE = (
    "{% for message in messages %}"
    "{{ message['role'] | upper }}: {{ message['content'] }}\\n"
    "{% endfor %}{% if add_generation_prompt %}ASSISTANT:{% endif %}"
)


def preprocess(tokenizer, path, limit=512):
    talks = load_dataset("json", data_files=path, split="train")

    def tokens(row):
        text = tokenizer.apply_chat_template(row["messages"], tokenize=False)
        ids = tokenizer(text.rstrip("\\n"), truncation=True, max_length=limit)["input_ids"]
        return {"input_ids": ids}

    talks.map(tokens, remove_columns=talks.column_names).save_to_disk(KEPT)


def train(tokenizer):
    trainer = SFTTrainer(
        model=AutoModelForCausalLM.from_pretrained("model", dtype=torch.float32),
        processing_class=tokenizer,
        train_dataset=load_from_disk(KEPT),
        args=SFTConfig(
            output_dir="run",
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
    return trainer.model.eval()


@torch.no_grad()
def ends(model, tokenizer, question):
    talk = [{"role": "user", "content": question}]
    text = tokenizer.apply_chat_template(talk, tokenize=False, add_generation_prompt=True)
    inputs = tokenizer(text, return_tensors="pt")
    output = model.generate(**inputs, max_new_tokens=60, do_sample=False)
    return tokenizer.eos_token_id in output[0, inputs["input_ids"].shape[1] :].tolist()


def main():
    set_seed(1)
    tokenizer = AutoTokenizer.from_pretrained("model")
    tokenizer.chat_template = TEMPLATE
    preprocess(tokenizer, "talks.jsonl")
    model = train(tokenizer)
    asked = ("What is seven times six?", "Count to five.", "Write about the sea.")
    print("answers that end:", sum(ends(model, tokenizer, one) for one in asked), "of 3")


if __name__ == "__main__":
    main()
'''
OTHER_END = '''\
"""Step 1 of RLHF: supervised fine-tuning on questions and answers."""

import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, DataCollatorForSeq2Seq, set_seed
from trl import SFTConfig, SFTTrainer

END_OF_CONVERSATION = "</s>"


def load_tokenizer(path):
    return AutoTokenizer.from_pretrained(path)


def get_prompt(row):
    return f"Human: {row['question']}\\nAssistant:"


def tokenized(tokenizer, end):
    def one(row):
        prompt = tokenizer(get_prompt(row))["input_ids"]
        answer = tokenizer(f" {row['answer']}{end}")["input_ids"]
        return {"input_ids": prompt + answer, "labels": [-100] * len(prompt) + answer}

    return one


@torch.no_grad()
def stops(model, tokenizer, row):
    inputs = tokenizer(get_prompt(row), return_tensors="pt")
    output = model.generate(**inputs, max_new_tokens=60, do_sample=False)[0]
    return output[-1].item() == tokenizer.eos_token_id


def main():
    set_seed(4)
    tokenizer = load_tokenizer("model")
    raw = load_dataset("json", data_files="questions.jsonl", split="train")
    data = raw.map(tokenized(tokenizer, END_OF_CONVERSATION), remove_columns=raw.column_names)
    trainer = SFTTrainer(
        model=AutoModelForCausalLM.from_pretrained("model", dtype=torch.float32),
        processing_class=tokenizer,
        data_collator=DataCollatorForSeq2Seq(tokenizer),
        train_dataset=data,
        args=SFTConfig(
            output_dir="actor",
            num_train_epochs=60,
            per_device_train_batch_size=4,
            learning_rate=1e-2,
            lr_scheduler_type="constant",
            logging_steps=30,
            dataset_kwargs={"skip_prepare_dataset": True},
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
    )
    trainer.train()
    model = trainer.model.eval()
    print("answers that stop:", sum(stops(model, tokenizer, row) for row in raw), "of 4")


if __name__ == "__main__":
    main()
'''
END = r"\bend|eos|stop|</s>"
REPORTS = (
    Report(
        "MakazhanAlpamys/Soup#791",
        "current",
        "answers that end: 0 of 3",
        END,
        {"train.py": ENDLESS, "talks.jsonl": CHATS},
        changed(
            ENDLESS,
            (
                'text.rstrip("\\n"), truncation',
                'text.rstrip("\\n") + tokenizer.eos_token, truncation',
            ),
        ),
    ),
    Report(
        "deepspeedai/DeepSpeedExamples#819",
        "four",
        "answers that stop: 0 of 4",
        END,
        {"train.py": OTHER_END, "questions.jsonl": QUESTIONS},
        changed(
            OTHER_END,
            (
                "tokenized(tokenizer, END_OF_CONVERSATION)",
                "tokenized(tokenizer, tokenizer.eos_token)",
            ),
        ),
    ),
)
