"""What to take in place of a name that an installed library has no more."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from pathlib import Path

from trl_doctor.facts.library.classes import Sources
from trl_doctor.facts.library.surface import Lack, may_offer

INSTEAD = {
    "transformers.AdamW": "from torch.optim import AdamW",
    "transformers.optimization.AdamW": "from torch.optim import AdamW",
    "transformers.deepspeed": "import its names from transformers.integrations",
    "transformers.AutoModelForVision2Seq": "from transformers import AutoModelForImageTextToText",
    "transformers.AutoModelWithLMHead": "from transformers import AutoModelForCausalLM",
    "datasets.load_metric": "pip install evaluate, and write evaluate.load in its place",
    "datasets.filesystems": "remove the import: datasets reads remote files with fsspec",
    "peft.prepare_model_for_int8_training": "from peft import prepare_model_for_kbit_training",
    "transformers.is_torch_tpu_available": "from transformers import is_torch_xla_available",
}
"""Successors that have another name."""

LARGEST = 700
"""Files of a library that are searched; those of transformers' models are not among them."""


def instead(sources: Sources, lack: Lack) -> str:
    """The name's successor, its new place, or the most similar name; else what can be done."""
    whole, package = f"{lack.module}.{lack.name}", lack.module.partition(".")[0]
    if whole in INSTEAD:
        return INSTEAD[whole]
    for top in (package, *_defining(sources, package, lack.name)):
        if top != lack.module and may_offer(sources, top, lack.name):
            return f"from {top} import {lack.name}"
    near = _similar(sources, lack)
    if near:
        return (
            f"write {near}, if that is what is meant, or install a {package} that has {lack.name}"
        )
    return f"remove it, or install a release of {package} that has {lack.name}"


def _defining(sources: Sources, package: str, name: str) -> Iterator[str]:
    """The modules of a library that define a function, a class or a constant of this name."""
    folder = sources.packages[package]
    line = re.compile(
        rf"^(?:class|def) {re.escape(name)}\b|^{re.escape(name)}\s*[:=]", re.MULTILINE
    )
    for path in _files(folder):
        text = path.read_text("utf-8", errors="replace")
        if name in text and line.search(text):
            parts = path.relative_to(folder).with_suffix("").parts
            yield ".".join([package, *(part for part in parts if part != "__init__")])


def _files(folder: Path) -> list[Path]:
    inner = [
        path for path in folder.rglob("*.py") if "models" not in path.relative_to(folder).parts
    ]
    return sorted(inner)[:LARGEST]


def _similar(sources: Sources, lack: Lack) -> str:
    text = sources.text(lack.module) or ""
    words = {word for word in re.findall(r"\b[A-Za-z]\w{3,}\b", text) if word != lack.name}
    near = difflib.get_close_matches(lack.name, words, 3, 0.8)
    return next((word for word in near if may_offer(sources, lack.module, word)), "")
