"""Whether a reward model sees the questions: old releases do not read the column `prompt`."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import ran
from laid import Interpreter
from reports.report import PAIRS, Report, findings_of_checks, rehearsed, rows, script, turn

RULE = "data-prompt-unread-by-reward"
MODEL = (
    "from transformers import AutoModelForSequenceClassification, AutoTokenizer\n"
    "tokenizer = AutoTokenizer.from_pretrained('model')\n"
    "model = AutoModelForSequenceClassification.from_pretrained('model', num_labels=1)\n"
    "model.config.pad_token_id = tokenizer.pad_token_id\n"
)
SHOWS = """
batch = trainer.data_collator([trainer.train_dataset[0]])
name = next(name for name in ("input_ids_chosen", "input_ids") if name in batch)
print("READS", repr(tokenizer.decode(batch[name][0].tolist())))
trainer.train()
"""
APART = {
    "texts": rows(*({"prompt": a, "chosen": f" {b}", "rejected": " No."} for a, b in PAIRS)),
    "messages": rows(
        *(
            {
                "prompt": [turn("user", a)],
                "chosen": [turn("assistant", b)],
                "rejected": [turn("assistant", "No.")],
            }
            for a, b in PAIRS
        )
    ),
}
TOGETHER = rows(*({"chosen": f"{a} {b}", "rejected": f"{a} No."} for a, b in PAIRS))


def laid(folder: Path, python: Path, data: str) -> Path:
    """A script that trains a reward model on these rows."""
    given = {"model": "model", "processing_class": "tokenizer"}
    text = script("Reward", {"max_length": 64}, given, before=MODEL, after=SHOWS)
    report = Report("", "", "", "", {"train.py": text, "rows.jsonl": data}, {})
    return report.lay(folder, healthy=True, python=python)


@pytest.mark.parametrize("environment", ["ppo-first", "grpo-first", "grpo-shapes", "four"])
def test_a_column_with_the_question(
    environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python, reads = interpreter(environment), environment == "four"
    scripts = [laid(tmp_path / kind, python, data) for kind, data in APART.items()]
    scripts.append(laid(tmp_path / "together", python, TOGETHER))
    question = PAIRS[0][0]
    for path, expected in zip(scripts, (reads, reads, True), strict=True):
        process = ran(python, "train.py", cwd=path.parent)
        assert process.returncode == 0, process.stderr[-2000:]
        line = next(line for line in process.stdout.splitlines() if line.startswith("READS"))
        assert (question in line) == expected
    is_found = [
        RULE in {finding["rule"] for finding in findings}
        for findings in findings_of_checks(python, scripts, "files")
    ]
    assert is_found == [not reads, not reads, False]


@pytest.mark.environment("grpo-shapes")
def test_in_a_rehearsal(tmp_path: Path, interpreter: Interpreter) -> None:
    python = interpreter("grpo-shapes")
    script_ = laid(tmp_path, python, APART["texts"])
    (findings,) = rehearsed(python, [script_])
    assert [finding["rule"] for finding in findings if finding["severity"] == "error"] == [RULE]
