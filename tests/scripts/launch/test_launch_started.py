"""Launch files that launch files start, loops, arrays of jobs, and a line that the user names."""

import os
from pathlib import Path

import pytest

from trl_doctor.checkup import launch_targets
from trl_doctor.checkup.how_many_processes import of_ray
from trl_doctor.files.launch import forms, reading
from trl_doctor.files.launch.launch import Launch
from trl_doctor.files.target import NoTarget, NotRead, target

TRAIN = """#!/bin/bash
N=1
while getopts "n:o:" o; do
  case $o in n) N=$OPTARG ;; o) OUT=$OPTARG ;; esac
done
shift $((OPTIND - 1))
accelerate launch --num_processes $N train.py --out ${OUT:-out} --lr ${LR:-1} "$@"
"""


def _read(tmp_path: Path, text: str, kind: str = "a shell script") -> list[Launch]:
    (tmp_path / "sub").mkdir(exist_ok=True)
    (tmp_path / "sub" / "train.sh").write_text(TRAIN)
    return reading.read_launches(tmp_path / "go.sh", text.encode(), kind)


@pytest.mark.parametrize(
    ("line", "words", "processes"),
    [
        ("bash sub/train.sh -n 4 -- --seed 1", "--out out --lr 1 --seed 1", 4),
        ("export LR=2\n./sub/train.sh -o x", "--out x --lr 2", 1),
        ("LR=2\n./sub/train.sh", "--out out --lr 1", 1),
        ("LR=3 sbatch -N 1 sub/train.sh -n2", "--out out --lr 3", 2),
        ("export LR=3\nsbatch --export=OUT=o sub/train.sh", "--out o --lr 1", 1),
        ("export LR=3\nsbatch --export=ALL,OUT=o sub/train.sh", "--out o --lr 3", 1),
        ("srun bash -c 'sub/train.sh -n 2'", "--out out --lr 1", 2),
    ],
)
def test_a_launch_file_that_a_line_starts(
    tmp_path: Path, line: str, words: str, processes: int
) -> None:
    (launch,) = _read(tmp_path, f"{line}\n")
    assert " ".join(word.text for word in launch.words) == words
    assert launch.processes == processes
    assert launch.file == str(tmp_path / "sub" / "train.sh")
    assert launch.shown.endswith("which starts train.sh: line 7")


def test_files_that_start_each_other_end(tmp_path: Path) -> None:
    (tmp_path / "a.sh").write_text("bash go.sh\npython a.py\n")
    launches = _read(tmp_path, "bash a.sh\nbash none.sh\n")
    assert [launch.script for launch in launches] == ["a.py"]


def test_a_program_starts_one(tmp_path: Path) -> None:
    text = 'import subprocess\nsubprocess.run(["sbatch", "sub/train.sh", "-n", "8"])\n'
    (launch,) = _read(tmp_path, text, forms.PROGRAM)
    assert (launch.processes, launch.reached, launch.line) == (8, 2, 7)


def test_python_in_a_shell_that_srun_starts(tmp_path: Path) -> None:
    text = "#!/bin/bash\n#SBATCH --ntasks=4\nsrun bash -c 'python train.py'\n"
    (launch,) = _read(tmp_path, text, "a Slurm script")
    assert (launch.processes, launch.processes_from) == (4, "srun starts one for each task")


LOOP = "for b in 8 6; do\n  for lr in 1 2 3; do python t.py --b $b --lr $lr; done\ndone\n"


def test_each_value_of_a_loop_comes_once(tmp_path: Path) -> None:
    launches = _read(tmp_path, LOOP)
    turns = [" ".join(value for _, value in launch.turn) for launch in launches]
    assert turns == ["8 1", "8 2", "8 3", "6 1"]
    assert launches[3].shown == "line 2 (b=6, lr=1)"


def test_a_long_loop_has_its_first_values_and_the_last(tmp_path: Path) -> None:
    launches = _read(tmp_path, "for s in {1..50}; do python t.py $s; done\npython u.py $s\n")
    assert [launch.words[0].text for launch in launches] == ["1", "2", "3", "4", "5", "50", "50"]


