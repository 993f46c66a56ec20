"""A join has paired each question with several answers.

Most rows have a question that other rows have with another answer, and an answer that other rows
have with another question. A join by a column that is not unique on either side (`merge` of
pandas, two loops) makes such rows: of three questions and three answers with one key it makes nine
pairs, six of them wrong. The model learns that any answer fits. No error is raised.

Remedy: join by a column that is unique, as an id: `merge(…, validate="one_to_one")` raises an error
where it is not. If the questions of a group are paraphrases, and each answer fits all of them,
nothing is wrong.

Versions: every trl. Local files of rows are examined, their first 20,000 rows, and in a
rehearsal the rows as the trainer gets them. Answers of less than 20 characters, which several
questions may share, are not counted, nor are answers of KTO that are not wanted.

Seen: reproduced with `merge(on="topic")` of pandas and SFT of trl 1.16.0: 36 rows of 12 questions,
24 of them with another question's answer.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.contradictions import crossed_pairs
from trl_doctor.facts.measured.rehearsal import rehearsed
from trl_doctor.facts.rows.own import data_key, file_name
from trl_doctor.facts.rule import Bad, Good, Rule


def check(facts: Facts) -> Iterator[Finding]:
    if (crossed := facts[crossed_pairs]) is None:
        return
    file = "train_dataset" if rehearsed(facts) else file_name(facts)
    yield Finding(
        facts.run.place("train_dataset" if rehearsed(facts) else data_key(facts)),
        f"{crossed.number} of {crossed.pairs} pairs of {file} are crossed: {crossed.questions} "
        "questions have several answers each, which other questions have, too",
        remedy="join by a column that is unique, unless the questions are paraphrases",
    )


SFT: dict[str, Json] = {"trainer": "sft", "dataset_name": "rows.jsonl"}
ROW = '{{"prompt": "Where is town {0}?", "completion": "It is {1} miles north of here."}}\n'
CROSSED = "".join(ROW.format(3 * part + one, 3 * part + other)
                  for part in range(4) for one in range(3) for other in range(3))  # fmt: skip
UNWANTED = "".join(
    ROW.format(n, told % 30).replace("}", f', "label": {str(told == n).lower()}}}')
    for n in range(30) for told in (n, n + 1)
)  # fmt: skip
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            {"run.json": SFT, "rows.jsonl": CROSSED},
            says="36 of 36 pairs of rows.jsonl are crossed: 12 questions have several answers each",
        ),
        Good({"run.json": SFT, "rows.jsonl": "".join(ROW.format(n, n) for n in range(40))}),
        Good({"run.json": SFT, "rows.jsonl": "".join(ROW.format(n % 9, n) for n in range(40))}),
        Good({"run.json": SFT, "rows.jsonl": "".join(ROW.format(n, n % 9) for n in range(40))}),
        Good({"run.json": {**SFT, "trainer": "kto"}, "rows.jsonl": UNWANTED}),
        Good({"run.json": {**SFT, "trainer": "grpo"}, "rows.jsonl": CROSSED}),
    ),
)
