"""The trainer counts finished completions as truncated.

The small model was made to end its turn early. It did, but the trainer let it generate until the
length limit, or counts the completion as cut off. In the job every completion reaches the limit,
the text after the end is rewarded and trained on, and with mask_truncated_completions nothing is
trained at all.

Remedy: make the token that ends turns the tokenizer's eos token, and list it in
generation_config.json; for PPO set `stop_token: eos`.

Versions: GRPO and RLOO read only the tokenizer's eos from trl 0.16.0 to 1.14.1, and also
generation_config.json's list from 1.14.2 on; before, generation follows generation_config.json.
PPO, and RLOO before 0.22.0, stop nowhere unless the run names a stop token.

Seen: trl#7039, trl#2387. Reproduced: the tokenizer's eos is not the turn's end, trl 0.24.0, 1.12.0
and 1.16.0: clipped_ratio 1; PPO without a stop token, trl 0.12.2 and 1.12.0.
"""

from collections.abc import Iterator
from dataclasses import replace

from trl_doctor.core.finding import Finding, Severity
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.step import step, stepped
from trl_doctor.facts.measured.step_failure import repeated
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import trainer
from trl_doctor.facts.special_tokens.turn_ends import CAUSES
from trl_doctor.probes.answers.rows import Completions
from trl_doctor.probes.answers.step import StepAnswer

from ..._recorded.step import COMPLETIONS, FILES, TRL, answered


def check(facts: Facts) -> Iterator[Finding]:
    answer = facts[stepped]
    completions = answer.completions
    if completions is None:
        raise NotConcerned("this trainer generates nothing")
    if completions.turn_end is None or not completions.ended:
        raise Unavailable("no completion of the small model ended")
    if completions.stop_token_id is not None:
        return
    clipped = answer.log.get("completions/clipped_ratio")
    on = completions.after
    counts_wrong = (
        clipped is not None and clipped - (1 - completions.ended / completions.count) > 0.5
    )
    if not counts_wrong and on * 2 < completions.count:
        return
    yield Finding(
        facts.run.place(),
        _message(facts, completions, on),
        evidence=_evidence(completions, clipped, (*repeated(facts[step]),)),
        severity=_severity(answer, completions, counts_wrong),
        follows=(*CAUSES, "generation-runs-to-the-limit", "vllm-stop-ids-count-as-truncated"),
    )


def _severity(answer: StepAnswer, completions: Completions, counts_wrong: bool) -> Severity | None:
    """A note if no template is used: a model may end plain text with another token."""
    ends_known = completions.turn_end in completions.trainer_eos
    if not answer.conversational and not ends_known and not completions.takes_stop_token:
        return "note"
    return (
        "warning" if ends_known and not completions.takes_stop_token and not counts_wrong else None
    )


def _message(facts: Facts, completions: Completions, on: int) -> str:
    count, end = completions.count, completions.turn_end
    if on * 2 >= count:
        limit = completions.limit  # of some trainers it is not known
        to_limit = f" to the limit of {limit} tokens" if limit else " to the limit of their length"
        return (
            f"{trainer(facts)} does not stop at the end of the turn (id {end}): {on} of {count} "
            f"completions go on after it{to_limit}"
        )
    return (
        f"{trainer(facts)} counts completions that end their turn (id {end}) as truncated: "
        f"{completions.ended} of {count} ended"
    )


def _evidence(
    completions: Completions, clipped: float | None, again: tuple[str, ...]
) -> tuple[str, ...]:
    lengths = ", ".join(map(str, completions.lengths[:8]))
    knows = ", ".join(map(str, completions.trainer_eos)) or "none"
    return (
        f"tokens up to the end: {lengths}; generated: {completions.width}",
        *((f"completions/clipped_ratio: {clipped:g}",) if clipped is not None else ()),
        f"ids at which the trainer counts a completion as ended: {knows}",
        *again,
    )


ENDED = replace(COMPLETIONS, ended=COMPLETIONS.count)
ENDLESS = replace(ENDED, width=24, after=4, trainer_eos=(4,))
LATE = replace(ENDLESS, trainer_eos=(6,))
PPO = {**FILES, "run.json": {"trainer": "ppo", "model_name_or_path": "model"}}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            FILES,
            versions=TRL,
            answers=answered(completions=ENDLESS, log={"completions/clipped_ratio": 1.0}),
            says="does not stop at the end of the turn (id 6): 4 of 4 completions go on after it",
        ),
        Bad(
            FILES,
            versions=TRL,
            answers=answered(
                completions=replace(ENDED, trainer_eos=(4,)),
                log={"completions/clipped_ratio": 1.0},
            ),
            says="as truncated: 4 of 4 ended",
        ),
        Bad(
            FILES,
            versions={"trl": "0.15.2"},
            answers=answered(completions=LATE, log={}),
            says="does not stop",
            severity="warning",
        ),
        Bad(
            FILES,
            versions=TRL,
            answers=answered(
                conversational=False,
                completions=ENDLESS,
                log={"completions/clipped_ratio": 1.0},
            ),
            says="does not stop at the end of the turn",
            severity="note",
        ),
        Bad(
            PPO,
            versions={"trl": "1.12.0"},
            answers=answered(completions=replace(LATE, takes_stop_token=True), log={}),
            says="PPOTrainer of trl 1.12.0 does not stop",
        ),
        Good(
            PPO,
            versions={"trl": "0.12.2"},
            answers=answered(completions=replace(LATE, stop_token_id=6), log={}),
        ),
        Good(FILES, versions=TRL, answers=answered()),
        Good(
            FILES,
            versions=TRL,
            answers=answered(completions=replace(COMPLETIONS, turn_end=None)),
            skipped="no completion of the small model ended",
        ),
        Good(FILES, versions=TRL, answers=answered(completions=None)),
    ),
)
