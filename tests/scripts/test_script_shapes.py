"""Scripts in the usual shapes: what is read of each, and what stays unknown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from trl_doctor_rules._recorded.candidate import CONFIG, TOKENIZER, under

from trl_doctor.asking.oracle import ExampleOracle
from trl_doctor.checkup import scripts
from trl_doctor.checkup.opening import Options, open_run
from trl_doctor.commands.cli import main
from trl_doctor.core.finding import Put
from trl_doctor.core.question import Answer, Question
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.candidate import question
from trl_doctor.facts.partly import Partly
from trl_doctor.facts.run import Run
from trl_doctor.files.source.document import Script
from trl_doctor.files.target import NoTarget, Target
from trl_doctor.machine.environment import environment
from trl_doctor.probes.answers.libraries import LibrariesAnswer
from trl_doctor.probes.answers.step import StepAnswer

WORLD = environment(None, ["trl==1.16.0", "transformers==5.23.0"], installed=False)

ARGPARSE = """
import argparse
from trl import SFTConfig, SFTTrainer

def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", required=True)
    parser.add_argument("--lr", type=float, default=2e-5)
    parser.add_argument("--packing", action="store_true")
    return parser.parse_args()

def main(args):
    config = SFTConfig(output_dir="out", learning_rate=args.lr, packing=args.packing)
    SFTTrainer(model=args.model, args=config, train_dataset=None).train()

if __name__ == "__main__":
    main(parse())
"""
DATACLASS = """
from dataclasses import dataclass, field
from transformers import HfArgumentParser
import trl

@dataclass
class Mine:
    model_id: str = field(default="./m", metadata={"help": "model"})
    beta: float = 0.05
    modules: list[str] = field(default_factory=lambda: ["q_proj"])

mine, = HfArgumentParser(Mine).parse_args_into_dataclasses()
config = trl.DPOConfig(output_dir=f"out/{mine.model_id}", beta=mine.beta)
config.max_length = 512
trl.DPOTrainer(mine.model_id, args=config)
"""
ENUMERATIONS = """
from transformers import IntervalStrategy, SchedulerType
from transformers.trainer_utils import SaveStrategy
from trl import SFTConfig, SFTTrainer
args = SFTConfig("out", eval_strategy=IntervalStrategy.STEPS, save_strategy=SaveStrategy.BEST.value,
                 lr_scheduler_type=SchedulerType.COSINE)
SFTTrainer("org/model", args=args)
"""
PARSER = """
from trl import GRPOConfig, GRPOTrainer, ModelConfig, ScriptArguments, TrlParser, get_peft_config

script, args, model = TrlParser((ScriptArguments, GRPOConfig, ModelConfig)).parse_args_and_config()
GRPOTrainer(model=model.model_name_or_path, reward_funcs=len, args=args,
            peft_config=get_peft_config(model))
"""
CLASSES = """
import os
from trl import KTOConfig as Config, KTOTrainer

class Experiment:
    name = "org/model"

    def __init__(self, beta=0.2):
        self.beta = beta

    @property
    def config(self):
        common = dict(output_dir=os.environ.get("OUT", "out"), bf16=True)
        return Config(**common, beta=self.beta, **{"learning_rate": 1e-6})

    def run(self):
        KTOTrainer(self.name, args=self.config)

Experiment(beta=0.3).run()
"""
PARTS = """
from transformers import AutoModelForCausalLM
from trl import SFTConfig, SFTTrainer
config = SFTConfig(output_dir=f(), model_init_kwargs={"dtype": "bfloat16", "device_map": g()})
SFTTrainer("m", args=config)
model = AutoModelForCausalLM.from_pretrained("m", device_map=g())
SFTTrainer(model, args=SFTConfig(**h()))
"""
BRANCHES = """
import torch
from trl import SFTConfig, SFTTrainer
bf16 = torch.cuda.is_bf16_supported()
length = 512 if bf16 else 256
if bf16:
    rate = 1e-5
