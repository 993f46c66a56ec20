"""The command of this trl drops an argument of the model.

`trl grpo`, `trl rloo`, `trl reward` and `trl kto` of older releases parse `attn_implementation`,
`dtype`, `load_in_4bit`, `load_in_8bit` and `model_revision` and do not pass them to the model.
Other releases of `trl grpo` and `trl sft` use these arguments in place of `model_init_kwargs`. The
run trains the main revision, in full precision, with the default attention, or without
`model_init_kwargs`. There is no warning; often the run takes much more memory than planned.

Remedy: use a newer release of trl, or a script that creates the model. If the finding does not name
`model_init_kwargs`, you can use it with GRPO and RLOO: `{attn_implementation: …, dtype: …}`.

Versions: grpo before trl 0.26.0, rloo and reward before 1.5.0, kto before 1.8.0, read in the
sources of these releases and of those before them. `trl sft` and `trl dpo` always pass them on.
`model_init_kwargs`: grpo from 0.26.0 to 1.4, sft from 0.9.6 to 0.15.

Seen: reproduced: `trl kto` with `attn_implementation: flash_attention_2` and no flash-attn trains
with trl 0.24.0, and fails with 1.16.0. `model_init_kwargs: {torch_dtyp: bfloat16}` trains with
`trl grpo` of 0.26.0 and 1.4.0 and with `trl sft` of 0.15.2, and fails with 0.24.0 and 1.16.0.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.command_model import (
    DROPPED,
    LOADING,
    dropped_arguments,
    own_command,
)
from trl_doctor.facts.arguments.unknown import no_other_program
from trl_doctor.facts.rule import Bad, Good, Rule


def check(facts: Facts) -> Iterator[Finding]:
    run, arguments = facts.run, facts.run.arguments
    if not any(arguments.get(key) for key in (*DROPPED, LOADING)):
        raise NotConcerned("the run names no arguments of the model")
    no_other_program(facts)
    if dropped := dropped_arguments(facts):
        them = "it" if len(dropped) == 1 else "them"
        yield Finding(
            run.place(dropped[0]),
            f"{own_command(facts)} drops {', '.join(dropped)}: the model is loaded without {them}",
            tuple(f"{key}: {arguments[key]}" for key in dropped),
        )


RUN: dict[str, Json] = {"trainer": "kto", "model_name_or_path": "m"}
FLASH: dict[str, Json] = {**RUN, "attn_implementation": "flash_attention_2"}
LOADED: dict[str, Json] = {**RUN, "trainer": "grpo", LOADING: {"dtype": "bfloat16"}}
BITS: dict[str, Json] = {**RUN, "trainer": "grpo", "load_in_4bit": True}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            {"run.json": FLASH},
            versions={"trl": "0.24.0"},
            says="of trl 0.24.0 drops attn_implementation: the model is loaded without it",
        ),
        Bad(
            {"run.json": {**FLASH, "model_revision": "v2", "dtype": "bfloat16"}},
            versions={"trl": "0.24.0"},
            says="drops attn_implementation, dtype, model_revision: the model",
        ),
        Bad({"run.json": BITS}, versions={"trl": "0.24.0"}, says="drops load_in_4bit"),
        Bad(
            {"run.json": LOADED},
            versions={"trl": "1.4.0"},
            says="`trl grpo` of trl 1.4.0 drops model_init_kwargs: the model is loaded without it",
        ),
        Bad({"run.json": {**LOADED, "trainer": "sft"}}, versions={"trl": "0.15.2"}, says="drops"),
        Good({"run.json": LOADED}, versions={"trl": "0.24.0"}),
        Good({"run.json": LOADED}, versions={"trl": "1.16.0"}),
        Good({"run.json": FLASH}, versions={"trl": "1.16.0"}),
        Good({"run.json": BITS}, versions={"trl": "0.26.0"}),
        Good({"run.json": {**BITS, "trainer": "sft"}}, versions={"trl": "0.24.0"}),
        Good({"run.json": {**BITS, "load_in_4bit": False}}, versions={"trl": "0.24.0"}),
    ),
)
