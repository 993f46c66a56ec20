"""Models that see images: what their files lack kills the real run, and healthy ones are silent."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from laid import Interpreter
from reports.later import PICTURES
from reports.report import LENGTH, REWARD, Report, errors, real, script, told
from test_rehearsal import measured, rehearsal

TEMPLATE = "chat_template.jinja"


def without_settings(model: Path) -> None:
    (model / "processor_config.json").unlink()


def template_of_the_tokenizer(model: Path) -> None:
    said = json.loads((model / "tokenizer_config.json").read_text())
    said["chat_template"] = (model / TEMPLATE).read_text()
    (model / "tokenizer_config.json").write_text(json.dumps(said))
    (model / TEMPLATE).unlink()


def template_without_place(model: Path) -> None:
    file = model / TEMPLATE
    file.write_text(file.read_text().replace("<start_of_image>", ""))


CASES: dict[str, tuple[Callable[[Path], None], str]] = {
    "processor-settings-missing": (without_settings, "Can't load image processor"),
    "processor-without-template": (template_of_the_tokenizer, "does not have a chat template"),
}
PARTS = ("dpo", "grpo")


def run(trainer: str) -> Report:
    """A healthy run on rows with images."""
    given = REWARD if trainer == "grpo" else {}
    before = LENGTH if trainer == "grpo" else ""
    text = script(trainer.upper(), {}, given, before=before, data=PICTURES)
    return Report("", "vision", "", "", {"train.py": text}, {}, sees=f"gemma3 {trainer}")


@pytest.mark.environment("vision")
def test_files_of_a_processor(tmp_path: Path, interpreter: Interpreter) -> None:
    python, scripts = interpreter("vision"), []
    for rule, (spoil, sign) in CASES.items():
        scripts.append(run("sft").lay(tmp_path / rule, healthy=True, python=python))
        spoil(tmp_path / rule / "model")
        died = real(python, tmp_path / rule)
        assert died.returncode and sign in died.stderr, died.stderr[-500:]
    for rule, found in zip(CASES, told(python, scripts, "files"), strict=True):
        assert [one["rule"] for one in found if one["severity"] == "error"] == [rule]


@pytest.mark.environment("vision")
def test_healthy_runs_with_images_are_silent(tmp_path: Path, interpreter: Interpreter) -> None:
    """Gemma 3 wants token_type_ids: a step that ends has had its images and what goes with them."""
    python = interpreter("vision")
    scripts = [run(part).lay(tmp_path / part, healthy=True, python=python) for part in PARTS]
    for trainer, script_ in zip(PARTS, scripts, strict=True):
        done = real(python, script_.parent)
        assert done.returncode == 0, f"{trainer}: {done.stderr[-500:]}"
    assert [errors(found) for found in told(python, scripts, "tiny")] == [[], []]


@pytest.mark.environment("vision")
def test_a_template_without_a_place_for_images(tmp_path: Path, interpreter: Interpreter) -> None:
    """The processor refuses the rows, which is the candidate's fault and not the small model's."""
    python = interpreter("vision")
    script_ = run("sft").lay(tmp_path / "job", healthy=True, python=python)
    template_without_place(tmp_path / "job" / "model")
    died = real(python, tmp_path / "job")
    assert "should be the same as the number of images" in died.stderr, died.stderr[-500:]
    ((finding,),) = [
        [one for one in found if one["severity"] == "error"]
        for found in told(python, [script_], "tiny")
    ]
    assert finding["rule"] == "step-raises"
    assert "template writes none for an image" in str(finding)


SEES = """\
from datasets import load_dataset
from transformers import AutoModelForImageTextToText, AutoProcessor
from trl import SFTConfig, SFTTrainer

processor = AutoProcessor.from_pretrained("org/gemma-3-4b")
trainer = SFTTrainer(
    AutoModelForImageTextToText.from_pretrained("org/gemma-3-4b"),
    args=SFTConfig(output_dir="out", max_length=None),
    train_dataset=load_dataset("org/llava-instruct-mix", split="train"),
    processing_class=processor,
)
trainer.train()
"""


@pytest.mark.environment("vision")
def test_a_model_with_images_that_is_not_here_is_rehearsed(
    tmp_path: Path, interpreter: Interpreter
) -> None:
    """Model, processor and rows with images are replacements."""
    (tmp_path / "train.py").write_text(SEES)
    _, report = rehearsal(tmp_path, interpreter("vision"), "--offline", "train.py")
    told = measured(report)
    assert (told["reached"], told["failure"]) == ("end", None)
    assert len(told["made_up"]) == 2
