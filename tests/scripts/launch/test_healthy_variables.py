"""Launch files that are right as they are: the variables that a script gets."""

from __future__ import annotations

import pytest
from accused import accused

READS = (
    "import os\nfrom trl import SFTConfig, SFTTrainer\nrate = os.environ.get('LR', '1e-3')\n"
    "SFTTrainer('org/m', args=SFTConfig('out', learning_rate=float(rate)))\n"
)
WRITES = f"import os\nos.environ['LR'] = '1e-5'\n{READS}"
LINE = "python train.py\n"


@pytest.mark.parametrize(
    "line",
    [
        f"env LR=$LR {LINE}",
        f"sudo LR=$LR {LINE}",
        f'nohup env LR="$LR" {LINE}',
        f"mpirun -np 2 -x LR=$LR {LINE}",
        f"ssh host LR=$LR {LINE}",
        'ssh host "LR=$LR python train.py"\n',
        f"conda run -n own env LR=$LR {LINE}",
        f"srun --export=ALL,LR=$LR {LINE}",
        f"apptainer exec --nv --env LR=$LR own.sif {LINE}",
        f"LR=$LR timeout 3h {LINE}",
        f"if true; then export LR; fi\n{LINE}",
        f"typeset -x LR=2e-5\n{LINE}",
        "env LR=$LR bash -c 'python train.py'\n",
        "env LR=$LR bash run.sh\n",
    ],
)
def test_a_variable_that_the_script_gets(line: str) -> None:
    files = {"train.py": READS, "run.sh": "python train.py --lr $LR\n"}
    assert accused(f"#!/bin/bash\nLR=2e-5\n{line}", **files) == set()


def test_a_variable_that_the_script_sets_itself() -> None:
    assert accused(f"LR=2e-5\n{LINE}", **{"train.py": WRITES}) == set()
    assert accused(f"LR=2e-5\n{LINE}", **{"train.py": READS}) == {"launcher-keeps-variable"}


@pytest.mark.parametrize(
    "own",
    ["readarray -t LR < rates", "printf -v LR %s 1", "read -r LR < rates", "LR=${1:-2}",
     "for LR in 1 2; do echo $LR; done"],
)  # fmt: skip
def test_a_started_file_that_sets_it_itself(own: str) -> None:
    run = f"{own}\npython train.py --lr $LR\n"
    assert accused("LR=1\nbash run.sh\n", **{"run.sh": run}) == set()


def test_a_started_file_that_only_shows_it_and_one_of_the_machine() -> None:
    for run in ("echo training with $LR\n", "mkdir -p $TMPDIR/a\n"):
        text = "LR=1\nTMPDIR=/scratch\nbash run.sh\n"
        assert accused(text, **{"run.sh": f"{run}python train.py\n"}) == set()
