"""Where a script takes only the weights of its own checkpoint, and begins its training anew."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator

from trl_doctor.core.finding import Place
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.script.syntax.assigned import values_by_name
from trl_doctor.facts.script.syntax.code import code
from trl_doctor.files.source.names import last_name

LAST, RESUMES, FOLDER = "get_last_checkpoint", "resume_from_checkpoint", "output_dir"
LOOPS = ast.For | ast.While
CONFIG = re.compile(r"(Config|Arguments)$")
PARSED = re.compile(r"args|config", re.IGNORECASE)
"""Names of configs, also of those that a parser of the command line makes."""


def weights_of_own_checkpoint(facts: Facts) -> list[Place]:
    """The calls that load the model of a trainer so; none if the script resumes anywhere.

    Nor where a loop makes the trainer, or another trainer writes to its folder: these are stages
    of one training, and each begins where the one before it ended.
    """
    parsed = facts[code]
    nodes = parsed.nodes
    if any(map(_resumes, nodes)) or not (trained := _trained(nodes)):
        return []
    values = values_by_name(nodes)
    looped = {id(inner) for node in nodes if isinstance(node, LOOPS) for inner in ast.walk(node)}
    trainers = [node for node in nodes if isinstance(node, ast.Call) and _makes_trainer(node)]
    folders = [_folders(trainer, values) for trainer in trainers]
    written = Counter(folder for own in folders for folder in own)
    return [
        parsed.place(load)
        for trainer, own in zip(trainers, folders, strict=True)
        if id(trainer) not in looped and max((written[folder] for folder in own), default=0) == 1
        if len(trainers) == 1 or _names(trainer, values) & trained
        for load in _loads(trainer, values)
        if load.args and _is_own(load.args[0], own, values, set())
    ]


def _trained(nodes: Iterable[ast.AST]) -> set[str]:
    """The objects whose `train()` is called; none if one of the calls has arguments."""
    trains = [
        node
        for node in nodes
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "train"
    ]
    if any(call.args or call.keywords for call in trains):
        return set()
    return {ast.unparse(call.func.value) for call in trains if isinstance(call.func, ast.Attribute)}


def _makes_trainer(call: ast.Call) -> bool:
    return last_name(call.func).endswith("Trainer")


def _names(trainer: ast.Call, values: dict[str, list[ast.expr]]) -> set[str]:
    """The names of a trainer, and its call as text."""
    return {name for name, given in values.items() if trainer in given} | {ast.unparse(trainer)}


def _folders(trainer: ast.Call, values: dict[str, list[ast.expr]]) -> set[str]:
    """The expressions for the folder that a trainer writes to."""
    folders = set[str]()
    for given in (*trainer.args, *(word.value for word in trainer.keywords)):
        name = given.id if isinstance(given, ast.Name) else ""
        if PARSED.search(name):
            folders.add(f"{name}.{FOLDER}")
        for config in values.get(name, []) if name else [given]:
            if isinstance(config, ast.Call) and CONFIG.search(last_name(config.func)):
                named = [word.value for word in config.keywords if word.arg == FOLDER]
                folders |= {ast.unparse(folder) for folder in named or config.args[:1]}
                folders |= {f"{name}.{FOLDER}"} if name else set()
    return folders


def _resumes(node: ast.AST) -> bool:
    return isinstance(node, ast.keyword) and node.arg == RESUMES


def _loads(trainer: ast.Call, values: dict[str, list[ast.expr]]) -> Iterator[ast.Call]:
    """The call of `from_pretrained` that makes a trainer's model, where the name has one value."""
    given = [word.value for word in trainer.keywords if word.arg == "model"] or trainer.args[:1]
    for model in given:
        value = model
        if isinstance(model, ast.Name) and len(values.get(model.id, [])) == 1:
            value = values[model.id][0]
        if isinstance(value, ast.Call) and getattr(value.func, "attr", "") == "from_pretrained":
            yield value


def _is_own(
    name: ast.expr, folders: set[str], values: dict[str, list[ast.expr]], seen: set[str]
) -> bool:
    """Whether an expression names a checkpoint in the folder that the run writes to.

    `seen` are names whose values were looked at.
    """
    for node in ast.walk(name):
        if isinstance(node, ast.Call) and last_name(node.func) == LAST and node.args:
            if ast.unparse(node.args[0]) in folders:
                return True
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            texts = {f"{folder.strip(chr(39))}/checkpoint-" for folder in folders}
            if any(node.value.startswith(text) for text in texts):
                return True
        elif isinstance(node, ast.Name) and node.id not in seen:
            seen.add(node.id)
            if any(_is_own(value, folders, values, seen) for value in values.get(node.id, [])):
                return True
    return False
