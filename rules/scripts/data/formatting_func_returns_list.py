"""formatting_func returns a list instead of one string.

Up to trl 0.14 the function was called with many rows and returned a list of strings. Since then it
is called with one row and must return one string; trl 0.15 and 0.16 still call a function with many
rows if it returns a list, which then needs one string for each row. A function of the old kind
fails while the data are prepared, with an error that does not name it.

Remedy: change it so that it accepts one row and returns one string: `return f"{row['question']}
{row['answer']}"`.

Versions: trl 0.15.0 and newer; before, a list is correct. With 0.15 and 0.16 a function with a loop
or a comprehension is not reported: it may make one string for each of many rows.

Seen: trl#3141, trl#3583. Reproduced with a function that returns a list: trl 0.12.2 trains; 0.15.2
fails with "Column 2 named text expected length 4 but got length 1", 0.24.0 with "'list' object has
no attribute 'endswith'"; 1.16.0 fails too. With one string all three train.
"""

import ast
from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer
from trl_doctor.facts.script.passed import function, passed

from ..._recorded.scripts import script

FIRST, ALWAYS = Version("0.15.0"), Version("0.17.0")
"""The releases that call it with one row: first unless it returns a list, then always."""

LOOPS = (ast.For, ast.comprehension)


def check(facts: Facts) -> Iterator[Finding]:
    values = passed(facts)
    if known_trainer(facts) != "sft" or not values.has("formatting_func"):
        raise NotConcerned("the run has no formatting_func")
    trl = facts.environment.known_version("trl")
    source = function(values.values["formatting_func"])
    if source is None:
        raise Unavailable("the source of formatting_func is not in the script")
    takes_many = trl < ALWAYS and any(isinstance(part, LOOPS) for part in ast.walk(source.node))
    if trl >= FIRST and _lists(source.node) and not takes_many:
        yield Finding(
            values.places["formatting_func"],
            f"formatting_func {source.name} returns a list: SFTTrainer of trl {trl} calls it with "
            "one row and needs one string",
        )


def _lists(node: ast.AST) -> bool:
    """Whether every return value is a list, as a literal or collected in a variable."""
    if isinstance(node, ast.Lambda):
        return isinstance(node.body, ast.List | ast.ListComp)
    lists = {
        target.id
        for statement in ast.walk(node)
        if isinstance(statement, ast.Assign)
        and isinstance(statement.value, ast.List | ast.ListComp)
        for target in statement.targets
        if isinstance(target, ast.Name)
    }
    returned = [
        statement.value for statement in ast.walk(node) if isinstance(statement, ast.Return)
    ]
    return bool(returned) and all(
        isinstance(value, ast.List | ast.ListComp)
        or (isinstance(value, ast.Name) and value.id in lists)
        for value in returned
    )


LISTED = "def f(rows):\n    out = []\n    out.append(rows['a'])\n    return out\n"
MANY = "def f(rows):\n    return [text + '.' for text in rows['a']]\n"
TEXT = "def f(row):\n    return row['a']\n"
GIVEN = "model='org/m', formatting_func=f"
TRL = {"trl": "1.16.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains=r"'list' object has no attribute 'endswith'|expected length \d+ but got length",
    examples=(
        Bad(
            script("SFT", GIVEN, before=LISTED),
            "train.py",
            versions=TRL,
            says="formatting_func f returns a list: SFTTrainer of trl 1.16.0 calls it with one row",
        ),
        Bad(
            script("SFT", "model='org/m', formatting_func=lambda row: [row['a']]"),
            "train.py",
            versions=TRL,
            says="returns a list",
        ),
        Bad(
            script("SFT", GIVEN, before=LISTED),
            "train.py",
            versions={"trl": "0.15.2"},
            says="returns a list: SFTTrainer of trl 0.15.2",
        ),
        Bad(script("SFT", GIVEN, before=MANY), "train.py", versions=TRL, says="returns a list"),
        Good(script("SFT", GIVEN, before=TEXT), "train.py", versions=TRL),
        Good(script("SFT", GIVEN, before=MANY), "train.py", versions={"trl": "0.15.2"}),
        Good(script("SFT", GIVEN, before=LISTED), "train.py", versions={"trl": "0.14.0"}),
        Good(script("SFT", GIVEN, before=LISTED), "train.py", versions={"trl": "0.12.2"}),
        Good(
            script("SFT", "model='org/m', formatting_func=str"),
            "train.py",
            versions=TRL,
            skipped="the source of formatting_func is not in the script",
        ),
    ),
)
