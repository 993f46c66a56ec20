"""The script calls a method that PPOTrainer no longer has.

PPOTrainer was written anew in trl 0.12.0: it generates, scores and learns in `train()`, and has no
`generate`, `step` or `save_pretrained`. A script with the loop of older releases fails after it has
loaded all models: "'PPOTrainer' object has no attribute 'generate'".

Remedy: give the trainer a reward model and a value model and call `trainer.train()`, as TRL's PPO
script does; for rewards that a function computes, use GRPOTrainer or RLOOTrainer. Or install trl
0.11.4, the last release with the older trainer.

Versions: trl 0.12.0 to 1.12.0.

Seen: collabllm#12. Reproduced with trl 0.12.2; neither 0.12.2 nor 1.12.0 has one of these methods.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.passed import passed
from trl_doctor.facts.ppo import release
from trl_doctor.facts.rule import Bad, Good, Rule

from .._recorded.scripts import script

GONE = ("generate", "step", "log_stats", "batched_forward_pass", "save_pretrained")
"""Methods that the PPOTrainer of trl 0.11.4 and before has, and no later one."""


def check(facts: Facts) -> Iterator[Finding]:
    values, trl = passed(facts), release(facts)
    called = {deed.name: deed for deed in reversed(values.deeds) if deed.name in GONE}
    if called and not any(name in values.methods for name in called):
        names = " or ".join(name for name in GONE if name in called)
        yield Finding(
            facts.run.place(),
            f"PPOTrainer of trl {trl} has no method {names}, which the script calls: trl 0.11.4 "
            "was the last with it",
        )


def _script(call: str) -> dict[str, str]:
    (text,) = script("PPO", "model='m', processing_class=None").values()
    return {"train.py": text.replace("PPOTrainer(args", "trainer = PPOTrainer(args") + call}


LOOP = "for batch in trainer.dataloader:\n    trainer.generate(batch)\n    trainer.step(batch)\n"
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="'PPOTrainer' object has no attribute '(generate|step|log_stats|save_pretrained)",
    examples=(
        Bad(
            _script(LOOP),
            "train.py",
            versions={"trl": "0.12.2"},
            says="PPOTrainer of trl 0.12.2 has no method generate or step, which the script calls",
        ),
        Good(_script("trainer.train()\n"), "train.py", versions={"trl": "0.12.2"}),
        Good(_script(LOOP), "train.py", versions={"trl": "0.11.4"}),
    ),
)
