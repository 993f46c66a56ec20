"""The first row as the trainer reads it: where it comes from in a batch, and how it is shown."""

from __future__ import annotations

from typing import Any

import pytest

from trl_doctor.checkup.first_row import FirstRow, RowPart
from trl_doctor.probes.answers.segment import Segment
from trl_doctor.probes.watching.first_row import first_prompt, first_row, segments
from trl_doctor.reports.first_row import lines
from trl_doctor.reports.style import Style


class Letters:
    """A tokenizer whose ids are letters."""

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        assert not skip_special_tokens
        return "".join(map(chr, ids))


def ids(text: str) -> list[int]:
    return list(map(ord, text))


def parts(batch: dict[str, Any]) -> list[tuple[str, str, bool]]:
    return [(part.name, part.text, part.learned) for part in segments(Letters(), batch)]


BATCHES: dict[str, tuple[dict[str, Any], list[tuple[str, str, bool]]]] = {
    "a label is shown in place of its token": (
        {
            "input_ids": [ids("ask:abc__")],
            "attention_mask": [[1] * 7 + [0] * 2],
            "labels": [[-100] * 4 + ids("abd") + [-100] * 2],
        },
        [("", "ask:", False), ("", "abd", True)],
    ),
    "a pair in one batch has its prompt once": (
        {
            "input_ids": [ids("ask:yes"), ids("ask:no_")],
            "attention_mask": [[1] * 7, [1] * 6 + [0]],
            "completion_mask": [[0] * 4 + [1] * 3, [0] * 4 + [1] * 2 + [0]],
        },
        [("prompt", "ask:", False), ("chosen", "yes", True), ("rejected", "no", True)],
    ),
    "a pair with columns of its own": (
        {
            "prompt_input_ids": [ids("ask:")],
            "chosen_input_ids": [ids("yes")],
            "rejected_input_ids": [ids("no")],
        },
        [("prompt", "ask:", False), ("chosen", "yes", True), ("rejected", "no", True)],
    ),
    "an answer with its prompt, and a judgement": (
        {
            "prompt_input_ids": [ids("ask:")],
            "completion_input_ids": [ids("ask:no")],
            "completion_labels": [[-100] * 4 + ids("no")],
            "label": [False],
        },
        [("prompt", "ask:", False), ("undesirable", "no", True)],
    ),
    "equal tokens are written once": (
        {"input_ids": [ids("a" + "i" * 576 + "b")], "labels": [[-100] * 578]},
        [("", "ai[×576]b", False)],
    ),
}


@pytest.mark.parametrize("name", BATCHES)
def test_the_parts_of_a_batch(name: str) -> None:
    batch, expected = BATCHES[name]
    assert parts(batch) == expected


def test_the_middle_of_a_long_text_is_left_out() -> None:
    (part,) = segments(Letters(), {"input_ids": [ids("ab" * 1000)]})
    assert part.tokens == 2000
    assert part.text == f"{'ab' * 300}[… 800 characters …]{'ab' * 300}"


def test_a_trainer_or_tokenizer_of_another_shape_has_no_row() -> None:
    assert first_row(object()) == ()
    assert first_prompt(None, [[1, 2]]) == ()
    assert first_prompt(Letters(), []) == ()
    assert first_prompt(Letters(), [ids("ask:")]) == (Segment("prompt", "ask:", 4, False),)


def shown(*parts: RowPart, **style: Any) -> list[str]:
    return list(lines(FirstRow("the first row", parts), Style(**style)))


def test_each_line_of_the_text_has_a_line_and_spaces_at_borders_are_visible() -> None:
    question = RowPart("reads", "user:\n  Why? \nyou: ", False)
    assert shown(question, RowPart("learns", " So.", True)) == [
        "the first row",
        "  reads  user:↵",
        "           Why? ↵",
        "         you:␣",
        "  learns ␣So.",
    ]


def test_no_line_is_wider_than_the_terminal() -> None:
    words, one_word = "word " * 70, "w" * 390
    for line in shown(RowPart("reads", words, False), RowPart("learns", one_word, True), width=60):
        assert len(line) <= 60


def test_long_texts_and_many_parts_are_shortened() -> None:
    many = [RowPart("reads", "a" * 1000, False)] * 10
    text = " ".join(line.strip() for line in shown(*many, width=140))
    assert "600 characters, -v shows more" in text
    assert text.endswith("and 2 more parts (-v)")
    assert "-v" not in "\n".join(shown(*many, verbose=True))


def test_control_characters_are_escaped() -> None:
    assert "\x1b" not in "\n".join(shown(RowPart("reads", "\x1b[31mred\r\n", False)))
