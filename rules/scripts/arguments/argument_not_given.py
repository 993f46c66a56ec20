"""The trainer does not get what it cannot work without.

The script gives its trainer no model, no rows to train on, or no reward functions. It fails when it
creates the trainer, or when it calls `train()`, after the model was loaded: "missing 1 required
positional argument: 'model'", "No reward source provided", "`train_dataset` is required",
"'NoneType' object is not iterable".

Remedy: give it.

Versions: every trl. With `environment_factory` GRPO needs neither rows nor reward functions.

Seen: reproduced with trl 0.15.2, 0.24.0 and 1.16.0: DPO without a model or rows, SFT without rows,
GRPO without reward functions. Each run fails.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.trainer import SAME_ARGUMENTS, TRAINERS
from trl_doctor.core.unavailable import COMMAND_LINE, NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.library import releases
from trl_doctor.facts.passed import Passed
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer
from trl_doctor.facts.script.passed import passed

WITH_REWARDS = ("grpo", "rloo")
OTHER_NAMES = {"model": ("model_init", "policy"), "reward_funcs": ("reward_model",)}
"""Arguments that some releases take in the place of one: RLOO of 0.22 to 0.24 has both forms."""

ENVIRONMENTS = ("environment_factory", "rollout_func")
"""Arguments of GRPO that can give rows and rewards themselves."""


def check(facts: Facts) -> Iterator[Finding]:
    values, name = passed(facts), known_trainer(facts)
    if name not in SAME_ARGUMENTS or values.derived:
        raise NotConcerned("what this trainer needs is not known")
    trl = facts.environment.known_version("trl")
    taken = releases.trainer_arguments(trl, TRAINERS[name].trainer) or ()
    for argument in _needed(values, name):
        names = (argument, *OTHER_NAMES.get(argument, ()))
        if argument in taken and not any(values.has(other) for other in names if other in taken):
            if values.empty(argument) and facts.run.parser and facts.run.target.argv is None:
                raise Unavailable(COMMAND_LINE)
            yield Finding(
                facts.run.place(),
                f"{TRAINERS[name].trainer} gets no {argument}",
                remedy=f"give {argument}=…",
                follows=("argument-of-other-kind", "constructor-argument-gone-from-trl"),
            )


def _needed(values: Passed, name: str) -> Iterator[str]:
    yield "model"
    if any(values.has(argument) for argument in ENVIRONMENTS):
        return
    if name in WITH_REWARDS:
        yield "reward_funcs"
    deeds = {deed.name for deed in values.deeds if not deed.guards}
    if name == "sft" or ("train" in deeds and not any(deed.endswith(" =") for deed in deeds)):
        yield "train_dataset"


HEAD = (
    "from datasets import load_dataset\n"
    "from trl import DPOTrainer, GRPOTrainer, RLOOTrainer, SFTTrainer\n"
    "rows = load_dataset('org/rows', split='train')\n"
)


def script(call: str) -> dict[str, str]:
    return {"train.py": f"{HEAD}trainer = {call}\ntrainer.train()\n"}


CHOSEN = (
    "from dataclasses import dataclass\nfrom trl import GRPOConfig, GRPOTrainer, TrlParser\n"
    "@dataclass\nclass Own:\n    task: str = 'org/rows'\n"
    "def chosen(task):\n    if task == 'sums':\n        return [print]\n"
    "own, args = TrlParser((Own, GRPOConfig)).parse_args_and_config()\n"
    "GRPOTrainer('org/m', reward_funcs=chosen(own.task), args=args, train_dataset=rows).train()\n"
)
"""What its command line chooses is None without one."""

TRL = {"trl": "1.16.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains=(
        r"missing \d+ required positional arguments?: '(model|reward_funcs)'"
        r"|No reward source provided|No model provided|`train_dataset` is required"
    ),
    examples=(
        Bad(
            script("DPOTrainer(train_dataset=rows)"),
            "train.py",
            versions=TRL,
            says="DPOTrainer gets no model",
        ),
        Bad(
            script("GRPOTrainer('org/m', train_dataset=rows)"),
            "train.py",
            versions=TRL,
            says="GRPOTrainer gets no reward_funcs",
        ),
        Bad(
            script("SFTTrainer('org/m', train_dataset=None)"),
            "train.py",
            versions=TRL,
            says="SFTTrainer gets no train_dataset",
        ),
        Bad(
            script("DPOTrainer('org/m')"),
            "train.py",
            versions=TRL,
            says="DPOTrainer gets no train_dataset",
        ),
        Good({"train.py": CHOSEN}, "train.py", versions=TRL, skipped=COMMAND_LINE),
        Good(script("SFTTrainer('org/m', train_dataset=rows)"), "train.py", versions=TRL),
        Good(script("GRPOTrainer('org/m', score, train_dataset=rows)"), "train.py", versions=TRL),
        Good(script("GRPOTrainer('org/m', environment_factory=Game)"), "train.py", versions=TRL),
        Good(script("DPOTrainer('org/m')\ntrainer.train_dataset = rows"), "train.py", versions=TRL),
        Good(
            script("RLOOTrainer(policy='org/m', reward_model=score, train_dataset=rows)"),
            "train.py",
            versions={"trl": "0.24.0"},
        ),
        Good(
            script("SFTTrainer(**given)"),
            "train.py",
            versions=TRL,
            skipped="whether model is given is not known",
        ),
    ),
)
