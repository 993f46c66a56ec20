"""padding_free lets rows of a batch attend to each other.

All rows of a batch become one long row. Only flash attention knows where each row begins; with any
other attention a row attends to those before it. Loss and gradients are those of a text that is not
in the data, and only a warning in the log reports it.

Remedy: set `attn_implementation: flash_attention_2`, or remove `padding_free`.

Versions: SFT of trl 0.19.1 with transformers 4.51.3 and of 0.24.0 with 4.57.6; packing too with
0.19.1. With trl 1.16.0 and transformers 5.23.0 sdpa also keeps packed rows apart, and
`padding_free` alone is refused.

Seen: trl#2834. Changed the first token of a batch: with `padding_free` the logits of the last row
change with trl 0.19.1 and 0.24.0, without it they do not.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Fix, Json, Put, pointer
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.special_tokens import known_trainer, trl_of

KEY, ATTENTION = "padding_free", "attn_implementation"
FIRST, LAST = Version("0.18.0"), Version("0.24.0")


def check(facts: Facts) -> Iterator[Finding]:
    run, trl = facts.run, trl_of(facts)
    if known_trainer(facts) != "sft" or KEY not in run.arguments:
        raise NotConcerned("only SFT with padding_free is affected")
    if trl is None or not FIRST <= trl <= LAST:
        raise NotConcerned("only some releases are affected")
    if not run.flag(KEY):
        return
    options = run.arguments.get("model_init_kwargs")
    attention = run.arguments.get(ATTENTION)
    attention = (
        options.get(ATTENTION) if attention is None and isinstance(options, dict) else attention
    )
    if "flash" in str(attention):
        return
    edit = Put(run.place(KEY).file, pointer(KEY), False)
    yield Finding(
        run.place(KEY),
        f"padding_free without flash attention ({ATTENTION} is {attention or 'not set'}): "
        "the rows of a batch attend to each other",
        fix=Fix("switch padding_free off", (edit,), safe=False),
    )


RUN: dict[str, Json] = {"trainer": "sft", KEY: True}
TRL = {"trl": "0.24.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            {"run.json": RUN},
            versions=TRL,
            says="padding_free without flash attention (attn_implementation is not set)",
            fixed={"run.json": {**RUN, KEY: False}},
        ),
        Good({"run.json": {**RUN, ATTENTION: "flash_attention_2"}}, versions=TRL),
        Good({"run.json": RUN}, versions={"trl": "1.16.0"}),
        Good({"run.json": {"trainer": "sft"}}, versions=TRL),
    ),
)
