"""The reward functions need one processing class each.

`reward_processing_classes` needs one tokenizer for each reward model, and None for each function
that is not a model. Newer releases refuse another number. In older ones a single tokenizer is taken
for the first function only, and all others always give 0: there is no warning.

Remedy: leave `reward_processing_classes` out if no reward is a model; or give a list as long as
`reward_funcs`.

Versions: every trl with GRPOTrainer. 0.14 to 0.15.2 ignore the other functions, 0.24.0 and newer
refuse it.

Seen: trl#2839. Reproduced with GRPO with two functions and one tokenizer: trl 0.15.2 logs
`rewards/other` 0.0, though the function returns more; without the tokenizer it logs its rewards.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer
from trl_doctor.facts.script.passed import count, passed

from .._recorded.scripts import script

KEY = "reward_processing_classes"


def check(facts: Facts) -> Iterator[Finding]:
    values = passed(facts)
    if known_trainer(facts) not in ("grpo", "rloo") or not values.has(KEY):
        raise NotConcerned(f"the script passes no {KEY} to GRPO or RLOO")
    classes, functions = count(values.given(KEY)), count(values.given("reward_funcs"))
    if classes is not None and functions is not None and classes != functions:
        yield Finding(
            values.places[KEY],
            f"{KEY} has {classes}, but there are {functions} reward functions: the others are "
            "left out, or the trainer refuses",
            remedy=f"remove {KEY}, or give one for each reward function, None where it is no model",
        )


FUNCTIONS = "def score(**kwargs):\n    return []\ndef other(**kwargs):\n    return []\n"
TOKENIZER = (
    f"{FUNCTIONS}from transformers import AutoTokenizer\n"
    "tokenizer = AutoTokenizer.from_pretrained('org/m')\n"
)
TWO = "model='org/m', reward_funcs=[score, other]"
TRL = {"trl": "0.15.2"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="reward processing classes",
    examples=(
        Bad(
            script("GRPO", f"{TWO}, {KEY}=tokenizer", before=TOKENIZER),
            "train.py",
            versions=TRL,
            says="has 1, but there are 2 reward functions",
        ),
        Good(
            script("GRPO", f"{TWO}, {KEY}=[None, None]", before=TOKENIZER), "train.py", versions=TRL
        ),
        Good(
            script("GRPO", f"model='org/m', reward_funcs=score, {KEY}=tokenizer", before=TOKENIZER),
            "train.py",
            versions=TRL,
        ),
        Good(script("GRPO", TWO, before=TOKENIZER), "train.py", versions=TRL),
    ),
)
