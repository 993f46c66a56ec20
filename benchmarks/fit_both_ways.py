"""Runs steps without data and with data under the same tracker; for the target interpreter.

    PYTHON benchmarks/fit_both_ways.py CASES.json

CASES.json holds requests of the probe `fit` by name. Each is answered twice, in a process of its
own: `forecast` from traces of few layers, `real` from two real steps with random weights, or,
where the request says `"whole": true`, from a trace of all layers.
With `"whole": "estimates"` the other answer is what accelerate's estimate-memory and hf-mem say.
Prints a line of JSON a case.
"""

from __future__ import annotations

import contextlib
import dataclasses
import gc
import importlib
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

PROBES = Path(__file__).resolve().parents[1] / "trl_doctor" / "probes"
NAME = "trl_doctor_probes"
ROLES = {"model": "policy", "reference": "reference", "reward": "reward", "value": "value"}
LONGEST = 240


def main() -> None:
    sys.path.insert(0, str(PROBES))
    importlib.import_module("host")._package()
    with contextlib.suppress(Exception):
        importlib.import_module("trl").GRPOTrainer  # noqa: B018
    gc.freeze()  # or each collection in each fork looks through all that is imported here
    for name, request in json.loads(Path(sys.argv[1]).read_text("utf-8")).items():
        whole = request.pop("whole", False)
        result = {"name": name, "forecast": alone(forecast, request)}
        other = estimates if whole == "estimates" else forecast if whole else real
        result["real"] = alone(other, {**request, "whole": whole is True})
        print(json.dumps(result), flush=True)


def alone(function: Callable[[dict[str, Any]], dict[str, Any]], request: dict[str, Any]) -> Any:
    """The answer of a forked process, or what it raised, as text."""
    with tempfile.TemporaryDirectory() as folder:
        process = os.fork()
        if not process:
            _child(function, request, folder)
        _, status, used = _wait(process)
        file = Path(folder, "answer.json")
        if status or not file.exists():
            return {"failed": Path(folder, "errors").read_text("utf-8")[-1500:]}
        answer = json.loads(file.read_text("utf-8"))
        return {**answer, "cpu": used.ru_utime + used.ru_stime, "memory": used.ru_maxrss * 1024}


def _wait(process: int) -> Any:
    end = time.monotonic() + LONGEST
    while time.monotonic() < end:
        result = os.wait4(process, os.WNOHANG)
        if result[0]:
            return result
        time.sleep(0.05)
    os.kill(process, 9)
    return os.wait4(process, 0)


def _child(function: Any, request: dict[str, Any], folder: str) -> None:
    errors = os.open(f"{folder}/errors", os.O_CREAT | os.O_WRONLY)
    os.dup2(errors, 1)
    os.dup2(errors, 2)
    status = 1
    try:
        Path(folder, "work").mkdir()
        os.chdir(f"{folder}/work")
        Path(folder, "answer.json").write_text(json.dumps(function(request)), "utf-8")
        status = 0
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(status)


def forecast(request: dict[str, Any]) -> dict[str, Any]:
    """The probe's own answer, with the peaks of an unspread run by phase."""
    answer = dataclasses.asdict(importlib.import_module(f"{NAME}.fit").answer(request))
    peaks = {peak["phase"]: peak["held"] for peak in answer["peaks"] if not peak["without"]}
    sizes = answer["sizes"]
    return {"peaks": peaks, "held": answer["held"], "flops": answer["flops"], "sizes": sizes}


def real(request: dict[str, Any]) -> dict[str, Any]:
    """The peaks by phase of two real steps, and what was held at the end."""
    ours = importlib.import_module
    depth, traced = ours(f"{NAME}.tracing.depth"), ours(f"{NAME}.tracing.traced")
    described, layers = ours(f"{NAME}.tracing.described"), ours(f"{NAME}.tracing.layers")
    without_rewards = {**request, "arguments": {**request["arguments"], "reward_funcs": []}}
    laid = ours(f"{NAME}.layout.planning").laid_out(without_rewards, Path.cwd(), described.TRACED)
    with_weights(laid.plan.trainer)
    with_shorter_rows(Path("rows.jsonl"))
    Path("repeat.py").write_text(ours(f"{NAME}.layout.script").script(laid.plan), "utf-8")
    repeat = ours(f"{NAME}.child").module_of(str(Path("repeat.py").absolute()), "repeat")
    two_steps(repeat.ARGUMENTS)
    with full_length_completions(traced):
        result = traced.traced(repeat, layers.Cut(), fake=False, gpu=False)
    peaks: dict[str, dict[str, int]] = {}
    parts = ours(f"{NAME}.tracing.replay").PARTS
    for (phase, _), moments in zip(result.trace.log.segments, result.trace.moments, strict=True):
        for moment in moments:
            if sum(moment.held) > sum(peaks.get(phase, {}).values()):
                peaks[phase] = dict(zip(parts, moment.held, strict=True))
    held = depth.ended(result.trace, [])
    return {"peaks": peaks, "held": held, "flops": depth.flops(result.trace, [])}


