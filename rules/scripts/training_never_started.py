"""The script creates a trainer and never trains.

Nothing calls `train()` of the trainer: the script ends well after it has loaded the model and the
rows, and what it saves afterwards is the model as it was loaded. `trainer.train` without
parentheses names the method and does not call it. Or the function that makes the trainer is called
by nothing in the file. There is no warning.

Remedy: call `trainer.train()`.

Versions: every trl. Not reported, unless `trainer.train` stands without parentheses: scripts that
evaluate or predict with the trainer, or use it in another way than to save its model; and all that
hand it to a function or return it.

Seen: reproduced with SFT of trl 1.16.0 and 0.24.0: the saved weights are those that were loaded.
"""

import ast
from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import trainer
from trl_doctor.facts.script.syntax.code import Code, code
from trl_doctor.facts.script.syntax.used_models import trainers

from .._recorded.scripts import script

STARTS = "train"
WITHOUT = (
    STARTS, "save_model", "save_state", "save_pretrained", "push_to_hub", "create_model_card",
    "add_callback", "args", "state", "processing_class", "tokenizer", "reward_funcs",
    "is_world_process_zero", "print_trainable_parameters",
)  # fmt: skip
"""Attributes of a trainer, and of its model, for which a script needs a training too."""


def check(facts: Facts) -> Iterator[Finding]:
    parsed = facts[code]
    if function := _never_called(parsed):
        yield Finding(
            parsed.place(function),
            f"{function.name}() makes the trainer, and nothing in this file calls it",
            remedy=f"call {function.name}() where the file starts",
        )
    names = {name for name in trainers(parsed.nodes) if name.isidentifier()}
    if len(names) != 1:
        raise NotConcerned("which name the trainer has is not known")
    (name,) = names
    used = [*_uses(parsed, name)]
    named = [node for attribute, node in used if attribute == STARTS]
    others = [attribute for attribute, _ in used if attribute not in WITHOUT]
    if "" in others or (others and not named):
        return
    yield Finding(
        parsed.place(named[0]) if named else facts.run.place(),
        f"{trainer(facts)} is created, and nothing calls its train()"
        + (f": {name}.{STARTS} has no parentheses" if named else ""),
        remedy=f"write {name}.{STARTS}()",
    )


def _never_called(parsed: Code) -> ast.FunctionDef | None:
    """The function with the trainer, where the file can be started and nothing names it."""
    if not any(map(_starts_file, parsed.whole.body)):
        return None
    named = {node.id for node in parsed.nodes if isinstance(node, ast.Name)}
    texts = {node.value for node in parsed.nodes if isinstance(node, ast.Constant)}
    for statement in parsed.whole.body:
        if parsed.place(statement).file != parsed.file.path:
            continue  # of a module from which the script takes other functions
        if isinstance(statement, ast.FunctionDef) and not statement.decorator_list:
            makes = any(
                isinstance(node, ast.Call) and ast.unparse(node.func).endswith("Trainer")
                for node in ast.walk(statement)
            )
            if makes and statement.name not in named | texts:
                return statement
    return None


def _starts_file(statement: ast.stmt) -> bool:
    """Whether it is `if __name__ == "__main__":`."""
    return isinstance(statement, ast.If) and "__name__" in ast.unparse(statement.test)


def _uses(parsed: Code, name: str) -> Iterator[tuple[str, ast.expr]]:
    """The attributes by which a name is used, and where.

    A use without one has the attribute "", and a name that stands alone is none. So has one of
    `train`, unless this stands alone. `trainer.model.save_pretrained` is a use of that method.
    """
    above = {
        id(child): node
        for node in parsed.nodes
        for child in ast.iter_child_nodes(node)
        if isinstance(node, ast.Attribute | ast.Call | ast.Expr)
    }
    for node in parsed.nodes:
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load):
            parent = above.get(id(node))
            while isinstance(parent, ast.Attribute) and parent.attr in ("model", "accelerator"):
                parent = above.get(id(parent))
            if isinstance(parent, ast.Attribute):
                starts = parent.attr == STARTS
                alone = isinstance(above.get(id(parent)), ast.Expr)
                yield "" if starts and not alone else parent.attr, parent
            elif not isinstance(parent, ast.Expr):
                yield "", node


def _script(after: str) -> dict[str, str]:
    files = script("SFT", "model='org/m'")
    return {"train.py": files["train.py"].replace("SFTTrainer(a", "t = SFTTrainer(a") + after}


def _function(start: str) -> dict[str, str]:
    head = "from trl import SFTConfig, SFTTrainer\n\n\ndef main():\n"
    body = "    SFTTrainer('org/m', args=SFTConfig('out')).train()\n\n\n"
    return {"train.py": f"{head}{body}if __name__ == '__main__':\n    {start}\n"}


HELPER = "\n\ndef helper():\n    return 1\n"
TRL = {"trl": "1.16.0"}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            _script("t.save_model('final')\n"),
            "train.py",
            versions=TRL,
            says="SFTTrainer of trl 1.16.0 is created, and nothing calls its train()",
        ),
        Bad(_script("t\nprint(t.state.log_history)\n"), "train.py", TRL, says="nothing calls"),
        Bad(_script("t.train\n"), "train.py", versions=TRL, says="t.train has no parentheses"),
        Bad(
            _script("t.train\nprint(t.evaluate())\n"),
            "train.py",
            versions=TRL,
            says="t.train has no",
        ),
        Bad(_script("t.model.save_pretrained('final')\n"), "train.py", TRL, says="nothing calls"),
        Bad(
            _function("pass"),
            "train.py",
            versions=TRL,
            says="main() makes the trainer, and nothing in this file calls it",
        ),
        Good(_function("main()"), "train.py", TRL),
        Good(
            {
                "own.py": _function("main()")["train.py"].replace("main", "other") + HELPER,
                "train.py": "from own import helper\n" + _function("main()")["train.py"],
            },
            "train.py",
            TRL,
        ),
        Good({"train.py": _function("pass")["train.py"].split("if __name__")[0]}, "train.py", TRL),
        Good(_script("t.train()\nt.save_model('final')\n"), "train.py", TRL),
        Good(_script("print(t.evaluate())\n"), "train.py", TRL),
        Good(_script("run(t)\n"), "train.py", TRL),
        Good(
            _script("for batch in t.get_train_dataloader():\n    print(batch)\n"), "train.py", TRL
        ),
    ),
)
