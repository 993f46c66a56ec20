"""The trainer of this release never reads an argument.

The config class accepts it and stores it, and no line of the trainer uses it: the run trains as if
the argument were not there. No error is raised, and no number in the log shows it.

Remedy: install a release of trl whose trainer reads it, or remove it and use what the trainer has
instead.

Versions: the installed sources are read. Such arguments are `truncation_mode` of DPO in trl 0.12.2
(each pair is cut at its end), `whiten_rewards` of RLOO in 0.12.2 to 0.19.1, `seq_kd` of GOLD in
1.12.0 and 1.16.0. Names of models that only TRL's own scripts read, and `dataset_num_proc`, are not
reported.

Seen: trl#2538. Reproduced with DPO of trl 0.12.2 and `truncation_mode="keep_end"`: rows that are
longer than `max_length` lose their answers, and the loss stays 0.693; with `max_prompt_length`
they keep them.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.unknown import no_other_program
from trl_doctor.facts.library.unread import never_read
from trl_doctor.facts.rule import Bad, Good, Rule

HARMLESS = ("dataset_num_proc",)
OF_SCRIPTS = ("_model_path", "_name_or_path")
"""How the names of models end that TRL's scripts read, and no trainer."""

INSTEAD = {
    "truncation_mode": "max_prompt_length cuts the beginning of prompts: set it so that "
    "the answers fit into max_length"
}


def check(facts: Facts) -> Iterator[Finding]:
    run, trainer = facts.run, facts.run.trainer
    no_other_program(facts)
    if isinstance(trainer, Unavailable):
        raise trainer
    if run.script.passed is not None and run.script.passed.derived:
        raise NotConcerned("the trainer is a class of the script's own, which may read it")
    stated = (name for name in run.arguments if name not in run.beside)
    names = {name for name in stated if run.arguments[name] is not None}
    keys = {name for name in names if name not in HARMLESS and not name.endswith(OF_SCRIPTS)}
    for name in sorted(never_read(facts.environment, trainer, frozenset(keys))):
        trl = facts.environment.version("trl")
        yield Finding(
            run.place(name),
            f"{trainer.trainer} of trl {trl} never reads {name}: it has no effect",
            remedy=INSTEAD.get(name, ""),
        )


TRANSFORMERS = """\
from dataclasses import dataclass, field

@dataclass
class TrainingArguments:
    output_dir: str = field(default=None)
    learning_rate: float = field(default=5e-5)
"""
CONFIG = """\
from dataclasses import dataclass
from transformers import TrainingArguments

@dataclass
class DPOConfig(TrainingArguments):
    truncation_mode: str = "keep_end"
    max_length: int = 1024
"""
TRAINER = """\
from .dpo_config import DPOConfig

class DPOTrainer:
    def __init__(self, args: DPOConfig):
        self.truncation_mode = args.truncation_mode
        self.max_length = args.max_length

    def cut(self, ids):
        return ids[: self.max_length]
"""
TRL = "from .trainer import DPOConfig, DPOTrainer\n"
NAMES = "from .dpo_config import DPOConfig\nfrom .dpo_trainer import DPOTrainer\n"


def _files(trainer: str = TRAINER, **arguments: Json) -> dict[str, Json]:
    """A run, and small sources of trl and transformers."""
    return {
        "run.json": {"trainer": "dpo", "model_name_or_path": "m", **arguments},
        **METADATA,
        "site-packages/transformers/__init__.py": "from .training_args import TrainingArguments\n",
        "site-packages/transformers/training_args.py": TRANSFORMERS,
        "site-packages/trl/__init__.py": TRL,
        "site-packages/trl/trainer/__init__.py": NAMES,
        "site-packages/trl/trainer/dpo_config.py": CONFIG,
        "site-packages/trl/trainer/dpo_trainer.py": trainer,
    }


METADATA = {
    f"site-packages/{name}-{version}.dist-info/METADATA": f"Name: {name}\nVersion: {version}\n"
    for name, version in (("trl", "0.12.2"), ("transformers", "4.46.3"))
}
READ = TRAINER.replace("return ids", "if self.truncation_mode:\n            return ids")
INSTALLED = {"trl": "0.12.2", "transformers": "4.46.3"}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            _files(truncation_mode="keep_end"),
            versions=INSTALLED,
            says="DPOTrainer of trl 0.12.2 never reads truncation_mode: it has no effect",
        ),
        Good(_files(max_length=8, learning_rate=1e-6), versions=INSTALLED),
        Good(_files(READ, truncation_mode="keep_end"), versions=INSTALLED),
        Good(
            {"run.json": {"trainer": "dpo", "truncation_mode": "keep_end"}},
            versions=INSTALLED,
            skipped="trl",
        ),
    ),
)
