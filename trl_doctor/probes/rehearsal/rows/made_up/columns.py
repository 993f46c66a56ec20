"""Which columns a script uses, read from its source: for data sets that are not here."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from .well_known import well_known

BY_TRAINER = (
    ("GRPO|RLOO", ("prompt",)), ("OnlineDPO|NashMD|XPO", ("prompt",)), ("PPO", ("prompt",)),
    ("KTO", ("prompt", "completion", "label")),
    ("TPO", ("prompt", "chosen", "rejected", "reference")),
    ("DPO|ORPO|CPO|Reward", ("chosen", "rejected")),
    ("PRM", ("prompt", "completions", "labels")),
    ("SFT|GKD|GOLD", ("messages",)),
)  # fmt: skip
"""Trainers by a part of their names, and the columns that they read."""

SEES = re.compile(
    r"ImageTextToText|Vision2Seq|MultimodalLM|(?:VLM?|Llava|Gemma3|Idefics3)\w*ForConditionalGen"
)
"""What a script names whose model takes images."""

TEXTS = re.compile(r"""dataset_text_field\s*=\s*['"](\w+)['"]""")
NOT_COLUMNS = frozenset(
    ("role", "content", "input_ids", "attention_mask", "labels", "train", "test", "validation",
     "name", "type", "value", "from", "url", "completions", "completion_ids", "prompts", "kwargs",
     "trainer_state", "completions_ids", "log_extra", "log_metric", "args", "self", "image")
)  # fmt: skip


def columns(name: str, script: str, trainer: str = "") -> tuple[str, ...]:
    """The columns that a data set of this name has, as far as name and script show them.

    What the script reads comes first; the trainer's own columns only where it reads none.
    """
    try:
        source = Path(script).read_text("utf-8")
        tree = ast.parse(source)
    except (OSError, ValueError, SyntaxError, RecursionError):
        source, tree = "", ast.Module([], [])
    own_columns = [column for column in dict.fromkeys(_read(tree)) if column not in NOT_COLUMNS]
    usual = tuple(well_known(name))
    trainers = trainer or " ".join(re.findall(r"\b(\w+)Trainer\b", source))
    defaults = next((of for pattern, of in BY_TRAINER if re.search(pattern, trainers)), ("text",))
    if texts := TEXTS.findall(source):
        defaults = tuple(dict.fromkeys(texts))
    maps = re.search(r"\.map\(|\.rename_columns?\(|from_list|from_dict", source)
    shown: tuple[str, ...] = ()
    if SEES.search(source) and not {"image", "images"} & set(usual):
        shown = ("image",) if "image" in _read(tree) else ("images",)
    return tuple(
        dict.fromkeys(
            (*shown, *(usual or (() if own_columns and maps else defaults)), *own_columns)
        )
    )


def parsed(script: str) -> frozenset[str]:
    """The columns whose texts a script reads as JSON: `json.loads(row["tools"])`."""
    try:
        tree = ast.parse(Path(script).read_text("utf-8"))
    except (OSError, ValueError, SyntaxError, RecursionError):
        return frozenset()
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call) and node.args)
    return frozenset(
        name
        for call in calls
        if getattr(call.func, "attr", getattr(call.func, "id", "")) in ("loads", "literal_eval")
        and isinstance(call.args[0], ast.Subscript)
        for name in _texts(call.args[0].slice)
    )


def _read(tree: ast.AST) -> Iterator[str]:
    """Columns that the functions given to `map` and the like look up, and rewards ask for."""
    functions = {
        inner.name: inner for inner in ast.walk(tree) if isinstance(inner, ast.FunctionDef)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield from _called(node, node.func.attr, functions)
    for function in functions.values():
        names = [argument.arg for argument in (*function.args.args, *function.args.kwonlyargs)]
        if "completions" in names:
            yield from names


def _called(node: ast.Call, method: str, functions: dict[str, ast.FunctionDef]) -> Iterator[str]:
    if method in ("map", "filter") and node.args:
        for keyword in node.keywords:
            if keyword.arg == "remove_columns":
                yield from _texts(keyword.value)
        argument = node.args[0]
        if isinstance(argument, ast.Name) and argument.id in functions:
            yield from _looked_up(functions[argument.id], functions[argument.id].args)
        elif isinstance(argument, ast.Lambda):
            yield from _looked_up(argument, argument.args)
    elif method == "rename_column" and node.args:
        yield from _texts(node.args[0])
    elif method in ("remove_columns", "select_columns", "rename_columns"):
        for argument in (*node.args, *(keyword.value for keyword in node.keywords)):
            parts = argument.keys if isinstance(argument, ast.Dict) else [argument]
            for part in parts:
                yield from _texts(part)


def _looked_up(body: ast.AST, arguments: ast.arguments) -> Iterator[str]:
    names = {argument.arg for argument in arguments.args}
    for node in ast.walk(body):
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
            if node.value.id in names and isinstance(node.ctx, ast.Load):
                yield from _texts(node.slice)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            holder = node.func.value
            if node.func.attr == "get" and isinstance(holder, ast.Name) and holder.id in names:
                yield from _texts(node.args[0]) if node.args else ()


def _texts(node: ast.AST | None) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, (ast.List, ast.Tuple)):
        for element in node.elts:
            yield from _texts(element)
