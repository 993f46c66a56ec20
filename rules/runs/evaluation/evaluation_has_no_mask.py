"""The evaluation has a loss on questions, the run has not.

The script sets the labels of the questions to -100 in the rows to train on, for example with a
function that it calls on `trainer.train_dataset`, and leaves the rows to evaluate on as they are.
The loss of the evaluation is then mostly that of the questions, which the model does not learn: it
tells little of the answers, and the best checkpoint is chosen by it. No error is raised.

Remedy: call the same function on `trainer.eval_dataset`, or make the labels of both before the
trainer is created.

Versions: any. Only a rehearsal sees it. The rows to train on are masked up to the same tokens,
those that open an answer, and all of the first rows to evaluate on have these tokens, too, and no
mask. Rows of another form, such as plain texts for a perplexity, are not reported.

Seen: unsloth#1041. Reproduced with SFT of trl 1.16.0: the labels of a batch to evaluate on have the
turns of the user.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

WHAT = "evaluation has no mask"
MESSAGES = {
    WHAT: "the rows to train on have labels behind {1!r} only, but the first {0} rows to evaluate "
    "on have labels from their beginning: the loss of the evaluation is that of the questions, too"
}


def check(facts: Facts) -> Iterator[Finding]:
    remedy = "mask the labels of eval_dataset, too"
    yield from mistake_findings(facts, MESSAGES, remedy=remedy)


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    says = "the first 8 rows to evaluate on have labels from their beginning"
    return (
        mistake(WHAT, ("8", "<|im_start|>assistant"), "train.py:30", says),
        no_mistake(),
    )


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
