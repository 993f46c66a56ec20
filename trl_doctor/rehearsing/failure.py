"""Why a rehearsal did not finish, which part caused it, and what to do."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from trl_doctor.rehearsing.at import At
from trl_doctor.rehearsing.events import Event, Events

Whose: TypeAlias = Literal["script", "candidate", "installation", "machine"]
"""The script's; the model's, tokenizer's or arguments'; the libraries'; or what is lacking here."""

STAGES = {"config": "candidate", "construct": "candidate", "train": "candidate"}
GPU = re.compile(
    r"not compiled with CUDA|No CUDA|CUDA (?:error|driver|is not available)|NVIDIA|nvidia|"
    r"torch\.cuda|requires? (?:a|an)? ?(?:CUDA )?GPU|0 active drivers|cuda runtime",
    re.IGNORECASE,
)
LOGIN = re.compile(r"401|gated|huggingface-cli login|hf auth login|HF_TOKEN|token.*required")
PACKAGE = re.compile(r"No module named '([\w.]+)'|`?pip3? install (?:-U )?([\w\-]+)")
DISTRIBUTIONS = {"PIL": "pillow", "yaml": "pyyaml", "sklearn": "scikit-learn",
                 "cv2": "opencv-python", "dotenv": "python-dotenv", "bs4": "beautifulsoup4",
                 "flash_attn": "flash-attn", "rouge_score": "rouge-score"}  # fmt: skip
"""Packages that are installed under another name than they are imported by."""

GONE = re.compile(r"cannot import name '(\w+)' from '(trl[\w.]*)'|module '(trl[\w.]*)' has no "
                  r"attribute '(\w+)'|No module named '(trl\.[\w.]+)'")  # fmt: skip


@dataclass(frozen=True)
class Failure:
    """What ended a rehearsal. `message` is a clause; `remedy` is the smallest change that would
    help."""

    whose: Whose
    message: str
    remedy: str = ""
    at: At | None = None
    kind: str = ""


def failure(events: Events) -> Failure | None:
    """What ended it early; None if it finished."""
    if events.answer.state not in ("answered", "timed out"):
        return _stopped(events)
    if events.late:
        return _late(events)
    event = events.failure
    if event is None:
        return _silent(events)
    places = (event.get("at"), [event["file"], event["line"]] if event.get("line") else None)
    at = events.own_line(event["frames"]) or next(filter(None, map(events.at, places)), None)
    for judge in JUDGES:
        found = judge(event, at)
        if found:
            return found
    made = [one["name"] for one in events.of("model", "data") if one["origin"] == "made"]
    certain = event["stage"] == "config" or "unexpected keyword argument" in event["message"]
    if made and not certain:
        names = ", ".join(dict.fromkeys(made))
        return Failure("machine", f"it failed with generated data for {names}: {_line(event)}",
                       "download them, or name replacements with --stand-in", at,
                       "made up")  # fmt: skip
    whose: Whose = "candidate" if event["stage"] in STAGES else "script"
    return Failure(whose, _line(event), "", at, event["type"])


def _stopped(events: Events) -> Failure:
    lines = {
        "out of memory": "let the script use less memory before it trains, or raise --memory-limit",
        "out of disk": "let the script write less",
    }
    said = events.answer.reason or events.answer.state
    remedy = lines.get(events.answer.state, "")
    return Failure("machine", f"the rehearsal was stopped: {said}", remedy, _latest(events))


def _late(events: Events) -> Failure:
    dumps = {rank: _main_threads(text) for rank, text in sorted(events.stacks.items())}
    places = {rank: next(_own(events, told[-1]), None) for rank, told in dumps.items() if told}
    waiting = [rank for rank, told in dumps.items() if told and _collective(told[-1])]
    still = all(len(told) > 1 and told[-1] == told[-2] for told in dumps.values())
    if len(places) > 1 and waiting and still:
        told = "; ".join(f"rank {rank} at {_shown(at)}" for rank, at in places.items())
        line = next((places[rank] for rank in places if rank not in waiting), None)
        return Failure("candidate", f"the processes wait for each other forever: {told}",
                       "let all ranks make the same collective calls in the same order",
                       line or next(iter(places.values()), None), "hang")  # fmt: skip
    at = next(iter(places.values()), None) or _latest(events)
    before = "before it built a trainer" if not events.of("built") else "in training"
    return Failure("machine", f"it took too long: it was at {_shown(at)}, {before}",
                   "raise --timeout, or let the script do less before it trains", at)  # fmt: skip


def _main_threads(text: str) -> list[str]:
    """The calls of the main thread, each time that Python wrote them down."""
    return [part.rpartition("Thread 0x")[2] for part in text.split("Timeout (")[1:]]


