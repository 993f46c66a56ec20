"""Whether a run file's paths are right only where TRL starts beside the file."""

from __future__ import annotations

from pathlib import Path

from trl_doctor.core.finding import Json
from trl_doctor.facts.partly import Partly
from trl_doctor.facts.run import Run

PATHS = (
    "model_name_or_path",
    "sft_model_path",
    "reward_model_path",
    "reward_model_name_or_path",
    "dataset_name",
    "chat_template_path",
    "resume_from_checkpoint",
    "deepspeed",
    "accelerate_config",
)
"""Arguments whose value may be a path."""


def starting_note(run: Run, here: Path, beside: Path) -> str:
    """The note about paths that exist only beside the file; "" if there are none.

    TRL takes a relative path from the folder in which it is started.
    """
    if run.target.kind != "run" or isinstance(run.arguments, Partly):
        return ""
    keys = [key for key in PATHS if _only_in(beside, here, run.arguments.get(key))]
    if not keys:
        return ""
    listed = ", ".join(keys[:3]) + (f" and {len(keys) - 3} more" if len(keys) > 3 else "")
    return f"start TRL in the run file's folder: {listed} would not be found from here"


def launched_note(run: Run) -> str:
    """The note about a file that a launch file starts from a folder above; "" for others."""
    if run.target.launch is None:
        return ""
    from trl_doctor.facts.launch.elsewhere import elsewhere

    found = elsewhere(run.target)
    if found is None or (found.shell and not found.root):  # the rule says it
        return ""
    start = f": start the job in {found.above}" if found.shell else ""
    return f"{found.read} was read: {found.name} is not in {found.expected}{start}"


def _only_in(beside: Path, here: Path, name: Json) -> bool:
    """Whether a relative path exists beside the run file and not in the working folder."""
    try:
        if not isinstance(name, str) or not name or name.startswith(("/", "~")):
            return False
        return (beside / name).exists() and not (here / name).exists()
    except (OSError, ValueError):  # too long, or with a zero byte
        return False
