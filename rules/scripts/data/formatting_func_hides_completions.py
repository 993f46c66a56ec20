"""formatting_func hides where the completion begins.

The function joins prompt and completion into one text, so the trainer cannot find the completion.
It refuses: "A formatting function was provided while `completion_only_loss=True`". By default this
argument is true for rows with the columns `prompt` and `completion`.

Remedy: use rows with `prompt` and `completion`, and no `formatting_func`, and apply what the
function adds to the prompt with `dataset.map`; or set `completion_only_loss=False`.

Versions: trl 0.18.0 and newer.

Seen: unsloth#4486, trl#3343, transformerlab-app#541. Reproduced with SFT of trl 0.24.0, and of
0.19.1 without `completion_only_loss`: it fails with this error when the trainer is created; without
the function, or with false, it trains. The source of 1.16.0 has the same check.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts, dataset
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trl_of
from trl_doctor.facts.script.passed import passed

from ..._recorded.scripts import LOCAL, script

KEY, FIRST = "completion_only_loss", Version("0.18.0")
PAIR = {"prompt", "completion"}


def check(facts: Facts) -> Iterator[Finding]:
    values = passed(facts)
    if known_trainer(facts) != "sft" or not values.has("formatting_func"):
        raise NotConcerned("only SFT with a formatting_func is affected")
    place, joins = values.places["formatting_func"], "formatting_func joins every row into one text"
    if facts.run.flag(KEY):
        yield Finding(place, f"{KEY} is on, but {joins}: SFTTrainer refuses both together")
    elif facts.run.arguments.get(KEY) is None and _completes(facts):
        yield Finding(
            place,
            f"the rows have prompt and completion, which turns {KEY} on, but {joins}: "
            "SFTTrainer refuses both together",
        )


def _completes(facts: Facts) -> bool:
    """Whether the trainer finds by itself that only the completions are to be trained."""
    trl = trl_of(facts)
    return trl is not None and trl >= FIRST and set(facts.get(dataset.columns) or ()) >= PAIR


def _files(config: str = "", column: str = "completion") -> dict[str, str]:
    files = script("SFT", "model='org/m', formatting_func=str", config, rows=LOCAL)
    return {**files, "rows.jsonl": f'{{"prompt": "a", "{column}": "b"}}\n'}


ONLY = "completion_only_loss=True"
TRL = {"trl": "0.24.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="formatting function was provided",
    examples=(
        Bad(
            script("SFT", "model='org/m', formatting_func=str", ONLY),
            "train.py",
            versions=TRL,
            says="SFTTrainer refuses both together",
        ),
        Bad(
            _files(),
            "train.py",
            versions=TRL,
            says="the rows have prompt and completion, which turns completion_only_loss on",
        ),
        Good(_files("completion_only_loss=False"), "train.py", versions=TRL),
        Good(_files(column="answer"), "train.py", versions=TRL),
        Good(_files(), "train.py", versions={"trl": "0.15.2"}),
        Good(script("SFT", "model='org/m'", ONLY), "train.py", versions=TRL),
        Good(script("SFT", "model='org/m', formatting_func=str"), "train.py", versions=TRL),
    ),
)
