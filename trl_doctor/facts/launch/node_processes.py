"""The processes that a launch file starts on a node, beside the node's tasks and GPUs."""

from __future__ import annotations

import re

from msgspec import Struct

from trl_doctor.core.finding import Place
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.launch.files import accelerate_settings
from trl_doctor.facts.launch.launch_line import own_text, place_on_line
from trl_doctor.facts.launch.nodes import COUNTS, launcher_of
from trl_doctor.files.launch.launch import Launch
from trl_doctor.files.launch.program import launcher_options

OWN_TASKS = re.compile(r"--ntasks|-n\d*$|--gpus-per-task|--exact|--overlap")
"""Options of `srun` with which it starts other tasks than those of the job."""


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
    gpus, name = launch.cluster.gpus_per_node, launcher_of(launch)
    words = [word.text for word in (*launch.around, *launch.before)]
    if not gpus or not tasks or name not in (*COUNTS, "deepspeed") or "srun" not in words:
        raise NotConcerned("srun starts no launcher")
    text = own_text(facts.run.target)
    if any(OWN_TASKS.match(word) for word in words) or text is None or "--gpus-per-task" in text:
        return None
    processes = (launch.processes or 0) // (launch.cluster.nodes or 1)
    if processes < 2 or processes * tasks <= gpus:
        return None
    place = place_on_line(facts.run.target, launch.line, launch.column)
    return InEachTask(name, tasks, processes, gpus, place)


def more_processes(facts: Facts) -> tuple[int, int, Place] | None:
    """The processes of a node and its GPUs, where the launch file starts more than it asks for.

    Raises `NotConcerned` where the file asks for no GPUs, or starts processes in another way.
    """
    launch = facts.run.target.launch
    gpus = launch.cluster.gpus_per_node if launch else None
    if launch is None or gpus is None or (launch.cluster.tasks_per_node or 1) > 1:
        raise NotConcerned("the launch file asks for no number of GPUs")
    options = launcher_options(launch)
    launcher = launcher_of(launch)
    if launcher == "torchrun":
        count, nodes = options.get("nproc_per_node", ""), "1"
    elif launcher == "accelerate":
        count, nodes = _of_accelerate(facts, launch)
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


def _of_accelerate(facts: Facts, launch: Launch) -> tuple[str, str]:
    """The processes and the machines that accelerate is told of, by options or by its file."""
    options = launcher_options(launch)
    count, nodes = options.get("num_processes", options.get("n", "")), options.get("num_machines")
    if not launch.accelerate:
        return count, "1" if nodes is None else nodes
    settings = facts[accelerate_settings]
    if settings.get("use_cpu") is True or settings.get("distributed_type") == "MULTI_CPU":
        return "", ""
    if "num_processes" not in options and "n" not in options:
        count = str(settings.get("num_processes"))
    return count, str(settings.get("num_machines", default=1)) if nodes is None else nodes
