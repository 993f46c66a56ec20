"""The rank of a node that the first node fills in for all of them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.launch.nodes import nodes_of_srun
from trl_doctor.files.launch.launch import Launch
from trl_doctor.files.launch.shell.variables import Word

RANKS = ("machine_rank", "node_rank")
MACHINES = ("num_machines", "nnodes")
OF_A_NODE = re.compile(r"\$(SLURM_NODEID|SLURM_PROCID)")
"""Variables that `srun` sets for each node or process, and that are 0 in the batch script."""


def rank_of_first_node(facts: Facts) -> tuple[str, Word] | None:
    """The option for the rank of a node, and its word, which the first node alone fills in.

    Raises `NotConcerned` if `srun` does not start the run on several nodes.
    """
    launch = facts.run.target.launch
    inside = launch is not None and any(word.text == "srun" for word in launch.around)
    if launch is None or not (launch.srun or inside):
        raise NotConcerned("srun does not start this run")
    if nodes_of_srun(launch) == 1:
        raise NotConcerned("srun starts the run on one node")
    options = dict(_named(launch.whole))
    words = {name: word for name, word in options.items() if name in (*RANKS, *MACHINES)}
    counts = [words[name].text for name in MACHINES if name in words and not words[name].open]
    if not (launch.cluster.nodes or 0) > 1 and not any(text not in ("", "1") for text in counts):
        raise NotConcerned("the run has one node")
    if "rdzv_backend" in options and options["rdzv_backend"].text != "static":
        return None  # the nodes then find out their ranks themselves
    for name in RANKS:
        if name in words and not inside and OF_A_NODE.fullmatch(words[name].spelled):
            return name, words[name]
        if name in words and inside and (spelled := _filled_in(launch, name)):
            return name, replace(words[name], spelled=spelled)
    return None


def _filled_in(launch: Launch, option: str) -> str:
    """The variable of an option in a text for `bash -c` that the shell around it fills in."""
    rank = re.compile(rf"--{option.replace('_', '[_-]')}(?:=|\s+)(\$SLURM_(?:NODEID|PROCID))\b")
    texts = (word.spelled for word in launch.around if word.open)
    return next((match[1] for match in map(rank.search, texts) if match), "")


def _named(words: tuple[Word, ...]) -> Iterator[tuple[str, Word]]:
    """The options of a command with their values."""
    for at, word in enumerate(words):
        text = word.spelled or word.text
        if not text.startswith("--"):
            continue
        name, equals, _ = text[2:].partition("=")
        if equals:
            yield name.replace("-", "_"), word.behind(len(name) + 3)
        elif at + 1 < len(words):
            yield name.replace("-", "_"), words[at + 1]
