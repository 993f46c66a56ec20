"""A script that drives the PPOTrainer of old releases gets one finding about that."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from trl_doctor.commands.cli import main

SCRIPT = """
from transformers import AutoTokenizer
from trl import AutoModelForCausalLMWithValueHead, PPOConfig, PPOTrainer
model = AutoModelForCausalLMWithValueHead.from_pretrained("org/m")
tokenizer = AutoTokenizer.from_pretrained("org/m")
trainer = PPOTrainer(config=PPOConfig(batch_size=4), model=model, processing_class=tokenizer)
for rows in trainer.dataloader:
    answers = trainer.generate(rows["ids"])
    trainer.step(rows["ids"], answers, [1.0] * 4)
"""
ABOUT_MODELS = {"ppo-model-missing", "ppo-never-stops-at-eos", "model-with-value-head"}


def rules(folder: Path, text: str) -> set[str]:
    (folder / "train.py").write_text(text)
    with_ = ("--with", "trl==0.15.2", "--with", "transformers==4.48.3")
    command = ["check", str(folder / "train.py"), "--level", "files", *with_, "-o", "concise"]
    lines = CliRunner().invoke(main, command).output.splitlines()
    return {line.split()[2] for line in lines if line.split()[1] in ("error", "warning")}


def test_one_finding_says_that_the_loop_is_old(tmp_path: Path) -> None:
    found = rules(tmp_path, SCRIPT)
    assert "method-gone-from-trl" in found
    assert not found & {*ABOUT_MODELS, "evaluation-without-data"}


def test_a_script_that_calls_train_is_examined(tmp_path: Path) -> None:
    found = rules(tmp_path, SCRIPT[: SCRIPT.index("for rows")] + "trainer.train()\n")
    assert found >= {*ABOUT_MODELS, "evaluation-without-data"}


def test_the_loop_may_be_in_another_file(tmp_path: Path) -> None:
    text = SCRIPT[: SCRIPT.index("for rows")].replace("model=model,", "model=model, dataset=rows,")
    found = rules(tmp_path, text + "run(trainer)\n")
    assert "constructor-argument-gone-from-trl" in found
    assert not found & {*ABOUT_MODELS, "evaluation-without-data"}
