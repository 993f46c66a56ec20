"""How a launch file spreads one training over the nodes and the GPUs that it asks for."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

from msgspec import Struct

from trl_doctor.core.finding import Place
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.launch.launch_line import place_on_line
from trl_doctor.files.launch.launch import Launch
from trl_doctor.files.launch.program import LAUNCHING, launcher_options
from trl_doctor.files.regular import text_of

COUNTS = {"torchrun": "nnodes", "accelerate": "num_machines"}
"""The option of each launcher that says how many nodes train together."""

SPREADS = re.compile(
    r"\b(?:srun|mpirun|mpiexec|ssh|pdsh|clush|parallel|scontrol show hostnames?)\b"
)
"""What may start a command on other nodes, too."""

OWN_TASKS = re.compile(r"--ntasks|-n\d*$|--gpus-per-task|--exact|--overlap")
"""Options of `srun` with which it starts other tasks than those of the job."""

ONE_NODE = re.compile(r"(?:-w|--nodelist|--relative|-r)\b")
MOST = 1024 * 1024


class Apart(Struct, frozen=True):
    """Nodes that do not train together: `srun` starts each of them, or nothing starts the others.

    `option` is what the launcher lacks.
    """

    nodes: int
    launcher: str
    option: str
    srun: bool
    place: Place


def nodes_apart(facts: Facts) -> Apart | None:
    """Raises `NotConcerned` where one node trains, or the launcher is another one."""
    launch = facts.run.target.launch
    if launch is None or (launch.cluster.nodes or 0) < 2:
        raise NotConcerned("the launch file asks for one node")
    launcher = _launcher(launch)
    if launcher not in COUNTS or launch.accelerate or launch.variables.get("PET_NNODES"):
        raise NotConcerned("another launcher, or a file of its own, says how many nodes train")
    option = COUNTS[launcher]
    given = launcher_options(launch).get(option, "1")
    if launch.srun:
        nodes = _of_srun(launch)
    else:
        nodes = launch.cluster.nodes if _is_alone(facts, launch) else None
    if nodes is None or nodes < 2 or (launch.srun and given != "1"):
        return None
    place = place_on_line(facts.run.target, launch.line, launch.column)
    return Apart(nodes, launcher, option, launch.srun, place)


class InEachTask(Struct, frozen=True):
    """A launcher that each task of a node starts, with its processes, and the GPUs of the node."""

    launcher: str
    tasks: int
    processes: int
    gpus: int
    place: Place


def in_each_task(facts: Facts) -> InEachTask | None:
    """Raises `NotConcerned` where a node has one task, or each task has GPUs of its own."""
    launch, launcher = facts.run.target.launch, facts.run.target.launched_by
    tasks = launch.cluster.tasks_per_node if launch else None
    if launch is None or launcher is None or (tasks or 1) < 2:
        raise NotConcerned("a node has one task")
    gpus, name = launch.cluster.gpus_per_node, _launcher(launch)
    words = [word.text for word in (*launch.around, *launch.before)]
    if not gpus or not tasks or name not in (*COUNTS, "deepspeed") or "srun" not in words:
        raise NotConcerned("srun starts no launcher")
    if any(OWN_TASKS.match(word) for word in words) or "gpus-per-task" in _text(launcher):
        return None
    processes = (launch.processes or 0) // (launch.cluster.nodes or 1)
    if processes < 2 or processes * tasks <= gpus:
        return None
    place = place_on_line(facts.run.target, launch.line, launch.column)
    return InEachTask(name, tasks, processes, gpus, place)


def _text(launcher: Path) -> str:
    try:
        return text_of(launcher, "replace") if launcher.stat().st_size < MOST else "gpus-per-task"
    except OSError:
        return "gpus-per-task"


def more_processes(facts: Facts) -> tuple[int, int, Place] | None:
    """The processes of a node and its GPUs, where the launch file starts more than it asks for.

    Raises `NotConcerned` where the file asks for no GPUs, or starts processes in another way.
    """
    launch = facts.run.target.launch
    gpus = launch.cluster.gpus_per_node if launch else None
    if launch is None or gpus is None or (launch.cluster.tasks_per_node or 1) > 1:
        raise NotConcerned("the launch file asks for no number of GPUs")
    options = launcher_options(launch)
    launcher = _launcher(launch)
    if launcher == "torchrun":
        count, nodes = options.get("nproc_per_node", ""), "1"
    elif launcher == "accelerate":
        count = options.get("num_processes", options.get("n", ""))
        nodes = options.get("num_machines", "" if launch.accelerate else "1")
    elif launcher == "deepspeed":
        count, nodes = options.get("num_gpus", ""), "1"
    else:
        raise NotConcerned("no launcher starts several processes")
    if not count.isdigit() or not nodes.isdigit() or "cpu" in options or "use_cpu" in options:
        return None
    per_node = -(-int(count) // max(1, int(nodes)))
    if per_node <= gpus:
        return None
    return per_node, gpus, place_on_line(facts.run.target, launch.line, launch.column)


def _launcher(launch: Launch) -> str:
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
    launcher = facts.run.target.launched_by
    if launcher is None or not facts.run.target.taken_for.startswith("a Slurm script"):
        return False
    try:
        text = text_of(launcher, "replace") if launcher.stat().st_size < MOST else "srun"
    except OSError:
        return False
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    return not launch.before and not any(map(SPREADS.search, lines))
