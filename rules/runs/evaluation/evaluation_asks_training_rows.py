"""The trained model is measured with rows of the training.

After the training the script gives the model some texts and counts what is right, or how probable
they are. All of these texts were trained on, and no other text is asked. The figure says how well
the model knows them, and nothing of new ones: six of six pairs are preferred, and the answers to
other questions are worse than before. There is no error.

Remedy: keep some rows back with `train_test_split`, and measure with these.

Versions: any. Only a rehearsal sees it: four different texts at least, all of them parts of rows of
the training, and words such as accuracy, rate or evaluate before the line that asks. A script that
speaks of training accuracy, memorising or overfitting is not reported.

Seen: CoursIA#12428. Reproduced with DPO of trl 1.16.0 and SFT of 0.24.0: the pairs of the training
are preferred, all of them.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

WHAT = "asked again"
MESSAGES = {
    WHAT: "{place} measures the trained model with {0} texts, and all of them were trained on: the "
    "figure says nothing about new ones"
}


def check(facts: Facts) -> Iterator[Finding]:
    remedy = "keep some rows back with train_test_split, and measure with these"
    yield from mistake_findings(facts, MESSAGES, remedy=remedy)


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    says = "train.py:14 measures the trained model with 6 texts, and all of them were trained on"
    return (mistake(WHAT, ("6",), "train.py:14", says), no_mistake())


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
