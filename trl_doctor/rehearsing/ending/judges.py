"""What an error of a rehearsed command means, and what to do about it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from trl_doctor.rehearsing.code_line import CodeLine
from trl_doctor.rehearsing.ending.failure import Failure
from trl_doctor.rehearsing.ending.missing_packages import package
from trl_doctor.rehearsing.events import Event

GPU = re.compile(
    r"not compiled with CUDA|without CUDA support|dummy base class \w+|No CUDA|"
    r"CUDA (?:error|driver|generator|is not available)|NVIDIA|nvidia|"
    r"torch\.cuda|requires? (?:a|an)? ?(?:CUDA )?GPU|0 active drivers|cuda runtime",
    re.IGNORECASE,
)
LOGIN = re.compile(r"(?<![\w.])401(?![\w.])|\bgated\b|huggingface-cli login|hf auth login|HF_TOKEN|"
                   r"token.*required")  # fmt: skip
GONE = re.compile(r"cannot import name '(\w+)' from '(trl[\w.]*)'|module '(trl[\w.]*)' has no "
                  r"attribute '(\w+)'|No module named '(trl\.[\w.]+)'")  # fmt: skip

UNFOUND = re.compile(r"(?:Unable to find|Couldn't find any data file at) '?(/[^'\n]+)'?")
"""What `datasets` says of a file of rows that is not there."""

RENAMED = re.compile(r"cannot import name '(\w+)' from 'transformers[\w.]*'")
INSTEAD = {
    "AutoModelForVision2Seq": "use AutoModelForImageTextToText",
    "AdamW": "use torch.optim.AdamW",
}
"""What to write for names that transformers has lost."""


def _gone(event: Event, at: CodeLine | None) -> Failure | None:
    match = GONE.search(event["message"])
    if not match or event["type"] not in ("ImportError", "ModuleNotFoundError", "AttributeError"):
        return None
    return Failure("script", line(event), "", at, "gone")


def _renamed(event: Event, at: CodeLine | None) -> Failure | None:
    """A class that transformers has under another name now."""
    match = RENAMED.search(event["message"])
    if not match or match[1] not in INSTEAD or event["type"] != "ImportError":
        return None
    return Failure("script", line(event), INSTEAD[match[1]], at, event["type"])


def _unlaunched(event: Event, at: CodeLine | None) -> Failure | None:
    """DeepSpeed asks MPI where no launcher has set its variables."""
    if "No module named 'mpi4py'" not in event["message"]:
        return None
    if not any("deepspeed/comm/" in str(call[0]) for call in event["frames"]):
        return None
    message = "DeepSpeed finds no launcher: RANK and MASTER_ADDR are not set, and there is no MPI"
    return Failure("script", message, "start it with torchrun, accelerate launch or deepspeed",
                   at, "launcher")  # fmt: skip


def _away(event: Event, at: CodeLine | None) -> Failure | None:
    if event["type"] != "KeptAway" and not (
        event["type"] == "PermissionError" and "rehearsal" in event["message"]
    ):
        return None
    name = (
        event["message"].partition("there: ")[2].strip("'") or "a file outside the working folder"
    )
    return Failure("machine", f"the script writes to {name}, which a rehearsal does not allow",
                   "write below the working folder, or to output_dir", at, "write")  # fmt: skip


def _network(event: Event, at: CodeLine | None) -> Failure | None:
    if event["type"] == "AssertionError":
        return None
    if LOGIN.search(event["message"]) and "Error" in event["type"]:
        return Failure("machine", f"a login is needed: {line(event)}",
                       "download it first, or name a folder with --stand-in",
                       at, "login")  # fmt: skip
    message = event["message"]
    if event.get("network") or "a probe may not" in message or "offline" in message.lower():
        return Failure("machine", f"the script uses the network: {line(event)}",
                       "download it first, or name a replacement with --stand-in",
                       at, "network")  # fmt: skip
    return None


def _other_machine(event: Event, at: CodeLine | None) -> Failure | None:
    """A file in a folder that this machine does not have, as a job on a cluster names it."""
    if event["type"] != "FileNotFoundError":
        return None
    unfound = UNFOUND.search(event["message"])
    name = event.get("facts", {}).get("path") or (unfound[1] if unfound else "")
    top = "".join(Path(str(name)).parts[:2])
    if not str(name).startswith("/") or len(Path(name).parts) < 3 or Path(top).exists():
        return None
    message = f"{name} is not here: this machine has no folder {top}"
    return Failure("machine", message, "rehearse where the job runs, or put the file there",
                   at, "file")  # fmt: skip


def _input(event: Event, at: CodeLine | None) -> Failure | None:
    if event["type"] != "EOFError":
        return None
    return Failure("machine", "the script reads from standard input, and a rehearsal has none",
                   "pass the value as an argument", at, "stdin")  # fmt: skip


def _gpu(event: Event, at: CodeLine | None) -> Failure | None:
    if not GPU.search(f"{event['type']}: {event['message']}"):
        return None
    return Failure("machine", f"the script needs a GPU: {line(event)}",
                   "use the CPU if torch.cuda.is_available() is false",
                   at, "gpu")  # fmt: skip


def _model(event: Event, at: CodeLine | None) -> Failure | None:
    if event["type"] != "NotRehearsable":
        return None
    return Failure("machine", event["message"], "name a model like it with --stand-in", at)


def _syntax(event: Event, at: CodeLine | None) -> Failure | None:
    if event["type"] not in ("SyntaxError", "IndentationError", "TabError"):
        return None
    old = "print" in event["message"] or "exec" in event["message"]
    problem = "this is Python 2" if old else "this is not valid Python for this interpreter"
    remedy = "convert it to Python 3" if old else "correct this line"
    if at and at.text.lstrip().startswith(("!", "%")):
        problem, remedy = "this line is for a notebook only", "comment it out, or name the notebook"
    return Failure("script", f"{problem}: {line(event)}", remedy, at, "syntax")


JUDGES: tuple[Callable[[Event, CodeLine | None], Failure | None], ...] = (
    _gone, _renamed, _unlaunched, package, _away, _other_machine, _input, _model, _gpu, _network,
    _syntax,
)  # fmt: skip


def line(event: Event) -> str:
    """An error's type and the first line of its message; if that ends in a colon, two lines."""
    lines = [text.strip() for text in str(event["message"]).strip().splitlines()]
    first = " ".join(lines[:2]) if lines and lines[0].endswith(":") else "".join(lines[:1])
    return f"{event['type']}: {first:.300}" if first else str(event["type"])
