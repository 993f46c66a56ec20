"""The function of `map` returns nothing for some rows.

A function that returns None for a row, to leave it out, works only by chance. If the first row
gives None, `map` ends with "'NoneType' object has no attribute 'write'"; with `num_proc` the first
row of each process counts, and in a stream any such row ends the run. In other places datasets
leaves the rows out, which its documentation does not promise.

Remedy: take these rows out with `filter` before the `map`, and let the function return a row
always.

Versions: every release of datasets that trl works with. Not reported: scripts that filter or select
rows before the `map`, and functions that end without a `return` behind a loop that looks for what
they return, or behind several conditions that may name all kinds of rows.

Seen: reproduced with datasets 5.2.0 and 5.0.1: the first row None: "AttributeError: 'NoneType'
object has no attribute 'write'", also with `num_proc=2` and another first row of a part; a later
row None: it is left out; a stream: "TypeError: 'NoneType' object is not a mapping".
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.script.syntax.code import code
from trl_doctor.facts.script.syntax.method_calls import calls_of_methods
from trl_doctor.facts.script.syntax.skipping_maps import SkippingMap, skipping_maps

from ..._recorded.scripts import script


def check(facts: Facts) -> Iterator[Finding]:
    facts[code]
    if not any(call.method == "map" for call in facts[calls_of_methods]):
        raise NotConcerned("the script gives no function to map")
    for each in facts[skipping_maps]:
        yield Finding(
            each.place,
            f"{each.function} returns None for some rows: {_ends(each)}",
            remedy=f"filter these rows before: {each.rows}.filter(…), and return a row always",
        )


def _ends(each: SkippingMap) -> str:
    if each.streams:
        return "the first of them ends a stream ('NoneType' object is not a mapping)"
    first = "the first row of a process" if each.processes else "the first row"
    return f"if {first} is one, map ends ('NoneType' object has no attribute 'write')"


def _mapped(body: str, call: str = "rows = rows.map(build)") -> dict[str, str]:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return script("SFT", "model='org/m'", before=f"def build(row):\n{lines}{call}\n")


ROW = "return {'text': row['a']}"
KINDS = tuple(f"if row['k'] == '{kind}':\n    {ROW}" for kind in "ab")
SKIPS = f"if not row['a']:\n    return None\n{ROW}"
STREAM = "rows = load_dataset('a/b', streaming=True, split='train').map(build)"
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(_mapped(SKIPS), "train.py", says="build returns None for some rows: if the first row"),
        Bad(_mapped(SKIPS.replace(" None", "")), "train.py", says="if the first row is one"),
        Bad(_mapped(f"if row['a']:\n    {ROW}"), "train.py", says="map ends"),
        Bad(
            _mapped(SKIPS, "rows = rows.map(build, num_proc=4)"),
            "train.py",
            says="if the first row of a process is one",
        ),
        Bad(_mapped(SKIPS, STREAM), "train.py", says="ends a stream"),
        Bad(_mapped("return {'text': 1} if row['a'] else None"), "train.py", says="returns None"),
        Bad(
            _mapped(ROW, "rows = rows.map(lambda row: {'text': 1} if row['a'] else None)"),
            "train.py",
            says="the lambda returns None for some rows",
        ),
        Good(_mapped(ROW, "rows = rows.map(lambda row: {'text': row['a']})"), "train.py"),
        Good(_mapped(f"if not row['a']:\n    return row\n{ROW}"), "train.py"),
        Good(_mapped(f"if not row['a']:\n    raise ValueError\n{ROW}"), "train.py"),
        Good(_mapped(SKIPS, "rows = rows.filter(bool).map(build)"), "train.py"),
        Good(_mapped(SKIPS, "rows = [build(row) for row in rows]"), "train.py"),
        Good(_mapped(f"def inner():\n    return None\n{ROW}"), "train.py"),
        Good(_mapped(f"if row['a']:\n    {ROW}\nelse:\n    return row"), "train.py"),
        Good(_mapped(f"try:\n    {ROW}\nexcept KeyError:\n    return row"), "train.py"),
        Good(_mapped("row['text'] = 'a'\nreturn row"), "train.py"),
        Good(_mapped("row['n'] = 1"), "train.py"),
        Good(_mapped(f"for turn in row['b']:\n    if turn:\n        {ROW}"), "train.py"),
        Good(_mapped(f"{KINDS[0]}\nel{KINDS[1]}"), "train.py"),
        Good(_mapped("\n".join(KINDS)), "train.py"),
        Good(_mapped(SKIPS, "rows = rows.select(kept)\nrows = rows.map(build)"), "train.py"),
        Bad(
            _mapped(SKIPS, "rows = rows.select(range(9))\nrows = rows.map(build)"),
            "train.py",
            says="returns None",
        ),
    ),
)
