"""The run trains on questions, not only on answers.

Rows with prompt and completion, and `assistant_only_loss`, put the loss on the answer alone. The
trainer's own batches were examined, and the words of the questions are among the targets: the model
learns to ask. Nothing in the log shows it.

Remedy: upgrade trl, or install the transformers that it was made for. Then check the targets again.

Versions: the installed releases are tested. Releases before 0.18 train on whole rows by design: the
rule does not apply to them.

Seen: trl#4147 is about such labels. Reproduced with SFT on conversations with prompt and
completion: trl 0.27.0 with transformers 5.23.0 masks two tokens of each prompt and trains on the
rest of it; 1.16.0 with 5.23.0 trains on the completion alone.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.step import stepped
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import trainer

from ..._recorded.step import SFT, TRL, trained


def check(facts: Facts) -> Iterator[Finding]:
    labels = facts[stepped].labels
    if labels is None or labels.questions_learned is None:
        raise NotConcerned("the run does not ask for a loss on answers only")
    if labels.questions_learned:
        transformers = facts.environment.version("transformers")
        yield Finding(
            facts.run.place(),
            f"{trainer(facts)} with transformers {transformers} trains on the questions of "
            f"{labels.questions_learned} of {labels.rows} rows, but the run asks for a loss on "
            "answers only",
            (f"tokens with a loss: {', '.join(map(str, labels.targets or ()))}",),
        )


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            SFT,
            versions={"trl": "0.27.0", "transformers": "5.23.0"},
            answers=trained(questions_learned=2),
            says="trains on the questions of 2 of 2 rows",
        ),
        Good(SFT, versions=TRL, answers=trained(questions_learned=0)),
        Good(SFT, versions=TRL, answers=trained(questions_learned=None)),
    ),
)
