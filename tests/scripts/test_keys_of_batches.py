"""Keys of a batch that the loss of a script's own trainer reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from trl_doctor.asking.oracle import NoOracle
from trl_doctor.checkup.opening import Options, open_run
from trl_doctor.facts import Facts
from trl_doctor.facts.script import own_trainer
from trl_doctor.files.target import target
from trl_doctor.machine.environment import environment

WORLD = environment(None, ["trl==0.19.1", "transformers==4.51.3"], installed=False)
SCRIPT = """
from trl import DPOConfig, DPOTrainer

class Own(DPOTrainer):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        SET

    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
        return inputs["chosen_scores"].mean()

Own(model="org/m", args=DPOConfig("out"), train_dataset=None)
"""


@pytest.mark.parametrize(
    "line, lacking", [("self.count = 0", ["chosen_scores"]), ("self.data_collator = Mine()", [])]
)
def test_an_own_collator_makes_own_keys(
    line: str, lacking: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "train.py"
    path.write_text(SCRIPT.replace("SET", line))
    monkeypatch.setattr(own_trainer, "class_texts", lambda facts, trainer: ['batch["input_ids"]'])
    run = open_run(target(str(path)), WORLD, Options(offline=True))
    found = own_trainer.keys_lacking(Facts(run, WORLD, NoOracle("files only")))
    assert [one.name for one in found] == lacking
