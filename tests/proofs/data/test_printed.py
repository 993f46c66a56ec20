"""What a template prints of unusual rows: in the tokens of the real trainer, and in the report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from commands import ran
from laid import Interpreter, change
from reports.report import Report, findings_of_checks, script

CALLS = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}"
    "{% for c in m.tool_calls or [] %}{{ c.function.arguments }}{% endfor %}<|im_end|>\n"
    "{% endfor %}"
)
ASKED: Any = {"role": "user", "content": "why"}
ANSWER: Any = {"role": "assistant", "content": "so"}
LOOK = {"type": "function", "function": {"name": "look", "arguments": {"city": "Rome"}}}
CALL: Any = {"role": "assistant", "content": "", "tool_calls": [LOOK]}
PARTS: Any = {"role": "user", "content": [{"type": "text", "text": "why"}]}
WHY: Any = {"role": "user", "content": "why is it so"}
SORTED = CALLS.replace("in messages", "in messages | sort(attribute='role')")
PYTHON, MARKS = "chat-template-prints-python", "data-texts-have-marks"
ORDER = "chat-template-changes-order"
RULES = {PYTHON, MARKS, ORDER}
LOOKS = """
batch = trainer.data_collator([trainer.train_dataset[0]])
print("TOKENS", trainer.processing_class.decode(batch["input_ids"][0].tolist()))
"""
CASES: dict[str, tuple[str, str, list[Any], str, str]] = {
    "arguments": ("current", CALLS, [ASKED, CALL], "{'city': 'Rome'}", PYTHON),
    "arguments as JSON": (
        "current", CALLS.replace("arguments }}", "arguments | tojson }}"), [ASKED, CALL],
        '{"city": "Rome"}', "",
    ),
    "a list of parts": ("current", CALLS, [PARTS, ANSWER], "'type': 'text'", PYTHON),
    "a mark": (
        "current", CALLS, [ASKED, {**ANSWER, "content": "so<|im_end|>"}],
        "so<|im_end|><|im_end|>", MARKS,
    ),
    "a mark in an older release": (
        "four", CALLS, [ASKED, {**ANSWER, "content": "so<|im_end|>"}],
        "so<|im_end|><|im_end|>", MARKS,
    ),
    "another order": (
        "current", SORTED, [WHY, {**ANSWER, "content": "it is so"}],
        "it is so<|im_end|>\n<|im_start|>user\nwhy is it so", ORDER,
    ),
    "the same order": (
        "current", CALLS, [WHY, {**ANSWER, "content": "it is so"}],
        "why is it so<|im_end|>\n<|im_start|>assistant\nit is so", "",
    ),
    "none of it": ("current", CALLS, [ASKED, ANSWER], "so<|im_end|>\n", ""),
}  # fmt: skip


@pytest.mark.parametrize(
    "case", [pytest.param(case, marks=pytest.mark.environment(CASES[case][0])) for case in CASES]
)
def test_the_report_shows_the_tokens_of_the_trainer(
    case: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    environment, template, messages, seen, rule = CASES[case]
    python = interpreter(environment)
    row = json.dumps({"messages": messages})
    files = {"train.py": script("SFT", after=LOOKS), "rows.jsonl": f"{row}\n" * 4}
    path = Report("", "", "", "", files, {}).lay(tmp_path / "job", healthy=True, python=python)
    change(path.parent / "model/tokenizer_config.json", {"chat_template": template})
    assert seen in ran(python, "train.py", cwd=path.parent).stdout
    (findings,) = findings_of_checks(python, [path], "files")
    assert {finding["rule"] for finding in findings} & RULES == ({rule} if rule else set())
