"""Threads of a thirty-sixth list: tables that are made into rows."""

from reports.report import PAIRS, PREFERENCES, Report, changed, rows

RATED = "".join(
    line[:-1] + f', "source": "web", "chosen_rating": {n + 3}}}\n'
    for n, line in enumerate(PREFERENCES.splitlines())
)
UNPAIRED = '''\
"""Aligns a model with KTO on rows that were collected for DPO."""

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import KTOConfig, KTOTrainer
from trl.data_utils import unpair_preference_dataset


def load_rows(path):
    return load_dataset("json", data_files=path, split="train")


def main():
    pairs = load_rows("pairs.jsonl")
    trainer = KTOTrainer(
        model=AutoModelForCausalLM.from_pretrained("model"),
        ref_model=AutoModelForCausalLM.from_pretrained("model"),
        processing_class=AutoTokenizer.from_pretrained("model"),
        train_dataset=unpair_preference_dataset(pairs),
        args=KTOConfig(
            output_dir="kto",
            max_steps=1,
            per_device_train_batch_size=4,
            max_length=128,
            max_prompt_length=64,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
    )
    trainer.train()


if __name__ == "__main__":
    main()
'''
LONG = rows(*({"id": n, "text": f"{a} {b} " * (2 + n)} for n, (a, b) in enumerate(PAIRS)))
CHUNKS = '''\
"""Cuts long texts into windows and trains on these."""

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

WINDOW = 24


def windows(tokenizer):
    def preprocess(batch):
        results = {"input_ids": [], "start": []}
        for text in batch["text"]:
            ids = tokenizer(text)["input_ids"]
            for start in range(0, len(ids), WINDOW):
                results["input_ids"].append(ids[start : start + WINDOW])
                results["start"].append(start)
        return results

    return preprocess


def main():
    tokenizer = AutoTokenizer.from_pretrained("model")
    texts = load_dataset("json", data_files="texts.jsonl", split="train")
    data = texts.map(windows(tokenizer), batched=True)
    trainer = SFTTrainer(
        model=AutoModelForCausalLM.from_pretrained("model"),
        processing_class=tokenizer,
        train_dataset=data,
        args=SFTConfig(
            output_dir="windows",
            max_steps=1,
            per_device_train_batch_size=2,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
    )
    trainer.train()


if __name__ == "__main__":
    main()
'''
PAGES = rows(*({"text": f"Chapter {n}: the sea, the ships and the wind."} for n in range(1, 5)))
TALKS = rows(*({"text": f"{a} {b}"} for a, b in PAIRS))
EMPTIED = '''\
"""Trains on short talks and on pages of a book; the texts of the pages are not kept in memory."""

from datasets import concatenate_datasets, load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

TOKENIZER = AutoTokenizer.from_pretrained("model")


def read(name):
    return load_dataset("json", data_files=name, split="train")


def short(batch):
    return {"input_ids": TOKENIZER(batch["text"])["input_ids"]}


def page(batch):
    tokens = TOKENIZER(batch["text"])["input_ids"]
    # Only the tokens are needed from here on.
    return {"text": [], "input_ids": tokens}


def main():
    talks = read("talks.jsonl").map(short, batched=True, remove_columns=["text"])
    pages = read("pages.jsonl").map(page, batched=True)
    trainer = SFTTrainer(
        model=AutoModelForCausalLM.from_pretrained("model"),
        processing_class=TOKENIZER,
        train_dataset=concatenate_datasets([talks, pages]).shuffle(seed=1),
        args=SFTConfig(
            output_dir="book",
            num_train_epochs=1,
            per_device_train_batch_size=2,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
    )
    trainer.train()
    print("rows that were trained on:", len(trainer.train_dataset), "of 8")


if __name__ == "__main__":
    main()
'''
REPORTS = (
    Report(
        "huggingface/trl#2351",
        "grpo-shapes",
        "expected length",
        r"source|chosen_rating|extra column|other column|remove_columns",
        {"train.py": UNPAIRED, "pairs.jsonl": RATED},
        changed(
            UNPAIRED,
            (
                'load_rows("pairs.jsonl")',
                'load_rows("pairs.jsonl").select_columns(["prompt", "chosen", "rejected"])',
            ),
        ),
    ),
    Report(
        "kevinyaobytedance/llm_unlearn#6",
        "current",
        "expected length",
        r"remove_columns|old columns|other columns|number of rows|more rows|expected length",
        {"train.py": CHUNKS, "texts.jsonl": LONG},
        changed(CHUNKS, ("batched=True)", "batched=True, remove_columns=texts.column_names)")),
    ),
    Report(
        "huggingface/datasets#8311",
        "current",
        "trained on: 4 of 8",
        r"pages|empt(y|ies)|0 rows|no rows|lost|drop",
        {"train.py": EMPTIED, "talks.jsonl": TALKS, "pages.jsonl": PAGES},
        changed(
            EMPTIED,
            ('return {"text": [], "input_ids": tokens}', 'return {"input_ids": tokens}'),
            ("map(page, batched=True)", 'map(page, batched=True, remove_columns=["text"])'),
        ),
    ),
)
