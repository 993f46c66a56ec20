"""What the step with the vLLM engine in it costs, against a bare TRL script that does the same.

    python benchmarks/engine.py --python PATH_TO_AN_INTERPRETER_WITH_TRL_AND_VLLM

The bare script is the `repeat.py` that `--keep` leaves: one GRPO step with a colocated engine. The
doctor takes that step and asks the same engine about weights, log-probabilities and stops; with
three targets in one command the libraries are imported once. Prints the seconds of every part of
the check, whole-process times taken in turns, and their ratios pair by pair; then the same of the
seconds of processors, for a machine that has other work.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "fixtures"))
import make
from step import MIB, in_turns
from timing import ratio

RUN = {
    "model_name_or_path": "model",
    "dataset_format": "conversational",
    "num_processes": 1,
    "num_generations": 4,
    "per_device_train_batch_size": 4,
    "max_completion_length": 24,
    "use_vllm": True,
    "vllm_mode": "colocate",
}
TARGETS = 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--python", required=True, help="an interpreter with trl and vllm")
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    doctor = str(Path(sys.executable).with_name("trl-doctor"))
    flags = ["--trainer", "grpo", "--python", options.python, "--select", "vllm-step-raises"]
    with tempfile.TemporaryDirectory() as name:
        runs = [candidate(Path(name) / str(number)) for number in range(TARGETS)]
        check = [doctor, "check", *flags]
        kept = [*check, runs[0], "--keep", f"{name}/kept", "--format", "json"]
        process = subprocess.run(kept, capture_output=True, check=False)
        print_probes(json.loads(process.stdout)["targets"][0]["probes"])
        commands = {
            "bare TRL script": [options.python, f"{name}/kept/engine/work/repeat.py"],
            "trl-doctor: the step and its engine": [*check, runs[0]],
            f"trl-doctor: {TARGETS} targets": [*check, *runs],
        }
        seconds, memory, processor = in_turns(commands, options.runs, None)
    for label, times in seconds.items():
        middle = statistics.median(times)
        print(f"{label:36} {middle:6.2f} s  ({min(times):.2f} to {max(times):.2f})"
              f"   {max(memory[label]) / MIB:5.0f} MiB")  # fmt: skip
    bare, alone, several = seconds.values()
    print(f"\nthe step and its engine / bare script   {ratio(alone, bare)}   aim: at most 1.1")
    print(f"{TARGETS} targets / one target                 {ratio(several, alone)}")
    bare, alone, several = processor.values()
    print(
        f"processor seconds: bare {statistics.median(bare):.1f}, the step and its engine "
        f"{statistics.median(alone):.1f}, {TARGETS} targets {statistics.median(several):.1f}"
    )
    print(f"the step and its engine / bare script   {ratio(alone, bare)}")
    print(f"{TARGETS} targets / one target                 {ratio(several, alone)}")


def print_probes(probes: list[dict[str, object]]) -> None:
    """The seconds of every part of the check, after the imports."""
    for probe in probes:
        measured = probe["measured"]
        parts = measured.get("seconds") if isinstance(measured, dict) else None
        for part, seconds in (parts or {}).items():
            print(f"  engine: {part:10} {seconds:6.2f} s")
    print()


def candidate(folder: Path) -> str:
    """A run with vLLM, and a healthy model whose heads the engine's attention takes."""
    make.HIDDEN = 64
    tokenizer = make.tokenizer()
    named = {"eos_token": "<|im_end|>", "pad_token": "<|fim_pad|>"}
    ids = {f"{key}_id": tokenizer.token_to_id(token) for key, token in named.items()}
    make.write(
        str(folder / "model"),
        {
            "tokenizer.json": tokenizer.to_str(),
            "tokenizer_config.json": make.tokenizer_config(tokenizer, **named),
            "config.json": make.config(**ids),
            "generation_config.json": ids,
            "model.safetensors": make.safetensors(make.tensors()),
        },
    )
    (folder / "run.json").write_text(json.dumps(RUN))
    return str(folder / "run.json")


if __name__ == "__main__":
    main()
