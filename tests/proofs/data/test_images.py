"""Models that see images: what their files lack kills the real run, and healthy ones are silent."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import ran
from laid import Interpreter
from rehearsing import measured, rehearsal
from reports.later import PICTURES
from reports.report import LENGTH, REWARD, Report, errors, findings_of_checks, real, script

TEMPLATE = "chat_template.jinja"


def without_settings(model: Path) -> None:
    (model / "processor_config.json").unlink()


def template_of_the_tokenizer(model: Path) -> None:
    data = json.loads((model / "tokenizer_config.json").read_text())
    data["chat_template"] = (model / TEMPLATE).read_text()
    (model / "tokenizer_config.json").write_text(json.dumps(data))
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
    for rule, findings in zip(CASES, findings_of_checks(python, scripts, "files"), strict=True):
        assert [finding["rule"] for finding in findings if finding["severity"] == "error"] == [rule]


@pytest.mark.environment("vision")
def test_healthy_runs_with_images_have_no_finding(tmp_path: Path, interpreter: Interpreter) -> None:
    """Gemma 3 wants token_type_ids: a step that ends has had its images and what goes with them."""
    python = interpreter("vision")
    scripts = [run(part).lay(tmp_path / part, healthy=True, python=python) for part in PARTS]
    for trainer, script_ in zip(PARTS, scripts, strict=True):
        process = real(python, script_.parent)
        assert process.returncode == 0, f"{trainer}: {process.stderr[-500:]}"
    assert [errors(findings) for findings in findings_of_checks(python, scripts, "tiny")] == [
        [],
        [],
    ]


@pytest.mark.environment("vision")
def test_a_template_without_a_place_for_images(tmp_path: Path, interpreter: Interpreter) -> None:
    """The processor refuses the rows, which is the candidate's fault and not the small model's."""
    python = interpreter("vision")
    script_ = run("sft").lay(tmp_path / "job", healthy=True, python=python)
    template_without_place(tmp_path / "job" / "model")
    died = real(python, tmp_path / "job")
    assert "should be the same as the number of images" in died.stderr, died.stderr[-500:]
    (every,) = findings_of_checks(python, [script_], "tiny")
    by_rule = {finding["rule"]: finding for finding in every if finding["severity"] == "error"}
    assert {*by_rule} == {"data-row-refused", "step-raises"}, "the second is a proof of the first"
    assert "template writes none for an image" in str(by_rule["data-row-refused"])


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
    measures = measured(report)
    assert (measures["reached"], measures["failure"]) == ("end", None)
    assert len(measures["made_up"]) == 2


TILES = """\
import json
from pathlib import Path

from datasets import Dataset, load_dataset

said = json.loads(Path("model/processor_config.json").read_text())
said["image_processor"].update(do_image_splitting=True, size={"longest_edge": 560})
Path("model/processor_config.json").write_text(json.dumps(said))
rows = list(load_dataset("parquet", data_files="rows.parquet", split="train"))
for number, row in enumerate(rows):
    row["images"] = [one.resize((560, 560) if number == 2 else (56, 56)) for one in row["images"]]
Dataset.from_list(rows * 5).to_parquet("rows.parquet")
"""


@pytest.mark.environment("vision")
def test_one_large_image_is_cut(tmp_path: Path, interpreter: Interpreter) -> None:
    """The step takes small rows: the largest images are collated besides."""
    python, scripts = interpreter("vision"), []
    for limit in (1024, 16384):
        given = {"max_length": limit, "max_steps": -1, "num_train_epochs": 0.2}
        files = {"train.py": script("SFT", given, data=PICTURES)}
        report = Report("", "vision", "", "", files, {}, sees="idefics3 sft")
        scripts.append(report.lay(tmp_path / str(limit), healthy=True, python=python))
        (tmp_path / str(limit) / "tiles.py").write_text(TILES)
        laid = ran(python, "tiles.py", cwd=tmp_path / str(limit))
        assert laid.returncode == 0, laid.stderr[-500:]
    ends = [real(python, script.parent).stderr for script in scripts]
    assert "processing_idefics3.py" in ends[0]
    assert "Error" not in ends[1]
    cut, whole = [
        [finding for finding in findings if finding["severity"] == "error"]
        for findings in findings_of_checks(python, scripts, "tiny")
    ]
    by_rule = {finding["rule"]: finding for finding in cut}
    assert {*by_rule} <= {"data-row-refused", "step-raises"}
    assert "max_length cuts the tokens of its images" in str(by_rule["data-row-refused"])
    assert whole == []


@pytest.mark.environment("vision")
def test_rows_with_images_of_a_model_that_is_not_here(
    tmp_path: Path, interpreter: Interpreter
) -> None:
    """A healthy model without an image part stands for it, and refuses such rows."""
    python = interpreter("vision")
    script_ = run("dpo").lay(tmp_path / "job", healthy=True, python=python)
    script_.write_text(script_.read_text().replace("'model'", "'org/none-there'"))
    (error,) = findings_of_checks(python, [script_], "tiny")
    assert [finding["rule"] for finding in error if finding["severity"] == "error"] == []


@pytest.mark.environment("vision")
@pytest.mark.parametrize("trainer", ["sft", "dpo"])
def test_images_are_not_cut_at_the_start(
    trainer: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python, scripts = interpreter("vision"), []
    for name in ("keeps", "whole"):
        path = run(trainer).lay(tmp_path / name, healthy=True, python=python)
        given = "truncation_mode='keep_end', " + ("max_length=None, " if name == "whole" else "")
        path.write_text(path.read_text().replace("Config(", f"Config({given}"))
        scripts.append(path)
    died, process = (real(python, script.parent) for script in scripts)
    assert "truncation_mode='keep_end' is not supported for vision" in died.stderr
    assert process.returncode == 0, process.stderr[-500:]
    rules = [
        [finding["rule"] for finding in some if finding["severity"] == "error"]
        for some in findings_of_checks(python, scripts, "files")
    ]
    assert rules == [["argument-keep-end-cuts-images"], []]
