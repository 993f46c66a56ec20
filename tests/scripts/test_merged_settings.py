"""Settings that a script merges, and objects that another file of its project makes."""

from __future__ import annotations

from pathlib import Path

import pytest

from trl_doctor.checkup.opening import Options, open_run
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.run import Run
from trl_doctor.files.target import Target
from trl_doctor.machine.environment import environment

WORLD = environment(None, ["trl==1.16.0", "transformers==5.23.0"], installed=False)

MERGE = """\
def merge(base, own):
    whole = dict(base)
    for key, value in own.items():
        if key in whole and isinstance(whole[key], dict) and isinstance(value, dict):
            whole[key] = merge(whole[key], value)
        else:
            whole[key] = value
    return whole
"""
LOAD = """\
def load(path):
    path = Path(path)
    with path.open() as file:
        settings = yaml.safe_load(file)
    if "extends" in settings:
        parent = load(path.parent / settings.pop("extends"))
        settings = merge(parent, settings)
    return settings
settings = load("own.yaml")
"""
STAR = """\
base = yaml.safe_load(open("base.yaml"))
own = yaml.safe_load(open("own.yaml"))
del own["extends"]
settings = {**base, **own, "train": {**base["train"], **own["train"]}}
"""
PICKED = """\
base, own = yaml.safe_load(open("base.yaml")), yaml.safe_load(open("own.yaml"))
settings = dict(base)
for name, value in own.items():
    if not isinstance(value, dict):
        settings[name] = value
        continue
    for_name = dict(settings.get(name, {}))
    for_name.update(value)
    settings[name] = for_name
"""
END = """\
args = SFTConfig(output_dir="o", **settings["train"])
SFTTrainer(model=settings["model"], args=args)
"""
IMPORTS = (
    "from pathlib import Path\nimport argparse, os, yaml\nfrom trl import SFTConfig, SFTTrainer\n"
)


def run_of(folder: Path, text: str) -> Run:
    script = folder / "train.py"
    script.write_text(IMPORTS + text)
    target = Target(script.name, "script", script, "a script")
    return open_run(target, WORLD, Options(offline=True))


def model_of(run: Run) -> str:
    """The policy's name, or why it is not known."""
    model = run.models["policy"]
    if isinstance(model.folder, Unavailable) and model.name == "(not known)":
        return str(model.folder)
    return model.name


@pytest.mark.parametrize("text", [MERGE + LOAD, STAR, PICKED])
def test_merged_settings_are_known(tmp_path: Path, text: str) -> None:
    (tmp_path / "base.yaml").write_text("model: org/m\ntrain: {learning_rate: 0.5, beta: 1}\n")
    (tmp_path / "own.yaml").write_text("extends: base.yaml\ntrain: {learning_rate: 0.25}\n")
    run = run_of(tmp_path, text + END)
    assert (model_of(run), run.number("learning_rate")) == ("org/m", 0.25)
    assert run.number("beta") == 1


def test_a_merge_with_what_is_not_known_is_not_known(tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text("model: org/m\ntrain: {learning_rate: 0.25}\n")
    text = "settings = merge(yaml.safe_load(open('own.yaml')), fetch())\n"
    assert "org/m" not in model_of(run_of(tmp_path, MERGE + text + END))


def test_a_function_that_calls_itself_without_end_is_read(tmp_path: Path) -> None:
    text = "def turn(name):\n    return turn(name + 'a')\nSFTTrainer(model=turn('a'))\n"
    assert "turn" in model_of(run_of(tmp_path, text))


def test_a_loop_that_trains_is_one_stage(tmp_path: Path) -> None:
    text = "for name, rate in {'a/b': 1, 'c/d': 2}.items():\n    SFTTrainer(model=name)\n"
    assert "one of" in model_of(run_of(tmp_path, text))


def test_folders_above_the_script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own.yaml").write_text("model: org/m\ntrain: {learning_rate: 0.25}\n")
    (tmp_path / "src" / "train").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    root = "settings = yaml.safe_load(open(Path(__file__).resolve().parents[2] / 'own.yaml'))\n"
    assert model_of(run_of(tmp_path / "src" / "train", root + END)) == "org/m"
    assert model_of(run_of(Path("src/train"), root + END)) == "org/m"


@pytest.mark.parametrize(
    "text, why",
    [
        ("os.getenv('MODEL', ' org/m ').strip()", "org/m"),
        ("os.getenv('MODEL').strip()", "it is the environment variable MODEL"),
        ("(os.environ.get('MODEL') or 'org/m')", "org/m"),
        ("args.base", "it is None, as --base is not given: give it after --"),
        ("(args.base or 'org/m')", "org/m"),
        ("(args.needed or 'org/m')", "it comes from the command line (--needed): give it after --"),
    ],
)
def test_why_a_model_is_not_known(tmp_path: Path, text: str, why: str) -> None:
    parser = (
        "parser = argparse.ArgumentParser()\nparser.add_argument('--base', type=str)\n"
        "parser.add_argument('--needed', required=True)\nargs = parser.parse_args()\n"
    )
    assert why in model_of(run_of(tmp_path, f"{parser}SFTTrainer(model={text})\n"))


CLASS = """\
class Stage:
    def __init__(self, name="org/m", rate=0.5):
        self.name, self.rate, self.steps = "a/b", rate, None
    def settings(self, batch):
        return SFTConfig(output_dir="o", per_device_train_batch_size=batch,
                         learning_rate=self.rate, max_steps=self.steps)
    def prepare(self):
        self.steps = 9
    def train(self):
        SFTTrainer(model=self.name, args=self.settings(4))
"""


def test_methods_of_an_object_that_is_made_elsewhere(tmp_path: Path) -> None:
    run = run_of(tmp_path, CLASS)
    assert model_of(run) == "a/b"
    assert run.number("per_device_train_batch_size") == 4
    for name in ("learning_rate", "max_steps"):  # an argument, and what another method may set
        with pytest.raises(Unavailable, match="Stage is made elsewhere"):
            run.number(name)


NESTED = """\
from dataclasses import dataclass, field
@dataclass
class Model:
    name: str = "org/m"
@dataclass
class Settings:
    model: Model = field(default_factory=Model)
first, second = Settings(), Settings()
second.model.name = "org/other"
SFTTrainer(model=first.model.name)
"""


def test_what_a_class_as_a_factory_makes(tmp_path: Path) -> None:
    assert model_of(run_of(tmp_path, NESTED)) == "org/m"


OPEN = """\
class Stage:
    def __init__(self, settings):
        self.name = "org/m"
        {}
    def model(self):
        {}
    def train(self):
        SFTTrainer(model=self.model())
{}
"""
DERIVED = "class Own(Stage):\n    def model(self):\n        return 'org/other'"


@pytest.mark.parametrize(
    "start, body, more",
    [
        ("pass", "raise NotImplementedError", ""),
        ("pass", "return self.name", DERIVED),
        ("for k, v in settings.items():\n            setattr(self, k, v)", "return self.name", ""),
    ],
)
def test_what_another_class_or_a_setting_may_replace(
    start: str, body: str, more: str, tmp_path: Path
) -> None:
    run = run_of(tmp_path, OPEN.format(start, body, more))
    assert "the model is not known: it is `self.model()`" in model_of(run)


def test_an_entry_that_is_perhaps_deleted(tmp_path: Path) -> None:
    text = "settings = {'model': 'org/m'}\nif os.urandom(1) > b'a':\n    del settings['model']\n"
    run = run_of(tmp_path, text + "SFTTrainer(model=settings.get('model', 'org/x'))\n")
    assert "it depends on" in model_of(run)
