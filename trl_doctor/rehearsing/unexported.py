"""Variables that a script lacks because its launch file sets them for itself alone."""

from __future__ import annotations

from msgspec.structs import replace

from trl_doctor.core.plain import listed
from trl_doctor.rehearsing.command import Command
from trl_doctor.rehearsing.failure import Failure
from trl_doctor.rehearsing.unset import UNSET


def not_exported(ended: Failure | None, command: Command) -> Failure | None:
    """The same failure as a mistake of the launch file, if it sets the variables and keeps them."""
    launch, launcher = command.launch, command.launched_by
    missing = UNSET.fullmatch(ended.message) if ended and ended.kind == "variable" else None
    if ended is None or missing is None or launch is None or launcher is None:
        return ended
    first, *others = (name for name in missing[1].replace(",", " ").split() if name != "and")
    if first not in launch.kept:
        return ended
    names = [first, *(name for name in others if name in launch.kept)]
    verb, them = ("is", "it") if len(names) == 1 else ("are", "them")
    message = (
        f"{listed(names)} {verb} set in {launcher.name}:{launch.kept[names[0]].line}, but not "
        f"exported: the script does not get {them}"
    )
    return replace(
        ended, whose="script", message=message, remedy=f"write `export {' '.join(names)}` there"
    )
