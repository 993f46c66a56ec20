"""All rows are the same, or ask the same question.

Every row that was read has the same texts, or the same question with different answers. Usually the
function that makes the rows uses a variable from outside, or the first row, in place of its own
argument; or one row is left of a list from a trial (`rows[:1]`). The run trains on one text, and no
error is raised.

Remedy: print a few rows of the data set that the trainer gets, and let the function read its
argument; give the whole list.

Versions: any. Local files of rows are examined, their first 64 rows, and in a rehearsal the
rows that the trainer gets. At least eight rows have to agree, or the data set has one row only.

Seen: trl#2970 (one row was left of the list). Reproduced with SFT of trl 1.16.0: a `map` that
formats the first row of the data set gives eight rows of the same ids.
"""

from collections.abc import Iterator, Mapping

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.plain import excerpt
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.rows.followed import MOST
from trl_doctor.facts.rows.own import data_key, file_name, own_rows
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.totals import rows as counted

QUESTIONS = ("prompt", "messages", "conversations", "question", "instruction")
ANSWERS = ("completion", "chosen", "answer", "solution", "messages", "conversations")
ASKED, ANSWERED = ("user", "human"), ("assistant", "gpt")
FEW = 8
"""The fewest rows that have to be alike."""


def check(facts: Facts) -> Iterator[Finding]:
    rows = facts[own_rows]
    place, name = facts.run.place(data_key(facts)), file_name(facts)
    if len(rows) == 1 and facts.get(counted) == 1:
        yield Finding(
            place,
            f"{name} has one row: the run trains on it alone",
            remedy="give the trainer all rows: perhaps a slice ([:1], select(range(1))) is left",
        )
        return
    if len(rows) < FEW:
        raise Unavailable(f"{name} has too few rows to compare")
    many = f"the first {len(rows)} rows" if len(rows) == MOST else f"all {len(rows)} rows"
    if all(row == rows[0] for row in rows):
        yield Finding(place, f"{many} of {name} are the same: the run trains on one text")
        return
    questions = {_texts(row, QUESTIONS, ASKED) for row in rows}
    answers = {_texts(row, ANSWERS, ANSWERED) for row in rows}
    if len(questions) == 1 and "" not in questions and len(answers) > len(rows) / 2:
        question = next(iter(questions))
        yield Finding(
            place,
            f"{many} of {name} ask the same question, and their answers differ",
            (f"the question: {excerpt(question)!r}",),
        )


def _texts(row: Mapping[str, Json], columns: tuple[str, ...], roles: tuple[str, ...]) -> str:
    """The first of the columns, as a text: of messages those of these roles."""
    for name in columns:
        value = row.get(name)
        if isinstance(value, str):
            return value
        if isinstance(value, list):
            texts = [
                str(message.get("content", message.get("value")))
                for message in value
                if isinstance(message, dict) and message.get("role", message.get("from")) in roles
            ]
            if texts:
                return "\n".join(texts)
    return ""


SFT: dict[str, Json] = {"trainer": "sft", "dataset_name": "rows.jsonl"}
ROW = '{{"prompt": "What is {}?", "completion": "{}"}}\n'


def _rows(*pairs: tuple[object, object]) -> dict[str, Json]:
    return {"run.json": SFT, "rows.jsonl": "".join(ROW.format(*pair) for pair in pairs)}


RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(_rows(*[("two", 2)] * 9), says="all 9 rows of rows.jsonl are the same"),
        Bad(
            _rows(*[("two", n) for n in range(70)]),
            says="the first 64 rows of rows.jsonl ask the same question, and their answers differ",
        ),
        Bad(_rows(("two", 2)), says="rows.jsonl has one row: the run trains on it alone"),
        Good(_rows(*[(n, "yes") for n in range(9)])),
        Good(_rows(*[("two", n % 2) for n in range(9)])),
        Good(_rows(("two", 2), ("three", 3)), skipped="too few rows"),
    ),
)
