"""Each process splits or shuffles the rows in its own way.

Every process of a training runs the whole script. Without a seed, `train_test_split` and `shuffle`
draw other numbers in each. The processes then divide the row numbers among them, but a number means
another row in each: some rows are trained on twice, others never, and rows that one process
evaluates on are trained on by another, so that the evaluation looks better than it is. In GRPO and
RLOO the completions of a group answer different prompts. There is no error.

Remedy: give a seed: `train_test_split(test_size=0.1, seed=42)`, `shuffle(seed=42)`; or call
`set_seed(42)` of transformers before.

Versions: every trl, with several processes. A rehearsal with several processes compares their rows;
without one, scripts are reported whose number of processes is known and that set no seed. Streams
are not reported.

Seen: reproduced with SFT of trl 0.24.0 and 1.16.0 and two processes (gloo): of 12 rows that process
0 evaluates on, process 1 trains on 8. With a seed none.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings, rehearsed
from trl_doctor.facts.rule import Bad, Examples, Good, Rule
from trl_doctor.facts.script.passed import passed
from trl_doctor.facts.script.syntax.seeds import drawn_without_seed

MOVED = (
    "the processes have the rows in different orders: of {1} rows that process 0 evaluates on, "
    "process 1 trains on {0}"
)


def check(facts: Facts) -> Iterator[Finding]:
    if rehearsed(facts):
        yield from mistake_findings(facts, {"rows of processes": MOVED})
        return
    run, values = facts.run, passed(facts)
    if not run.processes or run.processes < 2 or run.processes_assumed:
        raise NotConcerned("the run is not known to have several processes")
    for method, name in drawn_without_seed(facts):
        yield Finding(
            values.places[name],
            f"{method} has no seed: each of the {run.processes} processes has the rows in another "
            "order",
            remedy=f"give {method} a seed: {method}(…, seed=42)",
        )
        return


SCRIPT = """\
from datasets import load_dataset
from trl import SFTConfig, SFTTrainer
rows = load_dataset("org/rows", split="train")
split = rows.{}
trainer = SFTTrainer("org/m", SFTConfig("out"), train_dataset=split{})
trainer.train()
"""
JOB = "#!/bin/bash\ntorchrun --nproc_per_node 8 train.py\n"


def _job(step: str, part: str = "", before: str = "") -> dict[str, str]:
    return {"job.sh": JOB, "train.py": before + SCRIPT.format(step, part)}


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    train, says = "['train']", "train_test_split has no seed: each of the 8 processes has the rows"
    seeded = "from transformers import set_seed\nset_seed(1)\n"
    measured = "of 12 rows that process 0 evaluates on, process 1 trains on 8"
    return (
        Bad(_job("train_test_split(test_size=0.1)", train), "job.sh", says=says),
        Bad(_job("shuffle().select(range(100))"), "job.sh", says="shuffle has no seed"),
        Good(_job("train_test_split(test_size=0.1, seed=1)", train), "job.sh"),
        Good(_job("shuffle(42)"), "job.sh"),
        Good(_job("train_test_split(0.1, shuffle=False)", train), "job.sh"),
        Good(_job("shuffle()", before=seeded), "job.sh"),
        mistake("rows of processes", ("8", "12"), "train.py:5", measured),
        no_mistake(),
    )


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
