"""The answers belong to the questions of other rows.

Two files, columns or data sets were joined, and one of them has lost lines or was shuffled
alone. Each question has the answer to another one: the model learns to ignore the question. No
error is raised, and the loss falls.

Remedy: join by an id, drop incomplete pairs after the join, and look at some rows.

Versions: every trl. In the rows of SFT, DPO, ORPO and CPO the words are compared that few questions
have, of at least 24 rows. It is reported if an answer shares no more of them with its own question
than with any other row's, and most answers share several with one question. A rehearsal compares
the rows of every trainer with the data that the script has read: data sets, JSON and CSV files, and
what pandas read. It is reported if at least 8 rows, and half of those that can be compared, have
the answer of another record than their question; records of two files belong together by their ids,
or else by their lines. Rows are as they should be if another column of both records has the same
(`parent`, `concept`), if their questions share more words with their answers than with the data's,
and if an answer is the next record's. Rejected answers are compared, too, if the data have one for
each question. If the script speaks of drawing (`random`, `sample`, `negative`), those of a few
lines above or below are told: bad answers that are drawn for other questions are left alone. A
label of few kinds, or a score, is compared as well, from 16 rows on: it is reported if no column of
a text's own record says the label, and if the labels are those of the first records of the data,
one after the other; or a column `label` of the same records in another order.

Seen: reproduced with SFT of trl 1.16.0: two files with one line a ticket, and `if line.strip()` for
one that has empty lines. 57 of the first 64 rows have the answer to another ticket. In rehearsals
with SFT and GRPO of trl 0.24.0 and 1.16.0: `zip` after one of two lists was sorted, and a column of
pandas that was taken before the frame was sorted. With DPO of 1.16.0: two files that are sorted by
different keys.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.plain import excerpt
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings, rehearsed
from trl_doctor.facts.rows.own import data_key, file_name
from trl_doctor.facts.rows.pairs import questions_and_answers
from trl_doctor.facts.rule import Bad, Examples, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer

TRAINERS = ("sft", "dpo", "orpo", "cpo")
FEWEST = 24
"""Rows that are judged, at least."""

RARE = 0.15
"""The share of the questions up to which a word tells them apart."""

MATCHES = 1.5
"""The words that the answers share with the question that fits best, on average."""

NO_BETTER, LITTLE = 2.0, 0.25
"""Up to how many times what it shares with another question, and what share of the best fit, an
answer has in common with its own."""


ALONE = 0.75
"""The share of the best fit that the second best may have: where several questions fit an answer
alike, the rows have few words, and what they share is chance."""


APART = 0.8
"""Questions that fit best, for each answer: where few questions fit many, it is chance."""

MIXED = (
    "{0} of {1} rows have the answer of another record than their question: {2!r} gets {3!r}, in "
    "the data it has {4!r}"
)

LABELS = (
    "{0} of {1} rows have the label of another record than their text: {2!r} has {3!r}, in the "
    "data it has {4!r}"
)


def check(facts: Facts) -> Iterator[Finding]:
    if rehearsed(facts):
        mixed = list(mistake_findings(facts, {"records mixed": MIXED, "labels mixed": LABELS}))
        yield from mixed
        if mixed:
            return
    if known_trainer(facts) not in TRAINERS:
        raise NotConcerned("the rows of this trainer have no answers that fit their questions")
    pairs = facts[questions_and_answers]
    if len(pairs) < FEWEST:
        raise NotConcerned("there are too few rows to compare")
    own, other, best, second, apart, fits = _shared(pairs)
    if _both_ways(pairs):
        raise NotConcerned("each answer is another row's question, as in translations both ways")
    alone = second <= ALONE * best and apart >= APART
    if alone and best >= MATCHES and own <= min(NO_BETTER * other, LITTLE * best):
        row, another = fits
        yield Finding(
            facts.run.place(data_key(facts)),
            f"the answers do not fit the questions of their rows in {file_name(facts)}: they share "
            "no more words with them than with those of other rows",
            evidence=(
                f"question of row {row}: {excerpt(pairs[row - 1][0], 80)!r}",
                f"its answer: {excerpt(pairs[row - 1][1], 80)!r}",
                f"it fits the question of row {another}: {excerpt(pairs[another - 1][0], 80)!r}",
            ),
        )


def _shared(
    pairs: list[tuple[str, str]],
) -> tuple[float, float, float, float, float, tuple[int, int]]:
    """What an answer shares with its own, another and the two best questions; a row as proof.

    Before the row: the different questions that fit best, for each answer.
    """
    questions = [_words(question) for question, _ in pairs]
    count = Counter(word for words in questions for word in words)
    rare = {word for word, times in count.items() if times <= max(2, RARE * len(pairs))}
    questions = [words & rare for words in questions]
    own = other = best = second = 0
    shown, found = (0, 0, 0), set[int]()
    for at, (_, answer) in enumerate(pairs):
        said = _words(answer) & rare
        shared = [len(said & words) for words in questions]
        others = [number for place, number in enumerate(shared) if place != at]
        own, other, best = own + shared[at], other + sum(others), best + max(shared)
        second += sorted(shared)[-2]
        fit = max(range(len(shared)), key=lambda place: (shared[place], place == at))
        found.add(fit)
        shown = max(shown, (shared[fit] - shared[at], -at, fit))
    rows = len(pairs)
    return (
        own / rows,
        other / rows / (rows - 1),
        best / rows,
        second / rows,
        len(found) / rows,
        (1 - shown[1], shown[2] + 1),
    )


def _both_ways(pairs: list[tuple[str, str]]) -> bool:
    """Whether most rows have a row with the same two texts, where they have changed places."""
    known = {(question.strip(), answer.strip()) for question, answer in pairs}
    turned = sum(
        any(answer.strip() in asked and told in question for asked, told in known if told)
        for question, answer in pairs
    )
    return turned * 2 > len(pairs)


def _words(text: str) -> set[str]:
    return {word for word in re.findall(r"\w+", text.lower()) if len(word) > 2 or word.isdigit()}


def _rows(shift: int, rows: int = 40) -> str:
    things = [f"{name}{number}" for number in range(rows) for name in ("lamp",)]
    lines = []
    for at in range(rows):
        told = (at + shift) % rows
        lines.append({
            "prompt": f"Where is {things[at]}, which I left in room {at + 100}?",
            "completion": f"Look for {things[told]} in room {told + 100}.",
        })  # fmt: skip
    return "".join(json.dumps(line) + "\n" for line in lines)


SFT: dict[str, Json] = {"trainer": "sft", "dataset_name": "rows.jsonl"}


def _translations(rows: int = 30) -> str:
    """Each pair of sentences in both directions."""
    lines = []
    for at in range(rows):
        one, other = f"Lampe{at} steht in Raum {at + 100}.", f"A lamp{at} stands in {at + 100}rd."
        lines += [{"prompt": f"To English: {one}", "completion": other},
                  {"prompt": f"To German: {other}", "completion": one}]  # fmt: skip
    return "".join(json.dumps(line) + "\n" for line in lines)


def _few_words(rows: int = 60) -> str:
    """Rows whose answers fit no question better than another: all have the same few words."""
    import random

    drawn = random.Random(0)
    words = "river engine garden teacher castle planet bridge winter doctor island market tower"
    things = f"{words} candle forest window farmer letter mirror".split()
    lines = []
    for _ in range(rows):
        told = [drawn.choice(things) for _ in range(5)]
        lines.append({
            "prompt": f"Tell of the {drawn.choice(things)} and the {drawn.choice(things)}.",
            "completion": " ".join(f"The {thing} is far away." for thing in told),
        })  # fmt: skip
    return "".join(json.dumps(line) + "\n" for line in lines)


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake

    words = ("62", "64", "Where is it?", "Two are left.", "In the hall.")
    apart = ("31", "64", "Good film.", "bad", "good")
    says = "62 of 64 rows have the answer of another record than their question: 'Where is it?'"
    return (
        mistake("records mixed", words, "train.py:12", says),
        mistake("labels mixed", apart, "train.py:12", "'Good film.' has 'bad', in the data it"),
        Bad(
            {"run.json": SFT, "rows.jsonl": _rows(1)},
            says="the answers do not fit the questions of their rows in rows.jsonl",
        ),
        Bad({"run.json": SFT, "rows.jsonl": _rows(7)}, says="do not fit the questions"),
        Good({"run.json": SFT, "rows.jsonl": _rows(0)}),
        Good({"run.json": SFT, "rows.jsonl": _rows(1, 20)}),
        Good({"run.json": SFT, "rows.jsonl": _few_words()}),
        Good({"run.json": SFT, "rows.jsonl": _translations()}),
        Good({"run.json": {**SFT, "trainer": "kto"}, "rows.jsonl": _rows(1)}),
        Good({"run.json": SFT, "rows.jsonl": '{"prompt": "Is it?", "completion": "Yes."}\n' * 40}),
    )


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
