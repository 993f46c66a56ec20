"""The adapter of a reward model leaves out its head.

With `task_type="SEQ_CLS"` PEFT also trains and saves `score`, the head that gives the reward.
Without it the head keeps its weights, and they are not in the saved adapter. For a model that is
made of a language model these weights are random: whoever loads the adapter gets another random
head, and the rewards mean nothing. There is no error.

Remedy: write `LoraConfig(task_type="SEQ_CLS", …)`, or `modules_to_save=["score"]`.

Versions: every trl with RewardTrainer. If the base model is a reward model with a trained head, the
adapter is complete without it.

Seen: reproduced with RewardTrainer of trl 1.16.0 and peft 0.21.2: without a task type
`adapter_model.safetensors` has no `score`; with SEQ_CLS it has.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer
from trl_doctor.facts.script.heads import head_left_out

from ..._recorded.scripts import script


def check(facts: Facts) -> Iterator[Finding]:
    if known_trainer(facts) != "reward":
        raise NotConcerned("the run trains no reward model")
    if left_out := facts[head_left_out]:
        place, config = left_out
        yield Finding(
            place,
            f"{config} has no task_type: PEFT neither trains nor saves the head of the reward "
            "model",
            remedy='write task_type="SEQ_CLS"',
        )


def _adapted(config: str) -> dict[str, str]:
    before = f"from peft import LoraConfig\nlora = LoraConfig({config})\n"
    return script("Reward", "model='org/m', peft_config=lora", before=before)


RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(_adapted("r=8"), "train.py", says="LoraConfig has no task_type: PEFT neither trains"),
        Bad(_adapted("r=8, modules_to_save=['lm_head']"), "train.py", says="has no task_type"),
        Good(_adapted("r=8, task_type='SEQ_CLS'"), "train.py"),
        Good(_adapted("r=8, modules_to_save=['score']"), "train.py"),
        Good(script("Reward", "model='org/m'"), "train.py"),
    ),
)