else:
    rate = 2e-5
SFTTrainer("m", args=SFTConfig(bf16=bf16, learning_rate=rate, max_length=length, packing=True))
"""

MOVED = """
try:
    from trl.experimental.ppo import PPOConfig, PPOTrainer
except ImportError:
    from trl import PPOConfig, PPOTrainer
PPOTrainer(args=PPOConfig(output_dir="out", kl_coef=0.1), model="m")
"""
WRITTEN = """
from trl import GRPOConfig, GRPOTrainer, ModelConfig, TrlParser
args, model = TrlParser((GRPOConfig, ModelConfig)).parse_args_and_config(["--beta", "0.2"])
GRPOTrainer(model="m", args=args)
"""

MARIMO = """
import marimo

app = marimo.App(width="medium")

with app.setup:
    from trl import RewardConfig, RewardTrainer

@app.cell
def _(RewardConfig, rate):
    config = RewardConfig(output_dir="out", learning_rate=rate(3), bf16=True)
    return (config,)

@app.function
def rate(steps):
    return steps * 1e-6

@app.cell(hide_code=True)
def _(config, name):
    trainer = RewardTrainer(model=name, args=config)
    trainer.train()
    return

@app.cell
def __():
    name = "org/model"
    return (name,)

if __name__ == "__main__":
    app.run()
