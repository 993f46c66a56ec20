"""The machine that the run will find, for rules about disks, ports and logins."""

from collections.abc import Mapping
from pathlib import Path

from trl_doctor.core.finding import Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.files import document
from trl_doctor.machine.surroundings import Surroundings

__all__ = ["Surroundings", "here", "launcher", "output_dir"]


def here(facts: Facts) -> Surroundings:
    """This machine, where the run's libraries are on it.

    Raises `Unavailable` where they are not: the run will then happen on another machine.
    """
    facts.probes.conditions  # noqa: B018
    return facts.run.machine


def output_dir(facts: Facts) -> Path:
    """The folder that the run writes to. Raises `NotConcerned` where it names none."""
    said = facts.run.arguments.get("output_dir")
    if not isinstance(said, str) or not said.strip():
        raise NotConcerned("the run names no output_dir")
    return facts.run.roots[0] / said


def launcher(facts: Facts) -> Mapping[str, Json]:
    """What the run's accelerate file says, and over it the run itself."""
    run, said = facts.run, dict[str, Json]()
    name = run.arguments.get("accelerate_config")
    for root in run.roots if isinstance(name, str) else ():
        try:
            said = dict(document.read(root / str(name)).mapping())
            break
        except document.Unreadable:
            continue
    return {**said, **{key: run.arguments[key] for key in LAUNCHED if key in run.arguments}}


LAUNCHED = ("num_machines", "machine_rank", "main_process_port")
"""Options of the launcher that a run file may name."""
