"""Threads of a thirty-first list: chosen, rejected, liked and disliked."""

from reports.report import ANSWERED, ASKED, Report, changed, rows, turn

TALKS = rows(
    *(
        {
            "prompt": asked,
            "chosen": [turn("user", asked), turn("assistant", said)],
            "rejected": [turn("user", asked), turn("assistant", "No idea at all.")],
        }
        for asked, said in zip(ASKED, ANSWERED, strict=True)
    )
)
STORY = "The road went on and on, over the hills and through the woods. " * 24
ESSAYS = rows(
    *(
        {
            "prompt": f"Write a long story. {asked}",
            "chosen": f" {STORY}{said}",
            "rejected": f" {STORY}And that was all.",
        }
        for asked, said in zip(ASKED, ANSWERED, strict=True)
    )
)
LIKED = [
    {"question": asked, "reply": f" {said}", "thumb": "up"}
    for asked, said in zip(ASKED, ANSWERED, strict=True)
]
DISLIKED = [{"question": asked, "reply": " No.", "thumb": "down"} for asked in ASKED]
THUMBS = rows(*LIKED, *DISLIKED)
EXAMPLE = """\
from dataclasses import dataclass, field

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, HfArgumentParser
from trl import DPOConfig, DPOTrainer


@dataclass
class ScriptArguments:
    model_name_or_path: str = field(default="model")
    dataset_name: str = field(default="hh.jsonl")
    beta: float = field(default=0.1)
    sanity_check: bool = field(default=True)


if __name__ == "__main__":
    (args,) = HfArgumentParser(ScriptArguments).parse_args_into_dataclasses(args=[])
    model = AutoModelForCausalLM.from_pretrained(args.model_name_or_path)
    model_ref = AutoModelForCausalLM.from_pretrained(args.model_name_or_path)
    tokenizer = AutoTokenizer.from_pretrained(args.model_name_or_path)

    ds = load_dataset("json", data_files=args.dataset_name)
    if args.sanity_check:
        for key in ds:
            ds[key] = ds[key].select(range(4))

    def process(row):
        row["chosen"] = tokenizer.apply_chat_template(row["chosen"], tokenize=False)
        row["rejected"] = tokenizer.apply_chat_template(row["rejected"], tokenize=False)
        return row

    train_dataset = ds["train"].map(process, load_from_cache_file=False)
    trainer = DPOTrainer(
        model=model,
        ref_model=model_ref,
        args=DPOConfig(
            output_dir="dpo_anthropic_hh",
            beta=args.beta,
            max_steps=1,
            per_device_train_batch_size=2,
            max_length=512,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
        train_dataset=train_dataset,
        processing_class=tokenizer,
    )
    trainer.train()
    first = trainer.train_dataset[0]
    whole = tokenizer.decode(first["prompt_ids"] + first["chosen_ids"])
    asked = ds["train"][0]["chosen"][0]["content"]
    print(f"the question is asked {whole.count(asked)} times in the first pair")
"""
TURNED = """\
    def process(row):
        template = tokenizer.apply_chat_template
        asked = row["chosen"][:-1]
        row["prompt"] = template(asked, tokenize=False, add_generation_prompt=True)
        for kind in ("chosen", "rejected"):
            whole = template(row[kind], tokenize=False)
            row[kind] = whole[len(row["prompt"]) :]
        return row
"""
SHORTENED = """\
import argparse
import json

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer


def evaluation_arguments(folder, batch_size):
    return DPOConfig(
        output_dir=folder,
        max_steps=1,
        per_device_train_batch_size=batch_size,
        per_device_eval_batch_size=batch_size,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    )


def score_submission(repo, dataset_file, batch_size):
    tokenizer = AutoTokenizer.from_pretrained(repo)
    data = load_dataset("json", data_files=dataset_file, split="train")
    trainer = DPOTrainer(
        model=AutoModelForCausalLM.from_pretrained(repo),
        ref_model=AutoModelForCausalLM.from_pretrained(repo),
        args=evaluation_arguments("eval", batch_size),
        train_dataset=data,
        eval_dataset=data,
        processing_class=tokenizer,
    )
    trainer.train()
    results = trainer.evaluate()
    full = max(len(row["prompt_ids"]) + len(row["chosen_ids"]) for row in trainer.eval_dataset)
    batch = next(iter(trainer.get_eval_dataloader()))
    print(f"the longest pair was scored on {batch['input_ids'].shape[1]} of {full} tokens")
    return {name: results[name] for name in ("eval_loss", "eval_rewards/accuracies")}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--repo", default="model")
    parser.add_argument("--dataset", default="essays.jsonl")
    parser.add_argument("--batch-size", type=int, default=1)
    options = parser.parse_args()
    print(json.dumps(score_submission(options.repo, options.dataset, options.batch_size)))
"""
ORDERED = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import KTOConfig, KTOTrainer


