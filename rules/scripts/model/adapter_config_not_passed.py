"""The trainer does not get the LoraConfig of the script.

Nothing uses the config, so no adapter is created. The whole model is trained, with
many times the memory and a learning rate that was meant for an adapter. There is no warning.

Remedy: pass it to the trainer, `peft_config=…`, or make the model with `get_peft_model`. Or remove
it.

Versions: every trl.

Seen: reproduced with SFT of trl 1.16.0: all weights change, and a whole model is saved.
"""

import ast
from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import trainer
from trl_doctor.facts.script.passed import passed
from trl_doctor.facts.script.syntax.code import code

from ..._recorded.scripts import script

RANK, KEY = "lora_r", "peft_config"


def check(facts: Facts) -> Iterator[Finding]:
    passed(facts)
    arguments = facts.run.arguments
    if facts.run.parser or arguments.get(RANK) is None:
        raise NotConcerned("the script makes no LoraConfig that is left over")
    if facts.run.flag("use_peft") or _passed_perhaps(facts[code].nodes):
        return
    yield Finding(
        facts.run.place(RANK),
        f"{trainer(facts)} does not get this LoraConfig: the whole model is trained",
        remedy="pass it to the trainer as peft_config, or remove it",
    )


UNUSED = "from peft import LoraConfig\nlora = LoraConfig(r=8)\n"
MADE = (
    "from peft import LoraConfig, get_peft_model\n"
    "from transformers import AutoModelForCausalLM\n"
    "model = get_peft_model(AutoModelForCausalLM.from_pretrained('org/m'), LoraConfig(r=8))\n"
)


def _passed_perhaps(nodes: tuple[ast.AST, ...]) -> bool:
    """Whether the script passes some config, under a condition that this run does not fulfil."""
    words = (node.value for node in nodes if isinstance(node, ast.keyword) and node.arg == KEY)
    return any(not isinstance(value, ast.Constant) for value in words)


TRL = {"trl": "1.16.0"}
SWITCHED = f"{UNUSED}with_lora = False\n"
GIVEN = "model='org/m', peft_config=lora if with_lora else None"
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            script("SFT", "model='org/m'", before=UNUSED),
            "train.py",
            versions=TRL,
            says="SFTTrainer of trl 1.16.0 does not get this LoraConfig: the whole model",
        ),
        Good(script("SFT", "model='org/m', peft_config=lora", before=UNUSED), "train.py", TRL),
        Good(script("SFT", "model=model", before=MADE), "train.py", TRL),
        Good(script("SFT", GIVEN, before=SWITCHED), "train.py", TRL),
        Good(script("SFT", "model='org/m'"), "train.py", TRL),
    ),
)
