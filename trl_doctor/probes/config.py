"""Does TRL take the run's own arguments: its parser, its config class, and what is made of them?"""

from __future__ import annotations

import re
from typing import Any

from .answers.config import ConfigAnswer
from .child import error_answer
from .layout.arguments import files_beside
from .layout.command import PRETENDED, configured, gpu_pretended, launched
from .layout.counted import counted_alike
from .refusal import Refused

WEIGHTS = 4
"""Of the layer for which the optimizer is made."""

BACKENDS = ("nccl", "gloo", "mpi", "ccl", "hccl", "cncl", "mccl")
"""Known values of `ddp_backend`; with each, processes that no launcher has joined are refused."""

FILES = ("deepspeed", "fsdp_config", "accelerator_config")
"""Arguments of the config class that may name a file, which it opens itself."""

STEPS = 1000
"""Steps of the schedule where the run counts epochs."""


def answer(request: dict[str, Any]) -> ConfigAnswer:
    """What is raised and by which `part`. Changed are only names of files and folders.

    The config class counts the `processes` of the job; where that is None it may count any number.
    `pretended` are the arguments for which the probe's machine lacks a GPU.
    """
    trainer_names, run = request["trainer"], request["arguments"]
    if not trainer_names:
        raise Refused("the trainer is not known: use --trainer, for example --trainer grpo")
    output = run.get("output_dir", "out")
    beside = files_beside(FILES, run, request["roots"])
    arguments = {**run, **beside, "output_dir": "out" if isinstance(output, str) else output}
    cpu = request["device"] == "cpu"
    if (
        cpu and arguments.get("ddp_backend") in BACKENDS
    ):  # only the launcher of the job joins processes
        del arguments["ddp_backend"]
    pretended = tuple(value for value in PRETENDED.values() if cpu and run.get(value))
    config: Any = None
    for part in ("launcher", "config", "reporters", "optimizer", "schedule", "compiler"):
        try:
            if part == "launcher":
                launched(trainer_names["name"], run)
            elif part == "config":
                with gpu_pretended(request["device"]):
                    config = counted_alike(
                        request.get("processes"), lambda: configured(trainer_names, arguments)
                    )
            else:
                PARTS[part](config)
        except Exception as error:
            if not _of_this_machine(error, request):
                return ConfigAnswer(trainer_names["config"], error_answer(error), part, pretended)
    return ConfigAnswer(trainer_names["config"], None, "", pretended)


def _of_this_machine(error: Exception, request: dict[str, Any]) -> bool:
    """Whether an error is there only for want of a GPU."""
    of_gpus = re.search(r"CUDA|cuda(?!graph)|GPU", str(error))  # `no-cudagraphs` is a mode's name
    return request["device"] == "cpu" and of_gpus is not None


def _reporters(config: Any) -> None:
    """The reporters, made as the trainer makes them, for some ask for packages only then."""
    from transformers.integrations import get_reporting_integration_callbacks

    for kind in get_reporting_integration_callbacks(config.report_to):
        kind()


def _optimizer(config: Any) -> None:
    """The optimizer's class and arguments, as the trainer looks them up, and one made of them."""
    import torch
    from transformers import Trainer

    kind, arguments = Trainer.get_optimizer_cls_and_kwargs(config, torch.nn.Linear(WEIGHTS, 1))
    arguments = {
        name: value for name, value in arguments.items() if name not in ("model", "params")
    }
    if not arguments.keys() & {"optimizer_dict"}:
        kind(torch.nn.Linear(WEIGHTS, 1).parameters(), **arguments)


def _schedule(config: Any) -> None:
    """The schedule of the learning rate, as the trainer makes it."""
    import torch
    from transformers import get_scheduler

    steps = config.max_steps
    if steps <= 0:
        warmup = config.get_warmup_steps(STEPS)
        # a warmup in steps says nothing of how long the run is: take a longer one
        steps = STEPS + warmup * (warmup == config.get_warmup_steps(STEPS + warmup))
    options: dict[str, Any] = {"scheduler_specific_kwargs": config.lr_scheduler_kwargs}
    warmup = config.get_warmup_steps(steps)
    scheduler = get_scheduler(
        config.lr_scheduler_type,
        optimizer=torch.optim.SGD(torch.nn.Linear(WEIGHTS, 1).parameters(), lr=0.1),
        num_warmup_steps=warmup,
        num_training_steps=steps,
        **options,
    )
    for rate in getattr(scheduler, "lr_lambdas", ()):
        for step in (0, 1, warmup - 1, warmup, warmup + 1, steps - 1, steps):
            if 0 <= step <= steps:
                rate(step)


def _compiler(config: Any) -> None:
    """The backend and the mode of torch.compile, looked up by their names."""
    import torch

    if config.torch_compile and config.torch_compile_backend:
        mode = config.torch_compile_mode or None
        torch.compile(torch.nn.Linear(WEIGHTS, 1), backend=config.torch_compile_backend, mode=mode)


PARTS = {
    "reporters": _reporters,
    "optimizer": _optimizer,
    "schedule": _schedule,
    "compiler": _compiler,
}