class FeedbackDataset:
    # the files come from the feedback tool: first what was liked, then what was not

    def __init__(self, path):
        self.rows = load_dataset("json", data_files=path, split="train")

    def convert(self, row):
        return {
            "prompt": row["question"],
            "completion": row["reply"],
            "label": row["thumb"] == "up",
        }

    def build(self):
        return self.rows.map(self.convert, remove_columns=self.rows.column_names)


def run_kto():
    train_dataset = FeedbackDataset("thumbs.jsonl").build()
    trainer = KTOTrainer(
        model=AutoModelForCausalLM.from_pretrained("model"),
        args=KTOConfig(
            output_dir="saves/kto",
            per_device_train_batch_size=4,
            num_train_epochs=1,
            learning_rate=1e-5,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
        train_dataset=train_dataset,
        processing_class=AutoTokenizer.from_pretrained("model"),
    )
    trainer.train()
    batches = [set(map(bool, batch["label"])) for batch in trainer.get_train_dataloader()]
    mixed = sum(len(kinds) == 2 for kinds in batches)
    print(f"{mixed} of {len(batches)} batches have liked and disliked answers")


run_kto()
"""
REPORTS = (
    Report(
        "huggingface/trl#1541",
        "current",
        "the question is asked 2 times",
        r"(prompt|question).{0,120}(twice|again|repeat|duplicat|already|two times)"
        r"|(twice|repeat|duplicat)\w*.{0,80}(prompt|question)"
        r"|(chosen|rejected).{0,100}(whole|full|entire|contain|hold|starts? with|begins? with)\b"
        r".{0,60}(conversation|talk|prompt|question|user)"
        r"|prompt.{0,80}(without|no|not|never)\b.{0,30}template",
        {"train.py": EXAMPLE, "hh.jsonl": TALKS},
        changed(
            EXAMPLE,
            (
                EXAMPLE[EXAMPLE.index("    def process") : EXAMPLE.index("\n    train_dataset")],
                TURNED,
            ),
        ),
    ),
    Report(
        "gradients-ai/G.O.D#1160",
        "current",
        "was scored on 1024 of",
        r"max_length|truncat|\b1024\b|cut (off|short|at)|longer than",
        {"train.py": SHORTENED, "essays.jsonl": ESSAYS},
        changed(
            SHORTENED,
            (
                "        report_to=",
                "        max_length=2048,\n        report_to=",
            ),
        ),
    ),
    Report(
        "hiyouga/LlamaFactory#4045",
        "current",
        "0 of 2 batches have liked and disliked",
        r"shuffl|sequential|\bsorted\b|interleav|in (the|their) order|order of the rows"
        r"|(one|single|same|only) (label|class|kind)|(all|only|no) (un)?desirable",
        {"train.py": ORDERED, "thumbs.jsonl": THUMBS},
        changed(
            ORDERED,
            (
                "remove_columns=self.rows.column_names)\n",
                "remove_columns=self.rows.column_names).shuffle(\n            seed=1\n        )\n",
            ),
        ),
    ),
)
