"""A comment for trl-doctor is not understood.

The comment has no effect: the run is examined as if it was not there.

Remedy: write `# trl-doctor: trainer=sft num_processes=8 dataset_format=conversational`, or
`# trl-doctor: ignore[rule] reason`.

Versions: every release.

Seen: in comments typed by hand.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.similar import similar
from trl_doctor.core.trainer import named
from trl_doctor.facts import Facts
from trl_doctor.facts.comments import STATED, own_comments
from trl_doctor.facts.documents import Document
from trl_doctor.facts.rule import Bad, Good, Rule


def check(facts: Facts) -> Iterator[Finding]:
    comments, file = facts[own_comments], facts.run.file
    if not isinstance(file, Document):
        return
    for comment in comments:
        place = file.line_place(comment.line)
        for problem in (comment.problem, *map(_unknown, comment.stated)):
            if problem:
                yield Finding(place, problem)
        for key, value in comment.stated.items():
            if key == "trainer" and not named(value):
                yield Finding(place, f"{value} is not a trainer of TRL")
            if key == "num_processes" and not (value.isdecimal() and int(value)):
                yield Finding(place, f"num_processes={value} is not a number")


def _unknown(key: str) -> str:
    if key in STATED:
        return ""
    near = similar(key, STATED, 1)
    hint = f"did you mean {near[0]}?" if near else f"the keys are {', '.join(sorted(STATED))}"
    return f"there is no key {key}; {hint}"


def _run(comment: str) -> dict[str, str]:
    return {"run.yaml": f"# trl-doctor: {comment}\nlearning_rate: 1.0e-6\n"}


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(_run("trainr=sft"), target="run.yaml", says="did you mean trainer?"),
        Bad(_run("trainer=sftt"), target="run.yaml", says="sftt is not a trainer of TRL"),
        Bad(_run("num_processes=all"), target="run.yaml", says="is not a number"),
        Bad(_run("ignore[x]"), target="run.yaml", says="write why x is ignored, after ]"),
        Bad(_run("ignore x, it is fine"), target="run.yaml", says="`ignore[rule] reason`"),
        Bad(_run("sft"), target="run.yaml", says="is not `key=value`"),
        Good(_run("trainer=sft num_processes=8"), target="run.yaml"),
        Good(_run("ignore[gpu-*] there is one in the cluster"), target="run.yaml"),
        Good({"run.json": {"learning_rate": 1e-6}}),
    ),
)
