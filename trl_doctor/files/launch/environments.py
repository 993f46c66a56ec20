"""The environment variables that a YAML file gives to the commands below them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct, field

from trl_doctor.core.finding import Json
from trl_doctor.files import document
from trl_doctor.files.launch.containers import Container
from trl_doctor.files.launch.shell.inside import expanded
from trl_doctor.files.launch.shell.sourced import env_file
from trl_doctor.files.launch.shell.variables import MARK, Shell, Word
from trl_doctor.files.unknown_word import PLACEHOLDER

KEYS = ("envs", "environment", "env", "env_vars", "variables", "environment_variables")
"""Keys with variables, of SkyPilot, Compose, CircleCI, Kubernetes, GitHub, GitLab, Azure."""

SET_BY_OPERATORS = re.compile(
    r"(?:PET_|JOB_|JOBSET_|RAY_|POD_)\w+|MASTER_\w+|(?:WORLD|LOCAL)_\w+|RANK"
)

Maps = Mapping[str, Mapping[str, Json]]
"""The data of each ConfigMap of a file, by its name."""


class Scope(Struct, frozen=True):
    """Variables, None for a value that is not known; `open` says that there may be others.

    `place` is the container's: its folder, and what is mounted in it.
    """

    variables: Mapping[str, str | None] = field(default_factory=dict)
    open: bool = False
    place: Container = Container()

    def inside(self, value: Mapping[str, Json], maps: Maps, launcher: Path) -> Scope:
        """The variables inside a mapping, which may set some itself."""
        pairs = dict(_of_files(value, maps, launcher))
        lacks = pairs.pop("", "") is None
        pairs |= {name: text for key in KEYS for name, text in _pairs(value.get(key), maps)}
        pairs |= dict(_pairs(_of_ray(value.get("runtimeEnvYAML")), maps))
        place = self.place.inside(value)
        if not pairs and not lacks and place is self.place:
            return self
        return Scope({**self.variables, **pairs}, self.open or lacks, place)

    def shell(self, files: Shell) -> Shell:
        """A shell with these variables on top of those of another."""
        shell = files.inner()
        shell.folder, shell.mounts = self.place.folder, self.place.mounts
        for name, value in self.variables.items():
            unknown = value is None or PLACEHOLDER in value
            shell.variables[name] = None if unknown else [Word(str(value), 0, 0)]
        return shell

    def replaced(self, text: str) -> str:
        """A text with `$(NAME)` replaced as Kubernetes does it, `MARK` for what is not known.

        Kubernetes leaves a name that the container does not have as it is.
        """

        def value(match: re.Match[str]) -> str:
            name = match[1]
            if name in self.variables:
                known = self.variables[name]
                return MARK if known is None or PLACEHOLDER in known else known
            may_be_set = self.open or SET_BY_OPERATORS.fullmatch(name)
            return MARK if may_be_set else match[0]

        return re.sub(r"\$\((\w+)\)", value, text)


def _of_files(
    value: Mapping[str, Json], maps: Maps, launcher: Path
) -> Iterator[tuple[str, str | None]]:
    """The variables of `envFrom` and `env_file`; an empty name with None if some are not known."""
    sources = value.get("envFrom")
    for source in sources if isinstance(sources, list) else ():
        reference = source.get("configMapRef") if isinstance(source, dict) else None
        name = reference.get("name") if isinstance(reference, dict) else None
        if name not in maps:
            yield "", None
        prefix = source.get("prefix", "") if isinstance(source, dict) else ""
        for key, text in maps.get(str(name), {}).items():
            yield f"{prefix}{key}", str(text)
    named = value.get("env_file")
    for file in named if isinstance(named, list) else [named]:
        path = file.get("path") if isinstance(file, dict) else file
        if isinstance(path, str):
            yield from env_file(path, launcher).items()


def _pairs(value: Json, maps: Maps) -> Iterator[tuple[str, str | None]]:
    """The variables of a mapping, of a list of `NAME=value`, or of a list of names and values."""
    if isinstance(value, dict):
        for name, text in value.items():
            if not isinstance(text, dict | list):
                yield name, None if text is None else str(text)
    for item in value if isinstance(value, list) else ():
        if isinstance(item, str):
            name, equals, text = item.partition("=")
            yield name, text if equals else None
        elif isinstance(item, dict) and "name" in item:
            text = item.get("value", _of_map(item.get("valueFrom"), maps))
            yield str(item["name"]), str(text) if isinstance(text, str | int | float) else None


def _of_ray(text: Json) -> Json:
    """The variables of a RayJob, which are in a text of YAML."""
    if not isinstance(text, str):
        return None
    try:
        return document.parse(Path("runtime.yaml"), text.encode()).mapping().get("env_vars")
    except document.Unreadable:
        return None


def _of_map(source: Json, maps: Maps) -> Json:
    """The value of `valueFrom: {configMapKeyRef: …}`; None if it is not in the file."""
    reference = source.get("configMapKeyRef") if isinstance(source, dict) else None
    if not isinstance(reference, dict):
        return None
    return maps.get(str(reference.get("name")), {}).get(str(reference.get("key")))


REFERENCE = re.compile(r"\$(?:\{([A-Za-z_]\w*)[^{}]*\}|([A-Za-z_]\w*))")
"""What Compose replaces in a text."""


def unset(text: str, shell: Shell) -> list[str]:
    """The variables of a text that Compose replaces, and that have no value and no default."""
    parts = "\n".join(text.split("$$"))
    names = [match[1] or match[2] for match in REFERENCE.finditer(parts)
             if PLACEHOLDER in expanded(match[0], shell)]  # fmt: skip
    return list(dict.fromkeys(names))


def must_give(names: Sequence[str]) -> str:
    """Why a value of a Compose file is not known that nothing sets."""
    return f"the environment or .env must give {' and '.join(names)}"


def for_shell(text: str, given: Shell, inner: Shell) -> str:
    """A text as Compose gives it to a shell; what is not set is a variable of `inner`."""

    def value(match: re.Match[str]) -> str:
        known = expanded(match[0], given)
        if PLACEHOLDER not in known:
            return known
        name = match[1] or match[2]
        why = must_give([name])
        inner.variables[f"COMPOSE_{name}"] = [Word("", 0, 0, why, marked=MARK)]
        return f"${{COMPOSE_{name}}}"

    return "$".join(REFERENCE.sub(value, part) for part in text.split("$$"))


def interpolated(value: Json, shell: Shell) -> Json:
    """A value as Compose reads it: `${NAME:-default}` is replaced, `$$` is a dollar sign."""
    if isinstance(value, str) and "$" in value:
        return "$".join(expanded(part, shell) for part in value.split("$$"))
    if isinstance(value, dict):
        return {key: interpolated(inner, shell) for key, inner in value.items()}
    if isinstance(value, list):
        return [interpolated(inner, shell) for inner in value]
    return value
