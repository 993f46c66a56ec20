"""Lines of a script that say what is learned."""

import pytest

from trl_doctor.probes.rehearsal.trainers.mistakes.learned_questions import says_answers_only


@pytest.mark.parametrize(
    "line",
    [
        "    # the loss is computed on the assistant's answer only",
        "# Train only on the assistant turns",
        "# only the answer tokens contribute to the loss",
        '"""Collator that masks the prompt and the padding away."""',
        "labels[:, :n] = -100  # mask out the question",
        "# ignore the prompt in the loss",
        "mask_prompt = True",
        "train_on_inputs: bool = False",
        "args = SFTConfig('out', assistant_only_loss=True)",
    ],
)
def test_answers_only(line: str) -> None:
    assert says_answers_only(line)


@pytest.mark.parametrize(
    "line",
    [
        "# the loss is on the whole conversation",
        "# we do not mask the prompt",
        "# TODO: train only on the answers",
        "# mask the image tokens and the padding",
        "# ignore the prompt padding in the loss",
        "# Trains a model that answers only from the context",
        "# train a model for answering only with yes or no",
        "mask_prompt = False",
        "train_on_inputs = True",
        "labels[labels == tokenizer.pad_token_id] = -100  # ignore padding in the loss",
        "if mask_prompt: labels[:n] = -100",
        "answer = only(answers)",
    ],
)
def test_anything_else(line: str) -> None:
    assert not says_answers_only(line)
