"""Chosen and rejected begin differently before the question.

Without a column `prompt`, the trainer takes the common beginning of chosen and rejected for the
prompt. Something at the front is in one of the two only, often a system text: the common beginning
ends before the question, and the question becomes a part of both answers. The model is trained to
prefer one beginning to the other. With texts no error is raised, and the loss falls; with messages
the prompt is empty, and the trainer fails.

Beside a column `prompt`, a system message that only one of the two has is learned as a part of the
answer.

Remedy: begin both with the same messages, or give the prompt in a column of its own.

Versions: the preference trainers of every release. Local files of rows are examined, and in a
rehearsal the rows that the trainer gets.

Seen: ms-swift#9611. Reproduced with DPO of trl 1.16.0: texts with a system text in `chosen` only
give the prompt `<|im_start|>`; messages end with "Cannot apply chat template to an empty
conversation" or "list index out of range", as the order of a set has it; with the system text in
both the question is in the prompt. Beside a column `prompt`, a system message in `chosen` alone
makes a chosen answer that begins with "system" and its text, and the run trains on it.
"""

import re
from collections.abc import Iterator
from itertools import takewhile

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rows.own import data_key, in_rows, own_rows
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer

TRAINERS = ("dpo", "orpo", "cpo")
SIDES = ("chosen", "rejected")
MARK = re.compile(r"<[^<>\s]{1,30}>|\[/?[A-Z]{3,10}\]")
"""A special token, or a tag, as templates write them."""

ROLES = ("system", "user", "assistant", "human")
WORDS = 3
"""Words from which on a line is taken for a part of the question."""


def check(facts: Facts) -> Iterator[Finding]:
    if known_trainer(facts) not in TRAINERS:
        raise NotConcerned("only preference trainers take the prompt from the pair")
    rows = facts[own_rows]
    if any(row.get("prompt") for row in rows):
        yield from _beside_prompts(facts, rows)
        return
    apart = [at for at, row in enumerate(rows, 1) if _apart(row)]
    if len(apart) * 2 > len(rows):
        first = rows[apart[0] - 1]
        fronts = " and ".join(repr(_front(first.get(side))) for side in SIDES)
        consequence = (
            "the prompt is empty, and the trainer fails"
            if isinstance(first.get("chosen"), list)
            else "the question is trained as a part of both answers"
        )
        yield Finding(
            facts.run.place(data_key(facts)),
            f"chosen and rejected begin differently ({fronts}) before the same question in "
            f"{in_rows(facts, apart[0], len(apart))}: {consequence}",
        )


def _beside_prompts(facts: Facts, rows: list[dict[str, Json]]) -> Iterator[Finding]:
    """Answers of which one alone begins with a system message."""
    sides = [[_front(row.get(side)) == "system" for side in SIDES] for row in rows]
    apart = [at for at, (chosen, rejected) in enumerate(sides, 1) if chosen != rejected]
    if len(apart) * 2 > len(rows):
        side = SIDES[sides[apart[0] - 1].index(True)]
        yield Finding(
            facts.run.place(data_key(facts)),
            f"{side} begins with a system message behind the prompt, and the other answer does "
            f"not, in {in_rows(facts, apart[0], len(apart))}: it is learned as part of the answer",
            remedy="move the system message to the front of the prompt",
        )


def _apart(row: dict[str, Json]) -> bool:
    chosen, rejected = row.get("chosen"), row.get("rejected")
    if isinstance(chosen, str) and isinstance(rejected, str):
        if not MARK.match(chosen.strip()) or not MARK.match(rejected.strip()):
            return False
        same = takewhile(lambda pair: pair[0] == pair[1], zip(chosen, rejected, strict=False))
        common = "".join(character for character, _ in same)
        return not _says(common) and bool(_lines(chosen) & _lines(rejected))
    if not isinstance(chosen, list) or not isinstance(rejected, list) or not chosen:
        return False
    return chosen[:1] != rejected[:1] and bool(_asked(chosen) & _asked(rejected))


def _says(text: str) -> bool:
    """Whether a text has a word that is no mark and no role."""
    words = re.findall(r"[^\W_]+", MARK.sub(" ", text))
    return any(word.lower() not in ROLES for word in words)


def _lines(text: str) -> set[str]:
    """Its lines without marks that are long enough for a question."""
    lines = (MARK.sub(" ", line).strip() for line in text.splitlines())
    return {line for line in lines if len(line.split()) >= WORDS}


def _asked(messages: list[Json]) -> set[str]:
    return {
        str(message.get("content"))
        for message in messages
        if isinstance(message, dict) and message.get("role") == "user"
    }


def _front(value: Json) -> str:
    """The first line of a text, or the role of the first message."""
    if isinstance(value, list):
        first = value[0] if value else None
        return str(first.get("role")) if isinstance(first, dict) else str(first)[:20]
    return str(value).strip().partition("\n")[0][:24]


DPO: dict[str, Json] = {"trainer": "dpo", "dataset_name": "rows.jsonl"}
TURN = r"<|im_start|>{}\n{}<|im_end|>\n"
ASKED, TOLD = TURN.format("user", "What is six and two?"), TURN.format("system", "Be short.")
YES, NO = TURN.format("assistant", "Eight."), TURN.format("assistant", "No idea.")


def _texts(chosen: str, rejected: str) -> dict[str, Json]:
    row = f'{{"chosen": "{chosen}", "rejected": "{rejected}"}}\n'
    return {"run.json": DPO, "rows.jsonl": row * 2}


USER = '{"role": "user", "content": "What is six and two?"}'
SYSTEM = '{"role": "system", "content": "Be short."}'
SAID = '{"role": "assistant", "content": "Eight."}'
APART = f'{{"chosen": [{SYSTEM}, {USER}, {SAID}], "rejected": [{USER}, {SAID}]}}\n'
ASKING = f'{{"prompt": [{USER}], "chosen": [{SYSTEM}, {SAID}], "rejected": [{SAID}]}}\n'
ALIKE = f'{{"prompt": [{SYSTEM}, {USER}], "chosen": [{SAID}], "rejected": [{SAID}]}}\n'
TRL = {"trl": "1.16.0", "transformers": "5.23.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="Cannot apply chat template to an empty conversation",
    examples=(
        Bad(
            _texts(TOLD + ASKED + YES, ASKED + NO),
            versions=TRL,
            says="begin differently ('<|im_start|>system' and '<|im_start|>user') before the same "
            "question in row 1 of rows.jsonl (2 of the rows that were read): the question is "
            "trained as a part of both answers",
        ),
        Bad(
            {"run.json": DPO, "rows.jsonl": APART},
            versions=TRL,
            says="the prompt is empty, and the trainer fails",
        ),
        Bad(
            {"run.json": DPO, "rows.jsonl": ASKING * 2},
            versions=TRL,
            says="chosen begins with a system message behind the prompt, and the other answer does",
        ),
        Good({"run.json": DPO, "rows.jsonl": ALIKE * 2}, versions=TRL),
        Good(_texts(TOLD + ASKED + YES, TOLD + ASKED + NO), versions=TRL),
        Good(_texts("It is eight.", "No idea at all."), versions=TRL),
        Good({"run.json": DPO}, versions=TRL, skipped="rows.jsonl"),
    ),
)
