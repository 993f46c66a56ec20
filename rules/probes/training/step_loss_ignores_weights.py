"""The loss does not depend on the trained weights.

After the real step on a small model, every trained weight was changed, and the trainer's own loss
of two rows stayed the same, in float32. The trainer compares the model with itself, or computes the
loss with another model: nothing can be learned, and the log looks normal.

Remedy: find out which model the loss is computed with. For DPO: give a `ref_model` of its own, or
leave out `precompute_ref_log_probs` in old releases; install another release of trl.

Versions: any; the rule uses the installed release. SFT, DPO and reward trainers are judged, without
a `compute_loss` of their own.

Seen: DPO of trl 0.12.2 with `precompute_ref_log_probs` and no `ref_model` (trl#2431): the loss is
0.6931 for every pair and all weights. Without it, or with a `ref_model`, it changes.
"""

from collections.abc import Iterator
from dataclasses import replace
from math import isfinite

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.row_losses import two_rows
from trl_doctor.facts.measured.step import step, stepped
from trl_doctor.facts.measured.step_failure import repeated
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import trainer
from trl_doctor.probes.answers.step import RowLosses

from ..._recorded.step import LEARNED, SFT, TRL, answers


def check(facts: Facts) -> Iterator[Finding]:
    losses = two_rows(facts)
    if not all(map(isfinite, (*losses.before, *losses.alone))):
        raise Unavailable("a loss is not finite")
    gradients = facts[stepped].gradients
    if gradients is not None and not gradients.elements_trained:
        raise Unavailable("no weight is trained")
    if losses.before != losses.alone:
        return
    first, last = losses.before
    yield Finding(
        facts.run.place(),
        f"the loss of {trainer(facts)} does not depend on the weights that it trains: "
        f"{first:.4f} and {last:.4f} for two rows, before and after all of them were changed",
        evidence=repeated(facts[step]),
        follows=("step-gradients-missing", "reference-is-the-policy", "trl-release-has-silent-bug"),
    )


SAME = RowLosses((0.6931, 0.6931), (0.6931, 0.6931), (0, 0), 0.6931)
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            SFT,
            versions=TRL,
            answers=answers(replace(LEARNED, row_losses=SAME)),
            says="does not depend on the weights that it trains: 0.6931 and 0.6931 for two rows",
        ),
        Good(
            SFT,
            versions=TRL,
            answers=answers(replace(LEARNED, row_losses=replace(SAME, alone=(0.6931, 0.7)))),
        ),
        Good(
            SFT,
            versions=TRL,
            answers=answers(LEARNED),
            skipped="all rows have the same length",
        ),
    ),
)
