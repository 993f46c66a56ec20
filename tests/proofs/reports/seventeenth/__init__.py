"""Threads of a seventeenth list: by the user's symptom, mostly of runs that end.

Fifty symptoms were written down before the first result (rewards that are read wrongly, references,
masks, reasoning, tools, system texts, saving, resuming, evaluation, precision, schedules, several
processes, caches, labels, fixes of other projects …). Some 55 searches of issues and two of pages
were made; after the first twenty they named projects whose threads had come up. Taken was what runs
in an environment here, has a number that was nowhere here, and is a kind of mistake that these
lists did not have yet; of most kinds that came up, there was a thread here. Several are pull
requests, or reviews of them, in which a project corrects its own code: then the part that was wrong
is rebuilt around TRL's trainer. Fifteen of the 17 end without an error.

In the scripts of CoursIA#13596, #10603 and #12429, trl#2970 and unsloth#594 the limits and numbers
of rows are scaled to a small model. trl#6671 is the second finding of a review. Of trl#6259 the
remedy is written into the script, because no release of its environment has the fix.

Left out: no known cause or value: trl#2385, #2657, #2875, #3452, #3640, #3910, #4525, #5298,
transformers#48016; a package or a release that no environment has: trl#1340, #6804, GRIT#5,
cosmos-rl#239; the same failure as one here: trl#1752, #2604, #5026, #5213, #6533, #6668,
open-r1#349, smol-vision#11, Transformers-Tutorials#511, Soup#294, #326, #799, #802; no trainer of
TRL: extract0#1, NeMo-Agent-Toolkit#1241, minimind#737; no run fails: trl#1810, #3333, #2543.
"""

from dataclasses import replace

from reports.report import CHATS, PREFERENCES, Report, changed
from reports.seventeenth import groups, preferences, rows, settings

PACKED = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

tcfg = {"packing": True, "max_length": 128, "batch_size": 1}


def _as_sft_config(tcfg):
    return SFTConfig(
        output_dir="soup",
        max_length=tcfg["max_length"],
        per_device_train_batch_size=tcfg["batch_size"],
        max_steps=1,
        learning_rate=1e-4,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    )


trainer_kwargs = {
    "model": AutoModelForCausalLM.from_pretrained("model"),
    "args": _as_sft_config(tcfg),
    "train_dataset": load_dataset("json", data_files="chats.jsonl", split="train"),
    "processing_class": AutoTokenizer.from_pretrained("model"),
}
if tcfg["packing"]:
    trainer_kwargs["packing"] = True
trainer = SFTTrainer(**trainer_kwargs)
trainer.train()
"""
PURE_PROMPTS = """\
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

data = Dataset.from_list(
    [
        {
            "prompt": f"You are a helpful assistant. Please answer this question, number {i}. "
            f"Think about it carefully and show your reasoning. What is {i} plus {i}?",
            "completion": f" {2 * i}.",
        }
        for i in range(32)
    ]
)
args = SFTConfig(
    output_dir="packed",
    completion_only_loss=True,
    max_length=16,
    packing=True,
    per_device_train_batch_size=2,
    max_steps=1,
    learning_rate=5e-5,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    args=args,
    train_dataset=data,
    processing_class=AutoTokenizer.from_pretrained("model"),
)
trainer.train()
empty = [all(one == -100 for one in row["labels"]) for row in trainer.train_dataset]
print("most packed rows teach nothing:", sum(empty) > len(empty) / 2)
"""
NO_SPLIT = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer

config = {"train_split": "pairs.jsonl", "valid_split": None, "chat_template": "tokenizer"}


def load_valid_data(config):
    if config["valid_split"] is not None:
        return load_dataset("json", data_files=config["valid_split"], split="train")
    return None


def apply_chat_template(row, tokenizer):
    asked = [{"role": "user", "content": row["prompt"]}]
    row["prompt"] = tokenizer.apply_chat_template(
        asked, tokenize=False, add_generation_prompt=True
    )
    return row


def process_data_with_chat_template(config, tokenizer, train_data, valid_data):
    if config["chat_template"] is not None:
        train_data = train_data.map(apply_chat_template, fn_kwargs={"tokenizer": tokenizer})
        valid_data = valid_data.map(apply_chat_template, fn_kwargs={"tokenizer": tokenizer})
    return train_data, valid_data


tokenizer = AutoTokenizer.from_pretrained("model")
train_data = load_dataset("json", data_files=config["train_split"], split="train")
train_data, valid_data = process_data_with_chat_template(
    config, tokenizer, train_data, load_valid_data(config)
)
trainer = DPOTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    args=DPOConfig(
        output_dir="autotrain-dpo",
        per_device_train_batch_size=2,
        max_steps=1,
        learning_rate=1e-4,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=train_data,
    eval_dataset=valid_data,
    processing_class=tokenizer,
)
trainer.train()
"""
THREADS = (
    Report(
        "MakazhanAlpamys/Soup#691",
        "current",
        "unexpected keyword argument 'packing'",
        "packing",
        {"train.py": PACKED, "chats.jsonl": CHATS},
        changed(
            PACKED,
            ('if tcfg["packing"]:\n    trainer_kwargs["packing"] = True\n', ""),
            (
                '        max_length=tcfg["max_length"],\n',
                '        max_length=tcfg["max_length"],\n        packing=tcfg["packing"],\n',
            ),
        ),
    ),
    Report(
        "huggingface/trl#6671",
        "current",
        "most packed rows teach nothing: True",
        "max_length|packing",
        {"train.py": PURE_PROMPTS},
        changed(PURE_PROMPTS, ("max_length=16", "max_length=256")),
        level="",
    ),
    Report(
        "huggingface/autotrain-advanced#849",
        "current",
        "'NoneType' object has no attribute 'map'",
        "'NoneType' object has no attribute 'map'",
        {"train.py": NO_SPLIT, "pairs.jsonl": PREFERENCES},
        changed(
            NO_SPLIT,
            (
                "        valid_data = valid_data.map(",
                "        if valid_data is not None:\n            valid_data = valid_data.map(",
            ),
        ),
        level="",
    ),
)
REPORTS = tuple(
    replace(report, group="seventeenth")
    for report in (
        *THREADS,
        *groups.REPORTS,
        *preferences.REPORTS,
        *rows.REPORTS,
        *settings.REPORTS,
    )
)
