"""How far `trl-doctor rehearse` comes with scripts that it never saw, and what it costs.

    python benchmarks/rehearse.py --python PY [--examples CHECKOUT] [FOLDER...]

Rehearses the scripts that come with the installed TRL, scripts in the usual shapes with models and
data sets of the Hub (which are not here), and every .py in the folders that makes a trainer. With
--examples it rehearses instead the scripts in `examples` of a checkout of TRL, at the tag of the
installed release, each with the commands that its own text gives, in order, until one takes a step;
if none does because a parser refuses some words, the last without these (TRL's source
distributions have no examples). Prints how far each came and why no further, CPU seconds,
against importing the libraries alone, and seconds by the clock.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import resource
import shlex
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

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
Lines: TypeAlias = Sequence[Sequence[str]]
"""Commands, in words, of which one after the other is tried."""

REFUSED = re.compile(
    r"not used by the HfArgumentParser: (.*)|argument (\S+): expected one argument"
)
"""What a parser of arguments says about words of a command that it does not take."""

DEPENDENCIES = re.compile(r"^# dependencies = \[(.*?)^# ///", re.DOTALL | re.MULTILINE)

AIM = 30.0
"""Seconds within which a script should reach a step."""

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
from dataclasses import dataclass, replace
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


@dataclass(frozen=True)
class Result:
    """How far a rehearsal came, why no further, its seconds, whether a package is missing.

    `seconds` are of the processor, of all processes together, `clock` by the clock.
    """

    reached: str
    why: str
    seconds: float
    clock: float
    lacks_package: bool
    corrected: bool = False

    @property
    def took_a_step(self) -> bool:
        return self.reached in ("step", "end")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folders", type=Path, nargs="*")
    parser.add_argument("--python", required=True)
    parser.add_argument("--examples", type=Path, metavar="CHECKOUT")
    parser.add_argument("--only", default="", help="pattern of the scripts to rehearse")
    parser.add_argument("--timeout", default="240")
    options = parser.parse_args()
    bare = _importing(options.python)
    print(f"importing trl, transformers and datasets alone: {bare:.1f} CPU s")
    results = []
    with tempfile.TemporaryDirectory() as folder:
        commands = (
            _documented(options.examples) if options.examples else _commands(options, Path(folder))
        )
        for name, lines, where in commands:
            if not re.search(options.only, name):
                continue
            result, left_out = _first_step(options, lines, where)
            lacking = _lacking(options.python, where / "examples" / name)
            if lacking and not result.took_a_step:
                result = replace(result, lacks_package=True, why=f"{lacking} is not installed")
            results.append(result)
            why = f"without {left_out}, which it refuses; {result.why}" if left_out else result.why
            print(f"{name:34} {result.reached:8} {result.seconds:6.1f} s "
                  f"{result.seconds / bare:4.1f}x {result.clock:6.1f} s  {why:.200}",
                  flush=True)  # fmt: skip
    _summary(results)
    return 0


def _first_step(options: argparse.Namespace, lines: Lines, where: Path) -> tuple[Result, str]:
    """The first command that takes a step; without the words that the script's parser refuses.

    Words are left out only where no command takes a step as it is.
    """
    for words in lines:
        result = _rehearsed(options, words, where)
        if result.took_a_step or result.lacks_package:
            return result, ""
    refused = REFUSED.search(result.why)
    if refused is None:
        return result, ""
    out = re.findall(r"[^\s,'\[\]]+", refused[1] or refused[2])
    kept = [word for word in lines[-1] if word not in out]
    corrected = _rehearsed(options, kept, where)
    return replace(corrected, corrected=True), " ".join(out)


def _lacking(python: str, script: Path) -> str:
    """The first package of the script's own list of dependencies that is not installed."""
    listed = DEPENDENCIES.search(script.read_text("utf-8")) if script.is_file() else None
    names = [
        re.split(r"[^\w.-]", word)[0]
        for word in re.findall(r'"(.+?)"', listed[1] if listed else "")
    ]
    code = (
        "import sys, importlib.metadata as m\n"
        "there = {str(d.metadata['Name']).lower().replace('_', '-') for d in m.distributions()}\n"
        "print(next((n for n in sys.argv[1:] if n.lower().replace('_', '-') not in there), ''))"
    )
    return subprocess.run([python, "-c", code, *names], capture_output=True, text=True,
                          check=True).stdout.strip()  # fmt: skip


