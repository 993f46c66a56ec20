"""Folders that a container sees under another name: docker, podman, pyxis, apptainer, Ray."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from msgspec import Struct

from trl_doctor.core.finding import Json
from trl_doctor.files.launch.container_variables import pass_on
from trl_doctor.files.launch.directives import directives, values
from trl_doctor.files.launch.shell.variables import Shell, Word

Mounts = tuple[tuple[str, str], ...]
"""A path inside the container with the one outside, each as the launch file writes it."""

DOCKER = frozenset({"docker", "podman", "nerdctl"})
APPTAINER = frozenset({"singularity", "apptainer"})

VOLUMES: dict[str, frozenset[str]] = {
    "docker": frozenset({"-v", "--volume"}),
    "apptainer": frozenset({"-B", "--bind"}),
    "srun": frozenset({"--container-mounts"}),
    "ray": frozenset(),
}
MOUNT = frozenset({"--mount"})
FOLDERS: dict[str, frozenset[str]] = {
    "docker": frozenset({"-w", "--workdir"}),
    "apptainer": frozenset({"--pwd", "--cwd"}),
    "srun": frozenset({"--container-workdir", "--chdir", "-D"}),
    "ray": frozenset({"--working-dir"}),
}
"""The options of each program that mount folders, and that name the one it starts in."""

FOLDER_KEYS = ("working_dir", "workingDir", "working-directory", "workdir")
"""Keys of YAML files with the folder of their commands."""

BINDS = ("APPTAINER_BIND", "APPTAINER_BINDPATH", "SINGULARITY_BIND", "SINGULARITY_BINDPATH")


BACKGROUND = re.compile(r"(?<![&>])&\s*(?:#.*)?$")
"""The end of a line whose commands run in a shell of their own, while the next line starts."""

OF_VARIABLE = re.compile(r"\b(?:cd|pushd)[ \t]+[^;&|]*\$")
"""A folder that a variable names."""


def of_directives(text: str) -> Mounts:
    """What the directives of Slurm mount, with pyxis."""
    return tuple(
        pair for value in values(directives(text), *VOLUMES["srun"]) for pair in _listed(value)
    )


def goes(shell: Shell, words: Sequence[Word], lines: Sequence[str]) -> None:
    """What `cd` does to the shell; a folder that is not known is none.

    `lines` are those of the text from its start to the command. In a Makefile each is for a shell
    of its own, unless it goes on behind a backslash.
    """
    since = lines[shell.went : len(lines) - 1]
    begun, here = "".join(lines[shell.went : shell.went + 1]), "".join(lines[-1:])
    over = shell.each_line or BACKGROUND.search(begun)
    if over and not all(line.rstrip().endswith("\\") for line in since):
        shell.folder = ""
    if words[0].text not in ("cd", "pushd", "popd"):
        return
    known = len(words) > 1 and not words[1].open and words[0].text != "popd"
    if known and shell.folder and OF_VARIABLE.search(here) and not words[1].text.startswith("/"):
        known = False  # `ROOT=$PWD` above counts from the folder that the shell was in
    go_to(shell, words[1].text if known else "")
    shell.went = len(lines) - 1


def go_to(shell: Shell, name: str) -> None:
    """Go to another folder, "" for one that is not known."""
    known = name not in ("", "-") and not name.startswith("~")
    shell.folder = posixpath.normpath(posixpath.join(shell.folder, name)) if known else ""


def contained(words: Sequence[Word], shell: Shell) -> Shell:
    """The shell of a command that these words start in a container; the same if they start none."""
    for kind in dict.fromkeys(filter(None, (_kind(word.text) for word in words))):
        inner = shell.inner()
        read = _pair if kind == "docker" else _listed
        pairs = [pair for value in _values(words, VOLUMES[kind]) for pair in read(value)]
        if kind == "docker":
            pairs += [pair for value in _values(words, MOUNT) for pair in _of_mount(value)]
        if kind == "apptainer":
            values = [shell.value(name) or "" for name in BINDS]
            pairs += [pair for value in values for pair in _listed(value)]
        folder = next(iter(_values(words, FOLDERS[kind])), "")
        inner.mounts = (*inner.mounts, *((name, _from(shell, outside)) for name, outside in pairs))
        if kind == "ray" and folder:
            folder = _of_ray(shell, folder)
        inner.folder = folder or (inner.folder if kind != "docker" else "")
        pass_on(kind, words, shell, inner)
        shell = inner
    return shell


def _from(shell: Shell, outside: str) -> str:
    """A folder of the host, from where the file is; `$PWD` already has the shell's own folder."""
    below = outside.startswith(("./", "../")) and shell.folder
    return posixpath.normpath(posixpath.join(shell.folder, outside)) if below else outside


def _of_ray(shell: Shell, folder: str) -> str:
    """The folder that `ray job submit` copies to the cluster; "" for an archive or an address."""
    local = "://" not in folder and not folder.endswith(".zip")
    return posixpath.normpath(posixpath.join(shell.folder, folder)) if local else ""


