"""`strip` with a word removes letters and not the word.

`text.lstrip("Answer: ")` removes all of these letters from the beginning, in any order:
`"Answer: near Rome"` becomes `"ar Rome"`. Some answers lose their first letters, others are right.
No error is raised.

Remedy: `text.removeprefix("Answer: ")`, or `removesuffix` for the end.

Versions: any Python; `removeprefix` is there from 3.9 on. Texts with three small letters in a row
are reported.

Seen: reproduced with SFT of trl 1.16.0: `lstrip("Answer: ")` makes "kara" of "Answer: Ankara".
"""

import ast
import re
from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.script.code import code
from trl_doctor.facts.script.method_calls import calls_of_methods

from .._recorded.scripts import script

INSTEAD = {"lstrip": "removeprefix", "rstrip": "removesuffix", "strip": "removeprefix"}
WORD = re.compile(r"[a-z]{3}")
ALPHABET = "abc"
"""What begins a list of letters that is no word."""


def check(facts: Facts) -> Iterator[Finding]:
    for call in facts[calls_of_methods]:
        given = call.node.args[0] if len(call.node.args) == 1 else None
        text = given.value if isinstance(given, ast.Constant) else None
        if call.method not in INSTEAD or not isinstance(text, str) or ALPHABET in text.lower():
            continue
        if WORD.search(text):
            yield Finding(
                facts[code].place(call.node),
                f"{call.method}({text!r}) removes all of these letters, not the word: other words "
                "lose their first or last letters",
                remedy=f"write {INSTEAD[call.method]}({text!r})",
            )


def _script(call: str) -> dict[str, str]:
    before = f"rows = rows.map(lambda row: {{'text': row['text'].{call}}})\n"
    return script("SFT", "model='org/m'", before=before)


RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            _script("lstrip('Answer: ')"),
            "train.py",
            says="lstrip('Answer: ') removes all of these letters, not the word",
        ),
        Bad(_script("rstrip('</s>\\nuser')"), "train.py", says="not the word"),
        Good(_script("removeprefix('Answer: ')"), "train.py"),
        Good(_script("strip(' .:')"), "train.py"),
        Good(_script("strip('ABCD')"), "train.py"),
        Good(_script("strip('abcdefgh')"), "train.py"),
    ),
)
