"""The answers of the data begin with their prompt.

The trainer joins `prompt` and `chosen` itself. If `chosen` and `rejected` hold the prompt too, the
model reads it twice, and learns to repeat the question before it answers. The loss falls anyway,
because both answers begin with the same text.

Remedy: remove the prompt from the answers, or leave out the column `prompt`: DPO and ORPO then take
the common beginning of both answers as the prompt.

Versions: every trl. Local JSON files are examined, their first rows, and in a rehearsal the rows as
the trainer gets them.

Seen: xfactlab/orpo#28. Reproduced with DPO of trl 1.16.0 and 0.24.0 and ORPO of 0.24.0: the tokens
of the trainer's rows have the prompt twice.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rows.own import data_key, file_name, own_rows
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer

TRAINERS = ("dpo", "orpo", "cpo")
SHORTEST = 4
"""Characters of a prompt that an answer does not begin with by chance."""


def check(facts: Facts) -> Iterator[Finding]:
    if known_trainer(facts) not in TRAINERS:
        raise NotConcerned("only DPO, ORPO and CPO join a prompt with two answers")
    rows = facts[own_rows]
    repeating = [number for number, row in enumerate(rows, 1) if _repeats(row)]
    if len(repeating) * 2 > len(rows):
        yield Finding(
            facts.run.place(data_key(facts)),
            f"chosen and rejected begin with their prompt in {len(repeating)} of {len(rows)} rows "
            f"of {file_name(facts)}, first in row {repeating[0]}: the model reads it twice",
        )


def _repeats(row: dict[str, Json]) -> bool:
    prompt, answers = row.get("prompt"), (row.get("chosen"), row.get("rejected"))
    if isinstance(prompt, str):
        return len(prompt.strip()) >= SHORTEST and all(
            isinstance(answer, str) and answer.startswith(prompt.strip()) for answer in answers
        )
    return (
        bool(prompt)
        and isinstance(prompt, list)
        and all(isinstance(answer, list) and answer[: len(prompt)] == prompt for answer in answers)
    )


DPO: dict[str, Json] = {"trainer": "dpo", "dataset_name": "rows.jsonl"}
PAIR = '{"prompt": "Why is it?", "chosen": "%sSo.", "rejected": "%sNo."}\n'
TURN = '{"role": "user", "content": "why"}'
SAID = '{"role": "assistant", "content": "so"}'
TURNS = f'{{"prompt": [{TURN}], "chosen": [{TURN}, {SAID}], "rejected": [{TURN}, {SAID}]}}\n'
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            {"run.json": DPO, "rows.jsonl": PAIR % ("Why is it? ", "Why is it? ")},
            says="begin with their prompt in 1 of 1 rows of rows.jsonl, first in row 1",
        ),
        Bad({"run.json": DPO, "rows.jsonl": TURNS}, says="the model reads it twice"),
        Good({"run.json": DPO, "rows.jsonl": PAIR % ("", "")}),
        Good({"run.json": DPO, "rows.jsonl": PAIR % ("Why is it? ", "")}),
        Good({"run.json": {**DPO, "trainer": "kto"}, "rows.jsonl": PAIR % ("", "")}),
    ),
)
