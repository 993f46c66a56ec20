"""The weights are float16, and fp16 is on.

`fp16: true` means mixed precision: the weights are float32, and a scaler multiplies the loss so
that small gradients survive. The scaler refuses gradients in float16. The first step of the
optimizer fails on a GPU: "Attempting to unscale FP16 gradients."

Remedy: load the weights in float32 (`dtype: float32`) and keep `fp16: true`; or use `bf16: true` if
the GPU has it.

Versions: every release. An adapter is not concerned: PEFT keeps its weights in float32.

Seen: transformers#30559, LLM-Dojo#11. The scaler of torch 2.13.0 refuses such gradients on a CPU,
too; a whole run was not tested, because fp16 needs a GPU. So this is a warning.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Fix, Json, Put, pointer
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.unknown import known_to_trl
from trl_doctor.facts.measured.weights_that_move import refuse_copies, stated_dtype
from trl_doctor.facts.rule import Bad, Good, Rule

from ..._recorded.candidate import CONFIG, candidate, config_files

HALF = ("float16", "fp16", "half")


def check(facts: Facts) -> Iterator[Finding]:
    run, (trainer, accepted) = facts.run, known_to_trl(facts)
    if not run.flag("fp16"):
        raise NotConcerned("fp16 is off")
    if run.flag("use_peft"):
        raise NotConcerned("an adapter is trained, in float32")
    route, dtype = stated_dtype(facts, accepted)
    if dtype not in HALF:
        return
    refuse_copies(facts)
    edit = Put(run.target.path, pointer(*route), "float32")
    yield Finding(
        run.place(*route),
        f"{trainer.trainer} trains weights in float16 with fp16: on a GPU the first step fails, "
        '"Attempting to unscale FP16 gradients"',
        fix=Fix("load the weights in float32", (edit,), safe=False),
    )


RUN: dict[str, Json] = {
    "trainer": "sft",
    "model_name_or_path": "model",
    "dtype": "float16",
    "fp16": True,
    "bf16": False,
}
NOW = {"trl": "1.16.0", "transformers": "5.23.0"}
AUTO: dict[str, Json] = {**RUN, "dtype": "auto"}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    explains="Attempting to unscale FP16 gradients",
    examples=(
        Bad(
            candidate(RUN, CONFIG),
            versions=NOW,
            says="SFTTrainer trains weights in float16 with fp16: on a GPU the first step fails",
            fixed={"run.json": {**RUN, "dtype": "float32"}},
        ),
        Bad(
            candidate(AUTO, config_files({"dtype": "float16"})),
            versions=NOW,
            fixed={"run.json": {**RUN, "dtype": "float32"}},
        ),
        Good(candidate({**RUN, "dtype": "float32"}, CONFIG), versions=NOW),
        Good(candidate({**RUN, "use_peft": True}, CONFIG), versions=NOW),
        Good(candidate({**RUN, "fp16": False}, CONFIG), versions=NOW),
    ),
)
