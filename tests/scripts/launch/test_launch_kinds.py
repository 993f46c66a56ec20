"""Files of CI services and schedulers: recognised by their name and keys, their commands found."""

from __future__ import annotations

from pathlib import Path

import pytest

from trl_doctor.files.launch import forms, reading

FILES = {
    ".circleci/config.yml": (
        "a CircleCI pipeline",
        "version: 2.1\njobs:\n  t:\n    environment: {LR: 2}\n    steps:\n    - checkout\n"
        "    - run: {name: t, command: python train.py --lr $LR}\nworkflows: {m: {jobs: [t]}}\n",
    ),
    "azure-pipelines.yml": (
        "an Azure pipeline",
        "trigger: [main]\nvariables: {LR: 2}\nsteps:\n- script: echo\n\n"
        "\n- bash: python train.py --lr $(LR)\n",
    ),
    "azureml.yml": (
        "a job of Azure ML",
        "$schema: x\ntype: command\ncode: .\nenvironment_variables: {}\ncompute: gpu\n\n"
        "command: python train.py --lr 2\n",
    ),
    "x.dstack.yml": (
        "a task of dstack",
        "type: task\nenv:\n- LR=2\nnodes: 2\ncommands:\n- pip install trl\n"
        "- python train.py --lr $LR\n",
    ),
    "values.yaml": (
        "a YAML file with commands",
        "image: x\n\n\n\nargs: [--lr, '2']\n\ncommand: [python, train.py]\n",
    ),
    "dvc.yaml": (
        "a YAML file with commands",
        "stages:\n  train:\n    deps: [x]\n    params: [y]\n\n\n    cmd: python train.py --lr 2\n",
    ),
    "tox.ini": (
        "a tox file",
        "[testenv:t]\nset_env =\n    LR = 2\ndeps = trl\ncommands =\n    pip list\n"
        "    python train.py {posargs:--lr $LR}\n",
    ),
    "Jenkinsfile": (
        "a Jenkinsfile",
        "pipeline {\n  environment { LR = '2' }\n  // sh 'python old.py'\n  steps {\n"
        "    sh 'a'; sh \"b\"\n    sh(label: 'x', script: '''\n      python train.py --lr $LR\n"
        "    ''')\n  }\n}\n",
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_its_training_is_found(name: str, tmp_path: Path) -> None:
    kind, text = FILES[name]
    path, data = tmp_path / name, text.encode()
    assert forms.form(path, data) == kind
    (launch,) = reading.read_launches(path, data, kind)
    assert launch.script == "train.py"
    assert [word.text for word in launch.words] == ["--lr", "2"]
    assert launch.line == 7


OTHERS = [
    "# python train.py\nmodel_name_or_path: m\nrun: 1\n",
    "# accelerate launch train.py\ncommand: later\n",
    "program: train.py\ncommand: [python, train.py]\nparameters: {lr: {min: 1}}\n",
    "base_model: m\nscript: python train.py\n",
    "distributed_type: NO\ncommand_file: null\ncommands: null\n",
    "- command: python train.py\n",
]


@pytest.mark.parametrize("text", OTHERS)
def test_no_launch_file(text: str) -> None:
    assert forms.form(Path("run.yaml"), text.encode()) == ""


def test_processes_that_azure_starts_are_not_known() -> None:
    """`distribution` starts the command on each GPU; without it there is one process."""
    text = "command: python train.py\ncompute: c\n"
    more = "distribution: {type: pytorch, process_count_per_instance: 8}\n"
    for job, processes in ((text, 1), (text + more, None)):
        (launch,) = reading.read_launches(Path("a.yml"), job.encode(), "a job of Azure ML")
        assert launch.processes == processes


AZURE = """\
command: >-
  python train.py --lr ${{inputs.lr}} --rows ${{ inputs.rows }} --data ${{inputs.data}}
code: src
inputs:
  lr: 2
  rows: '8'
  data: {type: uri_folder, path: ./rows}
compute: gpu
"""


def test_the_inputs_and_the_folder_of_azure_ml() -> None:
    """A file or folder is elsewhere on the machine of the job."""
    (launch,) = reading.read_launches(Path("job.yml"), AZURE.encode(), "a job of Azure ML")
    assert (launch.script, launch.folder) == ("train.py", "src")
    assert [word.text for word in launch.words] == ["--lr", "2", "--rows", "8", "--data", ""]
    assert launch.words[-1].open


ESTIMATORS = {
    "HuggingFace(entry_point='train.py', source_dir='src', hyperparameters=values)": 1,
    "ModelTrainer(source_code=source, hyperparameters=values, distributed=Torchrun())": None,
    "command('x', code='src', command='python train.py --lr ${{inputs.lr}} --on True', "
    "inputs=values)": 1,
    "subprocess.run(['python', 'train.py', '--lr', '-2', '--on', 'True'], cwd='src')": 1,
}


@pytest.mark.parametrize(("call", "processes"), ESTIMATORS.items())
def test_a_script_with_the_values_that_a_program_gives_it(call: str, processes: int | None) -> None:
    program = (
        "source = SourceCode(source_dir='src', entry_script='train.py')\n"
        f"values = {{'lr': -2, 'on': True}}\n{call}\n"
    )
    (launch,) = reading.read_launches(Path("job.py"), program.encode(), forms.PROGRAM)
    assert (launch.script, launch.folder, launch.processes) == ("train.py", "src", processes)
    assert [word.text for word in launch.words] == ["--lr", "-2", "--on", "True"]


def test_hyperparameters_that_are_made_elsewhere_are_not_known() -> None:
    program = "HuggingFace(entry_point='train.py', hyperparameters=read('values.json'))\n"
    (launch,) = reading.read_launches(Path("job.py"), program.encode(), forms.PROGRAM)
    assert [bool(word.open) for word in launch.words] == [True]


def test_what_tox_and_jenkins_give_is_not_known() -> None:
    tox = "[testenv]\nset_env = A = {env:HOME}\ncommands = python train.py {envdir} $A {posargs}\n"
    jenkins = 'sh """python train.py ${params.X} \\$Y"""\n'
    for name, text in (("tox.ini", tox), ("Jenkinsfile", jenkins)):
        path = Path(name)
        (launch,) = reading.read_launches(path, text.encode(), forms.form(path, text.encode()))
        assert [bool(word.open) for word in launch.words] == [True, True]
