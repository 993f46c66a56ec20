"""This vLLM cannot read the names of the GPUs.

Clusters set `CUDA_VISIBLE_DEVICES=GPU-…` or `MIG-…`. vLLM up to 0.22.1 calls `int()` on such a
name: "invalid literal for int() with base 10", after the trainer has loaded its model.

Remedy: name the GPUs by number, with `CUDA_DEVICE_ORDER=PCI_BUS_ID`; or install vLLM 0.23.0 or
newer.

Versions: vLLM up to 0.22.1. The variable is that of the run file's `env`, else of this shell.

Seen: read in vLLM's sources (`device_id_to_physical_device_id`); not tested on a GPU.
"""

import os
from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.facts import Facts
from trl_doctor.facts.launch.hardware import READS_NUMBERS
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.vllm.engine import started_by_run

from .._recorded.candidate import CONFIG, RUN_VLLM, TOKENIZER, under

VARIABLE = "CUDA_VISIBLE_DEVICES"


def check(facts: Facts) -> Iterator[Finding]:
    started_by_run(facts)
    version = facts.environment.version("vllm")
    env = facts.run.arguments.get("env")
    own = env.get(VARIABLE) if isinstance(env, dict) else None
    value = str(own) if own is not None else os.environ.get(VARIABLE, "")
    names = [name.strip() for name in value.split(",") if name.strip().startswith(("GPU-", "MIG-"))]
    if names and version and version <= READS_NUMBERS:
        yield Finding(
            facts.run.place(*(["env", VARIABLE] if own is not None else ["use_vllm"])),
            f"{VARIABLE} names {names[0]}, which vllm {version} reads as a number",
            evidence=("ValueError: invalid literal for int() with base 10",),
        )


NAMED: dict[str, Json] = {**RUN_VLLM, "env": {VARIABLE: "GPU-5f3a"}}
MODEL = under("model", TOKENIZER, CONFIG)
OLD = {"trl": "1.16.0", "vllm": "0.22.1"}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            {"run.json": NAMED, **MODEL},
            versions=OLD,
            says="names GPU-5f3a, which vllm 0.22.1 reads as a number",
        ),
        Good({"run.json": NAMED, **MODEL}, versions={**OLD, "vllm": "0.23.0"}),
        Good({"run.json": {**RUN_VLLM, "env": {VARIABLE: "0"}}, **MODEL}, versions=OLD),
    ),
)
