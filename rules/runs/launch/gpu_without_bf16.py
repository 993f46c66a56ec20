"""The run uses bf16, which this GPU does not support.

GPUs before Ampere (T4, V100, RTX 20) compute bfloat16 in software. There is no error, but the run
is slow. They have fast float16.

Remedy: write `bf16: false` and `fp16: true`. If the job's GPU is not in this machine, name its
capability with `--with compute-capability==7.5`.

Versions: TRL turns bf16 on by default since 0.19.0. torch 2.2 and older refuse: "Your setup
doesn't support bf16/gpu".

Seen: pytorch#148322, pytorch#124996, textgen#5268, trl#2906. Reproduced with transformers 4.57.6
and 5.23.0 and torch 2.13.0 with a simulated GPU of capability 7.5: bf16 counts as supported.
Without a GPU both stop with the same message unless the run sets use_cpu; transformers 4.48.3 does
not.
"""

from collections.abc import Iterator, Sequence

from trl_doctor.core.finding import Finding, Fix, Json, Put, pointer
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.unknown import no_other_program
from trl_doctor.facts.launch.hardware import CAPABILITY, Card, cards
from trl_doctor.facts.library import accepted
from trl_doctor.facts.rule import Bad, Good, Rule

AMPERE = (8, 0)


def check(facts: Facts) -> Iterator[Finding]:
    reason = _bf16_reason(facts)
    on_cpu = facts.run.flag("use_cpu") or facts.run.flag("no_cuda")  # there it is no question
    if not reason or on_cpu:
        return
    if slow := judge(facts[cards]):
        key = "bf16" if "bf16" in facts.run.arguments else ""
        place = facts.run.place(*([key] if key else []))
        file = place.file
        edits = (Put(file, pointer("bf16"), False), Put(file, pointer("fp16"), True))
        fix = Fix("train in fp16 instead of bf16", edits, safe=False)
        evidence = tuple(f"{card.name} has compute capability {_dotted(card)}" for card in slow)
        message = f"{reason}, but {slow[0].name} has no bfloat16: torch computes it in software"
        yield Finding(place, message, evidence, fix)


def judge(gpus: Sequence[Card]) -> list[Card]:
    """The GPUs that have no bfloat16."""
    return [card for card in gpus if card.capability < AMPERE]


def _bf16_reason(facts: Facts) -> str:
    """Why the run trains in bf16; "" if it does not."""
    run = facts.run
    if isinstance(run.file, Unavailable):
        raise run.file
    if run.file is None:
        raise NotConcerned("a model folder sets no precision")
    no_other_program(facts)
    if run.flag("bf16"):
        return "bf16 is on"
    if isinstance(run.trainer, Unavailable):
        raise run.trainer
    field = accepted(facts.environment, run.trainer).fields.get("bf16")
    open_ = run.arguments.get("bf16") is None and not run.flag("fp16")
    if field is None or field.default != "None" or not open_:
        return ""
    release = facts.environment.version("trl")
    return f"bf16 is on by default in trl {release or 'since 0.19.0'}"


def _dotted(card: Card) -> str:
    return "{}.{}".format(*card.capability)


RUN: dict[str, Json] = {"trainer": "sft", "output_dir": "out"}
T4 = {"trl": "1.16.0", "transformers": "5.23.0", CAPABILITY: "7.5"}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            {"run.json": RUN},
            versions=T4,
            says="bf16 is on by default in trl 1.16.0, but the job's GPU has no bfloat16",
            fixed={"run.json": {**RUN, "bf16": False, "fp16": True}},
        ),
        Bad(
            {"run.json": {**RUN, "bf16": True}},
            versions={**T4, "trl": "0.15.2", "transformers": "4.48.3"},
            says="bf16 is on, but",
            fixed={"run.json": {**RUN, "bf16": False, "fp16": True}},
        ),
        Good({"run.json": RUN}, versions={**T4, CAPABILITY: "8.0"}),
        Good({"run.json": RUN}, versions={**T4, "trl": "0.15.2", "transformers": "4.48.3"}),
        Good({"run.json": {**RUN, "fp16": True}}, versions=T4),
        Good({"run.json": {**RUN, "use_cpu": True}}, versions=T4),
    ),
)
