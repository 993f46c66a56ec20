"""Opens a run that a script or a notebook describes."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from trl_doctor.checkup.no_trainer import no_trainer
from trl_doctor.checkup.saved_models import saved_earlier, takes_saved_dtype
from trl_doctor.checkup.script_mentions import (
    asks_adapter,
    keywords,
    lacking,
    mentions,
    parsed_beside,
    passes,
    refused,
    rewards,
)
from trl_doctor.core.finding import Place
from trl_doctor.core.unavailable import Unavailable, Undecided
from trl_doctor.facts.library import accepted, releases
from trl_doctor.facts.model.ppo import of_this_release
from trl_doctor.facts.run import UNDECIDED, Model, Role, Run
from trl_doctor.facts.run_script import RunScript
from trl_doctor.facts.script import defaults, library_calls, trainers
from trl_doctor.facts.script.added_fields import without_added
from trl_doctor.facts.script.description import Described, described
from trl_doctor.facts.script.logins import logged_in
from trl_doctor.facts.script.roles import RoleModel
from trl_doctor.facts.script.row_files import row_files
from trl_doctor.facts.script.row_loads import row_loads
from trl_doctor.facts.script.unread_settings import idle_parts, unread_settings
from trl_doctor.facts.script.written import writes
from trl_doctor.files import document
from trl_doctor.files.folder import Folder
from trl_doctor.files.formats.text import Invalid
from trl_doctor.files.source.document import Script
from trl_doctor.files.source.places import Places
from trl_doctor.files.source.reading import Reading, Start, read_source
from trl_doctor.files.target import NotRead, Target
from trl_doctor.machine.environment import Environment
from trl_doctor.machine.surroundings import Surroundings

Resolve = Callable[[str, str | None], Folder | Unavailable]
"""The folder of a model by its name and revision."""


class ParsedScript(Struct, frozen=True):
    """A script as it was read, with the trainers of TRL that it makes."""

    reading: Reading
    uses: tuple[trainers.Use, ...]


def start_of(target: Target) -> Start:
    """How the script is started: by the user's words, or by the line of a launch file."""
    if target.launch is None:
        return Start(target.argv)
    variables = tuple(sorted(target.launch.variables.items()))
    files = tuple((name, file.text) for name, file in sorted(target.launch.files.items()))
    launcher = (target.launched_by or target.path).absolute().parent
    folders = tuple(dict.fromkeys((*target.beside, Path.cwd(), launcher)))
    return Start(target.argv, variables, target.cells, files, folders)


def parts(target: Target, environment: Environment) -> list[Target]:
    """A target for each trainer that the script makes.

    A script that cannot be read is one target. Raises `NotRead` if no trainer is made.
    """
    try:
        data = target.text or document.read_bytes(target.path)
        script = _parsed(target.path, data, start_of(target), environment)
    except document.Unreadable as problem:
        if problem.kind == "empty" and target.path.name == "__init__.py":
            raise NotRead(f"{target.given}: it {problem.problem}") from problem
        return [target]
    if not script.uses:
        raise NotRead(f"{target.given}: {no_trainer(script.reading)}")
    if len(script.uses) == 1:
        return [target]
    return [_part(target, script, number) for number in range(len(script.uses))]


def _part(target: Target, script: ParsedScript, number: int) -> Target:
    use = script.uses[number]
    where = script.reading.state.place(use.made.span)
    line = where.removeprefix("line ")
    at = f"{target.path.name}, {where}" if line == where else f"{target.path.name}:{line}"
    return replace(target, number=number, stage=f"{use.name} at {at}")


def open_script(target: Target, path: Path, environment: Environment, resolve: Resolve) -> Run:
    """The run of one trainer of a script; one that cannot be read is part of the answer.

    `path` is where the script is found now.
    """
    moved_target = replace(target, path=path)
    try:
        data = target.text or document.read_bytes(path)
        script, description, parsed = _script(target, path, data, environment)
    except document.Unreadable as problem:
        return Run(moved_target, problem, problem, "")
    use = description.use
    cls = f"{use.name} ({parsed.reading.state.place(use.made.span)})"
    models, notes = _models(description, resolve, parsed, script.places, target.number)
    shown = _shown(description, parsed.reading, script)
    return Run(
        moved_target,
        script,
        of_this_release(description.trainer, shown.passed, environment.version("trl")),
        cls,
        models,
        by_class=True,
        parser=description.config.parsed if description.config else "",
        beside=description.beside,
        notes=(*description.notes, *notes),
        script=shown,
        machine=Surroundings(logged_in=frozenset(logged_in(parsed.reading))),
    )


