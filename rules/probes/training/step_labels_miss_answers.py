"""The beginnings of answers are not trained on.

Rows with prompt and completion, and `assistant_only_loss`, put the loss on the answer. The
trainer's own batches were examined: the words of an answer are in the tokens of its row, and a part
of them is not among the targets. The model does not learn that part, and nothing in the log shows
it.

Older releases take as many tokens from the front of a row as the prompt has by itself. Some chat
templates write something before an answer only to generate (Qwen 3: an empty `<think>` block). The
prompt by itself is then longer, and the answer loses its beginning.

Remedy: begin each completion with what the template writes there to generate, or upgrade trl:
1.16.0 trains on the whole answer.

Versions: the installed releases are tested. Rows that `max_length` cuts are not reported.

Seen: reproduced with SFT on conversations with prompt and completion, and a template that writes an
empty `<think>` block to generate: trl 0.24.0 logs "Mismatch between tokenized prompt" and trains on
an answer without its first 25 characters; short answers fail with "The shape of the mask"; 1.16.0
trains on all of it, and so does 0.24.0 without the block.
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
    if labels is None or labels.answers_missed is None:
        raise NotConcerned("the run does not ask for a loss on answers only")
    if labels.answers_missed:
        yield Finding(
            facts.run.place(),
            f"{trainer(facts)} trains only on a part of the answer of {labels.answers_missed} of "
            f"{labels.rows} rows",
            (f"tokens with a loss: {', '.join(map(str, labels.targets or ()))}",),
            follows=("generation-block-misses-answers", "chat-template-drops-texts"),
        )


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            SFT,
            versions={"trl": "0.24.0", "transformers": "4.57.6"},
            answers=trained(questions_learned=0, answers_missed=2),
            says="SFTTrainer of trl 0.24.0 trains only on a part of the answer of 2 of 2 rows",
        ),
        Good(SFT, versions=TRL, answers=trained(questions_learned=0, answers_missed=0)),
        Good(SFT, versions=TRL, answers=trained()),
    ),
)