"""
UNPACKED = """
from transformers import AutoModelForCausalLM
from trl import DPOConfig, DPOTrainer
policy, reference = (AutoModelForCausalLM.from_pretrained("org/model") for _ in range(2))
DPOTrainer(policy, reference, args=DPOConfig("out", beta=0.2), train_dataset=rows).train()
"""
CHANGED = """
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer
tokenizer = AutoTokenizer.from_pretrained("MODEL")
tokenizer.add_tokens(["<a>", "<b>"])
model = AutoModelForCausalLM.from_pretrained("MODEL")
model.resize_token_embeddings(len(tokenizer))
SFTTrainer(model, args=SFTConfig("out"), train_dataset=[], processing_class=tokenizer)
"""


def opened(text: str, folder: Path, argv: tuple[str, ...] | None = None, name: str = "t.py") -> Run:
    file = folder / name
    file.write_text(text)
    pointed = scripts.parts(Target(str(file), "script", file, "a script", argv=argv), WORLD)[0]
    return open_run(pointed, WORLD, Options(offline=True))


def settled(run: Run) -> dict[str, Any]:
    assert isinstance(run.arguments, Partly)
    return run.arguments.settled()


@pytest.mark.parametrize(
    ("text", "argv", "trainer", "expected"),
    [
        (ARGPARSE, ("--model", "./m", "--packing"), "sft",
         {"learning_rate": 2e-5, "packing": True, "model_name_or_path": "./m"}),
        (ARGPARSE, ("--model=x/y", "--lr=1e-4"), "sft", {"learning_rate": 1e-4, "packing": False}),
        (DATACLASS, None, "dpo",
         {"beta": 0.05, "max_length": 512, "output_dir": "out/./m", "model_name_or_path": "./m"}),
        (DATACLASS, ("--beta", "0.5", "--model_id", "a/b"), "dpo",
         {"beta": 0.5, "model_name_or_path": "a/b"}),
        (PARSER, ("--model_name_or_path", "m", "--use_peft", "--lora_r", "4", "--beta", "0.1"),
         "grpo", {"beta": 0.1, "use_peft": True, "lora_r": 4, "model_name_or_path": "m"}),
        (CLASSES, None, "kto",
         {"output_dir": "out", "bf16": True, "beta": 0.3, "learning_rate": 1e-6}),
        (BRANCHES, None, "sft", {"packing": True}),
        (MOVED, None, "ppo", {"kl_coef": 0.1}),
        (WRITTEN, None, "grpo", {"beta": 0.2}),
        (ENUMERATIONS, None, "sft",
         {"eval_strategy": "steps", "save_strategy": "best", "lr_scheduler_type": "cosine"}),
        (UNPACKED, None, "dpo", {"beta": 0.2, "model_name_or_path": "org/model"}),
        (MARIMO, None, "reward",
         {"learning_rate": 3e-6, "bf16": True, "model_name_or_path": "org/model"}),
    ],
)  # fmt: skip
def test_what_is_known(
    text: str, argv: tuple[str, ...] | None, trainer: str, expected: dict[str, Any], tmp_path: Path
) -> None:
    run = opened(text, tmp_path, argv)
    assert not isinstance(run.trainer, Unavailable)
    assert run.trainer.name == trainer
    values = settled(run)
    assert {key: values.get(key) for key in expected} == expected


@pytest.mark.parametrize(
    ("text", "key", "why"),
    [
        (ARGPARSE, "model", "it comes from the command line (--model): give it after --"),
        (BRANCHES, "learning_rate", "it depends on `bf16`"),
        (BRANCHES, "max_length", "it depends on `bf16`"),
        (BRANCHES, "bf16", "torch.cuda.is_bf16_supported"),
    ],
)
def test_unknown_arguments_have_a_reason(text: str, key: str, why: str, tmp_path: Path) -> None:
    run = opened(text, tmp_path)
    if key == "model":
        assert isinstance(run.policy, Unavailable)
        assert why in str(run.policy)
        return
    with pytest.raises(Unavailable, match="not known"):
        run.arguments[key]
    assert key in run.arguments
    assert why in str(run.arguments.unknown[key])  # type: ignore[attr-defined]


@pytest.mark.parametrize("text", [ARGPARSE, DATACLASS, PARSER, CLASSES, BRANCHES, PARTS])
def test_a_whole_check_of_it_crashes_nowhere(text: str, tmp_path: Path) -> None:
    file = tmp_path / "train.py"
    file.write_text(text)
    options = ["check", str(file), "--offline", "--level", "files", "--output", "json"]
    result = CliRunner().invoke(main, [*options, "--with", "trl==1.16.0"])
    for report in json.loads(result.stdout)["targets"]:
        assert report["checks"], report["lacking"]
        assert not [check for check in report["checks"] if check["state"] == "crashed"]
        assert report["notes"]


def test_a_yaml_named_on_the_command_line_is_read(tmp_path: Path) -> None:
    (tmp_path / "run.yaml").write_text("learning_rate: 1e-6\nbeta: 0.1\nmodel_name_or_path: m\n")
    run = opened(PARSER, tmp_path, ("--config", "run.yaml", "--beta", "0.2"))
    assert settled(run)["beta"] == 0.2
    assert run.number("learning_rate") == 1e-6
    assert [run.place(key).file.name for key in ("learning_rate", "beta")] == ["run.yaml", "t.py"]
    edit = Put(tmp_path / "run.yaml", "/learning_rate", 1e-5)
    assert isinstance(run.file, Script)
    assert (run.file.holds(edit.file), run.file.refuses([edit])) == (
        True, "the script takes it from run.yaml",
    )  # fmt: skip


def test_modules_beside_the_script_are_read(tmp_path: Path) -> None:
    (tmp_path / "settings.py").write_text("MODEL = 'a/b'\nCONFIG = {'learning_rate': 1e-6}\n")
    (tmp_path / "rewards.py").write_text("def good(completions, **kwargs):\n    return []\n")
    run = opened(
        "from trl import GRPOConfig, GRPOTrainer\nfrom settings import *\nimport rewards\n"
        "GRPOTrainer(MODEL, rewards.good, GRPOConfig(**CONFIG))\n",
        tmp_path,
    )
    values = settled(run)
    assert (values["model_name_or_path"], values["learning_rate"]) == ("a/b", 1e-6)
    assert values["reward_funcs"] == ["rewards.good"]


@pytest.mark.parametrize(
    ("second", "left_over"),
    [
        ("SFTTrainer('m', SFTConfig('b'))", True),
        ("SFTTrainer('m', SFTConfig('b'), peft_config=lora)", False),
        ("SFTTrainer('m', SFTConfig('b'), peft_config=lora if input() else None)", False),
    ],
)
def test_an_adapter_of_another_trainer_is_not_left_over(
    second: str, left_over: bool, tmp_path: Path
) -> None:
    text = (
        "from peft import LoraConfig\nfrom trl import SFTConfig, SFTTrainer\n"
        "lora = LoraConfig(r=8)\n"
        f"SFTTrainer('m', SFTConfig('a')).train()\n{second}.train()\n"
    )
    assert ("lora_r" in settled(opened(text, tmp_path))) is left_over


def test_each_trainer_is_a_target(tmp_path: Path) -> None:
    file = tmp_path / "two.py"
    file.write_text(ARGPARSE + CLASSES)
    targets = scripts.parts(Target("two.py", "script", file, "a script"), WORLD)
    runs = [open_run(part, WORLD, Options(offline=True)) for part in targets]
    assert [str(getattr(run.trainer, "name", "")) for run in runs] == ["sft", "kto"]
    assert targets[1].stage.startswith("KTOTrainer at two.py:")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("print(1)", "creates no trainer of TRL"),
        ("from transformers import Trainer\nTrainer(model=1)", "transformers.Trainer (line 2)"),
    ],
)
def test_a_script_without_a_trainer_is_no_target(text: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(NoTarget) as refused:
        opened(text, tmp_path)
    assert why in str(refused.value)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("print 'x'\n", "is not valid Python: Missing parentheses"),
        ("x = (\n", "is not valid Python"),
        ("\x00" * 10, "is not text"),
        ("x = " + "(" * 3000 + ")" * 3000, "is not valid Python"),
        ("x = " + "-" * 200_000 + "1", "nests too deep"),
        ("x = 1  # " + "y" * 3_000_000, "more than 2 MiB of Python text"),
    ],
)
def test_what_is_no_script_is_unreadable(text: str, why: str, tmp_path: Path) -> None:
    run = opened(text, tmp_path).file
    assert isinstance(run, Unavailable)
    assert why in str(run)


@pytest.mark.parametrize(
    ("notebook", "why"),
    [
        ("{", "is not a valid notebook"),
        ({"cells": [{"cell_type": "code", "source": ["x = ("]}]}, "cell 1 is not valid Python"),
        ({"worksheets": [{"cells": []}]}, "an old form"),
        ({"cells": [], "metadata": {"kernelspec": {"language": "R"}}}, "a notebook of R"),
        ([], "is not a valid notebook"),
    ],
)
def test_what_is_no_notebook_is_unreadable(notebook: Any, why: str, tmp_path: Path) -> None:
    text = notebook if isinstance(notebook, str) else json.dumps(notebook)
    run = opened(text, tmp_path, name="n.ipynb").file
    assert isinstance(run, Unavailable)
    assert why in str(run)


def test_outputs_of_a_notebook_cost_nothing(tmp_path: Path) -> None:
    output = {"output_type": "stream", "text": ["x" * 1000] * 30_000}
    cell = {"cell_type": "code", "source": CLASSES.splitlines(keepends=True), "outputs": [output]}
    run = opened(json.dumps({"cells": [cell]}), tmp_path, name="n.ipynb")
    assert settled(run)["beta"] == 0.3


def test_what_only_a_rehearsal_repeats_names_the_command(tmp_path: Path) -> None:
    """Level tiny does not add tokens to a tokenizer: the reason says what does."""
    candidate = {**CONFIG, **TOKENIZER}
    for name, content in under("model", candidate).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        text = content if isinstance(content, str) else json.dumps(content)
        (tmp_path / name).write_text(text)
    script = CHANGED.replace("MODEL", str(tmp_path / "model"))
    run = opened(script, tmp_path)
    probe_question = Question("libraries", "libraries", {}, LibrariesAnswer)
    libraries = Answer(probe_question, "answered", LibrariesAnswer({}))
    facts = Facts(run, WORLD, ExampleOracle({"libraries": libraries}))
    with pytest.raises(Unavailable) as reason:
        question(facts, "step", "one training step", StepAnswer)
    assert f"run `trl-doctor rehearse {tmp_path / 't.py'}`" in str(reason.value)


OWN_FIELDS = """
from dataclasses import dataclass
from trl import GRPOConfig, GRPOTrainer, ScriptArguments, TrlParser

