"""Answers of the probe that passes the logits keyword to the model."""

from dataclasses import replace

from trl_doctor.facts.rule import Answers
from trl_doctor.probes.answers.forward import Backbone, ForwardAnswer, TrainerForward

from .libraries import IMPORTS
from .runs import recorded

WELL = recorded("grpo", "forward", ForwardAnswer)


def answer(
    architecture: str,
    passed: str | None,
    *,
    returned: int | None = None,
    wrong_by: float | None = None,
    error: str | None = None,
    at: str = "",
    vocabulary: int = 320,
    hidden: bool | str = True,
    prefix: str = "model",
    called: str = "GRPOTrainer._get_per_token_logps",
) -> Answers:
    """Answers of probes, of which `forward` put 12 positions in and asked for 6."""
    trainer = TrainerForward(
        called,
        wanted=5,
        passed=passed,
        kept=6 if passed else None,
        returned=returned,
        got=None if error else 5,
        wrong_by=wrong_by,
        error=error,
        at=at,
    )
    measured = replace(
        WELL,
        architecture=architecture,
        vocabulary=vocabulary,
        backbone=Backbone(prefix, resolves=True, hidden=hidden, head=True),
        trainer=trainer,
    )
    return {**IMPORTS, "forward": measured}
