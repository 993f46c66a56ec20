"""The run evaluates, but has no evaluation data.

A script fails when it creates the trainer, after the model was loaded: "You have set
`args.eval_strategy` to steps but you didn't pass an `eval_dataset` to `Trainer`". TRL's command
fails on a folder without rows for evaluation: "KeyError: 'test'".

PPO and RLOO sample for their evaluation data after the first update, also without `eval_strategy`:
"object of type 'NoneType' has no len()".

A script that calls `trainer.evaluate()` after the training fails there: "Trainer: evaluation
requires an eval_dataset". What is trained is lost if it is saved after that.

Remedy: pass an `eval_dataset` to the trainer, for example a part from `train_test_split`; add a
file test.jsonl to the folder, or name its split in `dataset_test_split`; or remove `eval_strategy`
and the call of `evaluate()`. For PPO and RLOO set `num_sample_generations=0` in the config.

Versions: every trl with transformers 4.46 or newer. PPO up to trl 0.24.0, RLOO before 0.22.0.

Seen: trl#2152. Reproduced with SFT without evaluation data with trl 0.12.2, 0.24.0 and 1.16.0: all
three fail with this error; with `eval_dataset` all three evaluate. `trl sft` of 0.24.0 and
1.16.0 on a folder with train.jsonl alone: "KeyError: 'test'". PPO with trl 0.12.2 and 0.15.2, RLOO
with 0.15.2 and 0.19.1 (trl#3825) fail without `eval_dataset`; PPO of 1.12.0 does not.
`trainer.evaluate()` with SFT of trl 0.24.0 (InstructABSA#22) and 1.16.0.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from packaging.version import Version

from trl_doctor.core.finding import Finding, Json, Place
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts, dataset
from trl_doctor.facts.arguments.unknown import no_other_program, unknown_arguments
from trl_doctor.facts.measured.rehearsal import rehearsal
from trl_doctor.facts.model.ppo import by_loop
from trl_doctor.facts.rule import Bad, Examples, Good, Rule
from trl_doctor.facts.script.passed import passed
from trl_doctor.facts.training.evaluating import KEYS, asks_for_evaluation, evaluates

from ..._recorded.scripts import script

if TYPE_CHECKING:
    from trl_doctor.probes.answers.rehearse import RehearsalAnswer

SAMPLES = {"ppo": Version("0.24.1"), "rloo": Version("0.22.0")}
"""The trainers that sample for the evaluation data, with the first trl that does not need them."""


def check(facts: Facts) -> Iterator[Finding]:
    arguments = facts.run.arguments
    tried = facts.get(rehearsal)
    if _samples(facts) and not _has_rows(facts, tried):
        yield Finding(
            facts.run.place("num_sample_generations"),
            "the trainer gets no eval_dataset, and num_sample_generations samples for its rows",
            remedy="pass an eval_dataset, or set num_sample_generations=0",
        )
        return
    if (place := _asked_by_script(facts)) and not _has_rows(facts, tried):
        text = "the script calls evaluate() of a trainer that gets no eval_dataset"
        yield Finding(place, text, remedy="pass an eval_dataset to the trainer")
        return
    key = next((key for key in KEYS if key in arguments), "")
    if not evaluates(arguments.get(key)):
        raise NotConcerned("the run does not evaluate (eval_strategy)")
    if tried is None and facts.run.script.passed is None:
        yield from _of_command(facts, key)
        return
    if not _has_rows(facts, tried):
        yield Finding(
            facts.run.place(key),
            f"{key} is {arguments[key]}, but the trainer gets no eval_dataset",
            remedy="pass an eval_dataset, for example a part from train_test_split, or remove "
            f"{key}",
        )


def _has_rows(facts: Facts, tried: "RehearsalAnswer | None") -> bool:
    """Whether the trainer is given rows to evaluate on."""
    if tried is None:
        return passed(facts).has("eval_dataset")
    if tried.training_rows is None:
        raise NotConcerned("no trainer was built")
    return tried.training_rows.evaluation is not None


def _asked_by_script(facts: Facts) -> Place | None:
    """Where a script calls `trainer.evaluate()`, if this trainer takes its rows from the script."""
    trainer, passed = facts.run.trainer, facts.run.script.passed
    if passed is None or isinstance(trainer, Unavailable) or trainer.name in SAMPLES:
        return None
    return asks_for_evaluation(facts, passed)


def _samples(facts: Facts) -> bool:
    """Whether a script's trainer samples for its evaluation data after the first update."""
    run, trl = facts.run, facts.environment.version("trl")
    if not run.by_class or trl is None or isinstance(run.trainer, Unavailable) or by_loop(facts):
        return False
    until = SAMPLES.get(run.trainer.name)
    return bool(until and trl < until and run.number("num_sample_generations", 10) != 0)


