"""Lists in which a task of an array finds no word, or a script no node."""

from __future__ import annotations

import re

from msgspec import Struct

from trl_doctor.core.finding import Place
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.launch.launch_line import own_text, place_at, place_of_line
from trl_doctor.files.launch.arrays import TASK

CHOOSES = re.compile(
    r"(?:\bif\b|\[|\(\(|\btest\b)[^\n]*(?:SLURM_(?:NNODES|JOB_NUM_NODES)|\$\{#\w+\[[@*]\]\})"
)
"""A condition on the number of nodes: a script may take a node only where the job has it."""

LISTS = re.compile(
    r"^[ \t]*(?:export\s+|declare -a\s+)?(\w+)=\(\s*"
    r"\$\(\s*scontrol\s+show\s+hostnames?\b[^()|]*\)\s*\)",
    re.MULTILINE,
)
"""A list of all nodes of the job."""


class LackingWord(Struct, frozen=True):
    """A task of an array that asks for a word behind the last one of a list of `count` words."""

    task: str
    name: str
    count: int
    place: Place


class LackingNode(Struct, frozen=True):
    """A node that a list does not have: its number, and that of the job's nodes."""

    name: str
    number: int
    nodes: int
    place: Place


def lacking_node(facts: Facts) -> LackingNode | None:
    """Raises `NotConcerned` where the script makes no list of its nodes."""
    target = facts.run.target
    nodes = target.launch.cluster.nodes if target.launch else None
    text = own_text(target) or ""
    lists = LISTS.findall(text)
    if nodes is None or len(lists) != 1:
        raise NotConcerned("the script makes no list of its nodes")
    if CHOOSES.search(text):
        return None
    item = re.compile(rf"^[^#\n]*?\$\{{{lists[0]}\[(\d+)\]\}}", re.MULTILINE)
    for found in item.finditer(text):
        if int(found[1]) >= nodes:
            at = found.start(1)
            return LackingNode(lists[0], int(found[1]), nodes, place_at(target, text, at))
    return None


def lacking_words(facts: Facts) -> tuple[LackingWord, ...]:
    """The lists in which the task finds nothing. Raises `NotConcerned` without an array."""
    launch = facts.run.target.launch
    task = dict(launch.turn).get(TASK) if launch else None
    if launch is None or task is None:
        raise NotConcerned("no array of jobs starts this run")
    place = place_of_line(facts.run.target)
    return tuple(
        LackingWord(task, name, count, place)
        for name, asked, count in launch.lacking
        if str(asked) == task
    )
