"""An argument is changed after the trainer has read it.

A trainer copies many of its arguments when it is created: `beta`, `loss_type`, `temperature`,
`max_length`, `num_generations`. If the script sets them on the config after that, nothing reads
the new value: the run trains with the old one, and the saved `training_args.bin` has the new one.
No error is raised.

Remedy: give the argument to the config's class, before the trainer is created.

Versions: any. Reported are arguments that the installed trainer reads from the config that it is
given, and neither it nor the `Trainer` of transformers reads from `self.args` later. A config that
a later trainer gets, too, and arguments that the script's own classes read are left alone.

Seen: reproduced with DPO of trl 1.16.0 and 0.15.2: `args.beta = 0.5` before `train()`; the loss of
the run is that of 0.1.
"""

import ast
import re
from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.trainer import TRAINERS
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer
from trl_doctor.facts.script.own_trainer import class_texts
from trl_doctor.facts.script.syntax.after_trainer import Made, after_trainer
from trl_doctor.facts.script.syntax.code import code

from ..._recorded.scripts import script


def check(facts: Facts) -> Iterator[Finding]:
    name = known_trainer(facts)
    if name is None:
        raise NotConcerned("the trainer is not known")
    after, read = facts[after_trainer], _read_in_classes(facts[code].whole)
    set_later = {target for _, statement in after for target in _targets(statement)}
    late = [
        (statement, key)
        for made, statement in after
        if (key := _changed(made, statement))
        and key not in read
        and f"{made.name}.{key}" not in set_later
    ]
    texts = class_texts(facts, TRAINERS[name].trainer) if late else []
    if late and not texts:
        raise Unavailable("the source of the trainer of trl is not here")
    for statement, key in late:
        if _only_copied(key, texts):
            yield Finding(
                facts[code].place(statement),
                f"{ast.unparse(statement)} comes after the trainer has read {key}: it trains with "
                "the old value",
                remedy=f"give {key} to {TRAINERS[name].config}(…), or move the line before the "
                "line that creates the trainer",
            )


def _changed(made: Made, statement: ast.stmt) -> str:
    """The argument that a statement sets on the trainer's config; "" if it sets none."""
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    if isinstance(target, ast.Attribute) and ast.unparse(target.value) in made.names("args"):
        return target.attr
    return ""


def _targets(statement: ast.stmt) -> list[str]:
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return [ast.unparse(target) for target in targets]


def _read_in_classes(tree: ast.Module) -> set[str]:
    """The attributes that the script's own classes read: callbacks read the arguments later."""
    return {
        node.attr
        for cls in ast.walk(tree)
        if isinstance(cls, ast.ClassDef)
        for node in ast.walk(cls)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)
    }


def _only_copied(key: str, texts: list[str]) -> bool:
    """Whether the trainer reads it when it is created, and nothing reads it later."""
    own, *bases = texts
    reads = re.compile(rf"(?<![.\w])args\.{key}\b")
    later = re.compile(rf"self\.args\.{key}\b")
    return bool(reads.search(own)) and not any(
        later.search(text) or (text in bases and reads.search(text)) for text in texts
    )


def _script(after: str, before: str = "") -> dict[str, str]:
    """A script, and a small source of trl and transformers."""
    made = "args = DPOConfig('out')\ntrainer = "
    text = script("DPO", "model='org/m'", before=before + made)["train.py"]
    return {
        "train.py": text.replace("args=DPOConfig('out', )", "args=args") + after,
        **{f"site-packages/{name}": source for name, source in SOURCES.items()},
    }


SOURCES = {
    "trl/__init__.py": "from .trainer.dpo_trainer import DPOTrainer\n",
    "trl/trainer/__init__.py": "",
    "trl/trainer/dpo_trainer.py": "from transformers import Trainer\nclass DPOTrainer(Trainer):\n"
    "    def __init__(self, args):\n        self.beta = args.beta\n"
    "    def log(self):\n        print(args.logging_dir, self.args.num_completions)\n",
    "transformers/__init__.py": "from .trainer import Trainer\n",
    "transformers/trainer.py": "class Trainer:\n    def train(self):\n"
    "        args = self.args\n        print(args.max_steps)\n",
    "trl-1.16.0.dist-info/METADATA": "Name: trl\nVersion: 1.16.0\n",
    "transformers-5.23.0.dist-info/METADATA": "Name: transformers\nVersion: 5.23.0\n",
}
INSTALLED = {"trl": "1.16.0", "transformers": "5.23.0"}
LATE = "args.beta = 0.5\n"
TRAINS = "trainer.train()\n"
SECOND = f"{LATE}second = DPOTrainer(model='org/m', args=args)\n{TRAINS}second.train()\n"
OWN = "class Shows(TrainerCallback):\n    def on_log(self, args, **more): print(args.beta)\n"
SPLIT = "def first():\n    args = DPOConfig('out')\n    trainer = DPOTrainer(args=args)\n"
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            _script(LATE + TRAINS),
            "train.py",
            INSTALLED,
            says="args.beta = 0.5 comes after the trainer has read beta",
        ),
        Bad(
            _script("trainer.args.beta = 0.5\n" + TRAINS),
            "train.py",
            INSTALLED,
            says="trainer.args.beta = 0.5 comes after",
        ),
        Good(_script(TRAINS + LATE), "train.py", INSTALLED),
        Good(_script(SECOND), "train.py", INSTALLED),
        Good(_script(f"args = DPOConfig('new')\n{LATE}{TRAINS}"), "train.py", INSTALLED),
        Good(_script(f"trainer.beta = 0.5\n{LATE}{TRAINS}"), "train.py", INSTALLED),
        Good(_script(LATE + TRAINS, OWN), "train.py", INSTALLED),
        Good(_script(TRAINS, f"{SPLIT}def second(args):\n    {LATE}"), "train.py", INSTALLED),
        Good(_script(f"args.max_steps = 9\n{TRAINS}"), "train.py", INSTALLED),
        Good(_script(f"args.num_completions = 9\n{TRAINS}"), "train.py", INSTALLED),
        Good({"train.py": _script(LATE + TRAINS)["train.py"]}, "train.py", skipped="trl"),
    ),
)  # fmt: skip
