"""A model whose weights a script freezes one and all, and that its trainer then gets."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trl_doctor.facts.facts import Facts
from trl_doctor.facts.script.syntax.after_trainer import bodies
from trl_doctor.facts.script.syntax.code import code
from trl_doctor.files.source.names import last_name

SWITCH, SET = "requires_grad", "requires_grad_"
WEIGHTS = ("parameters", "named_parameters")
LEAVES_FROZEN = frozenset(
    {"eval", "train", "to", "half", "float", "bfloat16", "cuda", "parameters", "named_parameters",
     "num_parameters", "print_trainable_parameters", "gradient_checkpointing_enable",
     "gradient_checkpointing_disable", "enable_input_require_grads", "config", "generation_config",
     "save_pretrained", "device", "dtype", "get_memory_footprint"}
)  # fmt: skip
"""What a script may ask of a model that stays frozen."""

READS = frozenset({"print", "len", "type", "isinstance", "repr", "str", "sum", "id"})
"""Functions that may get it."""

MAY_THAW = frozenset({"callbacks", "peft_config", "optimizers"})
"""Arguments of a trainer that add weights, or may free them later."""


def trained_though_frozen(facts: Facts) -> list[tuple[ast.stmt, str, str]]:
    """The statement that freezes a model, the model's name, and the trainer's class.

    Nothing where a later statement may free its weights or give it others. Raises as `code` does.
    """
    if any(_frees(node) for node in facts[code].nodes):
        return []
    return [found for body in bodies(facts) for found in _of(body)]


def _of(statements: list[ast.stmt]) -> Iterator[tuple[ast.stmt, str, str]]:
    """Those of one function, or of the script outside of functions."""
    frozen = dict[str, ast.stmt]()
    for statement in statements:
        if name := _freezes(statement):
            frozen[name] = statement
            continue
        for model, froze in [*frozen.items()]:
            if (call := _trainer(statement, model)) is not None:
                if {word.arg for word in call.keywords}.isdisjoint({None, *MAY_THAW}):
                    yield froze, model, last_name(call.func)
                del frozen[model]
            elif _may_change(statement, model):
                del frozen[model]


def _freezes(statement: ast.stmt) -> str:
    """The name of the model of which the statement freezes all weights; "" for any other."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        call = statement.value
        off = [value for value in (*call.args, *(word.value for word in call.keywords))]
        if isinstance(call.func, ast.Attribute) and call.func.attr == SET and _is_false(off):
            return call.func.value.id if isinstance(call.func.value, ast.Name) else ""
    if not isinstance(statement, ast.For) or len(statement.body) != 1 or statement.orelse:
        return ""
    called = statement.iter
    if not isinstance(called, ast.Call) or not isinstance(called.func, ast.Attribute):
        return ""
    holder, target = called.func.value, statement.target
    weight = target.elts[-1] if isinstance(target, ast.Tuple) else target
    frozen = isinstance(weight, ast.Name) and _is_frozen(statement.body[0], weight.id)
    if frozen and called.func.attr in WEIGHTS and isinstance(holder, ast.Name):
        return holder.id
    return ""


def _is_frozen(statement: ast.stmt, weight: str) -> bool:
    """Whether the statement is `weight.requires_grad = False`, or calls the method for it."""
    if isinstance(statement, ast.Assign):
        return ast.unparse(statement.targets[0]) == f"{weight}.{SWITCH}" and _is_false(
            [statement.value]
        )
    call = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(call, ast.Call) and ast.unparse(call) == f"{weight}.{SET}(False)"


def _is_false(values: list[ast.expr]) -> bool:
    return len(values) == 1 and isinstance(values[0], ast.Constant) and values[0].value is False


def _frees(node: ast.AST) -> bool:
    """Whether it sets the switch to something that is not False, anywhere."""
    if isinstance(node, ast.Call) and last_name(node.func) == SET:
        return not _is_false([*node.args, *(word.value for word in node.keywords)])
    if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        sets = any(isinstance(one, ast.Attribute) and one.attr == SWITCH for one in targets)
        return sets and not (node.value is not None and _is_false([node.value]))
    return isinstance(node, ast.Call) and last_name(node.func) == "setattr"


def _trainer(statement: ast.stmt, model: str) -> ast.Call | None:
    """The call of a trainer's class that gets the model."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Call) and last_name(node.func).endswith("Trainer"):
            given = [*node.args[:1], *(word.value for word in node.keywords if word.arg == "model")]
            if any(isinstance(value, ast.Name) and value.id == model for value in given):
                return node
    return None


def _may_change(statement: ast.stmt, model: str) -> bool:
    """Whether a statement may give the model other weights, or another model its name."""
    plain = set[int]()
    for node in ast.walk(statement):
        if isinstance(node, ast.Attribute) and node.attr in LEAVES_FROZEN:
            plain.add(id(node.value))
        elif isinstance(node, ast.Call) and last_name(node.func) in READS:
            plain |= {id(value) for value in node.args}
    return any(
        isinstance(node, ast.Name) and node.id == model and id(node) not in plain
        for node in ast.walk(statement)
    )
