"""The trainer gets a value in the place of another one.

The values without names are in another order than that of the trainer's own arguments, or a value
has the name of another: a data set as `args`, a tokenizer as `train_dataset`, a config as
`peft_config`. The script fails when it creates the trainer, after the model was loaded:
"'Dataset' object has no attribute 'model_init_kwargs'", "`train_dataset` is required". Or `train`
gets the model: its first argument is `resume_from_checkpoint`.

Remedy: give each value by its name.

Versions: every trl. The order of the arguments is not the same for all trainers, and has changed
between releases.

Seen: reproduced with SFT and DPO of trl 0.15.2, 0.24.0 and 1.16.0, and GRPO of 0.15.2: rows as
`args`, a config as `ref_model`, `reward_funcs` and `peft_config`, a model as `processing_class`, a
tokenizer as model, rows, collator and `ref_model`; and `train(model)` of SFT. Each run fails.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.trainer import SAME_ARGUMENTS, TRAINERS
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.passed import Passed
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer
from trl_doctor.facts.script.kinds import Kind, kind_of
from trl_doctor.facts.script.passed import passed
from trl_doctor.facts.script.trainer_methods import RESUMED, place_of

OWN: dict[str, tuple[Kind, ...]] = {
    "model": ("model",),
    "ref_model": ("model",),
    "args": ("config",),
    "train_dataset": ("data set",),
    "eval_dataset": ("data set",),
    "processing_class": ("tokenizer",),
    "tokenizer": ("tokenizer",),
    "peft_config": ("adapter's config",),
    "reward_funcs": ("model",),
    "data_collator": (),
}
"""The kinds of value that each argument takes, of those that are known for certain."""

NAMES: dict[Kind, str] = {
    "model": "model",
    "config": "args",
    "data set": "train_dataset",
    "tokenizer": "processing_class",
    "adapter's config": "peft_config",
}


def check(facts: Facts) -> Iterator[Finding]:
    values, name = passed(facts), known_trainer(facts)
    if name not in SAME_ARGUMENTS or values.derived:
        raise NotConcerned("what this trainer takes in which place is not known")
    for argument, value in values.values.items():
        kind = kind_of(value)
        if kind is not None and argument in OWN and kind not in OWN[argument]:
            article = "an" if kind[0] == "a" else "a"
            yield Finding(
                values.places[argument],
                f"{argument} of {TRAINERS[name].trainer} gets {article} {kind}",
                remedy=f"give each value by its name: {NAMES[kind]}=…",
            )
    yield from _of_train(facts, values)


def _of_train(facts: Facts, values: Passed) -> Iterator[Finding]:
    """The objects that calls of `train` get in the place of a checkpoint."""
    for deed in values.deeds:
        named = deed.keywords.get(RESUMED)
        first = next(iter(deed.arguments), named.value if named else None)
        kind = kind_of(first) if deed.name == "train" else None
        if kind is not None:
            yield Finding(
                place_of(facts, deed),
                f"train() gets a {kind}, and takes a checkpoint to go on with",
                remedy="write train() without it: the trainer has its model and rows already",
            )


HEAD = (
    "from datasets import load_dataset\nfrom peft import LoraConfig\n"
    "from transformers import AutoModelForCausalLM, AutoTokenizer\n"
    "from trl import DPOConfig, DPOTrainer, SFTConfig, SFTTrainer\n"
    "rows = load_dataset('org/rows')\ntok = AutoTokenizer.from_pretrained('org/m')\n"
    "model = AutoModelForCausalLM.from_pretrained('org/m')\n"
)


def script(call: str) -> dict[str, str]:
    return {"train.py": f"{HEAD}{call}.train()\n"}


TRL = {"trl": "1.16.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains=r"has no attribute 'model_init_kwargs'|`train_dataset` (is required|must be a)",
    examples=(
        Bad(
            script("SFTTrainer(model, rows['train'].shuffle(), SFTConfig('out'))"),
            "train.py",
            versions=TRL,
            says="args of SFTTrainer gets a data set",
        ),
        Bad(
            {"train.py": f"{HEAD}SFTTrainer('org/m', SFTConfig('out')).train(model)\n"},
            "train.py",
            versions=TRL,
            says="train() gets a model, and takes a checkpoint to go on with",
        ),
        Bad(
            script("SFTTrainer(model, SFTConfig('out'), train_dataset=tok)"),
            "train.py",
            versions=TRL,
            says="train_dataset of SFTTrainer gets a tokenizer",
        ),
        Bad(
            script("DPOTrainer(model, DPOConfig('out'), train_dataset=rows['train'])"),
            "train.py",
            versions=TRL,
            says="ref_model of DPOTrainer gets a config",
        ),
        Bad(
            script("SFTTrainer(model, LoraConfig(r=4), train_dataset=rows['train'])"),
            "train.py",
            versions=TRL,
            says="args of SFTTrainer gets an adapter's config",
        ),
        Good(
            script(
                "SFTTrainer(model, SFTConfig('out'), None, rows['train'], rows['test'], tok, "
                "peft_config=LoraConfig(r=4))"
            ),
            "train.py",
            versions=TRL,
        ),
        Good(
            script("DPOTrainer(model, model, DPOConfig('out'), train_dataset=rows['train']['a'])"),
            "train.py",
            versions=TRL,
        ),
    ),
)
