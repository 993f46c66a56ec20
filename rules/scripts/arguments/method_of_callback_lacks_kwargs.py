"""A method of a callback does not take all arguments.

The trainer calls each method of a callback with `args`, `state`, `control` and many more by their
names: the model, the tokenizer, the optimizer, the logs. A method without `**kwargs` fails when its
event comes: "got an unexpected keyword argument 'model'". `on_save` and `on_evaluate` come late.

Remedy: write `def on_save(self, args, state, control, **kwargs):`.

Versions: every transformers.

Seen: reproduced with SFT of trl 0.12.2 and 1.16.0, `on_step_end` and `on_save`; with `**kwargs`
both train.
"""

import ast
from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.script.syntax.code import code

from ..._recorded.scripts import script

BASE = "TrainerCallback"
ALWAYS = ("on_init_end", "on_train_begin", "on_train_end", "on_epoch_begin", "on_epoch_end",
          "on_step_begin", "on_step_end")  # fmt: skip
SOMETIMES = ("on_save", "on_evaluate", "on_log", "on_substep_end", "on_prediction_step",
             "on_predict", "on_pre_optimizer_step", "on_optimizer_step")  # fmt: skip


def check(facts: Facts) -> Iterator[Finding]:
    parsed = facts[code]
    nodes = parsed.nodes
    used = {node.id for node in nodes if isinstance(node, ast.Name)}
    callbacks = [
        node
        for node in nodes
        if isinstance(node, ast.ClassDef) and node.name in used and _is_callback(node)
    ]
    if not callbacks:
        raise NotConcerned("the script uses no callback of its own")
    for callback in callbacks:
        for method in callback.body:
            if isinstance(method, ast.FunctionDef) and _lacks(method):
                yield Finding(
                    parsed.place(method),
                    f"{callback.name}.{method.name} has no **kwargs: the trainer calls it with "
                    "model, optimizer and other arguments, and the run fails there",
                    remedy=f"write def {method.name}(self, args, state, control, **kwargs)",
                    severity=None if method.name in ALWAYS else "warning",
                )


def _is_callback(node: ast.ClassDef) -> bool:
    return any(ast.unparse(base).rpartition(".")[2] == BASE for base in node.bases)


def _lacks(method: ast.FunctionDef) -> bool:
    """Whether it is called by the trainer, as it is written, and takes no further arguments."""
    named = method.name in ALWAYS or method.name in SOMETIMES
    return named and method.args.kwarg is None and not method.decorator_list


def _script(method: str, arguments: str, used: str = "Note()") -> dict[str, str]:
    before = (
        f"from transformers import {BASE}\nclass Note({BASE}):\n"
        f"    def {method}({arguments}):\n        print(state)\n"
    )
    return script("SFT", f"model='org/m', callbacks=[{used}]", before=before)


SHORT = "self, args, state, control"
TRL = {"trl": "1.16.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains=r"on_\w+\(\) got an unexpected keyword argument",
    examples=(
        Bad(
            _script("on_step_end", SHORT), "train.py", TRL, says="Note.on_step_end has no **kwargs"
        ),
        Bad(
            _script("on_save", SHORT),
            "train.py",
            TRL,
            says="Note.on_save has no **kwargs",
            severity="warning",
        ),
        Good(_script("on_save", f"{SHORT}, **kwargs"), "train.py", TRL),
        Good(_script("on_my_own", SHORT), "train.py", TRL),
        Good(_script("on_save", SHORT, ""), "train.py", TRL),
    ),
)
