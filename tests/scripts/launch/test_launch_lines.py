"""Options of a launch line: where findings about them are, and how they are renamed there."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from trl_doctor.commands.cli import main

SCRIPT = """
import argparse
from trl import SFTConfig, SFTTrainer
parser = argparse.ArgumentParser()
parser.add_argument("--model", required=True)
parser.add_argument("--learning_rate", type=float, default=1e-5)
args = parser.parse_args()
SFTTrainer(model=args.model, args=SFTConfig(output_dir="o", learning_rate=args.learning_rate))
"""
PARSED = """
from trl import SFTConfig, SFTTrainer, TrlParser
(args,) = TrlParser((SFTConfig,)).parse_args_into_dataclasses()
SFTTrainer(model="./m", args=args)
"""
FILES = {
    "job.sbatch": "#!/bin/bash\n#SBATCH -N 1\nsrun accelerate launch {} \\\n    --output_dir o \\\n"
    "    {} 5\n",
    "launch.sh": "torchrun --nproc_per_node 2 {} \\\n  --output_dir o \\\n  {}=5\n",
    "Makefile": "train:\n\tpython {} \\\n\t\t--output_dir o \\\n\t\t{} 5\n",
    "Dockerfile": 'FROM x\nENV A=b\nCMD ["python", "{}", "--output_dir=o", "{}", "5"]\n',
    "job.yaml": "apiVersion: v1\nkind: Pod\nspec:\n- args: [python, {}, --output_dir, o,\n"
    '    {}, "5"]\n',
    "sky.yaml": "resources:\n  accelerators: A100:1\nrun: |\n  python {} --output_dir o \\\n"
    "    {} 5\n",
}
INSIDE = {
    "job.slurm": "#SBATCH -N 1\nsrun bash -c 'torchrun --nproc_per_node 2 \\\n  {} \\\n'"
    "'--output_dir o \\\n  {} 5'\n",
    "submit.sh": 'sbatch --gpus=2 --wrap "python {} --output_dir o {} 5"\n',
    "hf.sh": 'hf jobs run --flavor a100-large pytorch/pytorch bash -c "pip install trl && '
    'python {} --output_dir o {} 5"\n',
    "justfile": 'rate := "1e-5"\n\n# a recipe\nsft steps="5":\n'
    "    @python {} --output_dir o --learning_rate {{{{rate}}}} {} {{{{steps}}}}\n",
    "train.dockerfile": 'FROM x\nENTRYPOINT ["python", "{}"]\nCMD ["--output_dir=o", "{}", "5"]\n',
    "helm.yaml": "apiVersion: v1\nkind: Pod\nmetadata:\n  name: {{{{ .Release.Name }}}}\n"
    '  {{{{- include "labels" . | nindent 2 }}}}\nspec:\n- command: [bash, -c]\n  args:\n  - |\n'
    "    torchrun --nproc_per_node {{{{ .Values.gpus }}}} {} \\\n    --output_dir o {} 5\n",
    "workflow.yml": "on: push\njobs:\n  train:\n    env: {{A: b}}\n    steps:\n    - run: |\n"
    "        pip install trl\n        python {} --output_dir ${{{{ inputs.out }}}} {} 5\n",
    "a.gitlab-ci.yml": "train:\n  variables: {{A: b}}\n  script:\n  - pip install trl\n"
    "  - python {} --output_dir o {} 5\n",
    "compose.yaml": "services:\n  train:\n    command: >\n      bash -c 'python {}\n"
    "      --output_dir o {} 5'\n",
}
"""Commands inside another text: a placeholder, a block of YAML, quotation marks."""

OPTIONS = ("--with", "trl==1.16.0", "--with", "transformers==5.23.0", "--level", "files")


def check(*words: str) -> str:
    return CliRunner().invoke(main, ["check", *words, *OPTIONS]).output


@pytest.mark.parametrize("name", [*FILES, *INSIDE])
def test_a_name_is_corrected_in_the_launch_line(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(PARSED)
    shapes = FILES if name in FILES else INSIDE
    text = shapes[name].format("train.py", "--max_seq_length")
    (tmp_path / name).write_text(text)
    output = check(name, "-o", "concise")
    before = text[: text.index("--max")]
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    assert f"{name}:{line}:{column}:" in output and "has no max_seq_length" in output
    assert "repaired: rename max_seq_length to max_length" in check(name, "--fix")
    assert (tmp_path / name).read_text() == text.replace("--max_seq_length", "--max_length")
    assert (tmp_path / "train.py").read_text() == PARSED


def test_a_parser_of_the_script_names_the_option_that_was_meant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(SCRIPT)
    text = "python train.py --learning-rat 1e-5 --model ./m\npython train.py --learning_rate x\n"
    (tmp_path / "launch.sh").write_text(text)
    output = check("launch.sh", "-o", "concise")
    assert "launch.sh:1:17" in output
    assert "does not know --learning-rat; did you mean --learning_rate?" in output
    assert "launch.sh:2:17" in output and "refuses --learning_rate x: it is not a number" in output
    assert "launch.sh:2:1" in output and "needs --model, which is not given" in output
    assert "not repaired" not in check("launch.sh", "--fix")
    assert (tmp_path / "launch.sh").read_text() == text, "another name is a guess"
    check("launch.sh", "--fix", "--unsafe-fixes")
    assert (tmp_path / "launch.sh").read_text() == text.replace("-rat ", "_rate ")


def test_an_option_from_a_variable_is_not_edited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(PARSED)
    text = 'ARGS="--max_seq_length 5"\npython train.py --output_dir o $ARGS\n'
    (tmp_path / "launch.sh").write_text(text)
    output = check("launch.sh", "--fix")
    assert "launch.sh:2:32" in output and "write max_length instead of max_seq_length" in output
    assert (tmp_path / "launch.sh").read_text() == text


@pytest.mark.parametrize(
    "line", ["python train.py --output_dir o", "trl sft", "accelerate launch -m trl.scripts.sft"]
)
def test_argparse_takes_a_shortened_option_for_the_whole(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(PARSED)
    (tmp_path / "launch.sh").write_text(f"{line} --learning_ra 2.0\n")
    output = check("launch.sh", "-o", "concise")
    assert f"launch.sh:1:{len(line) + 2}: warning argument-learning-rate-too-large" in output
    assert "argument-unknown" not in output


@pytest.mark.parametrize(
    "trl, where, happens",
    [("1.16.0", "line", "refuses it"), ("1.16.0", "file", "drops it without a warning"),
     ("0.24.0", "line", "drops it without a warning")],
)  # fmt: skip
def test_what_the_module_of_trl_does_with_an_option(
    trl: str, where: str, happens: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run.yaml").write_text("output_dir: o\n" + "lerning_rate: 1\n" * (where == "file"))
    line = "torchrun -m trl.scripts.sft --config run.yaml" + " --lerning_rate 1" * (where == "line")
    (tmp_path / "launch.sh").write_text(line)
    words = ["check", "launch.sh", "--with", f"trl=={trl}", "--level", "files"]
    output = " ".join(CliRunner().invoke(main, words).output.split())
    assert f"`-m trl.scripts.sft` {happens}" in output


@pytest.mark.parametrize("script", [SCRIPT, PARSED])
@pytest.mark.parametrize("launcher", ["accelerate launch", "torchrun"])
def test_an_option_of_the_launcher_behind_the_script(
    script: str, launcher: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(script)
    option = "--num_processes" if launcher == "accelerate launch" else "--nproc_per_node"
    given = "--model ./m" if script == SCRIPT else "--output_dir o"
    (tmp_path / "launch.sh").write_text(f"{launcher} train.py {given} {option} 2\n")
    output = " ".join(check("launch.sh").split())
    assert f"write {option} before train.py: it is an option of {launcher.split()[0]}" in output
