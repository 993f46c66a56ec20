"""Threads of a forty-third list: which pairs there are, and what of them is left."""

from reports.report import PREFERENCES, Report, changed, rows

MIXED = '''\
"""SimPO on the preferences of an instruct model; the data sets are mixed."""

from datasets import concatenate_datasets, load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import CPOConfig, CPOTrainer

DATASET_MIXER = {"mistral-instruct-ultrafeedback": 1.0}
DATASET_SPLITS = ["train", "test"]


def get_datasets(mixer, splits):
    """The share of each data set, by the kind of split."""
    mixed = {"train": [], "test": []}
    for name, share in mixer.items():
        for split in splits:
            dataset = load_dataset(name, split=split)
            kind = "train" if "train" in split else "test"
            mixed[kind].append(dataset.select(range(int(share * len(dataset)))))
    return {kind: concatenate_datasets(parts) for kind, parts in mixed.items()}


def main():
    raw = get_datasets(DATASET_MIXER, DATASET_SPLITS)
    tokenizer = AutoTokenizer.from_pretrained("model")
    trainer = CPOTrainer(
        model=AutoModelForCausalLM.from_pretrained("model"),
        args=CPOConfig(
            output_dir="outputs/mistral-7b-instruct-simpo",
            loss_type="simpo",
            cpo_alpha=0.0,
            beta=2.5,
            simpo_gamma=0.75,
            learning_rate=5e-7,
            max_length=128,
            max_prompt_length=96,
            per_device_train_batch_size=2,
            max_steps=1,
            save_strategy="no",
            report_to="none",
            use_cpu=True,
            bf16=False,
        ),
        train_dataset=raw["train"],
        eval_dataset=raw["test"],
        processing_class=tokenizer,
    )
    trainer.train()


if __name__ == "__main__":
    main()
'''
SPLITS = [f"{kind}_iteration_{number}" for number in (1, 2, 3) for kind in ("train", "test")]
CARD = (
    "---\nconfigs:\n- config_name: default\n  data_files:\n"
    + "".join(f"  - split: {split}\n    path: {split}.jsonl\n" for split in SPLITS)
    + "---\n"
)
FOLDER = "mistral-instruct-ultrafeedback"
LONG = '''\
"""ORPO on pairs with a long context before the question."""

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import ORPOConfig, ORPOTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
model = AutoModelForCausalLM.from_pretrained("model")
dataset = load_dataset("json", data_files="contexts.jsonl", split="train")


def with_template(row):
    messages = [{"role": "user", "content": row["context"] + "\\n\\n" + row["question"]}]
    return {
        "prompt": tokenizer.apply_chat_template(
            messages, tokenize=False, add_generation_prompt=True
        ),
        "chosen": row["good"],
        "rejected": row["bad"],
    }


args = ORPOConfig(
    output_dir="orpo",
    learning_rate=8e-6,
    lr_scheduler_type="linear",
    beta=0.1,
    max_length=128,
    max_prompt_length=128,
    per_device_train_batch_size=2,
    gradient_accumulation_steps=1,
    logging_steps=1,
    max_steps=2,
    save_strategy="no",
    report_to="none",
    use_cpu=True,
    bf16=False,
)
trainer = ORPOTrainer(
    model=model,
    args=args,
    train_dataset=dataset.map(with_template, remove_columns=dataset.column_names),
    processing_class=tokenizer,
)
trainer.train()
'''
CONTEXTS = rows(
    *(
        {"context": f"Protocol {n}. " + "The committee met and nothing was decided. " * times,
         "question": "What was decided?", "good": "Nothing.", "bad": "All."}
        for n, times in enumerate((0, 40, 0, 40))
    )
)  # fmt: skip
REPORTS = (
    Report(
        "princeton-nlp/SimPO#18",
        "four",
        'Unknown split "train"',
        r"split.*\btrain|\btrain.*split",
        {
            "train.py": MIXED,
            f"{FOLDER}/README.md": CARD,
            **{f"{FOLDER}/{split}.jsonl": PREFERENCES for split in SPLITS},
        },
        changed(MIXED, ('["train", "test"]', '["train_iteration_1", "test_iteration_1"]')),
    ),
    Report(
        "huggingface/trl#1473",
        "ppo-first",
        r"'(loss|log_odds_ratio|logps/chosen|nll_loss)': nan",
        r"max_length|max_prompt_length|longer than|too long|\btruncat|\bcuts? ",
        {"train.py": LONG, "contexts.jsonl": CONTEXTS},
        changed(
            LONG,
            ("dataset.map(with_template, remove_columns=dataset.column_names)",
             "dataset.map(with_template, remove_columns=dataset.column_names).filter(fits)"),
            ("\n\nargs = ORPOConfig(", '\n\ndef fits(row):\n'
             '    return len(tokenizer(row["prompt"] + row["chosen"])["input_ids"]) < 128\n'
             "\n\nargs = ORPOConfig("),
        ),
    ),
)  # fmt: skip
