"""A constructor of TRL does not have this argument.

The script fails when it creates the trainer, after the model was loaded: "got an unexpected keyword
argument". Most such arguments have moved into the config class. `ModelConfig` and `ScriptArguments`
fail in the same way if a script creates them itself. So does a trainer whose name stands where the
config's should: `args = SFTTrainer(output_dir=…)`.

Remedy: pass it under its new name, or in the config (`SFTConfig(max_length=…)`).

Versions: each finding names the release; trl 0.7.11 to 1.16.0 are known. `tokenizer` is
`processing_class` from 0.12.0 on, and is refused from 0.16.0 on.

Seen: reproduced with SFTTrainer(tokenizer=…) with trl 0.24.0 and 1.16.0: "TypeError:
SFTTrainer.__init__() got an unexpected keyword argument 'tokenizer'"; 0.15.2 accepts it. The
signatures of both releases were read with `inspect` and have neither max_seq_length nor packing.
`ModelConfig(torch_dtype=…)` of trl 1.16.0: "got an unexpected keyword argument 'torch_dtype'".
"""

from collections.abc import Container, Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Fix, Put, Remove, pointer
from trl_doctor.core.trainer import Trainer
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.library import accepted as accepted_keys
from trl_doctor.facts.library import releases
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run import Run
from trl_doctor.facts.run_script import Mention

REFUSED = Version("0.16.0")
"""From this release on `tokenizer` is refused; before, a decorator renamed it to
processing_class."""

RENAMED = {"tokenizer": "processing_class"}
SEVERAL = 2
"""One argument of the config alone may also be meant for the trainer."""


def check(facts: Facts) -> Iterator[Finding]:
    run = facts.run
    if not run.script.keywords and not run.script.parsed_beside:
        raise NotConcerned("the target is not a script that creates a trainer")
    if other := run.script.replaced_by:
        raise Unavailable(
            f"{other} replaces TRL's classes: the arguments of its classes are not known"
        )
    version = facts.environment.known_version("trl")
    yield from _beside(run, version)
    if isinstance(run.trainer, Unavailable):
        raise run.trainer
    yield from _trainers(facts, run.trainer, version)


def _beside(run: Run, version: Version) -> Iterator[Finding]:
    """Arguments that ModelConfig or ScriptArguments does not have."""
    for name, argument in run.script.parsed_beside:
        fields = releases.fields(version, name)
        if not fields or argument.name in fields:
            continue
        new_argument = releases.replacement(name, argument.name)
        new = new_argument.use if new_argument and new_argument.use in fields else None
        remedy = f"write {new}= instead of {argument.name}=" if new else f"remove {argument.name}"
        message = f"{name} of trl {version} does not accept {argument.name}"
        yield Finding(argument.place, message, remedy=remedy)


def _trainers(facts: Facts, trainer: Trainer, version: Version) -> Iterator[Finding]:
    """Arguments that the trainer's class does not accept."""
    name = trainer.trainer
    accepted = releases.trainer_arguments(version, name)
    if accepted is None:
        raise Unavailable(f"the arguments of {name} in trl {version} are not known")
    if accepted[-1].startswith("**"):
        raise NotConcerned(f"{name} of trl {version} accepts any argument")
    fields = accepted_keys(facts.environment, trainer).config
    refused = [
        argument
        for argument in facts.run.script.keywords
        if argument.name not in accepted
        and not (argument.name == "tokenizer" and version < REFUSED)
    ]
    if _are_of_the_config(facts.run, refused, fields):
        yield _taken_for_the_config(trainer, refused)
        return
    for argument in refused:
        message = f"{name} of trl {version} does not accept {argument.name}"
        remedy, fix = f"remove {argument.name}", None
        if RENAMED.get(argument.name) in accepted:
            remedy = f"write {RENAMED[argument.name]}= instead of {argument.name}="
            fix = _renamed(facts.run, argument)
        elif argument.name in fields or argument.name == "max_seq_length":
            field = argument.name if argument.name in fields else "max_length"
            remedy = f"pass it to the config: {trainer.config}({field}=…)"
        evidence = (f"its arguments: {', '.join(accepted[:8])}, …",)
        yield Finding(argument.place, message, evidence, fix, remedy=remedy)


