"""An option that TRL's command refuses, and that the run file of the command has written."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from trl_doctor.checkup.started_run import config_of
from trl_doctor.core.finding import pointer
from trl_doctor.core.trainer import TRAINERS
from trl_doctor.facts.library import releases
from trl_doctor.files import document
from trl_doctor.files.launch.inside import named_exactly
from trl_doctor.files.launch.launch import Launch
from trl_doctor.rehearsing.at import At
from trl_doctor.rehearsing.failure import Failure
from trl_doctor.rehearsing.refusing import UNKNOWN
from trl_doctor.rehearsing.starting import folder_of


def in_run_file(
    ended: Failure | None, launch: Launch | None, launcher: Path | None = None
) -> Failure | None:
    """The same failure at the key of the run file, with its new name; as it is where none fits.

    The run file may be a text in the launch file `launcher`.
    """
    refused = UNKNOWN.search(ended.message) if ended else None
    if ended is None or refused is None or launch is None or launch.command not in TRAINERS:
        return ended
    name = config_of(launch)
    inside = named_exactly(launch.files, name) if launcher else None
    try:
        if inside and launcher:
            file = document.parse(launcher.with_suffix(".yaml"), inside.data)
        else:
            file = document.read(folder_of(launch, launcher) / name)
        keys = list(file.mapping())
    except document.Unreadable:
        return ended
    words = (refused[1] or refused[2]).split()
    options = [word.partition("=")[0].lstrip("-") for word in words if word.startswith("--")]
    key = next((key for key in options if key in keys), "")
    if not key:
        return ended
    new = releases.replacement(TRAINERS[launch.command].config, key)
    remedy = f"write {new.use} instead of {key}" if new and new.use else f"correct or remove {key}"
    written = launcher.absolute() if inside and launcher else file.path
    return replace(ended, at=At(written, file.position(pointer(key)).line), remedy=remedy)
