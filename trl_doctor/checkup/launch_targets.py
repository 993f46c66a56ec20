"""Opens what a launch file starts: runs of TRL's commands, and scripts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from msgspec.structs import replace

from trl_doctor.core.trainer import TRAINERS
from trl_doctor.files import document
from trl_doctor.files.launch import reading
from trl_doctor.files.launch.at_line import NoTraining, of_line
from trl_doctor.files.launch.flags import argv, config_of
from trl_doctor.files.launch.forms import NOTEBOOK
from trl_doctor.files.launch.launch import Launch
from trl_doctor.files.launch.placing import folder, found, mounted
from trl_doctor.files.launch.shell.inside import named_alike, named_exactly
from trl_doctor.files.launch.shell.named import find
from trl_doctor.files.target import SCRIPTS, NoTarget, NotRead, Target

LAUNCHERS = frozenset({"accelerate", "torchrun", "deepspeed"})
"""Programs that start trainings only."""

TRAINING = re.compile(r"(?:^|_)(?:train|finetune|sft|dpo|grpo|kto|rloo|ppo)(?:_|$)|^finetun")
"""Names of scripts that train."""


def parts(target: Target) -> list[Target]:
    """A target for each line that starts a training. Raises `NoTarget` if there is none."""
    try:
        data = document.read_bytes(target.path)
        launches = reading.read_launches(target.path, data, target.taken_for)
        if target.line:
            launches = of_line(launches, target.line)
    except (document.Unreadable, NoTraining) as problem:
        raise NoTarget(f"{target.given}: {problem}") from problem
    trainings = [launch for launch in launches if launch.script or launch.command in TRAINERS]
    targets = _with_turns([_target(target, launch) for launch in trainings])
    if any(targets):
        started = zip(targets, trainings, strict=True)
        return [
            part for part in (child or _absent(target, launch) for child, launch in started) if part
        ]
    if trainings:
        names = ", ".join(dict.fromkeys(launch.script for launch in trainings))
        raise NotRead(
            f"{target.given}: {trainings[0].shown} starts {names}, which was not found"
            f"{_below(target.path.parent, trainings[0].script)}"
        )
    raise NotRead(
        f"{target.given}: it is {target.taken_for}, but no line starts a training "
        f"(trl grpo …, accelerate launch train.py …, torchrun …, python train.py …)"
        f"{_others(target, data)}"
    )


def _below(folder: Path, script: str) -> str:
    """The only file of a script's name in a folder below, as a hint; "" for none."""
    name = Path(script).name
    found = [path for depth in ("*", "*/*") for path in folder.glob(f"{depth}/{name}")][:2]
    return f"; {found[0].relative_to(folder)} is here" if name and len(found) == 1 else ""


def _with_turns(targets: list[Target | None]) -> list[Target | None]:
    """The targets, each with those of earlier turns of its loop in the same folder."""
    result: list[Target | None] = []
    for number, target in enumerate(targets):
        launch = target.launch if target else None
        earlier = [
            other
            for other in targets[:number]
            if launch and launch.turn and other and other.launch and _is_turn(other.launch, launch)
        ]
        result.append(replace(target, turns=tuple(earlier)) if target else None)
    return result


def _is_turn(one: Launch, other: Launch) -> bool:
    """Whether two launches are turns of one line."""
    same = (one.file, one.reached, one.line, one.folder)
    return same == (other.file, other.reached, other.line, other.folder)


STARTS_FILE = re.compile(
    r"^[ \t]*(?:\w+=\S*[ \t]+)*(?:(?:(?:ba|z)?sh|sbatch|source|\.|nohup|exec)[ \t]+)*"
    r"(?:--?[\w-]+(?:=\S*)?[ \t]+)*[\"']?([\w./-]+\.(?:sh|bash|slurm|sbatch|job))\b",
    re.MULTILINE,
)
"""A line that starts another launch file."""


EDITED = re.compile(
    r"^[^#\n]*\b(sed|envsubst|perl|awk|jinja2|m4)\b[^\n]*\|[ \t]*(?:\S*/)?"
    r"(sbatch|qsub|bash|sh|kubectl)\b",
    re.MULTILINE,
)
"""A line that changes a text and starts it as a job."""


def _others(target: Target, data: bytes) -> str:
    """The launch files that this one starts, and what to do; "" if there are none."""
    text = data.decode(errors="replace")
    if made := EDITED.search(text):
        return (
            f"; what {made[1]} makes of another file for {made[2]} is not read: write it to a "
            "file, and name that"
        )
    here = [name for name in dict.fromkeys(STARTS_FILE.findall(text)) if find(name, target.path)]
    return f"; it starts {', '.join(here[:3])}: check that" if here else ""


