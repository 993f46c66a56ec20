"""The forecast of memory against real runs, full-depth traces and other estimates.

    python benchmarks/fit.py --python PATH_TO_AN_INTERPRETER_WITH_TRL [--only KIND]

`real`: small models of eight architectures, seven trainers, with and without checkpointing and
LoRA, bf16 and fp32: the forecast from traces of few layers against two real steps on the CPU under
the same tracker; `--drawn 60 --seed maple` draws others. `depth`: the forecast against a trace of
all layers. `new`: five architectures that were drawn from transformers', in both ways.
`published`: ten published configurations beside `accelerate estimate-memory`, hf-mem (where the
interpreter has it) and 16 bytes a weight.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fit_cases import PUBLISHED, ROOT, depth_cases, real_cases, request
from fit_drawn import drawn_cases, new_cases

BOTH_WAYS = ROOT / "benchmarks/fit_both_ways.py"
GIB = 1024**3
PHASES = ("generation", "log-probabilities", "forward", "backward", "optimizer step")
EXACT = ("weights", "reference", "reward", "value", "optimizer")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--python", required=True, help="an interpreter with trl")
    parser.add_argument("--only", choices=["real", "depth", "new", "published"])
    parser.add_argument("--match", default="", help="only cases whose name contains this")
    parser.add_argument("--drawn", type=int, help="instead of the cases of `real`, so many others")
    parser.add_argument("--seed", default="13", help="what --drawn draws them by")
    parser.add_argument("--ppo", action="store_true", help="--drawn draws PPO instead of the rest")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if options.only in (None, "real"):
            drawn = drawn_cases(folder, options.drawn or 0, options.seed, options.ppo)
            cases = drawn if options.drawn else real_cases(folder)
            compared(options.python, dict(cases), options.match, 5.0)
        if options.only in (None, "depth"):
            compared(options.python, dict(depth_cases(folder)), options.match, 2.0)
        if options.only in (None, "new"):
            compared(options.python, dict(new_cases(folder)), options.match, 5.0)
        if options.only in (None, "published"):
            published(options.python, folder, options.match)


def published(python: str, folder: Path, match: str) -> None:
    """Ten published models, all of them trained, beside other estimates."""
    cases = {}
    for on in (True, False):
        for name, config in PUBLISHED.items():
            case = request(folder, name, "sft", config=config, max_length=4096,
                           gradient_checkpointing=on, per_device_train_batch_size=2)  # fmt: skip
            label = f"{name}{'' if on else ', no checkpointing'}"
            cases[label] = {**case, "like": "cuda", "whole": "estimates"}
    names = " ".join(f"{title:>9}" for title in ("forecast", "accelerate", "hf-mem", "16 B each"))
    print(f"{'SFT, 2 rows of 4,096 tokens, GiB':36} {'weights':>8} {names}  CPU s  MiB")
    for result in answers(python, {name: case for name, case in cases.items() if match in name}):
        name, forecast, other = result["name"], result["forecast"], result["real"]
        if "failed" in forecast or "failed" in other:
            message = forecast.get("failed") or other.get("failed")
            print(f"{name:36} failed: {message.strip().splitlines()[-1][:120]}", flush=True)
            continue
        count = forecast["sizes"]["parameters"]
        sizes = (top(forecast), other["accelerate"], other["hf-mem"], 16 * count)
        columns = " ".join("-".rjust(9) if size is None else f"{size / GIB:9.1f}" for size in sizes)
        print(f"{name:36} {count / 1e9:6.2f} B {columns}"
              f" {forecast['cpu']:6.1f} {forecast['memory'] / 2**20:4.0f}", flush=True)  # fmt: skip


def compared(python: str, cases: dict[str, Any], match: str, aim: float) -> None:
    """Run the cases and print a line for each; then how many are within the aim."""
    cases = {name: case for name, case in cases.items() if match in name}
    worst: dict[str, float] = {}
    print(f"{'case':34} {'weights, states':>15} " + " ".join(f"{name[:14]:>14}" for name in PHASES)
          + f" {'peak':>8}  CPU s")  # fmt: skip
    for result in answers(python, cases):
        name, forecast, real = result["name"], result["forecast"], result["real"]
        if "failed" in forecast and "failed" in real:
            message = real["failed"].strip().splitlines()[-1]
            print(f"{name:34} runs in neither way: {message[:120]}", flush=True)
            continue
        if "failed" in forecast or "failed" in real:
            message = forecast.get("failed") or real.get("failed")
            which = "forecast" if "failed" in forecast else "real run"
            print(f"{name:34} {which} failed: {message.strip().splitlines()[-1][:120]}", flush=True)
            worst[name] = float("inf")
            continue
        same = all(forecast["held"][part] == real["held"][part] for part in EXACT)
        off = {phase: deviation(phase, forecast, real) for phase in PHASES}
        peak = 100 * (top(forecast) / top(real) - 1)
        worst[name] = abs(peak) if same else float("inf")
        columns = " ".join(
            f"{'' if value is None else f'{value:+.2f} %':>14}" for value in off.values()
        )
        print(f"{name:34} {'equal' if same else 'DIFFER':>15} {columns} {peak:+7.2f}%"
              f" {forecast['cpu']:6.1f}", flush=True)  # fmt: skip
    good = sum(value <= aim for value in worst.values())
    print(f"{good} of {len(worst)} within {aim:g} % at the peak, their parts equal to the byte\n")


def deviation(phase: str, forecast: dict[str, Any], real: dict[str, Any]) -> float | None:
    """By how many per cent the forecast of a phase's peak is off; None where there is none."""
    sizes = [sum(answer["peaks"].get(phase, {}).values()) for answer in (forecast, real)]
    return 100 * (sizes[0] / sizes[1] - 1) if all(sizes) else None


def top(answer: dict[str, Any]) -> int:
    """The peak over all phases of training; what loading takes is not compared."""
    return max(sum(held.values()) for phase, held in answer["peaks"].items() if phase != "load")


def answers(python: str, cases: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """What the interpreter answers, case by case."""
    world = {**os.environ, "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": "",
             "HF_HUB_OFFLINE": "1", "TRL_EXPERIMENTAL_SILENCE": "1"}  # fmt: skip
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(cases, file)
        file.flush()
        command = [python, str(BOTH_WAYS), file.name]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=world
        ) as process:
            assert process.stdout is not None
            for line in process.stdout:
                yield json.loads(line)


if __name__ == "__main__":
    main()
