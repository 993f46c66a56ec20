"""How a launch file spreads one training over the nodes and the GPUs that it asks for."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from msgspec import Struct

from trl_doctor.core.finding import Place
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.launch.files import accelerate_settings
from trl_doctor.facts.launch.launch_line import own_text, place_of_line
from trl_doctor.files import document
from trl_doctor.files.launch.forms import GITHUB, GITLAB, SKYPILOT, SLURM
from trl_doctor.files.launch.launch import Launch
from trl_doctor.files.launch.program import LAUNCHING, launcher_options
from trl_doctor.files.launch.reading import read_launches

COUNTS = {"torchrun": "nnodes", "accelerate": "num_machines"}
"""The option of each launcher that says how many nodes train together."""

SPREADS = re.compile(
    r"\b(?:srun|mpirun|mpiexec|ssh|pdsh|clush|parallel|scontrol show hostnames?)\b"
)
"""What may start a command on other nodes, too."""

ONE_NODE = re.compile(r"(?:-w|--nodelist|--relative|-r|--het-group|--pack-group)\b")
"""Options of `srun` that choose nodes of the job."""


ON_ONE = re.compile(r"\b(?:if|case|test)\b|\[\[?\s|==")
"""What a text that each node reads may choose one of them with."""

OF_RANK = re.compile(
    r"(?:\b(?:if|case|test)\b|\[|==|&&)[^\n]*SKYPILOT_NODE_RANK|RANK[^\n]*(?:==|-eq)"
)
"""The same in a task of SkyPilot."""

ELSEWHERE = re.compile(
    r"\b(?:parallel|matrix|sbatch|sky|kubectl|docker)\b|rank|launch\b[^#]*\blaunch\b", re.I
)
"""What a file of a pipeline has that may start several machines."""

MULTINODE = ("deepspeed_config", "deepspeed_multinode_launcher")


class Apart(Struct, frozen=True):
    """Nodes that do not train together: `by` starts each of them, or nothing starts the others.

    `option` is what the launcher lacks, or has another number for (`given`), which may be in
    `file`.
    """

    nodes: int
    launcher: str
    option: str
    by: str
    place: Place
    given: str = ""
    file: str = ""


def nodes_apart(facts: Facts) -> Apart | None:
    """Raises `NotConcerned` where one node trains, or the launcher is another one."""
    launch = facts.run.target.launch
    replicas = launch.variables.get("PET_NNODES", "") if launch else ""
    pipeline = facts.run.target.taken_for.startswith((GITHUB, GITLAB))
    if launch is None or (
        not pipeline and (launch.cluster.nodes or 0) < 2 and not replicas.isdigit()
    ):
        raise NotConcerned("the launch file asks for one node")
    launcher = launcher_of(launch)
    if launcher not in COUNTS:
        raise NotConcerned("another launcher says how many nodes train")
    option = COUNTS[launcher]
    stated = stated_nodes(facts, launch, option)
    place = place_of_line(facts.run.target)

    def apart(nodes: int, by: str, given: str = "") -> Apart:
        return Apart(nodes, launcher, option, by, place, given, stated.file)

    if pipeline:
        several = stated.nodes.isdigit() and int(stated.nodes) > 1
        alone = several and not _of_pipeline(facts)
        return apart(1, "", stated.nodes) if alone else None
    if replicas:
        differs = stated.nodes.isdigit() and replicas.isdigit() and stated.nodes != replicas
        return apart(int(replicas), "", stated.nodes) if differs else None
    given = stated.nodes or ("1" if option not in launcher_options(launch) else "")
    by = starts_each(facts, launch, surely=bool(stated.nodes))
    nodes = nodes_of_srun(launch) if by == "srun" else launch.cluster.nodes
    if nodes is None or nodes < 2 or (not by and not _is_alone(facts, launch)):
        return None
    if not by or given == "1":
        return apart(nodes, by)
    return apart(nodes, by, given) if given.isdigit() and int(given) != nodes else None


def _of_pipeline(facts: Facts) -> bool:
    """Whether a file of a pipeline may start the training on other machines, too."""
    target, text = facts.run.target, own_text(facts.run.target)
    if text is None or target.launched_by is None or ELSEWHERE.search(text) or SPREADS.search(text):
        return True
    try:
        data = document.read_bytes(target.launched_by)
        launches = read_launches(target.launched_by, data, target.taken_for.partition(",")[0])
    except document.Unreadable:
        return True
    return len(launches) != 1


class Stated(Struct, frozen=True):
    """The nodes that the launcher is told of, "" for none, and the file that says it."""

    nodes: str
    file: str = ""


def stated_nodes(facts: Facts, launch: Launch, option: str) -> Stated:
    """What an option of the launcher, or accelerate's file, says of nodes."""
    options = launcher_options(launch)
    if option in options or not launch.accelerate:
        return Stated(options.get(option, ""))
    settings = facts[accelerate_settings]
    return Stated(str(settings.get(option, default=1)), settings.name)


def starts_each(facts: Facts, launch: Launch, *, surely: bool) -> str:
    """What starts the line on each node of the job; "" if nothing is known to.

    The text of a shell that `srun` starts may choose one of the nodes, or export what the launcher
    reads: it counts only if the launcher is `surely` told a number.
    """
    if launch.srun:
        return "srun"
    texts = [word.text for word in launch.around]
    if "srun" in texts and surely and not any(map(ON_ONE.search, texts)):
        return "srun"
    sky = facts.run.target.taken_for.startswith(SKYPILOT)
    return "SkyPilot" if sky and not OF_RANK.search(own_text(facts.run.target) or "") else ""


def launcher_of(launch: Launch) -> str:
    """The launcher of a line: "torchrun", "accelerate", "deepspeed"; "" for none."""
    words = launch.whole[: len(launch.whole) - len(launch.words)]
    names = [LAUNCHING.get(word.text, PurePosixPath(word.text).name) for word in words]
    plain = ["accelerate" if name.startswith("accelerate") else name for name in names]
    return next((name for name in plain if name in (*COUNTS, "deepspeed")), "")


def nodes_of_srun(launch: Launch) -> int | None:
    """The nodes on which `srun` starts the command; None if that is not known."""
    before = launch.before if launch.srun else launch.around
    words = [word.text for word in before]
    options = words[words.index("srun") + 1 :]
    if any(word.open and " " not in word.text for word in before):
        return None
    nodes = launch.cluster.nodes
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
    if not facts.run.target.taken_for.startswith(SLURM):
        return False
    text = own_text(facts.run.target)
    if text is None or launch.before or _starts_others(facts, launch):
        return False
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    return not any(map(SPREADS.search, (*lines, *(word.text for word in launch.around))))


def _starts_others(facts: Facts, launch: Launch) -> bool:
    """Whether accelerate starts the other nodes itself, as DeepSpeed does with pdsh."""
    settings = facts[accelerate_settings] if launch.accelerate else None
    if settings is None or settings.get("distributed_type") != "DEEPSPEED":
        return False
    hosts = settings.get("deepspeed_config", "deepspeed_hostfile")
    return bool(hosts) and settings.get(*MULTINODE, default="pdsh") != "standard"
