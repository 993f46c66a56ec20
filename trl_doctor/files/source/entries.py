"""Functions and classes of a script that a library starts or fills by the command line."""

from __future__ import annotations

import ast

from trl_doctor.files.source import functions
from trl_doctor.files.source.command_line import filling
from trl_doctor.files.source.objects import Arguments, Class, Function
from trl_doctor.files.source.state import State
from trl_doctor.files.source.values import Value

ENTRIES = (
    "fire.Fire",
    "typer.run",
    "tyro.cli",
    "hydra.main",
    "asyncio.run",
    "app.run",
    "absl.app.run",
    "jsonargparse.CLI",
    "jsonargparse.auto_cli",
    "chz.nested_entrypoint",
)
"""What calls the function that it is given, with arguments of the command line."""

OF_CLASS = (
    "tyro.cli",
    "simple_parsing.parse",
    "pyrallis.parse",
    "draccus.parse",
    "jsonargparse.CLI",
    "jsonargparse.auto_cli",
    "chz.entrypoint",
)
"""What makes an object of the class that it is given, by the command line."""


def call(state: State, name: str, handed: Arguments, node: ast.Call) -> Value | None:
    """What a library returns that starts a function or fills a class; None for other calls."""
    first = handed.values[0] if handed.values else None
    if name.endswith(ENTRIES) and isinstance(first, Function):
        return functions.enter(state, first, node, words=name.startswith("chz."))
    if name.endswith(OF_CLASS) and (cls := _class_of(handed)) is not None:
        return filling.of_class(state, cls, node, words=name.startswith("chz."))
    if started := _started(name, handed):
        function, arguments = started
        if name.endswith("multiprocessing.spawn"):
            arguments.values.insert(0, state.unknown(node, "each process has its own rank"))
        functions.function(state, function, arguments, node)
    return None


def _class_of(handed: Arguments) -> Class | None:
    """The class of the script that a command line fills; None if it is something else."""
    config_class = handed.keywords.get("config_class")
    first = handed.values[0] if handed.values else config_class.value if config_class else None
    return first if isinstance(first, Class) else None


def _started(name: str, handed: Arguments) -> tuple[Function, Arguments] | None:
    """The function that a launcher calls in its processes, and the arguments that it gives it."""
    short = name.rpartition(".")[2]
    if name.startswith("ray.") and short.endswith("Trainer"):
        parameters, whole = ("train_loop_per_worker", "train_loop_config"), True
    elif short in ("notebook_launcher", "debug_launcher"):
        parameters, whole = ("function", "args"), False
    elif name.endswith("multiprocessing.spawn"):
        parameters, whole = ("fn", "args"), False
    elif name.endswith("multiprocessing.Process"):
        parameters, whole = ("target", "args"), False
    elif name == "wandb.agent":
        parameters, whole = ("sweep_id", "function"), False
    else:
        return None
    values = dict(zip(parameters, handed.values, strict=False))
    values |= {key: handed.keywords[key].value for key in parameters if key in handed.keywords}
    function, arguments = (values.get(parameter) for parameter in parameters)
    if name == "wandb.agent":
        function, arguments = arguments, None
    if not isinstance(function, Function):
        return None
    if arguments is None:
        return function, Arguments([], {})
    return function, Arguments([arguments] if whole else [*getattr(arguments, "items", [])], {})
