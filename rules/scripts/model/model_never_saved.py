"""The script trains a model and never saves it.

`save_strategy` is `no`, and nothing in the script saves or uploads anything. The trained weights
are gone when the script ends. There is no warning.

Remedy: call `trainer.save_model(…)` after `trainer.train()`, or set `save_strategy` to `steps` or
`epoch`: then the last step is saved, too.

Versions: every trl. A run of at most 20 steps counts as a trial and is not reported, and a trainer
that another function gets may be saved there. It is a note if the script evaluates the model or
generates with it: it may have been trained for that.

Seen: reproduced with SFT of trl 1.16.0 and 0.15.2: `output_dir` has no weights at the end.
"""

import re
from collections.abc import Iterator
from typing import Any

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import trainer
from trl_doctor.facts.script.passed import passed
from trl_doctor.facts.script.syntax.used_models import use_of_trainer
from trl_doctor.facts.training.evaluating import strategy

from ..._recorded.scripts import script

KEY = "save_strategy"
SETTINGS = re.compile(
    rb"\bsave_(?:strategy|steps|total_limit|only_model|safetensors|on_each_node)\b"
)
SAVES = re.compile(rb"save|push|upload|export|gguf|merge|state_dict|callback", re.IGNORECASE)
"""Words of a script that may keep the model in some way."""
TRIAL = 20
"""Steps up to which a run is a trial."""


def check(facts: Facts) -> Iterator[Finding]:
    values, run = passed(facts), facts.run
    if strategy(run.arguments.get(KEY, "steps")) != "no":
        raise NotConcerned(f"the trainer saves checkpoints ({KEY})")
    if 0 < (run.number("max_steps") or 0) <= TRIAL:
        raise NotConcerned("a run of few steps is a trial")
    if not any(deed.name == "train" for deed in values.deeds):
        raise Unavailable("the script does not start the training itself")
    if isinstance(run.file, Unavailable) or run.file is None:
        raise Unavailable("the source of the script is not here")
    if SAVES.search(SETTINGS.sub(b"", run.file.data)):
        return
    used = facts[use_of_trainer]
    if used == "given":
        return
    yield Finding(
        run.place(KEY),
        f"{trainer(facts)} saves no checkpoint, and nothing in the script saves the model: the "
        "trained weights are lost at the end",
        remedy="write trainer.save_model(…) after trainer.train(), or set save_strategy to steps",
        severity="note" if used else None,
    )


def _script(config: str, after: str) -> dict[str, Any]:
    files = script("SFT", "model='org/m'", config=config)
    return {"train.py": files["train.py"].replace("SFTTrainer(a", "t = SFTTrainer(a") + after}


NEVER, TRAIN = "save_strategy='no'", "t.train()\n"
TRL = {"trl": "1.16.0"}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            _script(NEVER, TRAIN),
            "train.py",
            versions=TRL,
            says="nothing in the script saves the model: the trained weights are lost",
        ),
        Good(_script(NEVER, f"{TRAIN}t.save_model('final')\n"), "train.py", TRL),
        Good(_script(f"{NEVER}, max_steps=2", TRAIN), "train.py", TRL),
        Bad(
            _script(NEVER, f"{TRAIN}print(t.evaluate())\n"),
            "train.py",
            versions=TRL,
            says="the trained weights are lost",
            severity="note",
        ),
        Good(_script(NEVER, f"{TRAIN}finish(t, 'final')\n"), "train.py", TRL),
        Good(_script("", TRAIN), "train.py", TRL),
        Good(_script(NEVER, ""), "train.py", TRL, skipped="does not start the training"),
    ),
)