@dataclass
class Mine(ScriptArguments):
    samples: int = 10

script, args = TrlParser((Mine, GRPOConfig)).parse_args_and_config()
GRPOTrainer("m", reward_funcs=len, args=args)
"""


def test_a_field_of_the_scripts_own_class_is_no_argument_of_trl(tmp_path: Path) -> None:
    run = opened(OWN_FIELDS, tmp_path, ("--samples", "5", "--beta", "0.1", "--output_dir", "out"))
    assert settled(run)["beta"] == 0.1
    assert "samples" not in run.arguments


DERIVED = """
from peft import LoraConfig
from trl import SFTConfig, SFTTrainer

class Distilling(SFTTrainer):
    def __init__(self, *args, teacher=None, **kwargs):
        {before}
        super().__init__(*args, **kwargs)
        {after}

Distilling("org/model", teacher="org/other", args=SFTConfig(output_dir="out", packing=True),
           peft_config=LoraConfig(r=4))
"""


def test_what_a_class_of_the_scripts_own_passes_on(tmp_path: Path) -> None:
    for before, after, is_known in (
        ("self.teacher = teacher", "self.share = 0.5", True),
        ("kwargs['peft_config'] = None", "pass", False),
        ("pass", "self.args.learning_rate = 1", False),
    ):
        run = opened(DERIVED.format(before=before, after=after), tmp_path)
        values = settled(run)
        assert (values.get("packing"), values.get("model_name_or_path")) == (True, "org/model")
        assert values.get("lora_r") == 4
        assert ("learning_rate" not in run.arguments.unknown) == is_known  # type: ignore[attr-defined]


VARIABLES = """
import os
from trl import SFTConfig, SFTTrainer
os.environ["SET_HERE"] = "1"
try:
    known = os.environ["MAYBE"]
