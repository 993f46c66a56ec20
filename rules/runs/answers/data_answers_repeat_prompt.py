"""The answers of the data begin with their prompt.

The trainer joins `prompt` and the answer itself. If `chosen` and `rejected`, or `completion`, hold
the prompt too, the model reads it twice, and learns to repeat the question before it answers. The
loss falls anyway, because both answers begin with the same text. Often the answers are whole
conversations that a script has rendered with the chat template, beside a prompt that it has not
changed.

If only the rejected answers hold it, the model learns that an answer does not repeat its question,
and little else. `generate` returns the prompt before the new tokens: rejected answers that a script
generates hold it, and chosen ones from a file do not.

Remedy: remove the prompt from the answers, or leave out the column `prompt`: DPO and ORPO then take
the common beginning of both answers as the prompt. Cut it off what `generate` returns:
`output[0][inputs["input_ids"].shape[1]:]`, or `return_full_text=False` for a pipeline.

Versions: every trl. Local files of rows are examined, their first rows, and in a rehearsal the
rows as the trainer gets them. Reward models read the column `prompt` from trl 0.24.0 on. A
completion that only says the question again is not reported: it has to begin a turn of the user. If
a decoder has left out the template's own marks, the turn is known by the names of the roles in
lines of their own. That the rejected answers alone repeat the prompt is reported if nine in ten of
all rows do so, and four at least; they must say something behind it, and the message that they
begin with has 24 characters: bad answers may go on behind a few words of the user. Pairs that teach
just this, not to repeat the question, look the same: ignore the rule for them.

Seen: xfactlab/orpo#28, trl#1541. Reproduced with DPO of trl 1.16.0 and 0.24.0 and ORPO of 0.24.0:
the tokens of the trainer's rows have the prompt twice; and with SFT, KTO and RewardTrainer of trl
1.16.0, whose rows ask the question twice. With DPO of 1.16.0 and 0.24.0 for rejected answers that
are decoded with the prompt: the reward of a text with the question falls, whatever it answers.
"""

import re
from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rows.answers import ANSWERS, ONE, PAIR, last_role, reads_prompts
from trl_doctor.facts.rows.own import data_key, file_name, own_rows
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer

SHORTEST = 4
"""Characters of a prompt that an answer does not begin with by chance."""

LONG = 24
"""Characters of a message that is copied: behind a few words a bad answer may go on."""

FEWEST, SHARE = 4, 0.9
"""Rows from which on it counts that one side alone begins with the prompt: all of them where it is
the chosen one, this share where it is the rejected one."""

MARK = r"<[|｜][^<>]{1,40}[|｜]>|</?s>|<(?:start|end)_of_turn>|<</?SYS>>|\[/?INST\]"
ASKER = r"(?:user|human|question|instruction|prompt|input|q)"
SPLIT = re.compile(
    rf"(?:{MARK})\s*(?:{ASKER}|system|assistant|model)?\s*(?=[\n<]|$)|{MARK}"
    rf"|(?:^|\n)\s*#* ?(?:{ASKER}|system|assistant|answer|response|a) ?:",
    re.I,
)
"""What stands between the texts of a conversation."""

MARKED = re.compile(rf"(?:{MARK})\s*(?:{ASKER}\s*)?$", re.I)
NAMED = re.compile(rf"(?:^|\n)\s*#* ?{ASKER} ?:\s*$", re.I)
"""The end of what stands before a question: a mark of a chat template, or a word."""

ENDS = re.compile(
    rf"\s*(?:{MARK}|(?:^|\n)?\s*#* ?(?:assistant|model|gpt|answer|response|a) ?:)", re.I
)
"""What follows a question in a conversation."""

ROLE_BEFORE = re.compile(r"(?:^|\W)(?:user|human)\s*\n\s*$", re.I)
ROLE_AFTER = re.compile(r"\s*(?:assistant|model)\s*(?:\n|$)", re.I)
"""The same in a text that was decoded without the marks."""

CUT = 'keep the new tokens alone: output[0][inputs["input_ids"].shape[1]:]'


