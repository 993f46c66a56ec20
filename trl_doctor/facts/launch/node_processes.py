"""The processes that a launch file starts on a node, beside the node's tasks and GPUs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from trl_doctor.core.finding import Place
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.launch.files import accelerate_settings
from trl_doctor.facts.launch.launch_line import own_text, place_of_line
from trl_doctor.facts.launch.nodes import COUNTS, launcher_of
from trl_doctor.files.document import Document
from trl_doctor.files.launch.launch import Launch
from trl_doctor.files.launch.placing import found
from trl_doctor.files.launch.program import launcher_options
from trl_doctor.files.launch.shell.variables import may_be_options
from trl_doctor.files.regular import text_of

VISIBLE, PER_NODE = "CUDA_VISIBLE_DEVICES", "PET_NPROC_PER_NODE"
NUMBERS = re.compile(r"\d+(?:,\d+)*")
"""GPUs of `CUDA_VISIBLE_DEVICES` by their numbers."""

SLOTS = re.compile(r"^[^#\s]\S*[ \t]+slots=(\d+)", re.MULTILINE)
"""A node in a hostfile of DeepSpeed with its GPUs."""

USES = re.compile(
    r"vllm|sglang|serve|device_map|tensor_parallel|tp_plan|tp_size|pipeline|parallelize|max_memory"
    r"|CUDA_VISIBLE|notebook_launcher|multiprocessing|\bspawn\b|subprocess|ray\b|mpi(?:run|exec)"
    r"|horovodrun|parallel\b|xargs\b[^\n]*-P|[^&>]&(?![&>])|\.to\(|cuda:\d",
    re.IGNORECASE,
)
"""What a script or a launch file has that may use the other GPUs of a node."""

OWN_TASKS = re.compile(r"--ntasks|-n\d*$|--gpus-per-task|--exact|--overlap")
"""Options of `srun` with which it starts other tasks than those of the job."""

ONE_OF_THEM = re.compile(r"SLURM_LOCALID|SLURM_NTASKS(?:_PER_NODE)?=|--gpus-per-task")
"""What lets one task of a node start the launcher, or gives each GPUs of its own."""


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
    words = (*launch.around, *launch.before)
    texts = [word.text for word in words]
    if not gpus or not tasks or name not in (*COUNTS, "deepspeed") or "srun" not in texts:
        raise NotConcerned("srun starts no launcher")
    if any(OWN_TASKS.match(text) for text in texts) or any(map(may_be_options, words)):
        return None
    if any(map(ONE_OF_THEM.search, (own_text(facts.run.target) or "", *texts))):
        return None
    processes = (launch.processes or 0) // (launch.cluster.nodes or 1)
    if processes < 2 or processes * tasks <= gpus:
        return None
    place = place_of_line(facts.run.target)
    return InEachTask(name, tasks, processes, gpus, place)


class Unequal(Struct, frozen=True):
    """The processes that a launcher starts on a node, and the GPUs; `says` names their source."""

    launcher: str
    processes: int
    gpus: int
    says: str
    place: Place


def more_processes(facts: Facts) -> Unequal | None:
    """The processes of a node, where the launch file starts more than there are GPUs.

    Raises `NotConcerned` where the file says nothing of GPUs, or starts processes in another way.
    """
    launch = facts.run.target.launch
    known = list(_gpus(facts, launch)) if launch else []
    if launch is None or not known or (launch.cluster.tasks_per_node or 1) > 1:
        raise NotConcerned("the launch file asks for no number of GPUs")
    if facts.run.flag("use_cpu"):
        raise NotConcerned("the run uses no GPU")
    per_node = _per_node(facts, launch)
    gpus, says = min(known)
    if per_node is None or per_node <= gpus:
        return None
    place = place_of_line(facts.run.target)
    return Unequal(launcher_of(launch), per_node, gpus, says, place)


def fewer_processes(facts: Facts) -> Unequal | None:
    """The processes of a node, where the job has more GPUs, and nothing else is known to use them.

    Raises `NotConcerned` where the job asks for one GPU.
    """
    launch = facts.run.target.launch
    gpus = launch.cluster.gpus_per_node if launch else None
    if launch is None or (gpus or 0) < 2 or (launch.cluster.tasks_per_node or 1) > 1:
        raise NotConcerned("the job asks for one GPU")
    if launch.command or _has_own_tasks(launch):
        raise NotConcerned("the command of TRL, or srun, starts the processes")
    launcher = launcher_of(launch)
    per_node = _per_node(facts, launch) if launcher else launch.processes
    file = facts.run.file
    source = file.data.decode(errors="replace") if isinstance(file, Document) else ""
    used = USES.search(f"{own_text(facts.run.target) or ''}\n{source}")
    if per_node is None or not gpus or per_node >= gpus or used or not source:
        return None
    arguments = facts.run.arguments
    if VISIBLE in launch.variables or any("device_map" in key for key in arguments):
        return None
    if facts.run.flag("use_vllm") or facts.run.flag("use_cpu"):
        return None
    place = place_of_line(facts.run.target)
    return Unequal(launcher, per_node, gpus, "", place)


def _has_own_tasks(launch: Launch) -> bool:
    """Whether `srun` starts a number of tasks that it names, or that the job asks for."""
    words = (*launch.around, *launch.before)
    several = (launch.cluster.tasks or 1) > (launch.cluster.nodes or 1) and bool(
        launcher_of(launch)
    )
    own = several or any(OWN_TASKS.match(word.text) for word in words)
    return own and any(word.text == "srun" for word in words)


def _gpus(facts: Facts, launch: Launch) -> Iterator[tuple[int, str]]:
    """The GPUs of a node, each number with the words that name its source."""
    if asked := launch.cluster.gpus_per_node:
        yield asked, f"the job asks for {_counted(asked)}"
    unset = any(word.text == VISIBLE for word in launch.before)  # env -u
    visible = "" if unset else launch.variables.get(VISIBLE, "")
    if NUMBERS.fullmatch(visible) and launcher_of(launch) != "deepspeed":  # which sets it itself
        count = len(visible.split(","))
        yield count, f"{VISIBLE}={visible} shows {_counted(count)}"
    name, launcher = launcher_options(launch).get("hostfile", ""), facts.run.target.launched_by
    path = found(name, launch, launcher) if name and launcher else None
    slots = SLOTS.findall(text_of(path, "replace")) if path else []
    if slots and launcher_of(launch) == "deepspeed":
        least = min(map(int, slots))
        yield least, f"{path.name if path else name} gives a node {_counted(least)}"


def _counted(gpus: int) -> str:
    return f"{gpus} GPU{'s' if gpus != 1 else ''}"


def _per_node(facts: Facts, launch: Launch) -> int | None:
    """The processes that the launcher starts on each node; None if that is not known."""
    options, launcher = launcher_options(launch), launcher_of(launch)
    if launcher == "torchrun":
        count, nodes = options.get("nproc_per_node", launch.variables.get(PER_NODE, "1")), "1"
    elif launcher == "accelerate":
        count, nodes = _of_accelerate(facts, launch)
    elif launcher == "deepspeed":
        count, nodes = options.get("num_gpus", ""), "1"
    else:
        raise NotConcerned("no launcher starts several processes")
    if not count.isdigit() or not nodes.isdigit() or "cpu" in options or "use_cpu" in options:
        return None
    return -(-int(count) // max(1, int(nodes)))


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
