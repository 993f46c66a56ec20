"""The vLLM server would get packed 4-bit weights.

A 4-bit base holds each matrix as a column of bytes. TRL merges the adapter into it and sends what
it finds under each name: (2048, 1) of uint8 for a matrix of (64, 64). The server expects the matrix
itself. Its completions would come from wrong weights, or the first update fails.

Remedy: load the base without quantization, or generate without vLLM (`use_vllm: false`).

Versions: trl 0.26.0 and newer in server mode with an adapter; others were not tested.

Seen: trl 1.16.0, peft 0.21.2 and bitsandbytes 0.50.2 on a CPU: after `merge_adapter`, which TRL
calls before it sends, the parameters of the tiny Llama are uint8 of (2048, 1). A server was not
asked: that is why this is a warning.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.model.quantisation import quantised
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.vllm.engine import engine

from .._recorded.candidate import RUN_VLLM

SINCE, KEY = Version("0.26.0"), "load_in_4bit"


def check(facts: Facts) -> Iterator[Finding]:
    settings = engine(facts)
    if settings.mode != "server" or settings.trl < SINCE:
        raise NotConcerned("only a vLLM server with trl 0.26.0 or newer is affected")
    if not facts.run.flag("use_peft"):
        raise NotConcerned("the run trains no adapter")
    kind = quantised(facts)
    if kind.startswith("4-bit"):
        yield Finding(
            facts.run.place(KEY if KEY in facts.run.arguments else "use_vllm"),
            f"the base is quantized ({kind}), and TRL sends its packed bytes to the vLLM server "
            "in place of the merged matrices",
        )


ON: dict[str, Json] = {**RUN_VLLM, "vllm_mode": "server", "use_peft": True, KEY: True}
NEW = {"trl": "1.16.0"}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad({"run.json": ON}, versions=NEW, says="the base is quantized (4-bit bitsandbytes)"),
        Good({"run.json": {**ON, KEY: False}}, versions=NEW),
        Good({"run.json": {**ON, "vllm_mode": "colocate"}}, versions=NEW),
        Good({"run.json": {**ON, "use_peft": False}}, versions=NEW),
    ),
)
