"""A reward model gets the adapter of a causal language model.

`lora_task_type` is CAUSAL_LM if the run does not set it. PEFT then looks for the model's method
that prepares generation, which a model with a scoring head does not have. The run fails when the
adapter is made. With SEQ_CLS, PEFT also trains and saves the head.

Remedy: set `lora_task_type: SEQ_CLS`.

Versions: every trl with transformers 4.50 or newer.

Seen: `trl reward` of 1.16.0 with `use_peft: true` (peft 0.21.2, transformers 5.23.0):
"'LlamaForSequenceClassification' object has no attribute 'prepare_inputs_for_generation'". With
SEQ_CLS the same run trains.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Fix, Json, Put, pointer
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.unknown import known_to_trl
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer

KEY, RIGHT = "lora_task_type", "SEQ_CLS"
WITHOUT_GENERATION = Version("4.50.0")
"""From this transformers on only models that generate have methods for it."""


def check(facts: Facts) -> Iterator[Finding]:
    run = facts.run
    if known_trainer(facts) != "reward" or run.by_class or not run.flag("use_peft"):
        raise NotConcerned("the run trains no adapter of a reward model by TRL's command")
    if facts.environment.known_version("transformers") < WITHOUT_GENERATION:
        raise NotConcerned("in this transformers every model has the methods of generation")
    _, accepted = known_to_trl(facts)
    if KEY not in accepted.fields or str(run.arguments.get(KEY, "CAUSAL_LM")) == RIGHT:
        return
    is_set = KEY in run.arguments
    setting = f"{KEY} is {run.arguments.get(KEY)}" if is_set else f"{KEY} is CAUSAL_LM by default"
    yield Finding(
        run.place(KEY if is_set else "use_peft"),
        f"{setting}: with it PEFT cannot adapt a reward model",
        fix=Fix(f"set {KEY} to {RIGHT}", (Put(run.target.path, pointer(KEY), RIGHT),)),
    )


RUN: dict[str, Json] = {"trainer": "reward", "model_name_or_path": "m", "use_peft": True}
NEW = {"trl": "1.16.0", "transformers": "5.23.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="prepare_inputs_for_generation",
    examples=(
        Bad(
            {"run.json": RUN},
            versions=NEW,
            says="lora_task_type is CAUSAL_LM by default: with it PEFT cannot adapt a reward model",
            fixed={"run.json": {**RUN, KEY: RIGHT}},
        ),
        Bad(
            {"run.json": {**RUN, KEY: "CAUSAL_LM"}},
            versions=NEW,
            says="lora_task_type is CAUSAL_LM: ",
            fixed={"run.json": {**RUN, KEY: RIGHT}},
        ),
        Good({"run.json": {**RUN, KEY: RIGHT}}, versions=NEW),
        Good({"run.json": {**RUN, "trainer": "sft"}}, versions=NEW),
        Good({"run.json": RUN}, versions={"trl": "0.24.0", "transformers": "4.48.0"}),
    ),
)
