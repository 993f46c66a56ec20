"""The rows are divided among the processes twice.

The script gives each process a part of its own, `dataset.shard(world_size, rank)`. The trainer's
data loader divides what it gets among the processes again. With N processes each trains on one row
of N² only, the run is N times shorter, and most rows are never seen. There is no error.

Remedy: give every process the whole data set, and let the trainer divide it.

Versions: every trl. With one process nothing is lost.

Seen: reproduced with SFT of trl 1.16.0 and two processes (gloo): of 64 rows 32 are seen, in 4
steps; without `shard` all 64 in 8 steps.
"""

import ast
import re
from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.script.passed import chain, passed
from trl_doctor.facts.script.syntax.method_calls import calls_of_methods

from ..._recorded.scripts import script

RANK = re.compile(r"rank|process_index", re.IGNORECASE)


def check(facts: Facts) -> Iterator[Finding]:
    values = passed(facts)
    links = {call.short for call in chain(values.given("train_dataset"))}
    by_rank = any(
        call.method == "shard" and RANK.search(ast.unparse(call.node))
        for call in facts[calls_of_methods]
    )
    by_node = "split_dataset_by_node" in links
    if by_node or ("shard" in links and by_rank):
        method = "split_dataset_by_node" if by_node else "shard"
        yield Finding(
            values.places["train_dataset"],
            f"{method} gives each process its own rows, and the trainer divides them among the "
            "processes again: most rows are never seen",
            remedy=f"remove the call of {method}",
        )


def _rows(*lines: str) -> dict[str, str]:
    before = "import os\nrank = int(os.environ.get('RANK', 0))\n" + "\n".join(lines) + "\n"
    return script("SFT", "model='org/m'", before=before)


RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            _rows("rows = rows.shard(num_shards=8, index=rank)"),
            "train.py",
            says="shard gives each process its own rows, and the trainer divides them",
        ),
        Bad(
            _rows(
                "from datasets.distributed import split_dataset_by_node",
                "rows = split_dataset_by_node(rows, rank=rank, world_size=8)",
            ),
            "train.py",
            says="split_dataset_by_node gives each process",
        ),
        Good(_rows("rows = rows.shard(num_shards=8, index=0)"), "train.py"),
        Good(_rows("rows = rows.shuffle(seed=1)"), "train.py"),
    ),
)
