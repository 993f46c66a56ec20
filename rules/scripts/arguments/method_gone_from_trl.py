"""The script calls a method that its trainer does not have.

The script fails when it reaches the call, perhaps only after the training: "object has no attribute
'save_pretrained'". The name is misspelt, or the method was removed from the class.

PPOTrainer was rewritten in trl 0.12.0: it generates, scores and learns in `train()`, and has no
`generate`, `step` or `save_pretrained`. A script with the loop of older releases fails after it has
loaded all models. For other trainers the rule reads the installed classes and their base classes.

Remedy: correct the name. For PPO, give the trainer a reward model and a value model and call
`trainer.train()`, as TRL's PPO script does; for rewards that a function computes, use GRPOTrainer
or RLOOTrainer. Or install trl 0.11.4, the last release with the older trainer.

Versions: PPO from trl 0.12.0 to 1.12.0; other methods are looked for in the installed sources. It
is a warning if the line is under a condition.

Seen: collabllm#12. `trainer.save_pretrained` of SFT fails after the training in trl 0.24.0 and
1.16.0. Reproduced with trl 0.12.2; neither 0.12.2 nor 1.12.0 has one of these methods.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.model.ppo import any_release, of_loop
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer
from trl_doctor.facts.script.trainer_methods import called_in_vain, place_of

from ..._recorded.scripts import script


def check(facts: Facts) -> Iterator[Finding]:
    if known_trainer(facts) == "ppo":
        yield from _ppo(facts)
        return
    trainer, calls = called_in_vain(facts)
    for call in calls:
        yield Finding(
            place_of(facts, call),
            f"{trainer} of trl {facts.environment.version('trl')} has no method {call.name}, which "
            "the script calls",
            severity="warning" if call.guards else None,
            remedy="remove the call, or correct the name",
        )


def _ppo(facts: Facts) -> Iterator[Finding]:
    trl = any_release(facts)
    if called := of_loop(facts):
        yield Finding(
            facts.run.place(),
            f"PPOTrainer of trl {trl} has no method {' or '.join(called)}, which the script calls: "
            "trl 0.11.4 was the last with it",
            remedy="give the trainer a reward model and a value model and call trainer.train(), as "
            "TRL's PPO script does; for rewards that a function computes use GRPOTrainer or "
            "RLOOTrainer; or install trl 0.11.4",
        )


def _script(call: str) -> dict[str, str]:
    (text,) = script("PPO", "model='m', processing_class=None").values()
    return {"train.py": text.replace("PPOTrainer(args", "trainer = PPOTrainer(args") + call}


def _sft(call: str) -> dict[str, str]:
    (text,) = script("SFT", "model='m'").values()
    return {"train.py": text.replace("SFTTrainer(args", "trainer = SFTTrainer(args") + call}


def _metadata(name: str, version: str) -> dict[str, str]:
    folder = f"site-packages/{name}-{version}.dist-info"
    return {f"{folder}/METADATA": f"Name: {name}\nVersion: {version}\n"}


TRL = {
    **_metadata("trl", "0.24.0"),
    **_metadata("transformers", "4.57.6"),
    "site-packages/trl/__init__.py": "from .sft import SFTTrainer\nfrom .config import SFTConfig\n",
    "site-packages/trl/config.py": "class SFTConfig: pass\n",
    "site-packages/trl/sft.py": (
        "from transformers import Trainer\n\n\nclass SFTTrainer(Trainer):\n"
        "    def __init__(self, model, args, train_dataset):\n        self.model = model\n"
    ),
    "site-packages/transformers/__init__.py": "from .trainer import Trainer\n",
    "site-packages/transformers/trainer.py": (
        "class Trainer:\n    from .utils import (\n        log_metrics,\n    )\n\n"
        "    def train(self):\n        self.model.generate()\n"
    ),
}
LOOP = "for batch in trainer.dataloader:\n    trainer.generate(batch)\n    trainer.step(batch)\n"
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains=r"'\w+Trainer' object has no attribute",
    examples=(
        Bad(
            _script(LOOP),
            "train.py",
            versions={"trl": "0.12.2"},
            says="PPOTrainer of trl 0.12.2 has no method generate or step, which the script calls",
        ),
        Bad(
            {**TRL, **_sft("trainer.train()\ntrainer.save_pretrained('x')\n")},
            "train.py",
            says="SFTTrainer of trl 0.24.0 has no method save_pretrained, which the script calls",
        ),
        Bad(
            {**TRL, **_sft("import sys\nif sys.argv[1:]:\n    trainer.generate()\n")},
            "train.py",
            says="has no method generate",
            severity="warning",
        ),
        Good({**TRL, **_sft("trainer.log_metrics('train', {})\n")}, "train.py"),
        Good({**TRL, **_sft("trainer.own = len\ntrainer.own([])\n")}, "train.py"),
        Good({**TRL, **_sft("trainer.model.save_pretrained('x')\n")}, "train.py"),
        Good(_script("trainer.train()\n"), "train.py", versions={"trl": "0.12.2"}),
        Good(_script(LOOP), "train.py", versions={"trl": "0.11.4"}),
    ),
)
