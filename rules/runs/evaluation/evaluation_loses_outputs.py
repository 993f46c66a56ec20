"""An evaluation loses the outputs of the script's own loss.

An evaluation calls `compute_loss(…, return_outputs=True)` and needs the pair (loss, outputs), with
the outputs as the model gives them. Of anything that is no dictionary transformers takes
`outputs[1:]`, for a model's tuple begins with the loss: of a bare tensor of logits this drops the
first row of each batch, and there are fewer predictions than labels. SFT of trl 1.x reads
`outputs.logits` and fails. A loss alone cannot be taken apart: the first evaluation ends the run.

Remedy: return `(loss, outputs) if return_outputs else loss`, where `outputs` is what `model(…)`
returned, or a dictionary with the logits.

Versions: every transformers. Only a rehearsal sees it, in a script that evaluates or predicts; a
`prediction_step` of the script is not judged.

Seen: transformers#39736. Reproduced with SFT of trl 0.24.0, whose metric gets fewer predictions
than labels ("operands could not be broadcast"), or an error for a loss alone ("iteration over a 0-d
tensor"), and of trl 1.16.0: "'Tensor' object has no attribute 'logits'".
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

MESSAGES = {
    "outputs in another form": (
        "the script's compute_loss gives an evaluation outputs that are not the model's, {0}"
    ),
    "loss without outputs": (
        "the script's compute_loss gives an evaluation one {0} and not (loss, outputs): the first "
        "evaluation fails"
    ),
}
REMEDY = "return (loss, outputs) if return_outputs, with the outputs as the model gives them"


def check(facts: Facts) -> Iterator[Finding]:
    yield from mistake_findings(facts, MESSAGES, remedy=REMEDY)


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    lost = "of which the trainer drops the first row (outputs[1:])"
    row = "outputs that are not the model's, of which the trainer drops the first row"
    alone = "gives an evaluation one Tensor and not (loss, outputs)"
    return (
        mistake("outputs in another form", (lost,), "train.py:40", row),
        mistake("loss without outputs", ("Tensor",), "train.py:40", alone),
        no_mistake(),
    )


RULE = Rule(doc=__doc__, severity="error", check=check, examples=examples)
