"""The reference model lacks tokens that the policy has.

The script adds tokens and resizes the policy, but not the reference model. The reference has no
embedding for the new ids: the first batch with such a token ends the run with "index out of range",
on a GPU with a device-side assert. If few rows have one, that is after hours.

Remedy: call `ref_model.resize_token_embeddings(len(tokenizer))`, too, or pass no `ref_model`: the
trainer then copies the policy.

Versions: every trl whose trainer takes a `ref_model`. Only a rehearsal sees it.

Seen: reproduced with DPO of trl 0.12.2: IndexError in the reference's embedding at the first batch
with a new token; with both models resized the run ends.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

MESSAGE = (
    "the reference model has {0} embedding rows, the tokenizer {1} tokens: it fails at the first "
    "new token"
)
REMEDY = "resize the reference model, too, or leave ref_model out"


def check(facts: Facts) -> Iterator[Finding]:
    yield from mistake_findings(facts, {"reference lacks rows": MESSAGE}, remedy=REMEDY)


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    says = "the reference model has 1024 embedding rows, the tokenizer 1032 tokens"
    return mistake("reference lacks rows", ("1024", "1032"), "train.py:30", says), no_mistake()


RULE = Rule(doc=__doc__, severity="error", check=check, examples=examples)
