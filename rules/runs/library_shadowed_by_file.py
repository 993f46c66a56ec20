"""A file beside the run has the name of a library.

Python looks into the folder of the script first. The job imports this file instead of the library
and fails with an error that names neither: "cannot import name 'Random' from 'random'".

Remedy: rename the file, or start the job with `python -P train.py`, which leaves out the script's
folder (Python 3.11 and newer).

Versions: every release of Python. `python train.py`, `accelerate launch train.py` and `torchrun`
look into the folder of the script first, `python -m` into the working folder. `trl grpo` looks into
neither folder, unless reward functions are named as module and function: then it looks into the
working folder first.

Seen: reproduced, Python 3.11, trl 1.16.0, with random.py, queue.py, torch.py and datasets.py in the
folder: `python train.py`, `python -m train` and `accelerate launch train.py` fail, `python -P
train.py` and `trl sft --config` do not. A sitecustomize.py in the folder is not run. A folder
without __init__.py is not imported in place of a library.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Place
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Files, Good, Rule
from trl_doctor.facts.shadowing import shadows

MOST = 8
"""The number of files that a finding names."""

FIRST = "python train.py looks into the folder of the script first, python -m into this one"


def check(facts: Facts) -> Iterator[Finding]:
    if facts.run.file is None:
        raise NotConcerned("a model folder does not show where the job starts")
    files = shadows(facts)
    more = (f"{len(files)} such files in all",) if len(files) > MOST else ()
    for shadow in files[:MOST]:
        whose = (
            f"Python's own {shadow.module}" if shadow.is_pythons else f"the library {shadow.module}"
        )
        name = f"{shadow.module}/" if shadow.file.name == "__init__.py" else shadow.file.name
        message = f"a script started beside {name} imports it instead of {whose}"
        yield Finding(Place(shadow.file), message, (FIRST, *more))


MODULE = (
    "from trl import SFTConfig, SFTTrainer\n"
    "def train(model):\n    SFTTrainer(model, args=SFTConfig('out')).train()\n"
)
PACKAGE: Files = {"p/__init__.py": "", "p/peft/__init__.py": "", "p/sft.py": MODULE}
STARTED = "if __name__ == '__main__':\n    train('org/m')\n"
RUN: Files = {"run.json": {"trainer": "grpo", "model_name_or_path": "m"}}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad({**RUN, "torch.py": "x = 1\n"}, says="beside torch.py imports it instead of the libra"),
        Bad({**RUN, "random.py": "x = 1\n"}, says="instead of Python's own random"),
        Bad({**RUN, "datasets/__init__.py": ""}, says="beside datasets/ imports it instead of"),
        Bad({**PACKAGE, "p/sft.py": MODULE + STARTED}, "p/sft.py", says="beside peft/ imports it"),
        Good(PACKAGE, "p/sft.py"),
        Bad(
            {**PACKAGE, "peft/__init__.py": ""}, "p/sft.py", says="beside peft/ imports it instead"
        ),
        Good({"peft/__init__.py": "", "p/sft.py": MODULE + STARTED}, "p/sft.py"),
        Good({**PACKAGE, "p/sft.py": f"from p.data import x\n{MODULE}{STARTED}"}, "p/sft.py"),
        Good({**PACKAGE, "p/sft.py": f"from .data import x\n{MODULE}{STARTED}"}, "p/sft.py"),
        Good({**RUN, "datasets/train.jsonl": '{"prompt": "x"}\n', "rewards.py": "x = 1\n"}),
        Good({**RUN, "trl/__init__.py": "", "pyproject.toml": '[project]\nname = "trl"\n'}),
        Good({"m/config.json": {"model_type": "llama"}, "m/torch.py": "x = 1\n"}, target="m"),
    ),
)
