"""Labels that learn later turns of the user, and those that do not."""

from __future__ import annotations

import pytest

from trl_doctor.probes.rehearsal.rows.labels.later_questions import later_questions

Part = tuple[str, bool]
CHATML = "<|im_start|>user\na<|im_end|>\n<|im_start|>assistant\n"


class Letters:
    """A tokenizer of letters."""

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        return "".join(map(chr, ids))


def row(*parts: Part) -> dict[str, list[int]]:
    """A row of texts that are learned, or are not."""
    ids = [(ord(letter), learned) for text, learned in parts for letter in text]
    return {
        "input_ids": [id for id, _ in ids],
        "labels": [id if learned else -100 for id, learned in ids],
    }


@pytest.mark.parametrize(
    ("mark", "parts"),
    [
        ("USER:", [("USER: a\nASSISTANT:", False), (" b\nUSER: c\nASSISTANT: d", True)]),
        ("<|im_start|>user", [(CHATML, False), (f"b<|im_end|>\n{CHATML}d", True)]),
        ("", [(CHATML, False), ("b<|im_end|>\n", True), (CHATML, False), ("d", True)]),
        ("", [("Q: a\nA: b\nQ: c\nA:", False), (" d\nQ: e", True)]),
        ("", [("### Instruction:\na\n\n### Response:\n", False), ("b\n### Response:\nc", True)]),
        ("", [("USER: a\nASSISTANT: b\nUSER: c", True)]),
        ("", [("ROMEO: a\nJULIET: b\n", False), ("ROMEO: c\nJULIET: d\nROMEO: e", True)]),
        ("", [("try:\n a\nexcept Bad:\n", False), ("b\ntry:\n c\nexcept Bad:\n d", True)]),
        ("", [("Name: a\nAge: 1\n", False), ("\nName: b\nAge: 2\n\nName: c\nAge: 3", True)]),
        ("", [("Question: a\nAnswer: b\n", False), ("\nQuestion: c\nAnswer: d\n" * 2, True)]),
        ("", [("USER: a log\nASSISTANT:", False), (" here:\nUSER: b\nBOT: c", True)]),
    ],
)
def test_later_turns_of_the_user(mark: str, parts: list[Part]) -> None:
    found = later_questions([row(*parts)] * 4, Letters())
    assert found == (["4", "4", mark] if mark else None)


def test_two_rows_are_too_few() -> None:
    parts = (("USER: a\nASSISTANT:", False), (" b\nUSER: c", True))
    assert later_questions([row(*parts)] * 2, Letters()) is None
