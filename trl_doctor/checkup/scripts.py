"""Opens a run that a script or a notebook describes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from packaging.version import Version

from trl_doctor.core.unavailable import Unavailable, Undecided
from trl_doctor.facts.handed import Passed
from trl_doctor.facts.library import BESIDE, accepted, releases
from trl_doctor.facts.run import UNDECIDED, Mention, Model, Role, Run
from trl_doctor.facts.script import defaults, trainers
from trl_doctor.facts.script.description import Described, described
from trl_doctor.facts.script.roles import Named
from trl_doctor.facts.signatures import Signature, signature
from trl_doctor.files import document
from trl_doctor.files.folder import Folder
from trl_doctor.files.formats.text import Invalid
from trl_doctor.files.source.document import Script
from trl_doctor.files.source.objects import Function
from trl_doctor.files.source.places import Places
from trl_doctor.files.source.reading import Reading, Start, read
from trl_doctor.files.target import NotRead, Target
from trl_doctor.machine.environment import Environment

Resolve = Callable[[str, str | None], Folder | Unavailable]
"""The folder of a model by its name and revision."""


@dataclass(frozen=True)
class Found:
    """A script as it was read, with the trainers of TRL that it makes."""

    reading: Reading
    uses: tuple[trainers.Use, ...]


def start_of(target: Target) -> Start:
    """How the script is started: by the user's words, or by the line of a launch file."""
    variables = target.launch.variables if target.launch else {}
    return Start(target.argv, tuple(sorted(variables.items())))


def parts(target: Target, environment: Environment) -> list[Target]:
    """A target for each trainer that the script makes.

    A script that cannot be read is one target. Raises `NotRead` where no trainer is made.
    """
    try:
        found = _found(target.path, document.read_bytes(target.path), start_of(target), environment)
    except document.Unreadable:
        return [target]
    if not found.uses:
        raise NotRead(f"{target.given}: {_no_trainer(found.reading)}")
    if len(found.uses) == 1:
        return [target]
    return [_part(target, found, number) for number in range(len(found.uses))]


def _part(target: Target, found: Found, number: int) -> Target:
    use = found.uses[number]
    where = found.reading.state.place(use.made.span)
    said = f"{target.taken_for}, trainer {number + 1} of {len(found.uses)}: {use.name}, {where}"
    return replace(target, number=number, taken_for=said)


def _no_trainer(reading: Reading) -> str:
    if reading.incomplete:
        return reading.incomplete
    others = [f"{one.of} ({reading.state.place(one.span)})" for one in trainers.others(reading)]
    if others:
        return f"it creates no trainer of TRL, but {', '.join(others[:3])}"
    if unreached := reading.unreached():
        return f"it creates no trainer of TRL: {unreached} is never reached"
    return "it creates no trainer of TRL: name the script that calls GRPOTrainer, SFTTrainer, …"


def open_script(target: Target, path: Path, environment: Environment, resolve: Resolve) -> Run:
    """The run of one trainer of a script; one that cannot be read is part of the answer.

    `path` is where the script is found now.
    """
    shown = replace(target, path=path)
    try:
        data = document.read_bytes(path)
        script, made, found = _script(target, path, data, environment)
    except document.Unreadable as problem:
        return Run(shown, problem, problem, "")
    use = made.use
    cls = f"{use.name} ({found.reading.state.place(use.made.span)})"
    models = dict(_models(made, resolve))
    return Run(
        shown,
        script,
        made.trainer,
        cls,
        models,
        by_class=True,
        beside=made.beside,
        notes=made.notes,
        rewards=tuple(_rewards(made, found.reading, script.places)),
        imports=tuple(
            Mention(name, script.places.place("", span))
            for name, span in trainers.imported(found.reading)
        ),
        faults=tuple(
            Mention(problem, script.places.place("", span))
            for span, problem in found.reading.faults
        ),
        replaced_by="Unsloth" if found.reading.state.imports_root("unsloth") else "",
        constructor=tuple(
            Mention(name, script.places.place(f"/{name}", given.whole))
            for name, given in (use.made.given.items() if use.made.rest is None else ())
            if name not in use.made.fields
        ),
        parsed_beside=tuple(_parsed_beside(found.reading, script.places)),
        passes=_passes(use, script.places),
    )


