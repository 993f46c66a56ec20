"""The evaluation has no loss.

The loss is a mean over the tokens to learn. Rows for the evaluation in which no token is left to
learn have none: their questions fill `max_length`, so that the answer is cut off, or a collator
finds no beginning of an answer in them. Then the loss is nan; SFT of newer releases drops such
rows, and if no row is left it logs no loss at all. Nor does it if the trainer does not know that
the model takes labels: it reads the arguments of `forward`, and the model of an adapter whose
config has no `task_type` names none. The training goes on, no checkpoint is the best one, and early
stopping does not work.

Remedy: raise `max_length` (`max_seq_length` before trl 0.16), shorten the questions, or leave these
rows out. Give the `LoraConfig` a `task_type`, or the trainer `label_names=["labels"]`.

Versions: any. Only a rehearsal sees it: it evaluates rows of the run's own.

Seen: trl#1053; reproduced: nan in SFT of trl 0.12.2 with DataCollatorForCompletionOnlyLM, and of
0.24.0 with prompt and completion; no loss in 1.16.0. trl#3694, transformers#33420: no loss with an
adapter without `task_type` in 0.19.1 with transformers 4.51.3.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

MESSAGES = {
    "evaluation is nan": "{0} of the evaluation at {place} is nan{1}",
    "evaluation of no rows": "the evaluation at {place} has no rows: {0} dropped all of them, "
    "because they have no token to learn",
}


UNNAMED = {
    "evaluation has no loss": "the evaluation at {place} has no loss: {0} does not name the labels "
    "among its arguments, and the trainer leaves them out",
}
REMEDY = 'give the LoraConfig a task_type ("CAUSAL_LM"), or the trainer label_names=["labels"]'


def check(facts: Facts) -> Iterator[Finding]:
    yield from mistake_findings(facts, MESSAGES)
    yield from mistake_findings(facts, UNNAMED, remedy=REMEDY)


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    words = ("eval_loss", ": 2 of the first 2 rows have no token to learn")
    nan = "eval_loss of the evaluation at train.py:40 is nan: 2 of the first 2 rows have no token"
    none = "the evaluation at train.py:40 has no rows: SFTTrainer dropped all of them"
    return (
        mistake("evaluation is nan", words, "train.py:40", nan),
        mistake(
            "evaluation has no loss", ("PeftModel",), "train.py:40", "does not name the labels"
        ),
        mistake("evaluation of no rows", ("SFTTrainer",), "train.py:40", none),
        no_mistake(),
    )


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
