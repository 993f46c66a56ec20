"""`strip` with a word removes letters and not the word.

`text.lstrip("Answer: ")` removes all of these letters from the beginning, in any order:
`"Answer: near Rome"` becomes `"ar Rome"`. Some answers lose their first letters, others are right.
No error is raised.

Remedy: `text.removeprefix("Answer: ")`, or `removesuffix` for the end.

Versions: any Python; `removeprefix` is there from 3.9 on. Texts with a word of three small letters
or more are reported; letters alone (`"aeiou"`, `"kmb"`) and texts that become numbers are not.

Seen: reproduced with SFT of trl 1.16.0: `lstrip("Answer: ")` makes "kara" of "Answer: Ankara".
"""

import ast
import re
from collections.abc import Iterable, Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.script.syntax.code import code
from trl_doctor.facts.script.syntax.method_calls import calls_of_methods

from .._recorded.scripts import script

INSTEAD = {"lstrip": "removeprefix", "rstrip": "removesuffix", "strip": "removeprefix"}
WORD = re.compile(r"[a-z]{3,}")
ALPHABET = "abc"
"""What begins a list of letters that is no word."""

VOWELS = frozenset("aeiou")
NUMBERS = ("int", "float", "Decimal")
"""Functions that read a number: letters around it may come in any order."""


def check(facts: Facts) -> Iterator[Finding]:
    units = _in_numbers(facts[code].nodes)
    for call in facts[calls_of_methods]:
        given = call.node.args[0] if len(call.node.args) == 1 else None
        text = given.value if isinstance(given, ast.Constant) else None
        if call.method not in INSTEAD or not isinstance(text, str) or id(call.node) in units:
            continue
        if _is_word(text):
            yield Finding(
                facts[code].place(call.node),
                f"{call.method}({text!r}) removes all of these letters, not the word: other words "
                "lose their first or last letters",
                remedy=f"write {INSTEAD[call.method]}({text!r})",
            )


def _is_word(text: str) -> bool:
    """Whether a text has a word, or is the end of a file's name; `aeiou` and `kmb` are letters."""
    if ALPHABET in text.lower():
        return False
    for word in WORD.findall(text):
        letters = set(word)
        mixed = bool(letters & VOWELS and letters - VOWELS) and list(word) != sorted(word)
        if mixed or len(letters) < len(word) or text.startswith("."):
            return True
    return False


def _in_numbers(nodes: Iterable[ast.AST]) -> set[int]:
    """The ids of the nodes in the arguments of `float(…)` and `int(…)`."""
    return {
        id(inner)
        for node in nodes
        if isinstance(node, ast.Call) and ast.unparse(node.func) in NUMBERS
        for argument in node.args
        for inner in ast.walk(argument)
    }


def _script(call: str) -> dict[str, str]:
    before = f"rows = rows.map(lambda row: {{'text': row['text'].{call}}})\n"
    return script("SFT", "model='org/m'", before=before)


PRICE = "price = float('3 usd'.rstrip(' usd'))\n"
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
        Good(_script("strip('aeiou')"), "train.py"),
        Good(_script("rstrip('kmb').strip('xyz')"), "train.py"),
        Good({"train.py": f"{PRICE}{_script('strip()')['train.py']}"}, "train.py"),
        Bad(_script("rstrip('.csv')"), "train.py", says="not the word"),
        Bad(_script("lstrip('assistant')"), "train.py", says="not the word"),
    ),
)
