"""Options that several commands share."""

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
    help="The Python interpreter (or venv) of the job.",
)
OFFLINE = click.option(
    "--offline", is_flag=True, help="Do not use the network; use only cached files of the Hub."
)
STATED = click.option(
    "--with",
    "stated",
    multiple=True,
    metavar="NAME==VERSION",
    help="The version in the job's environment, if it is not the one installed here.",
)
TRUST = click.option(
    "--trust-remote-code", is_flag=True, help="Run Python code from the model's folder."
)
MEMORY = click.option(
    "--memory-limit",
    metavar="SIZE",
    help="Memory limit of each probe, like 8GiB; 80 % of free memory by default.",
)
FORM = click.option("--format", "form", type=click.Choice(["text", "json"]), default="text")
"""For commands whose answer is not a report."""

GPUS = together(
    click.option(
        "--gpu", metavar="NAME", help="The GPUs of each node of the job, like 8xH100-80GB."
    ),
    click.option("--gpu-memory", metavar="SIZE", help="The memory of one GPU, like 24GiB."),
    click.option("--nodes", type=click.IntRange(1), help="The number of nodes."),
    click.option(
        "--zero",
        type=click.IntRange(0, 3),
        help="The stage of DeepSpeed ZeRO, instead of the run's own setting.",
    ),
    click.option(
        "--fsdp", is_flag=True, help="FSDP shards weights, gradients and optimizer states."
    ),
    click.option(
        "--tensor-parallel",
        type=click.IntRange(1),
        help="GPUs of one vLLM engine; vllm_tensor_parallel_size by default.",
    ),
)
"""The GPUs on which a run will train."""

RULES = together(
    click.option(
        "--select", multiple=True, metavar="RULES", help="Check only these rules (patterns)."
    ),
    click.option(
        "--ignore", multiple=True, metavar="RULES", help="Leave these rules out (patterns)."
    ),
    click.option(
        "--require", multiple=True, metavar="RULES", help="Fail if one of these rules cannot run."
    ),
    click.option(
        "--fail-on",
        type=click.Choice(["error", "warning", "note"]),
        help="Exit with 1 for findings of this severity or worse; error by default.",
    ),
)
"""Which rules are checked, and which findings fail the check."""

REPAIRS = together(
    click.option("--fix", is_flag=True, help="Make the repairs that are safe."),
    click.option(
        "--unsafe-fixes", is_flag=True, help="Also make repairs that may change what is trained."
    ),
    click.option(
        "--fix-to", metavar="DIR", help="Repair a copy in DIR; weights are linked, not copied."
    ),
    click.option("--diff", is_flag=True, help="Show what --fix would change; write nothing."),
)
"""Which repairs are made, and where."""

REPORT = together(
    click.option(
        "--output",
        "-o",
        multiple=True,
        metavar="FORMAT[=FILE]",
        help="Report as text, concise, json, sarif, github, gitlab, junit, markdown or html; "
        "write several of them to files.",
    ),
    click.option("--format", "form", multiple=True, metavar="FORMAT", help="The same as --output."),
    click.option("-q", "--quiet", is_flag=True, help="Show only findings and the verdict."),
    click.option("-v", "--verbose", is_flag=True, help="Also list the checks that do not apply."),
    click.option(
        "--color",
        type=click.Choice(["auto", "always", "never"]),
        default="auto",
        help="Use colours in the text report.",
    ),
    click.option(
        "--allow-incomplete",
        is_flag=True,
        help="Exit with 0 instead of 3 if something important could not be examined.",
    ),
)
"""The format of the report, and the exit status."""
