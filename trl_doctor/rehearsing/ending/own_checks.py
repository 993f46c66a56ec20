"""Says whether a check of the script's own failed because the rehearsal is small."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from typing import TypeGuard

from trl_doctor.probes.layout.argument_tables import CAPS, SMALL
from trl_doctor.probes.rehearsal.settings import cutting
from trl_doctor.rehearsing.code_line import CodeLine
from trl_doctor.rehearsing.ending.flow import flow
from trl_doctor.rehearsing.events import Event, Events
from trl_doctor.rehearsing.syntax import parsed

ROWS, SIZES, STEPS = "fewer rows", "smaller sizes", "fewer steps"
CUT = frozenset({*cutting.FEW, *cutting.OWN_SIZES, *cutting.CPU, *CAPS, "max_steps"})
"""Arguments that a rehearsal changes."""

COUNTS = re.compile(r"IndexError|ZeroDivisionError|StopIteration|StatisticsError")
"""What a script raises that counts on more than there is."""

CALLED = ("Callback", "Trainer")
AT_STEPS = ("log", "compute_loss", "training_step", "prediction_step")
"""Classes whose methods are called while one trains, and those methods beside `on_…`."""


def reached_by_scale(events: Events, event: Event, at: CodeLine | None) -> str:
    """What of the small scale reaches a failed check of the script; "" if nothing does."""
    if at is None or not _is_check(events, event, at):
        return ""
    small = any(change["why"] == SMALL for change in events.of("changed"))
    return STEPS if small and _in_callback(at) else _reached(events, at)


def exit_reached_by_scale(events: Events, at: CodeLine | None) -> str:
    """What of the small scale reaches the line where the script ended itself."""
    if at is None:
        return ROWS if events.of("short") and events.of("data") else ""
    return _reached(events, at)


def checked_by_luck(events: Events) -> bool:
    """Whether a check counts rows so that a few may pass it: by a remainder, or up to a number."""
    if not events.of("short"):
        return False
    for place in _scripts(events, "data"):
        checks = [node for node in ast.walk(parsed(place.script)) if _counts_up_to(node)]
        if any(ROWS in _touched(events, CodeLine(place.file, node.lineno, place.notebook))
               for node in checks):  # fmt: skip
            return True
    return False


def _counts_up_to(node: ast.AST) -> TypeGuard[ast.stmt]:
    """Whether it is a check with a remainder, or of a `len()` that may be too large."""
    fails = isinstance(node, ast.If) and any(isinstance(inner, ast.Raise) for inner in node.body)
    if not (fails or isinstance(node, ast.Assert)):
        return False
    assert isinstance(node, ast.If | ast.Assert)
    operators = (ast.Gt, ast.GtE, ast.NotEq) if fails else (ast.Lt, ast.LtE, ast.Eq)
    return any(
        (isinstance(part, ast.BinOp) and isinstance(part.op, ast.Mod))
        or (isinstance(part, ast.Compare) and isinstance(part.ops[0], operators)
            and ast.unparse(part.left).startswith("len("))
        for part in ast.walk(node.test)
    )  # fmt: skip


def _is_check(events: Events, event: Event, at: CodeLine) -> bool:
    """Whether the script's own line raised it: an assertion, a `raise`, or an index."""
    frames = event["frames"]
    if not frames or events.at(frames[-1]) != at:
        return False
    if event["type"] == "AssertionError" or COUNTS.match(event["type"]):
        return True
    return any(isinstance(node, ast.Raise) for node in _around(at))


def _in_callback(at: CodeLine) -> bool:
    """Whether the line is in a method that a trainer calls while it trains."""
    return any(
        isinstance(node, ast.FunctionDef) and node.name.startswith("on_") for node in _around(at)
    )


def _asks_for_cut_argument(at: CodeLine) -> bool:
    """Whether the statement, or the condition that leads to it, reads an argument that is cut."""
    return any(
        isinstance(part, ast.Attribute) and part.attr in CUT
        for node in _around(at)
        if isinstance(node, ast.If | ast.Assert)
        for part in ast.walk(node.test)
    )


def _around(at: CodeLine) -> Iterator[ast.stmt]:
    """The statements of the script that have the line; none if this Python cannot parse it."""
    for node in ast.walk(parsed(at.script)):
        if isinstance(node, ast.stmt) and node.lineno <= at.line <= (node.end_lineno or 0):
            yield node


def _reached(events: Events, at: CodeLine) -> str:
    if _asks_for_cut_argument(at):
        return SIZES
    touched = _touched(events, at)
    return next((what for what in (ROWS, SIZES, STEPS) if what in touched), "")


def _touched(events: Events, at: CodeLine) -> frozenset[str]:
    """What of the small scale touches a line."""
    sources = list(_sources(events))
    lines = tuple((place.line, what) for place, what in sources if place.file == at.file)
    return flow(at.script, lines).touched(at.line) if lines else frozenset()


def _scripts(events: Events, kind: str) -> Iterable[CodeLine]:
    """A place in each file in which there are events of a kind."""
    places = (events.at(event["at"]) for event in events.of(kind))
    return {place.file: place for place in places if place}.values()


def _callbacks(events: Events) -> Iterator[tuple[CodeLine, str]]:
    """The lines that make what a trainer is given as its callbacks: it sees each step and log."""
    for place in _scripts(events, "training"):
        nodes = list(ast.walk(parsed(place.script)))
        given = [node.value for node in nodes if isinstance(node, ast.keyword)
                 and node.arg == "callbacks"]  # fmt: skip
        adding = [node for node in nodes if isinstance(node, ast.Call)
                  and ast.unparse(node.func).endswith(".add_callback")]  # fmt: skip
        given += [value for call in adding for value in call.args]
        names = {part.id for value in given for part in ast.walk(value)
                 if isinstance(part, ast.Name)}  # fmt: skip
        for node in nodes:
            if isinstance(node, ast.Assign) and names & set(map(ast.unparse, node.targets)):
                yield CodeLine(place.file, node.lineno), STEPS


def _each_step(events: Events) -> Iterator[tuple[CodeLine, str]]:
    """The lines in methods that a trainer calls at each step, log or save: the job runs more."""
    for place in _scripts(events, "training"):
        for node in ast.walk(parsed(place.script)):
            if not isinstance(node, ast.ClassDef):
                continue
            bases = [ast.unparse(base) for base in node.bases]
            for method in node.body if any(base.endswith(CALLED) for base in bases) else ():
                name = getattr(method, "name", "")
                if name.startswith("on_") or name in AT_STEPS:
                    for part in ast.walk(method):
                        if isinstance(part, ast.stmt) and part is not method:
                            yield CodeLine(place.file, part.lineno), STEPS


def _names_of_checkpoints(events: Events) -> Iterator[tuple[CodeLine, str]]:
    """The lines of the scripts that train which name what is saved while one trains."""
    for place in _scripts(events, "training"):
        for number, text in enumerate(place.script.splitlines(), 1):
            if "checkpoint-" in text or "trainer_state.json" in text:
                yield CodeLine(place.file, number), STEPS


def _sources(events: Events) -> Iterator[tuple[CodeLine, str]]:
    """The lines of the script that get less than they do in the job."""
    kinds = {"data": ROWS} if events.of("short") else {}
    if any(event["why"] == SMALL for event in events.of("changed")):
        kinds |= {"config": SIZES, "training": STEPS}
        yield from _names_of_checkpoints(events)
        yield from _callbacks(events)
        yield from _each_step(events)
    for event in events.of(*kinds):
        place = events.at(event["at"])
        if place is not None:
            yield place, kinds[event["kind"]]
