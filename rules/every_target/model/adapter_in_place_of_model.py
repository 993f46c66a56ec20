"""The policy's folder is an adapter, not a model.

A folder with adapter_config.json and without config.json is what PEFT saves. If peft is installed,
transformers finds the base model through it; the commands of newer TRL releases read config.json
first and fail.

Remedy: merge the adapter into its base model (`merge_and_unload`) and name the merged model. Or
name the base model, and load the adapter in a script of your own.

Versions: all commands of trl 1.12.0 to 1.16.0, `trl sft` since 0.19.1, GRPO and RLOO in 0.24.0; the
installed release is read. Without peft in every release, with every trainer.

Seen: reproduced with `trl sft`, `trl grpo`, `trl dpo` and `trl kto` of trl 1.16.0 and 0.24.0:
"Unrecognized model in …. Should have a `model_type` key in its config.json"; trl 0.14.0 and PPO of
1.12.0 without peft raise the same error.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json, Place, Severity
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.model.classes import TRAINED, reads_config_first
from trl_doctor.facts.rule import Bad, Good, Rule

ADAPTER = "adapter_config.json"


def check(facts: Facts) -> Iterator[Finding]:
    policy = facts.run.models.get("policy")
    folder = policy.adapter if policy else None
    if folder is None:
        if isinstance(facts.run.policy, Unavailable):
            raise facts.run.policy
        raise NotConcerned("the policy's folder is not an adapter")
    trainer = facts.run.trainer
    if isinstance(trainer, Unavailable):
        raise trainer
    config = folder.get(ADAPTER)
    base = config.get("base_model_name_or_path") if config else None
    evidence = (f"its base_model_name_or_path is {base}",) if isinstance(base, str) else ()
    release = f"trl {facts.environment.version('trl')}"
    place = Place(folder.file(ADAPTER))
    problem = f"{folder.label} is an adapter and has no config.json"
    # a model folder may be for a script that loads it in another way
    mild: Severity | None = "warning" if facts.run.target.kind == "model" else None
    if facts.environment.installed("trl") and not facts.environment.version("peft"):
        yield Finding(
            place,
            f"{problem}, and peft is not installed: nothing can load it",
            evidence,
            severity=mild,
        )
    elif trainer.name not in TRAINED:
        raise NotConcerned(f"{trainer.trainer} is not examined")
    elif reads_config_first(facts, trainer):
        yield Finding(
            place,
            f"{problem}: `trl {trainer.name}` of {release} reads that file first and fails",
            evidence,
            severity=mild,
        )


RUN: Json = {"trainer": "sft", "model_name_or_path": "m"}
ONLY: dict[str, Json] = {"run.json": RUN, "m/adapter_config.json": {"base_model_name_or_path": "b"}}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(ONLY, versions={"trl": "1.16.0"}, says="m is an adapter and has no config.json: `trl"),
        Good(ONLY, versions={"trl": "0.15.2"}),
        Good({**ONLY, "m/config.json": {"model_type": "llama"}}, versions={"trl": "1.16.0"}),
    ),
)