def _shown(description: Described, reading: Reading, script: Script) -> RunScript:
    """What the code shows beside the arguments of its config."""
    use, places = description.use, script.places
    passed = passes(use, places, reading)
    functions = rewards(description, reading, places)
    return RunScript(
        passed,
        tuple(keywords(use, places)),
        tuple(parsed_beside(reading, places)),
        asks_adapter(reading, script),
        reward_functions=tuple(without_added(function, passed) for function in functions),
        row_files=mentions(row_files(reading), places),
        row_loads=tuple(row_loads(reading, places)),
        trl_names=mentions(trainers.imported(reading), places),
        library_names=mentions(library_calls.around(reading), places),
        library_calls=tuple(library_calls.calls(reading, places)),
        refused_options=tuple(refused(reading, script)),
        unread_settings=tuple(unread_settings(reading, places)),
        unused_parts=mentions(idle_parts(reading), places),
        unreadable_parts=mentions(((why, span) for span, why in reading.faults), places),
        lacking=tuple(lacking(reading, places)),
        replaced_by="Unsloth" if reading.state.imports_root("unsloth") else "",
    )


def _script(
    target: Target, path: Path, data: bytes, environment: Environment
) -> tuple[Script, Described, ParsedScript]:
    parsed = _parsed(path, data, start_of(target), environment)
    if not parsed.uses:
        why = no_trainer(parsed.reading).removeprefix("it ")
        raise document.Unreadable(path, "missing", why)
    if target.number >= len(parsed.uses):
        raise document.Unreadable(path, "invalid", "no longer creates this trainer")
    use = parsed.uses[target.number]
    fields = frozenset[str]()
    if use.trainer is not None:
        fields = frozenset(accepted(environment, use.trainer).config)
    places = Places(path, parsed.reading.state.pieces, data)
    description = described(parsed.reading, use, places, fields)

    def again(changed: bytes) -> Script:
        return _script(target, path, changed, environment)[0]

    script = Script(
        path,
        data,
        description.arguments,
        "python",
        places=places,
        held=description.held,
        config=description.config,
        main=use.made.span,
        created=use.made.keywords if use.made.rest is None else {},
        takes=fields,
        again=again,
        options=_options(target),
    )
    return script, description, parsed


def _options(target: Target) -> dict[str, Place]:
    """The places of the options that a launch file gives the script; that of the line under ""."""
    if target.launch is None or target.launched_by is None:
        return {}
    from trl_doctor.checkup import started_run

    return started_run.places(target.launch, target.launched_by)


@lru_cache(maxsize=16)
def _parsed(path: Path, data: bytes, start: Start, environment: Environment) -> ParsedScript:
    """The script as it was read; raises `document.Unreadable`."""
    try:
        reading = read_source(
            path, data, start, lambda question: defaults.default(environment, question)
        )
    except Invalid as error:
        raise document.Unreadable(path, error.flaw, error.problem, error.at) from None
    version = environment.version("trl") or releases.newest_release()
    names = {made.short for made in reading.made if made.trains}
    looked_up = {name: trainers.signature(version, name) for name in names}
    signatures = {name: signature for name, signature in looked_up.items() if signature}
    return ParsedScript(reading, tuple(trainers.uses(reading, signatures)))


def _models(
    description: Described, resolve: Resolve, parsed: ParsedScript, places: Places, number: int
) -> tuple[dict[Role, Model], tuple[str, ...]]:
    """The models of the trainer with this number, and notes on those that are not here yet."""
    reading, uses = parsed.reading, parsed.uses[:number]
    models, notes = dict[Role, Model](), dict[str, None]()
    for role, script_model in description.models.items():
        model = _model(role, script_model, resolve)
        if isinstance(model.folder, Unavailable) and model.name and writes(reading, model.name):
            folder: Folder | Undecided = Undecided(
                f"the script itself writes {model.name}, which is not here yet"
            )
            earlier = saved_earlier(model.name, reading, uses, places, resolve)
            if earlier and not takes_saved_dtype(description.arguments):
                stage, name = earlier[1], model.name
                folder = replace(earlier[0], changes=script_model.changes, stands_for=name)
                notes[
                    f"{model.name} is not here yet: stage {stage} saves {folder.label} there, "
                    "and that is examined in its place"
                ] = None
            model = replace(model, folder=folder)
        models[role] = model
    return models, tuple(notes)


def _model(role: Role, role_model: RoleModel, resolve: Resolve) -> Model:
    if isinstance(role_model.name, Unavailable):
        undecided = isinstance(role_model.name, Undecided)
        return Model(role, UNDECIDED if undecided else "", role_model.place, role_model.name)
    folder = resolve(role_model.name, role_model.revision)
    if isinstance(folder, Folder) and role_model.changes:
        folder = folder.changed(role_model.changes)
    return Model(role, role_model.name, role_model.place, folder)
