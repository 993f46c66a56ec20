"""What a script makes for its training, and never names again."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec import Struct

from trl_doctor.files.source.names import last_name, root_name
from trl_doctor.files.source.reading import Reading
from trl_doctor.files.source.unread import names_read
from trl_doctor.files.source.values import Span

PREPARES = re.compile(
    r"format|preproc|prepare|tokeni[sz]e|reward|collat|metric|mask|convert|to_messages|to_chat",
    re.IGNORECASE,
)
"""Parts of the names of functions that prepare rows, or score or measure what is trained."""

CHANGES = frozenset(
    ["add_tokens", "add_special_tokens", "resize_token_embeddings", "get_peft_model",
     "prepare_model_for_kbit_training"]
)  # fmt: skip
"""What a function calls that changes a tokenizer or a model, whatever its own name says."""

TEXTS = re.compile(r"(?:^|_)(?:system|instructions?|template)(?:_|$)|(?:^|_)prompt$", re.IGNORECASE)
"""Names of texts that are put around the rows; of `LONG` characters at least."""
LONG = 24

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


ROWS = re.compile(r"^(?:map|filter|shuffle|rename_columns?|remove_columns|select_columns)$")
"""Methods that return rows for the training."""

RESULT = re.compile(
    r"filter|clean|final|process|format|train|mapped|subset|prepared", re.IGNORECASE
)
"""Parts of the names of rows that a training is meant to get."""

COUNTED = re.compile(
    r"long|short|bad|wrong|empty|dup|outlier|missing|too|remove|drop|reject|invalid|stat|sample"
    r"|preview|example|small|test|eval|val|head|check|debug|rest|other|un|token|length",
    re.IGNORECASE,
)
"""Parts of the names of rows that somebody only wants to count or to see."""

ROUNDS = 4
"""Assignments through which rows are followed to their source."""

LOOKS = ("print", "len", "display", "pprint", "info")
"""Calls that only show what they get."""


class Idle(Struct, frozen=True):
    """`name` is never read again; `what` is "function", "class", "text", or the call that made it.

    `shown` says that the script only prints it, or its length.
    """

    name: str
    what: str
    span: Span
    shown: bool = False


def idle(reading: Reading) -> Iterator[Idle]:
    """Nothing if names may be read that the script does not write."""
    names = names_read(reading)
    if names is None:
        return
    shown = list(_only_shown(reading.trees))
    registers = any(
        isinstance(node, ast.FunctionDef) and node.name == "__init_subclass__"
        for tree in reading.trees
        for node in ast.walk(tree)
    )
    for number, tree in enumerate(reading.trees):
        for node in ast.walk(tree):
            name, what = _made(node, tree)
            if what == "class" and (registers or "__subclasses__" in names):
                continue
            if what == "text" and _has_variant(name, names):
                continue
            if name and not name.startswith(("_", "test_")) and name not in names:
                yield Idle(name, what, _span(number, node))
        yield from (part for part in shown if part.span.source == number)


def _has_variant(name: str, names: Collection[str]) -> bool:
    """Whether a text is one of several of which another is used: SYSTEM_PROMPT_SHORT."""
    return any(
        other.isupper() and TEXTS.search(other) and (name in other or _first(name) in other)
        for other in names
    )


def _first(name: str) -> str:
    """A name without its last word."""
    return name.rpartition("_")[0] or name


def _only_shown(trees: Sequence[ast.Module]) -> Iterator[Idle]:
    """Rows that are made of those that the trainer gets, and only printed."""
    made = [
        (number, node, names)
        for number, tree in enumerate(trees)
        for node in ast.walk(tree)
        if (names := _rows_of_others(node))[0]
    ]
    if not made:
        return
    nodes = [node for tree in trees for node in ast.walk(tree)]
    shown = {id(inner) for node in nodes if _only_looks(node) for inner in ast.walk(node)}
    reads: dict[str, list[ast.Name]] = {}
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            reads.setdefault(node.id, []).append(node)
    trained = _trained(nodes)
    parts = Counter(base for _, _, (name, base, _) in made if _all_shown(name, reads, shown))
    for number, node, (name, base, method) in made:
        meant = (base in name or RESULT.search(name)) and not COUNTED.search(name)
        alone = parts[base] == 1  # several parts are counted
        if base in trained and meant and alone and _all_shown(name, reads, shown):
            yield Idle(name, method, _span(number, node), shown=True)


def _all_shown(name: str, reads: Mapping[str, Sequence[ast.Name]], shown: Collection[int]) -> bool:
    """Whether a name is read, and only to show it."""
    return all(id(read) in shown for read in reads.get(name, [])) and name in reads


def _only_looks(node: ast.AST) -> bool:
    """Whether it prints something, or is the value that a cell ends with."""
    if isinstance(node, ast.Call):
        return last_name(node.func) in LOOKS
    return isinstance(node, ast.Expr) and not isinstance(node.value, ast.Call)


def _trained(nodes: list[ast.AST]) -> set[str]:
    """The names of the rows that trainers get, and of those that these are made of."""
    words = [node for node in nodes if isinstance(node, ast.keyword)]
    names = {root_name(word.value) for word in words if word.arg == "train_dataset"}
    for _ in range(ROUNDS):
        names |= {
            root_name(node.value)
            for node in nodes
            if isinstance(node, ast.Assign)
            and any(isinstance(to, ast.Name) and to.id in names for to in node.targets)
        }
    return names - {""}


def _rows_of_others(node: ast.AST) -> tuple[str, str, str]:
    """The name, the rows and the method of `name = rows.method(…)`; empty for anything else."""
    call = node.value if isinstance(node, ast.Assign) else None
    target = node.targets[0] if isinstance(node, ast.Assign) else None
    method = call.func if isinstance(call, ast.Call) else None
    if isinstance(method, ast.Attribute) and isinstance(target, ast.Name):
        base = method.value
        if isinstance(base, ast.Name) and target.id != base.id and ROWS.match(method.attr):
            return target.id, base.id, method.attr
    return "", "", ""


def _made(node: ast.AST, tree: ast.Module) -> tuple[str, str]:
    """What a statement makes for the training, and how; two empty texts for nothing."""
    if isinstance(node, ast.FunctionDef) and node in tree.body and not node.decorator_list:
        meant = PREPARES.search(node.name) or _changes(node)
        return (node.name, "function") if meant else ("", "")
    if isinstance(node, ast.ClassDef) and node in tree.body and not node.decorator_list:
        extends = any(CLASSES.search(last_name(base)) for base in node.bases)
        return (node.name, "class") if extends else ("", "")
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target, call = node.targets[0], node.value
        text = call.value if isinstance(call, ast.Constant) and node in tree.body else None
        if isinstance(target, ast.Name) and isinstance(text, str) and len(text) >= LONG:
            return (target.id, "text") if TEXTS.search(target.id) else ("", "")
        if isinstance(target, ast.Name) and isinstance(call, ast.Call):
            called = last_name(call.func)
            owner = last_name(call.func.value) if isinstance(call.func, ast.Attribute) else ""
            loads = called == "from_pretrained" and MODELS.search(owner)
            return (target.id, called) if CALLS.match(called) or loads else ("", "")
    return "", ""


def _changes(function: ast.FunctionDef) -> bool:
    """Whether it changes a tokenizer or a model that it is given."""
    calls = (node for node in ast.walk(function) if isinstance(node, ast.Call))
    return any(last_name(call.func) in CHANGES for call in calls)


def _span(number: int, node: ast.AST) -> Span:
    line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
    return Span(number, line, column, line, column)
