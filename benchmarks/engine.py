"""How long each question to the real vLLM takes, and what starting the engine costs.

    python benchmarks/engine.py --python PATH_TO_AN_INTERPRETER_WITH_TRL_AND_VLLM

Prints the seconds of every part of one check, the median of some runs, and its share.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "fixtures"))
import make

from trl_doctor.asking.oracle import Conditions
from trl_doctor.asking.probes import Probes
from trl_doctor.checkup.levels import ON_CPU
from trl_doctor.checkup.opening import Options, open_run
from trl_doctor.core.question import Answer, Pending
from trl_doctor.core.sizes import shown
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.engine import engine
from trl_doctor.facts.measured.engine_tokenizer import engine_tokenizer
from trl_doctor.facts.measured.libraries import libraries
from trl_doctor.files.target import target
from trl_doctor.machine.environment import Environment, environment

RUN = {
    "trainer": "grpo",
    "model_name_or_path": "model",
    "use_vllm": True,
    "top_p": 0.8,
    "generation_kwargs": {"stop": ["<|im_start|>"]},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--python", required=True, help="an interpreter with trl and vllm")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    world = environment(Path(options.python))
    with tempfile.TemporaryDirectory() as name:
        candidate(Path(name))
        runs = [asked(Path(name), world) for _ in range(options.runs)]
    seconds = {label: statistics.median(run[0][label] for run in runs) for label in runs[0][0]}
    whole = sum(seconds.values())
    for label, median in seconds.items():
        print(f"{label:44} {median:7.2f} s {median / whole:6.0%}")
    print(f"{'all of it':44} {whole:7.2f} s")
    print(f"the engine's process held at most {shown(max(memory for _, memory in runs))}")


def candidate(folder: Path) -> None:
    """A run with vLLM, and a healthy model whose heads the engine's attention takes."""
    make.HIDDEN = 64
    tokenizer = make.tokenizer()
    end = tokenizer.token_to_id("<|im_end|>")
    make.write(
        str(folder / "model"),
        {
            "tokenizer.json": tokenizer.to_str(),
            "tokenizer_config.json": make.tokenizer_config(tokenizer, eos_token="<|im_end|>"),
            "config.json": make.config(eos_token_id=end),
            "generation_config.json": {"eos_token_id": end},
            "model.safetensors": make.safetensors(make.tensors()),
        },
    )
    (folder / "run.json").write_text(json.dumps(RUN))


def asked(folder: Path, world: Environment) -> tuple[dict[str, float], int]:
    """The seconds of every part of one check, and the bytes that the engine's process held."""
    with Probes(world.python, Conditions(), ON_CPU) as probes:
        run = open_run(target(str(folder / "run.json"), offline=True), world, Options(offline=True))
        facts = Facts(run, world, probes)
        start = time.perf_counter()
        awaited(facts, libraries)
        imported = time.perf_counter() - start
        tokenizer = awaited(facts, engine_tokenizer)
        answer = awaited(facts, engine)
    loader, parts = tokenizer.measured()["seconds"], answer.measured()["seconds"]
    return {
        "importing torch, transformers, trl with vllm": imported,
        "vLLM's tokenizer loader: importing it": loader["import"],
        "vLLM's tokenizer loader: both tokenizers": loader["load"],
        "engine: importing the rest": parts["import"],
        "engine: a small model": parts["shrink"],
        "engine: starting it, one token": parts["start"],
        "engine: the first sync": parts["sync"],
        "engine: sampling and log-probabilities": parts["logprobs"],
        "engine: who stops it": parts["stops"],
    }, answer.memory


def awaited(facts: Facts, fact: Callable[[Facts], Answer]) -> Answer:
    """A fact's answer, when it has come."""
    while True:
        try:
            return fact(facts)
        except Pending:
            facts.probes.finish()


if __name__ == "__main__":
    main()
