"""Scripts whose settings a library for configuration makes, and what is read of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_script_shapes import opened, settled

from trl_doctor.core.trainer import Trainer
from trl_doctor.core.unavailable import Unavailable

HEAD = "from trl import DPOConfig, DPOTrainer\n"
ENDS = """
args = DPOConfig(output_dir="out", learning_rate=cfg.lr, beta=cfg.beta)
DPOTrainer(model=cfg.model, args=args, train_dataset=None).train()
"""
CLASS = """from dataclasses import dataclass
@dataclass
class Settings:
    model: str = "a/b"
    lr: float = 2e-6
    beta: float = 0.2
"""
MODEL = """from pydantic import BaseModel, Field, field_validator
class Settings(BaseModel):
    model: str
    lr: float = Field(2e-6, gt=0)
    beta: float = Field(default=0.2)
"""
OF_VARIABLES = """from pydantic_settings import BaseSettings, SettingsConfigDict
class Settings(BaseSettings):
    model_config = SettingsConfigDict(env_prefix="RUN_")
    model: str = "a/b"
    lr: float = 1.0
    beta: float = 0.2
"""
MAIN = """def main(cfg: Settings):
    args = DPOConfig(output_dir="out", learning_rate=cfg.lr, beta=cfg.beta)
    DPOTrainer(model=cfg.model, args=args, train_dataset=None).train()
