"""The prompt already has the answer.

The prompt of nearly all rows ends with the same answer that the model should give. Often the whole
conversation became the prompt, and its last message the completion. The model learns to repeat what
it has just read; the loss falls quickly, and the model does not learn to answer. No error is
raised.

Remedy: leave the last message out of the prompt: `{"prompt": messages[:-1], "completion":
messages[-1:]}`.

Versions: every trl. Local files of rows are examined, their first 64 rows, and in a rehearsal
the rows as the trainer gets them.

Of GRPO, RLOO and OnlineDPO the prompts are looked at whose last message is the assistant's. It is
reported if that message has the value of a column such as `answer` or `solution` in nine of ten
rows, and in few rows the value of the next row: a fixed beginning of the answer has neither. If it
is known which columns the reward functions take, only these count. TRL 0.24.0 even puts that
message in front of the completion that reward functions get.

In pairs the rejected answer is looked for, too, among the answers of earlier turns:
`split("Assistant:")[1]` takes the first answer of a conversation with several, which the prompt
has. It is not reported where the prompt quotes the rejected answer as a draft or a passage, nor
where most rows end with one and the same message, as `Are you sure?`.

Seen: reproduced with SFT of trl 1.16.0 and 0.24.0: the tokens of a row have the answer twice. With
DPO of 0.24.0 the rejected answers are those of the first turn. With GRPO of 1.16.0 and 0.24.0 for
whole conversations as prompts: what the model continues has the right answer.
"""

import json
import re
from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.plain import excerpt
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rewards.sources import reward_signatures
from trl_doctor.facts.rows.own import data_key, file_name, own_rows
from trl_doctor.facts.rows.prefilled import answers_told_before
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer

TRAINERS = ("sft", "dpo", "kto", "orpo", "cpo", "reward")
COLUMNS = ("completion", "chosen")
PAIRS = ("dpo", "orpo", "cpo")
SHORTEST = 12
"""Characters of an answer with which a prompt does not end by chance."""

MARK = re.compile(r"([\w ]+:|<[^<>]+>\s*\w*|\[/?\w+\]|###[^\n]*)\s*$")
"""What stands before an answer in a text of several turns."""

LINE = 60
"""Characters of the line before an answer that are looked at."""

FEWEST = 4
"""Rows whose prompt has the rejected answer, at least; a quarter of all must have it."""

GENERATING = ("grpo", "rloo", "online_dpo", "async_grpo")
NEARLY_ALL = 0.9
"""The share of prompts that end with the answer: a few may ask to say something again."""

SAME_END = 4
"""Rows for each different last message from which on the rows all ask the same in the end."""


def check(facts: Facts) -> Iterator[Finding]:
    if known_trainer(facts) in GENERATING:
        yield from _told_before(facts)
        return
    if known_trainer(facts) not in TRAINERS:
        raise NotConcerned("the rows of this trainer have no answers")
    rows = facts[own_rows]
    yield from _rejected_before(facts, rows)
    having = [number for number, row in enumerate(rows, 1) if _has_answer(row)]
    if having and len(having) >= NEARLY_ALL * len(rows):
        yield Finding(
            facts.run.place(data_key(facts)),
            f"the prompt ends with the answer in {len(having)} of {len(rows)} rows of "
            f"{file_name(facts)}, first in row {having[0]}: the model learns to repeat it",
        )


def _told_before(facts: Facts) -> Iterator[Finding]:
    """Prompts of a trainer that generates which end with the answer that a column has."""
    rows = facts[own_rows]
    taken = {name for each in facts.get(reward_signatures) or () for name in each.takes}
    told = answers_told_before(rows, taken.intersection(rows[0]) or rows[0])
    if told:
        yield Finding(
            facts.run.place(data_key(facts)),
            f"the prompt ends with an answer of the assistant that has the value of {told.column} "
            f"in {told.rows} of {len(rows)} rows of {file_name(facts)}: the model only writes "
            "what follows the answer",
            (f"the last message of row {told.row}: {excerpt(told.said, 80)!r}, with {told.column} "
             f"{excerpt(told.value)!r}",),
            remedy='leave the last message out of the prompt: "prompt": messages[:-1]',
        )  # fmt: skip


def _rejected_before(facts: Facts, rows: list[dict[str, Json]]) -> Iterator[Finding]:
    """Where the prompt has most of the rejected answers, and none of the chosen ones."""
    if known_trainer(facts) not in PAIRS:
        return
    talks = [(row, _text(row.get("prompt"))) for row in rows if row.get("rejected")]
    having = [row for row, _ in talks if _is_earlier(row.get("rejected"), row.get("prompt"))]
    both = any(_is_in(row.get("chosen"), prompt) for row, prompt in talks)
    ends = {_text(row["prompt"][-1]) for row in having if isinstance(row["prompt"], list)}
    if ends and len(ends) * SAME_END <= len(having):
        return
    if len(having) >= FEWEST and len(having) * 4 > len(rows) and not both:
        yield Finding(
            facts.run.place(data_key(facts)),
            f"the prompt already has the rejected answer in {len(having)} of {len(rows)} rows of "
            f"{file_name(facts)}: it is an answer to an earlier question",
            (f"rejected: {excerpt(_text(having[0].get('rejected')).strip(), 80)!r}",),
            remedy="take the last answer of each conversation, unless the model is to learn not to "
            "say the same again",
        )


