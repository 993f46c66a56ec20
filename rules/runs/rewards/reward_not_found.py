"""A reward function does not exist in its module.

TRL imports it by its dotted name when the job starts. The module is neither in the folders that the
run searches nor installed, or it has no such function: the job fails on every node.

Remedy: correct the name, or start the job in the folder that has the module.

Versions: every trl whose command has `reward_funcs`.

Seen: reproduced with `trl grpo` of trl 1.16.0 and 0.24.0: "No module named 'nomine'", "module
'mine' has no attribute 'nope'".
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import several
from trl_doctor.facts import Facts
from trl_doctor.facts.rewards.sources import named_rewards
from trl_doctor.facts.rule import Bad, Good, Rule


def check(facts: Facts) -> Iterator[Finding]:
    unread = []
    for reward in facts[named_rewards]:
        module, _, function = reward.name.rpartition(".")
        listed = isinstance(facts.run.arguments["reward_funcs"], list)
        place = facts.run.place("reward_funcs", *([reward.index] if listed else []))
        if reward.file is None and not reward.known:
            roots = tuple(f"searched in {root}" for root in facts.run.roots)
            yield Finding(place, f"{reward.name}: there is no module {module}", roots)
        elif reward.file is None:
            unread.append(f"the source of the module {module} cannot be read")
        elif reward.lacking:
            yield Finding(place, f"{reward.name}: {reward.file.name} has no {function}")
    if unread:
        raise several(unread)


def _run(*names: Json) -> dict[str, Json]:
    return {"trainer": "grpo", "model_name_or_path": "m", "reward_funcs": list(names)}


MINE = "def score(completions, **_):\n    return [1.0 for _ in completions]\n"
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains=r"No module named|has no attribute",
    examples=(
        Bad(
            {"run.json": _run("mine.nope"), "mine.py": MINE},
            says="mine.nope: mine.py has no nope",
        ),
        Good({"run.json": _run("mine.score"), "mine.py": MINE}),
        Good({"run.json": _run("mine.star"), "mine.py": "from other import *\n"}),
        Good({"run.json": _run("accuracy_reward")}),
        Good(
            {"run.json": _run("nomine.score")},
            skipped="the source of the module nomine cannot be read",
        ),
    ),
)
