"""A reward function of the script is given as a text.

A text in `reward_funcs` is the name of a reward model: TRL looks for a model "correct" here and on
the Hub, and the run fails. A rehearsal uses a small model in its place, and does not see it.

Remedy: write the function without quotation marks: `reward_funcs=[correct]`.

Versions: every trl with GRPOTrainer or RLOOTrainer.

Seen: reproduced with GRPO of trl 1.16.0: the model "correct" is not found.
"""

import ast
from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer
from trl_doctor.facts.script.passed import passed, plain_texts
from trl_doctor.facts.script.syntax.code import code

from ..._recorded.scripts import script

KEY = "reward_funcs"


def check(facts: Facts) -> Iterator[Finding]:
    if known_trainer(facts) not in ("grpo", "rloo"):
        raise NotConcerned("only GRPO and RLOO take reward functions")
    values = passed(facts)
    value = values.given(KEY)
    items = getattr(value, "items", [value])
    texts = plain_texts((item, True) for item in items) if isinstance(items, list) else []
    functions = {node.name for node in facts[code].nodes if isinstance(node, ast.FunctionDef)}
    for name in texts:
        if name in functions:
            yield Finding(
                values.places[KEY],
                f"{KEY} has the text {name!r}: TRL looks for a model of this name, and not for the "
                "script's function",
                remedy=f"write {name} without quotation marks",
            )


SCORE = "def score(completions, **kwargs):\n    return [float(len(text)) for text in completions]\n"


def _files(given: str) -> dict[str, str]:
    return script("GRPO", f"model='org/m', reward_funcs={given}", before=SCORE)


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(_files("['score']"), "train.py", says="reward_funcs has the text 'score': TRL looks"),
        Bad(_files("'score'"), "train.py", says="reward_funcs has the text 'score'"),
        Good(_files("[score]"), "train.py"),
        Good(_files("['org/reward-model', score]"), "train.py"),
    ),
)
