"""This release of TRL has a known bug without an error.

The run trains on wrong numbers: nothing in the log shows it, and the loss looks normal.

Remedy: install a release in which the bug is fixed, or change the argument that triggers it.

Versions: each bug has its own range of releases. A bug is reported only if the run's arguments show
that its condition holds. `trl-doctor advisories --all` lists all bugs, with their conditions.

Seen: reproduced with a small script for each bug, in releases inside its range and on either side
of it. If that needs a GPU, the advisory has the lines of TRL's source that show the bug.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.facts import Facts
from trl_doctor.facts.known_bugs import bugs_of_run
from trl_doctor.facts.rule import Bad, Good, Rule

from ..._recorded.candidate import RUN, RUN_VLLM


def check(facts: Facts) -> Iterator[Finding]:
    for bug in bugs_of_run(facts, "silent"):
        place = facts.run.place(*([bug.key] if bug.key else []))
        yield Finding(place, bug.message, bug.evidence, remedy=bug.remedy)


SLEEPING: dict[str, Json] = {
    **RUN_VLLM,
    "vllm_mode": "colocate",
    "vllm_enable_sleep_mode": True,
}
WEIGHTED: dict[str, Json] = {**RUN, "reward_weights": [1.0, 0.5]}
CHECKPOINTED: dict[str, Json] = {**RUN, "gradient_checkpointing": True}
OTHER: dict[str, Json] = {
    "stage": "orpo",
    "finetuning_type": "lora",
    "gradient_accumulation_steps": 4,
}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            {"run.json": SLEEPING},
            versions={"trl": "1.8.0"},
            says="trl 1.8.0: with sleep mode the engine generates from the weights on disk",
        ),
        Bad(
            {"run.json": WEIGHTED},
            versions={"trl": "0.27.2"},
            says="trl 0.27.2: the logged reward ignores reward_weights",
        ),
        Bad(
            {"run.json": {**RUN, "steps_per_generation": 4}},
            versions={"trl": "1.9.0"},
            says="trl 1.9.0: the loss is divided by the tokens of several steps",
        ),
        Bad(
            {"run.json": RUN}, versions={"trl": "0.22.1"}, says="otherwise than scale_rewards says"
        ),
        Bad(
            {"run.json": CHECKPOINTED},
            versions={"trl": "0.19.1", "transformers": "4.53.3"},
            says="trl 0.19.1: with gradient checkpointing the completions are sampled without",
        ),
        Bad(
            {"run.json": {**RUN, "trainer": "dpo"}},
            versions={"trl": "0.12.2", "transformers": "4.46.3"},
            says="trl 0.12.2: DPO loses the last token of the longest answers",
        ),
        Good({"run.json": CHECKPOINTED}, versions={"trl": "0.19.1", "transformers": "4.52.4"}),
        Good({"run.json": {**RUN, "steps_per_generation": 4}}, versions={"trl": "1.9.1"}),
        Good({"run.json": RUN}, versions={"trl": "1.9.0"}),
        Good({"run.json": WEIGHTED}, versions={"trl": "0.24.0"}),
        Good({"run.json": WEIGHTED}, versions={"trl": "1.16.0"}),
        Good(
            {"run.json": {**OTHER, "trainer": "orpo"}},
            versions={"trl": "0.19.1"},
            skipped="LLaMA-Factory",
        ),
        Good({"run.json": SLEEPING}, versions={"trl": "1.16.0"}),
        Good({"run.json": SLEEPING}, skipped="the version of trl is not known"),
        Good({"run.json": RUN_VLLM}, versions={"trl": "1.8.0"}),
    ),
)
