"""Pairs are compared without their question.

The rows have `chosen` and `rejected`, and the question in a column that the trainer does not read,
as `question` or `instruction`. A reward model then never sees a question: it learns which answers
look better in general. DPO learns to prefer answers to nothing. No error is raised, and the loss
falls.

Remedy: name the column `prompt`: `rows.rename_column("question", "prompt")`. RewardTrainer reads it
from trl 0.24.0 on; before, put the question in front of both answers.

Versions: DPO, ORPO, CPO and the reward trainer of every trl. Local files of rows are examined, and
in a rehearsal the rows that the trainer gets. Nothing is reported if the answers have the question,
or a message of the user, or begin alike: they may have it in other words. Nothing either if a
script builds its own trainer or collator, or most rows have the same text in the column. A
rehearsal also sees a `map` that takes the question out: it looks for the record that each row was
made of. Nothing is reported if a row has, before its answers, half of the words by which its
question differs from the others.

Seen: reproduced with RewardTrainer and DPO of trl 1.16.0: a `map` writes `question` in place of
`prompt`, and no decoded row has the question; and if it keeps `messages[-1:]` alone of both sides.
"""

import json
import re
from collections.abc import Iterator, Mapping

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.plain import excerpt
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings, rehearsed
from trl_doctor.facts.rows.answers import PAIR as SIDES
from trl_doctor.facts.rows.answers import reads_prompts
from trl_doctor.facts.rows.own import data_key, file_name, own_rows
from trl_doctor.facts.rows.sizes import text_of
from trl_doctor.facts.rule import Bad, Examples, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trainer

TRAINERS = ("dpo", "orpo", "cpo", "reward")
QUESTION = re.compile(
    r"(user_|input_|original_)?"
    r"(question|instruction|input|prompt|query|problem|task|request)s?(_text)?|input_text|prompts",
    re.IGNORECASE,
)
"""Names of columns with questions."""

FEWEST, SHARE, KINDS = 4, 0.9, 0.5
"""Rows, the share of them that must lack the question, and different questions for each row."""

SHORTEST, PIECE = 12, 24
"""Letters of a question that is looked for, and those by which it is found in an answer."""

FEW_WORDS = 3
"""Words of a question, at least."""

ALIKE = 24
"""Letters with which both answers of a pair begin if they have a question of their own."""


LEFT_OUT = (
    "the answers of {2} rows do not have the text of {0}, which the script has read: they are "
    "compared without their question"
)


def check(facts: Facts) -> Iterator[Finding]:
    if rehearsed(facts):
        yield from mistake_findings(
            facts, {"question left out": LEFT_OUT}, remedy="give the rows a column prompt with it"
        )
    if known_trainer(facts) not in TRAINERS:
        raise NotConcerned("the rows of this trainer are no pairs of answers")
    script = facts.run.script
    if script.passes("data_collator") or (script.passed is not None and script.passed.derived):
        raise NotConcerned("the script reads the rows itself")
    rows = facts[own_rows]
    if any(row.get("prompt") for row in rows):
        raise NotConcerned("the rows have a prompt")
    for name in rows[0]:
        if QUESTION.fullmatch(name) and (lost := _lost(rows, name)):
            yield Finding(
                facts.run.place(data_key(facts)),
                f"{trainer(facts)} does not read the column {name} of {file_name(facts)}, and the "
                f"answers of {len(lost)} of {len(rows)} rows do not have its text: they are "
                "compared without their question",
                (f"{name} of the first of them: {excerpt(text_of(lost[0][name]))!r}",),
                remedy=f"rename the column {name} to prompt" if reads_prompts(facts) else "",
            )
            return


def _lost(rows: list[dict[str, Json]], name: str) -> list[dict[str, Json]]:
    """The rows whose answers have nothing of their question, if these are nearly all."""
    lost = [row for row in rows if _is_lost(row, name)]
    questions = {_letters(text_of(row[name])) for row in lost}
    few = len(lost) < max(FEWEST, SHARE * len(rows)) or len(questions) < KINDS * len(rows)
    return [] if few else lost


def _is_lost(row: Mapping[str, Json], name: str) -> bool:
    asked = text_of(row.get(name))
    question = _letters(asked)
    if asked.isascii() and len(asked.split()) < FEW_WORDS:
        return False  # an id, or the name of a task
    if len(question) < SHORTEST or any(map(_asks, (row.get(side) for side in SIDES))):
        return False
    answers = [_letters(text_of(row.get(side))) for side in SIDES]
    if not all(answers) or answers[0][:ALIKE] == answers[1][:ALIKE]:
        return False
    pieces = (question[:PIECE], question[-PIECE:])
    return not any(piece in answer for piece in pieces for answer in answers)


def _asks(answer: Json) -> bool:
    """Whether an answer is a conversation with a turn of the user."""
    turns = answer if isinstance(answer, list) else []
    return any(isinstance(turn, dict) and turn.get("role") != "assistant" for turn in turns)


def _letters(text: str) -> str:
    return "".join(re.findall(r"\w", text.lower()))


DPO: dict[str, Json] = {"trainer": "dpo", "dataset_name": "rows.jsonl"}
TRL = {"trl": "1.16.0", "transformers": "5.23.0"}


def _files(row: dict[str, str], asked: str = "Who are you, number {}?") -> dict[str, Json]:
    texts = [{key: value.format(asked.format(n)) for key, value in row.items()} for n in range(4)]
    return {"run.json": DPO, "rows.jsonl": "".join(f"{json.dumps(each)}\n" for each in texts)}


def _with(**files: Json) -> dict[str, Json]:
    return {**_files(PAIR), "run.json": {**DPO, **files}}


PAIR = {"question": "{}", "chosen": " A cat.", "rejected": " Dogs."}
WHOLE = {**PAIR, "chosen": "Q: {} A: A cat.", "rejected": "Q: {} A: Dogs."}
OTHER = {
    **PAIR,
    "chosen": "Please tell me who or what it is now. A cat.",
    "rejected": "Please tell me who or what it is now. Dogs.",
}


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake

    words = ("question", "Why is it?", "48")
    says = (
        "the answers of 48 rows do not have the text of question, which the script has read: they"
    )
    return (
        mistake("question left out", words, "train.py:9", says),
        Bad(
            _files(PAIR),
            versions=TRL,
            says="does not read the column question of rows.jsonl, and the answers of 4 of 4 rows "
            "do not have its text: they are compared without their question",
        ),
        Bad(_with(trainer="reward"), versions=TRL, says="RewardTrainer of trl 1.16.0 does not"),
        Good(_files({**PAIR, "prompt": "{}"}), versions=TRL),
        Good(_files(WHOLE), versions=TRL),
        Good(_files(OTHER), versions=TRL),
        Good(_files(PAIR, "Who are you?"), versions=TRL),
        Good(_files(PAIR, "req-2025-7f3a9c-{}"), versions=TRL),
        Good(_with(trainer="sft"), versions=TRL),
        Good({"run.json": DPO}, versions=TRL, skipped="rows.jsonl"),
    )


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