def _kind(text: str) -> str:
    name = PurePosixPath(text).name
    if name in DOCKER:
        return "docker"
    if name in APPTAINER:
        return "apptainer"
    return name if name in ("srun", "ray") else ""


def _values(words: Sequence[Word], options: frozenset[str]) -> Iterator[str]:
    """The values of options, as far as they are known."""
    for at, word in enumerate(words):
        name, equals, value = word.text.partition("=")
        if name in options and not word.open:
            following = words[at + 1 : at + 2]
            if equals:
                yield value
            elif following and not following[0].open:
                yield following[0].text


def _listed(value: str) -> Iterator[tuple[str, str]]:
    """`/a:/b,/c`: several, of which one alone has the same name inside."""
    for part in value.strip("\"'").split(","):
        outside, _, inside = part.partition(":")
        inside = inside.partition(":")[0] or outside
        if inside.startswith("/"):
            yield inside, outside


def _pair(value: str) -> Iterator[tuple[str, str]]:
    """`./models:/models:ro`; a volume that has a name only is no folder of this machine."""
    outside, _, inside = value.partition(":")
    inside = inside.partition(":")[0]
    if inside.startswith("/") and re.match(r"[./~]|.+/", outside):
        yield inside, outside


def _of_mount(value: str) -> Iterator[tuple[str, str]]:
    """`type=bind,source=./models,target=/models`."""
    keys = dict(part.partition("=")[::2] for part in value.split(","))
    outside = keys.get("source") or keys.get("src") or ""
    inside = keys.get("target") or keys.get("dst") or keys.get("destination") or ""
    if keys.get("type") == "bind" and outside and inside.startswith("/"):
        yield inside, outside


class Container(Struct, frozen=True):
    """The container of a command in a YAML file: of Compose, Kubernetes, SkyPilot, dstack.

    `folder` is the one that it starts in, `volumes` are folders of the host by their names.
    """

    folder: str = ""
    mounts: Mounts = ()
    volumes: Mounts = ()

    def inside(self, value: Mapping[str, Json]) -> Container:
        """The container inside a mapping, which may say more of it."""
        named = (text for key in FOLDER_KEYS if isinstance(text := value.get(key), str))
        folder = next(named, "") or _default(value.get("defaults")) or _code(value)
        volumes = (*self.volumes, *_of_hosts(value.get("volumes")))
        pairs = [*_of_volumes(value.get("volumes")), *_of_files(value.get("file_mounts"))]
        pairs += _of_names(value.get("volumeMounts"), dict(volumes))
        if not folder and not pairs and len(volumes) == len(self.volumes):
            return self
        return Container(folder or self.folder, (*self.mounts, *pairs), volumes)


def _code(value: Mapping[str, Json]) -> str:
    """The folder of the code of a command, of Azure ML: its copy is where the command starts."""
    code = value.get("code")
    return code if "command" in value and isinstance(code, str) and ":" not in code else ""


def _default(value: Json) -> str:
    """`defaults: run: working-directory` of a workflow or a job of GitHub."""
    run = value.get("run") if isinstance(value, dict) else None
    folder = run.get("working-directory") if isinstance(run, dict) else None
    return folder if isinstance(folder, str) else ""


def _of_volumes(value: Json) -> Iterator[tuple[str, str]]:
    """`volumes` of Compose and dstack: texts, or mappings of `source` and `target`."""
    for item in value if isinstance(value, list) else ():
        if isinstance(item, str):
            yield from _pair(item)
        elif isinstance(item, dict) and item.get("type", "bind") == "bind":
            inside, outside = item.get("target"), item.get("source")
            if isinstance(inside, str) and isinstance(outside, str):
                yield inside, outside


def _of_files(value: Json) -> Iterator[tuple[str, str]]:
    """`file_mounts` of SkyPilot: `/models: ./models`."""
    for inside, outside in value.items() if isinstance(value, dict) else ():
        if isinstance(outside, str) and "://" not in outside:
            yield inside, outside


def _of_hosts(value: Json) -> Iterator[tuple[str, str]]:
    """The volumes of a pod that are folders of its host, by their names."""
    for item in value if isinstance(value, list) else ():
        host = item.get("hostPath") if isinstance(item, dict) else None
        if isinstance(item, dict) and isinstance(host, dict):
            yield str(item.get("name")), str(host.get("path", ""))


def _of_names(value: Json, volumes: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """`volumeMounts` of a container of Kubernetes."""
    for item in value if isinstance(value, list) else ():
        outside = volumes.get(str(item.get("name"))) if isinstance(item, dict) else None
        if isinstance(item, dict) and outside:
            below = item.get("subPath")
            whole = posixpath.join(outside, below) if isinstance(below, str) else outside
            yield str(item.get("mountPath")), whole
