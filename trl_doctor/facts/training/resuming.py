"""The checkpoint that a run names to go on from."""

import re
from pathlib import Path

from trl_doctor.facts.facts import Facts
from trl_doctor.facts.surroundings import below_roots, output_dir
from trl_doctor.files.regular import text_of

KEY = "resume_from_checkpoint"


def is_named(facts: Facts) -> bool:
    """Whether the arguments name a checkpoint, or ask for the newest one."""
    return str(facts.run.arguments.get(KEY)).lower() not in ("false", "none", "")


def named_folder(facts: Facts) -> Path | None:
    """Its folder, which need not be there; None if the newest one is asked for and none is."""
    folder = str(facts.run.arguments.get(KEY))
    return newest(output_dir(facts)) if folder.lower() == "true" else below_roots(facts, folder)


def perhaps_made_first(facts: Facts, folder: Path | None) -> bool:
    """Whether a checkpoint is not there yet that another training of the same script may save."""
    below = folder is None or output_dir(facts) in folder.parents
    if (folder is not None and folder.is_dir()) or not below or facts.run.passes is None:
        return False
    script = facts.run.place(KEY).file
    return script.suffix == ".py" and text_of(script).count(".train(") > 1


def newest(folder: Path) -> Path | None:
    """The newest checkpoint in a folder."""
    checkpoints = [path for path in folder.glob("checkpoint-*") if re.search(r"-\d+$", path.name)]
    return max(checkpoints, key=lambda path: int(path.name.rpartition("-")[2]), default=None)
