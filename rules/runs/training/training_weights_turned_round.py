"""The weights of the two labels are the wrong way round.

KTO multiplies the losses of wanted answers by `desirable_weight` and those of the others by
`undesirable_weight`, to balance rows of which one label has more. Here the label with more rows has
the larger weight, in the ratio of the numbers of rows: what was to be balanced is squared. With
eight wanted answers for each other one, the wanted ones count 64 times as much, and the others are
hardly learned from.

Remedy: exchange the weights. `desirable_weight` times the wanted rows should be about
`undesirable_weight` times the others.

Versions: every trl with KTO. Only a rehearsal that has not cut the data sees it. Weights that
stress one label by any other ratio, and rows of which both labels have about as many, are left
alone.

Seen: reproduced with KTO of trl 1.16.0 and 0.24.0: 16 wanted rows and 2 others, and
`desirable_weight=8`: TRL warns of the weights, and trains.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

TURNED = (
    "desirable_weight is {0} and undesirable_weight {1}, and {2} rows have the label true and {3} "
    "false: the label with more rows gets the larger weight, too"
)


def check(facts: Facts) -> Iterator[Finding]:
    yield from mistake_findings(
        facts, {"weights turned round": TURNED}, remedy="exchange the two weights"
    )


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    says = "desirable_weight is 8 and undesirable_weight 1, and 16 rows have the label true and 2"
    turned = mistake("weights turned round", ("8", "1", "16", "2"), "train.py:12", says)
    return (turned, no_mistake())


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
