"""A step at full size: the real weights, the run's own batch and lengths, the longest rows."""

from __future__ import annotations

import dataclasses
import importlib.util
from pathlib import Path
from typing import Any

from ..loading.config import of_checkpoint
from ..loading.tensors import shards
from ..refusal import Refused
from ..small_model.shrink import Tiny
from .argument_tables import ALONE, ENGINE, LEFT_OUT, QUIET, SILENT
from .arguments import Arguments, parsed, settled, typed_arguments, without_engine
from .rows import Rows

STEPS = 3
"""The first warms up; from the second to the third, memory should not grow."""

FEW = "three steps are enough"
FULL = "completions of full length take most"
SAFE = "pickled weights are not loaded"

FIXED = {
    "max_steps": (STEPS, FEW),
    **SILENT,
    "logging_strategy": ("steps", QUIET),
    "logging_steps": (1, QUIET),
}
ONLINE = ("grpo", "rloo")
WORDS_LONG = 1024
"""Words of a made row where the run sets no length."""


def linked(
    request: dict[str, Any], role: str, into: Path, end_probability: float | None = None
) -> Tiny:
    """A link to the run's own folder under the name that the script uses; nothing is written.

    `end_probability` is not used: the weights are real. Raises `Refused` if there are no
    weights that are safe to load.
    """
    folder = Path(request["folders"][role])
    if str(folder) in request.get("hollow", ()):
        raise Refused(f"the weights of {folder.name} are not here: only their headers were fetched")
    config = of_checkpoint(folder)
    shards(folder)
    into.symlink_to(folder, target_is_directory=True)
    names = config.get("architectures") or [config.get("model_type", "model")]
    size = config.get("hidden_size", config.get("n_embd", 0))
    layers = config.get("num_hidden_layers", config.get("n_layer", 0))
    return Tiny(into, str(names[0]), layers, size, 0, config.get("vocab_size", 0), None, None)


def arguments(config: type, run: dict[str, Any], trainer: str, device: str) -> Arguments:
    """The run's own arguments, for three steps that save and report nothing."""
    types, run_arguments = typed_arguments(config, run)
    settings = dict(FIXED)
    if run_arguments.get("use_vllm") and not _engine_here(config, run_arguments):
        settings["use_vllm"] = (False, ENGINE)
        run_arguments = {
            **run_arguments,
            **{name: value for name, (value, _) in without_engine(run_arguments).items()},
        }
    vllm = bool(run_arguments.get("use_vllm")) and "use_vllm" not in settings
    if trainer in ONLINE:
        length = run_arguments.get("max_completion_length", 256)
        longest = {"min_tokens" if vllm else "min_new_tokens": length}
        settings["generation_kwargs"] = (
            {**parsed(run_arguments.get("generation_kwargs")), **longest},
            FULL,
        )
    if run_arguments.get("model_init_kwargs"):
        safe = {**parsed(run_arguments["model_init_kwargs"]), "use_safetensors": True}
        settings["model_init_kwargs"] = (safe, SAFE)
    if device == "cpu":
        settings["use_cpu"] = (True, "there is no GPU to use")
    if "total_episodes" in types:
        settings["total_episodes"] = (STEPS * _batch(run_arguments), FEW)
        del settings["max_steps"]
    out = {
        name: reason
        for reason, names in LEFT_OUT.items()
        for name in names
        if reason in (QUIET, ALONE)
    }
    return settled(types, run_arguments, settings, out)


def longest(chosen: Rows, run: dict[str, Any], trainer: str) -> Rows:
    """The longest rows first, and enough of them; generated rows are as long as the run allows."""
    count = STEPS * _batch(run)
    ordered = list(reversed(chosen.rows))
    if chosen.source == "made":
        ordered = [_lengthened(row, run, trainer) for row in ordered]
    source = (
        f"{chosen.source}, the longest of {chosen.seen:,} rows" if chosen.seen else chosen.source
    )
    repeated = (ordered * -(-count // len(ordered)))[:count]
    return dataclasses.replace(chosen, rows=repeated, source=source)


def _engine_here(config: type, arguments: dict[str, Any]) -> bool:
    """Whether the run's engine shares this process: a server is another machine's matter.

    From trl 0.18 to 0.29 a mode that is left open is that of a server, before there was no other.
    """
    usual = {field.name: field.default for field in dataclasses.fields(config)}
    mode = arguments.get("vllm_mode", usual.get("vllm_mode"))
    return mode == "colocate" and bool(importlib.util.find_spec("vllm"))


def _batch(run_arguments: dict[str, Any]) -> int:
    """The most rows of one step of one process."""
    usual = {"per_device_train_batch_size": 8, "gradient_accumulation_steps": 1}
    sizes = [run_arguments.get(name, size) for name, size in usual.items()]
    rows, times = (int(number) if str(number).isdigit() else 8 for number in sizes)
    return max(1, rows * times)


def _lengthened(row: dict[str, Any], run: dict[str, Any], trainer: str) -> dict[str, Any]:
    words = run.get("max_prompt_length", 512) if trainer in ONLINE else run.get("max_length")
    number = words if isinstance(words, int) and not isinstance(words, bool) else WORDS_LONG
    return {name: _padded(value, number) for name, value in row.items()}


def _padded(value: Any, words: int) -> Any:
    """A text, or the last turn of a conversation, with words added."""
    if isinstance(value, str):
        return value + " and so on" * (words // 3)
    if isinstance(value, list) and value:
        last = value[-1]
        return [*value[:-1], {**last, "content": _padded(last["content"], words)}]
    return value
