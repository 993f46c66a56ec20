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
from .arguments import (
    ALONE,
    ENGINE,
    LEFT_OUT,
    QUIET,
    SILENT,
    Arguments,
    parsed,
    settled,
    taken,
    without_engine,
)
from .rows import Rows

STEPS = 3
"""The first warms up; from the second to the third, memory should not grow."""

FEW = "three steps tell"
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


def linked(request: dict[str, Any], role: str, into: Path, lean: float | None = None) -> Tiny:
    """The candidate's own folder under the name that the script looks for; nothing is written.

    `lean` is not used: real weights say what they say. Raises `Refused` where there are no
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
    types, given = taken(config, run)
    made = dict(FIXED)
    if given.get("use_vllm") and not _engine_here(config, given):
        made["use_vllm"] = (False, ENGINE)
        given = {**given, **{name: value for name, (value, _) in without_engine(given).items()}}
    vllm = bool(given.get("use_vllm")) and "use_vllm" not in made
    if trainer in ONLINE:
        length = given.get("max_completion_length", 256)
        longest = {"min_tokens" if vllm else "min_new_tokens": length}
        made["generation_kwargs"] = ({**parsed(given.get("generation_kwargs")), **longest}, FULL)
    if given.get("model_init_kwargs"):
        safe = {**parsed(given["model_init_kwargs"]), "use_safetensors": True}
        made["model_init_kwargs"] = (safe, SAFE)
    if device == "cpu":
        made["use_cpu"] = (True, "there is no GPU to use")
    if "total_episodes" in types:
        made["total_episodes"] = (STEPS * _batch(given), FEW)
        del made["max_steps"]
    out = {name: why for why, names in LEFT_OUT.items() for name in names if why in (QUIET, ALONE)}
    return settled(types, given, made, out)


def longest(found: Rows, run: dict[str, Any], trainer: str) -> Rows:
    """The longest rows first, and enough of them; made rows are made as long as the run allows."""
    needed = STEPS * _batch(run)
    ordered = list(reversed(found.rows))
    if found.source == "made":
        ordered = [_lengthened(row, run, trainer) for row in ordered]
    told = f"{found.source}, the longest of {found.seen:,} rows" if found.seen else found.source
    taken = (ordered * -(-needed // len(ordered)))[:needed]
    return dataclasses.replace(found, rows=taken, source=told)


def _engine_here(config: type, given: dict[str, Any]) -> bool:
    """Whether the run's engine shares this process: a server is another machine's matter.

    From trl 0.18 to 0.29 a mode that is left open is that of a server, before there was no other.
    """
    usual = {one.name: one.default for one in dataclasses.fields(config)}
    mode = given.get("vllm_mode", usual.get("vllm_mode"))
    return mode == "colocate" and bool(importlib.util.find_spec("vllm"))


def _batch(given: dict[str, Any]) -> int:
    """Rows of one step of one process, at most."""
    usual = {"per_device_train_batch_size": 8, "gradient_accumulation_steps": 1}
    sizes = [given.get(name, size) for name, size in usual.items()]
    rows, times = (int(one) if str(one).isdigit() else 8 for one in sizes)
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
