"""Opens a run: reads the run file, finds its trainer, its folders and its number of processes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from trl_doctor.core.finding import Json
from trl_doctor.core.trainer import COMMON, TRAINERS, Trainer, named
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.run import OWN_KEYS, Run, model_run, models_named
from trl_doctor.files import document
from trl_doctor.files.folder import Folder
from trl_doctor.files.target import Target
from trl_doctor.machine.cards import Stated
from trl_doctor.machine.environment import Environment

if TYPE_CHECKING:
    from trl_doctor.facts.library import Fields


@dataclass(frozen=True)
class Options:
    """What the command line adds to the target.

    `moved` maps folders and files to where they are found instead (a planned repair).
    """

    trainer: Trainer | None = None
    processes: int | None = None
    offline: bool = False
    vllm_server: str = ""
    hardware: Stated | None = None
    moved: Mapping[Path, Path] = field(default_factory=dict)


def open_run(target: Target, environment: Environment, options: Options) -> Run:
    """The run that the target describes. A run file that cannot be read is part of the answer."""
    run = _opened(target, environment, options)
    roots = (Path.cwd(), target.path.absolute().parent, *target.beside)
    return replace(
        run,
        vllm_server=options.vllm_server,
        hardware=options.hardware,
        roots=tuple(dict.fromkeys(roots)),
    )


def _opened(target: Target, environment: Environment, options: Options) -> Run:
    found = replace(target, path=options.moved.get(target.path, target.path))
    if target.kind == "model":
        unsaid = Unavailable("which trainer the model is meant for is open: say --trainer grpo")
        return model_run(found, options.trainer or unsaid, options.processes)
    if target.kind == "script":
        return _script(target, found.path, environment, options)
    file: document.Document | document.Unreadable
    try:
        file = document.read(found.path)
        arguments = file.mapping()
    except document.Unreadable as problem:
        return Run(found, problem, options.trainer or problem, "--trainer")
    resolver = _Resolver(target.path.parent, options, arguments.get("model_revision"))
    trainer, trainer_from = _trainer(arguments, environment, options)
    processes, processes_from = _processes(arguments, target.path.parent, options)
    return Run(
        found,
        file,
        trainer,
        trainer_from,
        models_named(arguments, found.path, resolver.folder),
        processes,
        processes_from,
    )


def _script(target: Target, path: Path, environment: Environment, options: Options) -> Run:
    from trl_doctor.checkup.scripts import open_script

    resolvers: dict[str | None, _Resolver] = {}

    def resolve(name: str, revision: str | None) -> Folder | Unavailable:
        known = resolvers.setdefault(revision, _Resolver(target.path.parent, options, revision))
        return known.folder(name)

    run = open_script(target, path, environment, resolve)
    if options.trainer and isinstance(run.trainer, Unavailable):
        run = replace(run, trainer=options.trainer, trainer_from="--trainer")
    if options.processes:
        run = replace(run, processes=options.processes, processes_from="--processes")
    return run


@dataclass
class _Resolver:
    base: Path
    options: Options
    revision: Json
    known: dict[str, Folder | Unavailable] = field(default_factory=dict)

    def folder(self, name: str) -> Folder | Unavailable:
        """The folder of a name in a run file: one object a folder, so that files are read once."""
        if name not in self.known:
            self.known[name] = self._found(name)
        return self.known[name]

    def _found(self, name: str) -> Folder | Unavailable:
        # TRL takes a relative path from the working folder; a checkout is also checked from above
        for root in (Path.cwd(), self.base):
            try:
                path = root / Path(name).expanduser()
                if path.is_dir():
                    path = path.resolve() if ".." in path.parts else path
                    return Folder(self.options.moved.get(path, path), name)
            except (OSError, RuntimeError) as error:
                why = (isinstance(error, OSError) and error.strerror) or error
                return Unavailable(f"the folder {name:.200} cannot be reached: {why}")
        from trl_doctor.files import hub

        if not hub.looks_like_hub_id(name):
            return Unavailable(f"there is no folder {name:.200}")
        identity = hub.parse(name)
        if isinstance(self.revision, str) and identity.revision is None:
            identity = replace(identity, revision=self.revision)
        try:
            snapshot = hub.resolve(identity, offline=self.options.offline)
        except Unavailable as reason:
            return reason
        if snapshot.lacks_more_than_weights:
            return Unavailable(f"{name}: {snapshot.note}")
        path = self.options.moved.get(snapshot.path, snapshot.path)
        return Folder(path, snapshot.label, bool(snapshot.lacks))


def _trainer(
    arguments: Mapping[str, Json], environment: Environment, options: Options
) -> tuple[Trainer | Unavailable, str]:
    if options.trainer:
        return options.trainer, "--trainer"
    said = arguments.get("trainer")
    if isinstance(said, str):
        trainer = named(said)
        if trainer:
            return trainer, f"trainer: {said}"
        known = ", ".join(TRAINERS)
        return Unavailable(f"trainer: {said:.60} is no trainer of TRL ({known})"), ""
    return _inferred(arguments, environment)


def _inferred(
    arguments: Mapping[str, Json], environment: Environment
) -> tuple[Trainer | Unavailable, str]:
    """The one trainer whose own arguments explain the keys that not all trainers have."""
    from trl_doctor.facts.library import accepted

    fields = {name: accepted(environment, TRAINERS[name]).fields for name in COMMON}
    keys = [key for key in arguments if key not in OWN_KEYS]
    known = [key for key in keys if any(key in known for known in fields.values())]
    fitting, telling = set(COMMON), list[str]()
    for key in known if 2 * len(known) > len(keys) else ():
        takers = _takers(fields, key)
        if takers and fitting & takers and not fitting <= takers:
            fitting &= takers
            telling.append(key)
    if len(fitting) == 1 and (len(telling) > 1 or _offered(environment, min(fitting))):
        trainer = TRAINERS[fitting.pop()]
        alone = [key for key in telling if len(_takers(fields, key)) == 1]
        return trainer, f"inferred: only {trainer.trainer} takes {' with '.join(alone or telling)}"
    names = ", ".join(name for name in COMMON if name in fitting)
    open_question = (
        f"which trainer is open ({names} take these keys): "
        "add `trainer: grpo` to the run file, or say --trainer grpo"
    )
    return Unavailable(open_question), ""


def _offered(environment: Environment, name: str) -> bool:
    """Whether the target's or the newest trl has it: else one key is little evidence."""
    from trl_doctor.facts.library import releases, trainer_exports

    trainer = TRAINERS[name].trainer
    newest = releases.trainers(releases.newest_release())
    return trainer in newest or trainer in trainer_exports(environment)


def _takers(fields: Mapping[str, Fields], key: str) -> set[str]:
    """The trainers that take a key which is an argument of a trainer's own; else none.

    What comes from TrainingArguments tells nothing, and what a script takes little.
    """
    owners = {name: taken[key].owner for name, taken in fields.items() if key in taken}
    own = any(owner == TRAINERS[name].config for name, owner in owners.items())
    return set(owners) if own and "TrainingArguments" not in owners.values() else set()


def _processes(
    arguments: Mapping[str, Json], base: Path, options: Options
) -> tuple[int | None, str]:
    if options.processes:
        return options.processes, "--processes"
    for key in ("num_processes", "nproc_per_node"):
        number = arguments.get(key)
        if isinstance(number, int) and not isinstance(number, bool) and number > 0:
            return number, f"{key} in the run file"
    name = arguments.get("accelerate_config")
    if isinstance(name, str):
        for root in (Path.cwd(), base):
            number = _stated(root / name)
            if number:
                return number, f"num_processes in {name}"
    return None, ""


def _stated(file: Path) -> int | None:
    try:
        number = document.read(file).mapping().get("num_processes")
    except document.Unreadable:
        return None
    if not isinstance(number, int) or isinstance(number, bool):
        return None
    return number if number > 0 else None
