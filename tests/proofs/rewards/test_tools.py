"""Tools of GRPO: what kills the real trainer is found in the script; without it the run trains."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from laid import Interpreter
from reports.fourth import ANSWERING, CALLS, ROOMS, TOOL, USED
from reports.report import (
    CHAT_PROMPTS,
    LENGTH,
    PROMPTS,
    REWARD,
    Report,
    errors,
    findings_of_checks,
    real,
    script,
)


def given(
    code: str, sign: str, rule: str, tool: str = "tools=[times]", rows: str = CHAT_PROMPTS
) -> Report:
    """A script with a tool, what it dies of, and the rule that reports it."""
    name, value = tool.split("=")
    trainer = {**REWARD, **USED, name: value}
    healthy = {**trainer, "tools": "[times]"}
    healthy.pop("environment_factory", None)
    fixed = script("GRPO", {}, healthy, before=LENGTH + TOOL + ANSWERING)
    broken = {
        "train.py": script("GRPO", {}, trainer, before=LENGTH + code + ANSWERING),
        "rows.jsonl": rows,
        "model/chat_template.jinja": CALLS,
    }
    return Report(
        "", "current", sign, rule, broken, {"train.py": fixed, "rows.jsonl": CHAT_PROMPTS}
    )


REWRITES = CALLS.replace("}}\n{{ m.content", "}}\n{{ '<think>' if loop.last }}{{ m.content")
"""It renders the last message otherwise than one that another follows."""

CASES = (
    given(TOOL.replace("one: int", "one"), "missing a type hint", "tool-without-description"),
    given(
        TOOL.replace("other: another", "and another"),
        "has no description for the argument",
        "tool-without-description",
    ),
    given(TOOL, "has no attribute 'get'", "tool-prompts-are-texts", rows=PROMPTS),
    replace(
        (rewriting := given(TOOL, "is not training-compatible", "chat-template-unfit-for-tools")),
        broken={**rewriting.broken, "model/chat_template.jinja": REWRITES},
    ),
    given(
        ROOMS.replace(", **kwargs", ""),
        "unexpected keyword argument 'prompt'",
        "tool-environment-unfit",
        "environment_factory=Room",
    ),
    given(
        ROOMS.replace("def reset", "def begin"),
        "must define a callable `reset`",
        "tool-environment-unfit",
        "environment_factory=Room",
    ),
)


@pytest.mark.slow
def test_mistakes_with_tools_are_found_in_the_script(
    tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter("current")
    scripts = [
        case.lay(tmp_path / str(number), healthy=False, python=python)
        for number, case in enumerate(CASES)
    ]
    well = CASES[0].lay(tmp_path / "well", healthy=True, python=python)
    error = findings_of_checks(python, [*scripts, well], "files")
    for case, path, findings in zip(CASES, scripts, error, strict=False):
        process = real(python, path.parent)
        assert re.search(case.sign, process.stderr), (case.sign, process.stderr[-800:])
        assert case.cause in {rule.split(":")[0] for rule in errors(findings)}, (
            case.cause,
            findings,
        )
    process = real(python, well.parent)
    assert process.returncode == 0, process.stderr[-2000:]
    assert not errors(error[-1])