def _of_command(facts: Facts, key: str) -> Iterator[Finding]:
    """A folder whose files have no rows for the evaluation of TRL's own command."""
    run = facts.run
    no_other_program(facts)
    if isinstance(run.trainer, Unavailable):
        raise run.trainer
    if run.trainer.name not in COMMANDS:
        raise NotConcerned("trl has no command for this trainer")
    if unknown_arguments(facts).script:
        raise Unavailable("the run file is for another script than TRL's own")
    dataset_name, split = run.arguments.get("dataset_name"), run.arguments.get("dataset_test_split")
    if (
        run.arguments.get("datasets")
        or not isinstance(dataset_name, str)
        or split not in (None, "test")
    ):
        raise NotConcerned("the run names no folder whose file names show the splits")
    folder = dataset.existing_path(facts, dataset_name)
    if folder is None:
        raise dataset.not_on_this_machine(dataset_name)
    names = [file.name.lower() for file in folder.iterdir()] if folder.is_dir() else []
    rows = [name for name in names if name.endswith(ROWS)]
    others = [name for name in names if name not in rows and not name.startswith(".")]
    if not rows or others:
        raise Unavailable(f"the file names do not show which splits {dataset_name} has")
    if not any(word in name for name in rows for word in TESTS):
        yield Finding(
            run.place(key),
            f"{key} is {run.arguments[key]}, but {dataset_name} has no rows for it: `trl` takes "
            f"the split test, and its files are {', '.join(sorted(rows)[:3])}",
            remedy="add a file test.jsonl to the folder, name its split in dataset_test_split, or "
            f"remove {key}",
        )


COMMANDS = ("sft", "dpo", "kto", "reward", "grpo", "rloo")
ROWS = (".jsonl", ".json", ".csv", ".parquet")
TESTS = ("test", "eval")
"""What `datasets` looks for in the name of a file of test rows: also testing, evaluation."""


TRL = {"trl": "1.16.0"}
STEPS = "eval_strategy='steps'"
RUN: dict[str, Json] = {
    "trainer": "sft",
    "model_name_or_path": "m",
    "dataset_name": "data",
    "eval_strategy": "steps",
}
ROW = '{"text": "The sea was calm."}\n'


def _then(after: str, given: str = "model='org/m'") -> dict[str, str]:
    """A script that does this to its trainer."""
    *head, call = script("SFT", given)["train.py"].splitlines()
    return {"train.py": "\n".join((*head, f"trainer = {call}", "trainer.train()", after, ""))}


READ: Examples = (
    Bad(_then("print(trainer.evaluate())"), "train.py", versions=TRL, says="calls evaluate() of"),
    *(
        Good(_then(after), "train.py", versions=TRL)
        for after in (
            "trainer.evaluate(rows)",
            "trainer.eval_dataset = rows\ntrainer.evaluate()",
            "try:\n    trainer.evaluate()\nexcept ValueError:\n    pass",
            "if rows.info:\n    trainer.evaluate()",
        )
    ),
    Good(_then("trainer.evaluate()", "model='m', eval_dataset=rows"), "train.py"),
    Bad(
        script("SFT", "model='org/m'", STEPS),
        "train.py",
        versions=TRL,
        says="eval_strategy is steps, but the trainer gets no eval_dataset",
    ),
    Bad(
        script("DPO", "model='org/m', eval_dataset=None", STEPS),
        "train.py",
        versions=TRL,
        says="no eval_dataset",
    ),
    Good(script("SFT", "model='org/m', eval_dataset=rows", STEPS), "train.py", versions=TRL),
    Bad(
        script("RLOO", "policy='org/m'"),
        "train.py",
        versions={"trl": "0.19.1"},
        says="num_sample_generations samples for its rows",
    ),
    Good(
        script("RLOO", "policy='org/m'", "num_sample_generations=0"),
        "train.py",
        versions={"trl": "0.19.1"},
    ),
    Good(script("PPO", "policy='org/m'"), "train.py", versions={"trl": "1.12.0"}),
    Good(script("SFT", "model='org/m'"), "train.py", versions=TRL),
    Bad(
        {"run.json": RUN, "data/train.jsonl": ROW},
        versions=TRL,
        says="eval_strategy is steps, but data has no rows for it",
    ),
    Good({"run.json": RUN, "data/train.jsonl": ROW, "data/test.jsonl": ROW}, versions=TRL),
    Good(
        {"run.json": RUN, "data/train.jsonl": ROW, "data/README.md": "---\n"},
        versions=TRL,
        skipped="do not show which splits",
    ),
    Good(
        script("SFT", "model='org/m', **more()", STEPS),
        "train.py",
        versions=TRL,
        skipped="whether eval_dataset is given is not known",
    ),
)


def examples() -> Examples:
    from trl_doctor.probes.answers.rehearse import TrainingRows

    from ..._recorded.rehearsal import rehearsed

    return (
        *READ,
        Bad(
            {"run.json": {**RUN, "datasets": []}},
            versions=TRL,
            level="rehearsal",
            answers=rehearsed(training_rows=TrainingRows(evaluation=None)),
            says="eval_strategy is steps, but the trainer gets no eval_dataset",
        ),
        Good(
            {"run.json": {**RUN, "datasets": []}},
            versions=TRL,
            level="rehearsal",
            answers=rehearsed(training_rows=TrainingRows(evaluation=("text",))),
        ),
    )


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="pass an `eval_dataset`|KeyError: 'test'",
    examples=examples,
)
