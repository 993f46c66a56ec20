"""Completions end before an answer as long as the data's.

The rows have worked answers, and `max_completion_length` has fewer tokens than these have words. A
model that answers in the same way is cut off before its result: the reward for a right result is
always 0, or partial scores reward beginnings only. No error is raised; `completions/clipped_ratio`
is near 1.

Remedy: raise `max_completion_length` above the longest of the answers, in tokens.

Versions: GRPO and RLOO of every release. Each word is counted as one token, so only limits that are
surely too small are reported, and only columns that the reward functions of a script name. Local
JSON files are examined, and in a rehearsal the rows that the
trainer gets.

Seen: CoursIA#13596, where a limit of 80 cut each completion of 40 steps; its median answer had 626
tokens.
"""

import itertools
from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rows.own import file_name, own_rows
from trl_doctor.facts.rows.sizes import REFERENCES, words_of
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer
from trl_doctor.facts.script.rewards import words_of_rewards
from trl_doctor.facts.script.syntax.code import code
from trl_doctor.facts.training.generations import whole_argument

from ..._recorded.scripts import LOCAL, script

KEY, DEFAULT = "max_completion_length", 256


def check(facts: Facts) -> Iterator[Finding]:
    if known_trainer(facts) not in ("grpo", "rloo"):
        raise NotConcerned("only GRPO and RLOO have rows with reference answers")
    limit = whole_argument(facts, KEY, DEFAULT)
    rows = facts[own_rows]
    read = words_of_rewards(facts.get(code)) or _arguments(facts)
    for name in REFERENCES if read is None else [name for name in REFERENCES if name in read]:
        words = sorted(words_of(row.get(name)) for row in rows)
        middle = words[len(words) // 2]
        if middle > limit:
            yield Finding(
                facts.run.place(KEY),
                f"{KEY} is {limit}, but half of the texts in {name} of {file_name(facts)} have "
                f"{middle} words or more: completions end before such an answer does",
                (f"the longest has {words[-1]} words",),
            )


def _arguments(facts: Facts) -> frozenset[str] | None:
    """The columns that the functions of a rehearsed script name; None if these are not known."""
    functions = facts.run.script.reward_functions
    names = [(*function.takes, *function.looked_up) for function in functions]
    return frozenset(itertools.chain(*names)) if functions else None


def _script(reward: str) -> dict[str, str]:
    """A script with a reward function that takes these arguments, and its rows."""
    function = f"def reward({reward}, **more):\n    return [0.0 for _ in completions]\n"
    given = "model='m', reward_funcs=reward"
    return script("GRPO", given, f"{KEY}=16", function, LOCAL) | {"rows.jsonl": LONG}


GRPO: dict[str, Json] = {"trainer": "grpo", "dataset_name": "rows.jsonl"}
ROW = '{{"prompt": "How many?", "{}": "{}#### 4"}}\n'
LONG = ROW.format("answer", "two and two are four, " * 8) * 4
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            {"run.json": {**GRPO, KEY: 16}, "rows.jsonl": LONG},
            says="max_completion_length is 16, but half of the texts in answer of rows.jsonl have "
            "42 words or more",
        ),
        Bad(_script("completions, answer"), "train.py", says="half of the texts in answer"),
        Good(_script("completions"), "train.py"),
        Good({"run.json": {**GRPO, KEY: 64}, "rows.jsonl": LONG}),
        Good({"run.json": {**GRPO, KEY: 16}, "rows.jsonl": ROW.format("source", "no " * 40) * 4}),
        Good({"run.json": {**GRPO, KEY: 16}}, skipped="rows.jsonl"),
    ),
)
