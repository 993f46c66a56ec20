"""Splitting vLLM over GPUs can hang with an adapter.

With an adapter the gradients of a step are small, and the GPUs can still be exchanging them when
the engine starts its own communication. On GPUs without NVLink generation then waits forever.
Nothing is logged.

Remedy: install trl 1.7.1 or newer, or set vllm_tensor_parallel_size to 1.

Versions: trl 0.18.0 to 1.7.0, in colocate mode. From 1.7.1 on the processes wait for each other
before they generate.

Seen: trl#3671, trl#6139, trl#6187. Found in the sources of 1.7.0 and 1.7.1; not reproduced, because
it needs two GPUs.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.vllm.engine import colocated, whole_number

from .._recorded.candidate import RUN_VLLM

SIZE = "vllm_tensor_parallel_size"
FIXED = Version("1.7.1")


def check(facts: Facts) -> Iterator[Finding]:
    settings = colocated(facts)
    size = whole_number(facts, settings, SIZE) or 1
    if size == 1 or not facts.run.flag("use_peft"):
        raise NotConcerned("only an adapter with an engine on several GPUs is affected")
    if settings.trl < FIXED:
        yield Finding(
            facts.run.place(SIZE),
            f"{SIZE} {size} with an adapter can hang in trl {settings.trl} on GPUs without NVLink",
            evidence=(f"fixed in trl {FIXED}",),
        )


SPLIT: dict[str, Json] = {**RUN_VLLM, "use_peft": True, SIZE: 2}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            {"run.json": SPLIT},
            versions={"trl": "1.7.0"},
            says="vllm_tensor_parallel_size 2 with an adapter can hang in trl 1.7.0",
        ),
        Good({"run.json": SPLIT}, versions={"trl": "1.7.1"}),
        Good({"run.json": {**SPLIT, SIZE: 1}}, versions={"trl": "1.7.0"}),
        Good({"run.json": {**SPLIT, "use_peft": False}}, versions={"trl": "1.7.0"}),
        Good({"run.json": {**SPLIT, "vllm_mode": "server"}}, versions={"trl": "0.24.0"}),
    ),
)
