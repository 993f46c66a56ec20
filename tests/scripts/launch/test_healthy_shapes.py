"""A launch file that is right stays so in a function, a branch, with tabs or Windows line ends."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from accused import SCRIPT, accused

PRELUDE = """set -xeuo pipefail
module purge
module load cuda/12.4 gcc
source ~/.bashrc
eval "$(conda shell.bash hook)"
conda activate trl
export HF_HOME=$SCRATCH/hf TOKENIZERS_PARALLELISM=false
ulimit -n 65536
trap 'echo failed; exit 1' ERR
nvidia-smi || true
echo "started at $(date)"  # with "quotes" and 'others'
"""
SHAPES: dict[str, Callable[[str], str]] = {
    "as it is": lambda body: body,
    "a prelude": lambda body: PRELUDE + body,
    "a function": lambda body: f'main() {{\n{body}}}\nmain "$@"\n',
    "a function after a branch": lambda body: f"main() {{\nif ls a; then A=1; fi\n{body}}}\nmain\n",
    "a branch": lambda body: f"if true; then\n{body}fi\n",
    "a group": lambda body: f"{{\n{body}}}\n",
    "tabs": lambda body: "".join(f"\t{line}\n" for line in body.splitlines()),
}
BODIES = {
    "a subshell": "(cd sub; make)\n(export CUDA_VISIBLE_DEVICES=0; python rows.py)\n"
    "torchrun --nproc_per_node 4 train.py\n",
    "a folder": "ROOT=$(pwd)\ncd sub\nmake\ncd $ROOT\npython sub/train.py\n",
    "a variable": "LR=2e-5\nexport LR\npython reads.py\n",
    "options over lines": "torchrun \\\n  --nproc_per_node 4 \\\n  train.py \\\n  --lr 1e-5\n",
    "an array": 'WITH=(\n  --lr 1e-5  # the rate\n  --b 2\n)\npython train.py "${WITH[@]}"\n',
    "options by case": "python train.py --a 1\nwhile [ $# -gt 0 ]; do\n  case $1 in\n"
    "    --lr) LR=1; shift;;\n    -b|--b) B=2;;\n    *) echo;;\n  esac\n  shift\ndone\n",
    "two branches": 'if [ "$1" = a ]; then\n  accelerate launch --num_processes 2 train.py &\n'
    "else\n  accelerate launch --num_processes 2 train.py --b &\nfi\nwait\n",
    "a pipe": "set -o pipefail\npython train.py 2>&1 | tee log\nrsync -a out /models\n",
}
READS = f"import os\nrate = os.environ['LR']\n{SCRIPT}"


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("shape", SHAPES)
def test_a_healthy_file_in_another_shape(shape: str, body: str) -> None:
    files = {"sub/train.py": SCRIPT, "reads.py": READS}
    text = f"#!/bin/bash\n#SBATCH --gpus-per-node=4\n{SHAPES[shape](BODIES[body])}"
    ends = ["\n"] if "function" in shape else ["\n", "\r\n"]  # no shell reads such a function
    for end in ends:
        found = accused(text.replace("\n", end), "job.sbatch", **files)
        assert found - {"launcher-fewer-processes-than-gpus"} == set()
