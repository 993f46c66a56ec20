"""The reward model is loaded without num_labels=1.

By default `AutoModelForSequenceClassification` has two labels, but a reward is one number. Newer
releases refuse the model; older ones train both scores, and the saved model cannot be used as a
reward model.

Remedy: use `AutoModelForSequenceClassification.from_pretrained(…, num_labels=1)`, or pass the
model's name to the trainer.

Versions: trl 1.12.0 to 1.16.0 refuse it; 0.12.2 and 0.24.0 train two scores.

Seen: trl#5087, trl#5066. Reproduced with the reward trainer on such a model: trl 1.16.0 names
`num_labels` and fails, 0.12.2 and 0.24.0 train. With `num_labels=1` all three train.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.model_files import model_config
from trl_doctor.facts.passed import loaded_as, passed
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.special_tokens import known_trainer

from ._recorded.scripts import script

KEY, LOADER = "num_labels", "AutoModelForSequenceClassification"


def check(facts: Facts) -> Iterator[Finding]:
    values = passed(facts)
    if known_trainer(facts) != "reward":
        raise NotConcerned("only the reward trainer is affected")
    call = loaded_as(values.given("model"), LOADER)
    if call is None or call.argument(KEY) is not None or call.argument("config") is not None:
        return
    config = facts.at(facts.run.policy).get(model_config)
    labels = config.get("id2label") if config else None
    scores = len(labels) if isinstance(labels, dict) else 2
    if scores != 1:
        yield Finding(
            values.places["model"],
            f"{LOADER} is loaded without {KEY}=1: it returns {scores} scores, "
            "but a reward is one number",
        )


MODEL = f"from transformers import {LOADER} as A\nmodel = A.from_pretrained('m'{{}})\n"
TRL = {"trl": "1.16.0"}
ONE = {"m/config.json": {"model_type": "llama", "id2label": {"0": "good"}}}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            script("Reward", "model=model", before=MODEL.format("")),
            "train.py",
            versions=TRL,
            says="is loaded without num_labels=1: it returns 2 scores",
        ),
        Good(
            script("Reward", "model=model", before=MODEL.format(", num_labels=1")),
            "train.py",
            versions=TRL,
        ),
        Good(
            script("Reward", "model=model", before=MODEL.format("")) | ONE, "train.py", versions=TRL
        ),
        Good(script("Reward", "model='m'"), "train.py", versions=TRL),
    ),
)
