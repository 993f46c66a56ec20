"""Processes get different numbers of batches.

accelerate repeats rows so that every process has as many batches as the others. With `even_batches:
false` it does not: if the last round of batches is not complete, some processes take one step more
than others. At the end of the first epoch they wait for gradients that no process sends, until the
communication times out.

Remedy: set `even_batches: true`, or drop the last round with `dataloader_drop_last: true`.

Versions: every trl whose TrainingArguments have accelerator_config.

Seen: reproduced with SFT in two processes on the CPU (gloo), trl 1.16.0, batches of 2: 101 and 97
rows end with "Connection closed by peer" on rank 0 after the last whole round; 100 rows, and 101
with `even_batches: true`, reach the end.
"""

import math
from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Fix, Json, Put, pointer
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.unknown import no_other_program
from trl_doctor.facts.measured.data import count
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.training.generations import GROUPED, whole_argument

KEY, EVEN = "accelerator_config", "even_batches"


def check(facts: Facts) -> Iterator[Finding]:
    run = facts.run
    size, processes = run.arguments.get(KEY), run.processes or 1
    if not isinstance(size, dict) or EVEN not in size or processes < 2:
        raise NotConcerned("several processes with even_batches are not configured")
    if size[EVEN] is not False:
        return
    if isinstance(run.trainer, Unavailable):
        raise run.trainer
    no_other_program(facts)
    if run.flag("dataloader_drop_last") or run.trainer.name in (*GROUPED, "ppo"):
        raise NotConcerned("only whole rounds of batches are used")
    if run.flag("packing") or run.flag("group_by_length") or size.get("split_batches"):
        raise Unavailable("how many batches there are is not known")
    rows, batch = count(facts), whole_argument(facts, "per_device_train_batch_size", 8)
    batches = math.ceil(rows / batch)
    steps = run.number("max_steps") or -1
    rounds = steps * whole_argument(facts, "gradient_accumulation_steps", 1)
    if batches % processes == 0 or 0 < rounds <= batches // processes:
        return
    edit = Put(run.place(KEY).file, pointer(KEY, EVEN), True)
    yield Finding(
        run.place(KEY, EVEN),
        f"{rows} rows are {batches} batches of {batch}, not a whole number for each of {processes} "
        "processes: at the end of the first epoch some wait for the others forever",
        fix=Fix(f"set {EVEN} to true", (edit,)),
    )


ROW = '{"text": "The sea was calm."}\n'
TRL = {"trl": "1.16.0"}


def _files(rows: int, more: dict[str, Json] | None = None, **settings: Json) -> dict[str, Json]:
    run: dict[str, Json] = {
        "trainer": "sft",
        "model_name_or_path": "m",
        "dataset_name": "data",
        "num_processes": 2,
        "per_device_train_batch_size": 2,
        KEY: {EVEN: False, **settings},
    }
    return {"run.json": {**run, **(more or {})}, "data/train.jsonl": ROW * rows}


MENDED = {**_files(9), "run.json": _files(9, {KEY: {EVEN: True}})["run.json"]}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            _files(9),
            versions=TRL,
            says="9 rows are 5 batches of 2, not a whole number for each of 2 processes",
            fixed={"run.json": MENDED["run.json"]},
        ),
        Good(_files(8), versions=TRL),
        Good(_files(7), versions=TRL),
        Good(MENDED, versions=TRL),
        Good(_files(9, {"dataloader_drop_last": True}), versions=TRL),
        Good(_files(9, {"num_processes": 1}), versions=TRL),
        Good(_files(9, {"max_steps": 2}), versions=TRL),
        Good(_files(9, split_batches=True), versions=TRL, skipped="how many batches"),
    ),
)
