"""The learning-rate schedule refuses its settings.

`lr_scheduler_kwargs` go to the function that makes the schedule. One that lacks a setting, or gets
one that it does not know, ends the run when its first step begins, after the model was loaded and
the rows were prepared. `constant` and `constant_with_warmup` take no settings and drop them.

Remedy: write the settings of the schedule that the finding lists. For a cosine that ends above 0
write `lr_scheduler_type: cosine_with_min_lr` and `lr_scheduler_kwargs: {min_lr_rate: 0.1}`.

Versions: every release that has the schedule.

Seen: reproduced with SFT of trl 0.24.0 (transformers 4.57.6) and 1.16.0 (5.23.0): "One of min_lr or
min_lr_rate should be set", "get_wsd_schedule() missing 1 required positional argument:
'num_decay_steps'", "get_cosine_schedule_with_warmup() got an unexpected keyword argument 'min_lr'",
and of a text "must be a mapping". A number in quotation marks: "unsupported operand type(s) for /:
'str' and 'float'"; YAML reads `1e-6` so.
"""

from collections.abc import Iterator

from msgspec import Struct

from trl_doctor.core.finding import Finding, Fix, Json, Place, Put
from trl_doctor.core.similar import similar
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.placeholders import is_placeholder
from trl_doctor.facts.arguments.unknown import known_to_trl
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.training.schedule import refuse_other_schedules

KEY, TYPE, DEFAULT = "lr_scheduler_kwargs", "lr_scheduler_type", "linear"


class Settings(Struct, frozen=True):
    """What a schedule takes, in any release, and what it needs one of."""

    takes: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()


MINIMUM = ("min_lr", "min_lr_rate")
SCHEDULES = {
    "linear": Settings(),
    "cosine": Settings(("num_cycles",)),
    "cosine_with_restarts": Settings(("num_cycles",)),
    "polynomial": Settings(("lr_end", "power")),
    "cosine_with_min_lr": Settings(("num_cycles", *MINIMUM), MINIMUM),
    "cosine_warmup_with_min_lr": Settings(("num_cycles", "warmup_lr_rate", *MINIMUM), MINIMUM),
    "warmup_stable_decay": Settings(
        ("num_decay_steps", "num_stable_steps", "warmup_type", "decay_type", "min_lr_ratio",
         "num_cycles"),
        ("num_decay_steps",),
    ),
}  # fmt: skip
"""The schedules that hand their settings on; `last_epoch` is taken by each."""

DROPS = ("constant", "constant_with_warmup")


def check(facts: Facts) -> Iterator[Finding]:
    _, accepted = known_to_trl(facts)
    given, kind = facts.run.arguments.get(KEY), facts.run.arguments.get(TYPE)
    kind, place = DEFAULT if kind is None else kind, facts.run.place(KEY if given else TYPE)
    if KEY not in accepted.fields or not isinstance(kind, str) or is_placeholder(given):
        return
    if given or kind != DEFAULT:
        refuse_other_schedules(facts)
    if isinstance(given, list) or (isinstance(given, str) and not given.lstrip().startswith("{")):
        yield Finding(place, f"{KEY} is {given!r:.60}, but must be a mapping")
        return
    settings = given if isinstance(given, dict) else {}
    if settings and kind in DROPS:
        message = f"the schedule {kind} takes no settings: {KEY} is dropped"
        yield Finding(place, message, severity="warning")
    if isinstance(given, str) or kind not in SCHEDULES:
        return
    yield from _of_keys(place, kind, settings)
    yield from _of_texts(facts, settings)


def _of_keys(place: Place, kind: str, settings: dict[str, Json]) -> Iterator[Finding]:
    """Settings that the schedule lacks or does not know."""
    schedule = SCHEDULES[kind]
    if schedule.needs and not any(settings.get(name) is not None for name in schedule.needs):
        yield Finding(
            place,
            f"the schedule {kind} needs {' or '.join(schedule.needs)} in {KEY}",
            remedy=f"write {KEY}: {{{schedule.needs[-1]}: …}}",
        )
    for name in settings:
        if name not in (*schedule.takes, "last_epoch"):
            near = similar(name, schedule.takes)
            takes = ", ".join(schedule.takes)
            yield Finding(
                place,
                f"the schedule {kind} does not take {name} of {KEY}",
                evidence=(f"it takes: {takes}" if takes else "it takes no settings",),
                remedy=_instead(name, near, kind),
            )


def _instead(name: str, near: list[str], kind: str) -> str:
    if name in MINIMUM and kind in ("linear", "cosine", "cosine_with_restarts"):
        return f"write {TYPE}: cosine_with_min_lr"
    return f"write {near[0]}" if near else f"remove {name}"


def _of_texts(facts: Facts, settings: dict[str, Json]) -> Iterator[Finding]:
    """Numbers that are written so that YAML reads a text, or that are quoted."""
    for name, value in settings.items():
        if isinstance(value, str) and (number := _number(value)) is not None:
            place = facts.run.place(KEY, name)
            yield Finding(
                place,
                f"{name} in {KEY} is the text {value!r}, but must be a number",
                ("YAML reads 1e-6 as a text, and 1.0e-6 as a number",),
                Fix(f"write {number}", (Put(place.file, place.pointer, number),)),
            )


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


RUN: dict[str, Json] = {"trainer": "grpo", "output_dir": "out"}
SLOW = f"trainer: grpo\n{TYPE}: cosine_with_min_lr\n{KEY}:\n"


def _run(kind: str, settings: Json = None) -> dict[str, Json]:
    more: dict[str, Json] = {} if settings is None else {KEY: settings}
    return {"run.json": {**RUN, TYPE: kind, **more}}


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="min_lr or min_lr_rate should be set|schedule\\w*\\(\\) (got|missing)",
    examples=(
        Bad(
            {"run.yaml": f"{SLOW}  min_lr: 1e-6\n"},
            "run.yaml",
            says="min_lr in lr_scheduler_kwargs is the text '1e-6', but must be a number",
            fixed={"run.yaml": f"{SLOW}  min_lr: 1.0e-06\n"},
        ),
        Bad(_run("cosine_with_min_lr"), says="cosine_with_min_lr needs min_lr or min_lr_rate in"),
        Bad(_run("cosine", {"min_lr": 1e-6}), says="the schedule cosine does not take min_lr of"),
        Bad(_run("warmup_stable_decay", {"num_cycles": 1}), says="needs num_decay_steps in"),
        Bad({"run.json": {**RUN, KEY: "cosine"}}, says="is 'cosine', but must be a mapping"),
        Bad(_run("constant", {"min_lr": 1e-6}), says="is dropped", severity="warning"),
        Good({"run.yaml": f"{SLOW}  min_lr: 1.0e-6\n"}, "run.yaml"),
        Good(_run("cosine", {"num_cycles": 1})),
        Good(_run("cosine", '{"num_cycles": 1}')),
        Good(_run("warmup_stable_decay", {"num_decay_steps": 9, "warmup_type": "linear"})),
        Good(_run("polynomial", {"power": 2.0})),
        Good(_run("reduce_lr_on_plateau", {"factor": 0.5})),
    ),
)
