"""The machine of the run, for rules about disks, ports and logins."""

from collections.abc import Mapping
from pathlib import Path

from trl_doctor.core.finding import Json
from trl_doctor.facts import Facts
from trl_doctor.facts.launch.files import accelerate_settings
from trl_doctor.machine.surroundings import Surroundings, nearest_existing

__all__ = ["Surroundings", "below_roots", "launcher", "output_dir", "this_machine"]


def this_machine(facts: Facts) -> Surroundings:
    """This machine, if the run's libraries are installed on it.

    Raises `Unavailable` if they are not: the run will then happen on another machine.
    """
    facts.probes.conditions  # noqa: B018
    return facts.run.machine


def output_dir(facts: Facts) -> Path:
    """The folder that the run writes to; the working folder if it names none."""
    folder = facts.run.arguments.get("output_dir")
    return below_roots(facts, folder) if isinstance(folder, str) else facts.run.roots[0]


def below_roots(facts: Facts, name: str) -> Path:
    """A path that the run names, existing or not, below the first folder with a part of it."""
    places = [root / name for root in facts.run.roots]
    existing = (
        place
        for place, root in zip(places, facts.run.roots, strict=True)
        if nearest_existing(place) != root
    )
    return next(existing, places[0])


def launcher(facts: Facts) -> Mapping[str, Json]:
    """The run's accelerate file, with the run's own arguments over it."""
    run, file = facts.run, facts.get(accelerate_settings)
    own = {key: run.arguments[key] for key in LAUNCHED if key in run.arguments}
    return {**(file.value if file else {}), **own}


LAUNCHED = ("num_machines", "machine_rank", "main_process_port")
"""Options of the launcher that a run file may name."""
