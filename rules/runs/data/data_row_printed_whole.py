"""A whole row is written into its prompt, with the answer.

The script formats its prompt with the row in place of the row's question: `f"…{row}…"`, or
`template.format(instruction=row)`. The prompt is then a dictionary, `{'instruction': …, 'output':
…}`, that has the answer. The model learns to copy it. When it is asked the question alone it does
not know the answer; GRPO rewards copies. The loss falls faster than usual, and no error is raised.

Remedy: write the column that asks, `row["instruction"]`, into the prompt.

Versions: any. Only a rehearsal sees it: nine of ten of the first rows, four at least, have a
dictionary of texts before the answer, and the answer is the text of a cell such as `output`. A
dictionary with an answer that is to be judged is not reported.

Seen: litgpt#1778. Reproduced with SFT of trl 1.16.0: after 40 epochs the loss of the four answers,
asked for without the dictionary, is 1.7 to 7.5; with the question in the prompt it is below 1.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

WHAT = "row printed whole"
MESSAGES = {
    WHAT: "{0} of {1} rows have their answer in the prompt: the script has written a whole row "
    "into it, with {2!r}: {3!r}"
}


def check(facts: Facts) -> Iterator[Finding]:
    remedy = 'write the column that asks into the prompt, as row["instruction"], and not the row'
    yield from mistake_findings(facts, MESSAGES, remedy=remedy)


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    words = ("24", "24", "output", "Forty-two.")
    says = "24 of 24 rows have their answer in the prompt"
    return mistake(WHAT, words, "train.py:30", says), no_mistake()


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
