"""A name of the script has no value where it is used.

Python raises a NameError when it comes to that line. If this is after the training, as where the
model is saved or evaluated, hours of training may be lost.

Remedy: correct the name, import it, or move the line behind the one that gives it a value.

Versions: any. The names are found by pyflakes. It is a warning for a line that may not be reached:
in a branch, in `try`, or in a function that the script does not surely call. Not reported: scripts
with `exec` or `globals()`, names of an `import *`, and names in annotations.

Seen: reproduced with SFT of trl 1.16.0: `trainer.save_model(output_dri)` raises "NameError: name
'output_dri' is not defined" after the training.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.similar import similar
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import rehearsed
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.script.syntax.code import code
from trl_doctor.facts.script.syntax.undefined import tree_of, undefined_names

from .._recorded.scripts import notebook, script

ALIKE = 0.75
"""The share of common letters of a name that was meant."""


def check(facts: Facts) -> Iterator[Finding]:
    if rehearsed(facts):
        raise NotConcerned("the script was run")
    names = facts[undefined_names]
    for undefined in names:
        name = undefined.node.id
        fails = "the script fails at this line" if undefined.sure else "this line fails if it runs"
        has = "gets its value further down" if undefined.later else "is not defined"
        near = () if undefined.later else similar(name, facts[tree_of].bound, 1, ALIKE)
        yield Finding(
            facts[code].place(undefined.node),
            f"{name} {has}: {fails}",
            remedy=f"write {near[0]}, if you mean that" if near else "",
            severity=None if undefined.sure else "warning",
        )


def _script(after: str) -> dict[str, str]:
    files = script("SFT", "model='org/m'")
    return {"train.py": files["train.py"].replace("SFTTrainer(a", "trainer = SFTTrainer(a") + after}


TRAIN = "trainer.train()\n"
CALLED = "def finish(trainer):\n    trainer.save_model(folder)\n"
TRL = {"trl": "1.16.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            _script("output_dir = 'out'\ntrainer.train()\ntrainer.save_model(output_dri)\n"),
            "train.py",
            versions=TRL,
            says="output_dri is not defined: the script fails at this line",
        ),
        Bad(
            {"train.py": TRAIN + _script("")["train.py"]},
            "train.py",
            versions=TRL,
            says="trainer gets its value further down: the script fails at this line",
        ),
        Bad(_script(f"{CALLED}finish(trainer)\n"), "train.py", TRL, says="folder is not defined"),
        Bad(
            _script(f"{CALLED}if rows:\n    finish(trainer)\n"),
            "train.py",
            versions=TRL,
            says="folder is not defined: this line fails if it runs",
            severity="warning",
        ),
        Bad(
            notebook(_script("")["train.py"], f"{TRAIN}tariner.evaluate()"),
            "train.ipynb",
            versions=TRL,
            says="tariner is not defined",
        ),
        Good(_script(TRAIN), "train.py", TRL),
        Good(notebook(_script("")["train.py"], f"{TRAIN}display(trainer)"), "train.ipynb", TRL),
        Good(
            notebook(f"%%capture out\n{_script(TRAIN)['train.py']}", "out.show()"),
            "train.ipynb",
            TRL,
        ),
        Bad(
            {"train.py": "main()\ndef main():\n    pass\n" + _script(TRAIN)["train.py"]},
            "train.py",
            versions=TRL,
            says="main gets its value further down",
        ),
        Good(
            _script("def finish(trainer: Any) -> 'Any':\n    pass\nfinish(trainer)\n"),
            "train.py",
            TRL,
        ),
        Good(
            _script("exec('folder = 1')\nprint(folder)\n"), "train.py", TRL, skipped="gives values"
        ),
        Good(_script("from os.path import *\nprint(join('a', 'b'))\n"), "train.py", TRL),
        Good(_script("try:\n    folder\nexcept NameError:\n    folder = 1\n"), "train.py", TRL),
    ),
)
