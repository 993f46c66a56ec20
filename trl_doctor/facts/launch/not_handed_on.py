"""Variables that a launch file sets for another machine than the one that reads them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.launch.launch_line import own_text
from trl_doctor.facts.launch.withheld import SET_ANYWAY, WRITES
from trl_doctor.files import document
from trl_doctor.files.document import Document
from trl_doctor.files.launch.forms import HEAD, OF_SHELL, YAML, form
from trl_doctor.files.launch.launch import Launch
from trl_doctor.files.launch.reading import read_launches

EXPORTED = re.compile(r"^[ \t]*export[ \t]+([A-Za-z_]\w*)=", re.MULTILINE)
NEEDS = re.compile(r"environ\[\s*[\"'](\w+)[\"']\s*\](?!\s*=[^=])")
"""A variable without which the script ends."""

GIVES = re.compile(r"--runtime-env(?:[ =]|$)|\bray\s+(?:start|up|attach)\b|\bset\s+-a\b")
"""What may give the machines of a Ray cluster other variables."""

OPEN = re.compile(r"envFrom|env_file|secretRef|<<:|\{\{")
"""What may give a container variables that the file does not name."""


class NotHandedOn(Struct, frozen=True):
    """A variable, the line that sets it, and why the script does not get it."""

    name: str
    line: int
    why: str


def not_handed_on(facts: Facts) -> tuple[NotHandedOn, ...]:
    """Raises `NotConcerned` where no launch file starts a script that needs variables."""
    target, file = facts.run.target, facts.run.file
    launch, text = target.launch, own_text(target)
    if launch is None or not launch.script or not text or not isinstance(file, Document):
        raise NotConcerned("no launch file starts this script")
    source = file.data.decode(errors="replace")
    needed = [
        name
        for name in dict.fromkeys(NEEDS.findall(source))
        if not SET_ANYWAY.fullmatch(name)
        and not re.search(WRITES % name, source)
        and not re.search(rf"[\"']{name}[\"']\s+(?:not\s+)?in\s+os\.environ", source)
    ]
    if not needed:
        raise NotConcerned("the script needs no variable")
    if target.taken_for.startswith(OF_SHELL) and _submitted(launch):
        return tuple(_of_ray(launch, text, needed))
    return tuple(_of_others(facts, launch, text, needed)) if _may_be_several(facts, text) else ()


def _submitted(launch: Launch) -> bool:
    words = [word.text for word in (*launch.around, *launch.before)]
    return "ray" in words and words[words.index("ray") + 1 :][:2] == ["job", "submit"]


def _of_ray(launch: Launch, text: str, needed: list[str]) -> Iterator[NotHandedOn]:
    """What the machine that submits has, and the cluster is not given."""
    words = (*launch.around, *launch.before)
    if GIVES.search(text) or any(word.open for word in words):
        return
    given = " ".join(word.text for word in words)
    for match in EXPORTED.finditer(text):
        if match[1] in needed and match[1] not in given:
            line = text.count("\n", 0, match.start(1)) + 1
            yield NotHandedOn(match[1], line, "`ray job submit` hands no variables on")


def _may_be_several(facts: Facts, text: str) -> bool:
    return facts.run.target.taken_for.startswith(YAML) and not OPEN.search(text)


def _of_others(facts: Facts, launch: Launch, text: str, needed: list[str]) -> Iterator[NotHandedOn]:
    """What the file gives to another start of the same script, and names nowhere else."""
    launcher = facts.run.target.launched_by
    if launcher is None:
        return
    try:
        data = document.read_bytes(launcher)
        launches = read_launches(launcher, data, form(launcher, data[:HEAD]))
    except document.Unreadable:
        return
    alike = [each for each in launches if each.script == launch.script and not each.turn]
    for name in needed if "--nnodes" in _options(launch) else ():
        having = [each for each in alike if name in each.variables]
        once = len(re.findall(rf"\b{name}\b", text)) == 1
        if once and having and name not in launch.variables and len(having) < len(alike):
            match = re.search(rf"\b{name}\b", text)
            line = text.count("\n", 0, match.start()) + 1 if match else 0
            yield NotHandedOn(name, line, f"line {having[0].line} has it, this node has not")


def _options(launch: Launch) -> set[str]:
    return {word.text.partition("=")[0].replace("_", "-") for word in launch.whole}