def estimates(request: dict[str, Any]) -> dict[str, Any]:
    """Bytes: accelerate for training this model with Adam, hf-mem for its 16-bit weights."""
    import transformers
    from accelerate import init_empty_weights
    from accelerate.commands.estimate import estimate_training_usage
    from accelerate.utils import calculate_maximum_sizes

    config = transformers.AutoConfig.from_pretrained(request["folders"]["policy"])
    with init_empty_weights():
        model = transformers.AutoModelForCausalLM.from_config(config, dtype="float32")
    total, _ = calculate_maximum_sizes(model)
    step = max(estimate_training_usage(total, "float32").values())
    return {"accelerate": step, "hf-mem": stored(model)}


def stored(model: Any) -> int | None:
    """The size that hf-mem gives for a checkpoint of this model; None if it is not installed."""
    try:
        parse = importlib.import_module("hf_mem.safetensors.metadata").parse_safetensors_metadata
    except ImportError:
        return None
    model.tie_weights()  # a checkpoint holds tied weights once
    weights = dict(model.named_parameters())
    header = {
        name: {"dtype": "BF16", "shape": list(tensor.shape)} for name, tensor in weights.items()
    }
    return int(parse({"Transformer": header}).bytes_count)


def two_steps(arguments: dict[str, Any]) -> None:
    """The optimizer's states are there from the second step on."""
    if "max_steps" in arguments:
        arguments["max_steps"] = 2
    else:
        arguments["total_episodes"] *= 2


def with_weights(trainer: str) -> None:
    """Random weights beside every config that was laid out."""
    import transformers

    for name, role in ROLES.items():
        if not Path(name, "config.json").exists():
            continue
        config = transformers.AutoConfig.from_pretrained(name)
        scorer = role in ("reward", "value") or trainer == "reward"
        kind = "AutoModelForSequenceClassification" if scorer else "AutoModelForCausalLM"
        if scorer:
            config.num_labels = 1
        dtype = getattr(config, "dtype", None) or getattr(config, "torch_dtype", None)
        model = getattr(transformers, kind).from_config(config)
        model.to(dtype).save_pretrained(name)


def with_shorter_rows(file: Path) -> None:
    """Every second row, and every rejected answer, some words shorter: batches are padded, as in a
    run.
    """
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    for number, row in enumerate(rows):
        names = ["rejected"] if "rejected" in row else [name for name in ("messages", "text",
                 "completion") if name in row and number % 2]  # fmt: skip
        for name in names:
            row[name] = _shorter(row[name])
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


def _shorter(value: Any) -> Any:
    if isinstance(value, str):
        return value.removesuffix(" so" * 8)
    if not isinstance(value, list):
        return value
    return [*value[:-1], {**value[-1], "content": value[-1]["content"].removesuffix(" so" * 8)}]


@contextlib.contextmanager
def full_length_completions(traced: Any) -> Iterator[None]:
    """While this lasts completions have their full length in memory, and generation is known.

    One of them ends early, so that its batch is padded, as in a run.
    """
    from transformers import GenerationMixin

    tracker_class, trackers = traced.Tracker, []
    generate = GenerationMixin.generate

    def made(*given: Any) -> Any:
        trackers.append(tracker_class(*given))
        return trackers[-1]

    def full(self: Any, *args: Any, **kwargs: Any) -> Any:
        config = kwargs.get("generation_config")
        if config is not None:
            config.min_new_tokens = config.max_new_tokens
        phase = trackers[-1].phase
        trackers[-1].enter("generation")
        try:
            return with_an_early_end(self, generate(self, *args, **kwargs), config)
        finally:
            trackers[-1].enter(phase)

    patch = mock.patch.object
    with patch(traced, "Tracker", made), patch(GenerationMixin, "generate", full):
        yield


def with_an_early_end(model: Any, out: Any, config: Any) -> Any:
    """The completions with the end token in the middle of the first."""
    ids = getattr(out, "sequences", out)
    end = getattr(config, "eos_token_id", None) or model.config.eos_token_id
    if config is not None and end is not None:
        ids[0, -config.max_new_tokens // 2 :] = end[0] if isinstance(end, list) else int(end)
    return out


if __name__ == "__main__":
    main()
