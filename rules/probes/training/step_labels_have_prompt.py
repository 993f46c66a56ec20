"""The run trains on questions, not only on answers.

Rows with prompt and completion, and `assistant_only_loss`, put the loss on the answer alone. The
trainer's own batches were examined, and the words of the questions are among the targets: the model
learns to ask. Nothing in the log shows it.

A rehearsal also sees labels that the script makes itself of a conversation in one text, and that
leave out only what comes before the first answer: the user's later turns are learned. Turns of
persons with names of their own are left alone: a model may learn to write for all of them. And it
sees a function of the script that sets labels to -100 at tokens which it looks for, and rows in
which not one label is: it was given a batch in place of a row, or looks for tokens that no row has.
A collator that masks nothing but padding and images is told where a line of the script says that
only answers are learned (`# the loss is on the answer only`, `mask_prompt = True`). Where nothing
says so, whole conversations may be meant: look at the first row in the report.

Remedy: upgrade trl, or install the transformers that it was made for. Then check the targets again.
In a script set the labels of each turn of the user to -100, not only those before the first answer.

Versions: the installed releases are tested. Releases before 0.18 train on whole rows by design: the
rule does not apply to them.

Seen: trl#4147 is about such labels. Reproduced with SFT on conversations with prompt and
completion: trl 0.27.0 with transformers 5.23.0 masks two tokens of each prompt and trains on the
rest of it; 1.16.0 with 5.23.0 trains on the completion alone. textgen#3343: reproduced with SFT of
trl 1.16.0 and labels that begin behind the first `ASSISTANT:`. starcoder#129: reproduced with SFT
of trl 1.16.0 and a function that gets the labels of a batch: the user's turns are learned, and are
not where it gets those of a row. Reproduced with SFT of trl 1.16.0 and 0.24.0: a collator with
nothing but `labels[labels == pad] = -100`.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings, rehearsed
from trl_doctor.facts.measured.step import stepped
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import trainer

from ..._recorded.rehearsal import mistake
from ..._recorded.step import SFT, TRL, trained

LATER = {
    "later questions learned": (
        "the labels of {0} of {1} rows learn later turns of the user ({2}), too: only what comes "
        "before the first answer is left out"
    )
}
VAIN = {
    "mask in vain": (
        "{0} is to set labels to -100, and no label of {1} rows is: the questions are learned, too"
    )
}
STATED = {
    "questions learned": (
        "the data_collator puts a loss on the user's words in {0} of {1} rows, but the script "
        "says: {2!r}"
    )
}
LOOK = "give it the labels of one row, and compare the tokens that it looks for with those of a row"
MASK = "set the labels of all that comes before the answer to -100, not only those of the padding"
EACH = "set the labels of each turn of the user to -100, not only those before the first answer"


def check(facts: Facts) -> Iterator[Finding]:
    if rehearsed(facts):
        learned = [*mistake_findings(facts, LATER, remedy=EACH, severity="warning")]
        learned += mistake_findings(facts, VAIN, remedy=LOOK, severity="warning")
        learned += mistake_findings(facts, STATED, remedy=MASK, severity="warning")
        yield from learned
        if learned:
            return
    labels = facts[stepped].labels
    if labels is None or labels.questions_learned is None:
        raise NotConcerned("the run does not ask for a loss on answers only")
    if labels.questions_learned:
        transformers = facts.environment.version("transformers")
        yield Finding(
            facts.run.place(),
            f"{trainer(facts)} with transformers {transformers} trains on the questions of "
            f"{labels.questions_learned} of {labels.rows} rows, but the run asks for a loss on "
            "answers only",
            (f"tokens with a loss: {', '.join(map(str, labels.targets or ()))}",),
        )


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            SFT,
            versions={"trl": "0.27.0", "transformers": "5.23.0"},
            answers=trained(questions_learned=2),
            says="trains on the questions of 2 of 2 rows",
        ),
        Good(SFT, versions=TRL, answers=trained(questions_learned=0)),
        Good(SFT, versions=TRL, answers=trained(questions_learned=None)),
        mistake(
            "questions learned",
            ("8", "8", "the loss is on the answer only"),
            "train.py:30",
            "the data_collator puts a loss on the user's words in 8 of 8 rows, but the script says",
            "warning",
        ),
        mistake(
            "mask in vain",
            ("mask_user_labels", "24"),
            "train.py:30",
            "mask_user_labels is to set labels to -100, and no label of 24 rows is",
            "warning",
        ),
        mistake(
            "later questions learned",
            ("12", "12", "USER:"),
            "train.py:30",
            "the labels of 12 of 12 rows learn later turns of the user (USER:), too",
            "warning",
        ),
    ),
)
