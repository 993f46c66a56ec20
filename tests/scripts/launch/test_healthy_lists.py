"""Arrays of jobs and lists that are right as they are."""

from __future__ import annotations

import pytest
from accused import accused

SCRIPT = (
    "import argparse\nfrom trl import SFTConfig, SFTTrainer\np = argparse.ArgumentParser()\n"
    "p.add_argument('--lr', type=float)\np.add_argument('--out')\na = p.parse_args()\n"
    "SFTTrainer('org/m', args=SFTConfig(a.out, learning_rate=a.lr)).train()\n"
)
LINE = "python train.py --out out/$SLURM_ARRAY_TASK_ID --lr {}\n"
WORD = "${RATES[$SLURM_ARRAY_TASK_ID]}"
NODES = 'NODES=($(scontrol show hostnames "$SLURM_JOB_NODELIST"))\n'


def job(tasks: str, text: str, shell: str = "bash") -> set[str]:
    whole = f"#!/bin/{shell}\n#SBATCH --array={tasks}\n{text}\n"
    return accused(whole, "job.sbatch", **{"train.py": SCRIPT})


@pytest.mark.parametrize(
    ("tasks", "setting"),
    [
        ("0-3", "RATES=(rates/*.txt)"),
        ("0-3", "RATES=({1..4})"),
        ("0-1", "RATES=(1e-{5,6})"),
        ("0-3", "RATES=($(seq 1 4))"),
        ("0-2", "RATES=(1 2)\nRATES[2]=3"),
        ("0-2", "RATES=()\nmapfile -t RATES < rates.txt"),
        ("0-2", 'declare -a RATES=()\nIFS=, read -ra RATES <<< "$GIVEN"'),
        ("0-2", "RATES=()\nwhile read -r rate; do RATES+=($rate); done < rates.txt"),
        ("1-3", "RATES=([1]=1 [2]=2 [3]=3)"),
        ("0-2", "readonly RATES=(1 2 3)"),
        ("1-3", 'RATES=("" 1 2 3)'),
        ("0-2", "RATES=(\n  1 # one\n  2\n  3\n)"),
        ("0-2", "RATES=(\r\n  1\r\n  2\r\n  3\r\n)\r"),
    ],
)
def test_a_list_with_a_word_for_each_task(tasks: str, setting: str) -> None:
    assert job(tasks, f"{setting}\n{LINE.format(WORD)}") == set()


def test_a_list_of_zsh_begins_with_1() -> None:
    text = f"RATES=(1 2 3)\n{LINE.format(WORD)}"
    assert job("1-3", text, "zsh") == set()
    assert job("1-3", text) == {"launcher-list-too-short"}


@pytest.mark.parametrize(
    "choice",
    [
        f'if [ "$SLURM_ARRAY_TASK_ID" -lt 3 ]; then\n  LR={WORD}\nelse\n  LR=1\nfi',
        f"LR=1\n[ $SLURM_ARRAY_TASK_ID -lt 3 ] && LR={WORD}",
        "LR=${RATES[$((SLURM_ARRAY_TASK_ID % 3))]}",
    ],
)
def test_a_task_that_asks_for_no_word(choice: str) -> None:
    assert job("0-4", f"RATES=(1 2 3)\n{choice}\n{LINE.format('$LR')}") == set()


@pytest.mark.parametrize(
    "use",
    [
        "if [ ${#NODES[@]} -gt 1 ]; then\n  H=${NODES[1]}\nfi",
        "if [[ $SLURM_NNODES -gt 1 ]]; then H=${NODES[1]}; fi",
        "[ $SLURM_JOB_NUM_NODES -gt 1 ] && H=${NODES[1]}",
    ],
)
def test_a_node_that_only_a_larger_job_has(use: str) -> None:
    text = f"#!/bin/bash\n#SBATCH -N 1\n{NODES}{use}\npython train.py\n"
    assert accused(text, "job.sbatch") == set()


def test_what_a_command_reads_or_unsets_is_not_known() -> None:
    for line in ("unset CUDA_VISIBLE_DEVICES", "read -r CUDA_VISIBLE_DEVICES",
                 "printf -v CUDA_VISIBLE_DEVICES %s 0,1,2,3"):  # fmt: skip
        text = f"export CUDA_VISIBLE_DEVICES=0\n{line}\ntorchrun --nproc_per_node 4 train.py\n"
        assert accused(text) == set()
