"""A model is used while its dropout is active.

The script's own code asks a model for answers, losses or scores while the model is in training
mode. Its dropout then leaves out other numbers each time: the same text gets other answers, and
worse ones. A model is in training mode after `trainer.train()`, and so is one that
`PeftModel.from_pretrained(…, is_trainable=True)` has loaded. There is no error.

Remedy: call `model.eval()` before. Load an adapter that is only used without `is_trainable`.

Versions: every trl; only a rehearsal sees it: the script's own code calls `generate` outside of a
trainer, or the model under `torch.no_grad()`. The model is asked the same again: reported are those
that give other scores, and do not in evaluation mode. A script is left alone that trains in a loop
of its own, gives each text three times to the model, or speaks of Monte Carlo, of uncertainty, or
of dropout that it turns on, or calls `model.train()` itself after the training. So is a run that
may end in an evaluation: from transformers 5.4 on each that evaluates.

Seen: peft#2438. Reproduced with SFT of trl 1.16.0 and peft 0.21.2: with `lora_dropout=0.3` all rows
have another loss the second time.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import slip_findings
from trl_doctor.facts.rule import Examples, Rule

WHAT = "used in training mode"
MESSAGE = (
    "{place} {0} in training mode: its dropout ({1}) is active, and the same text gets another "
    "answer each time"
)
REMEDY = "call model.eval() before"


def check(facts: Facts) -> Iterator[Finding]:
    yield from slip_findings(facts, {WHAT: MESSAGE}, remedy=REMEDY)


def examples() -> Examples:
    from ..._recorded.rehearsal import slipped, without_slips

    says = "train.py:30 generates in training mode: its dropout (lora_dropout 0.1) is active"
    words = ("generates", "lora_dropout 0.1")
    return slipped(WHAT, words, "train.py:30", says), without_slips()


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
