"""Classes of a project that a script names in a text: `importlib`, and `_target_` of Hydra."""

from __future__ import annotations

from pathlib import Path

import pytest

from trl_doctor.checkup.opening import Options, open_run
from trl_doctor.facts.run import Run
from trl_doctor.files.target import Target
from trl_doctor.machine.environment import environment

WORLD = environment(None, ["trl==1.16.0", "transformers==5.23.0"], installed=False)
MODULE = """\
from trl import SFTConfig, SFTTrainer

class Own:
    def __init__(self, model, rate=1e-6):
        self.model, self.rate = model, rate

    def train(self):
        SFTTrainer(self.model, args=SFTConfig("out", learning_rate=self.rate)).train()

def build(model, rate):
    return SFTTrainer(model, args=SFTConfig("out", learning_rate=rate))
"""
DISPATCH = """\
import importlib

TRAINERS = {"sft": "parts.sft:Own", "none": "parts.none:Own"}

def load(path):
    module, name = path.rsplit(":", 1)
    return getattr(importlib.import_module(module), name)

load(TRAINERS["sft"])("org/m", rate=3e-5).train()
"""
HYDRA = """\
import hydra

@hydra.main(version_base=None, config_path="conf", config_name="run")
def main(cfg):
    made = hydra.utils.instantiate(cfg.trainer)
    made.train()

main()
"""
OF_CLASS = "trainer:\n  _target_: parts.sft.Own\n  model: org/m\n  rate: 3.0e-5\n"
SCRIPTS = {
    "importlib": (DISPATCH, ""),
    "a class of Hydra": (HYDRA, OF_CLASS),
    "a function of Hydra": (HYDRA, OF_CLASS.replace("Own", "build")),
}


def opened(folder: Path, text: str, conf: str, monkeypatch: pytest.MonkeyPatch) -> Run:
    for name in ("parts", "conf"):
        (folder / name).mkdir()
    (folder / "parts" / "sft.py").write_text(MODULE)
    (folder / "conf" / "run.yaml").write_text(conf)
    path = folder / "train.py"
    path.write_text(text)
    monkeypatch.chdir(folder)
    return open_run(Target("train.py", "script", path, "a Python script"), WORLD, Options())


@pytest.mark.parametrize("case", SCRIPTS)
def test_a_class_of_the_project(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = opened(tmp_path, *SCRIPTS[case], monkeypatch)
    assert run.arguments["learning_rate"] == 3e-5
    assert run.arguments["model_name_or_path"] == "org/m"


EXISTS = """\
import os
from pathlib import Path
import yaml
from trl import SFTConfig, SFTTrainer

settings = {"rate": 1e-6}
own = Path("conf") / "NAME"
if ASKED:
    settings.update(yaml.safe_load(open(own)))
SFTTrainer("org/m", args=SFTConfig("out", learning_rate=settings["rate"]))
"""


@pytest.mark.parametrize("asked", ["own.exists()", "own.is_file()", "os.path.exists(own)"])
@pytest.mark.parametrize(
    "name, rate", [("run.yaml", 3e-5), ("gone.yaml", 1e-6), ("deep/gone.yml", 1e-6)]
)
def test_settings_that_a_script_reads_if_they_exist(
    asked: str, name: str, rate: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = EXISTS.replace("ASKED", asked).replace("NAME", name)
    run = opened(tmp_path, text, "rate: 3.0e-5\n", monkeypatch)
    assert run.arguments["learning_rate"] == rate


@pytest.mark.parametrize("path", ["out/checkpoint", "/data/rows.yaml", "rows.jsonl", "gone/a.yaml"])
def test_what_the_job_may_have(path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (
        "import os\nfrom trl import SFTConfig, SFTTrainer\n"
        f"rate = 2e-5 if os.path.exists('{path}') else 1e-5\n"
        "SFTTrainer('org/m', args=SFTConfig('out', learning_rate=rate))\n"
    )
    run = opened(tmp_path, text, "", monkeypatch)
    assert "learning_rate" in getattr(run.arguments, "unknown", {})
