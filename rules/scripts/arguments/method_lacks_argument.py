"""A method of the script's trainer lacks an argument.

The script derives a class from TRL's trainer and defines a method again. The Trainer of
transformers calls it with an argument that older releases do not pass: the run fails with "got an
unexpected keyword argument 'num_items_in_batch'", or "takes 2 positional arguments but 3 were
given".

Remedy: add the argument to the method, with the default None, and pass it on to `super()`.

Versions: `num_items_in_batch` of `compute_loss` and of `training_step` from transformers 4.46.3 on,
`start_time` of `log` from 4.48.0 on, the data set of `_get_train_sampler` from 4.52.4 on (GRPO:
from trl 1.0.0 on). For `log` it is a warning if
the run does not set `logging_steps`: a short run may then never log.

Seen: R1-V#75. Reproduced with GRPO of trl 0.15.2 and transformers 4.48.3, the first three methods:
each fails in its first step or at its first log; with the argument each trains. The sources of
transformers 4.46.3 and 5.23.0 have the same calls. CPPO#7: `_get_train_sampler`, reproduced with
GRPO of trl 1.16.0; 0.24.0 calls it without the data set, and so does GRPO up to 0.29.0.
effective_llm_alignment#6: `compute_loss`, reproduced with CPO of trl 0.15.2.
"""

import ast
from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer
from trl_doctor.facts.script.passed import passed

from ..._recorded.scripts import script

STEPS = ("sft", "dpo", "kto", "reward", "grpo", "gkd", "cpo", "orpo", "bco", "prm")
"""Trainers whose loop is that of transformers."""

CALLED = {
    "compute_loss": ("num_items_in_batch", 0, Version("4.46.3")),
    "training_step": ("num_items_in_batch", 4, Version("4.46.3")),
    "log": ("start_time", 3, Version("4.48.0")),
    "_get_train_sampler": ("the data set", 2, Version("4.52.4")),
}
"""The argument by its name, the number of values with `self` that are passed without names, and the
first transformers of which it is known."""

HANDS_ON = Version("1.0.0")
"""From this trl on GRPO leaves the call to transformers."""


def check(facts: Facts) -> Iterator[Finding]:
    methods = passed(facts).methods
    defined = [name for name in CALLED if name in methods]
    if not defined:
        raise NotConcerned("the script defines none of these methods again")
    if known_trainer(facts) not in STEPS:
        raise NotConcerned("the loop of this trainer is its own")
    version, trl = facts.environment.version("transformers"), facts.environment.version("trl")
    for name in defined:
        own = known_trainer(facts) == "grpo" and (trl is None or trl < HANDS_ON)
        if name == "_get_train_sampler" and own:
            continue  # GRPO then has its own loader, which calls it with nothing
        argument, count, first = CALLED[name]
        node = methods[name].function.node
        if version is not None and version >= first and not _takes(node.args, argument, count):
            yield Finding(
                methods[name].place,
                f"{name} of the script has no argument for {argument}, with which transformers "
                f"{version} calls it",
                severity="warning" if name == "log" and not _logs(facts) else None,
            )


def _logs(facts: Facts) -> bool:
    """Whether the run says how often it logs; without that a short run may never do."""
    return bool(facts.run.number("logging_steps")) and facts.run.arguments.get(
        "logging_strategy"
    ) not in ("no", False)


def _takes(arguments: ast.arguments, name: str, count: int) -> bool:
    """Whether a method takes so many values without names, or one with this name where it is 0."""
    plain = [*arguments.posonlyargs, *arguments.args]
    if count:
        return arguments.vararg is not None or len(plain) >= count
    parameters = (*arguments.args, *arguments.kwonlyargs)
    return arguments.kwarg is not None or any(argument.arg == name for argument in parameters)


def _files(method: str, trainer: str = "GRPO") -> dict[str, str]:
    arguments = "'org/m', reward_funcs=f" if trainer == "GRPO" else "'org/m'"
    own = f"class Own({trainer}Trainer):\n    def {method}:\n        return 0\n"
    before = f"def f(completions, **kwargs): return [1.0]\n{own}"
    code = script(trainer, f"model={arguments}", before=before)["train.py"]
    return {"train.py": code.replace(f"\n{trainer}Trainer(", "\nOwn(")}


BOTH = {"trl": "0.15.2", "transformers": "4.48.3"}
LOSS = "compute_loss(self, model, inputs, return_outputs=False{})"
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="num_items_in_batch|positional arguments? but",
    examples=(
        Bad(
            _files(LOSS.format("")),
            "train.py",
            versions=BOTH,
            says="compute_loss of the script has no argument for num_items_in_batch, with which",
        ),
        Bad(
            _files("training_step(self, model, inputs)", "SFT"),
            "train.py",
            versions=BOTH,
            says="training_step of the script has no argument for num_items_in_batch",
        ),
        Bad(
            _files(LOSS.format(""), "CPO"),
            "train.py",
            versions=BOTH,
            says="compute_loss of the script has no argument for num_items_in_batch",
        ),
        Bad(
            _files("log(self, logs)"),
            "train.py",
            versions=BOTH,
            says="log of the script has no argument for start_time, with which transformers 4.48.3",
            severity="warning",
        ),
        Good(_files(LOSS.format(", num_items_in_batch=None")), "train.py", versions=BOTH),
        Good(_files(LOSS.format(", **kwargs")), "train.py", versions=BOTH),
        Good(_files("training_step(self, *args)", "SFT"), "train.py", versions=BOTH),
        Good(_files("log(self, logs, start_time=None)"), "train.py", versions=BOTH),
        Good(_files("log(self, logs)"), "train.py", versions={**BOTH, "transformers": "4.46.3"}),
        Good(_files("evaluate(self)"), "train.py", versions=BOTH),
        Bad(
            _files("_get_train_sampler(self)"),
            "train.py",
            versions={"trl": "1.16.0", "transformers": "5.23.0"},
            says="_get_train_sampler of the script has no argument for the data set, with which",
        ),
        Good(
            _files("_get_train_sampler(self)"),
            "train.py",
            versions={"trl": "0.24.0", "transformers": "4.57.6"},
        ),
        Good(_files("_get_train_sampler(self, dataset)"), "train.py", versions=BOTH),
    ),
)