def test_a_loop_that_repeats_a_line_starts_it_once(tmp_path: Path) -> None:
    launches = _read(tmp_path, "for i in 1 2 3; do python t.py --x 1 && break; done\n")
    assert len(launches) == 1


def test_the_files_of_a_pattern(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("b.yaml", "a.yaml"):
        (tmp_path / name).write_text("")
    launches = _read(tmp_path, "for c in *.yaml; do trl sft --config $c; done\n")
    assert [launch.words[1].text for launch in launches] == ["a.yaml", "b.yaml"]
    (launch,) = _read(tmp_path, "for c in no/*.yaml; do trl sft --config $c; done\n")
    assert launch.words[1].open


ARRAY = "#!/bin/bash\n#SBATCH --array={}\nA=(x y z)\npython t.py ${{A[$SLURM_ARRAY_TASK_ID]}} {}\n"


def test_the_tasks_of_an_array(tmp_path: Path) -> None:
    def read(tasks: str, word: str = "") -> list[Launch]:
        return _read(tmp_path, ARRAY.format(tasks, word), "a Slurm script")

    assert [launch.words[0].text for launch in read("0-2%2")] == ["x", "y", "z"]
    assert [launch.words[0].text for launch in read("0,2")] == ["x", "z"]
    assert read("0-3")[3].lacking == (("A", 3, 3),)
    same = "#!/bin/bash\n#SBATCH --array=1-4{}\npython t.py\n"
    (launch,) = _read(tmp_path, same.format(""), "a Slurm script")
    assert launch.repeats == 4
    (launch,) = _read(tmp_path, same.format("%1"), "a Slurm script")
    assert launch.repeats == 1


MAKE = "a:\n\tpython a.py \\\n\t--lr 1\nb:\n\techo b\n\tpython b.py\n"
SCRIPT = "from trl import SFTConfig, SFTTrainer\nSFTTrainer('org/m', args=SFTConfig('out'))\n"


@pytest.fixture
def makefile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "Makefile").write_text(MAKE)
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text(SCRIPT)
    return tmp_path / "Makefile"


@pytest.mark.parametrize(
    ("given", "script"), [("Makefile:2", "a.py"), ("Makefile:3:2", "a.py"), ("Makefile:6", "b.py")]
)
def test_a_line_that_the_user_names(makefile: Path, given: str, script: str) -> None:
    named = target(given)
    assert (named.path, named.given) == (makefile, given)
    assert [part.path.name for part in launch_targets.parts(named)] == [script]


def test_a_line_that_starts_nothing(makefile: Path) -> None:
    with pytest.raises(NoTarget, match="Makefile:5: line 5 starts no training: lines 2, 6 do"):
        launch_targets.parts(target("Makefile:5"))
    with pytest.raises(NoTarget, match=r"a\.py:1: name the file without its line: a\.py"):
        target("a.py:1")
    assert os.fspath(makefile).endswith("Makefile")


def test_a_long_option_on_a_line_of_its_own(tmp_path: Path) -> None:
    text = 'n := "2"\ntrain lr="1":\n    @python a.py --n {{n}} \\\n    --lr {{lr}}\n'
    (launch,) = _read(tmp_path, text, "a justfile")
    assert [word.text for word in launch.words] == ["--n", "2", "--lr", "1"]
    (launch,) = _read(tmp_path, MAKE[: MAKE.index("b:")], "a Makefile")
    assert [word.text for word in launch.words] == ["--lr", "1"]


def test_the_jobs_of_a_sweep_of_hydra(tmp_path: Path) -> None:
    text = "python t.py -m a.lr=1,2 b=choice(x,y,z) c=[1,2] hydra/launcher=submitit hydra.x=1\n"
    launches = _read(tmp_path, text.replace("choice(x,y,z)", "'choice(x,y,z)'"))
    assert [" ".join(word.text for word in launch.words) for launch in launches] == [
        "a.lr=1 b=x c=[1,2]", "a.lr=2 b=y c=[1,2]", "a.lr=2 b=z c=[1,2]"
    ]  # fmt: skip
    assert launches[1].shown == "line 1 (a.lr=2, b=y)"


