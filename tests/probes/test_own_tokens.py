"""Rows that a script has tokenized itself: added tokens in pieces, labels inside texts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from trl_doctor.probes.rehearsal.record import Mistake
from trl_doctor.probes.rehearsal.rows import own_tokens
from trl_doctor.probes.rehearsal.rows.own_tokens import mistakes

WORDS = ("cat", "dog", "horse", "bird", "child", "king", "queen", "farmer", "baker", "fish")
READ = [
    {
        "question": f"Where did the {word} of {WORDS[n // 2]} and {WORDS[-n // 3]} go?",
        "answer": f"{word * (1 + n % 4)} {n} #### to town",
    }
    for n, word in enumerate(WORDS * 2)
]


class Letters:
    """A tokenizer with a token for each letter, and those that are added."""

    def __init__(self, **added: int) -> None:
        self.added = added

    def get_added_vocab(self) -> dict[str, int]:
        return self.added

    def __call__(self, text: str, **_: Any) -> dict[str, list[int]]:
        for token, number in self.added.items():
            text = text.replace(token, chr(number))
        return {"input_ids": [ord(letter) for letter in text]}

    def decode(self, ids: list[int], **_: Any) -> str:
        names = {number: token for token, number in self.added.items()}
        return "".join(names.get(number, chr(number)) for number in ids)


def rows(masked: Callable[[str, str], int], between: str = "\nA: ") -> list[dict[str, Any]]:
    """Rows in which the labels of so many tokens, by question and answer, are left out."""
    made = []
    for row in READ:
        asked, answer = row["question"] + between, row["answer"]
        ids, out = Letters()(asked + answer)["input_ids"], masked(asked, answer)
        made.append({"input_ids": ids, "labels": [-100] * out + ids[out:]})
    return made


@pytest.mark.parametrize(
    ("masked", "expected"),
    [
        (lambda asked, answer: len(asked), 0),
        (lambda asked, answer: 0, 0),
        (lambda asked, answer: len(asked) - 2, 0),
        (lambda asked, answer: len(asked) + answer.index(" to town"), 0),
        (lambda asked, answer: len(asked + answer) // 2, 0),
        (lambda asked, answer: len(asked + answer) - len(" town"), 0),
        (lambda asked, answer: len(answer), 1),
        (lambda asked, answer: len(asked) + 6, 1),
    ],
)
def test_labels_begin_inside_a_text(masked: Callable[[str, str], int], expected: int) -> None:
    found = list(mistakes([[*READ]], rows(masked), Letters()))
    assert [mistake.what for mistake in found] == ["labels begin inside texts"] * expected


def test_the_script_may_divide_texts_where_it_likes(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = rows(lambda asked, answer: len(asked) + 6)
    assert list(mistakes([[*READ]], wrong, Letters()))
    monkeypatch.setattr(own_tokens, "says", lambda pattern: pattern.search("random.randint(1, 9)"))
    assert not list(mistakes([[*READ]], wrong, Letters()))


def test_added_tokens_are_found_in_pieces() -> None:
    early = [{"input_ids": Letters()("<a>" + row["question"])["input_ids"]} for row in READ]
    tokenizer = Letters(**{"<a>": 70_000, "<b>": 70_001})
    late = [{"input_ids": tokenizer("<a>" + row["question"])["input_ids"]} for row in READ]
    wanted = [Mistake("added tokens in pieces", ["<a>"])]
    assert list(mistakes([], early, tokenizer)) == wanted
    assert list(mistakes([], late, tokenizer)) == []
    assert list(mistakes([], [*early, late[0]], tokenizer)) == []


def test_other_rows_and_broken_tokenizers_are_left_alone() -> None:
    assert list(mistakes([], [{"text": "a"}], Letters())) == []
    assert list(mistakes([], None, Letters())) == []
    assert list(mistakes([], [{"input_ids": [1]}], None)) == []


def test_queries_that_have_their_last_answer_are_counted() -> None:
    letters = Letters()
    letters.eos_token = None  # type: ignore[attr-defined]
    asked = [f"Where did the {word} go in the end?" for word in WORDS]
    told = [f"It went to the town of {word}ton." for word in WORDS]
    talks = [
        {"conversations": [{"from": "human", "value": one}, {"from": "gpt", "value": other}]}
        for one, other in zip(asked, told, strict=True)
    ]
    for answered in (False, True):
        rows = [
            letters(f"{one} {other if answered else ''}>")
            for one, other in zip(asked, told, strict=True)
        ]
        found = [mistake.what for mistake in mistakes([talks], rows, letters)]
        assert found == (["answered queries"] if answered else [])


class Talks(Letters):
    """One whose turns end with the token `.`; `opens` is what an answer begins with."""

    eos_token, chat_template = ".", "a template"

    def __init__(self, opens: str) -> None:
        super().__init__()
        self.opens = opens

    def apply_chat_template(self, turns: list[dict[str, str]], **_: Any) -> str:
        if self.opens == "refused":
            raise ValueError("it wants an answer, too")
        return turns[0]["content"] + "." + self.opens


@pytest.mark.parametrize(("opens", "told"), [("\nA: ", True), ("refused", True), ("", False)])
def test_queries_that_end_with_the_token_that_ends_a_turn(opens: str, told: bool) -> None:
    queries = [{"input_ids": Letters()(f"What is {n}?.")["input_ids"]} for n in range(8)]
    found = [mistake.what for mistake in mistakes([], queries, Talks(opens))]
    assert found == ["finished queries"] * told