def with_trainers(
    launcher: Target, started: list[Target], parts_of: Callable[[Target], list[Target]]
) -> list[Target]:
    """The targets of all lines, without scripts that train nothing. Raises `NoTarget`.

    Beside other targets, a script that a launcher starts stays one, though it shows no trainer.
    """
    targets: list[Target] = []
    unseen: list[Target] = []
    reasons: list[str] = []
    for part in started:
        try:
            targets += parts_of(part)
        except NoTarget as reason:
            line = part.launch.shown if part.launch else "a line"
            unseen += [part] if part.launch and _by_launcher(part.launch) else []
            reasons.append(f"{line} starts {_name(part)}, and {reason}")
    if not targets:
        raise NotRead(f"{launcher.given}: " + "; ".join(reasons[:3]))
    return targets + unseen


def _name(part: Target) -> str:
    """The script that a launch file starts."""
    return part.launch.script if part.launch and part.cells else part.path.name


def _by_launcher(launch: Launch) -> bool:
    return any(Path(word.text).name in LAUNCHERS for word in launch.whole)


def _launcher(target: Target, launch: Launch) -> Path:
    """The launch file that has the line: the target, or one that the target starts."""
    return Path(launch.file) if launch.file else target.path


def _target(target: Target, launch: Launch) -> Target | None:
    """What one line starts; None for a script that is not here."""
    where = f"{target.taken_for}, {launch.shown}"
    launcher = _launcher(target, launch)
    mounts = mounted(launch, launcher)
    own = folder(launch, mounts, launcher)
    beside = (*target.beside, own) if own else target.beside
    target = replace(target, launch=launch, launched_by=launcher, mounts=mounts, beside=beside)
    if launch.command:
        config = config_of(launch)
        within = named_exactly(launch.files, config) if config else None
        file = found(config, launch, launcher) if config and within is None else None
        taken_for = f"{where}: trl {launch.command}" + (f" --config {config}" if config else "")
        path = file or launcher
        return replace(target, kind="run", path=path, taken_for=taken_for)
    inside = named_exactly(launch.files, launch.script)
    script = found(launch.script, launch, launcher) if inside is None else None
    inside = inside or (named_alike(launch.files, launch.script) if script is None else None)
    if inside is None and (script is None or script.suffix.lower() not in SCRIPTS):
        return None
    if inside and target.taken_for == NOTEBOOK and not inside.cells:
        return None  # a command in a cell writes it: its lines are no cell's
    if script and (start := _start(launch.script, script)):
        target = replace(target, beside=tuple(dict.fromkeys((*target.beside, start))))
    taken_for = f"{where}: {launch.script}"
    words = argv(launch.words, launch.files)
    cells = inside.cells if inside else ()
    text = inside.data if inside and not cells else b""
    path = script or launcher
    script_target = replace(target, kind="script", path=path, taken_for=taken_for, argv=words)
    return replace(script_target, text=text, cells=cells)


def _start(name: str, script: Path) -> Path | None:
    """The folder from which a relative name leads to the script: the job must start there."""
    parts = Path(name).parts
    if Path(name).is_absolute() or ".." in parts or script.parts[-len(parts) :] != parts:
        return None
    return Path(*script.parts[: -len(parts)])


def _absent(target: Target, launch: Launch) -> Target | None:
    """A script that is not here, beside others that are; None if it may train nothing."""
    trains = _by_launcher(launch) or TRAINING.search(Path(launch.script).stem)
    if not trains or Path(launch.script).suffix.lower() not in SCRIPTS:
        return None
    launcher = _launcher(target, launch)
    path = launcher.parent / launch.script
    taken_for = f"{target.taken_for}, {launch.shown}: {launch.script}"
    return replace(
        target,
        kind="script",
        path=path,
        taken_for=taken_for,
        launch=launch,
        launched_by=launcher,
    )


def started_again(target: Target, path: Path) -> Target:
    """The target as the launch file starts it that is found under `path` now."""
    if target.launch is None or target.launch.file:
        return target
    try:
        launch = reading.again(path, document.read_bytes(path), target.launch)
    except document.Unreadable:
        launch = None
    if launch is None:
        return target
    words = argv(launch.words, launch.files) if target.kind == "script" else target.argv
    return replace(target, launch=launch, argv=words)


def processes(target: Target) -> tuple[int | None, str]:
    """The processes that a launch line starts, by itself or by accelerate's config file."""
    launch, launcher = target.launch, target.launched_by
    if launch is None or launcher is None:
        return None, ""
    if launch.processes:
        return launch.processes, f"{launch.processes_from}, {launch.named_in(launcher)}"
    if launch.accelerate and (file := found(launch.accelerate, launch, launcher)):
        for number in _stated(file):
            return number, f"num_processes in {launch.accelerate}"
    return None, ""


def _stated(file: Path) -> Iterator[int]:
    try:
        number = document.read(file).mapping().get("num_processes")
    except document.Unreadable:
        return
    if isinstance(number, int) and not isinstance(number, bool) and number > 0:
        yield number
