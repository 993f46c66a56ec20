"""The run file of a launch line, or of the user's own words, with their options on top."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from trl_doctor.checkup.templated import unknown_values
from trl_doctor.core.finding import Json, Place, Spot, pointer
from trl_doctor.core.trainer import TRAINERS, Trainer
from trl_doctor.facts.library import accepted
from trl_doctor.facts.partly import Partly
from trl_doctor.files import document
from trl_doctor.files.document import Document, Position
from trl_doctor.files.launch.document import RunFileOfLine
from trl_doctor.files.launch.flags import Flags, config_of, flags, with_whole_names
from trl_doctor.files.launch.launch import Launch
from trl_doctor.files.launch.shell.inside import filled_in, named_alike, named_exactly
from trl_doctor.files.launch.shell.lines import Lines, lines_of
from trl_doctor.files.launch.shell.variables import Inside, Word
from trl_doctor.files.target import Target
from trl_doctor.machine.environment import Environment


def opened(target: Target, path: Path, environment: Environment) -> tuple[Document, Trainer | None]:
    """The run file with the options on top; raises `document.Unreadable`."""
    launch, launcher = target.launch, target.launched_by
    if launch is None or launcher is None:
        return _with_words(document.read(path), target.argv or ()), None
    line_flags, main = _options(launch, launcher)
    line_flags = with_whole_names(
        line_flags, accepted(environment, TRAINERS[launch.command]).fields
    )
    config, alone = config_of(launch), target.path == launcher
    beneath: Mapping[str, Json] = {}
    lines, data = None, b""
    form: document.Format = "yaml"
    within = _within(launch, config) if alone and config else None
    if within is not None:
        lines = lines_of(launcher, document.read_bytes(launcher))
        file = _parsed(lines, within, config)
        beneath, data, form = file.mapping(), file.data, file.format
        line_flags = replace(
            line_flags, unknown={**filled_in(beneath, launcher.name), **line_flags.unknown}
        )
    elif alone and (config or "config" in line_flags.unknown):
        config_name = config or "that --config names"
        problem = "was not found" if config else "is not known"
        problem += f" ({launch.named_in(launcher)} starts trl with it)"
        raise document.Unreadable(Path(config_name), "missing", problem)
    if not alone:
        file = document.read(path)
        beneath, data, form = file.mapping(), file.data, file.format
    value = _merged(beneath, line_flags)
    run_file = RunFileOfLine(
        path,
        data,
        value,
        form,
        places=line_flags.places,
        main=main,
        alone=alone,
        within=lines,
        more=line_flags.more,
    )
    return run_file, TRAINERS[launch.command]


def _with_words(file: Document, argv: Sequence[str]) -> RunFileOfLine:
    """A run file with options that the user names: `trl-doctor check run.yaml -- --beta 0`."""
    line_flags = flags([Word(text, 0, 0) for text in argv], Lines(file.path))
    return RunFileOfLine(
        file.path,
        file.data,
        _merged(file.mapping(), line_flags),
        file.format,
        places={key: Place(file.path, spot=Spot(1, 1)) for key in line_flags.places},
        more=line_flags.more,
    )


def _within(launch: Launch, config: str) -> Inside | None:
    """The run file that the launch file itself contains."""
    return named_exactly(launch.files, config) or named_alike(launch.files, config)


def _parsed(lines: Lines, file: Inside, name: str) -> Document:
    """A file that a launch file with these lines contains; raises `document.Unreadable`."""
    try:
        parsed = document.parse(Path(name).with_suffix(Path(name).suffix or ".yaml"), file.data)
    except document.Unreadable as problem:
        spot = lines.at(problem.line, problem.column or 1) if problem.line else None
        at = Position(spot.line, spot.column) if spot else None
        raise document.Unreadable(lines.path, problem.kind, problem.problem, at) from problem
    return parsed


def _options(launch: Launch, launcher: Path) -> tuple[Flags, Place]:
    """The options of a line, and the place of the line; raises `document.Unreadable`."""
    lines = lines_of(launcher, document.read_bytes(launcher))
    main = Place(launcher, "", lines.at(launch.line, launch.column))
    return flags(launch.words, lines), main


def places(launch: Launch, launcher: Path) -> dict[str, Place]:
    """The places of the options of a line, by their keys; that of the line under ""."""
    try:
        line_flags, main = _options(launch, launcher)
    except document.Unreadable:
        return {}
    return {**line_flags.places, "": main, **_in_config(launch, launcher)}


def _in_config(launch: Launch, launcher: Path) -> dict[str, Place]:
    """The places of the keys of a run file that the launch file contains, `config/KEY`."""
    config = config_of(launch)
    within = _within(launch, config) if config else None
    if within is None:
        return {}
    try:
        lines = lines_of(launcher, document.read_bytes(launcher))
        file = _parsed(lines, within, config)
        spots = {key: file.position(pointer(key)) for key in file.mapping()}
    except document.Unreadable:
        return {}
    return {
        f"config/{key}": Place(launcher, pointer(key), lines.at(spot.line, spot.column))
        for key, spot in spots.items()
    }


def _merged(beneath: Mapping[str, Json], line_flags: Flags) -> Partly[Json]:
    settled = {**beneath, **line_flags.known}
    unknown = {**unknown_values(beneath), **line_flags.unknown}
    given = {*line_flags.known, "config"}
    unknown = {key: why for key, why in unknown.items() if key not in given}
    settled = {
        key: value for key, value in settled.items() if key != "config" and key not in unknown
    }
    return Partly(settled, unknown)