def check(facts: Facts) -> Iterator[Finding]:
    name = known_trainer(facts)
    if name not in ANSWERS:
        raise NotConcerned("the trainer joins no prompt with an answer")
    if not reads_prompts(facts):
        raise NotConcerned("this RewardTrainer does not read the prompt")
    rows, columns = facts[own_rows], ANSWERS[name]
    begins = [number for number, row in enumerate(rows, 1) if columns == PAIR and _begins(row)]
    better = [number for number, row in enumerate(rows, 1)
              if columns == PAIR and _begins(row, PAIR[:1])]  # fmt: skip
    again = [number for number, row in enumerate(rows, 1) if _asks_again(row, columns)]
    if len(better) < max(FEWEST, len(rows)):
        better = begins
    repeating = max(begins, again, better, key=len)
    worse = [number for number, row in enumerate(rows, 1)
             if columns == PAIR and _rejected_alone(row)]  # fmt: skip
    if len(worse) >= max(FEWEST, SHARE * len(rows)):
        yield Finding(
            facts.run.place(data_key(facts)),
            f"rejected repeats its prompt, and chosen does not, in {len(worse)} of {len(rows)} "
            f"rows of {file_name(facts)}, first in row {worse[0]}: the model learns from the "
            "copy, and not from the answer",
            remedy=CUT,
        )
    elif len(repeating) * 2 > len(rows):
        does = "begin with" if repeating is begins else "ask the question of"
        said = f"chosen and rejected {does} their prompt"
        if repeating is better and better != begins:
            said = "chosen begins with the prompt, and rejected does not,"
        elif columns == ONE:
            said = "completion asks the question of its prompt"
        yield Finding(
            facts.run.place(data_key(facts)),
            f"{said}{' again' * (repeating is again)} in {len(repeating)} of {len(rows)} rows of "
            f"{file_name(facts)}, first in row {repeating[0]}: the model reads it twice",
        )


def _begins(row: dict[str, Json], columns: tuple[str, ...] = PAIR) -> bool:
    """Whether these answers begin with the prompt as it is."""
    prompt, answers = row.get("prompt"), [row.get(column) for column in columns]
    if isinstance(prompt, str):
        return len(prompt.strip()) >= SHORTEST and all(
            isinstance(answer, str) and answer.startswith(prompt.strip()) for answer in answers
        )
    return (
        bool(prompt)
        and isinstance(prompt, list)
        and all(isinstance(answer, list) and answer[: len(prompt)] == prompt for answer in answers)
    )


def _rejected_alone(row: dict[str, Json]) -> bool:
    """Whether the rejected answer has the prompt at its front and more, and the chosen has not."""
    question, plain = _question(row.get("prompt")), isinstance(row.get("prompt"), str)
    if len(question) < SHORTEST or _text(row.get("rejected")) == question:
        return False
    chosen, rejected = (
        _begins(row, (side,))
        or (_text(row.get(side)).startswith(question) and (plain or len(question) >= LONG))
        or _has_turn(row.get(side), question, named=True)
        for side in PAIR
    )
    return rejected and not chosen


def _text(answer: Json) -> str:
    """An answer that is a text, or one message of the assistant."""
    if isinstance(answer, list) and len(answer) == 1 and last_role(answer) == "assistant":
        answer = next(turn.get("content") for turn in answer if isinstance(turn, dict))
    return answer.strip() if isinstance(answer, str) else ""


def _asks_again(row: dict[str, Json], columns: tuple[str, ...]) -> bool:
    """Whether each answer has a turn of the user with the question of the prompt."""
    question = _question(row.get("prompt"))
    return len(question) >= SHORTEST and all(
        _has_turn(row.get(column), question, named=columns == PAIR) for column in columns
    )


def _question(prompt: Json) -> str:
    """The last text of a prompt that is a question, without the marks around it."""
    if isinstance(prompt, list):
        texts = [turn.get("content") for turn in prompt
                 if isinstance(turn, dict) and turn.get("role") == "user"]  # fmt: skip
        return texts[-1].strip() if texts and isinstance(texts[-1], str) else ""
    parts = SPLIT.split(prompt) if isinstance(prompt, str) else []
    return next((part.strip() for part in reversed(parts) if part.strip()), "")


def _has_turn(answer: Json, question: str, *, named: bool) -> bool:
    """Whether an answer begins with a conversation in which the user asks the question."""
    before, found, after = _text(answer).partition(question)
    if found and ROLE_BEFORE.search(before) and ROLE_AFTER.match(after):
        return True
    if isinstance(answer, list):
        turns = [turn for turn in answer if isinstance(turn, dict)]
        begins = bool(turns) and turns[0].get("role") in ("system", "user")
        asks = any(str(turn.get("content")).strip() == question and turn.get("role") == "user"
                   for turn in turns)  # fmt: skip
        return begins and asks and turns[-1].get("role") == "assistant"
    if not isinstance(answer, str) or question not in answer:
        return False
    opened = MARKED.search(before) or (named and NAMED.search(before))
    return bool(opened) and ENDS.match(after) is not None


