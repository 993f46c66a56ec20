"""The best prefix cannot be loaded at the end.

A prefix with `prefix_projection=True` is computed by a small network while it trains, and saved as
the finished prefix. With `load_best_model_at_end` the trainer loads that into the network when all
steps are done: "When using prompt learning PEFT methods … setting load_best_model_at_end=True can
lead to errors" and a size mismatch. The run fails at its very end.

Remedy: leave `load_best_model_at_end` out and load the best checkpoint afterwards, with
`PeftModel.from_pretrained(base, checkpoint)`, or leave `prefix_projection` out.

Versions: reproduced with peft 0.21.2 and transformers 5.23.0; a warning for others.

Seen: peft#2256. Reproduced with SFT of trl 1.16.0. Prefixes without a projection, prompt tuning and
p-tuning are loaded.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import trl_of
from trl_doctor.facts.script.passed import adapter_config, passed, switch

from ..._recorded.scripts import script

CLASS, BEST, TESTED = "PrefixTuningConfig", "load_best_model_at_end", Version("1.16.0")


def check(facts: Facts) -> Iterator[Finding]:
    config, trl = adapter_config(passed(facts), CLASS), trl_of(facts)
    if config is None or not switch(config, "prefix_projection"):
        raise NotConcerned("the run trains no prefix with a projection")
    if facts.run.flag(BEST):
        yield Finding(
            facts.run.place(BEST),
            f"{BEST} is true: the saved prefix does not fit into the network that computes it, and "
            "the run fails at its end",
            severity=None if trl and trl >= TESTED else "warning",
        )


def _files(best: bool = True, more: str = ", prefix_projection=True") -> dict[str, str]:
    config = f"peft_config={CLASS}(num_virtual_tokens=4{more})"
    before = f"from peft import {CLASS}\n"
    return script("SFT", f"model='org/m', {config}", f"{BEST}={best}", before)


TRL = {"trl": "1.16.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="When using prompt learning PEFT methods",
    examples=(
        Bad(_files(), "train.py", TRL, says="the saved prefix does not fit into the network"),
        Bad(_files(), "train.py", {"trl": "0.24.0"}, says="at its end", severity="warning"),
        Good(_files(best=False), "train.py", TRL),
        Good(_files(more=""), "train.py", TRL),
    ),
)
