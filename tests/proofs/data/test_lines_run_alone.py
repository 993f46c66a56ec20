"""What check runs of a script: the lines that make its rows and its collator, and nothing else."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from commands import ran, reports
from laid import ROOT, Interpreter

SCRIPT = """\
import json
import random

from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

open("started", "w").close()


def talks(path):
    with open(path) as file:
        for line in file:
            row = json.loads(line)
            yield [{"role": "user", "content": row["question"]},
                   {"role": "assistant", "content": row["answer"]}]


def main():
    tokenizer = AutoTokenizer.from_pretrained("model")
    tokenizer.pad_token = "<|fim_pad|>"
    model = AutoModelForCausalLM.from_pretrained("model")
    model.config.use_cache = False
    rows = list(talks("rows.jsonl"))
    random.Random(3).shuffle(rows)
    texts = [tokenizer.apply_chat_template(talk, tokenize=False).strip() for talk in rows]

    def collate(rows):
        batch = tokenizer([row["text"] for row in rows], return_tensors="pt", padding=True)
        labels = batch["input_ids"].clone()
        labels[labels == tokenizer.pad_token_id] = -100
        return {**batch, "labels": labels}

    trainer = SFTTrainer(
        model,
        args=SFTConfig("out", max_steps=1, per_device_train_batch_size=2, use_cpu=True, bf16=False,
                       report_to="none", save_strategy="no", remove_unused_columns=False,
                       dataset_kwargs={"skip_prepare_dataset": True}),
        train_dataset=Dataset.from_dict({"text": texts}),
        data_collator=collate,
        processing_class=tokenizer,
    )
    trainer.train()
    learnt = collate([{"text": texts[0]}])["labels"].tolist()[0]
    print("the end is learnt:", tokenizer.eos_token_id in learnt)


if __name__ == "__main__":
    main()
"""
LINE = (
    SCRIPT.split("\n").index('                   {"role": "assistant", "content": row["answer"]}]')
    + 1
)


def lay(folder: Path, before: str = "", after: str = "") -> Path:
    """The script with one text in the place of another, a model, and rows."""
    assert before in SCRIPT
    folder.mkdir()
    shutil.copytree(ROOT / "fixtures/models/healthy", folder / "model")
    row = '{{"question": "What is {0} and {0}?", "answer": "It is {1}."}}\n'
    (folder / "rows.jsonl").write_text("".join(row.format(n, 2 * n) for n in range(3, 11)))
    (folder / "train.py").write_text(SCRIPT.replace(before, after) if before else SCRIPT)
    return folder / "train.py"


@pytest.mark.slow
@pytest.mark.parametrize("environment", ["current", "four"])
def test_lines_that_make_rows_are_run_alone(
    environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    """A key that no row has ends the run; a collator that leaves out the eos is told, too."""
    python = interpreter(environment)
    targets = [
        lay(tmp_path / "healthy"),
        lay(tmp_path / "key", 'row["answer"]', 'row["anwser"]'),
        lay(tmp_path / "pad", 'pad_token = "<|fim_pad|>"', "pad_token = tokenizer.eos_token"),
    ]
    healthy, key, pad = (ran(python, "train.py", cwd=target.parent) for target in targets)
    assert healthy.returncode == 0 and "the end is learnt: True" in healthy.stdout, healthy.stderr
    assert key.returncode == 1 and "KeyError: 'anwser'" in key.stderr
    assert pad.returncode == 0 and "the end is learnt: False" in pad.stdout, pad.stderr
    for target in targets:
        (target.parent / "started").unlink()
    told = {}
    for report in reports(targets, python, "--level", "tiny"):
        errors = [(check["rule"], finding) for check in report["checks"]
                  for finding in check["findings"] if finding["severity"] == "error"]  # fmt: skip
        told[Path(report["target"]).parent.name] = [rule for rule, _ in errors]
        if errors and errors[0][0] == "data-lines-raise":
            assert errors[0][1]["line"] == LINE
    assert told == {"healthy": [], "key": ["data-lines-raise"], "pad": ["step-labels-lack-eos"]}
    assert not list(tmp_path.rglob("started"))  # the script itself was never run
