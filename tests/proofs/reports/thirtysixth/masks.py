"""Threads of a thirty-sixth list: which tokens the loss is about."""

from reports.report import CHATS, PAIRS, Report, changed, rows

MARKED = '''\
"""Fine-tunes on conversations; only what the assistant says is trained on."""

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, DataCollatorForSeq2Seq
from trl import SFTConfig, SFTTrainer


class Talks:
    def __init__(self, tokenizer, max_length=256):
        self.tokenizer, self.max_length = tokenizer, max_length
        self.start = tokenizer("<|im_start|>assistant\\n", add_special_tokens=False)["input_ids"]
        self.stop = tokenizer("<|im_end|>\\n", add_special_tokens=False)["input_ids"]

    def loss_mask(self, ids):
        mask = [0] * len(ids)
        i = 0
        while i < len(ids):
            if ids[i : i + len(self.start)] != self.start:
                i += 1
                continue
            start = end = i + len(self.start)
            while end < len(ids) and ids[end : end + len(self.stop)] != self.stop:
                end += 1
            for j in range(start + 1, min(end + len(self.stop), self.max_length)):
                mask[j] = 1
            i = end + len(self.stop)
        return mask

    def __call__(self, row):
        text = self.tokenizer.apply_chat_template(row["messages"], tokenize=False)
        ids = self.tokenizer(text)["input_ids"][: self.max_length]
        labels = [one if on else -100 for one, on in zip(ids, self.loss_mask(ids))]
        return {"input_ids": ids, "labels": labels}


def main():
    tokenizer = AutoTokenizer.from_pretrained("model")
    talks = load_dataset("json", data_files="talks.jsonl", split="train")
    data = talks.map(Talks(tokenizer), remove_columns=talks.column_names)
    trainer = SFTTrainer(
        model=AutoModelForCausalLM.from_pretrained("model"),
        processing_class=tokenizer,
        data_collator=DataCollatorForSeq2Seq(tokenizer),
        train_dataset=data,
        args=SFTConfig(
            output_dir="talks",
            max_steps=1,
            per_device_train_batch_size=2,
            dataset_kwargs={"skip_prepare_dataset": True},
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
    )
    trainer.train()
    first = [tokenizer(row["messages"][1]["content"])["input_ids"][0] for row in talks]
    trained = [next(label for label in row["labels"] if label != -100) for row in data]
    print("answers whose first token is trained on:", sum(map(int.__eq__, first, trained)), "of 4")


if __name__ == "__main__":
    main()
'''
HEADERS = '''\
"""Trains on trajectories: a mask says which tokens are the agent's own."""

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer


def encoded(tokenizer, message):
    text = tokenizer.apply_chat_template([message], tokenize=False)
    return tokenizer(text)["input_ids"]


def get_response_ids_and_mask(tokenizer, messages):
    ids, mask = [], []
    for message in messages:
        part = encoded(tokenizer, message)
        ids += part
        mask += [int(message["role"] == "assistant")] * len(part)
    return ids, mask


def main():
    tokenizer = AutoTokenizer.from_pretrained("model")
    talks = load_dataset("json", data_files="trajectories.jsonl", split="train")

    def one(row):
        ids, mask = get_response_ids_and_mask(tokenizer, row["messages"])
        return {"input_ids": ids, "completion_mask": mask}

    data = talks.map(one, remove_columns=talks.column_names)
    trainer = SFTTrainer(
        model=AutoModelForCausalLM.from_pretrained("model"),
        processing_class=tokenizer,
        train_dataset=data,
        args=SFTConfig(
            output_dir="agent",
            max_steps=1,
            per_device_train_batch_size=2,
            completion_only_loss=True,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
    )
    trainer.train()
    batch = next(iter(trainer.get_train_dataloader()))
    start = tokenizer.convert_tokens_to_ids("<|im_start|>")
    print("the header of a turn is trained on:", bool((batch["labels"] == start).any()))


if __name__ == "__main__":
    main()
'''
OWN = """\
def get_response_ids_and_mask(tokenizer, messages):
    ids, mask = [], []
    header = len(tokenizer("<|im_start|>assistant\\n")["input_ids"])
    for message in messages:
        part = encoded(tokenizer, message)
        own = message["role"] == "assistant"
        end = part.index(tokenizer.eos_token_id)
        ids += part
        mask += [int(own and header <= n <= end) for n in range(len(part))]
    return ids, mask
"""
JOINED = '''\
"""Teaches the model to classify molecules: it shall learn to say (A) or (B)."""

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

PROMPT = (
    "Instructions: Answer the following question about drug properties.\\n"
    "Question: Does the drug inhibit hERG?\\n(A) no (B) yes\\n"
    "Drug SMILES: {smiles}\\nAnswer:"
)


def formatting_func(row):
    return f"{PROMPT.format(smiles=row['input_text'])} {row['output_text']}<|im_end|>"


def main():
    tokenizer = AutoTokenizer.from_pretrained("model")
    data = load_dataset("json", data_files="drugs.jsonl", split="train")
    trainer = SFTTrainer(
        model=AutoModelForCausalLM.from_pretrained("model"),
        processing_class=tokenizer,
        train_dataset=data,
        formatting_func=formatting_func,
        args=SFTConfig(
            output_dir="drugs",
            max_steps=2,
            per_device_train_batch_size=2,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
    )
    trainer.train()
    labels = next(iter(trainer.get_train_dataloader()))["labels"]
    text = tokenizer.decode(labels[0][labels[0] != -100])
    print("the question is trained on:", "Instructions" in text)


if __name__ == "__main__":
    main()
'''
DRUGS = rows(
    {"input_text": "CCO", "output_text": "(A)"},
    {"input_text": "c1ccccc1CN", "output_text": "(B)"},
    {"input_text": "CC(=O)OC", "output_text": "(A)"},
    {"input_text": "C1CCNCC1", "output_text": "(B)"},
)
TRAJECTORIES = rows(
    *(
        {
            "messages": [
                {"role": "user", "content": a},
                {"role": "assistant", "content": "I look at it."},
                {"role": "user", "content": "Observation: fine."},
                {"role": "assistant", "content": b},
            ]
        }
        for a, b in PAIRS
    )
)
REPORTS = (
    Report(
        "jingyaogong/minimind#416",
        "current",
        "trained on: 0 of 4",
        r"first token|begin|start of (the|an|each) answer|miss(es)? (part|token)"
        r"|answer.{0,60}(miss|lack|left out)",
        {"train.py": MARKED, "talks.jsonl": CHATS},
        changed(MARKED, ("range(start + 1, min", "range(start, min")),
    ),
    Report(
        "NovaSky-AI/SkyRL#710",
        "current",
        "a turn is trained on: True",
        r"header|<\|im_start\|>|generation prompt|prompt.{0,60}(loss|train)",
        {"train.py": HEADERS, "trajectories.jsonl": TRAJECTORIES},
        changed(HEADERS, (HEADERS[HEADERS.index("def get_") : HEADERS.index("\n\ndef main")], OWN)),
    ),
    Report(
        "discuss.huggingface.co/t/170499",
        "current",
        "question is trained on: True",
        r"completion_only|formatting_func.{0,200}(prompt|question|whole|answer|loss)"
        r"|(prompt|question).{0,80}(loss|train|learn)",
        {"train.py": JOINED, "drugs.jsonl": DRUGS},
        changed(
            JOINED,
            (
                JOINED[JOINED.index("    return f") : JOINED.index("\n\n\ndef main")],
                "    prompt = PROMPT.format(smiles=row['input_text'])\n"
                "    answer = f\" {row['output_text']}<|im_end|>\"\n"
                '    return {"prompt": prompt, "completion": answer}',
            ),
            ('split="train")', 'split="train").map(formatting_func)'),
            ("        formatting_func=formatting_func,\n", ""),
        ),
    ),
)
