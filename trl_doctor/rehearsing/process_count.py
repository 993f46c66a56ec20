"""Where the number of processes of a rehearsed command stands."""

from __future__ import annotations

from trl_doctor.rehearsing.command.command import Command
from trl_doctor.rehearsing.events import Events

FLAGS = {
    "accelerate": ("num_processes", "num-processes"),
    "torchrun": ("nproc_per_node", "nproc-per-node"),
}
SHORT = {"accelerate": "-n"}


def processes_from(command: Command, processes: int | None, events: Events) -> str:
    """The file and flag, or the flag of the command, by which a reader finds the number."""
    if command.processes_from:
        return command.processes_from
    launched = events.last("launch")
    if launched is None:
        return "--processes" if processes else "as it was started"
    launcher, words = str(launched["by"]), command.arguments
    name = "accelerate launch" if launcher == "accelerate" else launcher
    for flag in FLAGS.get(launcher, ()):
        if any(word.lstrip("-").partition("=")[0] == flag for word in words):
            return f"{name} --{flag}"
    if SHORT.get(launcher) in words:
        return f"{name} {SHORT[launcher]}"
    if "--config_file" in words[:-1]:
        return f"num_processes in {words[words.index('--config_file') + 1]}"
    return f"{name}, which was given no number"