def _silent(events: Events) -> Failure | None:
    """A command that ended without an error, but too early."""
    left = events.last("exit")
    at = events.at(left["at"]) if left else None
    if events.status == 2:
        usage = next((one for one in reversed(events.answer.tail) if "error:" in one), "")
        said = f": {usage.partition('error:')[2].strip()}" if usage else ""
        return Failure("machine", f"the script refuses its arguments{said}",
                       "add its arguments behind the script's name", at)  # fmt: skip
    if events.status != 0:
        return Failure("script", f"it ended with exit status {events.status}", "", at)
    if not events.of("started"):
        return Failure("machine", "no Python process of the command could be examined",
                       "name the command that starts Python, without -I, -E or -S")  # fmt: skip
    if not events.of("built"):
        return Failure("machine", "the command ended without building a trainer",
                       "name the script and the arguments with which it trains", at)  # fmt: skip
    if not events.of("step"):
        return Failure("machine", "the command ended without training", "", at)
    return None


def _gone(event: Event, at: At | None) -> Failure | None:
    found = GONE.search(event["message"])
    if not found or event["type"] not in ("ImportError", "ModuleNotFoundError", "AttributeError"):
        return None
    return Failure("script", _line(event), "", at, "gone")


def _package(event: Event, at: At | None) -> Failure | None:
    if event["type"] not in ("ModuleNotFoundError", "ImportError", "PackageNotFoundError"):
        return None
    named = PACKAGE.search(event["message"])
    if not named:
        return None
    name = (named[1] or named[2]).partition(".")[0]
    if event["type"] == "ModuleNotFoundError" and name in ("src", "utils", "config", "configs"):
        return None
    name = DISTRIBUTIONS.get(name, name)
    return Failure("machine", f"the package {name} is not installed", f"pip install {name}",
                   at, "package")  # fmt: skip


def _away(event: Event, at: At | None) -> Failure | None:
    if event["type"] != "KeptAway" and not (
        event["type"] == "PermissionError" and "rehearsal" in event["message"]
    ):
        return None
    name = (
        event["message"].partition("there: ")[2].strip("'") or "a file outside the working folder"
    )
    return Failure("machine", f"the script writes to {name}, which a rehearsal does not allow",
                   "write below the working folder, or to output_dir", at, "write")  # fmt: skip


def _network(event: Event, at: At | None) -> Failure | None:
    if LOGIN.search(event["message"]) and "Error" in event["type"]:
        return Failure("machine", f"a login is needed: {_line(event)}",
                       "download it first, or name a folder with --stand-in",
                       at, "login")  # fmt: skip
    said = event["message"]
    if event.get("network") or "a probe may not" in said or "offline" in said.lower():
        return Failure("machine", f"the script uses the network: {_line(event)}",
                       "download it first, or name a replacement with --stand-in",
                       at, "network")  # fmt: skip
    return None


def _input(event: Event, at: At | None) -> Failure | None:
    if event["type"] != "EOFError":
        return None
    return Failure("machine", "the script reads from standard input, and a rehearsal has none",
                   "pass the value as an argument", at, "stdin")  # fmt: skip


def _gpu(event: Event, at: At | None) -> Failure | None:
    if not GPU.search(f"{event['type']}: {event['message']}"):
        return None
    return Failure("machine", f"the script needs a GPU: {_line(event)}",
                   "use the CPU if torch.cuda.is_available() is false",
                   at, "gpu")  # fmt: skip


def _model(event: Event, at: At | None) -> Failure | None:
    if event["type"] != "NotRehearsable":
        return None
    return Failure("machine", event["message"], "name a model like it with --stand-in", at)


def _syntax(event: Event, at: At | None) -> Failure | None:
    if event["type"] not in ("SyntaxError", "IndentationError", "TabError"):
        return None
    old = "print" in event["message"] or "exec" in event["message"]
    said = "this is Python 2" if old else "this is not valid Python for this interpreter"
    remedy = "convert it to Python 3" if old else "correct this line"
    return Failure("script", f"{said}: {_line(event)}", remedy, at, "syntax")


JUDGES: tuple[Callable[[Event, At | None], Failure | None], ...] = (
    _gone, _package, _away, _input, _model, _gpu, _network, _syntax,
)  # fmt: skip


def _line(event: Event) -> str:
    said = str(event["message"]).strip().splitlines()
    return f"{event['type']}: {said[0]:.300}" if said else str(event["type"])


def _latest(events: Events) -> At | None:
    """The last line of the user's that anything was told of."""
    found = (events.at(one.get("at")) for one in reversed(events.events))
    return next((at for at in found if at), None)


FRAME = re.compile(r'File "([^"]+)", line (\d+) in (\S+)')


def _own(events: Events, stack: str) -> Iterator[At]:
    for file, line, _ in FRAME.findall(stack):
        at = events.own_line([[file, int(line)]])
        if at:
            yield at


def _collective(main: str) -> bool:
    places = ("distributed_c10d.py", "torch/distributed/", "accelerate/utils/operations.py")
    return any(place in main for place in places)


def _shown(at: At | None) -> str:
    return at.shown if at else "a line that is not the script's"
