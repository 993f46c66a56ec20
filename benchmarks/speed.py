"""How long a check of the files takes, against loading the same files with transformers.

    python benchmarks/speed.py --python PATH_TO_AN_INTERPRETER_WITH_TRANSFORMERS

Prints whole-process times taken in turns in one run, and their ratios pair by pair.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from checkpoint import make
from timing import in_turns, milliseconds, ratio

LOAD = """
import sys
from transformers import AutoConfig, AutoTokenizer, GenerationConfig
AutoConfig.from_pretrained(sys.argv[1])
AutoTokenizer.from_pretrained(sys.argv[1])
GenerationConfig.from_pretrained(sys.argv[1])
"""
READ = "import pathlib, sys; [f.read_bytes() for f in pathlib.Path(sys.argv[1]).glob('*.json')]"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--python", help="an interpreter with transformers, for the comparison")
    parser.add_argument("--tokens", type=int, default=150_000)
    parser.add_argument("--runs", type=int, default=7)
    options = parser.parse_args()
    doctor = str(Path(sys.executable).with_name("trl-doctor"))
    with tempfile.TemporaryDirectory() as name:
        folder = str(make(Path(name) / "model", options.tokens))
        commands = {
            "trl-doctor check --level files": [
                doctor,
                "check",
                "--level",
                "files",
                "--allow-incomplete",
                folder,
            ],
            "python: pass, and read the bytes": [sys.executable, "-c", READ, folder],
            "trl-doctor --help": [doctor, "--help"],
        }
        if options.python:
            commands["transformers: load the three"] = [options.python, "-c", LOAD, folder]
        size = (Path(folder) / "tokenizer.json").stat().st_size
        print(f"{options.tokens:,} tokens, tokenizer.json of {size / 2**20:.1f} MiB\n")
        seconds = in_turns(commands, options.runs, statuses=(0,))
    for label, times in seconds.items():
        print(f"{label:36} {milliseconds(times)}")
    doctors, read, _, *loaded = seconds.values()
    print(f"\ncheck / pass and read the bytes      {ratio(doctors, read)}")
    for times in loaded:
        print(f"transformers / check                 {ratio(times, doctors)}   aim: 20 or more")


if __name__ == "__main__":
    main()
