"""RewardTrainer with your own collator cannot tokenize rows.

Up to trl 0.19.1 RewardTrainer tokenizes rows that have no `input_ids_chosen`, and then leaves out
those longer than `max_length`. It reads `max_length` only if it creates the collator itself. With
`data_collator=…` it fails while it is created: "cannot access free variable 'max_length'", or "'<='
not supported between instances of 'int' and 'NoneType'".

Remedy: leave `data_collator` out; or give the trainer rows with `input_ids_chosen`,
`attention_mask_chosen`, `input_ids_rejected` and `attention_mask_rejected`, made by `map` with the
tokenizer.

Versions: trl 0.12.2 to 0.19.1.

Seen: trl#3101. Reproduced with trl 0.12.2, 0.14.0, 0.15.2 and 0.19.1: each fails with rows of texts
and a collator, and trains with tokens.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rows.own import own_rows
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer
from trl_doctor.facts.script.passed import as_loaded, passed

from ..._recorded.scripts import LOCAL, script

FIRST, LAST = Version("0.12.2"), Version("0.19.1")
TOKENS = "input_ids_chosen"


def check(facts: Facts) -> Iterator[Finding]:
    values, trl = passed(facts), facts.environment.known_version("trl")
    if known_trainer(facts) != "reward" or not FIRST <= trl <= LAST:
        raise NotConcerned("only RewardTrainer of trl 0.12.2 to 0.19.1 is affected")
    if not values.has("data_collator") or not as_loaded(values.given("train_dataset")):
        return
    rows = facts.get(own_rows)
    if rows is None or not any(TOKENS in row for row in rows):
        yield Finding(
            values.places["data_collator"],
            f"RewardTrainer of trl {trl} tokenizes these rows itself, and cannot do so with a "
            "data_collator that is passed: it reads max_length only without one",
            severity="warning" if rows is None else None,
        )


def _files(
    given: str, row: str = '{"chosen": "a", "rejected": "b"}', more: str = ""
) -> dict[str, str]:
    files = script("Reward", f"model='m'{given}", before=more, rows=LOCAL)
    return {**files, "rows.jsonl": f"{row}\n"}


OWN, OLD = ", data_collator=print", {"trl": "0.15.2"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="max_length'|'int' and 'NoneType'",
    examples=(
        Bad(
            _files(OWN),
            "train.py",
            versions=OLD,
            says="RewardTrainer of trl 0.15.2 tokenizes these rows itself, and cannot do so with a",
        ),
        Bad(
            script("Reward", f"model='m'{OWN}"),
            "train.py",
            versions=OLD,
            says="it reads max_length only without one",
            severity="warning",
        ),
        Good(_files(""), "train.py", versions=OLD),
        Good(_files(OWN, '{"input_ids_chosen": [1]}'), "train.py", versions=OLD),
        Good(_files(OWN, more="rows = rows.map(len)\n"), "train.py", versions=OLD),
        Good(_files(OWN), "train.py", versions={"trl": "0.24.0"}),
    ),
)
