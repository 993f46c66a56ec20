"""use_peft is set, and the script makes no adapter.

TRL's ModelConfig has the options of an adapter (`use_peft`, `lora_r`). They have an effect only if
the script makes a config of them, `get_peft_config(model_args)`, and passes it to the trainer. One
that forgets this trains the whole model, with many times the memory and a learning rate that was
meant for an adapter. There is no warning.

Remedy: pass `peft_config=get_peft_config(model_args)` to the trainer.

Versions: every trl that has ModelConfig and get_peft_config.

Seen: reproduced with SFT of trl 1.16.0 and 0.24.0: with `--use_peft` a script without
`get_peft_config` saves a whole model (model.safetensors); with it, an adapter.
"""

import ast
import re
from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import trainer
from trl_doctor.facts.script.passed import passed
from trl_doctor.facts.script.syntax.code import code

OF_ADAPTERS = re.compile("peft|lora|adapter|unsloth", re.IGNORECASE)
"""What is in a name by which a script may make an adapter in a way of its own."""


def check(facts: Facts) -> Iterator[Finding]:
    values, asked = passed(facts), facts.run.script.asks_adapter
    if asked is None:
        raise NotConcerned("nothing asks for an adapter (use_peft of ModelConfig)")
    if values.has("peft_config") or facts.run.flag("use_peft") or values.derived:
        return
    if any(OF_ADAPTERS.search(name) for name in _names(facts[code].nodes)):
        return
    yield Finding(
        asked,
        f"use_peft is true, and {trainer(facts)} gets no peft_config: the whole model is trained",
        remedy="pass peft_config=get_peft_config(model_args) to the trainer",
    )


def _names(nodes: tuple[ast.AST, ...]) -> Iterator[str]:
    """The names and attributes of the code, and what it imports."""
    for node in nodes:
        for part in ("id", "attr", "name", "module"):
            if isinstance(word := getattr(node, part, None), str):
                yield word


HEAD = "from trl import ModelConfig, SFTConfig, SFTTrainer, TrlParser{}\n"
PARSED = (
    "args, model_args = TrlParser((SFTConfig, ModelConfig)).parse_args_and_config()\n"
    "SFTTrainer(model_args.model_name_or_path, args=args, train_dataset=rows{})\n"
)
FORGOTTEN = HEAD.format("") + PARSED.format("")
PASSED = HEAD.format(", get_peft_config") + PARSED.format(
    ", peft_config=get_peft_config(model_args)"
)
LINE = "python train.py --model_name_or_path org/m --output_dir out --lora_r 8"
YAML = "model_name_or_path: org/m\noutput_dir: out\nuse_peft: true\n"
TRL = {"trl": "1.16.0"}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            {"train.py": FORGOTTEN, "job.sh": f"{LINE} --use_peft\n"},
            "job.sh",
            versions=TRL,
            says="use_peft is true, and SFTTrainer of trl 1.16.0 gets no peft_config",
        ),
        Bad(
            {"train.py": FORGOTTEN, "job.sh": "python train.py --config a.yaml\n", "a.yaml": YAML},
            "job.sh",
            versions=TRL,
            says="the whole model is trained",
        ),
        Good({"train.py": PASSED, "job.sh": f"{LINE} --use_peft\n"}, "job.sh", versions=TRL),
        Good({"train.py": FORGOTTEN, "job.sh": f"{LINE}\n"}, "job.sh", versions=TRL),
        Good({"train.py": FORGOTTEN}, "train.py", versions=TRL),
    ),
)
