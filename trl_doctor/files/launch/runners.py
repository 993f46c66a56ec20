"""Programs that run a command in an environment: `uv run`, `conda run`, `hf jobs uv run`."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from msgspec.structs import replace

from trl_doctor.files.launch.containers import go_to
from trl_doctor.files.launch.shell.variables import Shell, Word

RUNNERS = ("uv", "poetry", "pipenv", "conda", "mamba", "micromamba", "pixi", "pdm", "rye", "hatch")
VALUED = frozenset(
    {"-n", "--name", "-p", "--prefix", "--cwd", "--with", "--with-editable", "--with-requirements",
     "--extra", "--group", "--only-group", "--no-group", "--python", "--project", "--directory",
     "--env-file", "--index", "--index-url", "--package", "-e", "--env", "--flavor", "--timeout",
     "-s", "--secrets", "--secrets-file", "--image", "--namespace", "--token", "-v", "--volume",
     "-l", "--label", "--attempts"}
)  # fmt: skip
"""Options of `uv run`, `hf jobs uv run`, `conda run` and their like that take a value."""


FOLDERS = ("--directory", "--cwd", "-C")
"""Options of `uv`, `conda run` and `poetry` that name the folder of the command."""

TOOLS = frozenset(
    {"bitsandbytes", "build", "flask", "http", "ipykernel", "json", "jupyter", "lm_eval", "mypy",
     "nltk", "pip", "playwright", "pytest", "ruff", "sglang", "spacy", "streamlit", "tensorboard",
     "twine", "uv", "uvicorn", "vllm", "wandb", "xformers"}
)  # fmt: skip
"""Packages of modules that `python -m` starts, and that train nothing."""


def is_tool(module: str) -> bool:
    """Whether `python -m` starts a program with this name, and no training."""
    root, dot, _ = module.partition(".")
    return root in TOOLS or (not dot and root in sys.stdlib_module_names)


def run_by(words: Sequence[Word]) -> Sequence[Word]:
    """What follows `run` and its options: `uv run --with trl python train.py`."""
    names = [word.text for word in words]
    at = names.index("run") + 1 if "run" in names[:4] else len(words)
    while at < len(words) and names[at].startswith("-") and names[at] not in ("-m", "--module"):
        at += 2 if names[at] in VALUED else 1
    module = at < len(words) and names[at].startswith("-")
    return [replace(words[at], text="python"), *words[at:]] if module else words[at:]


def in_folder(shell: Shell, options: Sequence[Word]) -> Shell:
    """The shell of a command that is run with these options, which may name its folder."""
    for at, word in enumerate(options):
        name, equals, value = word.text.partition("=")
        if name in FOLDERS:
            shell = shell.inner()
            go_to(shell, value if equals else "".join(each.text for each in options[at + 1 :][:1]))
    return shell
