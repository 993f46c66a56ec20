"""The options that say on which GPUs a run will train, for the commands that forecast."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

OPTIONS = (
    click.option("--gpu", metavar="NAME", help="The job's GPUs on each node, like 8xH100-80GB."),
    click.option("--gpu-memory", metavar="SIZE", help="The memory of one GPU, like 24GiB."),
    click.option("--nodes", type=click.IntRange(1), help="How many nodes there are."),
    click.option(
        "--zero",
        type=click.IntRange(0, 3),
        help="DeepSpeed's stage, whatever the run's own files say.",
    ),
    click.option("--fsdp", is_flag=True, help="FSDP shares out weights, gradients and states."),
    click.option(
        "--tensor-parallel",
        type=click.IntRange(1),
        help="GPUs that share a vLLM engine; vllm_tensor_parallel_size if not said.",
    ),
)


def gpu_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options to a command."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command
