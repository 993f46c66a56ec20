"""What all targets of one command share, from its options and the settings files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec import Struct, field
from msgspec.structs import replace

from trl_doctor.asking.oracle import NoOracle, Oracle
from trl_doctor.checkup.checkup import Checkup, examine
from trl_doctor.checkup.discover import chosen
from trl_doctor.checkup.ignoring import Silence, quieted
from trl_doctor.checkup.levels import oracle_for
from trl_doctor.checkup.opening import Options, open_run
from trl_doctor.checkup.request import Request, filled, refuse_invalid
from trl_doctor.checkup.stated_gpus import gpu_options
from trl_doctor.core import trainer
from trl_doctor.core.finding import SEVERITIES, Severity
from trl_doctor.core.trainer import Trainer
from trl_doctor.facts.rule import Rule
from trl_doctor.files.target import NoTarget, NotRead, Target
from trl_doctor.machine.environment import Environment, environment
from trl_doctor.machine.interpreter import interpreter_path
from trl_doctor.machine.settings import BadSettings, Settings, settings

if TYPE_CHECKING:
    from trl_doctor.asking.limits import ProbeLimits


class Session(Struct, frozen=True):
    """What all targets of one command share."""

    rules: tuple[Rule, ...]
    environment: Environment
    probes: Oracle
    options: Options
    fail_on: Severity
    required: tuple[str, ...]
    silence: Silence = field(default_factory=Silence)
    argv: tuple[str, ...] | None = None
    documentation: str = ""
    believes_pins: bool = False
    """Whether no interpreter is named and no library is used."""

    def world(self, target: Target) -> tuple[Environment, str]:
        """The environment of a target, and a clause about versions that the target itself names."""
        if target.kind != "script":
            return self.environment, ""
        from trl_doctor.checkup.pinned import with_own

        return with_own(self.environment, target.path, believes_pins=self.believes_pins)

    def parts(self, target: Target) -> list[Target]:
        """The targets of an argument: one for each trainer of a script. Raises `NoTarget`."""
        if target.kind == "launch":
            from trl_doctor.checkup import launch_targets

            return launch_targets.with_trainers(target, launch_targets.parts(target), self.parts)
        if target.kind == "run" and self.argv:
            words = " ".join(self.argv)
            return [replace(target, argv=self.argv, taken_for=f"{target.taken_for}, with {words}")]
        if target.kind != "script":
            return [target]
        from trl_doctor.checkup import scripts

        argv = target.argv if target.launch else self.argv
        try:
            own = scripts.parts(replace(target, argv=argv), self.world(target)[0])
        except NotRead:
            if started := self._started_by(target):
                return started
            raise
        notebook = target.path.suffix.lower() == ".ipynb"
        return [*own, *self._started_by(target)] if notebook else own

    def _started_by(self, target: Target) -> list[Target]:
        """What a program without a trainer, or a notebook, starts as a command, if it is here."""
        from trl_doctor.files.launch.forms import NOTEBOOK, PROGRAM

        kinds = {".py": PROGRAM, ".ipynb": NOTEBOOK}
        if target.launch or target.text or target.path.suffix.lower() not in kinds:
            return []
        kind = kinds[target.path.suffix.lower()]
        try:
            return self.parts(replace(target, kind="launch", taken_for=kind))
        except NoTarget:
            return []

    def examine(self, target: Target, moved: dict[Path, Path] | None = None) -> Checkup:
        """Examine one target; `moved` maps files to other places."""
        options = replace(self.options, moved=moved or {})
        if target.launched_by is not None:
            from trl_doctor.checkup import launch_targets

            launcher = options.moved.get(target.launched_by)
            target = launch_targets.started_again(target, launcher) if launcher else target
        world, note = self.world(target)
        run = open_run(target, world, options)
        run = replace(run, notes=(note, *run.notes)) if note else run
        return quieted(examine(run, world, self.rules, self.probes), self.silence)


def session(request: Request, rules: Sequence[Rule]) -> Session:
    """The session for a request, with these rules to choose from.

    Raises `click.UsageError`, `BadSettings`, `BadInterpreter`, `NoSuchRule` or `Unavailable` if
    the request is not valid.
    """
    saved = settings(Path.cwd(), python_given=bool(request.python))
    given, request = request.python or "", filled(request, saved)
    refuse_invalid(request)
    require = _split(request.require)
    required = chosen(rules, require) if require else ()
    fail_on = request.fail_on
    if fail_on not in SEVERITIES:
        raise BadSettings(f"{saved.file}: fail-on is error, warning or note, not {fail_on!r}")
    python = interpreter_path(request.python) if request.python else None
    target = environment(python, request.stated, given=given)
    probes = _probes(request, target)
    return Session(
        rules=chosen(rules, _split(request.select), _split(request.ignore)),
        environment=target,
        probes=probes,
        options=_options(request, saved),
        fail_on=fail_on,
        required=tuple(rule.name for rule in required),
        argv=request.argv,
        silence=_silence(request, saved, rules),
        documentation=request.documentation or "",
        believes_pins=not request.python and isinstance(probes, NoOracle),
    )


def _silence(request: Request, saved: Settings, rules: Sequence[Rule]) -> Silence:
    """What is not reported. Raises `NoSuchRule` if the settings name a rule that does not exist."""
    for name in (*(ignored.rule for ignored in saved.ignores), *saved.severity):
        chosen(rules, [name])
    rule_names = tuple(rule.name for rule in rules)
    severity = {
        rule.name: level
        for pattern, level in saved.severity.items()
        for rule in chosen(rules, [pattern])
    }
    fingerprints = None
    if request.baseline and not request.update_baseline:
        from trl_doctor.checkup import baseline

        fingerprints = baseline.read(Path(request.baseline))
    return Silence(rule_names, saved.ignores, severity, fingerprints)


def _probes(request: Request, target_environment: Environment) -> Oracle:
    memory = _memory(request.memory_limit) if request.memory_limit is not None else None

    def limits() -> ProbeLimits:
        from trl_doctor.asking.limits import ProbeLimits, in_time

        usual = ProbeLimits() if memory is None else ProbeLimits(memory=memory)
        return in_time(usual, request.level, request.timeout)

    return oracle_for(
        request.level,
        request.device or "auto",
        target_environment,
        limits,
        trust_remote_code=request.trust_remote_code,
        keep=Path(request.keep).absolute() if request.keep else None,
    )


def _memory(text: str) -> int:
    from trl_doctor.asking.limits import size

    try:
        return size(text)
    except ValueError as error:
        raise click.UsageError(f"--memory-limit: {error}") from error


def _options(request: Request, saved: Settings) -> Options:
    return Options(
        trainer=_trainer(request.trainer),
        default_trainer=_trainer(saved.trainer),
        processes=request.processes or None,
        offline=request.offline,
        vllm_server=request.vllm_server or "",
        gpus=gpu_options(request),
        targets=saved.targets,
    )


def _trainer(name: str | None) -> Trainer | None:
    found_trainer = trainer.named(name) if name else None
    if name and not found_trainer:
        raise click.UsageError(trainer.no_trainer_named(name))
    return found_trainer


def _split(patterns: Sequence[str]) -> tuple[str, ...]:
    return tuple(
        part.strip() for pattern in patterns for part in pattern.split(",") if part.strip()
    )
