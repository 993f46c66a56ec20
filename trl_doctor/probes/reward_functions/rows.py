"""What reward functions are tried on: the run's rows, and completions from the gold answer down."""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from ..answers.rewards import FINAL, IN_GARBAGE
from ..reading import rows_of
from ..refusal import Refused

ROWS, SEARCHED = 4, 100_000
"""The most rows on which functions are tried, and in which null cells are searched."""
GOLD = (
    "solution", "answer", "ground_truth", "gold", "gold_answer", "expected_answer", "final_answer",
    "reference_answer", "correct_answer", "reference", "target", "expected", "result", "truth",
    "gt", "completion", "response", "output", "label",
)  # fmt: skip
"""Columns that hold the right answer, the likeliest first."""

OPTIONS = (("yes", "no"), ("true", "false"), tuple("abcdefgh"))
"""What the right answers of a choice are."""

LABELS = 4
"""The most words of a prompt after which an answer is tried."""

END = re.compile(r"####\s*(\S.*?)\s*$|\\boxed\{([^{}]+)\}[\s.$]*$")
"""The end of a whole solution that is the answer itself, as GSM8K and MATH write it."""

BOXED = re.compile(r"\\boxed\{([^{}]+)\}")
"""The same in the middle of a solution: the last one is the answer."""

LABEL = re.compile(
    r"\b(?!(?:Write|Put|Give|Return|Use|Say|Print|Output|State|Add|Then|And|With|As|The) )"
    r"([A-Z][A-Za-z]*(?: [A-Za-z]+)?):"
)
"""Words with a colon, after which an answer may stand."""

QUOTED = re.compile(r"""["'“‘`*]([A-Z][^"'“”‘’`*\n]{2,60})["'”’`*]""")
HOLE = re.compile(r"(\b[B-HJ-Z]|\[[^\]]*\]|<[^>]*>|\{[^}]*\}|\.{3}|…|_{2,})(\W?)$")
"""Words that a prompt asks for, and the place in them that an answer fills: 'The answer is N.'"""

THINK = "<think>"
GARBAGE = "qzx vluw 7731 brrk ;; wombat of the the ~"
MADE = "42"
LONGEST = 16384
"""Tokens of the longest completion that is tried."""

FORMS = {
    "alone": "{}",
    "boxed": "<think>\nLet me see.\n</think>\nThe answer is $\\boxed{{{}}}$.",
    "answer tags": "<think>\nLet me see.\n</think>\n<answer>\n{}\n</answer>",
    "answer tags in a line": "<think>Let me see.</think><answer>{}</answer>",
    "reasoning tags": "<reasoning>\nLet me see.\n</reasoning>\n<answer>\n{}\n</answer>\n",
    "after ####": "Let me see.\n#### {}",
    "sentence": "Let me see.\nThe answer is {}.",
}
"""Ways to write a right answer that reward functions look for."""


class Case(NamedTuple):
    """A completion of a row: its kind ("gold: boxed", "garbage", "empty", …) and its text."""

    row: int
    kind: str
    text: str


def own_rows(data: dict[str, Any]) -> list[dict[str, Any]]:
    """The first rows, each with all columns, as `datasets` would give them; none where there
    are no files, and no rows that a script makes. Raises `Refused` if there is no column `prompt`.
    """
    made_rows, files = data.get("made"), data["files"]
    rows = [row for file in files[:1] for row in _rows(Path(file))][:ROWS]
    rows = made_rows["rows"][:ROWS] if made_rows else rows
    if rows and not all("prompt" in row for row in rows):
        name = made_rows["name"] if made_rows else Path(files[0]).name
        raise Refused(f"{name} has rows without a column prompt")
    columns = list(dict.fromkeys(key for row in rows for key in row))
    return [{key: row.get(key) for key in columns} for row in rows]


def with_null(files: list[str], columns: Collection[str]) -> list[tuple[str, dict[str, Any]]]:
    """For each column its first row with null, named as `row 81 (answer is null)`."""
    splits: dict[str, tuple[str, dict[str, Any]]] = {}
    rows = (row for file in files[:1] for row in rows_of(Path(file)))
    try:
        for number, row in enumerate(islice(rows, SEARCHED), 1):
            for name in columns:
                if row.get(name) is None and name not in splits:
                    splits[name] = (f"row {number} ({name} is null)", row)
    except (OSError, ValueError, RecursionError):
        return []
    return list(splits.values())


def _rows(file: Path) -> list[dict[str, Any]]:
    try:
        return list(islice(rows_of(file), ROWS))
    except (OSError, ValueError, RecursionError) as error:
        raise Refused(f"{file.name} cannot be read: {error}") from error


def made(conversational: bool) -> list[dict[str, Any]]:
    """Rows for a run whose data are not here."""
    questions = ["What is six times seven?", "Write one sentence about the sea."]
    return [
        {"prompt": [{"role": "user", "content": prompt}] if conversational else prompt}
        for prompt in questions
    ]


def gold_column(rows: list[dict[str, Any]]) -> str | None:
    """The column with the right answers, where one looks like it."""
    for column in GOLD:
        if column in rows[0] and all(cell_text(row[column]) for row in rows):
            return column
    return None


