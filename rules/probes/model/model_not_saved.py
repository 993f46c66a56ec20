"""The trainer cannot save the model that it trained.

After the first real step on a small model of the same architecture, the trainer saved the model as
TRL's scripts do at each checkpoint and at the end. That raised an error: the job would train for
hours and leave nothing.

Remedy: correct what the error names.

Versions: any; the rule uses the installed release.

Seen: reproduced with `trl sft` of trl 0.24.0 on a model whose generation_config.json has
`early_stopping: true` and one beam: it trains, and fails with "ValueError: GenerationConfig is
invalid" when it saves.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.step_failure import calls_of, own_later_failure
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import trainer
from trl_doctor.probes.answers.error import Error

from ..._recorded.step import FILES, TRL, answered, answers, well


def check(facts: Facts) -> Iterator[Finding]:
    raised = own_later_failure(facts, lambda step: step.not_saved, "saving", "saved")
    if raised is None:
        return
    error = f"{raised.type}: {raised.message}"
    yield Finding(
        facts.run.place(),
        f"{trainer(facts)} trains and then cannot save the model: {raised.line}",
        evidence=calls_of(raised.frames),
        follows=("generation-config-not-saved",),
        error=error,
    )


INVALID = Error("ValueError", "The generation config instance is invalid -- `.validate()` threw")
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            FILES,
            versions=TRL,
            answers=answers(well(not_saved=INVALID), well()),
            says="cannot save the model: ValueError: The generation config instance is invalid",
        ),
        Good(
            FILES,
            versions=TRL,
            answers=answers(well(not_saved=INVALID), well(not_saved=INVALID)),
            skipped="a healthy model cannot be saved either",
        ),
        Good(FILES, versions=TRL, answers=answered()),
    ),
)
