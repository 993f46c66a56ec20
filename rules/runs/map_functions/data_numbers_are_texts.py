"""Numbers in texts are compared as texts.

A column has numbers that are texts, as `csv.DictReader` and some JSON files give them. A function
of `map` or `filter` compares them, or takes the largest: `row["score_a"] > row["score_b"]`. Texts
are compared letter by letter: "10" is smaller than "9". The wrong answers are chosen, and the wrong
rows kept. No error is raised.

Remedy: compare numbers: `float(row["score_a"]) > float(row["score_b"])`.

Versions: any. Only a rehearsal sees it: it compares the functions with the first rows that they
get. Reported where the order of two numbers really differs, except for ids that are sorted. Outside
of such functions it compares the answers that were taken with their scores in the data: each is the
best by the letters of the scores, and some are not the best by the numbers. It does the same with
the turns of conversations, and with rows that were kept or left out, by any column of numbers,
dates or times: all of them are in the order of its texts, and some in a wrong order of its numbers.

Seen: reproduced with SFT of trl 0.24.0 and 1.16.0, which trains on the better of two rated answers:
of scores "10" and "9" it takes the answer with 9. With 1.16.0 turns of a CSV file that were sorted
by their number: turn "10" comes before "2".
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

WHAT = "numbers as texts"
MESSAGE = "{place} compares {0} as texts, where {1!r} is smaller than {2!r}"
OTHERS = {
    "scores as texts": "{0} was compared as a text: the answer with {1!r} was taken, not {2!r}, in "
    "{3} of {4} rows",
    "turns as texts": "{0} was compared as a text: {1!r} comes before {2!r} in the turns of {3} of "
    "{4} conversations",
    "rows as texts": "{0} was compared as a text: a row with {1!r} was kept, and one with {2!r} "
    "left out ({3} rows kept, {4} not)",
}


def check(facts: Facts) -> Iterator[Finding]:
    compared = list(mistake_findings(facts, {WHAT: MESSAGE}))
    yield from compared or mistake_findings(facts, OTHERS)


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    says = "train.py:12 compares score_a as texts, where '10' is smaller than '9'"
    taken = "score was compared as a text: the answer with '9' was taken, not '10', in 38 of 40"
    words = ("score", "9", "10", "38", "40")
    return (
        mistake(WHAT, ("score_a", "10", "9"), "train.py:12", says),
        mistake("scores as texts", words, "train.py:12", taken),
        mistake(
            "turns as texts", ("turn", "10", "2", "9", "9"), "train.py:12", "'10' comes before '2'"
        ),
        mistake(
            "rows as texts", ("votes", "9", "10", "20", "60"), "train.py:12", "a row with '9' was"
        ),
        no_mistake(),
    )


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
