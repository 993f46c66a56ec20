"""Scripts of whole projects: their packages, settings, adapters, and models under a condition."""

from __future__ import annotations

from pathlib import Path

import pytest

from trl_doctor.checkup.opening import Options, open_run
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.run import Run
from trl_doctor.files.target import Target
from trl_doctor.machine.environment import Environment, environment

WORLD = environment(None, ["trl==1.16.0", "transformers==5.23.0"], installed=False)


OLD = environment(None, ["trl==0.11.4"], installed=False)


def opened(script: Path, world: Environment = WORLD) -> Run:
    target = Target(script.name, "script", script, "a script")
    return open_run(target, world, Options(offline=True))


def model_of(run: Run) -> str:
    """The policy's name, or why it is not known."""
    model = run.models["policy"]
    return str(model.folder) if model.name == "(not known)" else model.name


SETTINGS = "from pathlib import Path\nimport yaml\n\ndef load(path):\n    {}\n"
OPENED = "with Path(path).open() as f:\n        return yaml.safe_load(f)"
READ = "return yaml.safe_load(Path(path).read_text())"
TRAIN = """\
import os, sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from trl import SFTConfig, SFTTrainer
from {}.settings import load
config = load("settings.yaml")
SFTTrainer(model=config["model"], args=SFTConfig(output_dir="o", learning_rate=config["rate"]))
"""


@pytest.mark.parametrize("reads", [OPENED, READ])
@pytest.mark.parametrize("root", ["", "src/"])
def test_packages_of_the_project_are_read(tmp_path: Path, root: str, reads: str) -> None:
    (tmp_path / root / "common").mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / root / "common" / "settings.py").write_text(SETTINGS.format(reads))
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "settings.yaml").write_text("model: org/m\nrate: 0.5\n")
    script = tmp_path / "scripts" / "train.py"
    script.write_text(TRAIN.format("common"))
    run = opened(script)
    assert (model_of(run), run.number("learning_rate")) == ("org/m", 0.5)


def test_a_folder_above_is_no_library(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "evaluate.py").write_text("NAME = 'm'\n")
    (tmp_path / "scripts").mkdir()
    script = tmp_path / "scripts" / "train.py"
    script.write_text(
        "from evaluate import NAME\nfrom trl import SFTTrainer\nSFTTrainer(model=NAME)\n"
    )
    assert model_of(opened(script)) != "m"


CLASS = """\
import yaml
from dataclasses import dataclass
from trl import SFTConfig, SFTTrainer

@dataclass
class Settings:
    model: str = "org/default"
    rate: float = 1e-5

    @classmethod
    def from_yaml(cls, path):
        with open(path) as f:
            held = yaml.safe_load(f)
        return cls(model=held["model"], rate=held.get("rate", cls.rate))

settings = {}.from_yaml("settings.yaml")
SFTTrainer(model=settings.model, args=SFTConfig(learning_rate=settings.rate))
"""


@pytest.mark.parametrize("owner", ["Settings", "Settings()"])
def test_a_class_method_makes_an_object(tmp_path: Path, owner: str) -> None:
    (tmp_path / "settings.yaml").write_text("model: org/m\n")
    script = tmp_path / "train.py"
    script.write_text(CLASS.format(owner))
    run = opened(script)
    assert (model_of(run), run.number("learning_rate")) == ("org/m", 1e-5)


GIVEN = """\
import argparse, yaml
from trl import SFTTrainer
parser = argparse.ArgumentParser()
parser.add_argument("--config", required=True)
with open(parser.parse_args().config) as f:
    held = yaml.safe_load(f)
if "defaults" in held:
    held = {**held["defaults"], **held}
SFTTrainer(model=held["model"])
"""


