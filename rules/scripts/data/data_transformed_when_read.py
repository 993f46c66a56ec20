"""The rows are transformed when they are read.

`with_transform` and `set_transform` compute a row again each time it is read. The trainer prepares
the rows with `map` and adds columns (the tokens), but the transform then hides these columns:
"KeyError: 'input_ids'", "'prompt_ids'". SFTTrainer of newer releases refuses such rows: "cannot
prepare a dataset that uses `Dataset.with_transform()`".

Remedy: use `rows.map(f, batched=True)` instead. Things that must differ in each epoch belong into
the `data_collator`. SFT reads such rows with `dataset_kwargs={"skip_prepare_dataset": True}`, if
the transform itself gives the tokens.

Versions: every trl, in all trainers that prepare their rows; GRPO and RLOO read them as they are.
SFT, too, if the rows have images.

Seen: trl#6054. Reproduced with DPO, KTO, ORPO and the reward trainer of trl 0.15.2, 0.24.0 and
1.16.0, and SFT of 0.12.2, 0.15.2, 0.19.1, 0.24.0, 1.15.0 and 1.16.0: none of them takes a step;
with `map` they train.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer
from trl_doctor.facts.script.passed import chain, loaded_as, passed

from ..._recorded.scripts import script

TRAINERS = ("sft", "dpo", "kto", "reward", "orpo", "cpo", "bco")
BY = ("with_transform", "set_transform")
ENDED_BY = ("with_format", "reset_format", "set_format")
OF_TEXTS = ("AutoModelForCausalLM", "AutoModelForSequenceClassification", "AutoTokenizer")


def check(facts: Facts) -> Iterator[Finding]:
    values, name = passed(facts), known_trainer(facts)
    if name not in TRAINERS:
        raise NotConcerned("this trainer prepares no rows before it reads them")
    settings = facts.run.arguments.get("dataset_kwargs")
    if settings and not (isinstance(settings, dict) and not settings.get("skip_prepare_dataset")):
        raise NotConcerned("the script may prepare the rows itself")
    for link in chain(values.given("train_dataset")):
        calls = [(link.short, link.keywords), *((deed.name, deed.keywords) for deed in link.deeds)]
        if any(method in ENDED_BY for method, _ in calls):
            return
        method = next(
            (m for m, keywords in calls if m in BY and "output_all_columns" not in keywords), ""
        )
        if method:
            shown = [values.values.get(name) for name in ("model", "processing_class")]
            texts = any(loaded_as(value, kind) for value in shown for kind in OF_TEXTS)
            yield Finding(
                values.places["train_dataset"],
                f"{method} changes the rows of train_dataset whenever they are read, which hides "
                "the columns that the trainer adds",
                severity=None if name != "sft" or texts else "warning",
            )
            return


MODEL = (
    "from transformers import AutoModelForCausalLM\n"
    "model = AutoModelForCausalLM.from_pretrained('org/m')\n"
)
LATER = f"{MODEL}rows = rows.with_transform(print)\n"
TRL = {"trl": "1.16.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains=r"uses `Dataset.with_transform|KeyError: '(prompt_|chosen_)?(input_)?ids",
    examples=(
        Bad(
            script("SFT", "model=model", before=LATER),
            "train.py",
            versions=TRL,
            says="with_transform changes the rows of train_dataset whenever they are read",
        ),
        Bad(
            script("DPO", "model='m'", before="rows.set_transform(print)\n"),
            "train.py",
            versions={"trl": "0.24.0"},
            says="set_transform changes the rows of train_dataset",
        ),
        Bad(
            script("SFT", "model='m'", before="rows = rows.with_transform(print)\n"),
            "train.py",
            versions=TRL,
            severity="warning",
            says="with_transform changes the rows",
        ),
        Good(
            script("SFT", "model=model", before=LATER.replace("with_transform", "map")),
            "train.py",
            versions=TRL,
        ),
        Good(
            script("SFT", "model=model", "dataset_kwargs={'skip_prepare_dataset': True}", LATER),
            "train.py",
            versions=TRL,
        ),
        Good(
            script("SFT", "model=model", before=f"{LATER}rows.reset_format()\n"),
            "train.py",
            versions=TRL,
        ),
        Good(script("GRPO", "model=model", before=LATER), "train.py", versions=TRL),
    ),
)