except KeyError:
    known = ""
name = os.environ["A_RUN_NAME"] + os.environ["SET_HERE"] + os.environ.get("OTHER", "")
rank = int(os.environ["LOCAL_RANK"])
SFTTrainer("m", args=SFTConfig(output_dir="out", run_name=name))
"""


def test_variables_that_the_script_surely_reads_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("MAYBE", "A_RUN_NAME", "LOCAL_RANK"):
        monkeypatch.delenv(name, raising=False)
    note = "the script needs environment variables that are not set here: A_RUN_NAME (line 9)"
    assert note in opened(VARIABLES, tmp_path).notes
    monkeypatch.setenv("A_RUN_NAME", "first")
    assert not [note for note in opened(VARIABLES, tmp_path).notes if "variables" in note]


def test_a_script_beyond_the_doctors_limits_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "t.py").write_text("x = 1\n" + "# text that nobody reads\n" * 100_000)
    result = CliRunner().invoke(
        main, ["check", "--offline", "--level", "files", str(tmp_path / "t.py")]
    )
    assert result.exit_code == 3, result.output
    assert "`trl-doctor rehearse t.py` runs it" in result.output


def test_a_command_line_is_divided_among_all_classes(tmp_path: Path) -> None:
    argv = ("--model_name_or_path", "m", "--dataset_name", "d", "--output_dir", "out")
    assert opened(PARSER, tmp_path, argv).script.parsed_beside == ()
    own = "from trl import ModelConfig, SFTTrainer\nSFTTrainer(ModelConfig('m', lora=8))\n"
    assert [name for name, _ in opened(own, tmp_path).script.parsed_beside] == ["ModelConfig"]
