"""Threads of a thirty-seventh list: a tokenizer that splits texts otherwise than its file says."""

import json

from laid import ROOT

from reports.report import Report, changed, rows

ALONE = '''\
"""Fine-tunes a model that thinks, with the tokenizer of its own repository."""

import torch
from datasets import load_dataset
from tokenizers import Tokenizer
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedTokenizerFast, set_seed
from trl import SFTConfig, SFTTrainer


def main():
    set_seed(1)
    tokenizer = AutoTokenizer.from_pretrained("tokenizer")
    rows = load_dataset("json", data_files="thoughts.jsonl", split="train")
    trainer = SFTTrainer(
        model=AutoModelForCausalLM.from_pretrained("model", dtype=torch.float32),
        processing_class=tokenizer,
        train_dataset=rows,
        args=SFTConfig(
            output_dir="thoughts",
            max_steps=2,
            per_device_train_batch_size=2,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
    )
    trainer.train()
    own = Tokenizer.from_file("tokenizer/tokenizer.json")
    other = sum(own.encode(text).ids != tokenizer(text)["input_ids"] for text in rows["text"])
    print("texts that are split otherwise than in the pretraining:", other, "of", len(rows))


if __name__ == "__main__":
    main()
'''
PIECES = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
MODEL = ROOT / "fixtures/models/healthy"


def tokenizer_files() -> dict[str, str]:
    """A folder with a tokenizer alone: pieces of another pattern, and two tokens for them."""
    own = json.loads((MODEL / "tokenizer.json").read_text())
    vocabulary, merges = own["model"]["vocab"], own["model"]["merges"]
    for pair, last in zip(([">", "Ċ"], ["<", "t"]), merges[-2:], strict=True):
        vocabulary["".join(pair)] = vocabulary.pop("".join(last))
    merges[-2:] = [[">", "Ċ"], ["<", "t"]]
    pattern = {"type": "Split", "pattern": {"Regex": PIECES}, "behavior": "Isolated"}
    bytes_alone = {
        "type": "ByteLevel",
        "add_prefix_space": False,
        "trim_offsets": True,
        "use_regex": False,
    }
    own["pre_tokenizer"] = {
        "type": "Sequence",
        "pretokenizers": [{**pattern, "invert": False}, bytes_alone],
    }
    config = json.loads((MODEL / "tokenizer_config.json").read_text())
    config |= {"tokenizer_class": "GPT2Tokenizer", "unk_token": "<|endoftext|>"}
    return {
        "tokenizer/tokenizer.json": json.dumps(own),
        "tokenizer/tokenizer_config.json": json.dumps(config),
    }


THOUGHTS = rows(
    *(
        {"text": f"What is {n} and {n}?\n<think>\nI add.\n</think>\n{2 * n}<|im_end|>"}
        for n in range(3, 9)
    )
)
REPORTS = (
    Report(
        "allenai/open-instruct#1896",
        "current",
        "in the pretraining: 6 of 6",
        r"GPT2Tokenizer|pre.?tokeniz|tokenizer_class|splits? (the )?texts? otherwise",
        {"train.py": ALONE, "thoughts.jsonl": THOUGHTS, **tokenizer_files()},
        changed(
            ALONE,
            (
                'AutoTokenizer.from_pretrained("tokenizer")',
                'PreTrainedTokenizerFast.from_pretrained("tokenizer")',
            ),
        ),
    ),
)
