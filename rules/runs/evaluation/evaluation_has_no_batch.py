"""The evaluation rows do not fill one batch, and are dropped.

`dataloader_drop_last` also drops incomplete batches of the evaluation. With fewer rows than one
batch the evaluation has no loss. A run that chooses its best checkpoint by the loss fails at the
first evaluation: "The `metric_for_best_model` training argument is set to 'eval_loss', which is not
found". Other runs log no evaluation.

Remedy: make per_device_eval_batch_size smaller, or add evaluation rows, or set
`dataloader_drop_last: false`.

Versions: every trl. GRPO and RLOO count completions: rows times `num_generations_eval`, or
`num_generations` if that is not set.

Seen: reproduced with `trl sft`, 4 evaluation rows and the usual batch of 8, trl 1.16.0 and 0.24.0:
with `load_best_model_at_end` the error above; with 8 rows both runs succeed. `trl dpo` with 3 rows
fails in the same way, and succeeds after the repair. GRPO with 3 rows and 2 generations fails in
the same way with trl 0.15.2, 0.24.0 and 1.16.0.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Fix, Json, Put, Severity, pointer
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.unknown import no_other_program
from trl_doctor.facts.measured.data import test_count
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.training.batches import process_count
from trl_doctor.facts.training.evaluating import KEYS, evaluates
from trl_doctor.facts.training.generations import GROUPED, whole_argument
from trl_doctor.facts.training.sampling import SINCE

BATCH = "per_device_eval_batch_size"
CHOOSES = ("load_best_model_at_end", "save_strategy")


def check(facts: Facts) -> Iterator[Finding]:
    run = facts.run
    if (
        run.script.passed is not None
        or not _evaluates(facts)
        or not run.flag("dataloader_drop_last")
    ):
        raise NotConcerned("no command that drops the last batch of an evaluation")
    if isinstance(run.trainer, Unavailable):
        raise run.trainer
    no_other_program(facts)
    name, trl = run.trainer.name, facts.environment.version("trl")
    if name == "ppo" or (name == "rloo" and trl and trl < SINCE[name]):
        raise NotConcerned("this trainer evaluates in its own way")
    processes = run.processes or 1
    batch, rows = whole_argument(facts, BATCH, 8), test_count(facts) * _completions(facts, name)
    if rows >= batch * processes:
        return
    best = [key for key in CHOOSES if run.flag(key) or run.arguments.get(key) == "best"]
    fails = bool(best) and "loss" in str(run.arguments.get("metric_for_best_model") or "loss")
    fix = None
    if rows >= processes and (name not in GROUPED or rows % processes == 0):
        place = run.place(BATCH)
        edit = Put(place.file, pointer(BATCH), rows // processes)
        fix = Fix(f"set {BATCH} to {rows // processes}", (edit,), safe=False)
    end = (
        "the run fails at its first evaluation, which has no eval_loss"
        if fails
        else "no evaluation has a loss"
    )
    kind = "completions" if name in GROUPED else "rows"
    milder: Severity | None = None if fails else "warning"
    yield Finding(
        run.place("dataloader_drop_last"),
        f"dataloader_drop_last drops all {rows} evaluation {kind}, fewer than a batch of "
        f"{batch} x {process_count(processes)}: {end}",
        evidence=tuple(f"{key}: {str(run.arguments[key]).lower()}" for key in best if fails),
        fix=fix,
        severity=milder,
    )


def _completions(facts: Facts, name: str) -> int:
    """How many completions the trainer generates of each evaluation row, 1 if none."""
    trained = whole_argument(facts, "num_generations", 8)
    return whole_argument(facts, "num_generations_eval", trained) if name in GROUPED else 1


def _evaluates(facts: Facts) -> bool:
    arguments = facts.run.arguments
    return any(evaluates(arguments.get(key)) for key in KEYS)


ROW = '{"text": "The sea was calm."}\n'
RUN: dict[str, Json] = {
    "trainer": "sft",
    "model_name_or_path": "m",
    "dataset_name": "data",
    "dataloader_drop_last": True,
    "eval_strategy": "steps",
}
BEST: dict[str, Json] = {**RUN, "load_best_model_at_end": True}
GRPO: dict[str, Json] = {**BEST, "trainer": "grpo", "num_generations": 2}
TRL = {"trl": "1.16.0"}


def _files(run: dict[str, Json], rows: int) -> dict[str, Json]:
    return {"run.json": run, "data/train.jsonl": ROW * 20, "data/test.jsonl": ROW * rows}


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            _files(BEST, 3),
            versions=TRL,
            says="drops all 3 evaluation rows, fewer than a batch of 8 x 1 process: the run fails",
            fixed={"run.json": {**BEST, BATCH: 3}},
        ),
        Bad(
            _files(RUN, 3),
            versions=TRL,
            says="no evaluation has a loss",
            severity="warning",
            fixed={"run.json": {**RUN, BATCH: 3}},
        ),
        Bad(
            _files(GRPO, 3),
            versions=TRL,
            says="drops all 6 evaluation completions, fewer than a batch of 8 x 1 process",
            fixed={"run.json": {**GRPO, BATCH: 6}},
        ),
        Good(_files({**GRPO, "num_generations_eval": 4}, 3), versions=TRL),
        Good(_files(BEST, 8), versions=TRL),
        Good(_files({**BEST, BATCH: 2}, 3), versions=TRL),
        Good(_files({**BEST, "dataloader_drop_last": False}, 3), versions=TRL),
        Good(_files({**BEST, "dataset_name": "a/b"}, 3), versions=TRL, skipped="how many rows"),
    ),
)
