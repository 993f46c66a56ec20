"""The labels of real batches: where they leave out words of an answer, and where they do not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import ran
from laid import Interpreter, change
from rehearsing import findings_by_rule, rehearsal
from reports.fifteenth import REPORTS
from reports.report import Report, findings_of_checks, script

BLOCK = "<think>\\n\\n</think>\\n\\n"
"""What the template writes to generate, as its source has it."""

TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n" + BLOCK + "' }}{% endif %}"
)
ANSWER = "Seven apples and a pear make eight, and that is all that there is to say about it today."
LOOKS = """
batch = trainer.data_collator([trainer.train_dataset[0]])
kept = [id for id in batch["labels"][0].tolist() if id != -100]
print("KEPT", trainer.processing_class.decode(kept))
trainer.train()
"""


def laid(folder: Path, python: Path, question: str, answer: str, *, block: bool) -> Path:
    """A script of SFT on rows with prompt and completion."""
    row = {
        "prompt": [{"role": "user", "content": question}],
        "completion": [{"role": "assistant", "content": answer}],
    }
    files = {"train.py": script("SFT", after=LOOKS), "rows.jsonl": f"{json.dumps(row)}\n" * 4}
    path = Report("", "", "", "", files, {}).lay(folder, healthy=True, python=python)
    if block:
        change(folder / "model/tokenizer_config.json", {"chat_template": TEMPLATE})
    return path


@pytest.mark.parametrize("environment", ["current", "four"])
def test_an_answer_without_its_beginning(
    environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python, question = interpreter(environment), "What is seven and one?"
    started = BLOCK.replace("\\n", "\n") + ANSWER
    cut = laid(tmp_path / "cut", python, question, ANSWER, block=True)
    repaired = laid(tmp_path / "repaired", python, question, started, block=True)
    plain = laid(tmp_path / "plain", python, question, ANSWER, block=False)
    echo = laid(tmp_path / "echo", python, question, f"You ask: {question} {ANSWER}", block=False)
    scripts = [cut, repaired, plain, echo]
    whole = [ANSWER in ran(python, "train.py", cwd=path.parent).stdout for path in scripts]
    lost = environment == "four"
    assert whole == [not lost, True, True, True]
    rules = [
        {finding["rule"] for finding in some if finding["severity"] == "error"}
        for some in findings_of_checks(python, scripts, "tiny")
    ]
    assert rules == [{"step-labels-miss-answers"} if lost else set(), set(), set(), set()]


@pytest.mark.slow
@pytest.mark.environment("current")
def test_a_template_of_the_script_has_its_own_end_of_a_turn(
    tmp_path: Path, interpreter: Interpreter
) -> None:
    """That of the folder's template is in no label, and the run is healthy."""
    (report,) = (report for report in REPORTS if report.thread == "huggingface/trl#2414")
    python = interpreter("current")
    report.lay(tmp_path, healthy=True, python=python)
    status, result = rehearsal(tmp_path, python, "train.py")
    assert status == 0, findings_by_rule(result)
    assert "step-labels-lack-turn-end" not in findings_by_rule(result)
