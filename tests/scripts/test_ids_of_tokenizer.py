"""Ids of the tokenizer that a script writes into the model's configs."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from trl_doctor.commands.cli import main

MODELS = Path(__file__).parents[2] / "fixtures/models"
SCRIPT = """\
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import GRPOConfig, GRPOTrainer
tokenizer = AutoTokenizer.from_pretrained("models/healthy")
model = AutoModelForCausalLM.from_pretrained("models/healthy")
{}
def score(completions, **kwargs):
    return [float(len(str(one)) % 3) for one in completions]
rows = [[{{"role": "user", "content": f"What is {{n}} times six?"}}] for n in range(200)]
GRPOTrainer(model=model, reward_funcs=score, args=GRPOConfig(output_dir="out", bf16=False),
            train_dataset=Dataset.from_dict({{"prompt": rows}}), processing_class=tokenizer)
"""
OTHER = 'tokenizer.eos_token = "<|endoftext|>"'
STOPS = "model.generation_config.eos_token_id = tokenizer.eos_token_id"
RULE = "chat-template-turn-end-is-not-eos"
CASES = {
    f"{OTHER}\n{STOPS}": "train.py:6:1",
    f"{STOPS}\nmodel.config.pad_token_id = tokenizer.pad_token_id": "",
    f"{STOPS}\n{OTHER}": "skipped",
    f"if tokenizer.eos_token:\n    {STOPS}": "skipped",
}


@pytest.mark.parametrize("lines", CASES)
def test_an_id_of_the_tokenizer(
    lines: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models").symlink_to(MODELS)
    (tmp_path / "train.py").write_text(SCRIPT.format(lines))
    words = ["--with", "trl==1.16.0", "--with", "transformers==5.23.0", "--level", "files",
             "--select", RULE]  # fmt: skip
    output = CliRunner().invoke(main, ["check", "train.py", *words, "-o", "concise"]).output
    whole = CliRunner().invoke(main, ["check", "train.py", *words]).output
    assert (RULE in output) == CASES[lines].startswith("train.py"), output
    assert CASES[lines] in (whole if CASES[lines] == "skipped" else output)