def cases(
    rows: list[dict[str, Any]], gold: str | None, long: str, opens_think: bool = False
) -> list[Case]:
    """The completions of all rows; without a gold column the answer is a made one.

    Where the prompt ends with `<think>`, by the template or as it is, they begin after it.
    """
    chosen = []
    choice = _options([cell_text(row[gold]) for row in rows]) if gold else ""
    for number, row in enumerate(rows):
        prompt = cell_text(row["prompt"])
        answer = (answer_text(row[gold]) if gold else "") or MADE
        kind = "gold" if gold else "made answer"
        forms = {**FORMS, **asked_for(all_text(row["prompt"]))}
        start = f"{THINK}\n" if opened(row["prompt"], opens_think) else ""
        for title, words in ((kind, answer), (FINAL, final(answer)), ("all options", choice)):
            texts = {label: form.format(words).removeprefix(start) for label, form in forms.items()}
            chosen += [
                Case(number, f"{title}: {label}", text) for label, text in texts.items() if words
            ]
        if gold:
            chosen.append(Case(number, IN_GARBAGE, f"{GARBAGE} {answer} {GARBAGE}"))
        chosen += [
            Case(number, "garbage", GARBAGE),
            Case(number, "empty", ""),
            Case(number, "copy of the prompt", prompt),
            Case(number, "long garbage", long),
        ]
    return chosen


def final(solution: str) -> str:
    """The answer that a whole solution ends with; "" where it is not one."""
    match = END.search(solution) or next(reversed([*BOXED.finditer(solution)]), None)
    answer = (match[1] or match[match.lastindex or 1]) if match else ""
    return "" if answer == solution.strip() else answer


def opened(prompt: Any, opens_think: bool) -> bool:
    """Whether a completion begins after `<think>`: by the prompt's text, or by the template."""
    return all_text(prompt).rstrip().endswith(THINK) or (opens_think and isinstance(prompt, list))


def _options(answers: list[str]) -> str:
    """All options of a choice, where every answer is one of them; else empty."""
    plain = [answer.strip(" ().").lower() for answer in answers]
    group = next((name for name in OPTIONS if set(plain) <= set(name)), ())
    if len(group) > 2:
        group = group[: max(4, 1 + max(map(group.index, plain)))]
    upper = bool(answers) and answers[0].strip(" ().")[:1].isupper()
    shown = [option.upper() if len(option) == 1 else option.capitalize() for option in group]
    return ", ".join(shown if upper else group)


def tagged(prompt: str) -> dict[str, str]:
    """The tags that a prompt asks for, as forms with the answer in the last of them."""
    tags = list(dict.fromkeys(re.findall(r"<([A-Za-z_]{1,30})>", prompt)))
    if not tags:
        return {}
    *before, last = tags
    lines = "".join(f"<{tag}>\nLet me see.\n</{tag}>\n" for tag in before)
    line = "".join(f"<{tag}>Let me see.</{tag}>" for tag in before)
    return {
        "tags of the prompt": f"{lines}<{last}>\n{{}}\n</{last}>",
        "tags of the prompt in a line": f"{line}<{last}>{{}}</{last}>",
    }


def asked_for(prompt: str) -> dict[str, str]:
    """The forms of an answer that a prompt asks for: in tags, after a label, in a sentence."""
    return {**tagged(prompt), **labelled(prompt), **quoted(prompt)}


def quoted(prompt: str) -> dict[str, str]:
    """The sentences in quotes that have a place for an answer at their end."""
    forms = {}
    for sentence in QUOTED.findall(prompt)[-LABELS:]:
        if hole := HOLE.search(sentence):
            before, after = _plain(sentence[: hole.start()]), _plain(hole[2])
            forms[sentence] = f"Let me see.\n{before}{{}}{after}"
    return forms


def _plain(text: str) -> str:
    """As a part of a form, whose braces stand for an answer."""
    return text.replace("{", "{{").replace("}", "}}")


def labelled(prompt: str) -> dict[str, str]:
    """The words with a colon that a prompt has, each as a form with the answer after it.

    The last two are one form as well, with a thought after the first of them.
    """
    labels = list(dict.fromkeys(LABEL.findall(prompt)))
    forms = {f"{label}:": f"Let me see.\n{label}: {{}}" for label in labels[-LABELS:]}
    if len(labels) > 1:
        first, last = labels[-2:]
        forms[f"{first}: and {last}:"] = f"{first}: Let me see.\n{last}: {{}}"
    return forms


def cell_text(value: Any) -> str:
    """A cell as the text of a completion; of a conversation its last message."""
    if isinstance(value, list) and value:
        value = value[-1]
    if isinstance(value, dict):
        value = value.get("content")
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return ""
    return str(value)


def answer_text(value: Any) -> str:
    """A cell with a right answer as a model writes it: in one line without spaces at its ends."""
    text = cell_text(value)
    return text if "\n" in text.strip() else text.strip()


def all_text(prompt: Any) -> str:
    """The texts of all messages of a prompt."""
    if isinstance(prompt, list):
        return "\n".join(cell_text(message) for message in prompt)
    return str(prompt)
