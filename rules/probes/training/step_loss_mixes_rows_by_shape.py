"""The loss compares each row with the values of all others.

A line of the script combines a tensor of shape (n, 1) with one of shape (n,), where n is the number
of rows of a batch. torch makes a matrix (n, n) of them: the score of each row meets the margin, the
label or the weight of every row, and the mean is over all of these pairs. No error is raised, the
loss falls, and the model learns the mean of the labels.

Remedy: give both tensors one shape: `.squeeze(-1)` for the one of shape (n, 1), for example
`outputs.logits.squeeze(-1)`, or `.unsqueeze(-1)` for the other one.

Versions: any. A rehearsal looks at the loss of three rows and of four, in code of the script alone,
and in trainers that learn from the rows themselves. A matrix that is wanted is left alone: if the
script makes the shape (n, 1) of (n,) (`x.unsqueeze(1) - y`, `x[:, None] - y`) or uses the result as
a matrix (its diagonal, a mask of pairs, a softmax). Losses of torch that compare number by number
(`mse_loss`) never want a matrix.

Seen: ms-swift#9927. Reproduced with a class derived from RewardTrainer of trl 1.16.0 and 0.24.0,
which subtracts `margin` of shape [B] from scores of shape [B, 1], and with `mse_loss` of logits
[B, 1] and labels [B] in a Trainer of transformers 5.23.0: after training all predictions are alike.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

WHAT = "rows mixed by shape"
MIXED = {
    WHAT: (
        "{place}: {0} gets tensors of the shapes {1} and {2}, of {3} rows, and combines each row "
        "with all {3}: the loss compares a row with the values of other rows"
    )
}
REMEDY = (
    "give both tensors one shape: .squeeze(-1) for the one of shape (n, 1), "
    "or .unsqueeze(-1) for the other"
)


def check(facts: Facts) -> Iterator[Finding]:
    yield from mistake_findings(facts, MIXED, remedy=REMEDY)


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    return (
        mistake(
            WHAT,
            ("sub", "(3, 1)", "(3,)", "3"),
            "train.py:14",
            "train.py:14: sub gets tensors of the shapes (3, 1) and (3,), of 3 rows",
        ),
        no_mistake(),
    )


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
