"""A loop keeps only its last text.

The text begins empty, and each turn of the loop sets it anew (`text = …`) instead of adding to it
(`text += …`). After the loop it holds the last part alone: of a conversation only the last message
is trained. No error is raised.

Remedy: write `+=`.

Versions: any. Reported are texts that are put together in the loop (`f"…"`, `"…" + …`), where
nothing in the loop reads them, and something after it does. Loops that leave out some of the parts
(`continue`, a condition) or do more than to compute are left alone, and so are paths.

Seen: reproduced with SFT of trl 1.16.0: conversations of four messages are trained as their last
one.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.script.syntax.loops import overwritten_texts

from .._recorded.scripts import script


def check(facts: Facts) -> Iterator[Finding]:
    if not (texts := facts[overwritten_texts]):
        raise NotConcerned("no loop of the script puts a text together and overwrites it")
    for text in texts:
        yield Finding(
            text.place,
            f"each turn of the loop over {text.over} overwrites {text.name}: only the last part "
            "is left",
            remedy=f"add to it: {text.name} += …",
        )


def _script(
    line: str, last: str = "return {'text': text}", over: str = "row['turns']"
) -> dict[str, str]:
    function = (
        f"def render(row):\n    text = ''\n    for turn in {over}:\n"
        f"        {line}\n    {last}\nrows = rows.map(render)\n"
    )
    return script("SFT", "model='org/m'", before=function)


WRONG = "text = f\"{turn['role']}: {turn['text']}\""
ASKED = "lambda turn: turn['role'] == 'user'"
SKIPS = "if turn['role'] != 'user': continue"
TRL = {"trl": "1.16.0"}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            _script(WRONG),
            "train.py",
            TRL,
            says="each turn of the loop over row['turns'] overwrites text: only the last part",
        ),
        Good(_script(WRONG.replace("=", "+=", 1)), "train.py", TRL),
        Good(_script("text = text + f\"{turn['text']}\""), "train.py", TRL),
        Good(_script(f"{WRONG}; print(text)"), "train.py", TRL),
        Good(_script("text = turn['text']"), "train.py", TRL),
        Good(_script(f"{SKIPS}\n        {WRONG}"), "train.py", TRL),
        Good(_script(WRONG, over=f"filter({ASKED}, row['turns'])"), "train.py", TRL),
        Good(_script(WRONG, over="[turn for turn in row['turns'] if turn]"), "train.py", TRL),
        Good(_script("text = f\"out/checkpoint-{turn['step']}\""), "train.py", TRL),
        Good(_script(f"{WRONG}; trainer.train()"), "train.py", TRL),
        Good(_script(f"if turn['role'] == 'user': {WRONG}"), "train.py", TRL),
        Good(_script(WRONG, "return {'text': row['text']}"), "train.py", TRL),
    ),
)
