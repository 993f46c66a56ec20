"""The question is cut off with the end of a long text.

The script joins a context, the question and perhaps more to one text, and cuts it at a number of
characters. In rows with a long context nothing of the question is left, or nothing of the answer:
the model learns to answer without being asked. Or it cuts the questions themselves to one length,
and their ends are lost. No error is raised.

Remedy: cut the long part alone, before the texts are joined: `row["context"][:limit]`. Leave out
rows with questions that are too long: `rows.filter`.

Versions: any. Only a rehearsal sees it: it looks for the question and the answer of each row in
what the function of `map` has made of it. It is reported if all texts without it have the same
length, and all shorter ones have it. An answer that the context quotes is left alone. Of questions
at least eight, and a fifth, have the greatest length of all and lack the question mark at the end
of the text that was read.

Seen: reproduced with SFT of trl 1.16.0: `f"{context} {question}"[:700]` leaves the question in 15
of 200 rows, and GRPO with `row["question"][:80]`.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

MESSAGE = (
    "{3} of {4} rows have lost their {0}: at {place} {1} is cut to {2} characters, and the {0} "
    "stood behind them"
)
ALIKE = (
    "{0} of {1} prompts are cut to {2} inside their question, as …{3!r}, where the text that was "
    "read goes on with {4!r}"
)


def check(facts: Facts) -> Iterator[Finding]:
    yield from mistake_findings(facts, {"text cut off": MESSAGE, "questions of one length": ALIKE})


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    words = ("question", "prompt", "708", "51", "64")
    says = "51 of 64 rows have lost their question: at train.py:20 prompt is cut to 708 characters"
    alike = ("20", "64", "80 characters", "how many of the red app", "les does she have left")
    inside = "20 of 64 prompts are cut to 80 characters inside their question, as …'how many of the"
    return (
        mistake("text cut off", words, "train.py:20", says),
        mistake("questions of one length", alike, "train.py:20", inside),
        no_mistake(),
    )


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