"""
DICTIONARY = "{'model': 'a/b', 'lr': 2e-6, 'beta': 0.2}"
JSON = DICTIONARY.replace("'", '"')
FILE = "yaml.safe_load(open('run.yaml'))"
READ = {
    "pydantic, called": MODEL + "cfg = Settings(model='a/b')" + ENDS,
    "pydantic, of a file": f"import yaml\n{MODEL}cfg = Settings(**{FILE})" + ENDS,
    "pydantic, validated": f"import yaml\n{MODEL}cfg = Settings.model_validate({FILE})" + ENDS,
    "pydantic, dumped": MODEL
    + "from types import SimpleNamespace\n"
    + "cfg = SimpleNamespace(**Settings(model='a/b').model_dump())"
    + ENDS,
    "a text of JSON": "import json\nfrom types import SimpleNamespace\n"
    + f"cfg = SimpleNamespace(**json.loads({JSON!r}))"
    + ENDS,
    "pydantic, a validator that only checks": MODEL
    + "    @field_validator('lr')\n    def positive(cls, v):\n"
    + "        assert v > 0\n        return v\ncfg = Settings(model='a/b')"
    + ENDS,
    "pydantic, a class inside": MODEL
    + "class Whole(BaseModel):\n    run: Settings\n"
    + f"cfg = Whole(**{{'run': {DICTIONARY}}}).run"
    + ENDS,
    "OmegaConf, merged": f"from omegaconf import OmegaConf\n{CLASS}"
    "cfg = OmegaConf.merge(OmegaConf.structured(Settings), OmegaConf.load('run.yaml'),"
    " OmegaConf.from_cli())" + ENDS,
    "OmegaConf, a list of words": f"from omegaconf import OmegaConf\n{CLASS}"
    "cfg = OmegaConf.merge(Settings, OmegaConf.from_dotlist(['lr=2e-6']))" + ENDS,
    "OmegaConf, filled in": "from omegaconf import OmegaConf\n"
    "cfg = OmegaConf.load('filled.yaml')" + ENDS,
    "hydra, composed": "from hydra import compose, initialize\n"
    "with initialize(config_path='.'):\n    cfg = compose(config_name='run')" + ENDS,
    "hydra, instantiated": "from hydra.utils import instantiate\n"
    "args = instantiate({'_target_': 'trl.DPOConfig', 'output_dir': 'out', 'lr': 1},"
    " learning_rate=2e-6, beta=0.2)\nDPOTrainer(model='a/b', args=args).train()\n",
    "wandb": f"import wandb\nwandb.init(config={DICTIONARY})\ncfg = wandb.config" + ENDS,
    "wandb, of the run": f"import wandb\nrun = wandb.init(config={DICTIONARY})\n"
    "cfg = run.config" + ENDS,
    "box": f"from box import Box\ncfg = Box({DICTIONARY})" + ENDS,
    "dacite": f"import dacite, yaml\n{CLASS}cfg = dacite.from_dict(Settings, {FILE})" + ENDS,
    "ruamel": "from ruamel.yaml import YAML\nfrom types import SimpleNamespace\n"
    "cfg = SimpleNamespace(**YAML(typ='safe').load(open('run.yaml')))" + ENDS,
    "HfArgumentParser": f"from transformers import HfArgumentParser\n{CLASS}"
    "(cfg,) = HfArgumentParser(Settings).parse_yaml_file('run.yaml')" + ENDS,
    "tyro, a function": f"import tyro\n{CLASS}{MAIN}tyro.cli(main)\n",
    "pyrallis": f"import pyrallis\n{CLASS}@pyrallis.wrap()\n{MAIN}main()\n",
    "jsonargparse": f"from jsonargparse import CLI\n{CLASS}cfg = CLI(Settings)" + ENDS,
    "simple_parsing": f"from simple_parsing import ArgumentParser\n{CLASS}"
    "parser = ArgumentParser()\nparser.add_arguments(Settings, dest='run')\n"
    "cfg = parser.parse_args().run" + ENDS,
    "chz": f"import chz\n{CLASS.replace('@dataclass', '@chz.chz')}"
    "cfg = chz.entrypoint(Settings)" + ENDS,
}
CALLED = (
    "def train(lr, beta):\n    args = DPOConfig(output_dir='out', learning_rate=lr, beta=beta)\n"
    "    DPOTrainer(model='a/b', args=args, train_dataset=None).train()\n"
)
READ |= {
    "ray": f"import ray\n@ray.remote(num_gpus=1)\n{CALLED}ray.get(train.remote(2e-6, beta=0.2))\n",
    "multiprocessing": f"import torch.multiprocessing as mp\n{CALLED}".replace("(lr", "(rank, lr")
    + "if __name__ == '__main__':\n    mp.spawn(train, args=(2e-6, 0.2), nprocs=2)\n",
    "a process": f"from multiprocessing import Process\n{CALLED}"
    "Process(target=train, args=(2e-6, 0.2)).start()\n",
    "a word of the command line": "import sys\n"
    + CALLED
    + "train(float(sys.argv[1]) if len(sys.argv) > 1 else 2e-6, 0.2)\n",
}
FILES = {
    "run.yaml": "model: a/b\nlr: 2.0e-6\nbeta: 0.2\n",
    "filled.yaml": "base: a\nmodel: ${base}/b\nrate: 2.0e-6\nlr: ${rate}\nbeta: 0.2\n",
}
OVERRIDDEN = {
    "a word of the command line": ("1e-5",),
    "OmegaConf, merged": ("lr=1e-5",),
    "tyro, a function": ("--cfg.lr", "1e-5"),
    "pyrallis": ("--lr", "1e-5"),
    "jsonargparse": ("--lr", "1e-5"),
    "simple_parsing": ("--lr", "1e-5"),
    "chz": ("lr=1e-5",),
}


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", READ)
def test_what_a_library_makes_of_settings_is_known(name: str, tmp_path: Path) -> None:
    values = settled(opened(HEAD + READ[name], tmp_path))
    model, rate = values["model_name_or_path"], float(values["learning_rate"])
    assert (model, rate, values["beta"]) == ("a/b", 2e-6, 0.2)


@pytest.mark.parametrize("name", OVERRIDDEN)
def test_the_command_line_counts_more(name: str, tmp_path: Path) -> None:
    values = settled(opened(HEAD + READ[name], tmp_path, OVERRIDDEN[name]))
    assert (float(values["learning_rate"]), values["beta"]) == (1e-5, 0.2)


def test_a_variable_gives_a_setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = HEAD + "import os\nos.environ['RUN_LR'] = '2e-6'\n" + OF_VARIABLES + "cfg = Settings()"
    values = settled(opened(text + ENDS, tmp_path))
    assert float(values["learning_rate"]) == 2e-6
    (tmp_path / ".env").write_text("RUN_LR=1e-5\n")
    run = opened(text.replace('"RUN_"', '"RUN_", env_file=".env"') + ENDS, tmp_path)
    with pytest.raises(Unavailable, match=r"may be in \.env"):
        run.arguments.get("learning_rate")


def test_what_a_validator_changes_is_not_known(tmp_path: Path) -> None:
    validator = "    @field_validator('lr')\n    def scaled(cls, v):\n        return v * 8\n"
    run = opened(HEAD + MODEL + validator + "cfg = Settings(model='a/b')" + ENDS, tmp_path)
    assert run.arguments.get("beta") == 0.2
    with pytest.raises(Unavailable, match="the validator scaled of Settings may change it"):
        run.arguments.get("learning_rate")


@pytest.mark.parametrize(
    "text",
    [
        f"@3 .wrap()\n{MAIN}main()\n".replace("Settings", "int"),
        "from hydra.utils import instantiate\n"
        "args = instantiate({1: 2, '_target_': 'trl.DPOConfig'})\n"
        "DPOTrainer('a/b', args=args).train()\n",
        f"import tyro\n{CLASS}    child: Settings\ncfg = tyro.cli(Settings)" + ENDS,
        "class Node:\n    model, lr, beta = 'a/b', 2e-6, 0.2\n    def __init__(self):\n"
        "        self.me = self\nfrom omegaconf import OmegaConf\n"
        "cfg = OmegaConf.create(Node())" + ENDS,
    ],
)
def test_what_makes_no_sense_is_read_all_the_same(text: str, tmp_path: Path) -> None:
    run = opened(HEAD + text, tmp_path)
    assert isinstance(run.trainer, Trainer) and run.trainer.name == "dpo"
    assert run.script.passed is not None and run.script.passed.has("model")
