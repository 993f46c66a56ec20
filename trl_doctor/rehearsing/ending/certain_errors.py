"""Whether an error would end the job too, whatever is in what was generated."""

from __future__ import annotations

import ast
import re

from trl_doctor.rehearsing.code_line import CodeLine
from trl_doctor.rehearsing.ending.flow import Flow, flow
from trl_doctor.rehearsing.events import Event, Events

NAME = re.compile(r"name '(\w+)' is not defined")
MODULE = re.compile(r"(?:module|type object) '[\w.]+' has no attribute '(\w+)'")
OBJECT = re.compile(r"'(\w+)' object has no attribute '\w+'")
CALL = re.compile(r"missing \d+ required (?:positional|keyword-only) argument|"
                  r"takes (?:from )?\d.* positional arguments? but")  # fmt: skip
SHORT = re.compile(r"IndexError|ZeroDivisionError|StopIteration|ValueError: .*empty")
"""What a script raises that looks for more entries of a log than there are."""

ENGINE = re.compile(r"KeyError: \W*sampling/")
"""A key of a log that TRL writes with vLLM, which a rehearsal does not have."""

EVALUATES = re.compile(r"\b(compute_metrics|preprocess_logits_for_metrics) *=|\bon_evaluate\b")
"""What a script has that an evaluation calls; a rehearsal evaluates little or not at all."""

LOG = "log_history"
EMPTY = ("[]", "{}", "set()", "list()", "dict()")
HIDDEN = ("exec(", "globals()", "locals()", "%load", "%run")
"""What gives values to names that a source does not show."""


def generated(events: Events, event: Event, at: CodeLine | None) -> tuple[str, ...] | None:
    """What was generated that may be to blame for an error; None if nothing of it is."""
    kinds = ("model", "data", "hub adapter")
    stand_ins = [event for event in events.of(*kinds) if event["origin"] == "made"]
    names = tuple(dict.fromkeys(str(event["name"]) for event in stand_ins))
    trained = any(event.get("done") for event in events.of("step"))
    if not stand_ins or trained or event["stage"] == "config":
        return None
    if "unexpected keyword argument" in event["message"]:
        return None
    if event["type"] == "ImportError" and "cannot import name" in event["message"]:
        return None
    if at is None:
        return names
    lines = tuple(
        (spot.line, str(event["name"]))
        for event in stand_ins
        if (spot := events.at(event["at"])) is not None and spot.file == at.file
    )
    data_flow = flow(at.script, lines)
    if _certain(events, event, at, data_flow):
        return None
    if len(lines) < len(stand_ins):  # another file loads them
        return names
    touched = data_flow.touched(at.line).union(
        *(data_flow.guarded(caller) for caller in _callers(events, event, at))
    )
    return tuple(name for name in names if name in touched) or None


def shortened(events: Events, event: Event, at: CodeLine | None) -> bool:
    """Whether an error comes from what a rehearsal leaves less of than the job.

    That is a log of fewer steps, or one without vLLM, or what evaluations collect.
    """
    trained = any(event.get("done") for event in events.of("step"))
    error = f"{event['type']}: {event['message']}"
    if at is None or not trained or not (SHORT.match(error) or ENGINE.match(error)):
        return False
    lines = enumerate(at.script.splitlines(), 1)
    reads = tuple((number, LOG) for number, text in lines if LOG in text)
    if reads and flow(at.script, reads).touched(at.line):
        return True
    return bool(EVALUATES.search(at.script)) and _reads_collected(at)


def _reads_collected(at: CodeLine) -> bool:
    """Whether a line reads what is empty at first, and is filled in functions alone."""
    try:
        tree = ast.parse(at.script)
    except (SyntaxError, ValueError):
        return False
    empty = {
        target.id
        for statement in tree.body
        if isinstance(statement, ast.Assign) and ast.unparse(statement.value) in EMPTY
        for target in statement.targets
        if isinstance(target, ast.Name)
    }
    filled = {
        node.value.id
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.value, ast.Name)
    }
    read = {
        node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and node.lineno == at.line
    }
    return bool(read & empty & filled)


def _certain(events: Events, event: Event, at: CodeLine, data_flow: Flow) -> bool:
    """Whether the kind of error says that it does not depend on values."""
    if data_flow.guarded(at.line):
        return False
    message, own = event["message"], _is_innermost(events, event, at)
    if event["type"] == "NameError" and own and (match := NAME.search(message)):
        hidden = any(name in at.script for name in HIDDEN)
        return not (hidden or data_flow.binds(match[1]) or data_flow.chosen(at.line))
    if event["type"] == "AttributeError" and (match := MODULE.search(message)):
        return own and data_flow.reads(at.line, match[1]) and not data_flow.chosen(at.line)
    if event["type"] == "AttributeError" and (match := OBJECT.search(message)):
        return match[1] in {event["name"] for event in events.of("config", "trainer")}
    return event["type"] == "TypeError" and bool(
        CALL.search(message)
        and own
        and not data_flow.unpacks(at.line)
        and not data_flow.chosen(at.line)
    )


def _is_innermost(events: Events, event: Event, at: CodeLine) -> bool:
    """Whether the line itself failed, and not what it calls."""
    frames = event["frames"]
    return bool(frames) and events.at(frames[-1]) == at


def _callers(events: Events, event: Event, at: CodeLine) -> list[int]:
    """The lines of the same file through which the error came."""
    spots = (events.at(frame) for frame in event["frames"])
    return [place.line for place in spots if place is not None and place.file == at.file]
