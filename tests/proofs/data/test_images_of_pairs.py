"""DPO before trl 0.29: images that the model never gets, without an error."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from commands import ran
from reports.later import PICTURES
from reports.report import Report, findings_of_checks, real, script

Interpreter = Callable[[str], Path]
PARTS = """\
from datasets import Dataset, load_dataset


def said(role, *parts):
    return [{"role": role, "content": [{"type": kind, "text": text} for kind, text in parts]}]


rows = load_dataset("parquet", data_files="rows.parquet", split="train")
asked = said("user", ("image", None), ("text", "What is this?"))
told = {"prompt": asked, "chosen": said("assistant", ("text", "A colour.")),
        "rejected": said("assistant", ("text", "No."))}
Dataset.from_list([{"images": row["images"], **told} for row in rows]).to_parquet("rows.parquet")
"""
GIVEN = {"model": "model", "processing_class": "processor"}
BEFORE = """\
from transformers import AutoModelForImageTextToText, AutoProcessor
model = AutoModelForImageTextToText.from_pretrained('model')
processor = AutoProcessor.from_pretrained('model')
"""
WATCHED = """\
image = getattr(model.config, 'image_token_id', None) or model.config.image_token_index
forward = trainer.model.forward
def seen(*given, **more):
    ids = more.get('input_ids', given[0] if given else None)
    print('pixels', more.get('pixel_values') is not None, 'tokens', int((ids == image).sum()))
    return forward(*given, **more)
trainer.model.forward = seen
trainer.train()
"""
UNUSED, CUT = "data-images-unused-by-dpo", "argument-limit-cuts-images"
KEEP = {"remove_unused_columns": False}
CASES: dict[str, tuple[str, Mapping[str, Any], str, str]] = {
    "unused": ("llava", {}, "pixels False tokens 16", UNUSED),
    "used": ("llava", KEEP, "pixels True tokens 16", ""),
    "prompt": ("idefics3", {**KEEP, "max_prompt_length": 3}, "pixels True tokens 0", CUT),
    "row": ("idefics3", {**KEEP, "max_length": 3}, "pixels True tokens 0", CUT),
    "whole": ("idefics3", {**KEEP, "max_prompt_length": "None", "max_length": "None"},
              "pixels True tokens 16", ""),
}  # fmt: skip


@pytest.mark.environment("vision-four")
@pytest.mark.parametrize("name", CASES)
def test_images_that_dpo_loses(name: str, tmp_path: Path, interpreter: Interpreter) -> None:
    python = interpreter("vision-four")
    kind, arguments, happens, rule = CASES[name]
    text = script("DPO", arguments, GIVEN, before=BEFORE, after=WATCHED, data=PICTURES)
    text = text.replace("'None'", "None")
    report = Report("", "vision-four", "", "", {"train.py": text}, {}, sees=f"{kind} dpo")
    file = report.lay(tmp_path / "job", healthy=True, python=python)
    (tmp_path / "job/parts.py").write_text(PARTS)
    laid = ran(python, "parts.py", cwd=tmp_path / "job")
    assert laid.returncode == 0, laid.stderr[-500:]
    process = real(python, tmp_path / "job")
    assert process.returncode == 0, process.stderr[-500:]
    assert {line for line in process.stdout.splitlines() if line.startswith("pixels")} == {happens}
    (error,) = findings_of_checks(python, [file], "files")
    losing = [finding["rule"] for finding in error if finding["rule"] in (UNUSED, CUT)]
    assert losing == ([rule] if rule else [])
