"""The constant schedule ignores the run's warmup.

`lr_scheduler_type: constant` has no warmup. transformers does not read `warmup_steps` or
`warmup_ratio` then, and does not mention it. The first step is taken at the full learning rate.
This can harm the model when the optimizer knows little about its gradients yet.

Remedy: set `lr_scheduler_type: constant_with_warmup`. If you want no warmup, remove `warmup_steps`
and `warmup_ratio`.

Versions: every transformers. The rule is skipped with `deepspeed`, whose file can name a schedule
of its own, and for a script that creates its own optimizer.

Seen: reproduced with `trl dpo`, three steps of warmup and a learning rate of 1e-4, which the log
shows from the first step on; trl 0.24.0 (transformers 4.57.6) and 1.16.0 (5.23.0). With
constant_with_warmup the log shows 0, 3.3e-5, 6.7e-5 and 1e-4.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Fix, Json, Put, pointer
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.training.schedule import refuse_other_schedules

KEY, WITH = "lr_scheduler_type", "constant_with_warmup"
WARMUP = ("warmup_steps", "warmup_ratio")


def check(facts: Facts) -> Iterator[Finding]:
    run = facts.run
    values = {name: run.number(name) or 0 for name in WARMUP}
    positive = [name for name, value in values.items() if value > 0]
    if not positive:
        raise NotConcerned("the run asks for no warmup")
    if run.arguments.get(KEY) != "constant":
        return
    refuse_other_schedules(facts)
    name, edit = positive[0], Put(run.place(KEY).file, pointer(KEY), WITH)
    yield Finding(
        run.place(name),
        f"{name} is {values[name]:g}, but the constant schedule has no warmup: "
        "the first step is taken at the full learning rate",
        evidence=(f"{KEY}: constant",),
        fix=Fix(f"set {KEY} to {WITH}", (edit,), safe=False),
    )


RUN: dict[str, Json] = {"trainer": "dpo", KEY: "constant", "warmup_steps": 100}
RATIO: dict[str, Json] = {"trainer": "sft", KEY: "constant", "warmup_ratio": 0.1}
SCRIPT = """\
from trl import SFTConfig, SFTTrainer
args = SFTConfig(lr_scheduler_type="constant", warmup_steps=100)
trainer = SFTTrainer(model="m", args=args, train_dataset=rows)
trainer.train()
"""
NOW = {"trl": "1.16.0", "transformers": "5.23.0"}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            {"run.json": RUN},
            versions=NOW,
            says="warmup_steps is 100, but the constant schedule has no warmup",
            fixed={"run.json": {**RUN, KEY: WITH}},
        ),
        Bad(
            {"run.json": RATIO},
            versions={"trl": "0.24.0", "transformers": "4.57.6"},
            says="warmup_ratio is 0.1",
            fixed={"run.json": {**RATIO, KEY: WITH}},
        ),
        Bad(
            {"train.py": SCRIPT},
            "train.py",
            versions=NOW,
            says="warmup_steps is 100",
            fixed={"train.py": SCRIPT.replace('"constant"', f'"{WITH}"')},
        ),
        Good({"run.json": {**RUN, KEY: WITH}}, versions=NOW),
        Good({"run.json": {**RUN, KEY: "cosine"}}, versions=NOW),
        Good({"run.json": {**RUN, "warmup_steps": 0}}, versions=NOW),
        Good(
            {"train.py": SCRIPT.replace("=rows", "=rows, optimizers=(optimizer, schedule)")},
            "train.py",
            versions=NOW,
            skipped="creates the optimizer",
        ),
        Good({"run.json": {**RUN, "deepspeed": "z.json"}}, versions=NOW, skipped="DeepSpeed file"),
    ),
)
