"""Jobs that may not use the network, on a machine that has no files of the Hub."""

from __future__ import annotations

import re
from pathlib import Path

from msgspec import Struct

from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.launch.launch_line import own_text
from trl_doctor.files.document import Document
from trl_doctor.files.launch.forms import AZURE_ML, GITHUB

SETTINGS = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")
TRUE = ("1", "on", "yes", "true")

HOSTED = re.compile(r"runs-on:\s*[\"']?(?:ubuntu|macos|windows)-[\w.]+[\"']?\s*(?:#.*)?$", re.M)
CURATED = re.compile(
    r"image:\s*mcr\.microsoft\.com/azureml/|environment:\s*[\"']?azureml:(?://registries/azureml/"
    r"|AzureML-)"
)
"""Machines that start without files of the Hub: GitHub's own, and images that Microsoft makes."""

BRINGS = re.compile(
    r"actions/cache|self-hosted|\bcontainer:|\bcache_dir|(?<!/)download|download-artifact|\bclone\b|\blfs\b|restore"
    r"|HF_HOME|HF_HUB_CACHE|TRANSFORMERS_CACHE|XDG_CACHE|from_pretrained|snapshot|rsync|\bcp\b"
    r"|curl|wget|\bOFFLINE[\"']?\s*[:=]\s*[\"']?(?:0|false|off|no)\b|\buses:\s*\./",
    re.IGNORECASE,
)
"""What a launch file has that may bring the files, or that may name another cache."""

OTHERS = re.compile(r"\bpython3?\s+(?!-m\s+(?:pip|pytest)\b)\S+|\bbash\s|\bsh\s|\./|\bmake\s")
"""A command that may fetch them."""

ONLINE = re.compile(r"OFFLINE|cache_dir|snapshot_download|hf_hub_download|local_dir")
HUB = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")


class Offline(Struct, frozen=True):
    """The variable that forbids the network, and the model of the Hub that is not there."""

    setting: str
    model: str


def offline_without_files(facts: Facts) -> Offline | None:
    """Raises `NotConcerned` where the network may be used."""
    target = facts.run.target
    launch, text = target.launch, own_text(target) or ""
    given = launch.variables if launch else {}
    setting = next((name for name in SETTINGS if given.get(name, "").lower() in TRUE), "")
    if launch is None or not setting:
        raise NotConcerned("the launch file does not forbid the network")
    kind = {GITHUB: HOSTED, AZURE_ML: CURATED}
    fresh = next((mark for name, mark in kind.items() if target.taken_for.startswith(name)), None)
    file = facts.run.file
    source = file.data.decode(errors="replace") if isinstance(file, Document) else ""
    before = "\n".join(text.split("\n")[: launch.line - 1])
    if fresh is None or not fresh.search(text) or BRINGS.search(text) or ONLINE.search(source):
        return None
    if target.taken_for.startswith(GITHUB) and OTHERS.search(before):
        return None
    policy = facts.run.models.get("policy")
    name = policy.name if policy else ""
    here = any((folder / name).exists() for folder in (Path.cwd(), *target.folders))
    return Offline(setting, name) if HUB.fullmatch(name) and not here else None
