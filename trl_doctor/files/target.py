"""The user's target: a run file, a model folder or a Hub id, recognised by its content."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from msgspec import Struct
from msgspec.structs import replace

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.files import document, programs

if TYPE_CHECKING:
    from trl_doctor.files.launch.launch import Launch

MODEL_FILES = (
    "config.json",
    "tokenizer_config.json",
    "tokenizer.json",
    "generation_config.json",
    "adapter_config.json",
    "special_tokens_map.json",
)
RUN_FILES = (".json", ".yaml", ".yml")
SCRIPTS = {".py": "a Python script", ".ipynb": "a notebook"}
MODEL_KEYS = {"model_type", "architectures", "transformers_version"}
RUN_KEYS = {"trainer", "model_name_or_path", "sft_model_path", "output_dir", "learning_rate"}
LIVE = "a live trainer"
"""What a target is taken for that a program passes."""

NAME_A_TARGET = "name a run file, a script, a notebook, a launch file, a model folder or a Hub id"
LARGEST_LAUNCH = 2**20
"""Bytes of a launch file; a larger file is something else."""


class NoTarget(Exception):
    """There is nothing to examine; the message says why and what to name instead."""


class NotRead(NoTarget):
    """It is there, and it is what the doctor does not read; the message calls it by its name."""


class Target(Struct, frozen=True):
    """`path` is the run file, or the model folder; `taken_for` is its kind and the reason.

    `partial` is that of `folder.Folder`. `beside` are other folders with files that the run
    names: those of the original, for a copy. For a script `number` selects one of its
    trainers, `stage` names it if there are several, and `argv` is its command line, None if it is
    not stated. `launch` is the
    line of the file `launched_by` that starts it, and `text` the script if that file contains it;
    in a notebook the script is what its `cells` write. `mounts` are paths inside the line's
    container, each with what is there on this machine. `line` is that of a launch file whose
    training the user names, 0 for all. `turns` are the targets of earlier turns of the same loop.
    """

    given: str
    kind: Literal["run", "model", "script", "launch"]
    path: Path
    taken_for: str
    partial: bool = False
    beside: tuple[Path, ...] = ()
    number: int = 0
    stage: str = ""
    argv: tuple[str, ...] | None = None
    launch: Launch | None = None
    launched_by: Path | None = None
    text: bytes = b""
    cells: tuple[int, ...] = ()
    mounts: tuple[tuple[str, Path], ...] = ()
    line: int = 0
    turns: tuple[Target, ...] = ()

    @property
    def folders(self) -> tuple[Path, ...]:
        """The folders that relative names of the run may start at, after the working folder."""
        return (self.path.parent, *self.beside)


def target(stated: str, *, offline: bool = False) -> Target:
    """Recognise the target `stated`.

    A local path wins over a Hub id of the same name. Raises `NoTarget`.
    """
    if not stated.strip():
        raise NoTarget("a target is empty: is a variable not set?")
    if stated.startswith(("https://", "http://")):
        raise NoTarget(f"{stated}: an address is not read; {_instead_of(stated)}")
    try:
        path = Path(stated).expanduser().absolute()
        if path.is_dir():
            return _folder(stated, path)
        if path.exists() or path.is_symlink():
            return _file(stated, path)
        from trl_doctor.files.launch.at_line import at_line

        file, line = at_line(stated)
        if line:
            return _at(_file(str(file), file.absolute()), stated, line)
    except PermissionError as error:
        closed = "it may not be read: permission denied; `chmod -R u+rX` by its owner can open it"
        raise NoTarget(f"{stated:.200}: {closed}") from error
    except (OSError, RuntimeError) as error:
        reason_ = (isinstance(error, OSError) and error.strerror) or error
        raise NoTarget(f"{stated:.200}: {reason_}") from error
    from trl_doctor.files import hub

    if path.suffix in RUN_FILES or not hub.looks_like_hub_id(stated):
        raise NoTarget(f"{stated}: there is no such file or folder{_nearest(path)}")
    try:
        snapshot = hub.resolve(hub.parse(stated), offline=offline)
    except Unavailable as reason:
        raise NoTarget(f"{stated}: no such folder here, and as a Hub id: {reason}") from reason
    if snapshot.lacks_more_than_weights:
        raise NoTarget(f"{stated}: {snapshot.note}")
    taken_for = f"the Hub model {snapshot.label} ({snapshot.note})"
    return Target(stated, "model", snapshot.path, taken_for, bool(snapshot.lacks))


def _at(named: Target, stated: str, line: int) -> Target:
    """A line of a launch file. Raises `NoTarget` for other files, which have none to choose."""
    if named.kind != "launch":
        raise NoTarget(f"{stated}: name the file without its line: {named.given}")
    return replace(named, given=stated, line=line)


def one_run(stated: str) -> Target:
    """A target that is one run, found without the network. Raises `NoTarget`, also for a job."""
    pointed = target(stated, offline=True)
    if pointed.kind == "launch":
        kind = pointed.taken_for
        raise NoTarget(f"{stated}: it is {kind}: name the run file or the script that it starts")
    return pointed


def _instead_of(address: str) -> str:
    """What to name instead of an address."""
    site, _, rest = address.partition("://")[2].partition("/")
    names = rest.split("/")
    if site == "huggingface.co" and len(names) > 1 and names[0] not in ("datasets", "spaces"):
        return f"name the model: {names[0]}/{names[1]}"
    return "name a file, a folder or a Hub id"


def _nearest(path: Path) -> str:
    """The file beside a missing one that was probably meant, as a question; "" for none."""
    from trl_doctor.core.similar import similar

    try:
        names = [entry.name for entry in path.parent.iterdir()]
    except OSError:
        return ""
    near = similar(path.name, names, 1, 0.75)
    return f"; did you mean {near[0]}?" if near else ""


def _launch_form(path: Path) -> str:
    """What kind of launch file it is; "" if it is none, or cannot be read."""
    if path.suffix.lower() == ".json":
        return ""
    from trl_doctor.files.launch.forms import form

    try:
        if path.stat().st_size > LARGEST_LAUNCH:
            return ""
        return form(path, document.read_bytes(path))
    except (document.Unreadable, OSError):
        return ""


def _folder(stated: str, path: Path) -> Target:
    present = [name for name in MODEL_FILES if (path / name).exists()]
    if present:
        return Target(stated, "model", path, f"a model folder: it has {present[0]}")
    for pattern in ("chat_template.jinja", "vocab.*", "*.safetensors*", "*.bin", "*.model"):
        if files := sorted(path.glob(pattern)):
            return Target(stated, "model", path, f"a model folder: it has {files[0].name}")
    endings = (*RUN_FILES, *SCRIPTS)
    runs = sorted(file.name for file in path.iterdir() if file.suffix.lower() in endings)
    more = f" … {len(runs) - 5} more" if len(runs) > 5 else ""
    hint = f"; name a file in it: {', '.join(runs[:5])}{more}" if runs else ""
    if len(runs) > 1:
        hint += f"; or all of a kind: {stated.rstrip('/')}/*{Path(runs[0]).suffix}"
    raise NoTarget(f"{stated}: the folder holds no model (no {', '.join(MODEL_FILES[:3])}){hint}")


def _file(stated: str, path: Path) -> Target:
    if path.name in MODEL_FILES[1:]:
        return Target(stated, "model", path.parent, f"the model folder that {path.name} belongs to")
    if path.suffix.lower() in SCRIPTS:
        return Target(stated, "script", path, SCRIPTS[path.suffix.lower()])
    if kind := _launch_form(path):
        return Target(stated, "launch", path, kind)
    if path.suffix in (".safetensors", ".bin", ".gguf", ".pt"):
        raise NoTarget(f"{stated}: it is a weights file; name the model folder or the run file")
    if program := programs.of_suffix(path):
        raise _not_read(stated, program)
    try:
        value = document.read(path).value
    except document.Unreadable as problem:
        siblings = [name for name in MODEL_FILES[1:] if (path.parent / name).exists()]
        if path.name == "config.json" and siblings:
            return Target(stated, "model", path.parent, f"a model folder: it has {siblings[0]}")
        return _unread(stated, path, problem)
    if program := programs.of_keys(path, value):
        raise _not_read(stated, program)
    if path.suffix not in RUN_FILES and not isinstance(value, dict):
        raise _not_read(stated, "a text")
    keys = set(value) if isinstance(value, dict) else set()
    marks = keys & MODEL_KEYS
    if path.name == "config.json" and marks and not keys & RUN_KEYS:
        return Target(stated, "model", path.parent, f"a model folder: config.json has {min(marks)}")
    if marks and not keys & RUN_KEYS:
        raise NoTarget(
            f"{stated}: it looks like a model's config.json ({min(marks)}); name its folder"
        )
    run_keys = keys & RUN_KEYS
    return Target(
        stated, "run", path, f"a run file: it has {min(run_keys)}" if run_keys else "a run file"
    )


def _unread(name: str, path: Path, problem: document.Unreadable) -> Target:
    """A run file that cannot be read; raises `NotRead` if it is something else."""
    if path.suffix.lower() not in RUN_FILES and problem.kind != "missing":
        raise NotRead(f"{name}: it {problem.problem}; {NAME_A_TARGET}")
    if problem.kind == "invalid" and programs.is_template(path.read_text(errors="replace")):
        raise _not_read(name, "a template")
    return Target(name, "run", path, "a run file; it cannot be read")


def _not_read(name: str, kind: str) -> NotRead:
    instead = programs.INSTEAD.get(kind, NAME_A_TARGET)
    return NotRead(f"{name}: it is {kind}, which the doctor does not read; {instead}")
