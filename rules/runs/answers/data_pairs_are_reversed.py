"""The chosen answer has the lower score.

The rows have a score for each answer, and in most of them the chosen one has the lower. A
comparison or a sort is the wrong way round, and the model learns to give the worse answers. The
loss and the accuracy of the rewards look normal.

Remedy: turn the comparison round where the pairs are made. If a low score is a good one, rename the
columns.

Versions: every trl. Local files of rows are examined, their first 64 rows, and in a rehearsal the
rows as the trainer gets them. A rehearsal also compares the pairs with the data that the script has
read: with scores beside the answers, with a column that names the better one, as `winner: b` beside
`answer_a` and `answer_b`, and with ranks (`rank`, `ranking`) that count from 1, the best. Ranks
with something true or false beside them (`correct`) are not compared: answers may be chosen by
that. Nor is a `position` or `place`, which is often where an answer was shown. Nothing is reported
if another column agrees with the pairs, also something true or false beside the answers
(`correct`), or if the script's code or a comment says that a low score is a good one
(`LOWER_IS_BETTER`, "the score is a distance"), or a high rank.

Seen: reproduced with DPO of trl 0.24.0: pairs from two rated answers with `<` in place of `>` train
without a warning. With 1.16.0 the same for `sorted(row["completions"], key=score)[0]`: the worst of
several rated answers is chosen. With 1.16.0 and 0.24.0 for `better % 2 + 1`, where `better` is 1 or
2, and for a frame of pandas that is sorted the wrong way round; and for `order[-1]` of sorted ranks
as the best answer.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.intentions import says_low_is_good
from trl_doctor.facts.measured.rehearsal import mistake_findings, rehearsed
from trl_doctor.facts.rows.own import data_key, file_name, own_rows
from trl_doctor.facts.rule import Bad, Examples, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer

TRAINERS = ("dpo", "orpo", "cpo", "reward")
NAMES = ("score", "rating", "reward", "overall_score")
FEW, MOST = 4, 0.8
"""Rows from which on pairs are judged, and the share that must be reversed."""

MADE = (
    "{place} chooses the answer with the lower {0} in {3} of {4} rows, as {1} and {2}: the worse "
    "answer is chosen"
)

TAKEN = (
    "the chosen answer has the lower {0} in {3} of {4} rows, as {1} and {2}: the worse answer is "
    "chosen"
)
RANKED = (
    "the chosen answer has the higher {0} in {3} of {4} rows, as {1} and {2}: if {0} 1 is the best "
    "answer, the worse one is chosen"
)
CHOICE = (
    "{0} of the data names the other answer in {3} of {4} rows: it is {1!r} where {2} is chosen"
)


def check(facts: Facts) -> Iterator[Finding]:
    if known_trainer(facts) not in TRAINERS:
        raise NotConcerned("the rows of this trainer are no pairs of answers")
    if rehearsed(facts):
        yield from _beside_the_data(facts)
    rows = facts[own_rows]
    pairs = [scores for row in rows if (scores := _scores(row)) and scores[2] != scores[3]]
    reversed_ = [pair for pair in pairs if pair[2] < pair[3]]
    if len(pairs) < FEW or len(reversed_) < MOST * len(pairs) or says_low_is_good(facts):
        return
    chosen, rejected, low, high = reversed_[0]
    yield Finding(
        facts.run.place(data_key(facts)),
        f"{chosen} is lower than {rejected} in {len(reversed_)} of {len(rows)} rows of "
        f"{file_name(facts)}, as {low:g} and {high:g}: the worse answer is chosen",
    )


def _beside_the_data(facts: Facts) -> Iterator[Finding]:
    """What a rehearsal has compared; once for the function that made the pairs, or for all rows."""
    made = list(mistake_findings(facts, {"pairs turned": MADE}))
    yield from made or mistake_findings(facts, {"lower score taken": TAKEN})
    yield from mistake_findings(facts, {"pairs against choice": CHOICE, "worse rank taken": RANKED})


def _scores(row: dict[str, Json]) -> tuple[str, str, float, float] | None:
    """The names of a row's two scores, and the scores; None if it has none."""
    for name in NAMES:
        for chosen, rejected in (
            (f"{name}_chosen", f"{name}_rejected"),
            (f"chosen_{name}", f"rejected_{name}"),
        ):
            first, second = row.get(chosen), row.get(rejected)
            if isinstance(first, (int, float)) and isinstance(second, (int, float)):
                return chosen, rejected, float(first), float(second)
    return None


DPO: dict[str, Json] = {"trainer": "dpo", "dataset_name": "rows.jsonl"}
ROW = '{{"prompt": "Why?", "chosen": "So.", "rejected": "No.", {}}}\n'
WRONG = ROW.format('"score_chosen": 3.0, "score_rejected": 8.5')
RIGHT = ROW.format('"score_chosen": 8.5, "score_rejected": 3.0')


def examples() -> Examples:
    from msgspec.structs import replace

    from ..._recorded.rehearsal import mistake

    words = ("overall_score", "2", "9", "60", "64")
    says = "train.py:9 chooses the answer with the lower overall_score in 60 of 64 rows, as 2 and 9"
    turned = replace(mistake("pairs turned", words, "train.py:9", says), files={"run.json": DPO})
    words = ("score", "2", "9", "60", "64")
    says = "the chosen answer has the lower score in 60 of 64 rows, as 2 and 9: the worse answer"
    taken = replace(mistake("lower score taken", words, "", says), files={"run.json": DPO})
    words = ("rank", "3", "1", "60", "64")
    says = (
        "the chosen answer has the higher rank in 60 of 64 rows, as 3 and 1: if rank 1 is the best"
    )
    ranks = replace(mistake("worse rank taken", words, "", says), files={"run.json": DPO})
    words = ("better", "1", "answer_2", "64", "64")
    says = "better of the data names the other answer in 64 of 64 rows: it is '1' where answer_2 is"
    choice = replace(mistake("pairs against choice", words, "", says), files={"run.json": DPO})
    return (
        Bad(
            {"run.json": DPO, "rows.jsonl": WRONG * 5},
            says="score_chosen is lower than score_rejected in 5 of 5 rows of rows.jsonl, as 3 and",
        ),
        Good({"run.json": DPO, "rows.jsonl": RIGHT * 5}),
        Good({"run.json": DPO, "rows.jsonl": WRONG + RIGHT * 5}),
        Good({"run.json": DPO, "rows.jsonl": WRONG}),
        Good({"run.json": {**DPO, "trainer": "kto"}, "rows.jsonl": WRONG * 5}),
        turned,
        taken,
        ranks,
        choice,
    )


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
