"""What to do about an error of a script, from what its own objects told when it was raised."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

from trl_doctor.core.plain import shown
from trl_doctor.facts.library import releases
from trl_doctor.facts.measured.known_errors import known
from trl_doctor.rehearsing.code_line import CodeLine
from trl_doctor.rehearsing.ending.judges import line
from trl_doctor.rehearsing.events import Event, Events

Facts: TypeAlias = Mapping[str, Any]
MISSPELT = ("AttributeError", "NameError", "UnboundLocalError", "ImportError")
"""Errors that name what is not there."""

SPLITS = ("train", "test", "validation")
"""Names of splits, which no column has."""

SHOWN = 12
"""Names of parameters that are shown."""

Advice: TypeAlias = tuple[str, tuple[str, ...]]
"""A remedy ("" if none is known), and the evidence."""

INSTEAD = {
    "sampling_params": "pass them to the config: generation_kwargs={…}; each generation makes its "
    "own parameters"
}
"""What takes the place of an attribute that some releases' trainers had."""

LOGGED = re.compile(r"(eval|train)_|epoch$|learning_rate$|grad_norm$")
"""Keys of what a trainer logs, which no row has."""


def advice(events: Events, event: Event, at: CodeLine | None) -> Advice:
    """What the error's kind and its objects say."""
    facts: Facts = event.get("facts") or {}
    if "keys" in facts:
        return _key(facts, event["message"])
    if "takes" in facts:
        return _keyword(facts)
    if "path" in facts:
        return _file(events, facts)
    if mixed := facts.get("mixed"):
        column, kinds = mixed
        remedy = f"give the column {column} one type in every row: `[value]` where others are lists"
        return remedy, (f"the column {column} has {kinds}",)
    if "tested" in facts:
        return _assertion(facts)
    if facts.get("similar") and event["type"] in MISSPELT:
        return f"write {facts['similar']}", ()
    if "classes" in facts:
        return _of_trl(facts["classes"], facts["asked"])
    if error := known(line(event), event.get("seen", ())):
        return error.remedy, (f"cause: {error.cause}", *_raised_in(event, at))
    remedy, evidence = _of_objects(facts)
    return remedy, (*evidence, *_raised_in(event, at))


def _key(facts: Facts, message: str) -> Advice:
    """What has no such key or column has these."""
    kind, holder = "column" if "columns" in facts else "key", facts["holder"]
    evidence = (f"the {kind}s of {holder}: {', '.join(facts['keys']) or 'none'}",)
    if (lines := facts.get("lost")) and not any(map(LOGGED.match, facts["keys"])):
        return f"keep this key: {lines[0]}", evidence
    split = next((name for name in SPLITS if f"'{name}'" in message), "")
    if kind == "column" and split:
        hint = f"{holder} is one split already: write {holder} instead of {holder}['{split}']"
        return f"{hint}, or load it without split=", evidence
    if facts["similar"]:
        return f"write '{facts['similar']}', or make this {kind} before the line", evidence
    return f"name a {kind} that {facts['holder']} has, or make this one before the line", evidence


def _keyword(facts: Facts) -> Advice:
    more = ", …" if len(facts["takes"]) > SHOWN else ""
    evidence = (f"it takes {', '.join(facts['takes'][:SHOWN])}{more}",)
    if "config" in facts:
        return f"pass it to the config: {facts['config']}", evidence
    if facts["similar"]:
        return f"write {facts['similar']}= instead of {facts['refused']}=", evidence
    return f"remove {facts['refused']}=, which it does not take", evidence


def _of_trl(classes: list[str], name: str) -> Advice:
    """Which releases have what this one's class lacks, as far as that is known."""
    if name in INSTEAD:
        return INSTEAD[name], ()
    for kind in classes:
        if spans := [span for span in releases.lifetimes(kind, name) if span.library == "trl"]:
            last = f"trl {spans[-1].last} was the last with it" if spans[-1].gone_in else ""
            has = f"{name} of {kind} comes with trl {spans[0].first}{last and ', ' + last}"
            return f"{has}: install such a release, or add it to a config class of the script", ()
    return (
        f"{classes[0]} of the installed trl has no {name}: define it in the script's class, or "
        "install the release of trl that the script was written for",
        (),
    )


def _file(events: Events, facts: Facts) -> Advice:
    """Where a relative path was looked for."""
    whole, folder = events.original(facts["whole"]), events.original(facts["folder"])
    wanted_path = Path(facts["path"])
    missing = whole.relative_to(folder).parts[0] if whole.is_relative_to(folder) else whole.name
    if facts.get("writes"):
        parent = wanted_path.parent
        evidence = (f"it writes {whole}: {folder} has no folder {missing}",)
        return f'make the folder first: os.makedirs("{parent}", exist_ok=True)', evidence
    evidence = (f"looked for at {whole}: {folder} has no {missing}",)
    if facts["similar"]:
        return f"name {shown(folder / facts['similar'])}, which is there", evidence
    if wanted_path.is_absolute():
        return f"put the file there, or name another one: {wanted_path}", evidence
    return f"put it at {whole}, or start in the folder that {wanted_path} is named from", evidence


def _assertion(facts: Facts) -> Advice:
    values = tuple(f"{name} is {value}" for name, value in facts["values"].items())
    return f"make {facts['tested']} true, or take the assertion out", values


def _raised_in(event: Event, at: CodeLine | None) -> tuple[str, ...]:
    """The line of a library that raised it, where the script's own line only called that."""
    frame = event["frames"][-1] if event["frames"] else None
    if frame is not None and frame[0] == "<template>":
        return (f"raised by the chat template, line {frame[1]}",)
    if frame is None or at is None or Path(frame[0]).name == at.file.name:
        return ()
    _, sign, module = str(frame[0]).rpartition("site-packages/")
    return (f"raised by {module}:{frame[1]} in {frame[2]}",) if sign else ()


def _of_objects(facts: Facts) -> Advice:
    """The remedy, and what was seen of the objects in the line; both empty if nothing was."""
    if name := facts.get("nothing"):
        return f"{name} is None here: give it a value before this line", (f"{name} is None",)
    if holds := facts.get("holds"):
        return f"write {facts['item']}" if facts.get("item") else "", (holds,)
    if wants := facts.get("wants"):
        return "give the arguments that are missing", (f"it takes {', '.join(wants)}",)
    if sizes := facts.get("sizes"):
        return "", tuple(sizes)
    return "", ()
