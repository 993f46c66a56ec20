"""The address at which the nodes of a job meet, as each of them reads it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from trl_doctor.core.finding import Place
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.launch.files import accelerate_settings
from trl_doctor.facts.launch.launch_line import own_text, place_of_line
from trl_doctor.facts.launch.nodes import (
    COUNTS,
    ON_ONE,
    launcher_of,
    nodes_of_srun,
    starts_each,
    stated_nodes,
)
from trl_doctor.files.launch.launch import Launch
from trl_doctor.files.launch.program import launcher_options

OPTIONS = ("master_addr", "main_process_ip", "rdzv_endpoint")
LOCAL = re.compile(r"(?:localhost|127\.0\.0\.1|0\.0\.0\.0|::1)(?::\d*)?")
OWN_NAME = re.compile(
    r"(?<![\w-])(MASTER_ADDR|MASTER_IP|HEAD_NODE\w*"
    r"|--(?:master[_-]addr|main_process_ip|rdzv[_-]endpoint))"
    r"[=\s]([\"']?(?:\$\(hostname\b[^)|]*\)|`hostname\b[^`|]*`|\$\{?HOSTNAME\b\}?))"
)
"""An address that is the node's own name."""


class OwnAddress(Struct, frozen=True):
    """What names an address that is another one on each of the `nodes`, and its value."""

    option: str
    value: str
    nodes: int
    place: Place


def own_address(facts: Facts) -> OwnAddress | None:
    """Raises `NotConcerned` where one node trains, or each of them trains alone."""
    target = facts.run.target
    launch = target.launch
    if launch is None or launcher_of(launch) not in COUNTS or (launch.cluster.nodes or 0) < 2:
        raise NotConcerned("the launch file asks for one node")
    option = COUNTS[launcher_of(launch)]
    stated = stated_nodes(facts, launch, option).nodes
    alone = stated == "1" or (not stated and option not in launcher_options(launch))
    by = starts_each(facts, launch, surely=True)
    nodes = nodes_of_srun(launch) if by == "srun" else launch.cluster.nodes
    if not by or alone or nodes is None or nodes < 2:
        raise NotConcerned("one node trains, or each of them alone")
    place = place_of_line(target)
    for option, value in _addresses(facts, launch):
        if LOCAL.fullmatch(value):
            return OwnAddress(option, value, nodes, place)
    for text in _texts_of_nodes(facts, launch, by):
        for named in OWN_NAME.finditer(text) if not ON_ONE.search(text) else ():
            set_again = re.search(rf"\b{named[1]}=", text[named.end() :])
            used = not set_again and re.search(rf"\$\{{?{named[1]}\b", text)
            if named[1].startswith("--") or used:
                return OwnAddress(named[1], named[2].strip("\"'"), nodes, place)
    return None


def _addresses(facts: Facts, launch: Launch) -> Iterator[tuple[str, str]]:
    """The addresses that the launcher is given, each with what names it."""
    options = launcher_options(launch)
    for name in OPTIONS:
        if name in options:
            yield f"--{name}", options[name]
    try:
        settings = facts[accelerate_settings]
    except (NotConcerned, Unavailable):
        return
    if OPTIONS[1] not in options and settings.get(OPTIONS[1]):
        yield f"{OPTIONS[1]} of {settings.name}", str(settings.get(OPTIONS[1]))


def _texts_of_nodes(facts: Facts, launch: Launch, by: str) -> Iterator[str]:
    """The texts that the shell of each node reads, without comments."""
    texts = [word.text for word in launch.around if " " in word.text]
    if by != "srun" or launch.file:
        texts.append(own_text(facts.run.target) or "")
    for text in texts:
        yield "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
