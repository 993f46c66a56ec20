"""What the script's source shows and its rehearsal does not: how it calls the libraries."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from trl_doctor.asking.oracle import NoOracle
from trl_doctor.checkup import scripts
from trl_doctor.checkup.checkup import Checkup, examine
from trl_doctor.checkup.opening import Options, open_run
from trl_doctor.checkup.outcome import Outcome
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.rule import Rule
from trl_doctor.facts.run import Run
from trl_doctor.facts.script.passed import NO_CODE
from trl_doctor.files.launch.shell.inside import named_exactly
from trl_doctor.files.target import SCRIPTS, NotRead, Target
from trl_doctor.machine.environment import Environment
from trl_doctor.rehearsing.command.command import Command
from trl_doctor.rehearsing.command.launch_file import form
from trl_doctor.rehearsing.events import Events

OF_ARGUMENTS = ("argument-unknown", "argument-gone-from-trl")
"""Rules about arguments that a parser refuses before a config is made."""

UNTIL_BUILT = ("constructor-argument-gone-from-trl", "import-gone-from-trl")
"""Rules about what ends a script before its trainer is made. Where one is, they are answered."""

SAME = {"script-names-gone-from-trl": "import-gone-from-trl"}
"""Rules about how a rehearsal ended, and those that find the same in the source, and more."""

ONLY_READ = (
    "flash-attention-not-installed",
    "package-not-installed",
    "reward-model-without-scalar-head",
)
"""Rules about how a script loads its models: a rehearsal loads small ones, on the CPU."""

SEEN_BY_BOTH = ("tokenizer-longer-than-embedding",)
"""Rules whose finding is at the exact place, with its own remedy, where the source shows it too."""

EXCUSED = (
    "argument-lacks-its-switch",
    "checkpoint-best-by-loss",
    "checkpoint-best-never-saved",
    "evaluation-never-runs",
)
"""Rules whose finding the source may answer: code that saves or evaluates at other times, or reads
an argument itself."""


def source_runs(command: Command, environment: Environment, options: Options) -> list[Run]:
    """A run for each trainer that the source makes, as it describes them.

    The Hub is not asked again: what it has of the models came with the rehearsal.
    """
    if not command.script and not command.notebook:
        return []
    book = command.notebook
    in_cells = book is not None and (book.cells or not command.script)
    path = book.path if book and in_cells else Path(command.script).absolute()
    argv = None
    if command.script in command.arguments:
        argv = command.arguments[command.arguments.index(command.script) + 1 :]
    target = Target(command.given, "script", path, SCRIPTS[path.suffix.lower()], argv=argv)
    launch, launcher = command.launch, command.launched_by
    if launcher is not None and (form(launcher) or launcher.suffix.lower() == ".ipynb"):
        inside = named_exactly(launch.files, launch.script) if launch else None
        cells = inside.cells if inside else ()
        target = replace(target, launch=launch, launched_by=launcher, cells=cells)
    try:
        parts = scripts.parts(target, environment)
    except NotRead:
        return []
    return [open_run(part, environment, replace(options, offline=True)) for part in parts]


def source_run(runs: Sequence[Run], events: Events) -> Run | None:
    """The run of the trainer that was built; None if the source does not describe it."""
    built = events.last("trainer")
    name = built["name"] if built else None
    fitting = [run for run in runs if name in (None, getattr(run.trainer, "trainer", name))]
    if len(fitting) > 1 and built and (at := events.at(built["at"])):
        fitting = [run for run in fitting if (run.place().spot or at.spot()).line == at.spot().line]
    if len(fitting) != 1 or isinstance(fitting[0].file, Unavailable):
        return None
    return fitting[0]


def with_source(
    checkup: Checkup,
    source: Run | None,
    environment: Environment,
    rules: Sequence[Rule],
    events: Events,
) -> Checkup:
    """The checkup, with what rules about code find in the source.

    Where the rehearsal has built no trainer, all that it did not examine is read there.
    """
    of_code = {item.rule.name for item in checkup.outcomes if item.reason == NO_CODE}
    names = {*of_code}
    if not events.of("built"):
        skipped = {item.rule.name for item in checkup.outcomes if item.state == "skipped"}
        names |= {*UNTIL_BUILT, *skipped, *(() if events.of("trainer") else OF_ARGUMENTS)}
    states = {item.rule.name: item.state for item in checkup.outcomes}
    both = {name for name in SEEN_BY_BOTH if states.get(name) == "found"}
    names |= both | {name for name in ONLY_READ if states.get(name) != "found"}
    names |= {name for name in EXCUSED if states.get(name) == "found"}
    if source is None or not names:
        return checkup
    about_code = [rule for rule in rules if rule.name in names]
    source_checkup = examine(source, environment, about_code, NoOracle("the source is read"))
    outcomes = {
        item.rule.name: item
        for item in source_checkup.outcomes
        if item.state in ("found", "clear")
        or (item.state == "not concerned" and item.rule.name in of_code)
    }
    in_source = {name for name, outcome in outcomes.items() if outcome.state == "found"}
    same = {name for name, other in SAME.items() if other in in_source}

    def chosen(outcome: Outcome) -> Outcome:
        if outcome.rule.name in same:
            return replace(outcome, state="clear", findings=())
        other = outcomes.get(outcome.rule.name, outcome)
        return outcome if other.state == "clear" and outcome.rule.name in both else other

    return replace(checkup, outcomes=tuple(map(chosen, checkup.outcomes)))
