"""All rows have the same label.

KTO and BCO learn from the difference between answers that are wanted and others. With only one kind
nothing keeps the policy near its reference: the loss of KTO stays near 0.5 while the policy moves
away from the reference.

Remedy: add rows with the other label, or train on wanted answers alone with SFT. Look at how the
labels were made: `bool("false")` is true.

Versions: every trl. Local JSON files are examined, their first 20,000 rows; in a rehearsal data
sets that it has not cut.

Seen: reproduced with KTO of trl 1.16.0 and 0.24.0, 30 steps on 16 rows: with the label true alone
the loss goes from 0.50 to 0.50 and the KL to 12; with both labels to 0.28 and 0.8.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import rehearsal, rehearsed
from trl_doctor.facts.rows.own import data_key, file_name, many_rows
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer

FEWEST = 8
"""The fewest rows that are judged."""


def check(facts: Facts) -> Iterator[Finding]:
    if known_trainer(facts) not in ("kto", "bco"):
        raise NotConcerned("only rows of KTO and BCO have labels")
    if rehearsed(facts):
        alike = [slip.words for slip in facts[rehearsal].slips if slip.what == "labels alike"]
        label, rows = alike[0] if alike else ("", "")
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
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            {"run.json": KTO, "rows.jsonl": WANTED * 8},
            says="the label is true in all 8 rows of rows.jsonl",
        ),
        Good({"run.json": KTO, "rows.jsonl": WANTED * 80 + OTHER}),
        Good({"run.json": KTO, "rows.jsonl": WANTED * 7}),
        Good({"run.json": {**KTO, "trainer": "sft"}, "rows.jsonl": WANTED * 8}),
    ),
)
