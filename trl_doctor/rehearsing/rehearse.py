"""Rehearses a command: runs it small, writes down what it built, and asks the rules about that."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from trl_doctor.asking.oracle import Oracle
from trl_doctor.asking.variables import stand_ins
from trl_doctor.checkup.checkup import Checkup, examine
from trl_doctor.checkup.opening import Options, open_run
from trl_doctor.core.question import Answer, Pending, Question
from trl_doctor.core.sizes import GIB
from trl_doctor.core.trainer import Trainer
from trl_doctor.core.unavailable import Unavailable, Undecided
from trl_doctor.facts.rule import Rule
from trl_doctor.facts.run import OWN_KEYS, Model, Role, Run
from trl_doctor.files.hub.cache import cache_root
from trl_doctor.files.launch.launch import Launch
from trl_doctor.files.target import Target
from trl_doctor.machine.environment import Environment
from trl_doctor.probes.answers.rehearse import RehearseAnswer
from trl_doctor.rehearsing import hub_files
from trl_doctor.rehearsing.command import Command
from trl_doctor.rehearsing.counted import processes_from
from trl_doctor.rehearsing.ending import failure
from trl_doctor.rehearsing.events import Events, read_events
from trl_doctor.rehearsing.failure import Failure
from trl_doctor.rehearsing.imports import imports
from trl_doctor.rehearsing.notes import filters_that_keep_nothing, notes
from trl_doctor.rehearsing.oracle import RehearsalOracle
from trl_doctor.rehearsing.places import Lines
from trl_doctor.rehearsing.refused_key import in_run_file
from trl_doctor.rehearsing.run_file import Written, written
from trl_doctor.rehearsing.source import source_run, source_runs, with_source
from trl_doctor.rehearsing.stages import examined, parts

STEPS, ROWS, MORE_ROWS = 2, 64, 1024
"""Training steps, rows of each data set, and rows where a filter keeps none of the first ones."""
MARGIN = 12.0
"""Seconds before the end of a probe's time at which the command is ended."""


class Scale(Struct, frozen=True):
    """How small a rehearsal is, and what replaces what is not here.

    `fetched` are folders with the small files of models of the Hub, by their names: it is filled as
    they are asked for. `turn` counts the rehearsals of one command: from the second on they are
    quick. None if there is only one. `rows` are read of each data set.
    """

    processes: int | None = None
    columns: tuple[str, ...] = ()
    stand_ins: Mapping[str, str] = field(default_factory=dict)
    fetched: dict[str, str] = field(default_factory=dict)
    turn: int | None = None
    rows: int = ROWS


class Part(Struct, frozen=True):
    """A trainer of the script: the events about it, why the command ended with it, its checkup."""

    events: Events
    failure: Failure | None
    checkup: Checkup


class Rehearsal(Struct, frozen=True):
    """The result of a command: the events of its processes, and its trainers.

    `left_out` are trainers that were not examined.
    """

    events: Events
    parts: tuple[Part, ...]
    left_out: int = 0

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
    """Run the command once, small, and examine what it built. The user's files stay as they are."""
    with tempfile.TemporaryDirectory(prefix="trl-doctor-rehearsal-") as folder:
        root = Path(folder).resolve()
        events = _events(command, scale, oracle, environment.python)
        if not options.offline and (new := hub_files.fetched(events)):
            scale.fetched.update(new)
            events = _events(command, scale, oracle, environment.python)
        if any(filters_that_keep_nothing(events)):
            scale = replace(scale, rows=MORE_ROWS)
            events = _events(command, scale, oracle, environment.python)
        every = parts(events)
        sources = source_runs(command, environment, options)

        def part(view: Events) -> Part:
            into = root / f"run-{view.number}"
            into.mkdir()
            ended, source = in_run_file(failure(view), command.launch), source_run(sources, view)
            file = written(view, into, scale.processes)
            run = _run(command, scale, view, file, environment, options, source)
            checkup = examine(run, environment, rules, RehearsalOracle(view, ended, oracle))
            built = bool(view.of("trainer"))
            checkup = with_source(checkup, source, environment, rules, built=built)
            script = Path(command.script).absolute() if command.script else file.run
            return Part(view, ended, Lines(view, ended, file, script).placed(checkup))

        results = tuple(map(part, examined(every)))
        return _noted(Rehearsal(events, results, len(every) - len(results)))


def _noted(rehearsal: Rehearsal) -> Rehearsal:
    """The same, with what is to say about the command in the run of each trainer."""
    sentences = tuple(notes(rehearsal.events, rehearsal.failure))
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
    return replace(
        opened,
        models=_models(opened, events),
        processes_from=processes_from(command, scale.processes, events),
        target=replace(target, launch=_launch(command, events), launched_by=command.launched_by),
        trainer=_trainer(opened, events),
        trainer_from="created by the script" if events.of("trainer") else "its config's class",
        by_class=True,
        beside=OWN_KEYS | file.beside,
        rewards=source.rewards if source else (),
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
    reason = Undecided("the rehearsal built no trainer")
    return {**opened.models, "policy": Model("policy", "", opened.place(), reason)}


def _trainer(opened: Run, events: Events) -> Trainer | Unavailable:
    if not isinstance(opened.trainer, Unavailable):
        return opened.trainer
    built = events.last("trainer")
    if built is None:
        return Unavailable("the rehearsal built no trainer")
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


def _events(command: Command, scale: Scale, oracle: Oracle, python: Path) -> Events:
    """Run the command; what its processes wrote down."""
    answer = _answer(command, scale, oracle, python)
    records = Path(answer.folder) / "work/records"
    events = read_events(records, answer, command.folder, command.notebook)
    inside = dict.fromkeys(command.files, command.launched_by) if command.launched_by else {}
    return replace(events, given=command.given, bare=command.bare, inside=inside)


def _forks(command: Command, scale: Scale, python: Path) -> int:
    """How many forks of a process with the libraries run the script; 0 if it starts by itself."""
    again, count = scale.turn is not None, scale.processes or 1
    if command.bare:
        return count if again or count > 1 else 0
    return int(again and command.runs_script(python))


def _answer(command: Command, scale: Scale, oracle: Oracle, python: Path) -> Answer[RehearseAnswer]:
    """The answer of the probe that runs the command."""
    conditions = oracle.conditions
    path = f"{python.parent}{os.pathsep}{os.environ.get('PATH', '')}"
    forks = _forks(command, scale, python)
    question = Question("rehearse", "the rehearsal", {
        "turn": scale.turn,
        "forks": forks,
        "command": list(command.arguments),
        "variables": {"HF_HUB_CACHE": str(cache_root()), "PATH": path, **stand_ins(os.environ),
                      **command.variables},
        "own": str(command.folder),
        "files": dict(command.notebook.files if command.notebook else command.files),
        "seconds": max(5.0, conditions.seconds - MARGIN),
        "steps": STEPS,
        "rows": scale.rows,
        "columns": list(scale.columns),
        "stand_ins": dict(scale.stand_ins),
        "fetched": dict(scale.fetched),
        "trusted": conditions.trust_remote_code,
        "processes": scale.processes or 0,
        "asked": command.processes or 0,
        "disk": 16 * GIB,
    }, RehearseAnswer, imports(command.text) if forks else ())  # fmt: skip
    while True:
        try:
            return oracle.ask(question)
        except Pending:
            oracle.finish()
