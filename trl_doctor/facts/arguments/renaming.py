"""Fixes for arguments that TRL and transformers renamed."""

import re
from pathlib import Path

from packaging.version import Version

from trl_doctor.core.finding import Fix, Json, Put, Remove, pointer
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.unknown import UnknownArguments
from trl_doctor.facts.library.releases import Replacement, replacement
from trl_doctor.files.target import RUN_FILES, SCRIPTS

WORD = re.compile(r"\w+")


def older_name(unknown: UnknownArguments, key: str) -> str:
    """The name of an argument before it was renamed; "" if it had no other name."""
    for name, field in unknown.accepted.fields.items():
        new = replacement(field.owner, name) if key != name else None
        if new and new.same and new.use == key:
            return name
    return ""


def replacement_fix(
    facts: Facts, unknown: UnknownArguments, key: str, new: Replacement | None, version: Version
) -> Fix | None:
    """The fix for an argument that this release lacks; None if the user must decide.

    The fix is safe if the run stays the same under the new name, or without the argument.
    """
    if new is None or new.use is None:
        return _out(facts, f"remove {key}", key, safe=bool(new and new.same))
    arguments = facts.run.arguments
    try:
        value = arguments[key]
    except Unavailable:
        return None
    if new.same and new.use in arguments and arguments[new.use] == value:
        return _out(facts, f"remove {key}: {new.use} has the same value", key, safe=True)
    early = new.since is not None and version < new.since
    if not new.same or early or new.use not in unknown.accepted.fields:
        return None
    if key == "warmup_ratio" and not _share(value):
        return None
    return rename_fix(facts, key, new.use)


def rename_fix(facts: Facts, key: str, name: str, *, safe: bool = True) -> Fix | None:
    """Give an argument another name; None if the run file also has the other name."""
    try:
        if name in facts.run.arguments:
            return None
        file, value = _file(facts, key), facts.run.arguments[key]
    except Unavailable:
        return None
    edits = (Put(file, pointer(name), value), Remove(file, pointer(key)))
    return Fix(f"rename {key} to {name}", edits, safe)


def remedy_of(facts: Facts, key: str, new: Replacement | None) -> str:
    """What to do about an argument that a release lacks, as the file of the key writes it."""
    if new is None or new.use is None:
        note = new.note if new else ""
        return f"remove {key}: {note}" if note else f"remove {key}"
    value = new.note.partition(f"write {new.use}: ")[2]
    if not value:
        return f"write {new.use} instead of {key}" + (f": {new.note}" if new.note else "")
    ending = facts.run.place(key).file.suffix
    if ending in SCRIPTS:
        quoted = WORD.sub(r'"\g<0>"', value)
        return f"write {new.use}={quoted} instead of {key}"
    if ending in RUN_FILES:
        return f"write {new.use}: {value} instead of {key}"
    return f"write --{new.use} {value.strip('[]')} instead of --{key}"


def _file(facts: Facts, key: str) -> Path:
    """The file that an argument is edited in: the run's own, or that of the line that gives it."""
    target = facts.run.target
    launched_by = target.launched_by
    if launched_by is not None and facts.run.place(key).file == launched_by:
        return launched_by
    return target.path


def _out(facts: Facts, title: str, key: str, *, safe: bool) -> Fix:
    return Fix(title, (Remove(facts.run.target.path, pointer(key)),), safe)


def _share(value: Json) -> bool:
    """Whether warmup_steps interprets a number as a share of the steps."""
    try:
        return 0 <= float(str(value)) < 1
    except ValueError:
        return False
