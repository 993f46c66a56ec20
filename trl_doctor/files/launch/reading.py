"""Reads a launch file of any form: which lines of it start a training."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

from trl_doctor.core.finding import Json, pointer
from trl_doctor.files import document
from trl_doctor.files.document import Document
from trl_doctor.files.formats.text import Invalid, decoded
from trl_doctor.files.launch.launches import Cluster, Launch, launches, of_words
from trl_doctor.files.launch.variables import Shell, Word

YAML = ("a Kubernetes file", "a task of SkyPilot", "a Docker Compose file")
HEAD = 2**16
"""Bytes at the start of a file that tell what it is."""

SHELL = (".sh", ".bash", ".zsh", ".sbatch", ".slurm", ".slm", ".job", ".lsf", ".pbs", ".qsub")
DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*SBATCH[ \t]+([^#\n]*)", re.MULTILINE)
OPTION = re.compile(r"(--?[\w-]+)(?:[=\s]\s*|(?<=-\w))([^\s-][^\s]*)")
ASSIGNED = re.compile(r"^([A-Za-z_]\w*)\s*[:?+]?=\s*(.*)$", re.MULTILINE)
Route: TypeAlias = tuple[str | int, ...]
KUBERNETES, SKY = ("apiVersion", "kind"), ("run", "resources", "setup", "envs", "num_nodes")


def form(path: Path, data: bytes) -> str:
    """What kind of launch file this is, as a person calls it; "" where it is none."""
    name = path.name.lower()
    if path.suffix.lower() in SHELL or (
        data.startswith(b"#!") and b"sh" in data[:64].split(b"\n")[0]
    ):
        return (
            "a Slurm script"
            if DIRECTIVE.search(data[:HEAD].decode(errors="replace"))
            else "a shell script"
        )
    if name in ("makefile", "gnumakefile") or path.suffix == ".mk":
        return "a Makefile"
    if name.startswith("dockerfile") or name.endswith(".dockerfile") or name == "containerfile":
        return "a Dockerfile"
    if path.suffix.lower() in (".yaml", ".yml"):
        head = set(re.findall(rb"^([A-Za-z]\w*):", data[:65536], re.MULTILINE))
        keys = {one.decode() for one in head}
        if keys.issuperset(KUBERNETES):
            return "a Kubernetes file"
        if "run" in keys and len(keys & set(SKY)) > 1:
            return "a task of SkyPilot"
        if "services" in keys:
            return "a Docker Compose file"
    return ""


def read(path: Path, data: bytes, kind: str) -> list[Launch]:
    """The lines that start a training; raises `document.Unreadable`."""
    if kind in YAML:
        return list(_in_yaml(document.parse(path, data)))
    try:
        text = decoded(data)
    except Invalid as error:
        raise document.Unreadable(path, error.flaw, error.problem, error.at) from None
    cluster = _cluster(text)
    shell = Shell({name: [Word(value, 0, 0)] for name, value in cluster.variables.items()})
    if kind == "a Makefile":
        return list(launches(_recipes(text, shell), shell, cluster))
    if kind == "a Dockerfile":
        return list(_in_dockerfile(text))
    return list(launches(text, shell, cluster))


def _cluster(text: str) -> Cluster:
    """What the directives of Slurm ask for."""
    said: dict[str, str] = {}
    for line in DIRECTIVE.findall(text):
        for name, value in OPTION.findall(line):
            said[name] = value
    gpus = said.get("--gpus-per-node") or said.get("--gres") or said.get("--gpus-per-task")
    return Cluster(
        _last(said.get("--nodes") or said.get("-N")),
        _last(said.get("--ntasks") or said.get("-n")),
        _last(said.get("--ntasks-per-node")),
        _last(gpus),
    )


def _last(value: str | None) -> int | None:
    """The number at the end of `gpu:a100:8`."""
    text = (value or "").rpartition(":")[2].partition("(")[0]
    return int(text) if text.isdigit() and 0 < int(text) < 10**6 else None


def _recipes(text: str, shell: Shell) -> str:
    """A Makefile's recipes as shell text, on their own lines."""
    for name, value in ASSIGNED.findall(text):
        shell.variables.setdefault(name, [Word(value.strip(), 0, 0)] if "$(" not in value else None)
    lines, inside = [], False
    for line in text.split("\n"):
        if line.startswith("\t") or inside:
            plain = re.sub(r"\$\((\w+)\)", r"${\1}", line).replace("$$", "$")
            lines.append(re.sub(r"^(\t?)[@+-]+", r"\1", plain))
            inside = line.rstrip().endswith("\\")
        else:
            lines.append("")
    return "\n".join(lines)


