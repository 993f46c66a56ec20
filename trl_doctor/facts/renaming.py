"""The names that TRL and transformers gave an argument before and after, as fixes."""

from packaging.version import Version

from trl_doctor.core.finding import Fix, Json, Put, Remove, pointer
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.library.releases import Replacement, replacement
from trl_doctor.facts.unknown_arguments import Strange


def older(read: Strange, key: str) -> str:
    """The name that an argument had before it got this one; "" for none."""
    for name, field in read.accepted.fields.items():
        known = replacement(field.owner, name) if key != name else None
        if known and known.same and known.use == key:
            return name
    return ""


def replaced(
    facts: Facts, read: Strange, key: str, known: Replacement | None, version: Version
) -> Fix | None:
    """The fix for an argument that this release lacks; None where it has to be thought about.

    Safe where the run means the same under the new name, or without the argument.
    """
    if known is None or known.use is None:
        return _out(facts, f"take {key} out", key, safe=bool(known and known.same))
    arguments = facts.run.arguments
    try:
        value = arguments[key]
    except Unavailable:
        return None
    if known.same and known.use in arguments and arguments[known.use] == value:
        return _out(facts, f"take {key} out, {known.use} says the same", key, safe=True)
    early = known.since is not None and version < known.since
    if not known.same or early or known.use not in read.accepted.fields:
        return None
    if key == "warmup_ratio" and not _share(value):
        return None
    return renamed(facts, key, known.use)


def renamed(facts: Facts, key: str, name: str, *, safe: bool = True) -> Fix | None:
    """Give an argument another name; None where the run file has that as well."""
    try:
        if name in facts.run.arguments:
            return None
        file, value = facts.run.target.path, facts.run.arguments[key]
    except Unavailable:
        return None
    edits = (Put(file, pointer(name), value), Remove(file, pointer(key)))
    return Fix(f"rename {key} to {name}", edits, safe)


def _out(facts: Facts, what: str, key: str, *, safe: bool) -> Fix:
    return Fix(what, (Remove(facts.run.target.path, pointer(key)),), safe)


def _share(value: Json) -> bool:
    """Whether warmup_steps reads a number as a share of the steps."""
    try:
        return 0 <= float(str(value)) < 1
    except ValueError:
        return False