def test_a_file_that_the_command_line_names_is_asked_for(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(GIVEN)
    assert "(--config): give it after --" in model_of(opened(script))


@pytest.mark.parametrize(
    "name", ["str(Path(args.m))", "os.path.join('a', args.m)", "args.m.strip()"]
)
def test_what_is_made_of_an_option_is_asked_for(tmp_path: Path, name: str) -> None:
    script = tmp_path / "train.py"
    script.write_text(
        "import argparse, os\nfrom pathlib import Path\nfrom trl import SFTTrainer\n"
        "parser = argparse.ArgumentParser()\nparser.add_argument('--m', required=True)\n"
        f"args = parser.parse_args()\nSFTTrainer(model={name})\n"
    )
    assert "(--m): give it after --" in model_of(opened(script))


LOADED = """\
import os
from peft import LoraConfig, PeftModel, get_peft_model, prepare_model_for_kbit_training
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTTrainer, setup_chat_format
tokenizer = AutoTokenizer.from_pretrained("org/m")
model = AutoModelForCausalLM.from_pretrained("org/m")
"""
TEMPLATE = "    model, tokenizer = setup_chat_format(model, tokenizer)\n"
SHAPES = {
    "if os.path.exists('a'):\n    model = prepare_model_for_kbit_training(model)\n": False,
    f"if tokenizer.chat_template is None:\n{TEMPLATE}": False,
    "if os.path.exists('a'):\n    model = get_peft_model(model, LoraConfig())\n": None,
    "if input():\n    model = PeftModel.from_pretrained(model, 'a', is_trainable=True)\n"
    "else:\n    model = get_peft_model(model, LoraConfig())\n": None,
    "model = PeftModel.from_pretrained(model, 'a', is_trainable=True)\n": True,
    "model = PeftModel.from_pretrained(model, 'a').merge_and_unload()\n": False,
    "model = get_peft_model(PeftModel.from_pretrained(model, 'a').merge_and_unload(), "
    "LoraConfig())\n": True,
    "try:\n    model = AutoModelForCausalLM.from_pretrained('org/m', attn_implementation='x')\n"
    "except ImportError:\n    model = AutoModelForCausalLM.from_pretrained('org/m')\n": False,
}


@pytest.mark.parametrize(("lines", "adapter"), SHAPES.items())
def test_the_model_is_the_same_either_way(tmp_path: Path, lines: str, adapter: bool | None) -> None:
    script = tmp_path / "train.py"
    script.write_text(f"{LOADED}{lines}SFTTrainer(model=model, processing_class=tokenizer)\n")
    run = opened(script)
    assert model_of(run) == "org/m"
    if adapter is None:
        with pytest.raises(Unavailable, match="it depends on"):
            run.flag("use_peft")
    else:
        assert bool(run.flag("use_peft")) is adapter


def test_another_model_is_another_model(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    other = "if input():\n    model = AutoModelForCausalLM.from_pretrained('org/other')\n"
    script.write_text(f"{LOADED}{other}SFTTrainer(model=model)\n")
    assert "it depends on" in model_of(opened(script))


def test_a_model_of_an_object_is_the_same_either_way(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(
        f"{LOADED}class Job:\n    def load(self):\n        self.model = model\n"
        "        if input():\n"
        "            self.model = prepare_model_for_kbit_training(self.model)\n"
        "job = Job()\njob.load()\nSFTTrainer(model=job.model)\n"
    )
    assert model_of(opened(script)) == "org/m"


def test_old_trainers_take_arguments_of_their_config(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(
        "from trl import DPOTrainer\nfrom transformers import TrainingArguments\n"
        "DPOTrainer('org/m', args=TrainingArguments('o'), beta=0.3, max_length=64)\n"
    )
    assert opened(script, OLD).number("beta") == 0.3
    assert opened(script).number("beta") is None


LOADS = "def load(name, adapter):\n    return Auto.from_pretrained(name), adapter\n"
SUBMODULES = {
    "of a package": ("pack/__init__.py", "from pack import loading"),
    "of a folder": ("pack/other.py", "from pack import loading"),
    "by another name": ("pack/__init__.py", "from pack import loading as own\nloading = own"),
    "that the package itself names": ("pack/__init__.py", "from pack import LOADING as loading"),
}


@pytest.mark.parametrize("form", SUBMODULES)
def test_a_module_of_a_package_is_read(form: str, tmp_path: Path) -> None:
    file, imported = SUBMODULES[form]
    (tmp_path / "pack").mkdir()
    (tmp_path / file).write_text("from . import loading as LOADING\n" if "names" in form else "")
    (tmp_path / "pack" / "loading.py").write_text(
        f"from transformers import AutoModelForCausalLM as Auto\n{LOADS}"
    )
    script = tmp_path / "train.py"
    script.write_text(
        f"from trl import SFTConfig, SFTTrainer\n{imported}\n"
        "model, _ = loading.load('org/m', adapter=None)\n"
        "SFTTrainer(model=model, args=SFTConfig('o')).train()\n"
    )
    assert model_of(opened(script)) == "org/m"


def test_a_name_that_is_no_module_stays_unknown(tmp_path: Path) -> None:
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "__init__.py").write_text("")
    script = tmp_path / "train.py"
    script.write_text(
        "from trl import SFTConfig, SFTTrainer\nfrom pack import loading\n"
        "SFTTrainer(model=loading.load('org/m'), args=SFTConfig('o')).train()\n"
    )
    assert "the model is not known: it is `loading.load('org/m')`" in model_of(opened(script))
