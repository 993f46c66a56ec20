"""Which shell fills in the words that `srun` gives to each node."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from commands import checks

SRUN = """#!/bin/bash
for rank in 0 1; do SLURM_NODEID=$rank "$@"; done
"""
"""What Slurm's own does on two nodes, on one machine."""

LAUNCHER = '#!/bin/bash\necho "$@"\n'
TRAIN = "from trl import SFTConfig, SFTTrainer\nSFTTrainer('org/m', args=SFTConfig('out'))\n"
HEAD = "#!/bin/bash\n#SBATCH --nodes=2\n"
LINE = "torchrun --nnodes 2 --node_rank $SLURM_NODEID train.py"


@pytest.mark.parametrize(
    ("line", "ranks"), [(f"srun {LINE}", ["0", "0"]), (f"srun bash -c '{LINE}'", ["0", "1"])]
)
def test_the_batch_script_fills_in_words_once(line: str, ranks: list[str], tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, text in (("srun", SRUN), ("torchrun", LAUNCHER)):
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    (tmp_path / "train.py").write_text(TRAIN)
    job = tmp_path / "job.sbatch"
    job.write_text(f"{HEAD}{line}\n")
    variables = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "SLURM_NODEID": "0"}
    done = subprocess.run(["bash", job], env=variables, capture_output=True, text=True, check=True)
    assert [shown.split()[3] for shown in done.stdout.splitlines()] == ranks
    flags = ("--level", "files", "--select", "launcher-rank-of-first-node")
    found = checks(job, Path(sys.executable), *flags, statuses=(0, 1, 3))
    assert len(found["launcher-rank-of-first-node"]["findings"]) == (ranks == ["0", "0"])
