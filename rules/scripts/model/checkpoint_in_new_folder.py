"""The script resumes from a folder that is new in each run.

The script calls `get_last_checkpoint(output_dir)`, and the name of `output_dir` has the time or a
random id in it. Each start makes another folder, so there is never a checkpoint in it. A job that
is requeued trains from the beginning again. There is no error.

Remedy: name the folder after what stays the same in all starts of a job: its settings, or
`$SLURM_JOB_ID`. Put the time into `run_name`.

Versions: every transformers. Not reported: a name that only has the day, and a name that the
command line or the environment can give. Scripts are read, notebooks are not.

Seen: reproduced with DPO of trl 1.16.0: the second start of a job prints None and begins at step 0;
without the time in the name it goes on from the last checkpoint.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.script.syntax.new_folders import looked_for_in_new_folder

from ..._recorded.scripts import script


def check(facts: Facts) -> Iterator[Finding]:
    for place, shown in facts[looked_for_in_new_folder]:
        yield Finding(
            place,
            f"a checkpoint is looked for in a folder that is new in each run: {shown}",
            remedy="leave the time out of the folder's name",
        )


IMPORTS = (
    "import os, time, uuid\nfrom datetime import datetime\n"
    "from transformers.trainer_utils import get_last_checkpoint\n"
)


def _resuming(folder: str, then: str = "resume_from_checkpoint=last") -> dict[str, str]:
    lines = f"{IMPORTS}{folder}\nlast = get_last_checkpoint(out) if os.path.isdir(out) else None\n"
    files = script("SFT", "model='org/m'", before=lines)
    return {"train.py": files["train.py"].rstrip() + f".train({then})\n"}


RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(_resuming("out = f'runs/{int(time.time())}'"), "train.py", says="new in each run"),
        Bad(
            _resuming("now = datetime.now().strftime('%Y%m%d-%H%M')\nout = os.path.join('r', now)"),
            "train.py",
            says="os.path.join('r', now)",
        ),
        Bad(_resuming("out = 'runs/' + uuid.uuid4().hex"), "train.py", says="uuid.uuid4()"),
        Good(_resuming("out = f'runs/{time.time()}'", ""), "train.py"),
        Good(_resuming("out = 'runs/dpo'"), "train.py"),
        Good(_resuming("out = datetime.now().strftime('runs/%Y-%m-%d')"), "train.py"),
        Good(_resuming("out = os.environ.get('OUT') or f'runs/{time.time()}'"), "train.py"),
        Good(_resuming("out = f'runs/{os.environ.get(\"ID\", time.time())}'"), "train.py"),
        Good(_resuming("out = 'runs/dpo'\nlog = f'logs/{time.time()}'"), "train.py"),
    ),
)
