"""TRL's own script of the installed release: what its parser makes of a run file."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import inspect
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

from .arguments import typed_arguments

OURS = ("trainer", "dataset_format", "tokenizer_name_or_path")
"""Keys of a run file that only the doctor reads; they are not passed to TRL."""

NEEDED = {"dataset_name": "data"}
"""What some releases' parsers insist on, also where a script of the user's own names the data."""

PRETENDED = {"is_torch_bf16_gpu_available": "bf16", "is_torch_tf32_available": "tf32"}
"""What transformers asks a GPU, and the argument for which it does."""


class ParserExits(Exception):
    """The parser ended the program; the message is what it printed last."""


def script_of(name: str) -> Any:
    """The module of a trainer's script, which is imported and not run; None if there is none."""
    spec = importlib.util.find_spec("trl.scripts")
    home = Path(spec.origin).parent if spec and spec.origin else None
    if home is None or not (home / f"{name}.py").is_file():
        return None
    module = importlib.import_module(f"trl.scripts.{name}")
    return module if hasattr(module, "make_parser") and hasattr(module, "main") else None


def parsed(script: Any, run: dict[str, Any]) -> tuple[Any, ...]:
    """The dataclasses that the script's `main` takes, made of a run file with these arguments.

    Raises what the parser or a dataclass raises, and `ParserExits`.
    """
    import yaml

    arguments = {**NEEDED, **{name: value for name, value in run.items() if name not in OURS}}
    file = Path("run.yaml")
    file.write_text(yaml.safe_dump(arguments), "utf-8")
    parser = script.make_parser()
    takes = inspect.signature(parser.parse_args_and_config).parameters
    lenient = {"fail_with_unknown_args": False} if "fail_with_unknown_args" in takes else {}
    with _exits_told():
        return tuple(parser.parse_args_and_config(["--config", str(file)], **lenient))


@contextlib.contextmanager
def _exits_told() -> Iterator[None]:
    """While this lasts a parser that ends the program raises `ParserExits`."""
    printed = io.StringIO()
    try:
        with contextlib.redirect_stderr(printed):
            yield
    except SystemExit:
        lines = printed.getvalue().strip().splitlines()
        last = lines[-1].partition("error: ")[2] or lines[-1] if lines else "it ends the program"
        raise ParserExits(last) from None


def launched(name: str, run: dict[str, Any]) -> None:
    """Give accelerate's parser what TRL's command passes on of a run file; raises `ParserExits`."""
    from accelerate.commands.launch import launch_command_parser

    script = script_of(name)
    if script is None or not _passes_unknown_keys(name):
        return
    own = {action.dest for action in script.make_parser()._actions}
    parser = launch_command_parser()
    values = {f"--{key}": str(value) for key, value in run.items() if key not in own}
    options = parser._option_string_actions
    words = [
        (key, value) for key, value in values.items() if key in options and options[key].nargs != 0
    ]
    with _exits_told():
        parser.parse_args([*(part for pair in words for part in pair), "train.py"])


def _passes_unknown_keys(name: str) -> bool:
    """Whether the command of a trainer hands keys that it does not know to `accelerate launch`."""
    spec = importlib.util.find_spec("trl.cli")
    if spec is None or not spec.origin:
        return False
    home = Path(spec.origin)
    if home.with_name("accelerate_launcher.py").is_file():
        return True
    return f"launch_args + [str({name}_training_script)]" in home.read_text("utf-8")


def configured(trainer_names: dict[str, Any], run: dict[str, Any]) -> Any:
    """The run's arguments as the trainer's config class, by TRL's own parser where it has one."""
    config = getattr(importlib.import_module(trainer_names["module"]), trainer_names["config"])
    script = script_of(trainer_names["name"])
    if script is not None:
        return next(values for values in parsed(script, run) if isinstance(values, config))
    _, arguments = typed_arguments(config, run)
    return config(**arguments)


@contextlib.contextmanager
def gpu_pretended(device: str) -> Iterator[None]:
    """While this lasts transformers believes in a GPU with bf16 and tf32, if there is none."""
    module = importlib.import_module("transformers.training_args")
    with contextlib.ExitStack() as stack:
        for name in PRETENDED if device == "cpu" else ():
            if hasattr(module, name):
                stack.enter_context(mock.patch.object(module, name, lambda: True))
        yield
