"""The answers of the rows end in another role than assistant.

The trainer learns what the messages of `chosen`, `rejected` or `completion` say behind the prompt.
If their last message is the user's, the model learns to write the user's turn. If the prompt ends
with the assistant, the answer is a second turn of the assistant, which no user of the model asks
for. No error is raised, and the loss falls.

Remedy: end each prompt with a message of the user, and each answer with one of the assistant; print
one converted row.

Versions: every trl; SFT, DPO, KTO and reward models. Local files of rows are examined, their first
64 rows, and in a rehearsal the rows as the trainer gets them. Reported from half of the rows on.

Seen: reproduced with DPO and SFT of trl 0.24.0 and 1.16.0: `<|im_start|>user` stands before the
tokens that get a loss.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rows.answers import ANSWERS, last_role
from trl_doctor.facts.rows.own import data_key, file_name, own_rows
from trl_doctor.facts.rule import Bad, Files, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer

ASKING = ("user", "system")


def check(facts: Facts) -> Iterator[Finding]:
    columns = ANSWERS.get(known_trainer(facts) or "")
    if columns is None:
        raise NotConcerned("the trainer joins no prompt with an answer")
    rows = facts[own_rows]
    for column in columns:
        if found := _most(rows, column, ASKING):
            yield _finding(facts, f"{column} ends with a message of the {found[1]}", found)
    if found := _most(rows, "prompt", ("assistant",)):
        same = f"prompt ends with a message of the assistant, and {columns[0]} has another one,"
        yield _finding(facts, same, found)


def _most(
    rows: list[dict[str, Json]], column: str, roles: tuple[str, ...]
) -> tuple[list[int], str] | None:
    """The rows whose last message has one of these roles, and the role; None if they are few."""
    last = {number: last_role(row.get(column)) for number, row in enumerate(rows, 1)}
    of_them = [number for number, role in last.items() if role in roles]
    return (of_them, last[of_them[0]]) if of_them and 2 * len(of_them) > len(rows) else None


def _finding(facts: Facts, what: str, found: tuple[list[int], str]) -> Finding:
    numbers = found[0]
    return Finding(
        facts.run.place(data_key(facts)),
        f"{what} in {len(numbers)} of {len(facts[own_rows])} rows of {file_name(facts)}, first in "
        f"row {numbers[0]}",
    )


def _files(trainer: str, prompt: str, **answers: str) -> Files:
    run: dict[str, Json] = {"trainer": trainer, "dataset_name": "rows.jsonl"}
    turns = {"prompt": prompt, **answers}
    row = ", ".join(
        f'"{column}": [{{"role": "{role}", "content": "a text"}}]' for column, role in turns.items()
    )
    return {"run.json": run, "rows.jsonl": f"{{{row}}}\n" * 4}


RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            _files("dpo", "user", chosen="user", rejected="assistant"),
            says="chosen ends with a message of the user in 4 of 4 rows of rows.jsonl, first in",
        ),
        Bad(
            _files("kto", "assistant", completion="assistant"),
            says="prompt ends with a message of the assistant, and completion has another one, in",
        ),
        Bad(_files("sft", "user", completion="user"), says="completion ends with a message of the"),
        Good(_files("dpo", "user", chosen="assistant", rejected="assistant")),
        Good(_files("sft", "user", completion="model")),
        Good(_files("grpo", "assistant")),
    ),
)