def _are_of_the_config(run: Run, refused: list[Mention], fields: Container[str]) -> bool:
    """Whether all that the trainer gets are arguments of its config."""
    given = run.script.passed
    if given is None or given.derived or given.has("model") or len(refused) < SEVERAL:
        return False
    return len(refused) == len(run.script.keywords) and all(a.name in fields for a in refused)


def _taken_for_the_config(trainer: Trainer, refused: list[Mention]) -> Finding:
    names = ", ".join(argument.name for argument in refused[:3])
    return Finding(
        refused[0].place,
        f"{trainer.trainer} gets the arguments of {trainer.config}: {names}"
        f"{', …' if len(refused) > 3 else ''}",
        remedy=f"write {trainer.config}(…) here, and give what it makes to {trainer.trainer} as "
        "args=",
    )


def _renamed(run: Run, argument: Mention) -> Fix | None:
    """The keyword under its new name; None if the script gives both."""
    new, file = RENAMED[argument.name], argument.place.file
    if file != run.target.path or any(other.name == new for other in run.script.keywords):
        return None
    edits = (Put(file, pointer(new), None), Remove(file, pointer(argument.name)))
    return Fix(f"rename {argument.name} to {new}", edits)


HEAD = "from trl import SFTConfig, SFTTrainer\n"
MODEL = "from trl import ModelConfig, SFTTrainer\n"
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains=r"\wTrainer\.__init__\(\) got an unexpected keyword argument",
    examples=(
        Bad(
            {"train.py": f"{HEAD}SFTTrainer('org/m', tokenizer=None)\n"},
            "train.py",
            versions={"trl": "1.16.0"},
            says="SFTTrainer of trl 1.16.0 does not accept tokenizer",
            fixed={"train.py": f"{HEAD}SFTTrainer('org/m', processing_class=None)\n"},
        ),
        Bad(
            {"train.py": f"{HEAD}SFTTrainer('org/m', max_seq_length=8, packing=True)\n"},
            "train.py",
            versions={"trl": "0.24.0"},
            says="does not accept max_seq_length | SFTTrainer of trl 0.24.0 "
            "does not accept packing",
        ),
        Bad(
            {
                "train.py": f"{HEAD}args = SFTTrainer(output_dir='out', learning_rate=1e-5)\n"
                "trainer = SFTTrainer(model='org/m', args=args)\ntrainer.train()\n"
            },
            "train.py",
            versions={"trl": "1.16.0"},
            says="SFTTrainer gets the arguments of SFTConfig: output_dir, learning_rate",
        ),
        Bad(
            {"train.py": f"{HEAD}SFTTrainer('org/m', output_dir='out', learning_rate=1e-5)\n"},
            "train.py",
            versions={"trl": "1.16.0"},
            says="SFTTrainer of trl 1.16.0 does not accept output_dir | SFTTrainer of trl 1.16.0 "
            "does not accept learning_rate",
        ),
        Bad(
            {"train.py": f"{MODEL}m = ModelConfig('m', torch_dtype='auto')\nSFTTrainer(m)\n"},
            "train.py",
            versions={"trl": "1.16.0"},
            says="ModelConfig of trl 1.16.0 does not accept torch_dtype",
        ),
        Good(
            {
                "train.py": f"import inspect\n{HEAD}given = {{'model': 'org/m'}}\n"
                "if 'tokenizer' in inspect.signature(SFTTrainer.__init__).parameters:\n"
                "    given['tokenizer'] = None\nSFTTrainer(**given)\n"
            },
            "train.py",
            versions={"trl": "1.16.0"},
        ),
        Good(
            {"train.py": f"{MODEL}m = ModelConfig('m', torch_dtype='auto')\nSFTTrainer(m)\n"},
            "train.py",
            versions={"trl": "0.24.0"},
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
