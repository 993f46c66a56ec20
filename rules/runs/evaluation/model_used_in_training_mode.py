"""A model is used while its dropout is active.

The script's own code asks a model for answers, losses or scores while the model is in training
mode. Its dropout then leaves out other numbers each time: the same text gets other answers, and
worse ones. Or the model generates while gradient checkpointing is at work, which newer TRL turns on
by itself: layers in training mode then keep no cache. A hybrid model (Qwen3-Next, Qwen3.5) is given
the last token alone all the same, and what it writes does not follow from the text before. A model
is in training mode after `trainer.train()`, and so is one that
`PeftModel.from_pretrained(…, is_trainable=True)` has loaded. There is no error.

Remedy: call `model.eval()` before. Load an adapter that is only used without `is_trainable`.

Versions: every trl; only a rehearsal sees it: the script's own code calls `generate`, or the model
under `torch.no_grad()`, outside of a trainer. The model is asked the same again: reported are those
that give other scores, and do not in evaluation mode. With gradient checkpointing, calls of
`generate` in a callback are seen, too. A script is left alone that trains in a loop of its own,
gives each text three times to the model, or speaks of Monte Carlo, of uncertainty, or of dropout
that it turns on, or calls `model.train()` itself after the training. So is a run that may end in an
evaluation: from transformers 5.4 on each that evaluates.

Seen: peft#2438. Reproduced with SFT of trl 1.16.0 and peft 0.21.2: with `lora_dropout=0.3` all rows
have another loss the second time. CoursIA#12720: after `trainer.train()` a small Qwen3.5 gives
other answers than what was saved of it with transformers 5.23.0, and the same ones after
`model.eval()`; with 5.24.0 it gives the same ones anyway.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

WHAT = "used in training mode"
MESSAGE = (
    "{place} {0} in training mode: its dropout ({1}) is active, and the same text gets another "
    "answer each time"
)
FORGETS = {
    "forgets in training mode": "{place} generates in training mode with gradient checkpointing: "
    "the layers keep no cache, and what the model writes does not follow from the text before"
}
REMEDY = "call model.eval() before"


def check(facts: Facts) -> Iterator[Finding]:
    yield from mistake_findings(facts, {WHAT: MESSAGE, **FORGETS}, remedy=REMEDY)


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    says = "train.py:30 generates in training mode: its dropout (lora_dropout 0.1) is active"
    words = ("generates", "lora_dropout 0.1")
    forgets = "train.py:30 generates in training mode with gradient checkpointing"
    return (
        mistake(WHAT, words, "train.py:30", says),
        mistake("forgets in training mode", (), "train.py:30", forgets),
        no_mistake(),
    )


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
