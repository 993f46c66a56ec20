"""Options that several commands have, each said once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import click

Option: TypeAlias = Callable[[Callable[..., Any]], Callable[..., Any]]


def together(*options: Option) -> Option:
    """One decorator that adds all of these options, in this order."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return add


TRAINER = click.option(
    "--trainer", metavar="NAME", help="The trainer: grpo, rloo, ppo, sft, dpo, kto, …"
)
PYTHON = click.option(
    "--python",
    metavar="PATH",
    envvar="TRL_DOCTOR_PYTHON",
    show_envvar=True,
    help="The interpreter (or venv) that the job will use.",
)
STATED = click.option(
    "--with",
    "stated",
    multiple=True,
    metavar="NAME==VERSION",
    help="The job will have this version, whatever is installed here.",
)
OFFLINE = click.option("--offline", is_flag=True, help="Ask the Hub nothing; use what is cached.")
TRUST = click.option(
    "--trust-remote-code", is_flag=True, help="Run the code that the model brings."
)
MEMORY = click.option(
    "--memory-limit",
    metavar="SIZE",
    help="For each probe, like 8GiB; 80 % of what is free if not said.",
)
FORM = click.option("--format", "form", type=click.Choice(["text", "json"]), default="text")
"""For commands whose answer is not a report."""

GPUS = together(
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
"""On which GPUs a run will train."""

RULES = together(
    click.option("--select", multiple=True, metavar="RULES", help="Only these rules (patterns)."),
    click.option("--ignore", multiple=True, metavar="RULES", help="Not these rules (patterns)."),
    click.option(
        "--require", multiple=True, metavar="RULES", help="Fail if one of these cannot run."
    ),
    click.option(
        "--fail-on",
        type=click.Choice(["error", "warning", "note"]),
        help="Exit with 1 from this severity on; error if not said.",
    ),
)
"""Which rules are asked, and what fails."""

REPAIRS = together(
    click.option("--fix", is_flag=True, help="Repair what can be repaired safely."),
    click.option(
        "--unsafe-fixes", is_flag=True, help="Also repairs that may change what is trained."
    ),
    click.option("--fix-to", metavar="DIR", help="Repair a copy in DIR; weights are linked."),
    click.option("--diff", is_flag=True, help="Show what --fix would change; write nothing."),
)
"""What is repaired, and where."""

REPORT = together(
    click.option(
        "--output",
        "-o",
        multiple=True,
        metavar="FORMAT[=FILE]",
        help="Report as text, concise, json, sarif, github, gitlab, junit, markdown or html; "
        "several at once go to files.",
    ),
    click.option("--format", "form", multiple=True, metavar="FORMAT", help="The same as --output."),
    click.option("-q", "--quiet", is_flag=True, help="Only what is wrong, and the verdict."),
    click.option(
        "-v", "--verbose", is_flag=True, help="Also name the checks that do not concern it."
    ),
    click.option(
        "--color",
        type=click.Choice(["auto", "always", "never"]),
        default="auto",
        help="Colours in the text report.",
    ),
    click.option(
        "--allow-incomplete",
        is_flag=True,
        help="Exit with 0, not 3, where something that matters could not be examined.",
    ),
)
"""How it is told, and with which exit status."""
