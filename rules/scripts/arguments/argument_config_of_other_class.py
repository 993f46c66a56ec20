"""The trainer gets the config of another class.

Each trainer reads arguments that only its own config has. The script fails when it creates the
trainer, after the model was loaded: "'TrainingArguments' object has no attribute
'model_init_kwargs'". SFTTrainer converts `TrainingArguments` to an SFTConfig, which refuses every
field that a class of the script has added and that SFTConfig does not have.

Remedy: use the trainer's own config, `DPOConfig(…)` for DPOTrainer; let your own class inherit from
it.

Versions: every trl; tested from 0.14.0 on, DPO from 0.12.2 on. SFTTrainer accepts a plain
`TrainingArguments`, and RewardTrainer other configs up to 0.23.

Seen: Chinese-Mixtral-8x7B#31, trl#2291. Reproduced with each config of SFT, DPO, KTO, GRPO, RLOO
and the reward trainer, and TrainingArguments, given to each of these trainers, with trl 0.15.2,
0.24.0 and 1.16.0; TrainingArguments given to DPO also with 0.12.2.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding
from trl_doctor.core.trainer import SAME_ARGUMENTS, TRAINERS
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.library import accepted
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer
from trl_doctor.facts.script.passed import constructed, passed

CONFIGS = {TRAINERS[name].config for name in SAME_ARGUMENTS}
FIRST, FIRST_DPO, STRICT_REWARD = Version("0.14.0"), Version("0.12.2"), Version("0.24.0")
PLAIN = "TrainingArguments"


def check(facts: Facts) -> Iterator[Finding]:
    values, name = passed(facts), known_trainer(facts)
    trl = facts.environment.known_version("trl")
    if (
        name not in SAME_ARGUMENTS
        or trl < (FIRST_DPO if name == "dpo" else FIRST)
        or (name == "reward" and trl < STRICT_REWARD)
    ):
        raise NotConcerned("what this trainer does with other configs is not known")
    config = constructed(values.given("args"))
    if config is None:
        return
    trainer, place = TRAINERS[name], values.places["args"]
    if config.of == f"transformers.{PLAIN}" and name == "sft":
        taken = accepted(facts.environment, TRAINERS[name]).config
        if added := sorted(config.fields - taken.keys()):
            yield Finding(
                place,
                f"SFTTrainer makes an SFTConfig of its args, which has no {', '.join(added[:4])}",
                remedy="let the script's class inherit from trl.SFTConfig",
            )
    elif config.of == f"transformers.{PLAIN}" or _is_config(config.of, trainer.config):
        yield Finding(
            place,
            f"args is a {config.short}, and {trainer.trainer} needs a {trainer.config}",
            remedy=f"make a {trainer.config} of these arguments",
        )


def _is_config(name: str, class_name: str) -> bool:
    """Whether this is the config of another of the known trainers."""
    home, _, short = name.rpartition(".")
    return home.partition(".")[0] == "trl" and short in CONFIGS and short != class_name


def script(trainer: str, config: str, before: str = "") -> dict[str, str]:
    head = f"from transformers import {PLAIN}\nfrom trl import {trainer}Trainer\n"
    if config not in (PLAIN, "Own"):
        head += f"from trl import {config}\n"
    rows = "from datasets import load_dataset\nrows = load_dataset('org/rows', split='train')\n"
    call = f"{trainer}Trainer('org/m', args={config}('out'), train_dataset=rows)\n"
    return {"train.py": f"{head}{rows}{before}{call}"}


OWN = (
    "from dataclasses import dataclass\n@dataclass\nclass Own({}):\n    cache_dir: str = 'cache'\n"
)
LENGTH = OWN.format(PLAIN).replace("cache_dir: str = 'cache'", "max_length: int = 512")
MORE = "from trl import SFTConfig\n" + OWN.format("SFTConfig")
TRL = {"trl": "1.16.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="(TrainingArguments|Config)' object has no attribute",
    examples=(
        Bad(
            script("DPO", PLAIN),
            "train.py",
            versions=TRL,
            says="args is a TrainingArguments, and DPOTrainer needs a DPOConfig",
        ),
        Bad(
            script("GRPO", "SFTConfig"),
            "train.py",
            versions={"trl": "0.24.0"},
            says="args is a SFTConfig, and GRPOTrainer needs a GRPOConfig",
        ),
        Bad(
            script("SFT", "Own", OWN.format(PLAIN)),
            "train.py",
            versions=TRL,
            says="SFTTrainer makes an SFTConfig of its args, which has no cache_dir",
        ),
        Good(script("SFT", PLAIN), "train.py", versions=TRL),
        Good(script("SFT", "Own", LENGTH), "train.py", versions=TRL),
        Good(script("SFT", "Own", MORE), "train.py", versions=TRL),
        Good(script("DPO", "DPOConfig"), "train.py", versions=TRL),
        Good(script("Reward", "DPOConfig"), "train.py", versions={"trl": "0.15.2"}),
    ),
)
