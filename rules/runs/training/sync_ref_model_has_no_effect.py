"""sync_ref_model is on, but the reference model never moves.

Every `ref_model_sync_steps` steps the trainer moves the reference model towards the policy, by the
share `ref_model_mixup_alpha`. A run with fewer steps never does it, and a share of 0 moves nothing:
the run is one without `sync_ref_model`. A share above 1 or below 0 moves the reference past the
policy, or away from it, further each time. There is no warning.

Remedy: choose `ref_model_sync_steps` so that the run has several of them (the default is 512), and
a `ref_model_mixup_alpha` from 0.1 to 1.

Versions: every trl with `sync_ref_model`. The steps are `max_steps`, or those of a local file of
rows, in one process: with more processes the run has fewer.

Seen: reproduced with DPO of trl 0.24.0 and KTO of 1.16.0 (`python benchmarks/quiet_arguments.py`):
with `sync_ref_model` and 3 steps the weights and the log are those of the run without it, bit for
bit; with `ref_model_sync_steps: 1` they are others.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.unknown import known_to_trl
from trl_doctor.facts.library import releases
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trl_of
from trl_doctor.facts.totals import known_steps

KEY, EVERY, SHARE = "sync_ref_model", "ref_model_sync_steps", "ref_model_mixup_alpha"
CONFIGS = {"dpo": "DPOConfig", "grpo": "GRPOConfig", "rloo": "RLOOConfig", "kto": "KTOConfig"}


def check(facts: Facts) -> Iterator[Finding]:
    run, config = facts.run, CONFIGS.get(known_trainer(facts) or "")
    if config is None or not run.flag(KEY) or KEY not in known_to_trl(facts)[1].fields:
        raise NotConcerned("the run does not synchronise a reference model")
    share = run.number(SHARE)
    if share is not None and not 0 < share <= 1:
        does = "never moves" if share == 0 else "moves away from the policy"
        yield Finding(run.place(SHARE), f"{SHARE} is {share:g}: the reference model {does}")
        return
    every = run.number(EVERY, _usual(trl_of(facts), config))
    if every is None:
        raise Unavailable(f"the default of {EVERY} is not known")
    total = known_steps(facts)
    if total < every:
        default = "" if EVERY in run.arguments else " (its default)"
        yield Finding(
            run.place(EVERY if EVERY in run.arguments else KEY),
            f"{EVERY} is {every:g}{default}, but the run has {total} steps: the reference model "
            "never moves",
        )


def _usual(trl: Version | None, config: str) -> float | None:
    text = releases.default(trl or releases.newest_release(), config, EVERY)
    return float(text) if text and text.isdigit() else None


def _files(trainer: str, **more: Json) -> dict[str, Json]:
    return {"run.json": {"trainer": trainer, "model_name_or_path": "m", KEY: True, **more}}


NEW, OLD = {"trl": "1.16.0"}, {"trl": "0.24.0"}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(_files("dpo", max_steps=100), versions=OLD,
            says="ref_model_sync_steps is 512 (its default), but the run has 100 steps"),
        Bad(_files("grpo", beta=0.1, max_steps=50, **{EVERY: 64}), versions=NEW,
            says="ref_model_sync_steps is 64, but the run has 50 steps: the reference model never"),
        Bad(_files("dpo", max_steps=900, **{SHARE: 0}), versions=NEW, says="never moves"),
        Bad(_files("dpo", max_steps=900, **{SHARE: 60}), versions=NEW,
            says="ref_model_mixup_alpha is 60: the reference model moves away from the policy"),
        Good(_files("dpo", max_steps=900), versions=NEW),
        Good(_files("grpo", beta=0.1, max_steps=64, **{EVERY: 64}), versions=NEW),
        Good(_files("dpo"), versions=NEW, skipped="how many steps the run has is not known"),
    ),
)  # fmt: skip
