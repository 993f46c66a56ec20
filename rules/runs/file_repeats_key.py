"""The run file has a key twice.

YAML uses the last value and gives no warning: the job may train with another value than the one
that you read.

Remedy: remove one of them.

Versions: every release.

Seen: `trl sft` of trl 1.16.0 with learning_rate 0.5 and then 0.001 ends well, without a warning;
PyYAML gives 0.001.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, pointer
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
    for route, lines in sorted(file.repeated().items(), key=lambda entry: entry[1]):
        name, ignored_lines = ".".join(route), ", ".join(map(str, lines[:-1]))
        yield Finding(
            file.place(pointer(*route)),
            f"{name} is set {len(lines)} times: line {lines[-1]} counts, not line {ignored_lines}",
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
        Bad(
            {"run.yaml": RUN + "generation_kwargs:\n  top_k: 1\n  top_k: 2\n"},
            target="run.yaml",
            says="generation_kwargs.top_k is set 2 times: line 6 counts, not line 5",
        ),
        Bad(
            {"run.yaml": RUN + "a:\n  b: 1\na:\n  b: 2\n"},
            target="run.yaml",
            says="a is set 2 times: line 6 counts, not line 4",
        ),
        Good({"run.yaml": RUN + "a: {b: 1}\nc: {b: 1}\n"}, target="run.yaml"),
        Good({"run.json": {"trainer": "sft"}}),
    ),
)