@pytest.mark.parametrize(
    ("code", "number"),
    [
        ("TorchTrainer(f, scaling_config=ScalingConfig(num_workers=3, use_gpu=True))", 3),
        ("TorchTrainer(f, scaling_config=ScalingConfig(\n    num_workers=N))", None),
        ("DataParallelTrainer(f, ScalingConfig(num_workers=3))", None),
    ],
)
def test_the_workers_of_ray(code: str, number: int | None) -> None:
    counted = of_ray(code.encode())
    assert (counted.number if counted else None) == number


MODAL = """import subprocess
import modal
app = modal.App("a")
@app.function(gpu="H100:2")
def train():
    subprocess.run("torchrun --nproc_per_node 4 t.py", shell=True)
"""
VERTEX = """from google.cloud import aiplatform
RATE = 2e-6
job = aiplatform.CustomTrainingJob(display_name="a", script_path="t.py", container_uri="b")
job.run(args=["--lr", str(RATE), "--n", 4], replica_count=1)
aiplatform.CustomJob.from_local_script(script_path="u.py", args=["--n=1"], container_uri="b")
"""


def test_the_gpus_of_a_function_of_modal(tmp_path: Path) -> None:
    (launch,) = _read(tmp_path, MODAL, forms.PROGRAM)
    assert (launch.cluster.gpus_per_node, launch.processes) == (2, 4)


def test_jobs_of_vertex(tmp_path: Path) -> None:
    launches = _read(tmp_path, VERTEX, forms.PROGRAM)
    read = [(launch.script, [word.text for word in launch.words]) for launch in launches]
    assert read == [("t.py", ["--lr", "2e-06", "--n", "4"]), ("u.py", ["--n=1"])]


WORKFLOW = """on: push
jobs:
  a:
    strategy:
      matrix:
        trainer: [sft, "dpo"]
        python: ["3.11", "3.12"]
    steps:
    - uses: actions/setup-python@v6
      with: {python-version: "${{ matrix.python }}"}
    - run: trl ${{ matrix.trainer }} --config ${{ matrix.trainer }}.yaml --seed ${{ inputs.seed }}
"""


def test_each_value_of_a_matrix(tmp_path: Path) -> None:
    launches = _read(tmp_path, WORKFLOW, "a GitHub workflow")
    assert [launch.command for launch in launches] == ["sft", "dpo"]
    assert [launch.words[1].text for launch in launches] == ["sft.yaml", "dpo.yaml"]
    assert all(launch.line == 11 and launch.words[-1].open for launch in launches)
    two = WORKFLOW.replace("matrix:", "matrix: &m\n      matrix:", 1)
    assert _read(tmp_path, two, "a GitHub workflow") == []


CHART = """apiVersion: batch/v1
kind: Job
spec:
  template:
    spec:
      containers:
      - name: a
        args: [python, t.py, "--n={{ .Values.run.n }}", --lr, {{ .Values.lr | quote }}]
        command: []
      - name: b
        args: [python, u.py, "--n={{ .Values.none }}"]
"""


def test_the_values_of_a_chart(tmp_path: Path) -> None:
    (tmp_path / "templates").mkdir()
    (tmp_path / "values.yaml").write_text("run: {n: 4}\nlr: 1e-5\n")
    path = tmp_path / "templates" / "job.yaml"
    launches = reading.read_launches(path, CHART.encode(), "a Kubernetes file")
    assert [word.text for word in launches[0].words] == ["--n=4", "--lr", "1e-5"]
    assert launches[1].words[0].open
    (tmp_path / "values.yaml").write_text("a: [\n")
    assert reading.read_launches(path, CHART.encode(), "a Kubernetes file")[0].words[0].open


def test_a_job_that_another_program_makes_is_named(tmp_path: Path) -> None:
    path = tmp_path / "go.sh"
    path.write_text("for s in 1 2; do\n  sed s/SEED/$s/ job.tmpl | sbatch -N 1\ndone\n")
    with pytest.raises(NotRead, match="what sed makes of another file for sbatch is not read"):
        launch_targets.parts(target(str(path)))
