"""What a reward function says that it punishes, completions that grow, and tags of the prompt."""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from trl_doctor.probes.reward_functions import calls, of_other_rows, opened_tags, series
from trl_doctor.probes.reward_functions.calls import Rewards, Sheet
from trl_doctor.probes.reward_functions.release import Release
from trl_doctor.probes.reward_functions.rows import Case

ROWS = [{"prompt": "What?", "answer": "4"}, {"prompt": "And?", "answer": "6"}]
SHEET = Sheet(ROWS, True, Release((), True, True, True, True), False, lambda text: [])


@pytest.fixture(autouse=True)
def without_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Functions are called with the texts, and with the answers if they take them."""

    def called(function: Callable[..., Any], cases: Sequence[Case], sheet: Sheet) -> Rewards:
        takes_answers = "answer" in inspect.signature(function).parameters
        answers = [[sheet.rows[case.row]["answer"] for case in cases]] if takes_answers else []
        rewards = function([case.text for case in cases], *answers)
        return Rewards(rewards, len(rewards), [], 0.0)

    monkeypatch.setattr(series, "SECONDS", float("inf"))  # however busy the machine is
    monkeypatch.setattr(series, "called", called)
    monkeypatch.setattr(calls, "called", called)
    monkeypatch.setattr(of_other_rows, "called", called)


def length_penalty(completions: list[str], **more: Any) -> list[float]:
    return [float(len(text.split())) for text in completions]


def repeats(completions: list[str], **more: Any) -> list[float]:
    """Penalise texts that say one thing
    again and again, with repetitions."""
    return [1 - len(set(text.split())) / len(text.split()) for text in completions]


def length_penalty_of_short(completions: list[str], **more: Any) -> list[float]:
    """Penalise what is too short."""
    return []


def length_penalty_with_floor(completions: list[str], min_words: int = 5) -> list[float]:
    return []


def length_reward(completions: list[str], **more: Any) -> list[float]:
    """Longer is better.

    This is no penalty.
    """
    return []


class OverlongPenalty:
    __name__ = "overlong_penalty"

    def __call__(self, completions: list[str], **more: Any) -> list[float]:
        return []


class Brief:
    """A penalty on texts that are too long."""

    def __call__(self, completions: list[str], **more: Any) -> list[float]:
        return []


@pytest.mark.parametrize(
    ("function", "kinds"),
    [
        (length_penalty, ("length",)),
        (functools.partial(length_penalty, words=2), ("length",)),
        (repeats, ("repetition",)),
        (OverlongPenalty(), ("length",)),
        (Brief(), ("length",)),
        (length_penalty_of_short, ()),
        (length_penalty_with_floor, ()),
        (length_reward, ()),
        (len, ()),
    ],
)
def test_what_a_function_says_that_it_punishes(
    function: Callable[..., Any], kinds: tuple[str, ...]
) -> None:
    assert series.punishes(function) == kinds


def test_completions_grow_and_repeat_themselves() -> None:
    assert series.of_length(length_penalty, SHEET) == series.LENGTHS
    first, *_, last = series.of_repetition(repeats, SHEET)
    assert (first, last) == (0.0, 0.9)
    assert series.of_length(repeats, SHEET) == (0.0,) * len(series.LENGTHS)


def test_a_function_that_looks_for_steps_code_or_other_letters_gives_several_rewards() -> None:
    for looked_for in ("Step 1:", "```python", "\u4f60", "\n- ", "</answer>\n<answer>"):
        rewards = series.of_variety(lambda texts, one=looked_for: [float(one in texts[0])], SHEET)
        assert set(rewards) == {0.0, 1.0}


@pytest.mark.parametrize(
    "right",
    [
        lambda text: text == "<think>Let me see.</think> <answer>4</answer>",
        lambda text: "<answer>4</answer>" in text,
        lambda text: json.loads(text)["answer"] == 4 if text.startswith("{") else False,
    ],
)
def test_right_answers_in_one_line_are_tried(right: Callable[[str], bool]) -> None:
    def score(completions: list[str]) -> list[float]:
        return [float(right(text)) for text in completions]

    assert set(series.of_variety(score, SHEET, "answer")) == {0.0, 1.0}
    assert 1.0 not in series.of_variety(score, SHEET)


def test_a_function_that_wants_completions_to_differ_gives_several_rewards() -> None:
    def differ(completions: list[str]) -> list[float]:
        return [1 / completions.count(text) for text in completions]

    assert set(series.of_variety(differ, SHEET)) == {0.5, 1.0}


def test_a_function_that_raises_or_is_slow_gets_no_longer_completions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def raises(completions: list[str]) -> list[float]:
        if len(completions[0]) > 100:
            raise ValueError
        return [0.0]

    assert series.of_length(raises, SHEET) == (0.0,)
    monkeypatch.setattr(series, "SECONDS", 0.0)
    assert series.of_length(length_penalty, SHEET) == (10.0,)


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        ("<|assistant|>\n<think>\n", "think"),
        ("Write <reasoning>", "reasoning"),
        ("<think>\n\n</think>\n\n", ""),
        ("a < b", ""),
        ("", ""),
    ],
)
def test_the_tag_that_is_open_at_the_end_of_a_prompt(text: str, tag: str) -> None:
    assert opened_tags.opened_tag(text) == tag


class Template:
    def apply_chat_template(self, prompt: Any, **more: Any) -> str:
        if more.get("fails"):
            raise ValueError
        return f"{prompt[-1]['content']}<think>"


def test_a_prompt_is_rendered_as_the_trainer_does() -> None:
    chat = [{"role": "user", "content": "Say."}]
    answered = [*chat, {"role": "assistant", "content": "Yes"}]
    assert opened_tags.rendered(Template(), chat, {}) == "Say.<think>"
    assert opened_tags.rendered(Template(), "as it is", {}) == "as it is"
    assert opened_tags.rendered(Template(), answered, {}) == ""
    assert opened_tags.rendered(Template(), chat, {"fails": True}) == ""


@pytest.mark.parametrize(
    ("score", "asks"),
    [
        (lambda text: float(text.startswith("<think>")), True),
        (lambda text: float("<think>\n" in text and "</think>\n<answer>" in text), True),
        (lambda text: float("</think>" in text), False),
        (lambda text: float(("<think>" + text).startswith("<think>")), False),
        (lambda text: 0.5 * ("<think>" in text) + 0.5 * ("</think>" in text), False),
        (lambda text: -float(len(text)), False),
        (lambda text: float(len(text)), False),
        (lambda text: 1.0, False),
    ],
)
def test_a_function_that_asks_for_the_opened_tag(score: Callable[[str], float], asks: bool) -> None:
    def function(completions: list[str]) -> list[float]:
        return [score(text) for text in completions]

    assert opened_tags.asks_for(function, SHEET, "think", "answer") is asks


def test_a_function_that_raises_or_miscounts_is_not_judged() -> None:
    assert not opened_tags.asks_for(lambda texts: [1.0], SHEET, "think", "answer")
    assert not opened_tags.asks_for(lambda texts: texts.absent, SHEET, "think", None)


def exact(text: str, answer: str) -> float:
    return float(text.endswith(answer))


def remembering(*, text_alone: bool) -> Callable[..., Any]:
    scores: dict[Any, float] = {}

    def function(texts: list[str], answer: list[str]) -> list[float]:
        keys = texts if text_alone else list(zip(texts, answer, strict=True))
        for key, text, one in zip(keys, texts, answer, strict=True):
            scores.setdefault(key, exact(text, one))
        return [scores[key] for key in keys]

    return function


def last_of_call(texts: list[str], answer: list[str]) -> list[float]:
    scores = {text: exact(text, one) for text, one in zip(texts, answer, strict=True)}
    return [scores[text] for text in texts]


def each(texts: list[str], answer: list[str]) -> list[float]:
    return [exact(text, one) for text, one in zip(texts, answer, strict=True)]


def once(texts: list[str], answer: list[str]) -> list[float]:
    """Worth less in each later call."""
    once.calls = getattr(once, "calls", 0) + 1  # type: ignore[attr-defined]
    return [reward / once.calls for reward in each(texts, answer)]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("function", "of_text"),
    [
        (remembering(text_alone=True), True),
        (last_of_call, True),
        (remembering(text_alone=False), False),
        (each, False),
        (once, False),
        (lambda texts, answer: [1.0 for text in texts], False),
        (lambda texts, answer: texts.absent, False),
    ],
)
def test_a_function_that_remembers_rewards_by_the_text(
    function: Callable[..., Any], of_text: bool
) -> None:
    cases = [Case(row, "gold: boxed", f"Let me see.\n{ROWS[row]['answer']}") for row in (0, 1)]
    assert of_other_rows.of_text(function, SHEET, cases) is of_text
    assert not of_other_rows.of_text(function, SHEET, cases[:1])
