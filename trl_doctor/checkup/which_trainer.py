"""Finds the trainer of a run file, and the place where it was read."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from trl_doctor.core.finding import Json
from trl_doctor.core.plain import listed
from trl_doctor.core.trainer import COMMON, NOT_KNOWN, TRAINERS, Trainer, TrainerOpen, named
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.arguments.declared import reader
from trl_doctor.facts.run import OWN_KEYS
from trl_doctor.files.comments import launched_by
from trl_doctor.files.regular import text_of
from trl_doctor.files.translated import Translated
from trl_doctor.machine.environment import Environment

if TYPE_CHECKING:
    from trl_doctor.facts.library import Fields

SCRIPTS = ("*.sh", "*.bash", "*.sbatch", "*.slurm", "Makefile", "justfile")
LARGEST, MOST = 256 * 1024, 50
"""Bytes of a script, and number of scripts, that are searched for a launch line."""

LAUNCH = re.compile(r"\btrl\s+([a-z_]+)\b[^\n]*?--config[ =]+[\"']?([^\s\"']+)")


def trainer_of(
    file: Path, text: str, values: Mapping[str, Json], stated: Mapping[str, str], world: Environment
) -> tuple[Trainer | Unavailable, str]:
    """The trainer and where it was read, or why it is not known.

    `values` are the keys of the run file, `stated` what comments and settings say instead.
    """
    for where, name in (
        ("trainer", values.get("trainer")),
        (stated.get("from", ""), stated.get("trainer")),
    ):
        if isinstance(name, str):
            return _by_name(where, name)
    for kind in _targets(values):
        if trainer := named(kind.rpartition(".")[2]):
            return trainer, f"_target_: {kind}"
    for name, where in _launched(file, text):
        if trainer := TRAINERS.get(name):
            return trainer, where
    return _inferred(file, values, world)


def of_method(file: Translated) -> Trainer | Unavailable:
    """TRL's trainer for the method of another program's file."""
    trainer = TRAINERS.get(file.trainer)
    return trainer or Unavailable(f"{file.method} is no method that TRL has a trainer for")


def _by_name(where: str, name: str) -> tuple[Trainer | Unavailable, str]:
    if trainer := named(name):
        return trainer, f"trainer: {name}" if where == "trainer" else where
    trainers = ", ".join(TRAINERS)
    return Unavailable(
        f"trainer: {name:.60} is not a trainer that trl-doctor knows ({trainers})"
    ), ""


def _targets(values: Mapping[str, Json]) -> Iterator[str]:
    """The classes of TRL that Hydra is to create (`_target_: trl.DPOConfig`)."""
    inner = (value for value in values.values() if isinstance(value, dict))
    for part in (values, *inner):
        kind = part.get("_target_")
        if isinstance(kind, str) and kind.startswith("trl."):
            yield kind


def _launched(file: Path, text: str) -> Iterator[tuple[str, str]]:
    """Command lines `trl sft --config FILE`, in the file's comments and in scripts beside it."""
    if name := launched_by(text):
        yield name, f"its comment `trl {name} --config`"
    for script in _scripts(file):
        try:
            if script.stat().st_size > LARGEST:
                continue
            lines = text_of(script, "replace").replace("\\\n", " ")
        except OSError:
            continue
        for launch in LAUNCH.finditer(lines):
            if _same(launch[2], script, file):
                yield launch[1], f"`trl {launch[1]} --config` in {script.name}"


def _scripts(file: Path) -> list[Path]:
    folders = dict.fromkeys((file.parent, file.parent.parent, Path.cwd()))
    files: list[Path] = []
    for folder in folders:
        for pattern in SCRIPTS:
            files += sorted(folder.glob(pattern))[:MOST]
    return [file for file in files[:MOST] if file.is_file()]


def _same(name: str, script: Path, file: Path) -> bool:
    """Whether a path in a script is this file, seen from the script's or the working folder."""
    if Path(name).name != file.name:
        return False
    roots = (Path.cwd(), script.parent, script.parent.parent)
    real = os.path.realpath(file)
    try:
        return any(os.path.realpath(root / name) == real for root in roots)
    except ValueError:  # a zero byte in a path
        return False


def _inferred(
    file: Path, arguments: Mapping[str, Json], environment: Environment
) -> tuple[Trainer | Unavailable, str]:
    """The only trainer whose own arguments explain the keys, or the one in the file's name."""
    from trl_doctor.facts.library import accepted

    fields = {name: accepted(environment, TRAINERS[name]).fields for name in COMMON}
    keys = [key for key in arguments if key not in OWN_KEYS]
    if own := reader(file, frozenset(arguments)):
        return Unavailable(own), ""
    known_keys = [key for key in keys if any(key in fitting for fitting in fields.values())]
    fitting, telling = set(COMMON), list[str]()
    for key in known_keys if 2 * len(known_keys) > len(keys) else ():
        takers = _takers(fields, key)
        if takers and fitting & takers and not fitting <= takers:
            fitting &= takers
            telling.append(key)
    if len(fitting) == 1 and (len(telling) > 1 or _offered(environment, min(fitting))):
        trainer = TRAINERS[fitting.pop()]
        alone = [key for key in telling if len(_takers(fields, key)) == 1]
        return trainer, f"inferred: only {trainer.trainer} has {' with '.join(alone or telling)}"
    for name, where in _in_path(file):
        if name in fitting and known_keys:
            return TRAINERS[name], where
    names = [name for name in COMMON if name in fitting]
    comment = f", or write the comment `# trl {names[0]} --config {file.name}` into it"
    open_question = (
        f"{NOT_KNOWN}, and the keys fit {listed(names)}: use `--trainer {names[0]}`"
        f"{comment if file.suffix in ('.yaml', '.yml') else ''}"
    )
    return TrainerOpen(open_question, tuple(names)), ""


def _in_path(file: Path) -> Iterator[tuple[str, str]]:
    """The trainers in the name of the file or of a folder above it: `sft/`, `grpo_math`."""
    for part, kind in (
        (file.stem, "file"),
        (file.parent.name, "folder"),
        (file.parent.parent.name, "folder"),
    ):
        words = re.split(r"[^a-z]+", part.lower())
        names = [name for name in COMMON if name in words]
        if len(names) == 1:
            yield names[0], f"the name of the {kind} {part}"


def _offered(environment: Environment, name: str) -> bool:
    """Whether the target's or the newest trl has it: else one key is little evidence."""
    from trl_doctor.facts.library import releases
    from trl_doctor.facts.library.offered import trainer_exports

    trainer = TRAINERS[name].trainer
    newest = releases.trainers(releases.newest_release())
    return trainer in newest or trainer in trainer_exports(environment)


def _takers(fields: Mapping[str, Fields], key: str) -> set[str]:
    """The trainers that take a key which is an argument of a trainer's own; else none.

    Arguments of TrainingArguments do not count, and those of a script count little.
    """
    owners = {
        name: own_fields[key].owner for name, own_fields in fields.items() if key in own_fields
    }
    own = any(owner == TRAINERS[name].config for name, owner in owners.items())
    return set(owners) if own and "TrainingArguments" not in owners.values() else set()
