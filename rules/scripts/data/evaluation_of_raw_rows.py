"""The script evaluates on rows without tokens.

Older releases of TRL prepare rows only when the trainer is created: `train_dataset` and
`eval_dataset`. Rows that are only passed to `trainer.evaluate(…)` or `trainer.predict(…)` have no
tokens. The run fails after it has trained: "No columns in the dataset match the model's forward
method signature", "KeyError: 'KL_completion_input_ids'".

Remedy: pass the rows to the trainer as `eval_dataset`, and call `trainer.evaluate()`. Several sets
go into one dictionary: `eval_dataset={"easy": …, "hard": …}`.

Versions: SFT, DPO, KTO and the reward trainer of trl 0.12.2 to 0.24.0, ORPO of 0.24.0.

Seen: trl#6115. Reproduced with SFT, DPO, KTO and the reward trainer of trl 0.12.2, 0.15.2, 0.19.1
and 0.24.0: each fails in `evaluate(rows)`. GRPO of these and all of 1.16.0 evaluate.
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

FIRST, LAST = Version("0.12.2"), Version("0.24.0")
TRAINERS = ("sft", "dpo", "kto", "reward", "orpo")
CALLS = {"evaluate": "eval_dataset", "predict": "test_dataset"}
TOKENS = "input_ids"


def check(facts: Facts) -> Iterator[Finding]:
    values, name = passed(facts), known_trainer(facts)
    trl = facts.environment.known_version("trl")
    if name not in TRAINERS or not FIRST <= trl <= LAST:
        raise NotConcerned("what this trainer does with such rows is not known")
    if values.has("data_collator") or any(call in values.methods for call in CALLS):
        raise NotConcerned("the script makes the batches, or evaluates, itself")
    for method, argument in CALLS.items():
        for rows, guarded in values.firsts(method, argument):
            if as_loaded(rows):
                yield from _finding(facts, method, guarded)
                return


def _finding(facts: Facts, method: str, guarded: bool) -> Iterator[Finding]:
    rows = facts.get(own_rows)
    if any(key.endswith(TOKENS) for row in (rows or ())[:1] for key in row):
        return
    yield Finding(
        facts.run.place(),
        f"{method} gets rows without tokens: this trainer of trl "
        f"{facts.environment.version('trl')} prepares only the rows that it is created with",
        severity="warning" if guarded or rows is None else None,
    )


def _files(call: str, trainer: str = "Reward", given: str = "model='m'") -> dict[str, str]:
    (text,) = script(trainer, given, rows=LOCAL).values()
    code = text.replace(f"\n{trainer}Trainer(", f"\ntrainer = {trainer}Trainer(")
    return {"train.py": f"{code}{call}\n", "rows.jsonl": '{"chosen": "a", "rejected": "b"}\n'}


OLD = {"trl": "0.24.0"}
RAW = "trainer.evaluate(rows)"
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="No columns in the dataset match|KL_completion_input_ids",
    examples=(
        Bad(
            _files(RAW),
            "train.py",
            versions=OLD,
            says="evaluate gets rows without tokens: this trainer of trl 0.24.0 prepares only",
        ),
        Bad(
            _files("trainer.predict(rows.shuffle())", "DPO"),
            "train.py",
            versions={"trl": "0.12.2"},
            says="predict gets rows without tokens",
        ),
        Good(_files("trainer.evaluate()"), "train.py", versions=OLD),
        Good(_files("trainer.evaluate(trainer.eval_dataset)"), "train.py", versions=OLD),
        Good(_files("trainer.evaluate(rows.map(len))"), "train.py", versions=OLD),
        Good(_files(RAW, given="model='m', data_collator=print"), "train.py", versions=OLD),
        Good(_files(RAW), "train.py", versions={"trl": "1.16.0"}),
    ),
)
