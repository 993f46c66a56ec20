"""The names that the modules of an installed library offer, from their text: never imported."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from msgspec import Struct

from trl_doctor.facts.library.classes import Sources
from trl_doctor.machine.environment import Environment

LIBRARIES = ("transformers", "peft", "accelerate", "datasets", "trl")
"""Libraries whose modules are read; all of them show in their text what they offer."""

HIDING = re.compile(
    r"^(?:    )?def __getattr__\(name|^(?:    )?__getattr__\s*=|\bexec\("
    r"|\bglobals\(\)\s*(?:\.|\[(?![\"']__))"
    r"|\b(?:setattr|vars)\(\s*(?:sys\b|mod|this\b)|sys\.modules\[__name__\](?!\s*=\s*_LazyModule\()",
    re.MULTILINE,
)
"""Ways to give a module names that its text does not show."""

STAR = re.compile(r"^\s*from\s+(\.*[\w.]*)\s+import\s+\*", re.MULTILINE)
SCANNED = "define_import_structure("
"""What transformers fills a module with from the `__all__` of the files below it."""

EVERGREEN = frozenset(
    f"{package}.{name}"
    for package, names in {
        "transformers": "AutoConfig AutoModel AutoModelForCausalLM AutoTokenizer AutoProcessor "
        "AutoModelForSequenceClassification BitsAndBytesConfig GenerationConfig HfArgumentParser "
        "PreTrainedModel Trainer TrainerCallback TrainingArguments set_seed",
        "datasets": "Dataset DatasetDict load_dataset load_from_disk concatenate_datasets",
        "peft": "LoraConfig PeftConfig PeftModel TaskType get_peft_model",
        "accelerate": "Accelerator PartialState",
    }.items()
    for name in names.split()
)
"""Names that all releases have: nothing is read for them."""

SERVED = ("Fast", "_fast")
"""Ends of names of transformers that it serves although no text has them."""


class Lack(Struct, frozen=True):
    """A name that a module of an installed library certainly does not offer."""

    module: str
    name: str


@lru_cache(maxsize=32)
def installed_sources(environment: Environment) -> Sources:
    """The sources of the libraries that are installed, and are not stated otherwise."""
    folders = {name: environment.source(name) for name in LIBRARIES}
    return Sources({name: folder for name, folder in folders.items() if folder})


def lacking(sources: Sources, dotted: str) -> Lack | None:
    """The first part of `package.module.Name` that is surely not there; None if none is.

    Raises `Damaged` if a source cannot be read.
    """
    module, *parts = dotted.split(".")
    if module not in sources.packages or ".".join([module, *parts[:1]]) in EVERGREEN:
        return None
    for part in parts:
        if is_module(sources, f"{module}.{part}"):
            module = f"{module}.{part}"
        else:
            return None if may_offer(sources, module, part) else Lack(module, part)
    return None


def may_offer(
    sources: Sources, module: str, name: str, visited: frozenset[str] = frozenset()
) -> bool:
    """Whether a module has a name, or may have it in a way that its text does not show."""
    text = sources.text(module)
    if text is None or name.startswith("__"):
        return name.startswith("__") or is_module(sources, module)
    package = module.partition(".")[0]
    if _plainly(text, name) or (package == "transformers" and name.endswith(SERVED)):
        return True
    if name in text and name in bound(sources, module):
        return True
    if HIDING.search(text):
        return True
    scanned = SCANNED in text
    if scanned and any(found_below(sources, module, name)):
        return True
    for star in STAR.findall(text):
        other = absolute(sources, module, star)
        if other == module or other in visited or (scanned and other.startswith(module)):
            continue
        if other.partition(".")[0] not in sources.packages:
            return True
        if may_offer(sources, other, name, visited | {module}):
            return True
    return False


def absolute(sources: Sources, module: str, name: str) -> str:
    """The whole name of a module that another one names, perhaps with dots before it."""
    bare = name.lstrip(".")
    level = len(name) - len(bare)
    if not level:
        return name
    parts = module.split(".")
    parts = parts[: len(parts) - level + (1 if is_package(sources, module) else 0)]
    return ".".join([*parts, *([bare] if bare else [])])


def is_package(sources: Sources, module: str) -> bool:
    """Whether a module is a folder with an `__init__.py`."""
    return (_stem(sources, module) / "__init__.py").is_file()


def _stem(sources: Sources, module: str) -> Path:
    package, *parts = module.split(".")
    return sources.packages[package].joinpath(*parts)


def is_module(sources: Sources, module: str) -> bool:
    """Whether there is a file or a folder of this name, compiled ones too."""
    stem = _stem(sources, module)
    if stem.is_dir() or stem.with_name(f"{stem.name}.py").is_file():
        return True
    return any(stem.parent.glob(f"{stem.name}.*.so")) or any(stem.parent.glob(f"{stem.name}.pyd"))


def _plainly(text: str, name: str) -> bool:
    """Whether a line defines, imports or lists a name, without a look at the whole module."""
    if f'"{name}"' in text:
        return True
    own = re.escape(name)
    line = re.compile(rf"(?:class|def|async def) {own}\b|{own}\s*[:=]|\s+'?{own}'?,?$"
                      rf"|\s*from [.\w]+ import (?:[\w ]+, )*{own}\b")  # fmt: skip
    at = text.find(name)
    while at >= 0:
        start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
        if line.match(text[start : end if end >= 0 else len(text)]):
            return True
        at = text.find(name, at + 1)
    return False


@lru_cache(maxsize=64)
def bound(sources: Sources, module: str) -> frozenset[str]:
    """The names that a module binds, sets as globals, or lists as texts."""
    source = sources.module(module)
    if source is None:
        return frozenset()
    names = set(_bound(source.tree.body))
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Global):
            names.update(node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names.add(node.value)
    return frozenset(names)


def _bound(body: list[ast.stmt]) -> Iterator[str]:
    for statement in body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield statement.name
        elif isinstance(statement, ast.Import | ast.ImportFrom):
            for alias in statement.names:
                yield alias.asname or alias.name.partition(".")[0]
        else:
            for part in ast.iter_child_nodes(statement):
                if isinstance(part, ast.stmt):
                    yield from _bound([part])
                elif isinstance(part, ast.ExceptHandler | ast.match_case):
                    yield from _bound(part.body)
                else:
                    yield from (
                        node.id
                        for node in ast.walk(part)
                        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
                    )


def found_below(sources: Sources, module: str, name: str) -> Iterator[str]:
    """The modules below one that list or define a name, those of its own model first."""
    folder = _stem(sources, module)
    inside = f"{module}.models" if module == "transformers" else module
    folder = folder / "models" if module == "transformers" else folder
    own = re.escape(name)
    pattern = re.compile(rf"[\"']{own}[\"']|^(?:class|def) {own}\b".encode(), re.MULTILINE)
    compact = name.lower().replace("_", "")
    inner = sorted(entry.name for entry in os.scandir(folder) if entry.is_dir())
    near = [part for part in inner if compact.startswith(part.replace("_", ""))]
    far = [part for part in inner if part not in near]
    for part in (*near, "", *far):
        for path in sorted((folder / part).glob("*.py")):
            data = path.read_bytes()
            if own.encode() in data and pattern.search(data):
                yield ".".join([inside, *([part] if part else []), path.stem])
