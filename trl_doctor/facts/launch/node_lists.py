"""The nodes of a job that `srun` is told to start a command on, as numbers of an array."""

from __future__ import annotations

import re
from collections.abc import Sequence

from trl_doctor.core.finding import Place
from trl_doctor.facts.launch.launch_line import own_text, place_on_line
from trl_doctor.files.formats.text import Invalid, decoded
from trl_doctor.files.launch.cluster import of_slurm
from trl_doctor.files.launch.forms import SLURM
from trl_doctor.files.launch.shell.variables import Shell, Word
from trl_doctor.files.launch.shell.words import commands
from trl_doctor.files.regular import bytes_of
from trl_doctor.files.target import Target

CHOOSES = ("-w", "--nodelist")
BRIDGES = re.compile(r"\bssh\b[^\n]*\s-\w*[LR]|\b(?:socat|haproxy|nginx|iptables|\w*tunnel\w*)\b")
"""What may bring a port of another node to the trainer's."""

ITEM = re.compile(r"\$\{?(\w+)\[(\d+)\]\}?")
SLICE = re.compile(r"\$\{?(\w+)\[[@*]\]:(\d+):(\d+)\}?")


def server_elsewhere(target: Target) -> Place | None:
    """The place of the only vLLM server, if `srun` starts it on a node without a trainer.

    None also where the nodes are not known.
    """
    launch, launcher = target.launch, target.launched_by
    text = own_text(target)
    if launch is None or launcher is None or text is None or not target.taken_for.startswith(SLURM):
        return None
    if BRIDGES.search(text):
        return None
    own = _nodes((*launch.around, *launch.before), text)
    try:
        data = decoded(bytes_of(launcher))
    except (OSError, Invalid):
        return None
    given = {name: [Word(value, 0, 0)] for name, value in of_slurm(data).variables.items()}
    shell = Shell({**given}, launcher=launcher)
    servers = [words for words in commands(data, shell) if _serves(words)]
    if len(servers) != 1 or not own:
        return None
    its = _nodes(servers[0], text)
    apart = bool(its) and not its & own and {name for name, _ in its} == {name for name, _ in own}
    return place_on_line(target, servers[0][0].line, servers[0][0].column) if apart else None


def _serves(words: Sequence[Word]) -> bool:
    return any("vllm-serve" in word.text for word in words) and words[0].text == "srun"


def _nodes(words: Sequence[Word], text: str) -> set[tuple[str, int]]:
    """The array and the numbers that an option of `srun` names; none if they are not known."""
    for at, word in enumerate(words):
        name, equals, _ = (word.spelled or word.text).partition("=")
        if name in CHOOSES:
            given = word if equals else next(iter(words[at + 1 : at + 2]), word)
            spelled = given.spelled or given.text
            return _numbers(spelled.partition("=")[2] if equals else spelled, text)
    return set()


def _numbers(spelled: str, text: str) -> set[tuple[str, int]]:
    for name in re.findall(r"\$\{?(\w+)\}?(?!\[)", spelled):
        value = re.findall(rf"^[ \t]*(?:export[ \t]+)?{name}=(\S+)[ \t]*$", text, re.MULTILINE)
        if len(value) == 1:
            spelled = re.sub(rf"\$\{{?{name}\b\}}?", value[0].replace("\\", ""), spelled)
    found = {(match[1], int(match[2])) for match in ITEM.finditer(spelled)}
    for match in SLICE.finditer(spelled):
        first, count = int(match[2]), int(match[3])
        found |= {(match[1], number) for number in range(first, first + min(count, 1000))}
    rest = SLICE.sub("", ITEM.sub("", spelled)).replace('"', "")
    return found if not rest.strip(",{} ") else set()