def _is_earlier(answer: Json, prompt: Json) -> bool:
    """Whether an earlier turn has this answer: a passage or a draft in a question is none."""
    text = _text(answer).strip()
    if len(text) < SHORTEST:
        return False
    if isinstance(prompt, list):
        return any(isinstance(turn, dict) and turn.get("role") == "assistant"
                   and _text(turn).strip() == text for turn in prompt)  # fmt: skip
    before, found, _ = _text(prompt).partition(text)
    mark = MARK.search(before[-LINE:]) if found else None
    return mark is not None and _text(prompt).count(mark[0].strip()) > 1


def _is_in(answer: Json, prompt: str) -> bool:
    text = _text(answer).strip()
    return len(text) >= SHORTEST and text in prompt


def _text(value: Json) -> str:
    """The texts of a cell, also of messages."""
    if isinstance(value, list):
        return "\n".join(map(_text, value))
    return _text(value.get("content")) if isinstance(value, dict) else str(value or "")


def _has_answer(row: dict[str, Json]) -> bool:
    prompt = row.get("prompt")
    for answer in (row.get(column) for column in COLUMNS):
        if isinstance(prompt, list) and isinstance(answer, list) and answer:
            if len(answer) <= len(prompt) and prompt[-len(answer) :] == answer:
                return True
        elif isinstance(prompt, str) and isinstance(answer, str):
            text = answer.strip()
            if len(text) >= SHORTEST and prompt.strip().endswith(text):
                return True
    return False


SFT: dict[str, Json] = {"trainer": "sft", "dataset_name": "rows.jsonl"}
ASKED, SAID = '{"role": "user", "content": "why"}', '{"role": "assistant", "content": "so"}'
ROW = '{{"prompt": [{}], "completion": [{}]}}\n'
TEXT = '{{"prompt": "Why is it?{}", "completion": " Because it rains."}}\n'
PAIR = '{{"prompt": "Q: Why? A: {}Sure? A:", "chosen": "Yes.", "rejected": "{}"}}\n'
RAIN = "It is so because of rain."
EARLIER = PAIR.format(f"{RAIN} Q: ", RAIN)
LATEST = PAIR.format(f"{RAIN} Q: ", "I do not know, as I said.")
DRAFT = PAIR.format("Because of what? ", "Because of what?").replace("A: B", "Better than: B")
TURNS = [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": RAIN}]
GRPO: dict[str, Json] = {**SFT, "trainer": "grpo"}


def _asked(said: str, role: str = "assistant") -> str:
    """Rows of GRPO whose prompt ends with this; `{}` in it is the right number of the row."""
    return "".join(
        json.dumps({"prompt": [{"role": "user", "content": f"What is {n} and {n}?"},
                               {"role": role, "content": said.format(2 * n)}], "gold": 2 * n})
        + "\n" for n in range(12, 18)
    )  # fmt: skip


def _again(last: str) -> str:
    """Pairs whose prompt has the rejected answer, and ends with a message; `{}` is its number."""
    return "".join(
        json.dumps({"prompt": [*TURNS, {"role": "user", "content": last.format(n)}],
                    "chosen": "Yes.", "rejected": RAIN}) + "\n" for n in range(4)
    )  # fmt: skip


RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            {"run.json": SFT, "rows.jsonl": ROW.format(f"{ASKED}, {SAID}", SAID) * 2},
            says="the prompt ends with the answer in 2 of 2 rows of rows.jsonl, first in row 1",
        ),
        Bad(
            {"run.json": SFT, "rows.jsonl": TEXT.format(" Because it rains.")},
            says="the model learns to repeat it",
        ),
        Bad(
            {"run.json": {**SFT, "trainer": "dpo"}, "rows.jsonl": EARLIER * 4},
            says="the prompt already has the rejected answer in 4 of 4 rows of rows.jsonl",
        ),
        Bad(
            {"run.json": {**SFT, "trainer": "dpo"}, "rows.jsonl": _again("Rain {}?")},
            says="the prompt already has the rejected answer in 4 of 4 rows of rows.jsonl",
        ),
        Bad(
            {"run.json": GRPO, "rows.jsonl": _asked("It is {}.")},
            says="the prompt ends with an answer of the assistant that has the value of gold in 6 "
            "of 6 rows of rows.jsonl: the model only writes what follows the answer",
        ),
        Good({"run.json": GRPO, "rows.jsonl": _asked("Let me see, step 1:")}),
        Good({"run.json": GRPO, "rows.jsonl": _asked("It is {}0.")}),
        Good({"run.json": GRPO, "rows.jsonl": _asked("One of 24, 26, 28, 30, 32, 34 and 36:")}),
        Good({"run.json": GRPO, "rows.jsonl": _asked("Is it {}?", role="user")}),
        Good({"run.json": GRPO, "rows.jsonl": _asked("In {}:").replace("gold", "language")}),
        Good({"run.json": {**SFT, "trainer": "dpo"}, "rows.jsonl": _again("Are you sure?")}),
        Good({"run.json": SFT, "rows.jsonl": TEXT.format(" Because it rains.") + TEXT.format("")}),
        Good({"run.json": {**SFT, "trainer": "dpo"}, "rows.jsonl": EARLIER * 3}),
        Good({"run.json": {**SFT, "trainer": "dpo"}, "rows.jsonl": DRAFT * 4}),
        Good({"run.json": {**SFT, "trainer": "dpo"}, "rows.jsonl": LATEST * 4}),
        Good({"run.json": SFT, "rows.jsonl": ROW.format(ASKED, SAID)}),
        Good({"run.json": SFT, "rows.jsonl": TEXT.format("")}),
        Good({"run.json": {**SFT, "trainer": "grpo"}, "rows.jsonl": TEXT.format("")}),
    ),
)
