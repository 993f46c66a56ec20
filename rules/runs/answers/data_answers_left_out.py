"""The rows end where their answers should begin.

The data have a column of answers, and none of the rows that the trainer gets has its own. Each row
ends with the words behind which an answer stands (`### Response:`), or with a text that it has
before: the function that writes the texts takes the answer from a name that the rows do not have
(`row.get("response", "")`), or from the wrong column. The model learns the questions alone, or to
repeat them. No error is raised, and the loss falls. Or `dataset_text_field` names the column of the
questions, and the one of their answers is beside it.

Remedy: write the column with the answers where the answer stands. `row["output"]` fails where a
name is wrong; `row.get("output", "")` does not.

Versions: every trl. Only a rehearsal sees it: it compares the rows of SFT with the data that the
script has read, if these have one column `output`, `response`, `answer` or the like, and at least 8
rows are found there; of the column that `dataset_text_field` names, it looks at the rows that the
trainer is given. Rows that have another text in its place, as the answer of another model, are
left alone, and so is a column that the script removes by its name.

Seen: reproduced with SFT of trl 1.16.0: `response=row["input"]` in a template of Alpaca's form, and
of 0.24.0: `row.get("response", "")` for rows with `output`; of 1.16.0: a text field `question` for
rows with an `answer`. No token of any answer is trained on.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings, rehearsed
from trl_doctor.facts.rule import Examples, Rule

LEFT_OUT = (
    "the column {0} of the data is in none of {2} rows, which end with {1!r}: the answers are "
    "missing, and the model never learns one"
)

ALONE = (
    "dataset_text_field names the column {0}, and the column {1} beside it is in none of {2} rows: "
    "the model learns the questions, and no answer"
)
TEXTS = (
    "write a column of texts with the question and its answer, with the chat template of the model "
    "or without, and name that one; or give the trainer the columns prompt and completion"
)


def check(facts: Facts) -> Iterator[Finding]:
    if not rehearsed(facts):
        raise NotConcerned("only a rehearsal compares rows with the data that were read")
    yield from mistake_findings(facts, {"answers left out": LEFT_OUT})
    yield from mistake_findings(facts, {"questions alone": ALONE}, remedy=TEXTS)


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    words = ("output", "### Response:", "16")
    says = "the column output of the data is in none of 16 rows, which end with '### Response:'"
    alone, said = ("question", "answer", "4"), "dataset_text_field names the column question"
    return (
        mistake("answers left out", words, "train.py:12", says),
        mistake("questions alone", alone, "train.py:12", said),
        no_mistake(),
    )


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
