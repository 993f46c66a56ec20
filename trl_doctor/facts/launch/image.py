"""What the image of a Dockerfile contains: the files that it copies, the packages it installs."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.launch.launch_line import own_text
from trl_doctor.files.launch.dockerfile import Instruction, instructions
from trl_doctor.files.launch.flags import config_of
from trl_doctor.files.launch.forms import DOCKERFILE
from trl_doctor.files.launch.launch import Launch
from trl_doctor.files.regular import text_of

MAKES = re.compile(
    r"\b(?:git|wget|curl|cp|mv|ln|tar|unzip|rsync|gsutil|aws|hf|huggingface-cli)\b|>"
)
"""Commands that may put files into an image."""

OTHER_INSTALLERS = re.compile(
    r"\b(?:conda|mamba|micromamba|poetry|pdm|pixi|pipenv|uv\s+sync|setup\.py|make|bash|sh\s)\b"
    r"|\.(?:sh|whl)\b"
)
"""Commands that may install what is not read here."""

INSTALLS = re.compile(r"\bpip3?\s+install\b((?:[^&|;]|\\\n)*)")
REQUIRED = re.compile(r"(?:-r|--requirement)[ =]*(\S+)")
PLAIN = re.compile(
    r"(?:(?:docker\.io/)?(?:library/)?(?:python|pytorch/pytorch|nvidia/cuda|ubuntu|debian)"
    r"|nvcr\.io/nvidia/pytorch)\b"
)
"""Public images that have no packages beside those of their names."""


class Copied(Struct, frozen=True):
    """Files of the context, and where in the image they are."""

    sources: tuple[str, ...]
    to: str


class Image(Struct, frozen=True):
    """The stage of a Dockerfile that starts the run, with the stages that it goes on from.

    `folder` is the one that the command starts in, `runs` are the commands that made the image.
    """

    base: str
    folder: str
    copied: tuple[Copied, ...]
    runs: tuple[str, ...]

    def has(self, path: str, context: Path) -> bool:
        """Whether a file of the context is at a path of the image."""
        return any(
            (context / source).exists()
            for copied in self.copied
            for source in _origins(copied, path, context)
        )


def image_of(facts: Facts) -> tuple[Image, Path]:
    """The image that starts the run, and its context. Raises `NotConcerned` and `Unavailable`."""
    target = facts.run.target
    launch, launcher = target.launch, target.launched_by
    if launch is None or launcher is None or not target.taken_for.startswith(DOCKERFILE):
        raise NotConcerned("no Dockerfile starts this run")
    stages = _stages(own_text(target) or "", launch.line)
    image = _image(stages, len(stages) - 1)
    if "$" in "".join((image.folder, *(part for one in image.copied for part in one.sources))):
        raise Unavailable("a variable names what the image copies")
    return image, launcher.parent


Stage = tuple[str, str, list[Instruction]]
"""The base of a stage, its own name, and its instructions."""


def _stages(text: str, last: int) -> list[Stage]:
    """The stages of a Dockerfile to the one that has a line."""
    stages: list[Stage] = []
    for instruction in instructions(text):
        if instruction.name == "FROM":
            if instruction.line > last:
                break
            words = [word for word in instruction.argument.split() if not word.startswith("--")]
            name = words[2] if len(words) > 2 else ""
            stages.append((words[0] if words else "", name, []))
        elif stages:
            stages[-1][2].append(instruction)
    if not stages:
        raise Unavailable("the Dockerfile has no FROM")
    return stages


def _image(stages: Sequence[Stage], number: int) -> Image:
    base, _, own = stages[number]
    above = next((n for n in range(number) if stages[n][1] == base and base), None)
    start = Image(base, "/", (), ()) if above is None else _image(stages, above)
    folder, copied, runs = start.folder, list(start.copied), list(start.runs)
    for name, argument in ((one.name, one.argument) for one in own):
        if name == "WORKDIR":
            folder = posixpath.normpath(posixpath.join(folder, argument.strip("\"'")))
        elif name in ("COPY", "ADD"):
            if one := _copied(argument, folder):
                copied.append(one)
        elif name == "RUN":
            runs.append(argument)
    return Image(start.base, folder, tuple(copied), tuple(runs))


def _copied(argument: str, folder: str) -> Copied | None:
    words = argument.split()
    if any(word.startswith("--from") for word in words) or "<<" in argument:
        return None
    words = [word for word in words if not word.startswith("--")]
    if argument.lstrip().startswith("["):
        try:
            words = [str(word) for word in json.loads(argument)]
        except ValueError:
            return None
    if len(words) < 2:
        return None
    several = len(words) > 2 or words[-1].endswith(("/", "."))
    to = posixpath.normpath(posixpath.join(folder, words[-1]))
    return Copied(tuple(words[:-1]), f"{to.rstrip('/')}/" if several else to)


def _origins(copied: Copied, path: str, context: Path) -> Iterator[str]:
    """The paths of the context that would be at a path of the image."""
    for source in copied.sources:
        plain = source.lstrip("/")
        for one in (
            sorted(context.glob(plain)) if re.search(r"[*?\[]", plain) else [context / plain]
        ):
            name = posixpath.relpath(one, context)
            below = posixpath.relpath(path, copied.to)
            if one.is_dir() and not below.startswith(".."):
                yield posixpath.join(name, below)
            elif path in (copied.to, posixpath.join(copied.to, one.name)):
                yield name


def named_files(launch: Launch) -> list[str]:
    """The files that a command names."""
    return [name for name in (launch.script, launch.accelerate, config_of(launch)) if name]


def lacking_files(facts: Facts, names: Sequence[str]) -> list[str]:
    """The files of the context that the command names and the image does not have."""
    image, context = image_of(facts)
    if any(MAKES.search(run) for run in image.runs) or not image.copied:
        raise Unavailable("a command may make the files of the image")
    found = []
    for name in names:
        path = posixpath.normpath(posixpath.join(image.folder, name))
        here = context / name
        mounted = _mounted_beside(context, posixpath.dirname(path))
        if name.startswith("/") or not here.is_file() or mounted or image.has(path, context):
            continue
        found.append(name)
    return found


def _mounted_beside(context: Path, folder: str) -> bool:
    """Whether a file beside the Dockerfile may mount something at a folder of the image."""
    ends = re.compile(rf"(?::|mountPath:\s*|target[:=]\s*){re.escape(folder)}\b")
    kinds = ("*.yml", "*.yaml", "*.sh", "Makefile", "justfile", "README*")
    for path in [path for kind in kinds for path in context.glob(kind)][:50]:
        try:
            if ends.search(text_of(path, "replace")):
                return True
        except OSError:
            continue
    return False


def installed(facts: Facts) -> frozenset[str]:
    """The packages that the image installs, by names in small letters. Raises `Unavailable`."""
    image, context = image_of(facts)
    if not PLAIN.match(image.base) or any(map(OTHER_INSTALLERS.search, image.runs)):
        raise Unavailable("what the image has from elsewhere is not known")
    words = list[str]()
    for text in (match[1] for run in image.runs for match in INSTALLS.finditer(run)):
        words += re.split(r"[\s,\[\]\"']+", REQUIRED.sub(" ", text))
        for name in REQUIRED.findall(text):
            lines = _requirements(image, context, name)
            words += [word for line in lines for word in re.split(r"[\s,\[\]]+", line)]
    if any(word in (".", "-e", "all", "dev") or word.startswith("./") for word in words):
        raise Unavailable("the image installs a package of its own")
    names = (re.match(r"[A-Za-z0-9._-]+", word) for word in words)
    return frozenset(name.group().lower().replace("_", "-") for name in names if name)


def _requirements(image: Image, context: Path, name: str) -> Sequence[str]:
    """The lines of a requirements file, as the context has it."""
    own = posixpath.basename(name)
    sources = [source for copied in image.copied for source in copied.sources]
    beside = [context / source for source in sources if posixpath.basename(source) == own]
    path = next((path for path in (context / own, *beside) if path.is_file()), None)
    if path is None:
        raise Unavailable(f"{name} is not here")
    lines = [line.partition("#")[0] for line in text_of(path, "replace").splitlines()]
    if any(line.lstrip().startswith("-") for line in lines):
        raise Unavailable(f"{name} names other files")
    return lines