def _summary(results: Sequence[Result]) -> None:
    counts = Counter(result.reached for result in results)
    for at, reached in enumerate(REACHED[1:], 1):
        many = sum(counts[stage] for stage in REACHED[at:])
        print(f"reached {reached} or more: {many} of {len(results)}")
    corrected = [result for result in results if result.corrected and result.took_a_step]
    able = [result for result in results if not result.lacks_package]
    steps = [result for result in able if result.took_a_step]
    cheap = [step for step in steps if step.seconds <= AIM]
    soon = [step for step in steps if step.clock <= AIM]
    print(f"whose packages are here: {len(able)}; of them {len(steps)} took a step, "
          f"{len(cheap)} ended within {AIM:g} CPU s, {len(soon)} by the clock, "
          f"{len(corrected)} without a word of their command")  # fmt: skip


def _documented(checkout: Path) -> Iterator[tuple[str, Lines, Path]]:
    """The scripts in `examples` that make a trainer, with the commands in each one's docstring."""
    for file in sorted((checkout / "examples").rglob("*.py")):
        text = file.read_text("utf-8")
        if not re.search(r"\w+Trainer\(", text):
            continue
        name = str(file.relative_to(checkout))
        entries = list(_commands_in("\n".join(_texts(ast.parse(text))), file.name))
        lines = [["--", *words] for words in entries or [["python", name]]]
        yield name.removeprefix("examples/"), lines, checkout


def _texts(tree: ast.Module) -> Iterator[str]:
    """The docstring, and other texts that stand for themselves: some come after the imports."""
    for node in tree.body:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield str(node.value.value)


def _commands_in(docstring: str, script: str) -> Iterator[list[str]]:
    """The words of each command that starts a script, with the checkout's path of it."""
    for line in docstring.replace("\\\n", " ").splitlines():
        if re.match(r"(\w+=\S+ +)*(python|accelerate launch|torchrun|uv run)\b", line.strip()):
            words = shlex.split(line, comments=True)
            if any(word.endswith(script) for word in words):
                yield ["python", *words[2:]] if words[:2] == ["uv", "run"] else words


def _commands(options: argparse.Namespace, folder: Path) -> Iterator[tuple[str, Lines, Path]]:
    """The name of each script, its commands, and the folder to run it in."""
    for name, data in DATA.items():
        words = ["--", "python", "-m", f"trl.scripts.{name}", "--model_name_or_path", MODEL]
        words += ["--dataset_name", data, "--output_dir", "out", *MORE.get(name, ())]
        yield f"trl.scripts.{name}", [words], folder
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
            yield f"{shape} {name}", [[f"{shape}_{name}.py"]], folder
    for given in options.folders:
        for file in sorted(given.rglob("*.py")):
            if re.search(r"\w+Trainer\(", file.read_text("utf-8", "replace")):
                yield file.name, [[file.name]], file.parent


def _rehearsed(options: argparse.Namespace, words: Sequence[str], folder: Path) -> Result:
    before, begun = _seconds(), time.monotonic()
    command = [sys.executable, "-m", "trl_doctor", "rehearse", "--python", options.python]
    command += ["--format", "json", "--timeout", options.timeout, *words]
    process = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False,
                             env={**os.environ, "OMP_NUM_THREADS": "1"})  # fmt: skip
    seconds, clock = _seconds() - before, time.monotonic() - begun
    if not process.stdout:
        return Result("nothing", process.stderr.strip(), seconds, clock, False)
    (target,) = json.loads(process.stdout)["targets"]
    measured: dict[str, Any] = {probe["probe"]: probe["measured"] for probe in target["probes"]}
    answer = measured.get("rehearsal") or {"reached": "nothing", "failure": None}
    failure = answer["failure"] or {"message": "", "kind": "", "file": "", "line": 0}
    at = f"{Path(failure['file']).name}:{failure['line']} " if failure["file"] else ""
    return Result(answer["reached"], at + failure["message"], seconds, clock,
                  failure["kind"] == "package")  # fmt: skip


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
