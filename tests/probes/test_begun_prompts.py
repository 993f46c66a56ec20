"""The ends of prompts of trainers that generate."""

from __future__ import annotations

from typing import Any

import pytest

from trl_doctor.probes.rehearsal.rows.begun import wrongly_begun

ASKS, ENDS, ANSWERS = "<|user|>", "<|end|>", "<|assistant|>"


class Tokenizer:
    """Renders turns as Phi does; the pad token is 0."""

    pad_token_id, eos_token_id = 0, 1

    def apply_chat_template(
        self, turns: list[dict[str, str]], *, tokenize: bool, add_generation_prompt: bool = False
    ) -> str:
        text = "".join(f"<|{t['role']}|>\n{t['content']}{ENDS}\n" for t in turns)
        return text + f"{ANSWERS}\n" * add_generation_prompt

    def decode(self, ids: list[int]) -> str:
        return " ".join(map(str, ids))


class GRPOTrainer:
    pass


class Own(GRPOTrainer):
    pass


class DPOTrainer:
    pass


def mistakes(rows: list[dict[str, Any]], trainer: Any = None) -> list[tuple[str, list[str]]]:
    found = wrongly_begun(rows, trainer or Own(), Tokenizer())
    return [(mistake.what, mistake.words) for mistake in found]


def prompts(*parts: str) -> list[dict[str, Any]]:
    return [{"prompt": "\n".join(parts).format(n)} for n in range(8)]


ASKED = f"{ASKS}\nWhat is {{0}}?{ENDS}"
ANSWERED = f"{ANSWERS}\nIt is {{0}}.{ENDS}"


def test_prompts_that_end_with_the_users_turn() -> None:
    rows = prompts(ASKED)
    assert mistakes(rows) == [("prompts not begun", [rows[0]["prompt"], "8", "8"])]
    ((what, _),) = mistakes(prompts(ASKED, ANSWERED, ASKED))
    assert what == "prompts not begun"


def test_prompts_that_begin_a_second_answer() -> None:
    ((what, _),) = mistakes(prompts(ASKED, ANSWERED, ANSWERS))
    assert what == "prompts begun twice"


def test_queries_that_end_with_padding() -> None:
    rows = [{"input_ids": [5, 6, 7][: n % 3 + 1] + [0] * (2 - n % 3)} for n in range(9)]
    assert mistakes(rows) == [("queries padded", ["5 0 0", "6", "9"])]


@pytest.mark.parametrize(
    "rows",
    [
        prompts(ASKED, ANSWERS),
        prompts(ASKED, ANSWERS, "<think>"),
        prompts("What is {}?"),
        prompts("Question: {}", "Answer:"),
        prompts(ASKED, ANSWERED, ASKED, ANSWERS),
        prompts(ASKED)[:3] + prompts(ASKED, ANSWERS),
        [{"prompt": [{"role": "user", "content": "What?"}]}] * 8,
        [{"input_ids": [0, 0, 5]}, {"input_ids": [0, 5, 6]}, {"input_ids": [5, 6, 7]}] * 3,
        [{}] * 8,
    ],
)
def test_prompts_at_whose_end_an_answer_begins(rows: list[dict[str, Any]]) -> None:
    assert mistakes(rows) == []


def test_trainers_that_do_not_generate() -> None:
    assert mistakes(prompts(ASKED), DPOTrainer()) == []


@pytest.mark.parametrize("role", ["tool", "system"])
def test_a_turn_of_another_role_behind_the_answer(role: str) -> None:
    assert mistakes(prompts(ASKED, ANSWERED, f"<|{role}|>\n4{ENDS}", ANSWERS)) == []


def test_a_rollout_that_begins_the_answer_itself() -> None:
    trainer = Own()
    trainer.rollout_func = print  # type: ignore[attr-defined]
    assert mistakes(prompts(ASKED), trainer) == []
