"""What the target's torch was built for, and whether this machine's driver can run it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct
from packaging.version import InvalidVersion, Version

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.files.regular import text_of
from trl_doctor.machine.environment import Environment
from trl_doctor.machine.gpu import Gpu, gpus


class TorchBuild(Struct, frozen=True):
    """What the target's torch was built for: a CUDA, a ROCm (`hip`), or neither."""

    version: str
    cuda: Version | None
    hip: str


def torch_build(environment: Environment) -> TorchBuild:
    """The CUDA version that the installed torch was built for. Raises `Unavailable`."""
    folder = environment.source("torch")
    if folder is None:
        raise Unavailable("torch is not installed here")
    file = folder / "version.py"
    try:
        text = text_of(file)
    except (OSError, UnicodeDecodeError) as error:
        raise Unavailable(f"{file} cannot be read") from error
    assignments = dict(re.findall(r"^(\w+)(?:\s*:[^=\n]*)?\s*=\s*'([^']*)'", text, re.MULTILINE))
    version = assignments.get("__version__", "") or str(environment.version("torch") or "")
    return TorchBuild(version, _version(assignments.get("cuda", "")), assignments.get("hip", ""))


def refuse_rocm(environment: Environment) -> None:
    """Raises `Unavailable` if the target's torch is for AMD GPUs, which are not supported here."""
    try:
        build = torch_build(environment)
    except Unavailable:
        return
    if build.hip:
        raise Unavailable(
            f"torch {build.version} is built for ROCm {build.hip}: GPUs of AMD are not examined"
        )


def driver_note(environment: Environment, cards: Sequence[Gpu] | None = None) -> str:
    """What prevents the target's torch from using these GPUs, as a sentence; "" for nothing known.

    `cards` are the GPUs, read again by default. Raises `Unavailable`.
    """
    cards = gpus() if cards is None else cards
    try:
        build = torch_build(environment)
    except Unavailable as reason:
        return f"CUDA of torch: {reason}"
    if cards and build.cuda is None and not build.hip:
        return f"torch {build.version} is built without CUDA: it will not use these GPUs"
    newest = cards[0].cuda if cards else None
    if newest and build.cuda and build.cuda.major > newest.major:
        return (
            f"torch {build.version} is built for CUDA {build.cuda}, "
            f"the driver {cards[0].driver} runs CUDA up to {newest}"
        )
    return ""


def _version(text: str) -> Version | None:
    try:
        return Version(text)
    except InvalidVersion:
        return None
