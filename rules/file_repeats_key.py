"""The run file has a key twice.

YAML uses the last value and gives no warning: the job may train with another value than the one
that you read.

Remedy: remove one of them.

Versions: every release.

Seen: `trl sft` of trl 1.16.0 with learning_rate 0.5 and then 0.001 ends well, without a warning;
PyYAML gives 0.001.
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
        raise NotConcerned("the run file is not YAML")
    for key, lines in file.repeated().items():
        said = ", ".join(map(str, lines[:-1]))
        yield Finding(
            file.place(f"/{key}"),
            f"{key} is set {len(lines)} times: line {lines[-1]} counts, not line {said}",
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
            says="learning_rate is set 2 times: line 4 counts, not line 3",
        ),
        Good({"run.yaml": RUN}, target="run.yaml"),
        Good({"run.json": {"trainer": "sft"}}),
    ),
)
