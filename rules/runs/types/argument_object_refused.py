"""An argument is no object, or has a part that is unknown.

`gradient_checkpointing_kwargs` go to a function of torch, which refuses what it does not know:
`use_reentrent` ends the run in its first step. `accelerator_config` has parts of its own. A text in
place of an object fails in the same way, unless it is JSON in braces.

Remedy: write an object: `gradient_checkpointing_kwargs: {use_reentrant: false}`.

Versions: every release. With `use_reentrant: false` torch hands unknown names on to the layers,
which mostly drop them: this is not reported.

Seen: reproduced with SFT and GRPO of trl 0.24.0 and 1.16.0, each argument alone: "Unexpected
keyword arguments: use_reentrent", "'str' object has no attribute 'get'", "dictionary update
sequence element #0 has length 1; 2 is required", "AcceleratorConfig.__init__() got an unexpected
keyword argument 'split_batch'".
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.similar import similar
from trl_doctor.core.unavailable import Reasons
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.placeholders import is_placeholder
from trl_doctor.facts.arguments.unknown import known_to_trl
from trl_doctor.facts.library.classes import Field
from trl_doctor.facts.rule import Bad, Good, Rule

SWITCH, CHECKPOINTS, MODE = (
    "gradient_checkpointing", "gradient_checkpointing_kwargs", "use_reentrant",
)  # fmt: skip
LOADER = "accelerator_config"
PARTS = {
    CHECKPOINTS: (
        MODE, "preserve_rng_state", "context_fn", "determinism_check", "debug", "early_stop",
    ),
    LOADER: (
        "split_batches", "dispatch_batches", "even_batches", "use_seedable_sampler",
        "non_blocking", "gradient_accumulation_kwargs", "use_configured_state",
    ),
}  # fmt: skip
"""The parts of objects that end the run if they have others."""

OBJECTS = ("model_init_kwargs", "generation_kwargs", "dataset_kwargs", CHECKPOINTS)
"""Arguments that end the run as texts."""


def check(facts: Facts) -> Iterator[Finding]:
    _, accepted = known_to_trl(facts)
    reasons = Reasons()
    for key in dict.fromkeys((*OBJECTS, *PARTS)):
        if key in accepted.fields:
            with reasons.collected():
                unused = key == CHECKPOINTS and not _checkpoints(facts, accepted.fields[SWITCH])
                if not unused:
                    yield from _of_value(facts, key, facts.run.arguments.get(key))
    reasons.raise_any()


def _of_value(facts: Facts, key: str, value: Json) -> Iterator[Finding]:
    if is_placeholder(value):
        return
    if isinstance(value, dict) and key in PARTS:
        yield from _unknown(facts, key, value)
    plain = isinstance(value, str) and value and not value.lstrip().startswith("{")
    if plain and key in OBJECTS:
        message = f"{key} is the text {value!r:.60}, but must be an object"
        remedy = f"write an object: {key}={{…}}" if facts.run.by_class else ""
        yield Finding(facts.run.place(key), message, remedy=remedy)


def _checkpoints(facts: Facts, switch: Field) -> bool:
    """Whether the run keeps few activations, by its own word or by default."""
    return facts.run.flag(SWITCH, switch.literal is True)


def _unknown(facts: Facts, key: str, parts: dict[str, Json]) -> Iterator[Finding]:
    if key == CHECKPOINTS and parts.get(MODE) is False:
        return
    for name in parts:
        if name not in PARTS[key]:
            near = similar(name, PARTS[key])
            yield Finding(
                facts.run.place(key, name),
                f"{key} has no part {name}: the run ends with an error",
                evidence=(f"it has: {', '.join(PARTS[key])}",),
                remedy=f"write {near[0]}" if near else f"remove {name}",
            )


def _run(settings: Json, **more: Json) -> dict[str, Json]:
    run: dict[str, Json] = {"trainer": "sft", "model_name_or_path": "m", CHECKPOINTS: settings}
    return {"run.json": {**run, SWITCH: True, **more}}


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="Unexpected keyword arguments: |dictionary update sequence element",
    examples=(
        Bad(
            _run({"use_reentrent": False}),
            says="gradient_checkpointing_kwargs has no part use_reentrent",
        ),
        Bad(
            _run(None, model_init_kwargs="bfloat16"),
            says="model_init_kwargs is the text 'bfloat16', but must be an object",
        ),
        Bad(
            _run(None, accelerator_config={"split_batch": True}),
            says="accelerator_config has no part split_batch",
        ),
        Good(_run({MODE: False, "foo": 1}, accelerator_config={"split_batches": True})),
        Good(_run({"foo": 1}, gradient_checkpointing=False)),
        Good(_run('{"use_reentrant": false}')),
    ),
)
