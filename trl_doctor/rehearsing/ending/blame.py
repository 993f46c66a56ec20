"""What ended a rehearsal, and which part of the run is to blame."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from trl_doctor.core.plain import excerpt
from trl_doctor.core.process_end import ended
from trl_doctor.files.source.notebooks.started import elsewhere
from trl_doctor.probes.rehearsal.errors.stacks import HELD, Rank
from trl_doctor.probes.rehearsal.start import NOT_BEGUN
from trl_doctor.rehearsing.code_line import CodeLine
from trl_doctor.rehearsing.ending import excused
from trl_doctor.rehearsing.ending.certain_errors import generated, shortened
from trl_doctor.rehearsing.ending.changed_argument import replaced
from trl_doctor.rehearsing.ending.exits import raised_exit
from trl_doctor.rehearsing.ending.failure import Failure, Whose
from trl_doctor.rehearsing.ending.judges import JUDGES, line
from trl_doctor.rehearsing.ending.missing_file import unmade
from trl_doctor.rehearsing.ending.missing_variables import unset
from trl_doctor.rehearsing.ending.own_checks import exit_reached_by_scale, reached_by_scale
from trl_doctor.rehearsing.ending.refused_options import refusal
from trl_doctor.rehearsing.ending.remedies import advice
from trl_doctor.rehearsing.events import Event, Events, lost

NO_FILE = re.compile(r"can't open file '([^']+)': \[Errno 2\]")
STANDARD = re.compile(r"^<frozen |/lib/python3\.\d+/(?!(site|dist)-packages/)")
"""The files of Python's standard library."""

STAGES = {"config": "candidate", "construct": "candidate", "train": "candidate"}


def failure(events: Events) -> Failure | None:
    """What ended it early; None if it finished."""
    if events.answer.state not in ("answered", "timed out"):
        return _stopped(events)
    if events.timed_out:
        return _late(events)
    event = events.failure
    if event is None or (lost(event) and events.left):
        return _silent(events)
    places = (event.get("at"), [event["file"], event["line"]] if event.get("line") else None)
    at = events.own_line(event["frames"]) or next(filter(None, map(events.at, places)), None)
    judged = (
        excused.of_doctor(event, at)
        or _left_alone(events, event, at)
        or excused.of_none(events, at)
        or unset(events, event, at)
    )
    judged = judged or unmade(events, event, at)
    if judged:
        return judged
    for judge in JUDGES:
        judged = judge(event, at)
        if judged:
            return judged
    if name := replaced(events, event):
        return excused.of_replaced(name, event, at)
    if (names := generated(events, event, at)) is not None:
        return excused.of_generated(names, events, event, at)
    if shortened(events, event, at):
        return excused.of_short_log(event, at)
    if why := reached_by_scale(events, event, at):
        return excused.of_own_check(why, line(event), at)
    own = event["stage"] == "construct" and "takes" in event.get("facts", {})
    own = own or _raised_in_script(events, event)
    whose: Whose = "candidate" if event["stage"] in STAGES and not own else "script"
    remedy, evidence = advice(events, event, at) if whose == "script" else ("", ())
    return Failure(whose, line(event), remedy, at, event["type"], evidence)


def _raised_in_script(events: Events, event: Event) -> bool:
    """Whether the user's own code raised it, or what that calls in Python's standard library.

    Rules know of the errors of reward functions."""
    calls = [call for call in events.of("reward") if call["state"] == "raised"]
    frames = [frame for frame in event["frames"] if not STANDARD.search(str(frame[0]))]
    last = events.own_line(frames[-1:])
    return last is not None and all(call["message"] != event["message"] for call in calls)


def _stopped(events: Events) -> Failure:
    lines = {
        "out of memory": "let the script use less memory before it trains, or raise --memory-limit",
        "out of disk": "let the script write less",
    }
    reason = events.answer.reason or events.answer.state
    remedy = lines.get(events.answer.state, "")
    return Failure("machine", f"the rehearsal was stopped: {reason}", remedy, _latest(events))


def _late(events: Events) -> Failure:
    ranks = events.ranks
    places = {
        rank: next(_own(events, state), None) for rank, state in ranks.items() if not state.ended
    }
    waiting = [rank for rank in places if ranks[rank].waits]
    busy = [rank for rank in places if rank not in waiting]
    if len(ranks) > 1 and waiting and busy:
        moves = not all(ranks[rank].is_stuck(HELD) for rank in busy)
        return _held_up(waiting, busy, places, moves=moves)
    if len(ranks) > 1 and waiting and all(ranks[rank].is_stuck() for rank in places):
        return _hang(events, places, next(iter(places.values()), None))
    at = next(iter(places.values()), None) or _latest(events)
    if IMPORTS.match(at.text.strip()) if at else _is_importing(ranks):
        where = f" at {at.shown}" if at else ""
        message = f"time ran out while the script was importing libraries{where}"
        return Failure("machine", message, "raise --timeout: imports take long on a busy machine",
                       at, "late")  # fmt: skip
    before = "before it built a trainer" if not events.of("built") else "in training"
    return Failure("machine", f"it took too long: it was at {_shown(at)}, {before}",
                   "raise --timeout, or let the script do less before it trains", at,
                   "late")  # fmt: skip


def _is_importing(ranks: Mapping[int, Rank]) -> bool:
    """Whether the innermost call of a process is within an import."""
    return any("importlib._bootstrap" in "".join(rank.calls[-1:]) for rank in ranks.values())


