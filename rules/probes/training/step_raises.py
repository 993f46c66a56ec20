"""The first training step raises an error.

One real step of the real trainer was run on a small random model of the same architecture, with the
run's own tokenizer, template, arguments, rows and rewards. It raised an error, and the job will
raise it after it has loaded the model on every GPU. `trl_doctor.check(trainer)` takes no step: it
gives the first rows to the collator of the trainer.

Remedy: correct what the last calls of the traceback point at. `--keep DIR` saves `repeat.py`, a
plain script that raises the same error in seconds.

Versions: any; the rule uses the installed release. A healthy model takes a step in the same trainer
too: if that fails with the same error, the rule environment-cannot-train reports it instead.

Seen: trl 0.15.2: "Asking to pad but the tokenizer does not have a padding token"; trl 0.12.2:
"'NoneType' object has no attribute 'modules'"; trl 0.19.1 with gpt2: "The size of tensor a (16)
must match the size of tensor b (38)"; tokens without rows: "index out of range in self".
"""

import re
from collections.abc import Iterator
from pathlib import Path

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.question import Answer, Raised
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.config import config
from trl_doctor.facts.measured.data import data
from trl_doctor.facts.measured.error_place import named_in
from trl_doctor.facts.measured.known_errors import known
from trl_doctor.facts.measured.live import live
from trl_doctor.facts.measured.rehearsal import rehearsed
from trl_doctor.facts.measured.rewards import rewards
from trl_doctor.facts.measured.start import start
from trl_doctor.facts.measured.step_failure import calls, own_failure, repeated
from trl_doctor.facts.rewards.sources import reward_signatures
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import trainer
from trl_doctor.probes.answers.step import StepAnswer

from ..._recorded.candidate import CONFIG, RUN, TOKENIZER, candidate
from ..._recorded.step import FILES, TRL, answered, answers, raised, well

KEPT = "correct what the last calls point at; the command `again` raises the same error in seconds"
LIVE = "correct what the error names, and rehearse again"


def check(facts: Facts) -> Iterator[Finding]:
    seen = facts.get(live)
    if seen is not None and seen.batch_error:
        yield _not_collated(facts, seen.batch_error)
        return
    answer = own_failure(facts)
    if answer is not None and answer.state == "raised" and answer.raised is not None:
        error = f"{answer.raised.type}: {answer.raised.message}"
        translation = known(error, answer.raised.seen)
        yield Finding(
            named_in(facts, error),
            f"{trainer(facts)} fails {_when(answer.raised)}: {answer.raised.line}",
            evidence=(
                *((f"cause: {translation.cause}",) if translation else ()),
                *calls(answer),
                *answer.raised.seen,
                *_changed(answer),
                *repeated(answer),
            ),
            remedy=translation.remedy if translation else _remedy(facts, answer),
            error=error,
            follows=tuple(_errors_before(facts, error)),
        )


def _not_collated(facts: Facts, error: str) -> Finding:
    """The collator of a live trainer refuses its first rows."""
    translation = known(error, ())
    return Finding(
        facts.run.place(),
        f"{trainer(facts)} cannot make its first batch: {error}",
        evidence=(f"cause: {translation.cause}",) if translation else (),
        remedy=translation.remedy if translation else "correct data_collator, or the rows",
        error=error,
    )


def _remedy(facts: Facts, answer: Answer[StepAnswer]) -> str:
    return KEPT if answer.repeat else LIVE if rehearsed(facts) else ""


def _when(raised: Raised) -> str:
    """Before or after the trainer's constructor has returned."""
    functions = [function for _, _, function, _ in raised.frames]
    created = any(
        function == "__init__" and "trainer" in Path(file).name
        for file, _, function, _ in raised.frames
    )
    return "while it is created" if created and "train" not in functions else "in its first step"


def _errors_before(facts: Facts, error: str) -> Iterator[str]:
    """The rules that report the same error of what comes before the step."""
    answered, command = facts.get(config), facts.get(start)
    refused = answered.value.raised if answered and answered.value else None
    if refused is not None and refused.message in error:
        yield "argument-refused-by-trl"
    rows = facts.get(data)
    if rows and rows.value and (rows.value.fault or rows.value.not_loaded):
        yield from ("data-row-refused", "data-not-loaded")
    if command and command.raised and command.raised.message in error:
        yield "run-does-not-start"
    yield from _of_rewards(facts, error)


def _of_rewards(facts: Facts, error: str) -> Iterator[str]:
    """The rules that report the same error of a reward function, or its arguments."""
    trials = facts.get(rewards)
    for trial in trials.functions if trials else ():
        raised = trial.trial.error
        if trial.state == "raised" and raised and raised.message and raised.message in error:
            yield from ("reward-raises", "reward-count-wrong")
    for called in facts.get(reward_signatures) or ():
        if re.search(rf"\b{re.escape(called.name.rpartition('.')[2])}\(\) (got|missing)", error):
            yield "reward-raises"


def _changed(answer: Answer[StepAnswer]) -> tuple[str, ...]:
    """A note that the model was small, if the message contains sizes."""
    message = answer.raised.message if answer.raised else ""
    return ("sizes are those of a small model",) if "size" in message or "shape" in message else ()


PAD = raised(
    "ValueError",
    "Asking to pad but the tokenizer does not have a padding token.",
    ("site-packages/trl/trainer/grpo_trainer.py", 524, "_prepare_inputs", "prompt_inputs = …"),
    ("site-packages/transformers/tokenization_utils_base.py", 2757, "_get", "raise ValueError("),
)
LORA: dict[str, Json] = {**RUN, "use_peft": True, "lora_target_modules": ["W_pack", "c_attn"]}
TARGETS = raised(
    "ValueError",
    "Target modules {'W_pack', 'c_attn'} not found in the base model. Please check the target",
    ("site-packages/trl/trainer/grpo_trainer.py", 400, "__init__", "model = get_peft_model("),
    ("site-packages/peft/tuners/tuners_utils.py", 900, "inject_adapter", "raise ValueError("),
)
NO_KERNEL = raised(
    "AttributeError",
    "'NoneType' object has no attribute 'apply'",
    ("site-packages/trl/trainer/utils.py", 1638, "_fused_forward", "x = _Chunked.apply("),
)
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            FILES,
            versions={"trl": "0.15.2", "transformers": "4.48.3"},
            answers=answers(PAD, well()),
            says="GRPOTrainer of trl 0.15.2 fails in its first step: ValueError: Asking to pad",
        ),
        Bad(FILES, versions=TRL, answers=answers(PAD), says="fails in its first step"),
        Bad(
            FILES,
            versions=TRL,
            answers=answers(PAD, NO_KERNEL),
            says="Asking to pad",
        ),
        Good(
            FILES,
            versions=TRL,
            answers=answers(NO_KERNEL, NO_KERNEL),
            skipped="a healthy model fails with the same error",
        ),
        Bad(
            candidate(LORA, TOKENIZER, CONFIG),
            versions=TRL,
            answers=answers(TARGETS),
            says="fails while it is created: ValueError: Target modules",
        ),
        Good(
            FILES,
            versions=TRL,
            answers=answers(
                raised("RuntimeError", "mixed dtype (CPU): expect parameter to have …")
            ),
            skipped="only a CPU refuses this",
        ),
        Good(FILES, versions=TRL, answers=answered()),
    ),
)