def _parsed_beside(reading: Reading, places: Places) -> Iterator[tuple[str, Mention]]:
    """What the script gives to TRL's own ModelConfig and ScriptArguments, by the class."""
    for made in reading.state.made:
        if made.of.startswith("trl") and made.short in BESIDE and made.rest is None:
            for name, given in made.given.items():
                if name not in made.fields:
                    yield made.short, Mention(name, places.place("", given.whole))


def _passes(use: trainers.Use, places: Places) -> Passed:
    given = {name: one for name in use.names if (one := use.given(name)) is not None}
    given = {name: one for name, one in given.items() if one.value is not use.made.rest}
    given |= use.made.given
    return Passed(
        {name: one.value for name, one in given.items()},
        {name: places.place(f"/{name}", one.whole) for name, one in given.items()},
        use.made.rest.why if use.made.rest is not None else "",
    )


def _script(
    target: Target, path: Path, data: bytes, environment: Environment
) -> tuple[Script, Described, Found]:
    found = _found(path, data, start_of(target), environment)
    if target.number >= len(found.uses):
        raise document.Unreadable(path, "invalid", "no longer creates this trainer")
    use = found.uses[target.number]
    fields = frozenset[str]()
    if use.trainer is not None:
        fields = frozenset(accepted(environment, use.trainer).config)
    places = Places(path, found.reading.state.pieces, data)
    made = described(found.reading, use, places, fields)

    def again(changed: bytes) -> Script:
        return _script(target, path, changed, environment)[0]

    script = Script(
        path,
        data,
        made.arguments,
        "python",
        places=places,
        held=made.held,
        config=made.config,
        main=use.made.span,
        takes=fields,
        again=again,
    )
    return script, made, found


@lru_cache(maxsize=16)
def _found(path: Path, data: bytes, start: Start, environment: Environment) -> Found:
    """The script as it was read; raises `document.Unreadable`."""
    try:
        reading = read(path, data, start, lambda asked: defaults.default(environment, asked))
    except Invalid as error:
        raise document.Unreadable(path, error.flaw, error.problem, error.at) from None
    version = environment.version("trl") or releases.newest_release()
    names = {made.short for made in reading.made if made.short.endswith("Trainer")}
    known = {name: _signature(version, name) for name in names}
    signatures = {name: said for name, said in known.items() if said}
    return Found(reading, tuple(trainers.uses(reading, signatures)))


def _signature(version: Version, name: str) -> tuple[str, ...] | None:
    """The arguments of a trainer's constructor in this release, or in the last that has it."""
    lives = releases.exported(name)
    last = (lives[-1].last or lives[-1].first) if lives else version
    return releases.trainer_arguments(version, name) or releases.trainer_arguments(last, name)


def _models(made: Described, resolve: Resolve) -> Iterator[tuple[Role, Model]]:
    for role, named in made.models.items():
        yield role, _model(role, named, resolve)  # type: ignore[misc,arg-type]


def _model(role: Role, named: Named, resolve: Resolve) -> Model:
    if isinstance(named.name, Unavailable):
        undecided = isinstance(named.name, Undecided)
        return Model(role, UNDECIDED if undecided else "", named.place, named.name)
    folder = resolve(named.name, named.revision)
    if isinstance(folder, Folder) and named.changes:
        folder = replace(folder, changes=named.changes)
    return Model(role, named.name, named.place, folder)


def _rewards(made: Described, reading: Reading, places: Places) -> Iterator[Signature]:
    for one in made.rewards:
        if isinstance(one, Function) and not one.decorated:
            before, reading.state.source = reading.state.source, one.source
            place = places.place("/reward_funcs", reading.state.span(one.node))
            reading.state.source = before
            yield signature(one.node, one.name, place, 1 if one.owner is not None else 0)
