"""Where a script takes only the weights of its own checkpoint, and begins its training anew."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trl_doctor.core.finding import Place
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.script.code import code

LAST, RESUMES, FOLDER = "get_last_checkpoint", "resume_from_checkpoint", "output_dir"
DEPTH = 4


def weights_of_own_checkpoint(facts: Facts) -> list[Place]:
    """The calls that load the model of a trainer so; none if the script resumes anywhere."""
    parsed = facts[code]
    nodes = list(ast.walk(parsed.whole))
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    trains = [call for call in calls if getattr(call.func, "attr", "") == "train"]
    bare = [call for call in trains if not call.args and not call.keywords]
    if not bare or len(bare) < len(trains) or any(map(_resumes, nodes)):
        return []
    values = _values(nodes)
    folders = {
        ast.unparse(word.value)
        for call in calls
        for word in call.keywords
        if word.arg == FOLDER
    }  # fmt: skip
    return [
        parsed.place(load)
        for call in calls
        if _called(call).endswith("Trainer")
        for load in _loads(call, values)
        if load.args and _is_own(load.args[0], folders, values, DEPTH)
    ]


def _resumes(node: ast.AST) -> bool:
    return isinstance(node, ast.keyword) and node.arg == RESUMES


def _values(nodes: list[ast.AST]) -> dict[str, list[ast.expr]]:
    """The values that names get."""
    values: dict[str, list[ast.expr]] = {}
    for node in nodes:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            values.setdefault(node.targets[0].id, []).append(node.value)
    return values


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
    name: ast.expr, folders: set[str], values: dict[str, list[ast.expr]], depth: int
) -> bool:
    """Whether an expression names a checkpoint in the folder that the run writes to."""
    for node in ast.walk(name):
        if isinstance(node, ast.Call) and _called(node) == LAST and node.args:
            folder = ast.unparse(node.args[0])
            if folder in folders or folder.endswith(f".{FOLDER}"):
                return True
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            texts = {f"{folder.strip(chr(39))}/checkpoint-" for folder in folders}
            if any(node.value.startswith(text) for text in texts):
                return True
        if isinstance(node, ast.Name) and depth:
            given = values.get(node.id, [])
            if any(_is_own(value, folders, values, depth - 1) for value in given):
                return True
    return False


def _called(call: ast.Call) -> str:
    return str(getattr(call.func, "attr", getattr(call.func, "id", "")))
