"""SFT with assistant_only_loss: templates that the real trainer refuses, or trains wrongly."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from laid import TURN, Interpreter, candidate, change, errors, sampled

ANSWER = "one, two, three"
TOKENIZER = "tokenizer_config.json"
SFT = {
    "trainer": "sft",
    "model_name_or_path": "model",
    "assistant_only_loss": True,
    "num_processes": 1,
    "bf16": False,
}
REFUSES = {
    "grpo-shapes": "at least one example has no assistant tokens",
    "four": "at least one example has no assistant tokens",
    "current": "The chat template is not training-compatible",
}
UNMARKED = "assistant-only-loss-without-generation-block"
ENDLESS = "generation-block-lacks-turn-end"
EVERYWHERE = pytest.mark.parametrize("environment", REFUSES)


def template(inside: str, outside: str = "", role: str = "assistant") -> dict[str, Any]:
    """A template whose generation block is around what `role` says, and `inside`."""
    text = (
        "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' }}"
        f"{{% if message['role'] == '{role}' %}}{{% generation %}}{{{{ message['content'] }}}}"
        f"{inside}{{% endgeneration %}}{outside}"
        f"{{% else %}}{{{{ message['content'] }}}}{TURN}{{% endif %}}{{{{ '\n' }}}}{{% endfor %}}"
    )
    return {"chat_template": text}


@pytest.mark.slow
@EVERYWHERE
def test_a_template_without_the_block_is_refused(
    environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter(environment)
    candidate(tmp_path, SFT)
    assert REFUSES[environment] in sampled(python, tmp_path, "learn")["error"]
    assert errors(python, tmp_path) == {UNMARKED}
    change(tmp_path / "model" / TOKENIZER, template(inside=TURN))
    after = sampled(python, tmp_path, "learn")
    assert (after["error"], after.get("labelled")) == (None, ANSWER + TURN)
    assert errors(python, tmp_path) == set()


@pytest.mark.slow
def test_a_block_around_no_answer_is_refused(tmp_path: Path, interpreter: Interpreter) -> None:
    python = interpreter("current")
    candidate(tmp_path, SFT, {TOKENIZER: template(inside=TURN, role="model")})
    assert REFUSES["four"] in sampled(python, tmp_path, "learn")["error"]
    assert errors(python, tmp_path) == {UNMARKED}


@pytest.mark.slow
def test_trl_swaps_a_template_that_it_knows(tmp_path: Path, interpreter: Interpreter) -> None:
    python = interpreter("current")
    (template,) = python.parents[1].glob(
        "lib/python*/site-packages/trl/chat_templates/qwen2_5.jinja"
    )
    candidate(tmp_path, SFT, {TOKENIZER: {"chat_template": template.read_text()}})
    sampling = sampled(python, tmp_path, "learn")
    assert sampling["error"] is None
    assert sampling["labelled"].strip() == ANSWER + TURN
    assert errors(python, tmp_path) == set()


@pytest.mark.slow
@EVERYWHERE
def test_the_end_of_a_turn_is_learned_inside_the_block(
    environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter(environment)
    candidate(tmp_path, SFT, {TOKENIZER: template(inside="", outside=TURN)})
    before = sampled(python, tmp_path, "learn")
    assert (before["error"], before.get("labelled")) == (None, ANSWER)
    assert errors(python, tmp_path) == {ENDLESS}
    change(tmp_path / "model" / TOKENIZER, template(inside=TURN))
    after = sampled(python, tmp_path, "learn")
    assert (after["error"], after.get("labelled")) == (None, ANSWER + TURN)
    assert errors(python, tmp_path) == set()
