"""All rows have the same label.

KTO and BCO learn from the difference between answers that are wanted and others. With only one kind
nothing keeps the policy near its reference: the loss of KTO stays near 0.5 while the policy moves
away from the reference.

A rehearsal also sees labels that a script makes alike of rows that a column of the data calls good
or bad, and rows that were taken from the front of a file that is sorted by its label, and
tells this of a classifier, too: it learns one class, or is evaluated on classes that it never saw.

Remedy: add rows with the other label, or train on wanted answers alone with SFT. Look at how the
labels were made: `bool("false")` is true. Shuffle the rows before you take a part of them:
`dataset.shuffle(seed=42).select(range(1000))`.

Versions: every trl. Local files of rows are examined, their first 20,000 rows; in a rehearsal
data sets that it has not cut, and parts of local files.

Seen: trl#1724, LlamaFactory#3803. Reproduced with KTO of trl 1.16.0 and 0.24.0, 30 steps on 16
rows: with the label true alone the loss goes from 0.50 to 0.50 and the KL to 12; with both labels
to 0.28 and 0.8.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings, mistakes_seen, rehearsed, watched
from trl_doctor.facts.rows.own import data_key, file_name, many_rows
from trl_doctor.facts.rule import Bad, Examples, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer

FEWEST = 8
"""The fewest rows that are judged."""

CUT = {
    "labels cut": (
        "the label is {0} in all rows that the trainer gets, which {1} takes from {2}: other rows "
        "of the file have another one"
    ),
    "labels apart": (
        "no row to train on has a label of the rows to evaluate on: {0} is learned, and {1} is "
        "asked for"
    ),
}
LOST = {
    "one label of two": (
        "the label is {0} in all {1} rows that the rehearsal reads, although the column {2} of the "
        "data is true for some of them and false for others"
    )
}
LOOK = "look at how the script makes the column label: nothing of the other column is left in it"
REMEDY = "shuffle the rows before you take a part of them: dataset.shuffle(seed=42)"


def check(facts: Facts) -> Iterator[Finding]:
    messages = ((CUT, REMEDY), (LOST, LOOK)) if rehearsed(facts) else ()
    cut = [found for texts, do in messages for found in mistake_findings(facts, texts, remedy=do)]
    if cut:
        yield from cut
        return
    if known_trainer(facts) not in ("kto", "bco"):
        raise NotConcerned("only rows of KTO and BCO have labels")
    if watched(facts):
        alike = mistakes_seen(facts, ("labels alike",))
        label, rows = alike[0].words if alike else ("", "")
        place, file = facts.run.place("train_dataset"), "train_dataset"
    else:
        labels = [row.get("label") for row in many_rows(facts)]
        alike_all = len(labels) >= FEWEST and {*map(str, labels)} in ({"True"}, {"False"})
        label, rows = (str(labels[0]), str(len(labels))) if alike_all else ("", "")
        place, file = facts.run.place(data_key(facts)), file_name(facts)
    if label:
        yield Finding(
            place,
            f"the label is {label.lower()} in all {rows} rows of {file}: there is nothing to "
            "compare with",
        )


KTO: dict[str, Json] = {"trainer": "kto", "dataset_name": "rows.jsonl"}
WANTED = '{"prompt": "Why?", "completion": "So.", "label": true}\n'
OTHER = WANTED.replace("true", "false")


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake

    cut = ("True", "select(range(0, 4))", "rows.jsonl")
    says = "the label is True in all rows that the trainer gets, which select(range(0, 4)) takes"
    apart = "no row to train on has a label of the rows to evaluate on: 1 is learned, and 0 is"
    kinds = "the label is True in all 4 rows that the rehearsal reads, although the column kto_tag"
    return (
        mistake("one label of two", ("True", "4", "kto_tag"), "train.py:30", kinds),
        Bad(
            {"run.json": KTO, "rows.jsonl": WANTED * 8},
            says="the label is true in all 8 rows of rows.jsonl",
        ),
        Good({"run.json": KTO, "rows.jsonl": WANTED * 80 + OTHER}),
        Good({"run.json": KTO, "rows.jsonl": WANTED * 7}),
        Good({"run.json": {**KTO, "trainer": "sft"}, "rows.jsonl": WANTED * 8}),
        mistake("labels cut", cut, "train.py:30", says),
        mistake("labels apart", ("1", "0"), "train.py:30", apart),
    )


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
