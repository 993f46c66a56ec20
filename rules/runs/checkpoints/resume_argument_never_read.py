"""The checkpoint to resume from does not reach train().

A script gives `resume_from_checkpoint` to its config and calls `trainer.train()`. Trainers do not
read this argument: it is there for scripts, which must pass it on. The run begins with step 1 and
untrained weights. A job that is ended and started again never gets further, and overwrites the
checkpoints of the job before it.

Remedy: `trainer.train(resume_from_checkpoint=args.resume_from_checkpoint)`, with the same value.

Versions: every release of trl. The command `trl` passes it on by itself from 1.15.0 on. Only values
that are made while the script runs are looked at: `resume-checkpoint-unusable` tells the others. A
rehearsal also sees a value that comes through functions of the script. A
script that mentions the argument anywhere else is left alone, also as text of a command line or of
a settings file; so is one whose trainer is a class of its own, and one that gives None or False.

Seen: trl#3179. Reproduced with SFT of trl 1.16.0: a second job does the first job's
steps again; with the argument of `train` it goes on with the next one.
"""

import ast
from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings, rehearsed
from trl_doctor.facts.rule import Bad, Examples, Good, Rule
from trl_doctor.facts.script.passed import passed
from trl_doctor.facts.script.syntax.assigned import values_by_name
from trl_doctor.facts.script.syntax.code import code

from ..._recorded.scripts import script

KEY = "resume_from_checkpoint"
NOTHING = frozenset(["None", "False", "''"])
"""Values that ask for no checkpoint."""


MESSAGES = {
    "checkpoint not passed": f"the config gets {KEY}={{0!r}}, and train() does not: trainers do "
    "not read it, and the run begins with step 1"
}
REMEDY = f"write trainer.train({KEY}=…) with the same value"


def check(facts: Facts) -> Iterator[Finding]:
    if rehearsed(facts) and (seen := list(mistake_findings(facts, MESSAGES, remedy=REMEDY))):
        yield from seen
        return
    if passed(facts).derived:
        raise NotConcerned("the trainer is a class of the script's own, which may read it")
    if _is_known(facts):
        raise NotConcerned("the checkpoint is known: resume-checkpoint-unusable reads it")
    parsed = facts[code]
    given = [node for node in parsed.nodes if isinstance(node, ast.keyword) and node.arg == KEY]
    configs = [call for call in parsed.nodes if isinstance(call, ast.Call) and _is_config(call)]
    own = [word for call in configs for word in call.keywords if word in given]
    if not own or len(own) < len(given) or any(map(_mentions, parsed.nodes)):
        raise NotConcerned("no checkpoint is named in the config alone")
    trains = [call for call in parsed.nodes if isinstance(call, ast.Call) and _trains(call)]
    if not trains or any(call.args or call.keywords for call in trains):
        raise NotConcerned("the script does not call train(), or passes something to it")
    values = values_by_name(parsed.nodes)
    for word in own:
        value = ast.unparse(word.value)
        known = [ast.unparse(one) for one in values.get(value, ())] or [value]
        if not set(known) <= NOTHING:
            yield Finding(
                parsed.place(word.value),
                f"the config gets {KEY}={value[:60]}, and train() does not: trainers do not read "
                "it, and the run begins with step 1",
                remedy=REMEDY,
            )


def _is_known(facts: Facts) -> bool:
    try:
        return facts.run.arguments.get(KEY) is not None
    except Unavailable:  # it is made while the script runs
        return False


def _is_config(call: ast.Call) -> bool:
    return ast.unparse(call.func).endswith(("Config", "Arguments"))


def _mentions(node: ast.AST) -> bool:
    """Whether a script may read the argument of its config, or gets it from elsewhere."""
    if isinstance(node, ast.Attribute):
        return node.attr == KEY
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and KEY in node.value


def _trains(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr == "train"


def _script(value: str, train: str = "trainer.train()", made: str = "") -> dict[str, str]:
    text = script("SFT", "model='org/m'")["train.py"]
    text = text.replace("SFTConfig('out', )", f"SFTConfig('out', {KEY}={value})")
    made = made or "trainer = SFTTrainer("
    return {"train.py": text.replace("SFTTrainer(a", f"{made}a") + f"{train}\n"}


OWN = "class Mine(SFTTrainer):\n    def train(self): ...\ntrainer = Mine("
TRL = {"trl": "1.16.0"}


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake

    says = "the config gets resume_from_checkpoint='run/checkpoint-4', and train() does not"
    return (
        mistake("checkpoint not passed", ("run/checkpoint-4",), "train.py:9", says),
        Bad(_script("newest()"), "train.py", TRL, says="config gets resume_from_checkpoint=newest"),
        Bad(_script("last", made="last = newest()\ntrainer = SFTTrainer("), "train.py", TRL,
            says="and train() does not"),
        Good(_script("'out/checkpoint-40'"), "train.py", TRL),
        Good(_script("None"), "train.py", TRL),
        Good(_script("newest()", "trainer.train(resume_from_checkpoint=True)"), "train.py", TRL),
        Good(_script("newest()", "trainer.train(True)"), "train.py", TRL),
        Good(_script("newest()", "words = {}\ntrainer.train(**words)"), "train.py", TRL),
        Good(_script("newest()", "trainer.train(trainer.args.resume_from_checkpoint)"), "train.py",
             TRL),
        Good(_script("newest()", "trainer.evaluate()"), "train.py", TRL),
        Good(_script("last", made="last = None\ntrainer = SFTTrainer("), "train.py", TRL),
        Good(_script("newest()", made=OWN), "train.py", TRL),
    )  # fmt: skip


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
