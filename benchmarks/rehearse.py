"""How far `trl-doctor rehearse` comes with scripts that it never saw, and what it costs.

    python benchmarks/rehearse.py --python PY [FOLDER...]

Rehearses the scripts that come with the installed TRL, scripts in the usual shapes with models and
data sets of the Hub (which are not here), and every .py in the folders that makes a trainer. Prints
how far each came and why no further, and CPU seconds against importing the libraries alone.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

DATA = {
    "sft": "trl-lib/Capybara",
    "dpo": "trl-lib/ultrafeedback_binarized",
    "kto": "trl-lib/kto-mix-14k",
    "grpo": "trl-lib/DeepMath-103K",
    "rloo": "trl-lib/tldr",
    "reward": "trl-lib/ultrafeedback_binarized",
}
MORE = {
    "grpo": ("--reward_funcs", "accuracy_reward"),
    "rloo": ("--reward_model_name_or_path", "trl-lib/Qwen2-0.5B-Reward"),
}
MODEL = "Qwen/Qwen2.5-0.5B-Instruct"
STEM = {"sft": "SFT", "dpo": "DPO", "grpo": "GRPO", "reward": "Reward"}
REACHED = ("nothing", "import", "trainer", "step", "end")

SHAPES = {
    "plain": """\
from datasets import load_dataset
from trl import {stem}Config, {stem}Trainer
{reward}
data = load_dataset("{data}", split="train")
trainer = {stem}Trainer(
    "{model}", args={stem}Config(output_dir="out", bf16=True), train_dataset=data{given}
)
trainer.train()
trainer.save_model("out")
trainer.push_to_hub()
""",
    "argparse": """\
import argparse
import torch
from datasets import load_dataset
from transformers import {auto}, AutoTokenizer
from trl import {stem}Config, {stem}Trainer
{reward}

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default="{model}")
    parser.add_argument("--lr", type=float, default=1e-5)
    options = parser.parse_args()
    tokenizer = AutoTokenizer.from_pretrained(options.model)
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    model = {auto}.from_pretrained(
        options.model, torch_dtype=torch.bfloat16, device_map="auto"{labels}
    )
    data = load_dataset("{data}")
    args = {stem}Config(output_dir="out", learning_rate=options.lr, report_to="wandb")
    trainer = {stem}Trainer(
        model=model, args=args, train_dataset=data["train"], processing_class=tokenizer{given}
    )
    trainer.train()


if __name__ == "__main__":
    main()
""",
    "class": """\
from dataclasses import dataclass
from datasets import load_dataset
from peft import LoraConfig
from trl import {stem}Config, {stem}Trainer
{reward}

@dataclass
class Settings:
    model: str = "{model}"
    steps: int = 5000


class Experiment:
    def __init__(self, settings):
        self.settings = settings

    def rows(self):
        return load_dataset("{data}", split="train").shuffle(seed=1)

    def run(self):
        args = {stem}Config(output_dir="runs", max_steps=self.settings.steps, save_steps=10)
        adapter = LoraConfig(r=16, target_modules=["q_proj", "v_proj"], task_type="{task}")
        trainer = {stem}Trainer(
            model=self.settings.model, args=args, train_dataset=self.rows(),
            peft_config=adapter{given}
        )
        trainer.train()


Experiment(Settings()).run()
""",
}
REWARD = """

def length(completions, **kwargs):
    return [float(len(str(one))) for one in completions]
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folders", type=Path, nargs="*")
    parser.add_argument("--python", required=True)
    parser.add_argument("--timeout", default="240")
    options = parser.parse_args()
    bare = _importing(options.python)
    print(f"importing trl, transformers and datasets alone: {bare:.1f} CPU s")
    told = Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        for name, words, where in _commands(options, Path(folder)):
            reached, why, seconds = _rehearsed(options, words, where)
            told[reached] += 1
            print(f"{name:28} {reached:8} {seconds:6.1f} s {seconds / bare:4.1f}x  {why:.150}")
    total = sum(told.values())
    for at, reached in enumerate(REACHED[1:], 1):
        many = sum(told[one] for one in REACHED[at:])
        print(f"reached {reached} or more: {many} of {total}")
    return 0


def _commands(
    options: argparse.Namespace, folder: Path
) -> Iterator[tuple[str, Sequence[str], Path]]:
    """The name of each script, its command, and the folder to run it in."""
    for name, data in DATA.items():
        words = ["--", "python", "-m", f"trl.scripts.{name}", "--model_name_or_path", MODEL]
        words += ["--dataset_name", data, "--output_dir", "out", *MORE.get(name, ())]
        yield f"trl.scripts.{name}", words, folder
    for shape, text in SHAPES.items():
        for name, stem in STEM.items():
            scores = name == "reward"
            (folder / f"{shape}_{name}.py").write_text(
                text.format(
                    stem=stem,
                    data=DATA[name],
                    model=MODEL,
                    reward=REWARD if name == "grpo" else "",
                    given=", reward_funcs=length" if name == "grpo" else "",
                    auto="AutoModelForSequenceClassification" if scores else "AutoModelForCausalLM",
                    labels=", num_labels=1" if scores else "",
                    task="SEQ_CLS" if scores else "CAUSAL_LM",
                )
            )
            yield f"{shape} {name}", [f"{shape}_{name}.py"], folder
    for given in options.folders:
        for file in sorted(given.rglob("*.py")):
            if re.search(r"\w+Trainer\(", file.read_text("utf-8", "replace")):
                yield file.name, [file.name], file.parent


def _rehearsed(
    options: argparse.Namespace, words: Sequence[str], folder: Path
) -> tuple[str, str, float]:
    """How far a rehearsal came, why no further, and its CPU seconds."""
    before = _seconds()
    command = [sys.executable, "-m", "trl_doctor", "rehearse", "--python", options.python]
    command += ["--format", "json", "--timeout", options.timeout, *words]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
    seconds = _seconds() - before
    if not done.stdout:
        return "nothing", done.stderr.strip(), seconds
    (target,) = json.loads(done.stdout)["targets"]
    measured: dict[str, Any] = {one["probe"]: one["measured"] for one in target["probes"]}
    found = measured.get("rehearsal") or {"reached": "nothing", "failure": None}
    failure = found["failure"]
    return found["reached"], failure["message"] if failure else "", seconds


def _importing(python: str) -> float:
    before = _seconds()
    code = "import datasets, transformers, trl; trl.GRPOTrainer; trl.SFTTrainer"
    subprocess.run([python, "-c", code], check=True, capture_output=True)
    return _seconds() - before


def _seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    sys.exit(main())
