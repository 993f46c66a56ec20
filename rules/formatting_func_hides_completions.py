"""formatting_func hides where the completion begins.

The function joins prompt and completion into one text, so the trainer cannot find the completion.
It refuses: "A formatting function was provided while `completion_only_loss=True`".

Remedy: use rows with `prompt` and `completion`, and no `formatting_func`; apply what the function
adds to the prompt with `dataset.map`.

Versions: trl 0.18.0 and newer.

Seen: unsloth#4486, trl#3343. Reproduced with SFT with trl 0.24.0: it fails with this error when the
trainer is created; without the function it trains. The sources of 0.19.1 and 1.16.0 have the same
check.
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
    values = passed(facts)
    if known_trainer(facts) != "sft" or not facts.run.flag("completion_only_loss"):
        raise NotConcerned("only SFT with completion_only_loss is affected")
    if values.has("formatting_func"):
        yield Finding(
            values.places["formatting_func"],
            "completion_only_loss is on, but formatting_func joins every row into one text: "
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
