"""Threads of a thirty-fifth list: which tokens of a row are learnt."""

from reports.report import CHATS, Report, changed, rows, turn

ECHOES = rows(
    *(
        {"messages": [turn("user", f"Say {word} and nothing else."), turn("assistant", word)]}
        for word in ("yes", "no", "the sea", "forty-two")
    )
)
FOUND = '''\
"""SFT on conversations: the loss is that of what the assistant says."""

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

IGNORED = -100


class Conversations:
    """Turns conversations into tokens and labels."""

    def __init__(self, tokenizer):
        self.tokenizer = tokenizer

    def spans(self, messages, text):
        """Where the words of the assistant begin and end in the text."""
        for at, message in enumerate(messages):
            if message["role"] == "assistant":
                start = text.find(message["content"])
                yield start, start + len(message["content"] + self.tokenizer.eos_token)

    def __call__(self, row):
        text = self.tokenizer.apply_chat_template(row["messages"], tokenize=False)
        tokens = self.tokenizer(text, return_offsets_mapping=True, add_special_tokens=False)
        labels = [IGNORED] * len(tokens["input_ids"])
        for start, end in self.spans(row["messages"], text):
            for at, (first, last) in enumerate(tokens["offset_mapping"]):
                if start <= first and last <= end:
                    labels[at] = tokens["input_ids"][at]
        return {"input_ids": tokens["input_ids"], "labels": labels}


def main():
    tokenizer = AutoTokenizer.from_pretrained("model")
    data = load_dataset("json", data_files="talks.jsonl", split="train")
    trainer = SFTTrainer(
        model=AutoModelForCausalLM.from_pretrained("model"),
        processing_class=tokenizer,
        train_dataset=data.map(Conversations(tokenizer), remove_columns=data.column_names),
        args=SFTConfig(
            output_dir="echo",
            max_steps=4,
            per_device_train_batch_size=2,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
    )
    trainer.train()
    learnt = [
        tokenizer.decode([one for one in row["labels"] if one != IGNORED])
        for row in trainer.train_dataset
    ]
    print("rows whose end of the turn is learnt:", sum("<|im_end|>" in one for one in learnt))


if __name__ == "__main__":
    main()
'''
NESTED = '''\
"""Fine-tunes a chat model: the labels of what the user says are masked."""

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, DataCollatorForSeq2Seq
from trl import SFTConfig, SFTTrainer

USER, ASSISTANT = "<|user|>", "<|assistant|>"


def mask_user_labels(tokenizer, labels):
    """Mask, in place, all tokens from a user's mark to the assistant's."""
    user, assistant = tokenizer.convert_tokens_to_ids([USER, ASSISTANT])
    for at, label in enumerate(labels):
        if label == user:
            while at < len(labels) and labels[at] != assistant:
                labels[at] = -100
                at += 1


def prepare(tokenizer):
    marks = {"user": USER, "assistant": ASSISTANT}

    def render(messages):
        turns = (marks[one["role"]] + one["content"] + tokenizer.eos_token for one in messages)
        return "".join(turns)

    def tokens(batch):
        encoded = tokenizer([render(messages) for messages in batch["messages"]])
        labels = [list(ids) for ids in encoded["input_ids"]]
        mask_user_labels(tokenizer, labels)
        return {**encoded, "labels": labels}

    return tokens


def main():
    tokenizer = AutoTokenizer.from_pretrained("model")
    tokenizer.add_special_tokens({"additional_special_tokens": [USER, ASSISTANT]})
    data = load_dataset("json", data_files="talks.jsonl", split="train")
    data = data.map(prepare(tokenizer), batched=True, remove_columns=data.column_names)
    trainer = SFTTrainer(
        model=AutoModelForCausalLM.from_pretrained("model"),
        processing_class=tokenizer,
        data_collator=DataCollatorForSeq2Seq(tokenizer),
        train_dataset=data,
        args=SFTConfig(
            output_dir="chat",
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
    row = next(iter(trainer.get_train_dataloader()))["labels"][0]
    print("what is learnt:", repr(tokenizer.decode(row[row >= 0])))


if __name__ == "__main__":
    main()
'''
LATER = '''\
"""Fine-tunes on the answers alone, and follows the loss of a few held out conversations."""

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

OPENING = "<|im_start|>assistant\\n"


def train_on_answers(trainer):
    """Leave what comes before the assistant's turn out of the loss."""
    tokenizer = trainer.processing_class
    opening = tokenizer(OPENING)["input_ids"]

    def masked(row):
        ids = row["input_ids"]
        places = [n for n in range(len(ids)) if ids[n : n + len(opening)] == opening]
        start = places[-1] + len(opening) if places else len(ids)
        return {"labels": [-100] * start + ids[start:]}

    trainer.train_dataset = trainer.train_dataset.map(masked)
    return trainer


def main():
    tokenizer = AutoTokenizer.from_pretrained("model")
    data = load_dataset("json", data_files="talks.jsonl", split="train")
    parts = data.train_test_split(test_size=0.5, seed=1)
    args = SFTConfig(
        output_dir="answers",
        max_steps=4,
        per_device_train_batch_size=2,
        eval_strategy="steps",
        eval_steps=2,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    )
    trainer = train_on_answers(
        SFTTrainer(
            model=AutoModelForCausalLM.from_pretrained("model"),
            args=args,
            processing_class=tokenizer,
            train_dataset=parts["train"],
            eval_dataset=parts["test"],
        )
    )
    trainer.train()
    batch = next(iter(trainer.get_eval_dataloader()))["labels"]
    asked = any("<|im_start|>user" in tokenizer.decode(row[row >= 0]) for row in batch)
    print("the loss of the evaluation is that of the questions, too:", asked)


if __name__ == "__main__":
    main()
'''
LEARNT = r"prompt|question|user|mask|answers?.{0,80}(not|never|without)|learn"
REPORTS = (
    Report(
        "snowflakedb/ArcticTraining#353",
        "current",
        "end of the turn is learnt: [0-3]",
        r"(answer|assistant|completion|label).{0,160}(not|never|no |lack|miss|user|prompt)"
        r"|(end|eos).{0,80}(no loss|not learn|never)",
        {"train.py": FOUND, "talks.jsonl": ECHOES},
        changed(
            FOUND,
            (
                '                start = text.find(message["content"])\n',
                "                before = self.tokenizer.apply_chat_template(\n"
                "                    messages[:at], tokenize=False, add_generation_prompt=True\n"
                "                )\n"
                '                start = text.find(message["content"], len(before))\n',
            ),
        ),
    ),
    Report(
        "bigcode-project/starcoder#129",
        "current",
        r"what is learnt: '<\|user\|>",
        LEARNT,
        {"train.py": NESTED, "talks.jsonl": CHATS},
        changed(
            NESTED,
            (
                "        mask_user_labels(tokenizer, labels)\n",
                "        for row in labels:\n            mask_user_labels(tokenizer, row)\n",
            ),
        ),
    ),
    Report(
        "unslothai/unsloth#1041",
        "current",
        "that of the questions, too: True",
        r"eval.{0,160}(label|mask|prompt|question|loss)|(label|mask).{0,160}eval",
        {"train.py": LATER, "talks.jsonl": CHATS},
        changed(
            LATER,
            (
                "    return trainer\n",
                "    trainer.eval_dataset = trainer.eval_dataset.map(masked)\n    return trainer\n",
            ),
        ),
    ),
)
