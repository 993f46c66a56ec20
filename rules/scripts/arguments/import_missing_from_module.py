"""The script imports a name that its own module does not have.

The script fails when it comes to the import: "ImportError: cannot import name 'load' from 'tools'".
At the top of the file that is before anything is loaded; inside a function it may be after the
training. It is what remains when a function is renamed or moves to another file.

Remedy: import the name from the module that has it, or correct the name.

Versions: every Python. A module that makes names in another way (`import *`, `__getattr__`,
`globals()`) is left alone, as is an import inside `try` or under a condition, and a file that
changes `sys.path`.

Seen: reproduced with trl 1.16.0, Python 3.11: a function that is in another file of the package, at
the top of the script and in a function that runs after `train()`: both runs end with ImportError.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule


def check(facts: Facts) -> Iterator[Finding]:
    if facts.run.script.passed is None:
        raise NotConcerned("the run is no code")
    for module, name in facts.run.script.lacking:
        yield Finding(
            name.place,
            f"{module} has no {name.name}: the script fails at this import",
            remedy="import it from the module that has it, or correct the name",
        )


RUN = "from trl import SFTTrainer\nSFTTrainer('org/m', train_dataset=rows()).train()\n"
SCRIPT = f"from own.data import rows\n{RUN}"
TRL = {"trl": "1.16.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            {"train.py": SCRIPT, "own/data.py": "def row():\n    return []\n"},
            "train.py",
            versions=TRL,
            says="own/data.py has no rows: the script fails at this import",
        ),
        Bad(
            {"train.py": f"from data import rows, score\n{RUN}", "data.py": "rows = list\n"},
            "train.py",
            versions=TRL,
            says="data.py has no score",
        ),
        Good({"train.py": SCRIPT, "own/data.py": "rows = list\n"}, "train.py", versions=TRL),
        Good(
            {"train.py": SCRIPT, "own/data/__init__.py": "", "own/data/rows.py": "a = 1\n"},
            "train.py",
            versions=TRL,
        ),
        Good(
            {"train.py": SCRIPT, "own/data.py": "from .more import *\n", "own/more.py": ""},
            "train.py",
            versions=TRL,
        ),
        Good(
            {
                "train.py": f"try:\n    {SCRIPT.splitlines()[0]}\nexcept ImportError:\n"
                f"    rows = list\n{RUN}",
                "own/data.py": "a = 1\n",
            },
            "train.py",
            versions=TRL,
        ),
        Good(
            {"train.py": f"import sys\nsys.path.insert(0, 'lib')\n{SCRIPT}", "own/data.py": ""},
            "train.py",
            versions=TRL,
        ),
        Good({"run.json": {"trainer": "sft"}}, versions=TRL),
    ),
)
