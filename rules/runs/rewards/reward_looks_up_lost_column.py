"""A reward function looks up a column that the rows lack.

TRL passes the columns of the rows to reward functions. This one reads a name from its `**kwargs`,
and the trainer's rows have no such column: a `map` of the script returns rows without it, or a call
removes it. `kwargs["answer"]` fails in the first step; `kwargs.get("answer", [])` goes on with its
default, often with no reward at all: "The expanded size of the tensor must match the existing
size".

Remedy: keep the column in the rows that the trainer gets: return it from `map`, and leave it out of
`remove_columns`.

Versions: every trl with GRPOTrainer; RLOO from 0.22.0 on. Columns for which the function asks
first, or has another value than None or an empty list, are left alone.

Seen: Soup#565. Reproduced with GRPO of trl 0.24.0: a `map` that returns messages alone drops
`answer`, the function returns no rewards, and the first step fails; with the column it trains.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rewards.calls import passed_names
from trl_doctor.facts.rewards.sources import reward_signatures
from trl_doctor.facts.rows.own import own_rows
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trl_of
from trl_doctor.facts.script.columns import columns_left

from ..._recorded.scripts import LOCAL, script

NEW_RLOO = Version("0.22.0")
NO_COLUMNS = ("prompt", "completion", "prompts", "completions", "completion_ids", "prompt_ids",
              "completions_ids", "trainer_state", "log_extra", "log_metric", "environments", "step",
              "trainer")  # fmt: skip
"""Names that some release or another program passes, and columns that TRL keeps."""


def check(facts: Facts) -> Iterator[Finding]:
    trainer, trl = known_trainer(facts), trl_of(facts)
    if trainer not in ("grpo", "rloo"):
        raise NotConcerned("only GRPO and RLOO call reward functions")
    if trainer == "rloo" and trl is not None and trl < NEW_RLOO:
        raise NotConcerned(f"RLOOTrainer of trl {trl} is another class")
    for signature in facts[reward_signatures]:
        names_passed = {*NO_COLUMNS, *facts[passed_names].names}
        names = [name for name in signature.looked_up if name not in names_passed]
        if absent := _absent(facts, names):
            name, columns = absent
            has = f"their columns are {columns}" if columns else "the script removes it"
            yield Finding(
                signature.place,
                f"{signature.name} looks up {name}, which the rows of the trainer lack: {has}",
            )


def _absent(facts: Facts, names: list[str]) -> tuple[str, str] | None:
    """The first name that is surely no column, and the columns that there are."""
    dataset = facts.run.script.value("train_dataset")
    columns = columns_left(dataset)
    rows = facts.get(own_rows)
    for name in names:
        change = columns.lost(name)
        if change is not None and change.how != "renamed":
            return name, ", ".join(sorted(columns.only or ()))
        if rows is not None and not any(name in row for row in rows):
            return name, ", ".join(dict.fromkeys(key for row in rows for key in row))
    return None


def _files(
    body: str, more: str = "", rows: str = '{"prompt": "a", "answer": "b"}'
) -> dict[str, str]:
    before = f"def score(completions, **kwargs):\n    {body}\n    return [1.0]\n{more}"
    given = "model='m', reward_funcs=score" + ", rollout_func=roll" * ("def roll" in more)
    files = script("GRPO", given, before=before, rows=LOCAL)
    return {**files, "rows.jsonl": f"{rows}\n"}


GET, TRL = "gold = kwargs.get('answer', [])", {"trl": "0.24.0"}
LEVEL = "level = kwargs.get('level')\n"
MAPPED = (
    "def asked(row):\n    return {'prompt': row['prompt']}\n"
    "rows = rows.map(asked, remove_columns=rows.column_names)\n"
)
ROLL = "def roll(prompts, trainer):\n    return {'prompt_ids': [], 'answer': []}\n"
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    explains="expanded size of the tensor|KeyError",
    examples=(
        Bad(
            _files(GET, MAPPED),
            "train.py",
            versions=TRL,
            says="looks up answer, which the rows of the trainer lack: their columns are prompt",
        ),
        Bad(
            _files("gold = kwargs['answer']", "rows = rows.remove_columns('answer')\n"),
            "train.py",
            versions=TRL,
            says="score looks up answer, which the rows of the trainer lack: the script removes it",
        ),
        Bad(
            _files("gold = kwargs['solution']"),
            "train.py",
            versions=TRL,
            says="score looks up solution, which the rows of the trainer lack: their columns are",
        ),
        Good(_files(GET), "train.py", versions=TRL),
        Good(_files("gold = kwargs['answer']", ROLL, rows='{"prompt": "a"}'), "train.py", TRL),
        Bad(_files("gold = kwargs['level']", ROLL), "train.py", versions=TRL, says="level"),
        Good(
            _files("gold = kwargs.get('solution') or kwargs.get('answer')"),
            "train.py",
            versions=TRL,
        ),
        Good(_files("level = kwargs.get('level', [1.0] * len(completions))"), "train.py", TRL),
        Good(_files("level = kwargs['level'] if 'level' in kwargs else 1"), "train.py", TRL),
        Good(_files(f"{LEVEL}    if level is None:\n        level = 1"), "train.py", TRL),
        Bad(
            _files(f"{LEVEL}    if not level:\n        return [0.0]"), "train.py", TRL, says="level"
        ),
        Good(_files("state = kwargs.get('trainer_state')"), "train.py", versions=TRL),
        Good(_files(GET, "rows = rows.map(print)\n"), "train.py", versions=TRL),
    ),
)
