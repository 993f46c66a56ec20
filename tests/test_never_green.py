"""What is not examined is not green: kinds of targets, the exit status, the report of each."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from trl_doctor.commands.cli import main

FIXTURES = Path(__file__).parent.parent / "fixtures"
WORKFLOW = "name: ci\non: [push]\njobs:\n  test:\n    runs-on: ubuntu-latest\n"
ACCELERATE = "compute_environment: LOCAL_MACHINE\ndistributed_type: MULTI_GPU\nnum_processes: 8\n"
RUN = "model_name_or_path: models/healthy\ndataset_name: data/messages\noutput_dir: out\n"
MANIFESTS = "apiVersion: v1\nkind: ConfigMap\n---\napiVersion: batch/v1\nkind: Job\n"
ELSEWHERE = (
    "import sys\nimport yaml\nfrom rows import data\nfrom trl import SFTConfig, SFTTrainer\n"
    "given = SFTConfig(**yaml.safe_load(open(sys.argv[1])))\n"
    "SFTTrainer('models/healthy', args=given, train_dataset=data())\n"
)
OTHER_TOKENIZER = (
    "from rows import rows\nfrom transformers import AutoTokenizer\n"
    "from trl import SFTConfig, SFTTrainer\n"
    "SFTTrainer('models/healthy', args=SFTConfig('out'), train_dataset=rows,\n"
    "           processing_class=AutoTokenizer.from_pretrained('org/gone')).train()\n"
)
BROKEN = "[tool.trl-doctor]\nselct = 3\n"
REFERENCE = """
from transformers import AutoModelForCausalLM
from datasets import load_dataset
from trl import DPOConfig, DPOTrainer

