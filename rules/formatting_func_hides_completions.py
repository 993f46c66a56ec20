"""formatting_func hides where the completion begins.

The function joins prompt and completion to one text, in which no completion can be told. The
trainer refuses: "A formatting function was provided while `completion_only_loss=True`".

Remedy: give rows with `prompt` and `completion`, and no `formatting_func`; what the function adds
can be written into the prompt by `dataset.map`.

Versions: trl 0.18.0 and newer.

Seen: unsloth#4486, trl#3343. Ran SFT with trl 0.24.0: it dies so where the trainer is made; without
the function it trains. The sources of 0.19.1 and 1.16.0 have the same check.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.passed import passed
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.special_tokens import known_trainer

from ._recorded.scripts import script


def check(facts: Facts) -> Iterator[Finding]:
    given = passed(facts)
    if known_trainer(facts) != "sft" or not facts.run.flag("completion_only_loss"):
        raise NotConcerned("a rule about SFT with completion_only_loss")
    if given.has("formatting_func"):
        yield Finding(
            given.places["formatting_func"],
            "completion_only_loss is on, and formatting_func makes one text of every row: "
            "SFTTrainer refuses both together",
        )


ONLY = "completion_only_loss=True"
TRL = {"trl": "0.24.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            script("SFT", "model='org/m', formatting_func=str", ONLY),
            "train.py",
            versions=TRL,
            says="SFTTrainer refuses both together",
        ),
        Good(script("SFT", "model='org/m'", ONLY), "train.py", versions=TRL),
        Good(script("SFT", "model='org/m', formatting_func=str"), "train.py", versions=TRL),
    ),
)
