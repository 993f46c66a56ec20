"""The trainer's constructor does not have this argument.

The script fails where it creates the trainer, after the model was loaded: "SFTTrainer.__init__()
got an unexpected keyword argument 'tokenizer'". Most such arguments have moved into the config
class.

Remedy: pass it under its new name, or in the config (`SFTConfig(max_length=…)`).

Versions: each finding names the release; trl 0.7.11 to 1.16.0 are known. `tokenizer` is
`processing_class` from 0.12.0 on, and is refused from 0.16.0 on.

Seen: reproduced with SFTTrainer(tokenizer=…) with trl 0.24.0 and 1.16.0: "TypeError:
SFTTrainer.__init__() got an unexpected keyword argument 'tokenizer'"; 0.15.2 accepts it. The
signatures of both releases were read with `inspect` and have neither max_seq_length nor packing.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.library import releases
from trl_doctor.facts.rule import Bad, Good, Rule

REFUSED = Version("0.16.0")
"""From here on `tokenizer` is refused; before, a decorator renamed it to processing_class."""

RENAMED = {"tokenizer": "processing_class"}


def check(facts: Facts) -> Iterator[Finding]:
    run = facts.run
    if not run.constructor:
        raise NotConcerned("the target is not a script that creates a trainer")
    if run.replaced_by:
        raise Unavailable(
            f"{run.replaced_by} replaces TRL's classes: the arguments of its classes are not known"
        )
    if isinstance(run.trainer, Unavailable):
        raise run.trainer
    version, name = facts.environment.version("trl"), run.trainer.trainer
    if version is None:
        raise Unavailable("the version of trl is not known: use --with trl==VERSION or --python")
    taken = releases.trainer_arguments(version, name)
    if taken is None:
        raise Unavailable(f"the arguments of {name} in trl {version} are not known")
    if taken[-1].startswith("**"):
        raise NotConcerned(f"{name} of trl {version} accepts any argument")
    fields = releases.fields(version, run.trainer.config) or {}
    for given in run.constructor:
        if given.name in taken or (given.name == "tokenizer" and version < REFUSED):
            continue
        message = f"{name} of trl {version} does not accept {given.name}"
        remedy = f"remove {given.name}"
        if RENAMED.get(given.name) in taken:
            remedy = f"write {RENAMED[given.name]}= instead of {given.name}="
        elif given.name in fields or given.name == "max_seq_length":
            field = given.name if given.name in fields else "max_length"
            remedy = f"pass it to the config: {run.trainer.config}({field}=…)"
        evidence = (f"its arguments: {', '.join(taken[:8])}, …",)
        yield Finding(given.place, message, evidence, remedy=remedy)


HEAD = "from trl import SFTConfig, SFTTrainer\n"
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            {"train.py": f"{HEAD}SFTTrainer('org/m', tokenizer=None)\n"},
            "train.py",
            versions={"trl": "1.16.0"},
            says="SFTTrainer of trl 1.16.0 does not accept tokenizer",
        ),
        Bad(
            {"train.py": f"{HEAD}SFTTrainer('org/m', max_seq_length=8, packing=True)\n"},
            "train.py",
            versions={"trl": "0.24.0"},
            says="does not accept max_seq_length | SFTTrainer of trl 0.24.0 "
            "does not accept packing",
        ),
        Good(
            {"train.py": f"{HEAD}SFTTrainer('org/m', processing_class=None)\n"},
            "train.py",
            versions={"trl": "1.16.0"},
        ),
        Good(
            {"train.py": f"{HEAD}SFTTrainer('org/m', max_seq_length=8)\n"},
            "train.py",
            versions={"trl": "0.12.2"},
        ),
        Good(
            {"train.py": f"{HEAD}SFTTrainer('org/m', tokenizer=None)\n"},
            "train.py",
            versions={"trl": "0.15.2"},
        ),
        Good(
            {"train.py": f"import unsloth\n{HEAD}SFTTrainer('org/m', tokenizer=None)\n"},
            "train.py",
            versions={"trl": "1.16.0"},
            skipped="Unsloth replaces TRL's classes",
        ),
        Good(
            {"train.py": f"{HEAD}SFTTrainer('org/m', tokenizer=None)\n"},
            "train.py",
            skipped="the version of trl is not known",
        ),
    ),
)
