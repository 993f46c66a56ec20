"""The token that ends a turn is in no label.

The trainer's own batches were examined: the loss is on the words of the answer, but never on the
token that ends the turn. The model learns to answer but not to stop, and generates to the length
limit.

Remedy: give the tokenizer a pad token that is not the token that ends turns. With
assistant_only_loss put the end of the turn inside the template's generation block.

Versions: padding is masked by its id in SFT before trl 0.16.1, so there the pad token must not be
the eos; later releases mask by position.

Seen: "Gotchas in tokenizer behavior" (Hugging Face), trl#6357. Reproduced: the pad token is
<|im_end|>: with trl 0.15.2 the end is in the labels of 0 of 2 rows; with 1.16.0 and the same files
in 2 of 2.
"""

from collections.abc import Iterator
from typing import Any

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.data import last_targets, training_rows
from trl_doctor.facts.measured.step import step
from trl_doctor.facts.measured.step_failure import repeated
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import trainer

from ..._recorded.step import SFT, TRL, answered, trained

PAD = "set another pad token: tokenizer.pad_token = …, a token that no text has"


def check(facts: Facts) -> Iterator[Finding]:
    rows_of_run = facts[training_rows]
    labels = rows_of_run.labels
    if labels.targets is None:
        raise NotConcerned("this trainer has no labels")
    turn_end = labels.turn_end_id
    if not rows_of_run.conversational or turn_end is None:
        raise NotConcerned("the rows are not conversations")
    whole = len(labels.targets) - labels.empty - labels.full
    if whole <= 0:
        raise Unavailable("no row of the sample is whole")
    if labels.turn_end:
        return
    by_script = rows_of_run.script_pads == "always"
    evidence = [*last_targets(labels)]
    if rows_of_run.pad == turn_end:
        cause = (
            f"`trl {facts.run.arguments.get('trainer', 'sft')}` of this release makes it the pad"
        )
        evidence.append(f"id {turn_end} is also the pad token" + (f": {cause}" * by_script))
    yield Finding(
        facts.run.place(),
        f"{trainer(facts)} never trains the end of the turn (id {turn_end}): "
        f"it is in the labels of 0 of {len(labels.targets)} rows",
        evidence=(*evidence, *_repeated(facts)),
        remedy=PAD if rows_of_run.pad == turn_end and not by_script else "",
        severity="warning" if by_script and rows_of_run.pad == turn_end else None,
        follows=(
            "assistant-only-loss-without-generation-block",
            "generation-block-lacks-turn-end",
            "chat-template-ends-without-eos",
            "tokenizer-pad-is-eos",
            "step-rows-lost",
            "model-files-missing",
        ),
    )


MASKED: dict[str, Any] = {"turn_end": 0, "eos": 0, "last": ((12, 13, 3), (9, 13, 3)),
          "last_texts": (("four", ".", "\n"), ("five", ".", "\n"))}  # fmt: skip


def _repeated(facts: Facts) -> tuple[str, ...]:
    answer = facts.get(step)
    return repeated(answer) if answer else ()


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            SFT,
            versions={"trl": "0.15.2", "transformers": "4.48.3"},
            answers=trained({"pad": 6}, **MASKED),
            says="never trains the end of the turn (id 6): it is in the labels of 0 of 2 rows",
        ),
        Bad(
            SFT,
            versions={"trl": "0.14.0", "transformers": "4.48.3"},
            answers=trained({"pad": 6, "script_pads": "always"}, **MASKED),
            says="never trains the end of the turn",
            severity="warning",
        ),
        Good(SFT, versions=TRL, answers=trained()),
        Good(SFT, versions=TRL, answers=trained(turn_end=0, full=2), skipped="is whole"),
        Good(SFT, versions=TRL, answers=trained({"conversational": False}, **MASKED)),
        Good(SFT, versions=TRL, answers=answered()),
    ),
)
