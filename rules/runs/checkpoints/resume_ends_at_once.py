"""The checkpoint has as many steps as the run may make.

`train()` resumes from a checkpoint whose number is `max_steps` or more. The steps of the checkpoint
count: the run ends at once without an error, after one step whose learning rate is that of the end
of the schedule, usually 0.

Remedy: set `max_steps` to the steps of both parts together.

Versions: any.

Seen: reproduced with SFT of trl 0.19.1 and 1.16.0: one more step, with a learning rate of 0. With
twice as many `max_steps` the run goes on.
"""

import re
from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.script.passed import passed, plain_texts

from ..._recorded.scripts import script

KEY, STEPS = "resume_from_checkpoint", "max_steps"
NUMBERED = re.compile(r"checkpoint-(\d+)/?$")


def check(facts: Facts) -> Iterator[Finding]:
    names = plain_texts(passed(facts).firsts("train", KEY))
    numbers = [int(match[1]) for name in names if (match := NUMBERED.search(name))]
    most = facts.run.number(STEPS)
    if not numbers or not most or most < 0:
        raise NotConcerned("the run resumes from no checkpoint with a number, or has no max_steps")
    if max(numbers) >= most:
        yield Finding(
            facts.run.place(STEPS),
            f"{STEPS} is {most:g}, and the run resumes from checkpoint-{max(numbers)}, which has "
            "as many steps: it ends at once",
            remedy=f"set {STEPS} above {max(numbers)}: the steps of the checkpoint count",
        )


def _script(steps: int, train: str) -> dict[str, str]:
    text = script("SFT", "model='org/m'", f"max_steps={steps}")["train.py"]
    return {"train.py": text.replace("SFTTrainer(a", "t = SFTTrainer(a") + f"t.train({train})\n"}


RESUMES = f"{KEY}='out/checkpoint-40'"
TRL = {"trl": "1.16.0"}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            _script(40, RESUMES),
            "train.py",
            TRL,
            says="max_steps is 40, and the run resumes from checkpoint-40, which has as many steps",
        ),
        Bad(_script(20, "'out/checkpoint-40'"), "train.py", TRL, says="resumes from checkpoint-40"),
        Good(_script(80, RESUMES), "train.py", TRL),
        Good(_script(40, ""), "train.py", TRL),
    ),
)
