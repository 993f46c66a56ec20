"""The adapter is made for another kind of model.

`task_type` of a LoraConfig, `lora_task_type` in a run file, says what kind of model PEFT adapts. A
reward model needs SEQ_CLS, and with CAUSAL_LM the run fails when the adapter is made. A language
model needs CAUSAL_LM: with SEQ_CLS it trains, but `AutoPeftModelForCausalLM` refuses the adapter
that is saved.

A run file that does not set the key has CAUSAL_LM. PEFT then looks for the model's method that
prepares generation, which a model with a scoring head does not have. With SEQ_CLS, PEFT also trains
and saves the head. `PeftModel.from_pretrained(model, …)` loads an adapter of each task.

Remedy: set `lora_task_type: SEQ_CLS` for a reward model, and `CAUSAL_LM` for a language model. For
an adapter that is trained already, change `task_type` in its adapter_config.json.

Versions: a reward model: every trl with transformers 4.50 or newer. A language model: every
release.

Seen: `trl reward` of 1.16.0 with `use_peft: true` (peft 0.21.2, transformers 5.23.0):
"'LlamaForSequenceClassification' object has no attribute 'prepare_inputs_for_generation'". With
SEQ_CLS the same run trains. SFT, DPO and GRPO of trl 1.16.0 with SEQ_CLS: "Expected target PEFT
class: PeftModelForSequenceClassification, but you have asked for: PeftModelForCausalLM"; the same
for SFT with TOKEN_CLS, QUESTION_ANS and FEATURE_EXTRACTION.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Fix, Json, Put, pointer
from trl_doctor.core.trainer import TRAINERS
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.unknown import known_to_trl
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer

from ..._recorded.scripts import script

KEY, OF_REWARD, OF_LANGUAGE = "lora_task_type", "SEQ_CLS", "CAUSAL_LM"
WITHOUT_GENERATION = Version("4.50.0")
"""From this transformers on only models that generate have methods for it."""

OTHER_TASKS = ("SEQ_CLS", "TOKEN_CLS", "QUESTION_ANS", "FEATURE_EXTRACTION")
"""Tasks of models that write no texts."""

WITH_HEADS = ("reward", "prm", "ppo")
"""Trainers whose models, or one of them, have a scoring head."""


def check(facts: Facts) -> Iterator[Finding]:
    trainer = known_trainer(facts)
    if trainer == "reward":
        yield from _of_reward(facts)
    elif trainer is None or trainer in WITH_HEADS or not facts.run.flag("use_peft"):
        raise NotConcerned("the run trains no adapter of a language model or a reward model")
    else:
        yield from _of_language(facts, TRAINERS[trainer].trainer)


def _of_reward(facts: Facts) -> Iterator[Finding]:
    run = facts.run
    if not run.flag("use_peft"):
        raise NotConcerned("the run trains no adapter of a reward model")
    if facts.environment.known_version("transformers") < WITHOUT_GENERATION:
        raise NotConcerned("in this transformers every model has the methods of generation")
    if run.by_class and not run.parser:
        yield from _of_script(facts)
        return
    _, accepted = known_to_trl(facts)
    if KEY not in accepted.fields or str(run.arguments.get(KEY, OF_LANGUAGE)) == OF_REWARD:
        return
    is_set = KEY in run.arguments
    setting = f"{KEY} is {run.arguments.get(KEY)}" if is_set else f"{KEY} is CAUSAL_LM by default"
    yield Finding(
        run.place(KEY if is_set else "use_peft"),
        f"{setting}: with it PEFT cannot adapt a reward model",
        fix=Fix(f"set {KEY} to {OF_REWARD}", (Put(run.target.path, pointer(KEY), OF_REWARD),)),
    )


def _of_script(facts: Facts) -> Iterator[Finding]:
    """A LoraConfig without a task adapts every model."""
    if facts.run.arguments.get(KEY) != OF_LANGUAGE:
        return
    place = facts.run.place(KEY)
    yield Finding(
        place,
        f"task_type is {OF_LANGUAGE}: with it PEFT cannot adapt a reward model",
        fix=Fix(f"set task_type to {OF_REWARD}", (Put(place.file, place.pointer, OF_REWARD),)),
    )


def _of_language(facts: Facts, trainer: str) -> Iterator[Finding]:
    task, place = facts.run.arguments.get(KEY), facts.run.place(KEY)
    if task not in OTHER_TASKS:
        return
    name = "task_type" if facts.run.by_class and not facts.run.parser else KEY
    yield Finding(
        place,
        f"{name} is {task}, and {trainer} trains a language model: AutoPeftModelForCausalLM will "
        "refuse the saved adapter",
        fix=Fix(f"set {name} to {OF_LANGUAGE}", (Put(place.file, place.pointer, OF_LANGUAGE),)),
        severity="warning",
    )


RUN: dict[str, Json] = {"trainer": "reward", "model_name_or_path": "m", "use_peft": True}
SFT: dict[str, Json] = {**RUN, "trainer": "sft"}
NEW = {"trl": "1.16.0", "transformers": "5.23.0"}


def _adapted(task: str, trainer: str = "DPO") -> dict[str, str]:
    before = f"from peft import LoraConfig, TaskType\nlora = LoraConfig(r=8, task_type={task})\n"
    return script(trainer, "model='org/m', peft_config=lora", before=before)


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
            fixed={"run.json": {**RUN, KEY: OF_REWARD}},
        ),
        Bad(
            {"run.json": {**RUN, KEY: "CAUSAL_LM"}},
            versions=NEW,
            says="lora_task_type is CAUSAL_LM: ",
            fixed={"run.json": {**RUN, KEY: OF_REWARD}},
        ),
        Bad(
            {"run.json": {**SFT, KEY: "SEQ_CLS"}},
            versions=NEW,
            says="lora_task_type is SEQ_CLS, and SFTTrainer trains a language model",
            severity="warning",
            fixed={"run.json": {**SFT, KEY: OF_LANGUAGE}},
        ),
        Bad(
            _adapted("'SEQ_CLS'"),
            "train.py",
            says="task_type is SEQ_CLS, and DPOTrainer trains a language model",
            severity="warning",
            fixed=_adapted('"CAUSAL_LM"'),
        ),
        Bad(
            _adapted("TaskType.TOKEN_CLS"),
            "train.py",
            says="task_type is TOKEN_CLS, and DPOTrainer trains a language model",
            severity="warning",
        ),
        Bad(
            _adapted("'CAUSAL_LM'", "Reward"),
            "train.py",
            versions=NEW,
            says="task_type is CAUSAL_LM: with it PEFT cannot adapt a reward model",
            fixed=_adapted('"SEQ_CLS"', "Reward"),
        ),
        Good({"run.json": {**RUN, KEY: OF_REWARD}}, versions=NEW),
        Good(_adapted("None", "Reward"), "train.py", versions=NEW),
        Good(_adapted("TaskType.SEQ_CLS", "Reward"), "train.py", versions=NEW),
        Good({"run.json": SFT}, versions=NEW),
        Good({"run.json": {**SFT, KEY: OF_LANGUAGE}}, versions=NEW),
        Good({"run.json": RUN}, versions={"trl": "0.24.0", "transformers": "4.48.0"}),
        Good(_adapted("'CAUSAL_LM'"), "train.py"),
        Good(_adapted("TaskType.CAUSAL_LM"), "train.py"),
        Good(_adapted("None"), "train.py"),
        Good(_adapted("'SEQ_2_SEQ_LM'"), "train.py"),
        Good(_adapted("'SEQ_CLS'", "Reward"), "train.py", versions=NEW),
    ),
)
