"""The run file says a key twice.

YAML takes the last value and says nothing of the first: the job trains with another value than
the one that you look at.

Remedy: take one of them out.

Versions: every release.

Seen: ran `trl sft` of trl 1.16.0 and 0.24.0 with learning_rate 0.5 and then 0.001: it trains with
0.001.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.documents import Document
from trl_doctor.facts.rule import Bad, Good, Rule


def check(facts: Facts) -> Iterator[Finding]:
    file = facts.run.file
    if isinstance(file, Unavailable):
        raise file
    if not isinstance(file, Document) or file.format != "yaml":
        raise NotConcerned("there is no run file in YAML")
    for key, lines in file.repeated().items():
        said = ", ".join(map(str, lines[:-1]))
        yield Finding(
            file.place(f"/{key}"),
            f"{key} is there {len(lines)} times: line {lines[-1]} counts, and not line {said}",
        )


RUN = "trainer: sft\nmodel_name_or_path: m\nlearning_rate: 0.5\n"
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            {"run.yaml": RUN + "learning_rate: 0.001\n"},
            target="run.yaml",
            says="learning_rate is there 2 times: line 4 counts, and not line 3",
        ),
        Good({"run.yaml": RUN}, target="run.yaml"),
        Good({"run.json": {"trainer": "sft"}}),
    ),
)
