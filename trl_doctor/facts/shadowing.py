"""Files beside the run that Python would import instead of a library that the job needs."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from trl_doctor.facts import Facts
from trl_doctor.files.regular import text_of

LIBRARIES = (
    "accelerate", "bitsandbytes", "datasets", "deepspeed", "dill", "filelock", "flash_attn",
    "fsspec", "httpx", "huggingface_hub", "jinja2", "liger_kernel", "math_verify", "numpy",
    "packaging", "pandas", "peft", "psutil", "pyarrow", "regex", "requests", "rich", "safetensors",
    "sympy", "tokenizers", "torch", "tqdm", "transformers", "triton", "trl", "vllm", "wandb",
    "xxhash", "yaml",
)  # fmt: skip
"""Modules that a job with TRL imports, or can import."""

PYTHONS_OWN = (
    "argparse", "ast", "asyncio", "base64", "bisect", "calendar", "collections", "colorsys",
    "concurrent", "configparser", "contextlib", "copy", "csv", "ctypes", "dataclasses", "datetime",
    "decimal", "difflib", "dis", "email", "enum", "filecmp", "fnmatch", "fractions", "functools",
    "getpass", "gettext", "glob", "gzip", "hashlib", "heapq", "hmac", "html", "http", "importlib",
    "inspect", "ipaddress", "json", "keyword", "linecache", "locale", "logging", "lzma",
    "mimetypes", "multiprocessing", "numbers", "opcode", "operator", "pathlib", "pickle", "pkgutil",
    "platform", "pprint", "profile", "pstats", "pydoc", "queue", "quopri", "random", "re",
    "reprlib", "runpy", "secrets", "selectors", "shlex", "shutil", "signal", "socket", "ssl",
    "statistics", "string", "struct", "subprocess", "sysconfig", "tarfile", "tempfile", "textwrap",
    "threading", "timeit", "token", "tokenize", "traceback", "tty", "types", "typing", "unittest",
    "urllib", "uuid", "warnings", "weakref", "xml", "zipfile", "zoneinfo",
)  # fmt: skip
"""Modules of Python that are imported by trl 1.16.0 with transformers 5.23.0."""


RELATIVE = re.compile(r"^from \.", re.MULTILINE)
"""An import that fails in a file which is started by its path."""

STARTS = re.compile(r"^(?:if __name__|[\w.]+\()", re.MULTILINE)
"""What a script does when it is started: a call, or what is below `if __name__ == "__main__"`."""


class Shadow(Struct, frozen=True):
    """A file, and the module of a library or of Python that it replaces."""

    file: Path
    module: str
    is_pythons: bool


def shadows(facts: Facts) -> list[Shadow]:
    """All such files in the working folder and in that of the run file, sorted by name.

    A folder without `__init__.py` replaces no library. A checkout of the library itself does not
    count, nor does the folder of a module that only its package imports.
    """
    import_paths = {os.path.realpath(path) for path in facts.environment.paths}
    folders = dict.fromkeys(Path(os.path.realpath(root)) for root in facts.run.roots)
    target = facts.run.target
    if target.kind == "script":
        own, module = Path(os.path.realpath(target.path.parent)), _is_module(target.path)
        if target.launch is None:
            folders = {_above(own) if module else own: None}
        elif module:
            folders.pop(own, None)
    shadows = [
        shadow
        for folder in folders
        if str(folder) not in import_paths
        for shadow in _in(folder, facts)
    ]
    return sorted(shadows, key=lambda shadow: (shadow.is_pythons, shadow.module, shadow.file))


def _above(folder: Path) -> Path:
    """The folder in which `python -m` is started for a file of a package: that which holds it."""
    folder = folder.parent
    while (folder / "__init__.py").is_file():
        folder = folder.parent
    return folder


def _is_module(path: Path) -> bool:
    """Whether a file of a package cannot be started by its path, or does nothing if it is.

    A file that imports its own package by name is started with `python -m`.
    """
    try:
        text = text_of(path, "replace") if path.suffix == ".py" else ""
    except OSError:
        return False
    package = re.escape(path.absolute().parent.name)
    if re.search(rf"^\s*(?:from|import) {package}\.\w", text, re.MULTILINE):
        return True
    if not text or not (path.parent / "__init__.py").is_file():
        return False
    return bool(RELATIVE.search(text)) or not STARTS.search(text)


def _in(folder: Path, facts: Facts) -> Iterator[Shadow]:
    try:
        names = frozenset(os.listdir(folder))  # noqa: PTH208
    except OSError:
        return
    for module in (*LIBRARIES, *PYTHONS_OWN):
        if module not in names and f"{module}.py" not in names:
            continue
        for file in (folder / module / "__init__.py", folder / f"{module}.py"):
            if os.path.isfile(file):  # noqa: PTH113
                installed = facts.environment.source(module)
                same = installed and os.path.realpath(installed) == os.path.realpath(file.parent)
                if not same and module not in _project(folder):
                    yield Shadow(file, module, module in PYTHONS_OWN)
                break


def _project(folder: Path) -> tuple[str, ...]:
    """What the project in a folder calls itself, as a module."""
    import tomllib

    try:
        project = tomllib.loads(text_of(folder / "pyproject.toml")).get("project", {})
    except (OSError, ValueError):
        return ()
    name = project.get("name") if isinstance(project, dict) else None
    return (name.replace("-", "_"),) if isinstance(name, str) else ()