def _in_dockerfile(text: str) -> Iterator[Launch]:
    shell, entry = Shell(), list[Word]()
    joined = re.sub(r"\\\r?\n", lambda match: " " * len(match.group()), text)
    for found in re.finditer(r"^[ \t]*(ENV|ENTRYPOINT|CMD)\s+(.*)$", joined, re.MULTILINE):
        line = text.count("\n", 0, found.start()) + 1
        said = found[2].strip()
        if found[1] == "ENV":
            for name, value in re.findall(r"([A-Za-z_]\w*)[= ]\"?([^\s\"]+)\"?", said):
                shell.variables[name] = [Word(value, line, 1)]
            continue
        words = _listed(said, line)
        if words is None:
            yield from launches(said, Shell(dict(shell.variables)), Cluster(), line)
        elif found[1] == "ENTRYPOINT":
            entry = words
            if any(one.text.endswith(".py") for one in words) or words[0].text == "trl":
                yield from of_words(words, shell, Cluster())
        else:
            yield from of_words([*entry, *words], shell, Cluster())


def _listed(said: str, line: int) -> list[Word] | None:
    try:
        value = json.loads(said)
    except ValueError:
        return None
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        return None
    return [Word(one, line, 1, bare=False) for one in value]


def _in_yaml(file: Document) -> Iterator[Launch]:
    shell = Shell()
    for name, value in _variables(file.value):
        shell.variables[name] = [Word(value, 0, 0)]
    cluster = Cluster(gpus_per_node=_gpus(file.value))
    for keys, words in _commands(file, file.value, ()):
        line = file.position(pointer(*keys)).line
        if isinstance(words, str):
            first = _first_line(file, line, words)
            yield from launches(words, Shell(dict(shell.variables)), cluster, first)
        else:
            held = [Word(one, line, 1, bare=False) for one in words]
            yield from of_words(held, shell, cluster)


def _first_line(file: Document, line: int, text: str) -> int:
    """The line of the file on which the first line of a block of text stands."""
    start = next((one for one in text.split("\n") if one.strip()), "").strip()
    skipped = text[: text.find(start)].count("\n") if start else 0
    for number in range(line, line + 30):
        if start and start in file.line_text(number):
            return number - skipped
    return line


def _commands(
    file: Document, value: Json, keys: tuple[str | int, ...]
) -> Iterator[tuple[tuple[str | int, ...], str | list[str]]]:
    """Texts of shell, and lists of words, behind the keys that hold commands."""
    if isinstance(value, dict):
        parts = {name: _texts(value.get(name)) for name in ("command", "entrypoint", "args")}
        words = [one for part in parts.values() for one in part or []]
        named = "args" if parts["args"] else next((n for n, part in parts.items() if part), "")
        if words and named:
            single = len(words) == 1
            yield (*keys, named), words[0] if single else words
        if isinstance(value.get("run"), str):
            yield (*keys, "run"), str(value["run"])
        for name, one in value.items():
            if name not in parts:
                yield from _commands(file, one, (*keys, name))
    elif isinstance(value, list):
        for number, one in enumerate(value):
            yield from _commands(file, one, (*keys, number))


def _texts(value: Json) -> list[str] | None:
    if isinstance(value, str):
        return [value]
    if (
        isinstance(value, list)
        and value
        and all(isinstance(one, str | int | float) for one in value)
    ):
        return [str(one) for one in value]
    return None


def _variables(value: Json) -> Iterator[tuple[str, str]]:
    """Environment variables of Kubernetes (`env`), SkyPilot (`envs`) and Compose."""
    if isinstance(value, dict):
        for name in ("envs", "environment", "env"):
            held = value.get(name)
            if isinstance(held, dict):
                yield from ((key, str(one)) for key, one in held.items() if one is not None)
            for one in held if isinstance(held, list) else ():
                if isinstance(one, dict) and isinstance(one.get("value"), str):
                    yield str(one.get("name")), str(one["value"])
        for one in value.values():
            yield from _variables(one)
    elif isinstance(value, list):
        for one in value:
            yield from _variables(one)


def _gpus(value: Json) -> int | None:
    """The GPUs of a pod or of a node of SkyPilot."""
    if isinstance(value, dict):
        for name, one in value.items():
            if name == "nvidia.com/gpu" or name == "accelerators":
                text = str(one).rpartition(":")[2]
                return int(text) if text.isdigit() else 1 if name == "accelerators" else None
            if (found := _gpus(one)) is not None:
                return found
    elif isinstance(value, list):
        return next((found for one in value if (found := _gpus(one)) is not None), None)
    return None
