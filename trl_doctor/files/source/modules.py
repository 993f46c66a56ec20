"""What a script imports: names of libraries, and modules that are beside it."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from trl_doctor.files.formats.text import Invalid, decoded
from trl_doctor.files.regular import bytes_of
from trl_doctor.files.source.objects import Instance, Scope
from trl_doctor.files.source.state import State
from trl_doctor.files.source.text import LARGEST, Piece
from trl_doctor.files.source.values import NamedValue, Outside, Unknown, Value

LIBRARIES = frozenset(
    {"trl", "transformers", "torch", "datasets", "peft", "accelerate", "vllm", "unsloth", "numpy"}
)
"""What is never taken for a module beside the script, also where the script is in it."""

INSTALLED = frozenset(
    {"bitsandbytes", "deepspeed", "evaluate", "huggingface_hub", "hydra", "mlflow", "modelscope",
     "nltk", "omegaconf", "openai", "pandas", "requests", "safetensors", "scipy", "sklearn",
     "swanlab", "tokenizers", "tqdm", "unsloth_zoo", "verl", "wandb", "yaml"}
)  # fmt: skip
"""Packages that are installed, also if a folder above the script has a module of that name."""

PROJECT = (".git", "pyproject.toml", "setup.py", "setup.cfg", "requirements.txt")
"""One of these is in the folder of a project."""

MAKES_NAMES = re.compile(r"import \*|__getattr__|\b(?:globals|exec|setattr|vars)\(|sys\.modules")
"""What a module does to have names that are not written in it."""

DEEPEST = 5
"""Folders above a module in which its project is looked for."""

MOST = 30
"""Modules beside a script that are read."""


def plain_import(state: State, node: ast.Import, scope: Scope) -> bool:
    """`import a.b as c`."""
    for alias in node.names:
        state.roots.add(alias.name.partition(".")[0])
        beside = _beside(state, alias.name, 0)
        if beside is None and "." in alias.name:
            state.uses(alias.name, alias)
        if beside is not None:
            _read(state, beside)  # its names are reached by attributes, which stay unknown
        name = alias.asname or alias.name.partition(".")[0]
        value = alias.name if alias.asname else alias.name.partition(".")[0]
        scope.names[name] = (
            Outside(value, state.span(alias)) if beside is None else _module(state, beside, node)
        )
    return False


def from_import(state: State, node: ast.ImportFrom, scope: Scope) -> bool:
    """`from a import b as c`."""
    state.roots.add((node.module or "").partition(".")[0])
    beside = _beside(state, node.module or "", node.level)
    inner = _read(state, beside) if beside is not None else None
    for alias in node.names:
        name, full = alias.asname or alias.name, f"{node.module or ''}.{alias.name}"
        if alias.name == "*":
            if inner is not None:
                scope.names.update(inner.names)
            elif node.module:
                scope.open = scope.open or Unknown(f"`from {node.module} import *` may define it")
            continue
        own = inner.names.get(alias.name) if inner is not None else None
        if own is None and (module := _submodule(state, node, alias.name)) is not None:
            scope.names[name] = module
        elif inner is not None:
            if beside is not None and _surely_lacks(state, node, beside, alias.name):
                state.lacking.append((alias.name, beside, state.span(alias)))
            scope.names[name] = own or Unknown(
                f"{beside.name if beside else ''} does not define {alias.name} plainly"
            )
        else:
            if not node.level and not state.trying:
                state.imports.append((full, state.span(alias), tuple(state.guards)))
            scope.names[name] = Outside(full, state.span(alias))
    return False


def _surely_lacks(state: State, node: ast.ImportFrom, module: Path, name: str) -> bool:
    """Whether a module of the project has no such name, whatever it does when it is imported.

    It does not have the word, and makes no names in another way. Where the importing file changes
    `sys.path`, or the import may fail, nothing is sure.
    """
    importing = state.pieces[state.source]
    if state.guards or state.trying or module in state.written or "sys.path" in importing.text:
        return False
    folder = module.parent if module.stem == "__init__" else module.with_suffix("")
    here, parts = importing.path.parent, (node.module or "").split(".")
    root = folder.parents[len(parts) - 1]
    if not node.level and root not in (here, state.folder, *_above(here, parts[0])):
        return False  # Python may look elsewhere
    if (folder / name).exists() or (folder / f"{name}.py").exists():
        return False
    with suppress(Invalid, OSError):
        text = decoded(bytes_of(module))
        return not re.search(rf"\b{name}\b", text) and not MAKES_NAMES.search(text)
    return False


def _submodule(state: State, node: ast.ImportFrom, name: str) -> Value | None:
    """`from package import module`, where the module is a file of the project; None otherwise."""
    path = _beside(state, f"{node.module}.{name}" if node.module else name, node.level)
    return _module(state, path, node) if path is not None and _read(state, path) else None


def by_name(state: State, name: str, node: ast.AST) -> Value | None:
    """The module that `importlib.import_module(name)` gives; None if it is not known."""
    path = _beside(state, name, 0)
    if path is not None:
        return _module(state, path, node) if _read(state, path) else None
    return Outside(name, state.span(node)) if name.partition(".")[0] in LIBRARIES else None


def defined(state: State, name: str, node: ast.AST) -> Value | None:
    """What the project defines under a dotted name, `package.module.Class`; None if nothing."""
    module, _, inner = name.rpartition(".")
    found = by_name(state, module, node) if module else None
    entry = found.attributes.get(inner) if isinstance(found, Instance) else None
    return entry.value if entry else None


def _beside(state: State, name: str, level: int) -> Path | None:
    """The file of a module that is beside the script that imports it."""
    here = state.pieces[state.source].path.parent
    for _ in range(level - 1):
        here = here.parent
    if not name or not all(part.isidentifier() for part in name.split(".")):
        return None
    parts = name.split(".")
    if parts[0] in LIBRARIES and not level:
        return None
    for root in (here, *([] if level else _roots(state, here, parts[0]))):
        stem = root.joinpath(*parts)
        if stem.with_suffix(".py") in state.written:
            return stem.with_suffix(".py")
        with suppress(OSError):
            for path in (stem.with_suffix(".py"), stem / "__init__.py"):
                if path.is_file() and path.stat().st_size <= LARGEST:
                    return path
    return None


def _above(here: Path, package: str) -> list[Path]:
    """The folders above a file that hold the package which it is in."""
    return [above.parent for above in (here, *here.parents) if above.name == package]


def _roots(state: State, here: Path, package: str) -> Iterator[Path]:
    """Other folders in which Python may find a package of the project.

    The folder of the script, those above that have the package's name, the working folder
    (`python -m`), and the project's folder with its `src` (`PYTHONPATH`, `sys.path.insert`).
    """
    yield state.folder
    yield from _above(here, package)
    if package in sys.stdlib_module_names or package in INSTALLED:
        return
    project = _project(here)
    for root in (Path.cwd(), *project):
        yield root
        yield root / "src"


def _project(here: Path) -> list[Path]:
    """The folders from a module's up to that of its project; none if no file marks a project."""
    above: list[Path] = []
    for folder in here.parents[:DEEPEST]:
        above.append(folder)
        if any((folder / mark).exists() for mark in PROJECT):
            return above
    return []


def _read(state: State, path: Path) -> Scope | None:
    """The scope of a module beside the script; None if it cannot be read."""
    if path in state.modules:
        return state.modules[path]
    if len(state.modules) >= MOST:
        return None
    scope = state.modules[path] = Scope()
    source, main, guards = state.source, state.main, state.guards
    try:
        for piece in state.written.get(path) or [Piece(path, decoded(bytes_of(path)))]:
            tree = piece.parsed()
            state.pieces.append(piece)
            state.source, state.main, state.guards = len(state.pieces) - 1, False, []
            state.block(tree.body, scope)
    except (Invalid, OSError):
        scope.open = Unknown(f"{path.name} cannot be read")
    finally:
        state.source, state.main, state.guards = source, main, guards
    return scope


def _module(state: State, path: Path, node: ast.AST) -> Value:
    scope = state.modules.get(path) or Scope()
    entries = {name: NamedValue(value) for name, value in scope.names.items()}
    return Instance(None, entries, span=state.span(node))
