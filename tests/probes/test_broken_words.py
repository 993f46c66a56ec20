"""Texts of rows that stop inside a word."""

from __future__ import annotations

import pytest

from trl_doctor.probes.rehearsal.rows.broken_words import broken_words
from trl_doctor.probes.rehearsal.rows.sources import Row

READ: list[Row] = [
    {
        "question": f"Where is the river of case {n}?",
        "text": f"Case {n} " + " ".join(f"river{n}x{k} flows" for k in range(20)),
    }
    for n in range(12)
]
CUT = 70


def test_rows_that_stop_inside_a_word() -> None:
    rows = [{"text": row["text"][:CUT]} for row in READ]
    (mistake,) = broken_words([READ], rows, None)
    assert mistake.words[:2] == ["12", "12"]


@pytest.mark.parametrize(
    "rows",
    [
        [{"text": row["text"]} for row in READ],
        [{"text": row["text"][at : at + CUT]} for row in READ for at in range(0, 400, CUT)],
        [{"text": row["text"][at : at + CUT]} for row in READ for at in range(0, 400, 40)],
        [{"text": row["text"][at : at + CUT]} for row in READ for at in range(0, 400, CUT - 9)],
        [{"text": part} for row in READ for part in (row["text"][:-9], row["text"][-9:])],
        [{"prompt": row["text"][:CUT], "completion": row["question"]} for row in READ],
        [
            {"messages": [
                {"role": "system", "content": row["text"][:CUT]},
                {"role": "user", "content": row["question"]},
                {"role": "assistant", "content": "Here."},
            ]}
            for row in READ
        ],
    ],
    ids=["whole", "divided", "with overlap", "with a short one", "a short end", "prompt", "system"],
)  # fmt: skip
def test_whole_texts_divided_ones_and_questions_are_fine(rows: list[Row]) -> None:
    assert not [*broken_words([READ], rows, str.split)]


LONG: list[Row] = [
    {"text": " ".join(f"river{n} flows{k}." if k % 9 == 8 else f"river{n} flows{k}"
                      for k in range(12 + n)),
     "asked": f"Given case {n} with " + "more and more of it " * (n + 2) + f"what is part{n}?"}
    for n in range(16)
]  # fmt: skip


def _tokens(text: str, **more: bool) -> dict[str, list[str]]:
    return {"input_ids": text.split()}


def _words(text: str, count: int) -> str:
    return " ".join(text.split()[:count])


@pytest.mark.parametrize("names", [("text",), ("prompt", "completion")])
def test_rows_of_one_length_that_stop_inside_a_sentence(names: tuple[str, ...]) -> None:
    rows = [{names[-1]: _words(row["text"], 23), names[0]: _words(row["text"], 23)} for row in LONG]
    (mistake,) = broken_words([LONG], rows, _tokens)
    assert mistake.what == "texts of one length"
    assert mistake.words[:3] == ["16", "16", "23 words"]


def test_questions_of_one_length_that_have_lost_their_end() -> None:
    rows = [{"prompt": row["asked"][:60]} for row in LONG]
    (mistake,) = broken_words([LONG], rows, _tokens)
    assert mistake.what == "questions of one length"
    assert mistake.words[1:3] == ["16", "60 characters"]
    messages = [{"prompt": [{"role": "user", "content": row["asked"][:60]}]} for row in LONG]
    assert [*broken_words([LONG], messages, _tokens)] == [mistake]
    beside = [{"asked": row["asked"], **cut} for row, cut in zip(LONG, rows, strict=True)]
    assert [*broken_words([LONG], beside, _tokens)] == [mistake]


@pytest.mark.parametrize(
    "rows",
    [
        [{"text": row["text"]} for row in LONG],
        [{"text": _words(row["text"], 18)} for row in LONG],
        [{"text": _words(row["text"], 9 + n)} for n, row in enumerate(LONG)],
        [{"prompt": row["text"][:60]} for row in LONG],
        [{"prompt": f"Sum it up: {row['text'][:80]}"} for row in LONG],
        [{"prompt": row["asked"]} for row in LONG],
        [{"text": f"{row['text']} {_words(row['text'], 23)}"} for row in LONG[:5]],
    ],
    ids=["whole", "at a sentence", "many lengths", "text", "document", "question", "few"],
)
def test_ends_of_sentences_other_lengths_and_prompts_are_fine(rows: list[Row]) -> None:
    assert not [*broken_words([LONG], rows, _tokens)]


def test_a_text_that_was_read_as_it_is_was_not_cut() -> None:
    read = [{"short": _words(row["text"], 23), **row} for row in LONG]
    assert not [*broken_words([read], [{"text": row["short"]} for row in read], _tokens)]