def _held_up(
    waiting: list[int], busy: list[int], places: Mapping[int, CodeLine | None], *, moves: bool
) -> Failure:
    """Some processes wait for others, which compute, or stay at one line for a minute."""
    lines = "; ".join(f"rank {rank} at {_shown(places[rank])}" for rank in sorted(places))
    first, others = waiting[0], " and ".join(map(str, busy))
    at = places[busy[0]]
    if not moves:
        return Failure("candidate", f"rank {first} waits for rank {others}, which does not go on: "
                       f"{lines}", "let all ranks make the same collective calls in the same order",
                       at, "hang")  # fmt: skip
    return Failure("machine", f"rank {first} has waited for a minute for rank {others}: {lines}",
                   "let all ranks do their long work before or after the calls that they share",
                   at, "held up")  # fmt: skip


def _left_alone(events: Events, event: Event, at: CodeLine | None) -> Failure | None:
    """A process that lost another one, which had come to its end."""
    failed = {event["rank"] for event in events.of("failed")}
    ended = [rank for rank, state in events.ranks.items() if state.ended and rank not in failed]
    if not ended or not lost(event):
        return None
    return _hang(events, {event["rank"]: at}, at)


def _hang(events: Events, places: Mapping[int, CodeLine | None], at: CodeLine | None) -> Failure:
    lines = "; ".join(
        f"rank {rank} at {_shown(places[rank])}" if rank in places else f"rank {rank} has ended"
        for rank in events.ranks
    )
    return Failure("candidate", f"the processes wait for each other forever: {lines}",
                   "let all ranks make the same collective calls in the same order",
                   at, "hang")  # fmt: skip


def _silent(events: Events) -> Failure | None:
    """A command that ended without an error, but too early."""
    exit_event = events.left or events.last("exit") or {"at": None, "status": 0}
    at, status = events.at(exit_event["at"]), events.status
    if status == 1 and exit_event["status"] == 2:  # a launcher has a status of its own
        status = 2
    if absent := next(filter(None, map(NO_FILE.search, events.answer.tail)), None):
        return Failure("machine", f"there is no file {events.original(absent[1])}",
                       f"name it by its path from {events.own}")  # fmt: skip
    if status == 2 and not exit_event.get("own"):
        judged = refusal((*events.answer.tail, exit_event.get("message") or ""), at)
        if judged:
            return judged
    if events.status != 0:
        return _killed(events) if events.status < 0 else _exited(events, at)
    if not events.of("started"):
        return Failure("machine", "no Python process of the command could be examined",
                       "name the command that starts Python, without -I, -E or -S")  # fmt: skip
    if not events.of("built"):
        line = elsewhere(events.notebook.cells) if events.notebook else ""
        if line:
            return Failure("machine", "the notebook builds no trainer itself", line, at)
        return Failure("machine", "the command ended without building a trainer",
                       "name the script and the arguments with which it trains", at,
                       "no training")  # fmt: skip
    if not events.of("step"):
        return Failure("machine", "the command ended without training",
                       "name the arguments with which it trains, or call train() of the trainer",
                       at, "no training")  # fmt: skip
    return None


def _killed(events: Events) -> Failure:
    """Compiled code has crashed: Python's fault handler has printed where, the innermost first."""
    printed = "\n".join(events.answer.tail)
    calls = FRAME.findall(printed.rpartition("Current thread")[2] or printed)
    places = (events.own_line([[file, int(number)]]) for file, number, _ in calls)
    at = next(filter(None, places), None) or _latest(events)
    evidence = tuple(f"in {name} of {Path(file).name}:{number}" for file, number, name in calls[:1])
    remedy = "correct the compiled code that this line calls, or install another release of it"
    return Failure("script", ended(events.status), remedy, at, "killed", evidence)


def _exited(events: Events, at: CodeLine | None) -> Failure:
    """The script has ended itself; what it printed last may say why."""
    lines = [text.strip() for text in events.answer.tail if text.strip()]
    last = lines[-1] if lines else ""
    if not events.of("started") and events.status == NOT_BEGUN:
        return excused.of_beginning(lines)
    at = at or raised_exit(events)
    if why := exit_reached_by_scale(events, at):
        return excused.of_own_check(why, f"exit status {events.status}, {excerpt(last, 300)}", at)
    evidence = (f"it printed last: {excerpt(last, 300)}",) if last else ()
    remedy = "make the script go on here, or give it the arguments with which it trains"
    refused = next((text for text in reversed(lines) if REFUSED.search(text)), "")
    sentence = f"it ended with exit status {events.status}"
    sentence += f": {excerpt(refused, 200)}" if refused else ""
    return Failure("script", sentence, remedy, at, "exit", evidence)


def _latest(events: Events) -> CodeLine | None:
    """The last line of the user's files that an event names."""
    places = (events.at(event.get("at")) for event in reversed(events.events))
    return next((at for at in places if at), None)


REFUSED = re.compile(
    r"^\S.*: error: (?:argument .*: (?:invalid|expected|not allowed)|unrecognized arguments: "
    r"|the following arguments are required: )"
)
"""What a command that the script starts says of the words that it gets."""

IMPORTS = re.compile(r"(from \S+ )?import \w")
FRAME = re.compile(r'File "([^"]+)", line (\d+) in (\S+)')


def _own(events: Events, rank: Rank) -> Iterator[CodeLine]:
    """The lines of the user's own that a process was at, the innermost first."""
    for file, number, _ in FRAME.findall("".join(rank.calls[-1:])):
        at = events.own_line([[file, int(number)]])
        if at:
            yield at


def _shown(at: CodeLine | None) -> str:
    return at.shown if at else "a line that is not the script's"
