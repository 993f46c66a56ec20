"""The `trl` command, and how many processes count where it reads a run file."""

from __future__ import annotations

from msgspec import Struct
from packaging.version import Version

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.library import releases

READS_FIRST = Version("1.0.0")
"""From this release on the command makes the config itself, before it starts the processes."""
PASSES_ON = Version("0.29.0")
"""Before this release it tells accelerate no number of processes, other than for SFT."""
OF_THE_COMMAND = ("num_processes", "accelerate_config")
"""Keys of a run file that only the command reads."""


class FirstProcess(Struct, frozen=True):
    """One process counts first: `why`; `certain` if it is known that the command starts the run.

    `lost` says that the stated number of processes does not reach the launcher.
    """

    certain: bool
    why: str
    lost: bool = False


def first_process(facts: Facts) -> FirstProcess | None:
    """Why a run file's sizes have to fit one process; None where their number may do."""
    run = facts.run
    launch = run.target.launch
    if run.target.kind != "run" or run.by_class or run.program or run.processes == 1:
        return None
    if isinstance(run.trainer, Unavailable) or isinstance(run.file, Unavailable):
        return None
    release = facts.environment.version("trl") or releases.newest_release()
    started = bool(launch and launch.command)
    named = [key for key in OF_THE_COMMAND if run.arguments.get(key)]
    if release >= READS_FIRST:
        why = (
            f"trl {release} reads the run file in one process before it starts the others: "
            "their number does not help"
        )
        return FirstProcess(started or bool(named), why)
    own = bool(run.processes) and not run.processes_assumed and (started or bool(named))
    if release < PASSES_ON and own and run.trainer.name != "sft":
        why = (
            f"trl {release} does not pass the number of processes on to accelerate: "
            "it starts one, or one for each GPU"
        )
        return FirstProcess(False, why, lost=True)
    return None