rows = load_dataset("org/rows", split="train")
model = AutoModelForCausalLM.from_pretrained("models/healthy")
before = AutoModelForCausalLM.from_pretrained("org/gone")
DPOTrainer(model, before, DPOConfig("out"), train_dataset=rows).train()
"""

KINDS: dict[str, tuple[str, dict[str, Any], int, str]] = {
    # name: target, files, exit status, what is said
    "healthy run": ("fixtures/sft.yaml", {}, 0, "passed"),
    "tokenizer not here": ("t.py", {"t.py": OTHER_TOKENIZER}, 3, "the tokenizer could not be"),
    "model folder": ("models/healthy", {}, 3, "the trainer is not known"),
    "broken run": ("fixtures/broken-grpo.json", {}, 1, "failed"),
    "notebook": ("a.ipynb", {"a.ipynb": {"cells": [], "nbformat": 4}}, 3, "incomplete"),
    "shell script": ("a.sh", {"a.sh": 'trl sft --config "$RUN"\n'}, 3, "a shell script"),
    "Slurm script": ("a.sbatch", {"a.sbatch": "#SBATCH -N1\n"}, 3, "a Slurm script"),
    "GitHub workflow": ("ci.yml", {"ci.yml": WORKFLOW}, 3, "a GitHub workflow"),
    "accelerate file": ("acc.yaml", {"acc.yaml": ACCELERATE}, 3, "an accelerate file"),
    "DeepSpeed file": ("ds.json", {"ds.json": {"zero_optimization": {}}}, 3, "a DeepSpeed file"),
    "verl": ("v.yaml", {"v.yaml": "actor_rollout_ref: {}\n"}, 3, "a run file of verl"),
    "OpenRLHF": ("o.yaml", {"o.yaml": "pretrain: x\n"}, 3, "a run file of OpenRLHF"),
    "ms-swift": ("s.yaml", {"s.yaml": "rlhf_type: dpo\nmodel: x\n"}, 3, "ms-swift"),
    "torchtune": (
        "t.yaml", {"t.yaml": "tokenizer:\n  _component_: torchtune.x\n"}, 3, "torchtune",
    ),
    "Axolotl": ("x.yaml", {"x.yaml": "base_model: org/gone\nsequence_len: 8\n"}, 3, "Axolotl"),
    "LLaMA-Factory": (
        "l.yaml", {"l.yaml": "stage: pt\nfinetuning_type: lora\ncutoff_len: 8\n"}, 3, "LLaMA-F",
    ),
    "Kubernetes": ("k.yaml", {"k.yaml": "apiVersion: v1\nkind: Pod\n"}, 3, "a Kubernetes"),
    "SkyPilot": ("p.yaml", {"p.yaml": "resources: {}\nrun: ls\n"}, 3, "a task of SkyPilot"),
    "pre-commit": ("c.yaml", {"c.yaml": "repos: []\n"}, 3, "a configuration of pre-commit"),
    "GitLab": (".gitlab-ci.yml", {".gitlab-ci.yml": "a: {script: ls}\n"}, 3, "a GitLab pipeline"),
    "rows": ("d.jsonl", {"d.jsonl": '{"text": "x"}\n'}, 3, "a file of rows"),
    "rows in JSON": ("d.json", {"d.json": [{"prompt": "x"}]}, 3, "a file of rows"),
    "weights": ("m.safetensors", {"m.safetensors": "x"}, 3, "is a weights file"),
    "nothing there": ("gone.yaml", {}, 3, "there is no such file or folder"),
    "pattern without match": ("conf*/x-*.yaml", {}, 3, "no file matches this pattern"),
    "folder without a model": ("data", {}, 3, "the folder holds no model"),
    "empty file": ("e.yaml", {"e.yaml": ""}, 1, "failed"),
    "text that is no YAML": ("e.yaml", {"e.yaml": "a: [\n"}, 1, "failed"),
    "trainer not known": ("run.yaml", {"run.yaml": RUN}, 3, "the trainer is not known"),
    "policy not cached": (
        "sft.yaml", {"sft.yaml": RUN.replace("models/healthy", "org/gone")}, 3, "the policy model",
    ),
    "reference not cached": (
        "r.py", {"r.py": REFERENCE}, 3, "the reference model could not be examined",
    ),
    "script whose arguments are elsewhere": (
        "e.py", {"e.py": ELSEWHERE}, 3, "the arguments could not be examined",
    ),
    "keys of nobody": (
        "sft.yaml", {"sft.yaml": "a: 1\nb: 2\nc: 3\n"}, 3, "the arguments could not be examined",
    ),
    "unknown trainer": (
        "run.yaml", {"run.yaml": "# trl-doctor: trainer=sftt\n" + RUN}, 1, "sftt is not a trainer",
    ),
    "empty script": ("e.py", {"e.py": ""}, 1, "is empty"),
    "script that does not parse": ("e.py", {"e.py": "from trl import (\n"}, 1, "not valid Python"),
    "script without a trainer": ("u.py", {"u.py": "import trl\n"}, 3, "creates no trainer"),
    "trainer only imported": (
        "u.py", {"u.py": "def f():\n    from trl import SFTTrainer\n"}, 3, "creates no trainer",
    ),
    "trainer of transformers": (
        "t.py", {"t.py": "from transformers import Trainer\nTrainer()\n"}, 3, "formers.Trainer",
    ),
    "folder of notebooks": ("n", {"n/a.ipynb": {"cells": []}}, 3, "name a file in it: a.ipynb"),
    "folder with a README": ("r", {"r/README.md": "# hi\n"}, 3, "the folder holds no model"),
    "file of another program": (
        "s.yaml", {"s.yaml": "model_name_or_path: models/healthy\nport: 1\nhost: a\n"}, 3,
        "another program reads this file",
    ),
    "list": ("l.json", {"l.json": [1, 2]}, 1, "is a list"),
    "several documents": ("sft.yaml", {"sft.yaml": RUN + "---\n" + RUN}, 1, "a second document"),
    "Kubernetes in several documents": ("k.yaml", {"k.yaml": MANIFESTS}, 3, "a Kubernetes file"),
    "Python objects in YAML": (
        "sft.yaml", {"sft.yaml": RUN + "a: !!python/object:os.system ls\n"}, 1, "the tag !!python",
    ),
    "Jinja": ("sft.yaml", {"sft.yaml": RUN + "{% if a %}\nb: 1\n{% endif %}\n"}, 3, "a template"),
    "model that a variable names": (
        "sft.yaml", {"sft.yaml": RUN.replace("models/healthy", "${MODEL}")}, 3, "another program",
    ),
    "model of Hydra": (
        "h.yaml", {"h.yaml": RUN.replace("models/healthy", "${base.model}")}, 3, "a template",
    ),
    "Hydra": ("h.yaml", {"h.yaml": "defaults:\n- base\noutput_dir: o\n"}, 3, "of Hydra"),
    "sweep": ("w.yaml", {"w.yaml": "method: bayes\nparameters: {}\n"}, 3, "Weights & Biases"),
    "Makefile without TRL": ("Makefile", {"Makefile": "all:\n\tcc a.c\n"}, 3, "a Makefile"),
    "text": ("requirements.txt", {"requirements.txt": "trl==1.16.0\n"}, 3, "is a text"),
    "INI file": ("a.ini", {"a.ini": "[a]\nb=1\n"}, 3, "an INI file"),
    "picture": ("a.png", {"a.png": "x"}, 3, "a picture"),
    "unknown bytes": ("a.dat", {"a.dat": "a: [\n"}, 3, "is not valid YAML"),
    "no regular file": ("/dev/null", {}, 3, "is a device"),
    "image classifier": ("vit", {"vit/config.json": {"model_type": "vit"}}, 3, "incomplete"),
    "JSON that only YAML takes": (
        "sft.json", {"sft.json": '{"output_dir": "out",}'}, 3, "reads it as YAML",
    ),
    "wrong settings": ("run.yaml", {"run.yaml": RUN, "pyproject.toml": BROKEN}, 2, "selct"),
}  # fmt: skip


@pytest.fixture(autouse=True)
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("models", "data"):
        shutil.copytree(FIXTURES / name, tmp_path / name)
    (tmp_path / "fixtures").mkdir()
    for name in ("sft.yaml", "broken-grpo.json"):
        shutil.copy(FIXTURES / name, tmp_path / "fixtures")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    for name in ("CUDA_VISIBLE_DEVICES", "SLURM_GPUS_ON_NODE", "SLURM_NTASKS_PER_NODE"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def lay(files: dict[str, Any]) -> None:
    for name, content in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(content if isinstance(content, str) else json.dumps(content))


def check(*arguments: str) -> tuple[int, str]:
    given = ["check", "--offline", "--with", "trl==1.16.0", "--with", "transformers==5.23.0"]
    result = CliRunner().invoke(main, [*given, *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.exit_code, " ".join(result.output.split())


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_not_examined_is_not_green(kind: str) -> None:
    target, files, status, says = KINDS[kind]
    lay(files)
    assert (check(target)[0], says in check(target)[1]) == (status, True), check(target)[1]


@pytest.mark.parametrize(
    ("kind", "status"),
    [("verl", 0), ("trainer not known", 0), ("policy not cached", 0), ("GitHub workflow", 0),
     ("nothing there", 3), ("pattern without match", 3), ("broken run", 1)],
)  # fmt: skip
def test_an_incomplete_check_can_be_allowed_and_is_reported(kind: str, status: int) -> None:
    target, files, _, _ = KINDS[kind]
    lay(files)
    output, text = check(target, "--allow-incomplete")
    assert output == status
    assert status or "incomplete" in text


def test_one_target_that_is_not_read_spoils_many() -> None:
    lay({"ci.yml": WORKFLOW})
    status, output = check("fixtures/sft.yaml", "ci.yml")
    assert status == 3
    assert "total: 2 targets · 1 passed · 1 incomplete" in output


TRAINERS: dict[str, tuple[str, dict[str, Any], str]] = {
    "comment": ("run.yaml", {"run.yaml": "# trl-doctor: trainer=sft\n" + RUN}, "the comment in"),
    "launch line in a comment": (
        "run.yaml", {"run.yaml": "# trl sft --config run.yaml\n" + RUN}, "its comment `trl sft",
    ),
    "launch line in a script": (
        "run.yaml",
        {"run.yaml": RUN, "go.sh": "exec trl sft \\\n  --config run.yaml --max_steps 3\n"},
        "`trl sft --config` in go.sh",
    ),
    "name of the file": ("sft_math.yaml", {"sft_math.yaml": RUN}, "the name of the file sft_math"),
    "name of the folder": ("c/sft/a.yaml", {"c/sft/a.yaml": RUN}, "the name of the folder sft"),
    "settings by path": (
        "c/a.yaml",
        {"c/a.yaml": RUN, "trl-doctor.toml": '[targets."c/*.yaml"]\ntrainer = "sft"\n'},
        "the settings for c/*.yaml",
    ),
    "settings": ("a.yaml", {"a.yaml": RUN, "trl-doctor.toml": 'trainer = "sft"\n'}, "the settings"),
}  # fmt: skip


@pytest.mark.parametrize("way", TRAINERS)
def test_the_trainer_is_read_without_a_key_in_the_run_file(way: str) -> None:
    target, files, says = TRAINERS[way]
    lay(files)
    status, output = check(target)
    assert f"trainer sft ({says}" in output
    assert status == 0


def test_a_link_to_nothing_is_not_green() -> None:
    Path("sft.yaml").symlink_to("nothing")
    assert check("sft.yaml")[0] == 3
    assert "a link to a file that does not exist" in check("sft.yaml")[1]


def test_a_training_whose_script_is_not_here_spoils_its_launch_file() -> None:
    healthy = "trl sft --config fixtures/sft.yaml\n"
    lay({"a.sh": f"python prepare.py\n{healthy}", "b.sh": f"torchrun train.py\n{healthy}"})
    assert check("a.sh")[0] == 0
    status, output = check("b.sh")
    assert (status, "could not be examined: there is no train.py" in output) == (3, True)
    lay({"train.py": "import mine\nmine.train()\n", "prepare.py": "print()\n"})
    assert check("a.sh")[0] == 0
    status, output = check("b.sh")
    assert (status, "train.py creates no trainer of TRL" in output) == (3, True)


def test_the_job_among_several_documents_of_kubernetes_is_examined() -> None:
    container = "command: [trl, sft, --config, fixtures/sft.yaml, --learning_rate, fast]\n"
    lay({"k.yaml": f"# two\n{MANIFESTS}spec: {{containers: [\n  {{{container}  }}]}}\n--- # end\n"})
    status, output = check("k.yaml")
    assert status == 1
    assert "at k.yaml:8:" in output


def test_a_launch_line_for_another_file_is_not_used() -> None:
    lay({"run.yaml": RUN, "go.sh": "trl sft --config other/run.yaml\n"})
    assert check("run.yaml")[0] == 3


def test_findings_of_every_trainer_are_reported_while_it_is_open() -> None:
    lay({"run.yaml": RUN.replace("healthy", "no-pad-no-stop") + "learning_rate: fast\n"})
    status, output = check("run.yaml")
    assert status == 1
    assert "argument-of-wrong-type" in output
    assert "the trainer is not known" in output


def test_what_tells_the_trainer_is_said_once() -> None:
    lay({"run.yaml": RUN})
    _, output = check("run.yaml")
    assert " ".join(output.split()).count("use `--trainer grpo`, or write the comment") == 1
    assert output.index("verdict:") < output.index("use `--trainer")


GRPO = "# trl-doctor: trainer=grpo\nper_device_train_batch_size: 1\nnum_generations: 8\n" + (
    RUN.replace("messages", "prompts") + "reward_funcs: [accuracy_reward]\n"
)
BEFORE_ONE_FIRST = ("--with", "trl==0.29.1")
"""A release whose command does not make the config in one process first."""
PROCESSES: dict[str, tuple[dict[str, Any], dict[str, str], str]] = {
    "SLURM": ({}, {"SLURM_GPUS_ON_NODE": "4", "SLURM_NNODES": "2"}, "SLURM_GPUS_ON_NODE=4 on 2"),
    "visible GPUs": ({}, {"CUDA_VISIBLE_DEVICES": "0,1,2,3,4,5,6,7"}, "CUDA_VISIBLE_DEVICES=0,1"),
    "the user's default": ({"home/accelerate/default_config.yaml": ACCELERATE}, {}, "num_proc"),
    "DeepSpeed": (
        {
            "ds.json": {"train_batch_size": 8, "train_micro_batch_size_per_gpu": 1,
                        "gradient_accumulation_steps": 1, "zero_optimization": {"stage": 2}},
            "run.yaml": GRPO + "deepspeed: ds.json\n",
        },
        {},
        "the batch sizes in ds.json",
    ),
    "the run's accelerate file": (
        {"acc.yaml": ACCELERATE, "run.yaml": GRPO + "accelerate_config: acc.yaml\n"},
        {},
        "num_processes in acc.yaml",
    ),
    "comment": ({"run.yaml": GRPO.replace("=grpo", "=grpo num_processes=8")}, {}, "the comment"),
}  # fmt: skip


@pytest.mark.parametrize("way", PROCESSES)
def test_the_number_of_processes_is_read_and_reported(
    way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    files, variables, says = PROCESSES[way]
    lay({"run.yaml": GRPO, **files})
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    status, output = check("run.yaml", *BEFORE_ONE_FIRST)
    assert f"8 processes ({says}" in output
    assert "batch-not-divisible" not in output
    assert status == 0


def test_a_batch_for_eight_processes_is_a_warning_if_their_number_is_unknown() -> None:
    lay({"run.yaml": GRPO})
    status, output = check("run.yaml", "--fail-on", "warning", *BEFORE_ONE_FIRST)
    assert status == 1
    assert "warning: this does not work with every number of processes" in output


@pytest.mark.parametrize(
    ("name", "text"),
    [("e.yaml", ""), ("b.yaml", "model: m\n  trainer: sft\n"), ("s.py", "import trl\ndef f(:\n")],
)
def test_nothing_of_a_run_is_clear_whose_file_cannot_be_read(name: str, text: str) -> None:
    lay({name: text})
    status, output = check(name, "--format", "json")
    (target,) = json.loads(output)["targets"]
    clear = {check["rule"] for check in target["checks"] if check["state"] == "clear"}
    assert status == 1
    assert all(rule.startswith(("file-", "library-", "package-")) for rule in clear), clear
    assert "nothing of the run could be examined" in str(target)
