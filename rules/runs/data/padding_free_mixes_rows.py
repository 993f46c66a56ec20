"""padding_free or packing lets rows attend to each other.

`padding_free` joins all rows of a batch to one long row, `packing` joins as many rows as fit. In
these releases only flash attention knows where each row begins; with any other attention a row
attends to the rows before it. Loss and gradients belong to a text that is not in the data, and only
a warning in the log reports it.

Remedy: install trl 0.23.1 or newer, which keeps rows apart with sdpa, too; or set
`attn_implementation: flash_attention_2`; or remove `padding_free` and `packing`.

Versions: SFT of trl 0.18.0 to 0.23.0 with padding_free, of 0.19.0 to 0.23.0 with packing, unless
`packing_strategy` is wrapped: that strategy joins rows in every release. Before trl 0.18.0 packing
joins rows with any attention. From trl 1.0.0 on `padding_free` alone is refused.

Seen: trl#2834, trl#1230 (packing of trl 0.15.2). Changed a token of the first row: the logits of
the last row of the trainer's own batch, in its own loss, change with trl 0.18.0, 0.18.2, 0.19.1,
0.20.0, 0.21.0, 0.22.2 and 0.23.0 and transformers 4.51.3 to 4.57.6. They do not change with trl
0.23.1 and 0.24.0 and transformers 4.53.3 and 4.57.6, nor with trl 1.12.0.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Fix, Json, Put, pointer
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trl_of

KEY, PACKING, ATTENTION = "padding_free", "packing", "attn_implementation"
SINCE = {KEY: Version("0.18.0"), PACKING: Version("0.19.0")}
APART = Version("0.23.1")
"""The first release that passes on where each row begins, whatever the attention is."""


def check(facts: Facts) -> Iterator[Finding]:
    run, trl = facts.run, trl_of(facts)
    if known_trainer(facts) != "sft" or not {*SINCE} & {*run.arguments}:
        raise NotConcerned("only SFT with padding_free or packing is affected")
    if trl is None or trl >= APART:
        raise NotConcerned("only some releases are affected")
    if trl < SINCE[KEY]:
        yield from _joined(facts, trl)
        return
    options = run.arguments.get("model_init_kwargs")
    attention = run.arguments.get(ATTENTION)
    attention = (
        options.get(ATTENTION) if attention is None and isinstance(options, dict) else attention
    )
    key = _joins(facts, trl)
    if not key or "flash" in str(attention):
        return
    edit = Put(run.place(key).file, pointer(key), False)
    yield Finding(
        run.place(key),
        f"{key} without flash attention ({ATTENTION} is {attention or 'not set'}): "
        f"the rows of a {'packed sequence' if key == PACKING else 'batch'} attend to each other",
        fix=Fix(f"switch {key} off", (edit,), safe=False),
        severity="warning" if key == PACKING else None,
    )


def _joined(facts: Facts, trl: Version) -> Iterator[Finding]:
    """Packing in a release that never passes on where each row begins."""
    run = facts.run
    if run.flag(PACKING):
        yield Finding(
            run.place(PACKING),
            f"packing of trl {trl} joins several rows to one, and each attends to the rows before "
            "it, whatever the attention is",
            remedy=f"install trl {APART} or newer; or switch packing off. For plain texts that the "
            "model shall only continue, it is common practice",
            severity="warning",
        )


def _joins(facts: Facts, trl: Version) -> str:
    """The argument that makes one row of several; empty if none does."""
    run = facts.run
    if run.flag(PACKING):
        joined = trl >= SINCE[PACKING] and run.arguments.get("packing_strategy") != "wrapped"
        return PACKING if joined else ""
    several = run.number("per_device_train_batch_size", 8) != 1
    return KEY if run.flag(KEY) and several else ""


RUN: dict[str, Json] = {"trainer": "sft", KEY: True}
PACKED: dict[str, Json] = {"trainer": "sft", PACKING: True}
TRL = {"trl": "0.22.2"}
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
        Bad(
            {"run.json": PACKED},
            versions={"trl": "0.19.0"},
            says="the rows of a packed sequence attend to each other",
            severity="warning",
            fixed={"run.json": {**PACKED, PACKING: False}},
        ),
        Good({"run.json": {**RUN, ATTENTION: "flash_attention_2"}}, versions=TRL),
        Good({"run.json": {**RUN, "per_device_train_batch_size": 1}}, versions=TRL),
        Good({"run.json": {**PACKED, "packing_strategy": "wrapped"}}, versions=TRL),
        Bad(
            {"run.json": PACKED},
            versions={"trl": "0.15.2"},
            says="packing of trl 0.15.2 joins several rows to one, and each attends to",
            severity="warning",
        ),
        Good({"run.json": PACKED}, versions={"trl": "0.18.2"}),
        Good({"run.json": {"trainer": "sft", PACKING: False}}, versions={"trl": "0.15.2"}),
        Good({"run.json": {**RUN, **PACKED}}, versions={"trl": "0.23.1"}),
        Good({"run.json": RUN}, versions={"trl": "1.16.0"}),
        Good({"run.json": {"trainer": "sft"}}, versions=TRL),
    ),
)
