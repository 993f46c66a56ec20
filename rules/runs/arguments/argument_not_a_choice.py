"""An argument has a value that transformers does not accept.

For these arguments transformers accepts a fixed list of values, and raises a ValueError for any
other when the run starts. YAML reads no and off without quotes as false, so `save_strategy: no`
fails, too.

Remedy: write one of the values that the finding lists; write "no" in quotes.

Versions: every release; the values are those of the run's transformers.

Seen: reproduced with `trl sft --config` of trl 1.16.0 (transformers 5.23.0) and 0.24.0 (4.57.6):
`save_strategy: no`: "False is not a valid SaveStrategy, please select one of ['no', 'steps', …";
`optim: adamw_foo`, `lr_scheduler_type: Cosine`, `hub_strategy: ended` in the same way.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Fix, Json, Place, Put
from trl_doctor.core.similar import similar
from trl_doctor.core.unavailable import Reasons
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.placeholders import is_placeholder
from trl_doctor.facts.arguments.unknown import known_to_trl
from trl_doctor.facts.library.releases import choices, newest_release
from trl_doctor.facts.rule import Bad, Good, Rule

NO = "no"
MOST = 12
"""The number of choices that a finding names."""


def check(facts: Facts) -> Iterator[Finding]:
    run, (_, accepted) = facts.run, known_to_trl(facts)
    release = facts.environment.version("transformers") or newest_release("transformers")
    reasons = Reasons()
    for key, allowed in choices(release).items():
        with reasons.collected():
            value = run.arguments.get(key)
            if value is None or value in allowed or key not in accepted.fields:
                continue
            if is_placeholder(value):
                continue
            yield Finding(
                run.place(key),
                f"{key} is {value!r:.60}, which transformers {release} does not accept",
                evidence=(f"it accepts: {_listed(allowed)}",),
                fix=_fix(run.place(key), value, allowed),
            )
    reasons.raise_any()


def _listed(allowed: tuple[str, ...]) -> str:
    return ", ".join(allowed[:MOST]) + (", …" if len(allowed) > MOST else "")


def _fix(place: Place, value: Json, allowed: tuple[str, ...]) -> Fix | None:
    """What was meant: `no`, which YAML reads as false, or the choice that is most like it."""
    if value is False and NO in allowed:
        return Fix('write "no" in quotes', (Put(place.file, place.pointer, NO),))
    near = similar(value.lower(), allowed) if isinstance(value, str) else []
    if not near:
        return None
    return Fix(f"write {near[0]}", (Put(place.file, place.pointer, near[0]),), safe=False)


RUN: dict[str, Json] = {"trainer": "grpo", "output_dir": "out"}
YAML = "trainer: grpo\nsave_strategy: {}\n"
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="is not a valid .*, please select one of",
    examples=(
        Bad(
            {"run.yaml": YAML.format("no")},
            "run.yaml",
            says="save_strategy is False, which transformers",
            fixed={"run.yaml": YAML.format('"no"')},
        ),
        Bad(
            {"run.json": {**RUN, "lr_scheduler_type": "Cosine"}},
            says="lr_scheduler_type is 'Cosine', which transformers",
            fixed={"run.json": {**RUN, "lr_scheduler_type": "cosine"}},
        ),
        Bad(
            {"run.json": {**RUN, "save_strategy": "best"}},
            versions={"trl": "0.12.2", "transformers": "4.46.3"},
            says="which transformers 4.46.3 does not accept",
        ),
        Good({"run.yaml": YAML.format("'no'")}, "run.yaml"),
        Good(
            {"run.json": {**RUN, "optim": "adamw_torch_fused", "eval_strategy": "${when}"}},
            skipped="by another program",
        ),
        Good({"run.json": {**RUN, "save_strategy": "best"}}),
    ),
)
