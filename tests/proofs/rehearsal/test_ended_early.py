"""A rehearsal that ends before its trainer is made also tells what only the source shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from laid import ROOT, Interpreter
from rehearsing import findings_by_rule, rehearsal

OLD_EXAMPLE = """\
from datasets import Dataset
from transformers import AutoTokenizer, TrainingArguments
from trl import DataCollatorForCompletionOnlyLM, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("models/healthy")
rows = Dataset.from_dict({"text": [f"Count to {n}." for n in range(40)]})
trainer = SFTTrainer("models/healthy", args=TrainingArguments("out"), train_dataset=rows,
                     dataset_text_field="text", max_seq_length=64, tokenizer=tokenizer)
trainer.train()
"""
OLD_KEYWORD = """\
from datasets import Dataset
from transformers import AutoTokenizer
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("models/healthy")
rows = Dataset.from_dict({"text": [f"Count to {n}." for n in range(40)]})
trainer = SFTTrainer("models/healthy", args=SFTConfig("out"), train_dataset=rows,
                     tokenizer=tokenizer)
trainer.train()
"""


def examined(
    interpreter: Interpreter, folder: Path, script: str
) -> tuple[dict[str, Any], dict[str, Any]]:
    (folder / "models").symlink_to(ROOT / "fixtures/models")
    (folder / "train.py").write_text(script)
    _, report = rehearsal(folder, interpreter("current"), "train.py")
    return findings_by_rule(report), report["targets"][0]


def test_all_names_that_are_gone_are_told_at_once(interpreter: Interpreter, tmp_path: Path) -> None:
    findings, _ = examined(interpreter, tmp_path, OLD_EXAMPLE)
    assert "script-names-gone-from-trl" not in findings, "the import is told once"
    assert len(findings["import-gone-from-trl"]) == 1
    refused = [finding["message"] for finding in findings["constructor-argument-gone-from-trl"]]
    assert [message.rpartition(" ")[2] for message in refused] == [
        "dataset_text_field",
        "max_seq_length",
        "tokenizer",
    ]


def test_a_refused_keyword_has_its_place_and_the_model_is_examined(
    interpreter: Interpreter, tmp_path: Path
) -> None:
    findings, target = examined(interpreter, tmp_path, OLD_KEYWORD)
    (finding,) = findings["constructor-argument-gone-from-trl"]
    assert (finding["line"], finding["severity"]) == (8, "error")
    assert "processing_class=" in finding["remedy"]
    states = {check["rule"]: check["state"] for check in target["checks"]}
    assert states["tokenizer-pad-missing"] == "clear"


@pytest.mark.parametrize("script", [OLD_EXAMPLE, OLD_KEYWORD])
def test_it_is_not_run_again_at_a_larger_scale(
    script: str, interpreter: Interpreter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from trl_doctor.rehearsing import rehearse

    scales: list[bool] = []
    run = rehearse._rehearsed
    monkeypatch.setattr(
        rehearse, "_rehearsed", lambda *given: scales.append(given[1].wide) or run(*given)
    )
    examined(interpreter, tmp_path, script)
    assert scales == [False]


BEFORE_TRAINER = """\
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import GRPOConfig, GRPOTrainer

name = "models/no-pad-no-stop"
tokenizer = AutoTokenizer.from_pretrained(name)
model = AutoModelForCausalLM.from_pretrained(name)

def shorter(completions, **kwargs):
    return [-float(len(text)) for text in completions]

rows = Dataset.from_dict({"prompt": [f"Count to {n}." for n in range(40)]})
rows = rows.map(lambda row: {"prompt": row["question"]})
tokenizer.pad_token = "<|fim_pad|>"
trainer = GRPOTrainer(model, reward_funcs=shorter, args=GRPOConfig("out"), train_dataset=rows,
                      processing_class=tokenizer)
trainer.train()
"""


def test_what_was_not_reached_is_not_known(interpreter: Interpreter, tmp_path: Path) -> None:
    findings, target = examined(interpreter, tmp_path, BEFORE_TRAINER)
    assert findings["script-fails"][0]["line"] == 13
    assert "tokenizer-pad-missing" not in findings, "the script sets it, later"
    reasons = {check["rule"]: check["reason"] for check in target["checks"]}
    assert "the rehearsal built no trainer" in reasons["reward-constant"]


UNREAD = """\
from datasets import Dataset
from transformers import AutoTokenizer
from trl import SFTConfig, SFTTrainer

exec("args = SFTConfig('out'); name = 'models/no-pad-no-stop'")
tokenizer = AutoTokenizer.from_pretrained(name)
rows = Dataset.from_dict({"prompt": [f"Count to {n}." for n in range(40)]})
rows = rows.map(lambda row: {"prompt": row["question"]})
"""


def test_a_source_that_shows_no_trainer_tells_nothing_of_its_tokens(
    interpreter: Interpreter, tmp_path: Path
) -> None:
    findings, target = examined(interpreter, tmp_path, UNREAD)
    assert set(findings) == {"script-fails"}
    states = {check["rule"]: check["state"] for check in target["checks"]}
    assert states["tokenizer-pad-missing"] == "skipped"


FAILS_IN_A_STEP = """\
from datasets import Dataset
from trl import SFTConfig, SFTTrainer

def collate(rows):
    return {"input_ids": rows[len(rows)]["input_ids"]}

rows = Dataset.from_dict({"text": [f"Count to {n}." for n in range(40)]})
args = SFTConfig("out", per_device_train_batch_size=8)
SFTTrainer("models/healthy", args=args, train_dataset=rows, data_collator=collate).train()
"""


def test_a_second_run_at_a_larger_scale_is_told(interpreter: Interpreter, tmp_path: Path) -> None:
    _, target = examined(interpreter, tmp_path, FAILS_IN_A_STEP)
    first, second, *_ = target["notes"]
    assert first.startswith("rehearsed in ")
    assert second.startswith("the script ran twice, ")
    assert second.endswith("this report is about the second run")


@pytest.mark.parametrize("last", ["raise SystemExit(7)", "exit(7)", "sys.exit(7)"])
def test_an_exit_is_at_the_line_that_ends_the_script(
    last: str, interpreter: Interpreter, tmp_path: Path
) -> None:
    script = FAILS_IN_A_STEP.replace(", data_collator=collate", "").replace(
        "\n\n", "\nimport sys\n", 1
    )
    findings, _ = examined(interpreter, tmp_path, f"{script}{last}\n")
    (finding,) = findings["script-fails"]
    assert finding["message"].endswith("it ended with exit status 7")
    assert finding["line"] == len(script.splitlines()) + 1
