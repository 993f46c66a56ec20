"""RewardTrainer of this release sets num_labels itself.

These releases load a model by its name with `num_labels=1`, and pass `model_init_kwargs` beside it.
If that has `num_labels`, too, the trainer ends before it loads the model: "got multiple values for
keyword argument 'num_labels'". The releases from 0.26.0 to 0.28.0 need the key.

Remedy: remove `num_labels` from `model_init_kwargs`.

Versions: trl 0.24.0 to 0.25.1, where the script gives RewardTrainer the name of a model.

Seen: reproduced with trl 0.24.0: "TypeError: … from_pretrained() got multiple values for keyword
argument 'num_labels'"; without the key the model has one score.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trl_of
from trl_doctor.facts.script.passed import passed, plain_text

from .._recorded.scripts import script

FIRST, FIXED = Version("0.24.0"), Version("0.26.0")
KEY, LABELS = "model_init_kwargs", "num_labels"


def check(facts: Facts) -> Iterator[Finding]:
    trl, values = trl_of(facts), passed(facts)
    if known_trainer(facts) != "reward":
        raise NotConcerned("only RewardTrainer is affected")
    if trl is None:
        raise Unavailable("the version of trl is not known")
    if not FIRST <= trl < FIXED:
        raise NotConcerned(f"only trl {FIRST} to 0.25.1 set {LABELS} in this way")
    options = facts.run.arguments.get(KEY)
    if not isinstance(options, dict) or LABELS not in options:
        return
    plain_text(values.values.get("model"))
    message = f"{KEY} has {LABELS}, which RewardTrainer of trl {trl} sets itself: the run ends"
    yield Finding(facts.run.place(KEY), message)


TWICE = "model_init_kwargs={'num_labels': 1}"
OLD = {"trl": "0.24.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="multiple values for keyword argument 'num_labels'",
    examples=(
        Bad(
            script("Reward", "model='org/m'", TWICE),
            "train.py",
            versions=OLD,
            says="model_init_kwargs has num_labels, which RewardTrainer of trl 0.24.0 sets itself",
        ),
        Good(script("Reward", "model='org/m'", TWICE), "train.py", versions={"trl": "0.26.0"}),
        Good(script("Reward", "model='org/m'", TWICE), "train.py", versions={"trl": "1.16.0"}),
        Good(script("Reward", "model='org/m'"), "train.py", versions=OLD),
        Good(
            script("Reward", "model='org/m'", "model_init_kwargs={'dtype': 'float32'}"),
            "train.py",
            versions=OLD,
        ),
        Good(
            script(
                "Reward",
                "model=model",
                TWICE,
                before="from transformers import AutoModelForSequenceClassification as A\n"
                "model = A.from_pretrained('org/m', num_labels=1)\n",
            ),
            "train.py",
            versions=OLD,
        ),
    ),
)
