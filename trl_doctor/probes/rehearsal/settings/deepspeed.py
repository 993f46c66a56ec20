"""A DeepSpeed file as a CPU can run it: cut as the arguments are, or the two would differ."""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from .. import patching
from ..record import Record
from ..where import callers
from .cutting import Cuts

NO_GPU = "it needs a GPU, and the rehearsal runs on the CPU"
ARGUMENT = {"bfloat16": "bf16"}
PRECISION = ("bf16", "fp16", "bfloat16", "amp")
SIZES = {
    "gradient_accumulation_steps": "gradient_accumulation_steps",
    "train_micro_batch_size_per_gpu": "per_device_train_batch_size",
}
"""Keys of DeepSpeed that say what an argument says."""

STEPS, FILE = "ACCELERATE_GRADIENT_ACCUMULATION_STEPS", "ACCELERATE_DEEPSPEED_CONFIG_FILE"
MIXED = "ACCELERATE_MIXED_PRECISION"
HANDED_ON: dict[str, str] = {}
"""Variables of accelerate's launcher as they were when the process started."""

USUAL = {"gradient_accumulation_steps": 1, "per_device_train_batch_size": 8}


def on_cpu(given: Any, own: Mapping[str, Any], record: Record) -> Any:
    """The file's content without offloading, and without the half precision of the arguments.

    Where the two differ they still do. A name that is not there is left to DeepSpeed.
    """
    settings = _read(given)
    if settings is None:
        return given
    for name in PRECISION:
        part = settings.get(name)
        enabled = isinstance(part, dict) and part.get("enabled") is True
        if enabled and own.get(ARGUMENT.get(name, name)) is not False:
            record.add("changed", name=f"deepspeed {name}.enabled", given=True, used=False,
                       why=NO_GPU, at=None)  # fmt: skip
            settings[name] = {"enabled": False}
    zero = settings.get("zero_optimization")
    if isinstance(zero, dict):
        for name in ("offload_optimizer", "offload_param"):
            if zero.pop(name, None):
                record.add("changed", name=f"deepspeed {name}", given="on", used=None,
                           why=NO_GPU, at=None)  # fmt: skip
    return settings


def small(settings: Any, own: Mapping[str, Any], cuts: Cuts) -> Any:
    """The content with sizes cut as the arguments are; where the two differ they still do."""
    if not isinstance(settings, dict):
        return settings
    result = dict(settings)
    for key, name in SIZES.items():
        value, cut = result.get(key, "auto"), cuts[name][0] if name in cuts else None
        if value == "auto" or cut is None:
            continue
        stated = own.get(name, USUAL[name])
        result[key] = cut if value == stated else value if value != cut else stated
    if isinstance(result.get("train_batch_size"), int) and not set(SIZES) & set(settings):
        result["train_batch_size"] = "auto"
    elif isinstance(result.get("train_batch_size"), int):
        del result["train_batch_size"]
    return result


def of_launcher(own: Mapping[str, Any], cuts: Cuts, record: Record, scratch: Path) -> None:
    """Cut what `accelerate launch` passes on in variables as the arguments are cut."""
    if os.environ.get("ACCELERATE_USE_DEEPSPEED") != "true":
        return
    for variable in (STEPS, FILE, MIXED):
        setting = HANDED_ON.setdefault(variable, os.environ.get(variable, ""))
        if variable == MIXED and setting in PRECISION and own.get(setting) is not False:
            os.environ[variable] = "no"  # as the argument is; where the two differ they still do
        if variable == STEPS and setting.isdecimal():
            key = "gradient_accumulation_steps"
            os.environ[variable] = str(small({key: int(setting)}, own, cuts)[key])
        elif variable == FILE and isinstance(settings := on_cpu(setting, own, record), dict):
            file = scratch / f"deepspeed-{os.getpid()}.json"
            file.write_text(json.dumps(small(settings, own, cuts)), "utf-8")
            os.environ[variable] = str(file)


def interpreted(module: ModuleType) -> None:
    """Let DeepSpeed exchange what processes have without compiling C++ for that, for a minute.

    `module` is `deepspeed.comm.torch`.
    """
    patching.around(module, "build_shm_op", lambda original: None)


def uncompiled(module: ModuleType) -> None:
    """Leave DeepSpeed's optimizers as they are: to compile them takes a second, and none is used.

    `module` is torch.
    """

    def compiled(original: Any, *args: Any, **more: Any) -> Any:
        if not any("/deepspeed/" in file for file in callers(2)):
            return original(*args, **more)
        function = args[0] if args else more.get("model")
        return function or (lambda decorated: decorated)

    patching.around(module, "compile", compiled)


def joined() -> None:
    """Let DeepSpeed know the processes of the run.

    On a GPU accelerate does that; on the CPU it joins them without DeepSpeed, which then takes each
    process for the only one.
    """
    import torch

    if torch.distributed.is_initialized():
        comm = importlib.import_module("deepspeed.comm")
        if not comm.is_initialized():
            comm.init_distributed("gloo", auto_mpi_discovery=False, verbose=False)


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """As if this was the only process.

    DeepSpeed would let all processes make a model together, and transformers 5 saves one in the
    first process only: here any of them makes or loads one by itself.
    """
    with (
        _replaced("transformers.integrations.deepspeed", "_hf_deepspeed_config_weak_ref", None),
        _replaced("torch.distributed", "is_initialized", lambda: False),
    ):
        yield


@contextlib.contextmanager
def _replaced(name: str, attribute: str, value: Any) -> Iterator[None]:
    """An attribute of a module that is imported has this value; nothing if it is not set."""
    module: Any = sys.modules.get(name)
    before = getattr(module, attribute, None)
    if before is None:
        yield
        return
    setattr(module, attribute, value)
    try:
        yield
    finally:
        setattr(module, attribute, before)


def _read(given: Any) -> dict[str, Any] | None:
    if isinstance(given, dict):
        return json.loads(json.dumps(given))  # type: ignore[no-any-return]
    try:
        settings = json.loads(Path(str(given)).read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return settings if isinstance(settings, dict) else None
