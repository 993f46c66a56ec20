"""Files beside the run that Python would import in place of a library that the job needs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from trl_doctor.facts import Facts

LIBRARIES = (
    "accelerate", "bitsandbytes", "datasets", "deepspeed", "dill", "filelock", "flash_attn",
    "fsspec", "httpx", "huggingface_hub", "jinja2", "liger_kernel", "math_verify", "numpy",
    "packaging", "pandas", "peft", "psutil", "pyarrow", "regex", "requests", "rich", "safetensors",
    "sympy", "tokenizers", "torch", "tqdm", "transformers", "triton", "trl", "vllm", "wandb",
    "xxhash", "yaml",
)  # fmt: skip
"""What a job with TRL imports, or may."""

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
"""Modules of Python's that importing trl 1.16.0 with transformers 5.23.0 imports."""


@dataclass(frozen=True)
class Shadow:
    """A file, and the library's or Python's module that it would be imported for."""

    file: Path
    module: str
    is_pythons: bool


def shadows(facts: Facts) -> list[Shadow]:
    """All such files in the working folder and in that of the run file, by name.

    A folder without `__init__.py` takes no library's place. Nor does a checkout from which the
    library is installed.
    """
    known = {os.path.realpath(path) for path in facts.environment.paths}
    folders = dict.fromkeys(Path(os.path.realpath(root)) for root in facts.run.roots)
    found = [
        shadow for folder in folders if str(folder) not in known for shadow in _in(folder, facts)
    ]
    return sorted(found, key=lambda one: (one.is_pythons, one.module, one.file))


def _in(folder: Path, facts: Facts) -> Iterator[Shadow]:
    try:
        there = frozenset(os.listdir(folder))  # noqa: PTH208
    except OSError:
        return
    for module in (*LIBRARIES, *PYTHONS_OWN):
        if module not in there and f"{module}.py" not in there:
            continue
        for file in (folder / module / "__init__.py", folder / f"{module}.py"):
            if os.path.isfile(file):  # noqa: PTH113
                own = facts.environment.source(module)
                if own is None or os.path.realpath(own) != os.path.realpath(file.parent):
                    yield Shadow(file, module, module in PYTHONS_OWN)
                break
