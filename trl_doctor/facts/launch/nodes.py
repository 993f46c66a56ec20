"""How a launch file spreads one training over the nodes and the GPUs that it asks for."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from msgspec import Struct

from trl_doctor.core.finding import Place
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.launch.launch_line import own_text, place_on_line
from trl_doctor.files.launch.launch import Launch
from trl_doctor.files.launch.program import LAUNCHING, launcher_options

COUNTS = {"torchrun": "nnodes", "accelerate": "num_machines"}
"""The option of each launcher that says how many nodes train together."""

SPREADS = re.compile(
    r"\b(?:srun|mpirun|mpiexec|ssh|pdsh|clush|parallel|scontrol show hostnames?)\b"
)
"""What may start a command on other nodes, too."""

ONE_NODE = re.compile(r"(?:-w|--nodelist|--relative|-r)\b")


class Apart(Struct, frozen=True):
    """Nodes that do not train together: `srun` starts each of them, or nothing starts the others.

    `option` is what the launcher lacks, or has another number for (`given`).
    """

    nodes: int
    launcher: str
    option: str
    srun: bool
    place: Place
    given: str = ""


def nodes_apart(facts: Facts) -> Apart | None:
    """Raises `NotConcerned` where one node trains, or the launcher is another one."""
    launch = facts.run.target.launch
    replicas = launch.variables.get("PET_NNODES", "") if launch else ""
    if launch is None or ((launch.cluster.nodes or 0) < 2 and not replicas.isdigit()):
        raise NotConcerned("the launch file asks for one node")
    launcher = launcher_of(launch)
    if launcher not in COUNTS or launch.accelerate:
        raise NotConcerned("another launcher, or a file of its own, says how many nodes train")
    option = COUNTS[launcher]
    stated = launcher_options(launch).get(option, "")
    place = place_on_line(facts.run.target, launch.line, launch.column)
    if replicas:
        differs = stated.isdigit() and replicas.isdigit() and stated != replicas
        return Apart(int(replicas), launcher, option, False, place, stated) if differs else None
    given = stated or ("1" if option not in launcher_options(launch) else "")
    if launch.srun:
        nodes = _of_srun(launch)
    else:
        nodes = launch.cluster.nodes if _is_alone(facts, launch) else None
    if nodes is None or nodes < 2 or (launch.srun and given == ""):
        return None
    if launch.srun and given != "1":
        differs = given.isdigit() and int(given) != nodes
        return Apart(nodes, launcher, option, True, place, given) if differs else None
    return Apart(nodes, launcher, option, launch.srun, place)


def launcher_of(launch: Launch) -> str:
    """The launcher of a line: "torchrun", "accelerate", "deepspeed"; "" for none."""
    words = launch.whole[: len(launch.whole) - len(launch.words)]
    names = [LAUNCHING.get(word.text, PurePosixPath(word.text).name) for word in words]
    plain = ["accelerate" if name.startswith("accelerate") else name for name in names]
    return next((name for name in plain if name in (*COUNTS, "deepspeed")), "")


def _of_srun(launch: Launch) -> int | None:
    """The nodes on which `srun` starts the command; None if that is not known."""
    words = [word.text for word in launch.before]
    if "srun" not in words or any(word.open for word in launch.before):
        return None
    nodes = launch.cluster.nodes
    options = words[words.index("srun") + 1 :]
    for at, word in enumerate(options):
        if ONE_NODE.match(word):
            return None
        name, equals, value = word.partition("=")
        if name in ("-N", "--nodes", "-n", "--ntasks"):
            text = value if equals else next(iter(options[at + 1 : at + 2]), "")
            nodes = min(nodes or 0, int(text)) if text.isdigit() else None
        elif match := re.fullmatch(r"-[Nn](\d+)", word):
            nodes = min(nodes or 0, int(match[1]))
        if nodes is None:
            return None
    return nodes


def _is_alone(facts: Facts, launch: Launch) -> bool:
    """Whether the batch script runs the line itself, and nothing in it starts other nodes."""
    if not facts.run.target.taken_for.startswith("a Slurm script"):
        return False
    text = own_text(facts.run.target)
    if text is None:
        return False
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    return not launch.before and not any(map(SPREADS.search, lines))
