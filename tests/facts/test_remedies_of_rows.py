"""Remedies that name what to change in rows and in the functions that get them."""

from __future__ import annotations

import json

import pytest
from trl_doctor_rules._recorded.candidate import CHATML, CONFIG, candidate, tokenizer_files
from trl_doctor_rules._recorded.rewards import NO_MATCH, OTHER_NAME

from trl_doctor.checkup.discover import discover
from trl_doctor.core.finding import Finding, Json
from trl_doctor.facts.measured.reward_words import correction
from trl_doctor.facts.measured.rewards import Reward
from trl_doctor.facts.rewards.needs import named_as_column
from trl_doctor.facts.rule import Bad, Files
from trl_doctor.testing import check, laid_out

RULES = discover().rules


def found(rule: str, files: Files) -> Finding:
    """The one finding of a rule in these files."""
    (loaded,) = (one for one in RULES if one.name == rule)
    with laid_out(files) as folder:
        (outcome,) = check(loaded, Bad(files, versions={"trl": "1.16.0"}), folder).outcomes
    (finding,) = outcome.findings
    return finding


@pytest.mark.parametrize(
    ("trainer", "answers", "named"),
    [
        ("grpo", {}, "give each prompt as messages: "),
        ("kto", {"completion": "Four.", "label": True}, "give prompt and completion as messages"),
        ("dpo", {"chosen": "Four.", "rejected": "Five."}, "give prompt, chosen and rejected as"),
    ],
)
def test_prompts_and_their_answers_become_messages(
    trainer: str, answers: dict[str, str | bool], named: str
) -> None:
    run: dict[str, Json] = {
        "trainer": trainer,
        "model_name_or_path": "model",
        "dataset_name": "rows.jsonl",
    }
    parts = (CONFIG, tokenizer_files(chat_template=CHATML, eos_token="<|im_end|>"))
    row = json.dumps({"prompt": "Two and two?", **answers})
    files = {**candidate(run, *parts), "rows.jsonl": row}
    remedy = found("data-prompts-skip-chat-template", files).remedy
    assert remedy.startswith(named)
    assert ("assistant" in remedy) is bool(answers)


def test_one_remedy_for_a_function_with_a_wrong_name_and_without_kwargs() -> None:
    finding = found("reward-raises", OTHER_NAME)
    assert finding.remedy == "rename the parameter to answer, and add **kwargs"
    assert finding.evidence[0].startswith("it does not take ")


def test_a_name_that_is_like_no_column() -> None:
    remedy = named_as_column(["answer"], ["prompt", "gold"])
    assert remedy == (
        "give the parameter answer the name of a column (prompt, gold), or add a column answer"
    )


def test_an_error_inside_a_function_names_its_line_and_no_kwargs() -> None:
    assert NO_MATCH.error
    remedy = correction(Reward(0, NO_MATCH, NO_MATCH.name), NO_MATCH.error)
    assert remedy.startswith("correct line 4 of mine.py: a value there is None")
    assert "kwargs" not in remedy
