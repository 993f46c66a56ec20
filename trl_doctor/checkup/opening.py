"""Opens a run: reads the run file, finds its trainer, its folders and its number of processes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from trl_doctor.checkup.resolving import Resolvers
from trl_doctor.checkup.starting_folder import launched_note, starting_note
from trl_doctor.checkup.stated_gpus import GpuOptions, stated_gpus
from trl_doctor.checkup.templated import with_unknown_values
from trl_doctor.core.finding import Json, pointer
from trl_doctor.core.trainer import Trainer
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.model.bases import with_bases
from trl_doctor.facts.partly import Partly, with_stated
from trl_doctor.facts.run import OWN_KEYS, Run, model_run, models_named
from trl_doctor.files import document
from trl_doctor.files.target import Target
from trl_doctor.files.translated import Translated, translated
from trl_doctor.machine.environment import Environment
from trl_doctor.machine.surroundings import Surroundings

if TYPE_CHECKING:
    from trl_doctor.checkup.how_many_processes import Processes
    from trl_doctor.machine.settings_table import TargetSettings


class Options(Struct, frozen=True):
    """What the command line and the settings add to the target.

    `default_trainer` counts if the run file does not name one; `targets` are the settings for files
    of certain names. `moved` maps folders and files to where they are found instead (a repair).
    """

    trainer: Trainer | None = None
    processes: int | None = None
    offline: bool = False
    vllm_server: str = ""
    gpus: GpuOptions = GpuOptions()
    default_trainer: Trainer | None = None
    targets: tuple[TargetSettings, ...] = ()
    machine: Surroundings = field(default_factory=Surroundings)
    moved: Mapping[Path, Path] = field(default_factory=dict)


def open_run(target: Target, environment: Environment, options: Options) -> Run:
    """The run that the target describes. A run file that cannot be read is part of the answer."""
    run = _opened(target, environment, options)
    resolvers = _resolvers(target, options)
    run = replace(run, models=with_bases(run.models, resolvers.folder))
    here, beside = Path.cwd(), target.path.absolute().parent
    note = starting_note(run, here, beside) or launched_note(run)
    roots = (here, beside, *target.beside)
    return replace(
        run,
        turns=_turns(target, environment, options),
        notes=(*run.notes, note) if note else run.notes,
        vllm_server=options.vllm_server,
        moved=options.moved,
        hardware=stated_gpus(options.gpus, target),
        machine=options.machine.with_logins(run.machine.logged_in),
        roots=tuple(dict.fromkeys(roots)),
    )


def _turns(
    target: Target, environment: Environment, options: Options
) -> tuple[tuple[str, str], ...]:
    """The folders that earlier turns of the same loop write to, as far as they are known."""
    found = []
    for turn in target.turns:
        run = _opened(replace(turn, number=target.number), environment, options)
        try:
            output = run.arguments.get("output_dir")
        except Unavailable:
            continue
        if isinstance(output, str) and output and turn.launch:
            found.append((turn.launch.shown, output))
    return tuple(found)


def _opened(target: Target, environment: Environment, options: Options) -> Run:
    moved = replace(target, path=options.moved.get(target.path, target.path))
    if target.kind == "model":
        unknown = Unavailable("the trainer is not known: use --trainer, for example --trainer grpo")
        trainer_name = options.trainer or options.default_trainer
        return model_run(moved, trainer_name or unknown, options.processes)
    if target.kind == "script":
        return _script(target, moved.path, environment, options)
    try:
        file, started = _read(target, moved.path, environment)
        mapping = file.mapping()
    except document.Unreadable as problem:
        return Run(moved, problem, options.trainer or problem, "--trainer")
    arguments = mapping.settled() if isinstance(mapping, Partly) else mapping
    resolver = _resolvers(target, options).of(arguments.get("model_revision"))
    stated = _stated(target.path, file, options)
    trainer, trainer_from = _trainer(target.path, file, stated, environment, options)
    other = file if isinstance(file, Translated) else None
    if other is not None and not options.trainer:
        from trl_doctor.checkup.which_trainer import of_method

        trainer, trainer_from = of_method(other), other.method
    if started is not None and target.launch is not None:
        trainer, trainer_from = started, f"trl {started.name}, {target.launch.shown}"
    counted = _counted(target, arguments, stated, environment, options)
    stated_keys = {key: value for key, value in stated.items() if key in OWN_KEYS - {"trainer"}}
    return Run(
        moved,
        file,
        trainer,
        trainer_from,
        models_named(
            with_stated(mapping, stated_keys), lambda key: file.place(pointer(key)), resolver.folder
        ),
        counted.number,
        counted.source,
        processes_assumed=counted.assumed,
        stated=stated_keys,
        notes=file.notes(),
        program=other.program if other else "",
        left=other.left if other else (),
    )


def _read(
    target: Target, path: Path, environment: Environment
) -> tuple[document.Document, Trainer | None]:
    """The run file, and the trainer of the command that starts it, if there is one."""
    if target.launch is None and not target.argv:
        return with_unknown_values(translated(document.read(path))), None
    from trl_doctor.checkup import started_run

    return started_run.opened(target, path, environment)


def _counted(
    target: Target,
    arguments: Mapping[str, Json],
    stated: Mapping[str, str],
    environment: Environment,
    options: Options,
) -> Processes:
    """How many processes run: as the user says, the run, the line that starts it, this machine."""
    from trl_doctor.checkup.how_many_processes import Processes, processes_of

    if options.processes:
        return Processes(options.processes, "--processes")
    counted = processes_of(arguments, stated, target.path.parent, environment)
    if target.launch:
        from trl_doctor.checkup import launch_targets

        number, source = launch_targets.processes(target)
        if number and (counted.assumed or not counted.number):
            return Processes(number, source)
    return counted


def _script(target: Target, path: Path, environment: Environment, options: Options) -> Run:
    from trl_doctor.checkup.scripts import open_script

    resolvers = _resolvers(target, options)
    run = open_script(target, path, environment, resolvers.folder)
    if options.trainer and isinstance(run.trainer, Unavailable):
        run = replace(run, trainer=options.trainer, trainer_from="--trainer")
    counted = _counted(target, {}, {}, environment, options)
    from trl_doctor.files.launch.program import ALONE

    alone = target.launch and target.launch.processes_from == ALONE and not options.processes
    if alone or counted.assumed or not counted.number:
        from trl_doctor.checkup.how_many_processes import of_ray

        counted = of_ray(getattr(run.file, "data", b"")) or counted
    return replace(
        run,
        processes=counted.number,
        processes_from=counted.source,
        processes_assumed=counted.assumed,
    )


def _trainer(
    path: Path,
    file: document.Document,
    stated: Mapping[str, str],
    environment: Environment,
    options: Options,
) -> tuple[Trainer | Unavailable, str]:
    if options.trainer:
        return options.trainer, "--trainer"
    from trl_doctor.checkup.which_trainer import trainer_of

    text = file.data.decode("utf-8-sig") if file.format == "yaml" else ""
    trainer, where = trainer_of(path, text, file.mapping(), stated, environment)
    if isinstance(trainer, Unavailable) and options.default_trainer:
        return options.default_trainer, "the settings"
    return trainer, where


def _stated(path: Path, file: document.Document, options: Options) -> dict[str, str]:
    """What comments in the file say, else the settings for files of this name; `from` says who."""
    if file.format == "yaml":
        from trl_doctor.files.comments import comments

        stated: dict[str, str] = {}
        for comment in comments(file.data.decode("utf-8-sig")):
            stated |= comment.stated
        if stated:
            return {**stated, "from": "the comment in the run file"}
    for settings in options.targets:
        if settings.matches(path):
            return {**settings.stated, "from": f"the settings for {settings.pattern}"}
    return {}


def _resolvers(target: Target, options: Options) -> Resolvers:
    """What finds the models of a target."""
    return Resolvers(
        target.folders, target.mounts, options.moved, options.machine.withheld, options.offline
    )
