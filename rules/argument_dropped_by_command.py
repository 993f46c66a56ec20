"""The command of this trl drops an argument of the model.

`trl grpo`, `trl rloo`, `trl reward` and `trl kto` once parsed `attn_implementation`, `dtype`,
`load_in_4bit`, `load_in_8bit` and `model_revision` and did not hand them to the model. The run
trains the main revision, in full precision, with the default attention, and nothing says so; often
it then takes much more memory than planned.

Remedy: use a newer release of trl, or a script that creates the model. GRPO and RLOO also take
`model_init_kwargs: {attn_implementation: …, dtype: …}`.

Versions: grpo before trl 0.26.0, rloo and reward before 1.5.0, kto before 1.8.0, read in the
sources of these releases and of those before them. `trl sft` and `trl dpo` always hand them on.

Seen: reproduced: `trl kto` with `attn_implementation: flash_attention_2` and no flash-attn trains
with trl 0.24.0, and fails with 1.16.0.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.command_model import DROPPED, dropping_command
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.unknown_arguments import no_other_program


def check(facts: Facts) -> Iterator[Finding]:
    arguments = facts.run.arguments
    named = [key for key in DROPPED if arguments.get(key) not in (None, False, "main")]
    if not named:
        raise NotConcerned("the run names no arguments of the model")
    no_other_program(facts)
    if command := dropping_command(facts):
        them = "it" if len(named) == 1 else "them"
        yield Finding(
            facts.run.place(named[0]),
            f"{command} drops {', '.join(named)}: the model is loaded without {them}",
            tuple(f"{key}: {arguments[key]}" for key in named),
        )


RUN: dict[str, Json] = {"trainer": "kto", "model_name_or_path": "m"}
FLASH: dict[str, Json] = {**RUN, "attn_implementation": "flash_attention_2"}
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
        Good({"run.json": FLASH}, versions={"trl": "1.16.0"}),
        Good({"run.json": BITS}, versions={"trl": "0.26.0"}),
        Good({"run.json": {**BITS, "trainer": "sft"}}, versions={"trl": "0.24.0"}),
        Good({"run.json": {**BITS, "load_in_4bit": False}}, versions={"trl": "0.24.0"}),
    ),
)
