"""The trainer never calls a function that it is given.

SFT does not format rows that are tokenized already: it trains on their `input_ids`, and
`formatting_func` has no effect. An evaluation without `compute_metrics` keeps no logits, so that
`preprocess_logits_for_metrics` is not called; one with `prediction_loss_only=True` keeps none
either, so that no metric of `compute_metrics` is logged.

Remedy: give the rows as they are, without `input_ids`, or format them before they are tokenized;
pass `compute_metrics`, or remove `prediction_loss_only`.

Versions: every trl and transformers. SFT since trl 0.12 warns about `formatting_func`, among many
other lines. Only a rehearsal sees it; tokens of the text that the function makes are not reported,
nor functions of a script that asks for predictions, or calls or sets them itself.

Seen: huggingface/blog#2005. Reproduced with SFT of trl 1.16.0, 0.24.0 and 0.12.2: the rows to train
on are those of the script's own map, and an evaluation logs `eval_loss` alone.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

FORMATTING = "formatting never called"
MESSAGES = {
    FORMATTING: (
        "formatting_func ({0}) is never called: the rows are tokenized already, with other texts "
        "than it makes"
    ),
    "logits never prepared": (
        "preprocess_logits_for_metrics ({0}) is never called: no compute_metrics is given"
    ),
    "metrics never called": ("compute_metrics ({0}) is never called: prediction_loss_only is true"),
}
REMEDIES = {
    FORMATTING: "give the trainer the rows without input_ids, or tokenize what it makes",
    "logits never prepared": "pass compute_metrics, or remove preprocess_logits_for_metrics",
    "metrics never called": "remove prediction_loss_only",
}


def check(facts: Facts) -> Iterator[Finding]:
    for what, message in MESSAGES.items():
        yield from mistake_findings(facts, {what: message}, remedy=REMEDIES[what])


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    def bad(what: str, words: tuple[str, ...], says: str) -> Examples:
        return (mistake(what, words, "train.py:30", says),)

    return (
        *bad(FORMATTING, ("quoted",), "formatting_func (quoted) is never called"),
        *bad("logits never prepared", ("best",), "preprocess_logits_for_metrics (best) is never"),
        *bad("metrics never called", ("score",), "prediction_loss_only is true"),
        no_mistake(),
    )


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
