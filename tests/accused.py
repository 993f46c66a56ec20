"""What the rules on launch files say of one that is right."""

from __future__ import annotations

from pathlib import Path

from trl_doctor.asking.oracle import NoOracle
from trl_doctor.checkup import launch_targets
from trl_doctor.checkup.checkup import examine
from trl_doctor.checkup.discover import discover
from trl_doctor.checkup.opening import Options, open_run
from trl_doctor.checkup.stated_gpus import GpuOptions
from trl_doctor.facts.rule import Files
from trl_doctor.files.target import target
from trl_doctor.machine.environment import Environment
from trl_doctor.machine.surroundings import Surroundings
from trl_doctor.testing import laid_out

RULES = [rule for rule in discover().rules if rule.name.startswith("launcher-")]
SCRIPT = (
    "from trl import SFTConfig, SFTTrainer\nSFTTrainer('org/m', args=SFTConfig('out')).train()\n"
)


def accused(text: str, name: str = "job.sh", **files: str) -> set[str]:
    """The rules that find something in a launch file with this text, beside a `train.py`."""
    given: Files = {"train.py": SCRIPT, **files, name: text}
    with laid_out(given) as folder:
        world = Environment(Path("python"), (), {})
        options = Options(offline=True, gpus=GpuOptions(None), machine=Surroundings())
        pointed = target(str(folder / name), offline=True)
        runs = [open_run(part, world, options) for part in launch_targets.parts(pointed)]
        outcomes = [
            each for run in runs for each in examine(run, world, RULES, NoOracle("")).outcomes
        ]
    assert runs and not any(outcome.state == "crashed" for outcome in outcomes)
    return {outcome.rule.name for outcome in outcomes if outcome.state == "found"}
