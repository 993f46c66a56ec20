"""The teacher of GKD has other token ids than its student.

GKD gives the student's token ids to the teacher, and compares the probabilities of both by number.
A teacher of another family reads another text behind these ids, and its probabilities are of other
words. Where the two vocabularies have the same size no error is raised, and the loss falls.

Remedy: use a teacher of the student's family, or `GOLDTrainer` with `use_uld_loss=True`, which
reads the text with each tokenizer.

Versions: every trl with GKDTrainer. The newest refuse a teacher with another size of vocabulary.

Seen: trl#4562; reproduced with GKD of trl 1.16.0 and a teacher whose tokenizer numbers the same
tokens otherwise: the run ends without an error, and the teacher's tokenizer decodes the student's
ids to another text. With the student's tokenizer in the teacher's folder it is the same text.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer
from trl_doctor.facts.tokenizer import tokenizer
from trl_doctor.facts.tokenizer.same_ids import differing_ids

from ..._recorded.candidate import CONFIG, TOKENIZER, renumbered, tokenizer_files, under
from ..._recorded.scripts import script


def check(facts: Facts) -> Iterator[Finding]:
    teacher = facts.run.models.get("teacher")
    if known_trainer(facts) != "gkd" or teacher is None:
        raise NotConcerned("only GKD gives token ids to a teacher")
    if isinstance(teacher.folder, Unavailable):
        raise NotConcerned(f"the teacher's files are not known: {teacher.folder}")
    student = facts.at(facts.run.folder_of("tokenizer"))[tokenizer]
    other = facts.at(teacher.folder).get(tokenizer)
    if other is None:
        raise NotConcerned("the teacher's folder has no tokenizer")
    if differing := differing_ids(student, other):
        token, own, its = differing[0]
        yield Finding(
            teacher.place,
            f"the teacher {teacher.name} gets the student's token ids, and its own tokenizer has "
            f"other ids: {token!r} is {own} for the student and {its} for the teacher",
            evidence=(f"{len(differing)} common tokens have other ids",),
        )


def _files(teacher: dict[str, Json], trainer: str = "GKD") -> dict[str, Json]:
    code = script(trainer, "model='model', teacher_model='teacher'")
    return {**code, **under("model", TOKENIZER, CONFIG), **under("teacher", teacher, CONFIG)}


TRL = {"trl": "1.16.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            _files(renumbered(TOKENIZER)),
            "train.py",
            versions=TRL,
            says="the teacher teacher gets the student's token ids, and its own tokenizer has "
            "other ids: 'a' is 0 for the student and 3 for the teacher",
        ),
        Bad(
            _files(renumbered(TOKENIZER)),
            "train.py",
            versions={"trl": "0.24.0"},
            says="'a' is 0 for the student and 3 for the teacher",
        ),
        Good(_files(TOKENIZER), "train.py", versions=TRL),
        Good(_files(tokenizer_files("<new>")), "train.py", versions=TRL),
        Good(_files(renumbered(TOKENIZER), "GOLD"), "train.py", versions=TRL),
        Good(
            {**script("GKD", "model='model', teacher_model='org/large'"),
             **under("model", TOKENIZER, CONFIG)},
            "train.py",
            versions=TRL,
        ),
    ),
)  # fmt: skip
