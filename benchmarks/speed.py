"""How long a check of the files takes, against loading the same files with transformers.

    python benchmarks/speed.py --python PATH_TO_AN_INTERPRETER_WITH_TRANSFORMERS [--before COMMIT]

Prints whole-process times taken in turns in one run, and their ratios pair by pair. With --before
trl-doctor is installed twice, as users install it: this checkout, and that commit of it; a run file
and a short script are then checked, too. With --processor it is the processor's time, which other
work on the machine changes little.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from checkpoint import make
from timing import in_turns, milliseconds, processor, ratio

ROOT = Path(__file__).parents[1]
LOAD = """
import sys
from transformers import AutoConfig, AutoTokenizer, GenerationConfig
AutoConfig.from_pretrained(sys.argv[1])
AutoTokenizer.from_pretrained(sys.argv[1])
GenerationConfig.from_pretrained(sys.argv[1])
"""
READ = "import pathlib, sys; [f.read_bytes() for f in pathlib.Path(sys.argv[1]).glob('*.json')]"
CHECK, BARE = "trl-doctor check --level files", "python: pass, and read the bytes"
BEFORE, TRANSFORMERS = "the same, before", "transformers: load the three"
OTHERS = {"a run file": "grpo.yaml", "a short script": "train.py"}
"""What else is checked with --before; a commit that knows no scripts refuses the second."""

SCRIPT = """\
from datasets import load_dataset
from trl import SFTConfig, SFTTrainer

rows = load_dataset("json", data_files="data/messages/train.jsonl", split="train")
arguments = SFTConfig(output_dir="out", learning_rate=1e-5, max_length=1024)
SFTTrainer(model="models/healthy", args=arguments, train_dataset=rows).train()
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--python", help="an interpreter with transformers, for the comparison")
    parser.add_argument("--before", metavar="COMMIT", help="compare with this commit")
    parser.add_argument("--tokens", type=int, default=150_000)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--processor", action="store_true", help="processor time, not the clock's")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = make(Path(name) / "model", options.tokens)
        check = ["check", "--level", "files", str(folder)]
        doctor = str(Path(sys.executable).with_name("trl-doctor"))
        commands = {}
        if options.before:
            before = installed(options.before, Path(name) / "before")
            doctor = installed("HEAD", Path(name) / "now")
            commands[BEFORE] = [before, *check]
            commands |= others(before, doctor, Path(name) / "now/source/fixtures")
        commands[CHECK] = [doctor, *check]
        commands[BARE] = [sys.executable, "-c", READ, str(folder)]
        commands["trl-doctor --help"] = [doctor, "--help"]
        if options.python:
            commands[TRANSFORMERS] = [options.python, "-c", LOAD, str(folder)]
        size = (folder / "tokenizer.json").stat().st_size
        print(f"{options.tokens:,} tokens, tokenizer.json of {size / 2**20:.1f} MiB\n", flush=True)
        clock = processor if options.processor else time.perf_counter
        report(in_turns(commands, options.runs, (0, 1, 3), clock))


def others(before: str, now: str, folder: Path) -> dict[str, list[str]]:
    """Checks of the other targets, with both."""
    (folder / OTHERS["a short script"]).write_text(SCRIPT)
    return {
        f"{label}{when}": [doctor, "check", "--level", "files", str(folder / file)]
        for label, file in OTHERS.items()
        for when, doctor in ((", before", before), ("", now))
    }


def installed(commit: str, folder: Path) -> str:
    """The `trl-doctor` of a commit of this repository, in an environment of its own."""
    source = folder / "source"
    source.mkdir(parents=True)
    packed = subprocess.run(
        ["git", "-C", str(ROOT), "archive", commit], check=True, capture_output=True
    )
    subprocess.run(["tar", "-x", "-C", str(source)], check=True, input=packed.stdout)
    subprocess.run([sys.executable, "-m", "venv", str(folder / "env")], check=True)
    python = folder / "env/bin/python"
    subprocess.run([str(python), "-m", "pip", "install", "-qq", str(source)], check=True)
    return str(python.with_name("trl-doctor"))


def report(seconds: dict[str, list[float]]) -> None:
    """Print the times, and how many times longer the one takes than the other."""
    for label, times in seconds.items():
        print(f"{label:36} {milliseconds(times)}")
    checks = seconds[CHECK]
    print(f"\ncheck / pass and read the bytes      {ratio(checks, seconds[BARE])}")
    if before := seconds.get(BEFORE):
        print(f"check / check before                 {ratio(checks, before)}   aim: 0.5 or less")
        for label in OTHERS:
            both = seconds[label], seconds[f"{label}, before"]
            print(f"{label + ' / before':36} {ratio(*both)}")
    if load := seconds.get(TRANSFORMERS):
        print(f"transformers / check                 {ratio(load, checks)}   aim: 20 or more")


if __name__ == "__main__":
    main()
