"""What a script makes for its training, and never names again."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from msgspec import Struct

from trl_doctor.files.source.reading import Reading
from trl_doctor.files.source.unread import names_read
from trl_doctor.files.source.values import Span

PREPARES = re.compile(
    r"format|preproc|prepare|tokeni[sz]e|reward|collat|metric|mask|convert|to_messages|to_chat",
    re.IGNORECASE,
)
"""Parts of the names of functions that prepare rows, or score or measure what is trained."""

CLASSES = re.compile(r"(?:Trainer|Callback|Collator\w*)$")
"""How the names of classes end that a class of the script extends to change its training."""

CALLS = re.compile(
    r"^(?:DataCollator\w*|\w+Callback|BitsAndBytesConfig|GenerationConfig|get_\w*schedule\w*"
    r"|map|filter|shuffle|train_test_split|rename_columns?|remove_columns"
    r"|concatenate_datasets|interleave_datasets|load_dataset|load_from_disk"
    r"|get_peft_model|prepare_model_for_kbit_training|create_reference_model)$"
)
"""Calls whose results change what is trained."""

MODELS = re.compile(r"^AutoModel\w*$|^\w*PeftModel\w*$|For(?:CausalLM|SequenceClassification)\w*$")
"""The classes whose `from_pretrained` loads a model to train, or to compare or score with."""


class Idle(Struct, frozen=True):
    """`name` is never read again; `what` made it: "function", "class", or the name of a call."""

    name: str
    what: str
    span: Span


def idle(reading: Reading) -> Iterator[Idle]:
    """Nothing if names may be read that the script does not write."""
    names = names_read(reading)
    if names is None:
        return
    for number, tree in enumerate(reading.trees):
        for node in ast.walk(tree):
            name, what = _made(node, tree)
            if name and not name.startswith("_") and name not in names:
                yield Idle(name, what, _span(number, node))


def _made(node: ast.AST, tree: ast.Module) -> tuple[str, str]:
    """What a statement makes for the training, and how; two empty texts for nothing."""
    if isinstance(node, ast.FunctionDef) and node in tree.body and not node.decorator_list:
        return (node.name, "function") if PREPARES.search(node.name) else ("", "")
    if isinstance(node, ast.ClassDef) and node in tree.body and not node.decorator_list:
        extends = any(CLASSES.search(_named(base)) for base in node.bases)
        return (node.name, "class") if extends else ("", "")
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target, call = node.targets[0], node.value
        if isinstance(target, ast.Name) and isinstance(call, ast.Call):
            called = _named(call.func)
            owner = _named(call.func.value) if isinstance(call.func, ast.Attribute) else ""
            loads = called == "from_pretrained" and MODELS.search(owner)
            return (target.id, called) if CALLS.match(called) or loads else ("", "")
    return "", ""


def _named(node: ast.AST) -> str:
    return str(getattr(node, "attr", getattr(node, "id", "")))


def _span(number: int, node: ast.AST) -> Span:
    line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
    return Span(number, line, column, line, column)
