"""The script saves the model before the training alone.

`trainer.save_model(…)` comes before `trainer.train()`: the folder has the base model. Whoever loads
it gets a model that was not trained, and the trained weights are at best in a checkpoint. No error
is raised.

Remedy: move `save_model` after `train`.

Versions: every trl and transformers. Scripts that save, push or merge a model in another way after
the training are left alone, and folders whose name says what they have (`untrained`, `base`).

Seen: reproduced with SFT of trl 1.16.0: the weights in the folder are those of the base model.
"""

import ast
import re
from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.script.passed import passed
from trl_doctor.facts.script.syntax.code import code
from trl_doctor.facts.script.syntax.method_calls import calls_of_methods

from ..._recorded.scripts import script

SAVES, TRAINS = "save_model", "train"
KEEPS = ("save", "push", "upload", "merge", "export")
"""How the names of methods begin that may keep the trained model."""
BEFORE = re.compile(r"base|before|init|orig|raw|start|untrained|zero", re.IGNORECASE)
"""Parts of the names of folders for the model as it was."""

TOKENIZER = re.compile(r"tok|process", re.IGNORECASE)
"""Names of objects that are saved beside a model."""


def check(facts: Facts) -> Iterator[Finding]:
    names = [deed.name for deed in passed(facts).deeds]
    if SAVES not in names or TRAINS not in names:
        raise NotConcerned("the script does not both train and save the model")
    if SAVES in names[names.index(TRAINS) :]:
        return
    calls = facts[calls_of_methods]
    kept = [
        call
        for call in calls
        if call.method.startswith(KEEPS)
        and call.method != SAVES
        and not TOKENIZER.search(call.name)
    ]
    saved = [call for call in calls if call.method == SAVES]
    named = any(BEFORE.search(ast.unparse(call.node)) for call in saved)
    if len(saved) == 1 and not kept and not named:
        yield Finding(
            facts[code].place(saved[0].node),
            f"{saved[0].name}.{SAVES}(…) comes before {TRAINS}(): it saves the model as it was "
            "before the training",
            remedy=f"move the line after {saved[0].name}.{TRAINS}()",
        )


def _script(after: str) -> dict[str, str]:
    files = script("SFT", "model='org/m'")
    return {"train.py": files["train.py"].replace("SFTTrainer(a", "t = SFTTrainer(a") + after}


SAVE, TRAIN = "t.save_model('final')\n", "t.train()\n"
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            _script(SAVE + TRAIN),
            "train.py",
            says="t.save_model(…) comes before train(): it saves the model as it was before",
        ),
        Bad(
            _script(f"{SAVE}{TRAIN}tok.save_pretrained('final')\n"),
            "train.py",
            says="t.save_model(…) comes before train()",
        ),
        Good(_script(TRAIN + SAVE), "train.py"),
        Good(_script(SAVE + TRAIN + SAVE), "train.py"),
        Good(_script(f"{SAVE}{TRAIN}t.push_to_hub()\n"), "train.py"),
        Good(_script(TRAIN), "train.py"),
        Good(_script(f"t.save_model('out/untrained')\n{TRAIN}"), "train.py"),
    ),
)
