"""Whether the script's code that freezes weights of its model has frozen any."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

from ...named_objects import nodes_of, parsed, resolved
from ..where import At, is_own, own_files

SEEING = ("vis", "image", "audio", "tower", "projector", "merger", "encoder")
"""Parts of the names of modules that only models for images or sounds have."""

WEIGHTS = ("named_parameters", "parameters")


def in_vain(arguments: dict[str, Any]) -> tuple[str, At | None]:
    """The module that the script freezes in vain, "" for a loop over weights; and the line."""
    model: Any = arguments.get("model")
    if arguments.get("peft_config") is not None or not hasattr(model, "named_parameters"):
        return "", None
    if part := _part(model):
        return part, _assignment()
    return "", _loop(model)


def _loop(model: Any) -> At | None:
    """The line that freezes weights of the trainer's model, if all of them are to be trained."""
    if not all(weights.requires_grad for weights in model.parameters()):
        return None
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if is_own(frame.f_code.co_filename):
            for line in _freezing(frame, model):
                return frame.f_code.co_filename, line
        frame = frame.f_back
    return None


def _part(model: Any) -> str:
    """A part of the model whose own `requires_grad` is False while its weights are trained.

    PyTorch reads the attribute of weights only: on a module it is a new attribute that nobody
    reads.
    """
    for name, module in model.named_modules():
        weights = list(module.parameters())
        marked = vars(module).get("requires_grad") is False
        if marked and weights and all(weight.requires_grad for weight in weights):
            return name or type(module).__name__
    return ""


def _assignment() -> At | None:
    """The first line of the user's files that sets an attribute `requires_grad` to False."""
    for file in own_files():
        for node in nodes_of(file):
            if isinstance(node, ast.Assign) and _sets(node, False):
                return file, node.lineno
    return None


def _freezing(frame: FrameType, model: Any) -> Iterator[int]:
    """The lines of a frame's own loops over a model that freeze some of its weights.

    Only loops that certainly ran count, and none if the script thaws weights somewhere.
    """
    tree = parsed(frame.f_code.co_filename)
    if tree is None or any(_sets(node, True) for node in ast.walk(tree)):
        return
    for statement in _body(tree, frame.f_code.co_name):
        if not isinstance(statement, ast.For) or _counts(statement, frame) or _sees(statement):
            continue
        if statement.lineno < frame.f_lineno and _root(statement.iter, frame) is model:
            for node in ast.walk(statement):
                if isinstance(node, (ast.Assign, ast.Call)) and _sets(node, False):
                    yield node.lineno


def _counts(loop: ast.For, frame: FrameType) -> bool:
    """Whether it may ask for the number of a layer: the small model has only a few of them."""
    for node in ast.walk(loop):
        if isinstance(node, ast.JoinedStr):
            return True
        value = resolved(node, frame) if isinstance(node, (ast.Constant, ast.Name)) else None
        parts = value if isinstance(value, (list, tuple, set, frozenset)) else [value]
        if any(isinstance(part, int) and not isinstance(part, bool) for part in parts):
            return True
        texts = [part for part in parts if isinstance(part, str)]
        if isinstance(node, ast.Name) and node.id in _names(loop.target):
            continue
        if any(any(map(str.isdigit, text)) for text in texts):
            return True
    return False


def _sees(loop: ast.For) -> bool:
    """Whether it looks for parts for images or sounds alone: other models need not have them."""
    texts = [node.value for node in ast.walk(loop) if isinstance(node, ast.Constant)]
    names = [text for text in texts if isinstance(text, str)]
    return bool(names) and all(any(part in name for part in SEEING) for name in names)


def _names(target: ast.expr) -> set[str]:
    return {node.id for node in ast.walk(target) if isinstance(node, ast.Name)}


def _body(tree: ast.Module, name: str) -> list[ast.stmt]:
    """The statements of a module, or of its function of this name."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return node.body
    return tree.body if name == "<module>" else []


def _root(node: ast.expr, frame: FrameType) -> Any:
    """The object whose weights, or a part's weights, are gone through; None for all else."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return None
    root: ast.expr = node.func
    if node.func.attr not in WEIGHTS:
        return None
    while isinstance(root, (ast.Attribute, ast.Subscript)):
        root = root.value
    return resolved(root, frame)


def _sets(node: ast.AST, value: bool) -> bool:
    """Whether it sets `requires_grad` to this value, or to one that is not known."""
    if isinstance(node, ast.Assign):
        target = node.targets[0]
        if isinstance(target, ast.Attribute) and target.attr == "requires_grad":
            return not isinstance(node.value, ast.Constant) or node.value.value is value
    called = node.func if isinstance(node, ast.Call) else None
    if isinstance(node, ast.Call) and getattr(called, "attr", "") == "requires_grad_":
        argument = node.args[0] if node.args else ast.Constant(True)
        return not isinstance(argument, ast.Constant) or argument.value is value
    return False
