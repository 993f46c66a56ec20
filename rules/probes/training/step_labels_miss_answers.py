"""The beginnings of answers are not trained on.

Rows with prompt and completion, and `assistant_only_loss`, put the loss on the answer. The
trainer's own batches were examined: the words of an answer are in the tokens of its row, and a part
of them is not among the targets. The model does not learn that part, and nothing in the log shows
it.

Older releases take as many tokens from the front of a row as the prompt has by itself. Some chat
templates write something before an answer only to generate (Qwen 3: an empty `<think>` block). The
prompt by itself is then longer, and the answer loses its beginning.

A rehearsal also sees labels that the script makes itself and that begin behind the first word of an
answer. A prompt that ends in a space has other tokens alone than in the whole text, where the space
belongs to the next word: a mask as long as the prompt's own tokens leaves out that word. And it
sees a mask that begins one token behind the mark of the answer, in every answer of a conversation.
It also sees rows whose beginning was cut off to fit a limit, while the mask is still as long as the
whole prompt: it lies over the answer. And it sees labels at the words of the answer where the
question has them ("Say yes and nothing else."): a script that looks for the answer in the whole
text finds these first.

Remedy: begin each completion with what the template writes there to generate, or upgrade trl:
1.16.0 trains on the whole answer. In a script count how many tokens of the prompt are also those of
the whole text, or end the prompt without a space. After a cut mask only what is left of the prompt.

Versions: the installed releases are tested. Rows that `max_length` cuts are not reported,
nor labels that a script begins at another place than behind the tokens of the prompt alone: it may
leave out a name or a language on purpose.

Seen: reproduced with SFT on conversations with prompt and completion, and a template that writes an
empty `<think>` block to generate: trl 0.24.0 logs "Mismatch between tokenized prompt" and trains on
an answer without its first 25 characters; short answers fail with "The shape of the mask"; 1.16.0
trains on all of it, and so does 0.24.0 without the block. AReaL#1427: reproduced with SFT of trl
1.16.0, a prompt that ends in a space and answers of one word: none of these words has a label.
verl#601: reproduced with transformers 5.23.0: a row of two long texts is cut to its last 64 tokens,
and no token of its answer has a label. ArcticTraining#353: reproduced with SFT of trl 1.16.0: of
four rows that ask for the word of their answer none has a label at the end of its turn; where the
answer is looked for behind the question, all have. minimind#416: reproduced with SFT of trl 1.16.0
and a mask from `start + 1` on: of four answers none has a label at its first token.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings, rehearsed
from trl_doctor.facts.measured.step import stepped
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import trainer

from ..._recorded.rehearsal import mistake
from ..._recorded.step import SFT, TRL, trained

WORDS = {
    "first words lost": (
        "the labels of {0} of {1} rows leave out the first word of the answer ({2} in one of them)"
    )
}
FIRST = {
    "first tokens lost": (
        "the labels leave out the first token of each answer ({0} of {1}; {2!r} of {3!r}): the "
        "mask begins one too late"
    )
}
CUT = {
    "answers masked after a cut": (
        "the labels of {0} of {1} rows leave out the answer, or its beginning ({2!r}): the row was "
        "cut at its beginning, but the mask is still as long as the whole prompt"
    )
}
COUNT = (
    "mask only the tokens that the prompt and the whole text have in common: a prompt that ends in "
    "a space has other tokens alone"
)
ASKED = {
    "labels in the question": (
        "the labels of {0} of {1} rows stand in the question, at the words of the answer ({2!r}), "
        "and the answer itself has no label: the script finds these words first"
    )
}
AT_ONCE = "begin the mask at the first token behind the mark of the answer"
BEHIND = "look for the answer behind the end of the question: `text.find(answer, len(question))`"
LEFT = "mask what is left of the prompt: `len(input_ids) - len(answer_ids)` tokens after the cut"


def check(facts: Facts) -> Iterator[Finding]:
    if rehearsed(facts) and (lost := list(_own_labels(facts))):
        yield from lost
        return
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


def _own_labels(facts: Facts) -> Iterator[Finding]:
    """What a rehearsal sees of labels that the script makes itself."""
    yield from mistake_findings(facts, WORDS, remedy=COUNT, severity="warning")
    yield from mistake_findings(facts, FIRST, remedy=AT_ONCE, severity="warning")
    yield from mistake_findings(facts, CUT, remedy=LEFT, severity="warning")
    yield from mistake_findings(facts, ASKED, remedy=BEHIND, severity="warning")


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
        mistake(
            "first words lost",
            ("3", "4", "six"),
            "train.py:30",
            "the labels of 3 of 4 rows leave out the first word of the answer (six in one of them)",
            "warning",
        ),
        mistake(
            "first tokens lost",
            ("4", "4", "For", "Forty-two."),
            "train.py:30",
            "leave out the first token of each answer (4 of 4; 'For' of 'Forty-two.')",
            "warning",
        ),
        mistake(
            "labels in the question",
            ("4", "16", "yes"),
            "train.py:30",
            "the labels of 4 of 16 rows stand in the question, at the words of the answer ('yes')",
            "warning",
        ),
        mistake(
            "answers masked after a cut",
            ("1", "4", "Fourteen days."),
            "train.py:30",
            "the labels of 1 of 4 rows leave out the answer, or its beginning ('Fourteen days.')",
            "warning",
        ),
    ),
)
