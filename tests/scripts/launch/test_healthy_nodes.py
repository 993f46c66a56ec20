"""Launch files that are right as they are: processes, nodes and several trainings."""

from __future__ import annotations

import pytest
from accused import accused

FOUR = "torchrun --nproc_per_node 4 train.py"
TWO = (
    "torchrun --nnodes 2 --nproc_per_node 4 --rdzv_backend c10d "
    "--rdzv_endpoint $MASTER_ADDR:29500 train.py"
)
RANKED = TWO.replace("--rdzv_backend c10d --rdzv_endpoint", "--node_rank {} --master_addr")
TRAIN = "accelerate launch --num_processes 2 train.py"
DEEPSPEED = """distributed_type: DEEPSPEED
num_machines: 2
num_processes: 8
deepspeed_config: {deepspeed_hostfile: hosts, deepspeed_multinode_launcher: pdsh}
"""
SCRIPT = (
    "import argparse\nfrom trl import SFTConfig, SFTTrainer\np = argparse.ArgumentParser()\n"
    "p.add_argument('--out', default='out')\na, _ = p.parse_known_args()\n"
    "SFTTrainer('org/m', args=SFTConfig(a.out)).train()\n"
)


def job(text: str, *options: str, **files: str) -> set[str]:
    lines = "".join(f"#SBATCH {option}\n" for option in options)
    return accused(f"#!/bin/bash\n{lines}{text}\n", "job.sbatch", **files)


@pytest.mark.parametrize(
    "line",
    [
        f"srun $OPTIONS {FOUR}",
        f"srun -n1 {FOUR}",
        f'SRUN="srun --ntasks-per-node=1"\n$SRUN {FOUR}',
        f"srun bash -c 'if [ $SLURM_LOCALID = 0 ]; then {FOUR}; fi'",
        f"export SLURM_NTASKS_PER_NODE=1\nsrun {FOUR}",
        "srun bash run.sh",
    ],
)
def test_a_launcher_that_one_task_starts(line: str) -> None:
    run = f'[ "$SLURM_LOCALID" -eq 0 ] || exit 0\n{FOUR}\n'
    options = ("--nodes=1", "--ntasks-per-node=4", "--gpus-per-node=4")
    assert job(line, *options, **{"run.sh": run}) == set()


@pytest.mark.parametrize(
    "line",
    [
        "python train.py --out a & python train.py --out b & wait",
        "mpiexec -n 4 python train.py",
        "srun --ntasks=4 python train.py",
        "export CUDA_VISIBLE_DEVICES=0\nunset CUDA_VISIBLE_DEVICES\n" + FOUR,
        f"export CUDA_VISIBLE_DEVICES=0\nenv -u CUDA_VISIBLE_DEVICES {FOUR}",
        f"(export CUDA_VISIBLE_DEVICES=0; python rows.py)\n{FOUR}",
    ],
)
def test_gpus_that_are_used(line: str) -> None:
    assert job(line, "--gpus=4", "--ntasks=1", **{"train.py": SCRIPT}) == set()


def test_tasks_that_each_start_a_launcher_of_one_process() -> None:
    assert job("srun torchrun --nproc_per_node 1 train.py", "--gpus=4", "--ntasks=4") == set()


@pytest.mark.parametrize(
    "line",
    [
        "srun bash run.sh",
        "accelerate launch --config_file ds.yaml train.py",
        f"srun --het-group=0 {FOUR}",
        f"srun $OPTIONS {FOUR}",
        f"srun env NCCL_DEBUG=INFO {TWO}",
        f"srun -N1 -n1 {RANKED.format('$SLURM_NODEID')}",
        f"export MASTER_ADDR=$(hostname -s)\nsrun {TWO}",
        f"srun bash <<'EOF'\n{RANKED.format('$SLURM_NODEID')}\nEOF",
        f"cat > run.sh <<'EOF'\n{TWO}\nEOF\nsrun bash run.sh",
    ],
)
def test_nodes_that_train_together_or_on_their_own(line: str) -> None:
    run = TWO.replace("--nnodes 2", "--nnodes $NODES")
    files = {"run.sh": f"{run}\n", "ds.yaml": DEEPSPEED}
    assert job(line, "--nodes=2", "--ntasks-per-node=1", "--gpus-per-node=4", **files) == set()


@pytest.mark.parametrize(
    "address",
    [
        "if [ $SLURM_NODEID -eq 0 ]; then\n  MASTER_ADDR=$(hostname)\nelse\n  sleep 5\nfi",
        "MASTER_ADDR=$(hostname)\nMASTER_ADDR=$(scontrol show hostnames $LIST | head -n1)",
    ],
)
def test_an_address_that_is_the_first_node_s(address: str) -> None:
    run = {"run.sh": f"{address}\n{TWO}\n"}
    assert job("srun bash run.sh", "--nodes=2", "--gpus-per-node=4", **run) == set()


@pytest.mark.parametrize(
    "text",
    [
        f'if [ "$1" = a ]; then\n  {TRAIN} --out a &\nelse\n  {TRAIN} --out b &\nfi\nwait\n',
        f"case $1 in\n  a) {TRAIN} --out a &\n  ;;\n  b) {TRAIN} --out b &\n  ;;\nesac\nwait\n",
        f'one() {{\n  {TRAIN} &\n}}\ntwo() {{\n  {TRAIN} &\n}}\n"$@"\n',
        f"{TRAIN} --out a &\nif ! wait $!; then exit 1; fi\n{TRAIN} --out b\n",
        f"{TRAIN} --out a &\nsleep 9\nkill $!\n{TRAIN} --out b\n",
        f'sbatch --wrap "{TRAIN} --out a" &\nsbatch --wrap "{TRAIN} --out b" &\n',
        "for i in 1 2; do\n  python train.py && break\n  sleep 60\ndone\n",
        "for stage in 1 2; do\n  python train.py --stage $stage --resume\ndone\n",
        "for host in a b; do\n  ssh $host python train.py --name $host &\ndone\n",
        f"for i in 0 1; do\n  srun -N1 -n1 {RANKED.format('$i')} &\ndone\nwait\n",
        'for i in 1 2; do\n  cd "$RESULTS/$i"\n  python /work/train.py --i $i\ndone\n',
    ],
)
def test_several_trainings_that_do_not_meet(text: str) -> None:
    files = {"train.py": SCRIPT, "work/train.py": SCRIPT}
    assert accused(text, **files) == set()
