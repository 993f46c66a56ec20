"""Finds the number of training processes: from the run, else from this machine."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from trl_doctor.core.finding import Json
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.files import document
from trl_doctor.machine.environment import Environment
from trl_doctor.machine.profiles import profile

KEYS = ("num_processes", "nproc_per_node")
WORKERS = re.compile(rb"ScalingConfig\(\s*num_workers\s*=\s*(\d{1,6})\b")
DRIVER = Path("/dev/nvidiactl")
"""If there is no such device, no GPU is asked for."""


class Processes(Struct, frozen=True):
    """The number, None if it is not known, and where it was read.

    `assumed`: the run does not set it; it is the number of this machine, and the job's may differ.
    """

    number: int | None = None
    source: str = ""
    assumed: bool = False


def of_ray(source: bytes) -> Processes | None:
    """How many workers Ray Train starts a script's trainer in; None if that is not known."""
    numbers = WORKERS.findall(source) if b"TorchTrainer" in source else []
    if len(numbers) != 1 or not int(numbers[0]):
        return None
    return Processes(int(numbers[0]), "num_workers of ScalingConfig")


def processes_of(
    arguments: Mapping[str, Json], stated: Mapping[str, str], base: Path, world: Environment
) -> Processes:
    """How many processes train a run file with these keys, in this folder.

    `stated` is what comments and settings say, and under `from` where they do.
    """
    for number, source in _by_the_run(arguments, stated, base, world):
        if number:
            return Processes(number, source)
    for number, source in _by_this_machine(os.environ):
        if number:
            return Processes(number, f"{source}; the run sets no number", assumed=True)
    return Processes()


def _by_the_run(
    arguments: Mapping[str, Json], stated: Mapping[str, str], base: Path, world: Environment
) -> Iterator[tuple[int | None, str]]:
    for key in KEYS:
        yield _whole(arguments.get(key)), f"{key} in the run file"
    text = stated.get("num_processes", "")
    yield int(text) if text.isdecimal() else None, stated.get("from", "")
    name = arguments.get("accelerate_config")
    if isinstance(name, str):
        for file in (Path.cwd() / name, base / name, *profile(name, world)):
            yield _whole(_read(file).get("num_processes")), f"num_processes in {name}"
    name = arguments.get("deepspeed")
    if isinstance(name, str):
        for root in (Path.cwd(), base):
            yield _of_deepspeed(_read(root / name)), f"the batch sizes in {name}"


def _by_this_machine(variables: Mapping[str, str]) -> Iterator[tuple[int | None, str]]:
    nodes = variables.get("SLURM_NNODES", "1")
    for key in ("SLURM_GPUS_ON_NODE", "SLURM_NTASKS_PER_NODE"):
        gpus = variables.get(key, "")
        if gpus.isdecimal() and nodes.isdecimal():
            on = "" if nodes == "1" else f" on {nodes} nodes"
            yield int(gpus) * int(nodes), f"{key}={gpus}{on}"
    default = _default_config(variables)
    yield _whole(_read(default).get("num_processes")), f"num_processes in {default}"
    visible = variables.get("CUDA_VISIBLE_DEVICES")
    if visible is not None:
        cards = [card for card in visible.split(",") if card.strip() not in ("", "-1")]
        yield len(cards), f"CUDA_VISIBLE_DEVICES={visible}"
    elif DRIVER.exists():
        yield _cards(), "the GPUs of this machine"


def _cards() -> int:
    from trl_doctor.machine import gpu

    try:
        return len(gpu.visible(gpu.gpus()))
    except Unavailable:
        return 0


def _default_config(variables: Mapping[str, str]) -> Path:
    """Where `accelerate config` writes what the user wants by default."""
    cache = variables.get("XDG_CACHE_HOME") or "~/.cache"
    home = variables.get("HF_HOME") or f"{cache}/huggingface"
    try:
        return Path(home).expanduser() / "accelerate" / "default_config.yaml"
    except RuntimeError:
        return Path(home) / "accelerate" / "default_config.yaml"


def _of_deepspeed(config: Mapping[str, Json]) -> int | None:
    """What DeepSpeed's three batch sizes say together."""
    total = _whole(config.get("train_batch_size"))
    micro = _whole(config.get("train_micro_batch_size_per_gpu"))
    steps = _whole(config.get("gradient_accumulation_steps"))
    if not (total and micro and steps) or total % (micro * steps):
        return None
    return total // (micro * steps)


def _read(file: Path) -> Mapping[str, Json]:
    try:
        return document.read(file).mapping()
    except document.Unreadable:
        return {}


def _whole(value: Json) -> int | None:
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if value > 0 else None