DPO: dict[str, Json] = {"trainer": "dpo", "dataset_name": "rows.jsonl"}
SFT: dict[str, Json] = {**DPO, "trainer": "sft"}
ROW = '{"prompt": "Why is it?", "chosen": "%sSo.", "rejected": "%sNo."}\n'
LONE = '{"prompt": "%s", "completion": "%s"}\n'
TURN = '{"role": "user", "content": "why not"}'
SAID = '{"role": "assistant", "content": "so"}'
RULES = '{"role": "system", "content": "Be kind."}'
TURNS = f'{{"prompt": [%s], "chosen": [%s{SAID}], "rejected": [%s{SAID}]}}\n'
BEGUN = "<|im_start|>user\\nWhy is it?<|im_end|>\\n<|im_start|>assistant\\n"
TOLD = f'{{"prompt": [{TURN}], "chosen": [{SAID}], "rejected": [%s]}}\n'
DECODED = TOLD % SAID.replace('"so"', '"user\\nwhy not\\nassistant\\nno"')
SOME = TOLD % SAID.replace('"so"', '"user\\nwho else\\nassistant\\nno"')
ECHO = TOLD % SAID.replace('"so"', '"why not"')
GOES_ON = TOLD % SAID.replace('"so"', '"why not, and more"')
FEW_SHOT = '{"prompt": "Q: Why?\\nA: So.\\nQ: Why?\\nA:", "chosen": " So.", "rejected": " No."}\n'
WORDS = "Human: Why is it?\\n\\nAssistant: "
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            {"run.json": DPO, "rows.jsonl": ROW % ("Why is it? ", "Why is it? ")},
            says="begin with their prompt in 1 of 1 rows of rows.jsonl, first in row 1",
        ),
        Bad({"run.json": DPO, "rows.jsonl": ROW % ("Why is it? ", "") * 4},
            says="chosen begins with the prompt, and rejected does not, in 4 of 4 rows"),
        Bad({"run.json": DPO, "rows.jsonl": DECODED * 4},
            says="rejected repeats its prompt, and chosen does not, in 4 of 4 rows of rows.jsonl"),
        Bad({"run.json": DPO, "rows.jsonl": ROW % ("", "Why is it? ") * 4},
            says="the model learns from the copy, and not from the answer"),
        Good({"run.json": DPO, "rows.jsonl": ROW % ("", "Why is it? ") * 3}),
        Good({"run.json": DPO, "rows.jsonl": DECODED * 3 + SOME}),
        Good({"run.json": DPO, "rows.jsonl": ECHO * 4}),
        Good({"run.json": DPO, "rows.jsonl": GOES_ON * 4}),
        Bad({"run.json": DPO, "rows.jsonl": TURNS % (TURN, f"{TURN}, ", f"{TURN}, ")},
            says="the model reads it twice"),
        Bad({"run.json": DPO, "rows.jsonl": ROW % (BEGUN, BEGUN)},
            says="chosen and rejected ask the question of their prompt again in 1 of 1 rows"),
        Bad({"run.json": DPO, "rows.jsonl": ROW % (WORDS, WORDS)},
            says="ask the question of their prompt again"),
        Bad({"run.json": DPO, "rows.jsonl": TURNS % (f"{RULES}, {TURN}", f"{TURN}, ", f"{TURN}, ")},
            says="ask the question of their prompt again"),
        Bad({"run.json": SFT, "rows.jsonl": LONE % ("Why is it?", BEGUN)},
            says="completion asks the question of its prompt again in 1 of 1 rows"),
        Bad({"run.json": {**DPO, "trainer": "reward"}, "rows.jsonl": ROW % (BEGUN, BEGUN)},
            versions={"trl": "1.16.0"}, says="ask the question of their prompt again"),
        Good({"run.json": {**DPO, "trainer": "reward"}, "rows.jsonl": ROW % (BEGUN, BEGUN)},
             versions={"trl": "0.19.1"}),
        Good({"run.json": SFT, "rows.jsonl": LONE % ("Why is it?", f"{WORDS}So.")}),
        Good({"run.json": SFT, "rows.jsonl": LONE % ("Why is it?", "Why is it? <b>So.</b>")}),
        Good({"run.json": SFT, "rows.jsonl": LONE % ("Why is it?", "<q>Why is it?</q><a>So.</a>")}),
        Good({"run.json": DPO, "rows.jsonl": FEW_SHOT}),
        Good({"run.json": DPO, "rows.jsonl": ROW % ("", "")}),
        Good({"run.json": DPO, "rows.jsonl": ROW % ("Why is it? ", "")}),
        Good({"run.json": DPO, "rows.jsonl": TURNS % (TURN, f"{SAID}, {TURN}, ", f"{SAID}, ")}),
        Good({"run.json": {**DPO, "trainer": "kto"}, "rows.jsonl": LONE % ("Why is it?", "So.")}),
    ),
)  # fmt: skip
