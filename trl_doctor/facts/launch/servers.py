"""The vLLM servers that a launch file starts beside its training."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

from msgspec import Struct

from trl_doctor.files.formats.text import Invalid, decoded
from trl_doctor.files.launch import compose
from trl_doctor.files.launch.cluster import of_slurm
from trl_doctor.files.launch.forms import COMPOSE, JUSTFILE, MAKEFILE, OF_SHELL
from trl_doctor.files.launch.recipes import in_justfile, in_makefile
from trl_doctor.files.launch.shell.variables import Shell, Word, may_be_options
from trl_doctor.files.launch.shell.words import commands
from trl_doctor.files.regular import bytes_of
from trl_doctor.files.target import Target

VISIBLE = "CUDA_VISIBLE_DEVICES"
APART = frozenset({"ssh", "docker", "podman", "apptainer", "singularity", "conda", "uv", "uvx",
                   "pipx", "poetry", "pixi", "enroot", "kubectl"})  # fmt: skip
"""Programs that start a command in another environment."""

PORT = 8000
"""The port of `trl vllm-serve` if none is given."""


HERE = ("0.0.0.0", "localhost", "127.0.0.1", "::1")
"""Names of the machine itself, as a host of a server."""


class Server(Struct, frozen=True):
    """A server that a line starts, on a port; None if that is not known.

    `devices` are its GPUs, if the file names them. `service` is its name in a Compose file.
    `apart` says that it may have another environment than the training. `model` is what it loads.
    """

    line: int
    column: int
    port: int | None
    devices: frozenset[str] = frozenset()
    service: str = ""
    apart: bool = False
    model: str = ""


def started_servers(target: Target) -> list[Server]:
    """What `trl vllm-serve` starts in the launch file of a training; nothing in other files."""
    if target.launched_by is not None and target.taken_for.startswith(COMPOSE):
        return list(_of_compose(target.launched_by))
    if target.launched_by is None or not target.taken_for.startswith(OF_SHELL):
        return []
    try:
        text = decoded(bytes_of(target.launched_by))
    except (OSError, Invalid):
        return []
    given = {name: [Word(value, 0, 0)] for name, value in of_slurm(text).variables.items()}
    shell = Shell({**given}, launcher=target.launched_by)
    return [server for words in commands(text, shell) for server in _started(words, shell)]


def host_of(address: str) -> str | None:
    """The host of an address; None if it has none."""
    try:
        return urlsplit(address).hostname
    except ValueError:
        return None


def silent_about(target: Target, word: str) -> bool:
    """Whether a Slurm or shell script starts the training, and nothing in it has a word.

    What it starts besides may bear the word in its name: `bash start_vllm.sh &`.
    """
    if target.launched_by is None or not target.taken_for.startswith(OF_SHELL):
        return False
    try:
        return word not in decoded(bytes_of(target.launched_by)).lower()
    except (OSError, Invalid):
        return False


RECIPES = {MAKEFILE: in_makefile, JUSTFILE: in_justfile}


def of_recipes(target: Target) -> list[Server]:
    """The servers of a Makefile's or a justfile's recipes, which users start one by one."""
    read = next((RECIPES[kind] for kind in RECIPES if target.taken_for.startswith(kind)), None)
    if target.launched_by is None or read is None:
        return []
    try:
        text = decoded(bytes_of(target.launched_by))
    except (OSError, Invalid):
        return []
    shell = Shell({}, launcher=target.launched_by)
    shell.each_line = True
    recipes = read(text, shell)
    return [server for words in commands(recipes, shell) for server in _started(words, shell)]


def _of_compose(launcher: Path) -> Iterator[Server]:
    for service in compose.services(launcher):
        if compose.SERVES in service.words:
            options = service.words[service.words.index(compose.SERVES) + 1 :]
            words = [Word(text, service.line, service.column) for text in options]
            yield Server(
                service.line,
                service.column,
                port_of(words),
                service.devices,
                service.name,
                True,
                model_of(words),
            )


def in_another_container(target: Target) -> Server | None:
    """The only server of a Compose file, if the training has a network of its own."""
    servers = started_servers(target)
    if len(servers) != 1 or not servers[0].service or target.launch is None:
        return None
    launcher = target.launched_by
    own = compose.service_at(launcher, target.launch.line) if launcher else None
    return servers[0] if own and own.alone and own.name != servers[0].service else None


def devices(text: str | None) -> frozenset[str]:
    """The GPUs of `CUDA_VISIBLE_DEVICES`; none if they are not known."""
    return frozenset(part.strip() for part in (text or "").split(",") if part.strip().isdigit())


def shared_devices(target: Target) -> tuple[Server, frozenset[str]] | None:
    """A server and the GPUs that the file gives to it and to the training; None if none is."""
    launch, launcher = target.launch, target.launched_by
    if launch is None or launcher is None or "srun" in [word.text for word in launch.before]:
        return None
    own = devices(launch.variables.get(VISIBLE))
    if target.taken_for.startswith(COMPOSE):
        service = compose.service_at(launcher, launch.line)
        own = service.devices if service else frozenset()
    recipes = of_recipes(target)
    for server in recipes if len(recipes) == 1 else started_servers(target):
        if both := own & server.devices:
            return server, both
    return None


def _started(words: Sequence[Word], shell: Shell) -> Iterator[Server]:
    for at, word in enumerate(words[:-1]):
        name = PurePosixPath(word.text).name
        if name == "trl" and words[at + 1].text == "vllm-serve":
            elsewhere = any(other.text in ("srun", "ssh", "docker") for other in words[:at])
            own = frozenset() if elsewhere else devices(shell.value(VISIBLE))
            other = name != word.text or any(before.text in APART for before in words[:at])
            given = words[at + 2 :]
            yield Server(
                word.line, word.column, port_of(given), own, apart=other, model=model_of(given)
            )


def port_of(words: Sequence[Word]) -> int | None:
    """The port that the options name; none if one of them is not known."""
    if any(map(may_be_options, words)):
        return None
    for at, word in enumerate(words):
        name, equals, value = word.text.partition("=")
        if name == "--config":
            return None
        if name == "--port":
            given = word if equals else next(iter(words[at + 1 : at + 2]), word)
            text = value if equals else given.text
            return int(text) if text.isdigit() and not given.open else None
    return PORT


def model_of(words: Sequence[Word]) -> str:
    """The model that the options name; "" if it is not known."""
    for at, word in enumerate(words):
        name, equals, value = word.text.partition("=")
        if name == "--model" and not word.open:
            given = word if equals else next(iter(words[at + 1 : at + 2]), word)
            return "" if given.open else value if equals else given.text
    return ""
