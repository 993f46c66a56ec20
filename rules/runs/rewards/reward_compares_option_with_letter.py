"""The prompts ask for a letter, the reward wants the text.

Each question lists options and asks for the letter of the right one. The reward function takes a
column that has what the option says, `$24$`, and not its letter. A model that does as it is told
answers B and gets nothing. What is rewarded is to leave out the letter. No error is raised.

Remedy: give the function the column with the letters; or ask for the text of the option.

Versions: every trl with GRPOTrainer or RLOOTrainer. Reported if nearly every prompt lists options
and names a letter to answer with, and if the only column that the function takes has the text of an
option of its prompt. Nothing is reported if the function takes another column or the prompts, or if
the script looks for letters itself (`[A-E]`, `"ABCD"`, `string.ascii_uppercase`).

Seen: X-R1#24. Reproduced with GRPO of trl 1.16.0 and math_verify 0.9.0: `\\boxed{B}` gets 0 where B
is right; with the column of letters it gets 1.
"""

import ast
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.plain import excerpt
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rewards.sources import reward_signatures
from trl_doctor.facts.rows.options import asks_for_letter, options_of
from trl_doctor.facts.rows.own import own_rows
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.script.syntax.code import code

from ..._recorded.scripts import LOCAL, script

LETTER = re.compile(r"\W*(?:boxed\{|text\{)*\W*[A-Ja-j]\W*")
LOOKS = re.compile(r"\[\^?A-[A-Z]|\[?ABC|\(A\|B|abcd")
MAKES = ("chr", "ord", "ascii_uppercase", "ascii_lowercase", "ascii_letters")
"""Names by which Python makes letters of numbers."""

FEWEST, SHARE = 3, 0.8
"""Rows, at least, and the share of them that asks for a letter."""


def check(facts: Facts) -> Iterator[Finding]:
    signatures = facts[reward_signatures]
    if not signatures:
        raise NotConcerned("no source of a reward function is known")
    rows = facts[own_rows]
    asking = [row for row in rows if asks_for_letter(row.get("prompt"))]
    if len(asking) < max(FEWEST, SHARE * len(rows)) or _looks_for_letters(facts):
        return
    lettered = _lettered(asking)
    for signature in signatures:
        taken = [name for name in signature.takes if name in asking[0] or name == "prompts"]
        if len(taken) == 1 and all(_is_option(row, taken[0]) for row in asking):
            value = excerpt(str(asking[0][taken[0]]), 40)
            yield Finding(
                signature.place,
                f"the prompts ask for the letter of an option, and {signature.name} compares the "
                f"answers with {taken[0]}, which has {value!r}",
                tuple(f"the column {name} has letters" for name in lettered[:1]),
                remedy=f"give it the column {lettered[0]}" if lettered
                else "give it a column with the letters of the right options",
            )  # fmt: skip


def _is_option(row: dict[str, Json], column: str) -> bool:
    """Whether the value of a column is the text of one of the options of its prompt."""
    value = row.get(column)
    options = {_bare(option) for option in options_of(row.get("prompt"))}
    return isinstance(value, str) and not LETTER.fullmatch(value) and _bare(value) in options


def _bare(text: str) -> str:
    return text.strip(" \t.$").lower()


def _lettered(rows: Sequence[dict[str, Json]]) -> list[str]:
    """The columns of which each value is a letter."""
    return [
        name
        for name in rows[0]
        if all(isinstance(value := row.get(name), str) and LETTER.fullmatch(value) for row in rows)
    ]


def _looks_for_letters(facts: Facts) -> bool:
    """Whether the script itself has an expression for letters, or makes some of numbers."""
    source = facts.get(code)
    return source is not None and any(
        (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and LOOKS.search(node.value)
        )
        or (isinstance(node, ast.Name) and node.id in MAKES)
        or (isinstance(node, ast.Attribute) and node.attr in MAKES)
        for node in source.nodes
    )


SCORE = (
    "def score(completions, solution, **kwargs):\n"
    "    return [float(one == gold) for one, gold in zip(completions, solution)]\n"
)
ASKED = "2 + 2 = ? A. 2 B. 4 C. 6 D. 8. Answer with the letter of the right option."


def _files(solution: str = "$4$", asked: str = ASKED, before: str = SCORE) -> dict[str, Any]:
    row = json.dumps({"prompt": asked, "solution": solution, "answer": "B"})
    files = script("GRPO", "model='org/m', reward_funcs=score", before=before, rows=LOCAL)
    return {**files, "rows.jsonl": f"{row}\n" * 4}


RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            _files(),
            "train.py",
            versions={"trl": "1.16.0"},
            says="ask for the letter of an option, and score compares the answers with solution, "
            "which has '$4$'",
        ),
        Good(_files("B"), "train.py", {"trl": "1.16.0"}),
        Good(_files("\\boxed{B}"), "train.py", {"trl": "1.16.0"}),
        Good(_files(asked="2 + 2 = ?"), "train.py", {"trl": "1.16.0"}),
        Good(_files(asked="Write a letter to B."), "train.py", {"trl": "1.16.0"}),
        Good(_files(before=SCORE.replace("solution", "answer")), "train.py", {"trl": "1.16.0"}),
        Good(_files("B. 4"), "train.py", {"trl": "1.16.0"}),
        Good(_files("easy"), "train.py", {"trl": "1.16.0"}),
        Good(
            _files(asked=ASKED.replace("the letter", "the text, not the letter,")),
            "train.py",
            {"trl": "1.16.0"},
        ),
        Good(
            _files(before=SCORE.replace("completions, s", "completions, prompts, s")),
            "train.py",
            {"trl": "1.16.0"},
        ),
        Good(_files(before=f"LETTERS = 'ABCD'\n{SCORE}"), "train.py", {"trl": "1.16.0"}),
        Good(
            _files(before=f"import re\nFINAL = re.compile('[A-E]')\n{SCORE}"),
            "train.py",
            {"trl": "1.16.0"},
        ),
    ),
)
