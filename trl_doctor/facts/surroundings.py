"""The machine that the run will find, for rules about disks, ports and logins."""

from collections.abc import Mapping
from pathlib import Path

from trl_doctor.core.finding import Json
from trl_doctor.facts import Facts
from trl_doctor.files import document
from trl_doctor.machine.surroundings import Surroundings, standing

__all__ = ["Surroundings", "below_roots", "here", "launcher", "output_dir"]


def here(facts: Facts) -> Surroundings:
    """This machine, where the run's libraries are on it.

    Raises `Unavailable` where they are not: the run will then happen on another machine.
    """
    facts.probes.conditions  # noqa: B018
    return facts.run.machine


def output_dir(facts: Facts) -> Path:
    """The folder that the run writes to; the working folder where it names none."""
    said = facts.run.arguments.get("output_dir")
    return below_roots(facts, said) if isinstance(said, str) else facts.run.roots[0]


def below_roots(facts: Facts, name: str) -> Path:
    """A path that the run names, there or not: from the first folder where a part of it is."""
    places = [root / name for root in facts.run.roots]
    begun = (
        one for one, root in zip(places, facts.run.roots, strict=True) if standing(one) != root
    )
    return next(begun, places[0])


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
