"""Rehearses a command: runs it small, writes down what it built, and asks the rules about that."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from trl_doctor.asking.oracle import Oracle
from trl_doctor.checkup.checkup import Checkup, examine
from trl_doctor.checkup.opening import Options, open_run
from trl_doctor.core.trainer import Trainer
from trl_doctor.core.unavailable import Unavailable, Undecided
from trl_doctor.facts.measured.rehearsal import NO_TRAINER
from trl_doctor.facts.rule import Rule
from trl_doctor.facts.run import OWN_KEYS, Model, Role, Run
from trl_doctor.facts.run_script import RunScript
from trl_doctor.files.launch.launch import Launch
from trl_doctor.files.target import Target
from trl_doctor.machine.environment import Environment
from trl_doctor.rehearsing import hub_files
from trl_doctor.rehearsing.answer import filters_that_keep_nothing
from trl_doctor.rehearsing.by_trainer import examined, parts
from trl_doctor.rehearsing.command.command import Command
from trl_doctor.rehearsing.ending.blame import failure
from trl_doctor.rehearsing.ending.failure import Failure
from trl_doctor.rehearsing.ending.missing_variables import not_exported
from trl_doctor.rehearsing.ending.refused_options import in_run_file
from trl_doctor.rehearsing.events import Events
from trl_doctor.rehearsing.from_source import source_run, source_runs, with_source
from trl_doctor.rehearsing.notes import notes, twice
from trl_doctor.rehearsing.oracle import RehearsalOracle
from trl_doctor.rehearsing.places import Lines
from trl_doctor.rehearsing.process_count import processes_from
from trl_doctor.rehearsing.run_file import Written, written
from trl_doctor.rehearsing.running import events_of
from trl_doctor.rehearsing.scale import MORE_ROWS, SIZED, Scale, may_be_of_scale, says_less
from trl_doctor.rehearsing.without_trainer import with_unreached


class Part(Struct, frozen=True):
    """A trainer of the script: the events about it, why the command ended with it, its checkup."""

    events: Events
    failure: Failure | None
    checkup: Checkup


class Rehearsal(Struct, frozen=True):
    """The result of a command: the events of its processes, and its trainers.

    `unexamined` is the number of trainers that were not examined.
    """

    events: Events
    parts: tuple[Part, ...]
    unexamined: int = 0

    @property
    def failure(self) -> Failure | None:
        """Why it ended early; None if it finished."""
        return next(filter(None, (part.failure for part in self.parts)), None)

    @property
    def checkup(self) -> Checkup:
        """That of the last trainer."""
        return self.parts[-1].checkup


def rehearse(
    command: Command,
    scale: Scale,
    oracle: Oracle,
    environment: Environment,
    rules: Sequence[Rule],
    options: Options,
) -> Rehearsal:
    """Run the command, small, and examine what it built. The user's files stay as they are.

    Errors that the small scale may have caused are looked for again at the run's own sizes.
    """
    found = _rehearsed(command, scale, oracle, environment, rules, options)
    if scale.wide or not may_be_of_scale(found.events, found.failure, _errors(found)):
        return found
    larger = replace(scale, rows=MORE_ROWS, wide=True)
    again = _rehearsed(command, larger, oracle, environment, rules, options)
    first = says_less(again.failure, found.failure)
    kept = found if first else again
    head, *others = kept.checkup.run.notes
    return _with_notes(kept, head, twice(found.events, again.events, first), *others)


def _errors(rehearsal: Rehearsal) -> frozenset[str]:
    """The rules that found an error, or what their own sizes may make one."""
    found = (found for part in rehearsal.parts for found in part.checkup.findings)
    return frozenset(
        outcome.rule.name
        for outcome, finding in found
        if outcome.severity(finding) == "error" or outcome.rule.name in SIZED
    )


def _rehearsed(
    command: Command,
    scale: Scale,
    oracle: Oracle,
    environment: Environment,
    rules: Sequence[Rule],
    options: Options,
) -> Rehearsal:
    """Run the command at one scale."""
    with tempfile.TemporaryDirectory(prefix="trl-doctor-rehearsal-") as folder:
        root = Path(folder).resolve()
        events = events_of(command, scale, oracle, environment)
        if not options.offline and (new := hub_files.fetched(events)):
            scale.fetched.update(new)
            events = events_of(command, scale, oracle, environment)
        if any(filters_that_keep_nothing(events)):
            scale = replace(scale, rows=MORE_ROWS)
            events = events_of(command, scale, oracle, environment)
        every = parts(events)
        sources = source_runs(command, environment, options)

        def part(view: Events) -> Part:
            into = root / f"run-{view.number}"
            into.mkdir()
            ended = in_run_file(failure(view), command.launch, command.launched_by)
            ended = not_exported(ended, command)
            source = source_run(sources, view)
            file = written(view, into, scale.processes)
            run = _run(command, scale, view, file, environment, options, source)
            checkup = examine(run, environment, rules, RehearsalOracle(view, ended, oracle))
            checkup = with_source(checkup, source, environment, rules, view)
            script = Path(command.script).absolute() if command.script else file.run
            return Part(view, ended, Lines(view, ended, file, script).placed(checkup))

        results = tuple(map(part, examined(every)))
        return _noted(Rehearsal(events, results, len(every) - len(results)))


def _noted(rehearsal: Rehearsal) -> Rehearsal:
    """The same, with what is to say about the command in the run of each trainer."""
    return _with_notes(rehearsal, *notes(rehearsal.events, rehearsal.failure))


def _with_notes(rehearsal: Rehearsal, *sentences: str) -> Rehearsal:
    """The same, with these notes in the run of each trainer."""
    noted = [
        replace(part, checkup=replace(part.checkup, run=replace(part.checkup.run, notes=sentences)))
        for part in rehearsal.parts
    ]
    return replace(rehearsal, parts=tuple(noted))


def _run(
    command: Command,
    scale: Scale,
    events: Events,
    file: Written,
    environment: Environment,
    options: Options,
    source: Run | None,
) -> Run:
    """The run of one trainer, as the rules examine it."""
    target = Target(command.given, "run", file.run, _taken_for(command), beside=(command.folder,))
    opened = open_run(target, environment, replace(options, processes=None))
    opened = with_unreached(opened, events)
    return replace(
        opened,
        models=_models(opened, events),
        processes_from=processes_from(command, scale.processes, events),
        target=replace(target, launch=_launch(command, events), launched_by=command.launched_by),
        trainer=_trainer(opened, events),
        trainer_from="created by the script" if events.of("trainer") else "its config's class",
        by_class=True,
        beside=OWN_KEYS | file.beside,
        script=RunScript(reward_functions=source.script.reward_functions if source else ()),
        machine=opened.machine.with_logins(_logged_in(events, source)),
    )


def _launch(command: Command, events: Events) -> Launch | None:
    """The line that has started the trainer: of several, the one with its script."""
    built = events.last("trainer") or events.last("config")
    at = events.at(built["at"]) if built else None
    lines = [line for line in command.launches if at and Path(line.script).name == at.file.name]
    return lines[0] if len(lines) == 1 else command.launch


def _models(opened: Run, events: Events) -> Mapping[Role, Model]:
    """The models of the run; where it built no trainer, that is why there is none."""
    if events.of("trainer") or "policy" in opened.models:
        return opened.models
    reason = Undecided(NO_TRAINER)
    return {**opened.models, "policy": Model("policy", "", opened.place(), reason)}


def _trainer(opened: Run, events: Events) -> Trainer | Unavailable:
    if not isinstance(opened.trainer, Unavailable):
        return opened.trainer
    built = events.last("trainer")
    if built is None:
        return Unavailable(NO_TRAINER)
    return Unavailable(f"no rule knows the trainer {built['name']}")


def _logged_in(events: Events, source: Run | None) -> frozenset[str]:
    """The services that the script has logged in to, by event or by its source."""
    services = {"wandb" if event["name"] == "wandb" else "hub" for event in events.of("kept away")
                if event["what"] == "login" and event["name"] != "whoami"}  # fmt: skip
    return frozenset(services) | (source.machine.logged_in if source else frozenset())


def _taken_for(command: Command) -> str:
    kind = "notebook" if command.notebook else "script" if command.script else "command"
    line = f", {command.launch.cell}" if command.launch and command.launch.cell else ""
    return f"a {kind}{line}, rehearsed"
