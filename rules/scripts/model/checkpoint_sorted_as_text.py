"""The newest checkpoint is looked for by its name as text.

As text `checkpoint-1000` comes before `checkpoint-500`, because 1 comes before 5. A script that
takes the last of the sorted names resumes from, evaluates or merges an old checkpoint. There is no
error.

Remedy: sort by the number, `key=lambda path: int(path.rsplit("-", 1)[-1])`, or call
`transformers.trainer_utils.get_last_checkpoint(output_dir)`.

Versions: every transformers. Scripts are read, notebooks are not. Numbers that the script makes of
the names, and names with zeros before the number (`checkpoint-000500`), are left alone.

Seen: reproduced with SFT of trl 1.16.0 and peft 0.21.2: with save_steps 4 and 12 steps checkpoint-8
is merged, not checkpoint-12.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.script.syntax.sorted_names import checkpoint_taken_by_text

from ..._recorded.scripts import script


def check(facts: Facts) -> Iterator[Finding]:
    for place, shown in facts[checkpoint_taken_by_text]:
        yield Finding(
            place,
            f"{shown} is the last name as text, and not the newest checkpoint: checkpoint-1000 "
            "comes before checkpoint-500",
            remedy="sort by int(path.rsplit('-', 1)[-1]), or call get_last_checkpoint",
        )


def _taking(line: str) -> dict[str, str]:
    return script("SFT", "model='org/m'", before=f"import glob, os\n{line}\n")


ALL = "found = glob.glob('out/checkpoint-*')\n"
NUMBER = "key=lambda path: int(path.split('-')[-1])"
COUNTED = (
    "steps = [int(name.split('-')[1]) for name in os.listdir('out') if 'checkpoint' in name]\n"
)
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(_taking("end = sorted(glob.glob('out/checkpoint-*'))[-1]"), "train.py", says="as text"),
        Bad(_taking(f"{ALL}found.sort()\nlast = found[-1]"), "train.py", says="found[-1] is the"),
        Bad(_taking(f"{ALL}last = max(found)"), "train.py", says="max(found) is the last name"),
        Bad(
            _taking(
                "names = [n for n in os.listdir('out') if n.startswith('checkpoint')]\n"
                "names = sorted(names)\nlast = names[-1]"
            ),
            "train.py",
            says="names[-1]",
        ),
        Good(_taking(f"{ALL}last = sorted(found, {NUMBER})[-1]"), "train.py"),
        Good(_taking(f"{ALL}last = max(found, key=os.path.getmtime)"), "train.py"),
        Good(_taking(f"{ALL}for path in sorted(found):\n    print(path)"), "train.py"),
        Good(_taking(f"{COUNTED}last = f'out/checkpoint-{{max(steps)}}'"), "train.py"),
        Good(_taking("last = sorted(glob.glob('out/checkpoint-10/*.json'))[-1]"), "train.py"),
        Good(_taking(f"name = f'checkpoint-{{9:06d}}'\n{ALL}last = max(found)"), "train.py"),
        Good(_taking("last = sorted(glob.glob('data/part-*.json'))[-1]"), "train.py"),
    ),
)
