"""The data loader's workers have too little shared memory.

The workers pass each batch through /dev/shm, which has 64 MiB in a container by default. The run
fails in its first step, or later, at the first long batch.

Remedy: start the container with more (`--shm-size=8g`, or in Kubernetes a volume of medium Memory
at /dev/shm), or keep dataloader_num_workers at 0.

Versions: every release. Examined only on the machine that has the run's libraries; up to 64 MiB
count as too small.

Seen: reproduced with `python -m trl.scripts.sft`, trl 1.16.0, torch 2.13.0, dataloader_num_workers
2, with a /dev/shm of 64 KiB: "RuntimeError: unable to allocate shared memory(shm)"; with 64 MiB the
small run trains. NCCL and vLLM with several GPUs need it too; that was not tested.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.sizes import shown
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.surroundings import Surroundings, this_machine

LEAST = 64 * 1024**2
"""The default of a container."""


def check(facts: Facts) -> Iterator[Finding]:
    workers = facts.run.number("dataloader_num_workers") or 0
    if workers < 1:
        raise NotConcerned("the run loads its data in the training process")
    free = this_machine(facts).shared_memory()
    if free <= LEAST:
        yield Finding(
            facts.run.place("dataloader_num_workers"),
            f"{workers:g} workers pass batches through /dev/shm, which has {shown(free)} left",
        )


RUN: dict[str, Json] = {"trainer": "sft", "model_name_or_path": "m", "dataloader_num_workers": 2}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad({"run.json": RUN}, machine=Surroundings(shared=LEAST), says="has 64 MiB left"),
        Good({"run.json": RUN}, machine=Surroundings(shared=LEAST * 4)),
        Good({"run.json": {**RUN, "dataloader_num_workers": 0}}, machine=Surroundings(shared=0)),
        Good({"run.json": RUN}, skipped="no answers of probes"),
    ),
)
