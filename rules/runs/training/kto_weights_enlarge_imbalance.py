"""KTO's weights add to the label that has more rows.

KTO multiplies the loss of rows with `label` true by `desirable_weight`, and that of the others by
`undesirable_weight`. The weights are there to balance the two: with 100 good and 600 bad rows
`desirable_weight` is 6. In this run the larger part also has the larger weight. It decides nearly
all of the gradient, and the model learns little from the other label.

Remedy: give the label with fewer rows the larger weight, so that rows times weight are about the
same for both (TRL wants 1:1 to 4:3), and leave the other weight at 1.

Versions: every trl with KTO. Reported if the product of one label is three times that of the other,
and half as much again as without weights. Local files are counted up to 20,000 rows; a rehearsal
counts the rows that the trainer gets.

Seen: reproduced with KTO of trl 0.24.0 and 1.16.0: both warn that the weights "don't seem to be in
an ideal range", and train; with the weights exchanged there is no warning.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import rehearsal, rehearsed
from trl_doctor.facts.rows.own import many_rows
from trl_doctor.facts.rule import Bad, Examples, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer

KEYS = ("desirable_weight", "undesirable_weight")
FAR, FARTHER = 3.0, 1.5
"""How many times the loss of one label is that of the other, and of what it is by rows alone."""


def check(facts: Facts) -> Iterator[Finding]:
    if known_trainer(facts) != "kto":
        raise NotConcerned("only KTO has weights for its labels")
    first, second = (facts.run.number(key, 1.0) or 0.0 for key in KEYS)
    if first == second:
        return
    good, bad = _rows_by_label(facts)
    if min(good, bad, first, second) <= 0:
        raise NotConcerned("only one label has rows and a weight")
    counts, losses = good / bad, good * first / (bad * second)
    far = max(losses, 1 / losses)
    if far >= FAR and far >= FARTHER * max(counts, 1 / counts):
        yield Finding(
            facts.run.place(KEYS[second > first]),
            f"{good} of {good + bad} rows have label true and weight {first:g}, the others label "
            f"false and weight {second:g}: the weights add to the larger part",
            remedy="give the label with fewer rows the larger weight",
        )


def _rows_by_label(facts: Facts) -> tuple[int, int]:
    if rehearsed(facts):
        seen = rehearsal(facts).mistakes_of("rows by label")
        if len(seen) != 1:
            raise Unavailable("the rehearsal did not count the rows of each label")
        good, bad = map(int, seen[0].words)
        return good, bad
    labels = [row.get("label") for row in many_rows(facts)]
    if not all(isinstance(label, bool) for label in labels):
        raise Unavailable("not all rows have a label that is true or false")
    return labels.count(True), labels.count(False)


KTO: dict[str, Json] = {"trainer": "kto", "dataset_name": "rows.jsonl"}
ROW = '{"prompt": "a", "completion": "b", "label": %s}\n'


def _files(good: int, bad: int, **weights: Json) -> dict[str, Json]:
    return {"run.json": {**KTO, **weights}, "rows.jsonl": ROW % "true" * good + ROW % "false" * bad}


def examples() -> Examples:
    from msgspec.structs import replace

    from ..._recorded.rehearsal import mistake

    says = "20 of 120 rows have label true and weight 1, the others label false and weight 5: the"
    seen = mistake("rows by label", ("20", "100"), "", says)
    return (
        replace(seen, files={"run.json": {**KTO, "undesirable_weight": 5.0}}),
        Bad(_files(2, 10, undesirable_weight=5.0),
            says="2 of 12 rows have label true and weight 1, the others label false and weight 5"),
        Bad(_files(9, 3, desirable_weight=3.0), says="the weights add to the larger part"),
        Good(_files(2, 10, desirable_weight=5.0)),
        Good(_files(2, 10)),
        Good(_files(6, 5, desirable_weight=1.33)),
        Good({**_files(2, 10, undesirable_weight=5.0), "run.json": {**KTO, "trainer": "dpo"}}),
    )  # fmt: skip


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
