"""Texts end without the eos token.

SFT on plain texts learns to stop only from an eos token at the end of each text. In older releases
the trainer adds none. If the script adds none either, the model learns the answers but not their
end, and generates to the length limit. The loss looks normal.

Remedy: end each text with `tokenizer.eos_token`, in `formatting_func` or in `dataset.map`; or
install a release that adds it. A run that continues pretraining on long documents can ignore this.
If the texts have their end and the labels leave it out (-100), give the end its own id as label. If
the pad token is the eos, `DataCollatorForLanguageModeling` leaves it out: set another pad token,
`tokenizer.pad_token = …`. It is an error where all texts have an end that no label has.

Versions: SFT of trl 0.12 to 0.16; newer releases add the eos to texts. Of rows that the script
tokenizes itself every release. A rehearsal looks at the `Trainer` of transformers, too. Packed rows
are not judged, nor rows with one token to learn each (a class), and no script that names
`stop_strings` or other stopping criteria.

Seen: FastChat#3063. Reproduced with trl 0.12.2: texts of a question and an answer, the last token
of each row is a full stop; with trl 1.16.0: a map masks the end of each answer. With the `Trainer`
of transformers 5.23.0, texts that end with the eos, and `pad_token = eos_token`: of no end is there
a label.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.data import TrainingRows, last_targets, training_rows
from trl_doctor.facts.measured.rehearsal import mistake_findings, watched
from trl_doctor.facts.rule import Bad, Examples, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trainer

from ..._recorded.step import SFT, TRL, trained

MASKED = "let the label of the token that ends an answer be its id, and not -100"
LEFT_OUT = "the collator leaves out the pad token, and the pad is the eos"
PAD = "set another pad token: tokenizer.pad_token = …, a token that no text has"


WHAT = "end hidden"
SEEN = (
    "{0} ends the rows and has no loss in any of the first {1} (" + LEFT_OUT + "): the model does "
    "not learn to stop"
)


def check(facts: Facts) -> Iterator[Finding]:
    seen = list(mistake_findings(facts, {WHAT: SEEN}, remedy=PAD)) if watched(facts) else []
    yield from seen
    if seen:
        return
    if known_trainer(facts) != "sft":
        raise NotConcerned("only SFT leaves the end of texts to the script")
    rows = facts[training_rows]
    labels = rows.labels
    if labels.targets is None or labels.packed or rows.conversational:
        raise NotConcerned("the rows are conversations, are packed, or have no labels of their own")
    if rows.generated:
        raise Unavailable("the run's rows are not on this machine")
    whole = len(labels.targets) - labels.empty - labels.full
    if labels.eos_id is None or whole <= 0:
        raise Unavailable("the tokenizer has no eos token, or no row of the sample is whole")
    if labels.eos or labels.turn_end or labels.stops or labels.inside == len(labels.targets):
        return
    if max(labels.targets) <= 1:
        return  # a class, learned as the one token of a row
    pads, hidden = rows.pad == labels.eos_id, labels.ends_hidden == len(labels.targets)
    yield Finding(
        facts.run.place(),
        f"{_problem(rows)}: the model of {trainer(facts)} does not learn to stop",
        last_targets(labels),
        remedy=PAD if pads else MASKED if labels.ends_masked or hidden else "",
        severity="error" if hidden and rows.script_pads != "always" else None,
        follows=("tokenizer-pad-is-eos",),
    )


def _problem(rows: TrainingRows) -> str:
    """What is wrong with the ends of the rows, in words."""
    labels = rows.labels
    count = len(labels.targets or ())
    eos = f"{labels.eos_text or 'the eos token'} (id {labels.eos_id})"
    if labels.ends_hidden == count and rows.pad == labels.eos_id:
        return f"{eos} ends the rows and has no loss in any of them ({LEFT_OUT})"
    if labels.ends_hidden == count:
        return f"{eos} ends the rows and has no loss in any of the first {count}"
    if labels.ends_masked:
        said = f"the labels leave out the end of the text in {labels.ends_masked} of the first"
        return f"{said} {count} rows, which have one"
    return f"none of the first {count} texts ends with the eos token (id {labels.eos_id})"


def texts(changed: Mapping[str, Any] | None = None, **labels: Any) -> Any:
    return trained(
        {"conversational": False, **(changed or {})},
        **{"turn_end": 0, "eos": 0, "eos_id": 6, **labels},
    )


def _hidden() -> Examples:
    """Rows whose ends have no loss, each with another cause."""
    return (
        Bad(
            SFT,
            versions=TRL,
            answers=texts({"pad": 6}, ends_hidden=2, eos_text="<|im_end|>"),
            says="<|im_end|> (id 6) ends the rows and has no loss in any of them (the collator",
            severity="error",
        ),
        Bad(
            SFT,
            versions=TRL,
            answers=texts({"pad": 6, "script_pads": "always"}, ends_hidden=2),
            says="(id 6) ends the rows and has no loss in any of them (the collator",
        ),
        Bad(
            SFT,
            versions=TRL,
            answers=texts(ends_hidden=2),
            says="(id 6) ends the rows and has no loss in any of the first 2",
            severity="error",
        ),
    )


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake

    says = "<|im_end|> ends the rows and has no loss in any of the first 4 (the collator leaves out"
    return (
        Bad(
            SFT,
            versions={"trl": "0.15.2", "transformers": "4.48.3"},
            answers=texts(),
            says="none of the first 2 texts ends with the eos token (id 6)",
        ),
        Bad(
            SFT,
            versions=TRL,
            answers=texts(ends_masked=2),
            says="the labels leave out the end of the text in 2 of the first 2 rows",
        ),
        *_hidden(),
        Good(SFT, versions=TRL, answers=texts(eos=2)),
        Good(SFT, versions=TRL, answers=texts(turn_end=1)),
        Good(SFT, versions=TRL, answers=texts(packed=True)),
        Good(SFT, versions=TRL, answers=texts(stops=True)),
        Good(SFT, versions=TRL, answers=texts(inside=2)),
        Good(SFT, versions=TRL, answers=texts(ends_hidden=2, targets=(1, 1))),
        Good(SFT, versions=TRL, answers=trained()),
        Good(SFT, versions=TRL, answers=texts(full=2), skipped="no row of the sample is whole"),
        mistake(WHAT, ("<|im_end|>", "4"), "train.py:8", says),
    )


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
