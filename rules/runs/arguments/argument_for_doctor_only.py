"""The run file has a key that only trl-doctor reads.

TRL's command line passes a key that it does not know to `accelerate launch`, which refuses it: the
job ends before it begins.

Remedy: write it in a comment instead, `# trl-doctor: trainer=grpo dataset_format=conversational`,
or in the settings: `[tool.trl-doctor.targets."grpo.json"]`. If a script of your own reads the key,
ignore this rule.

Versions: `trl sft` since 0.18.0; `trl grpo`, `trl dpo` and `trl rloo` since 0.29.0.

Seen: reproduced with `trl grpo --config` of trl 1.16.0 with `trainer`, with `dataset_format` and
with `tokenizer_name_or_path`: "Accelerate launch command: error: unrecognized arguments:
--trainer". Without the key the same run trains.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.unknown import known_to_trl
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run import OWN_KEYS


def check(facts: Facts) -> Iterator[Finding]:
    trainer, accepted = known_to_trl(facts)
    if accepted.unknown not in ("launched", "refused") or not accepted.fields:
        return
    in_file = [key for key in facts.run.arguments if key not in facts.run.stated]
    for key in in_file:
        if key in OWN_KEYS and key not in accepted.fields:
            yield Finding(
                facts.run.place(key),
                f"{key} is a key of trl-doctor, and `trl {trainer.name} --config` refuses it",
                (f"source: {accepted.source}",),
                remedy=f"write `# trl-doctor: {key}={facts.run.arguments[key]}` instead",
            )


GRPO: dict[str, Json] = {"model_name_or_path": "m", "num_generations": 8, "loss_type": "dapo"}
NEW = {"trl": "1.16.0", "transformers": "5.23.0"}
COMMENT = "# trl-doctor: trainer=sft dataset_format=conversational\nlearning_rate: 1.0e-6\n"
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            {"run.json": {"trainer": "grpo", **GRPO}},
            versions=NEW,
            says="trainer is a key of trl-doctor, and `trl grpo --config` refuses it",
        ),
        Bad({"run.json": {"dataset_format": "text", **GRPO}}, versions=NEW, says="dataset_format"),
        Good({"run.json": GRPO}, versions=NEW),
        Good({"run.yaml": COMMENT}, target="run.yaml", versions=NEW),
        Good({"run.json": {"trainer": "ppo", "model_name_or_path": "m"}}, versions=NEW),
        Good(
            {"run.json": {"trainer": "grpo", **GRPO}},
            versions={"trl": "0.24.0", "transformers": "4.57.6"},
        ),
    ),
)
