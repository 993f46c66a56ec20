"""What an error of a rehearsed command means, and what to do about it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from trl_doctor.core.plain import shown
from trl_doctor.files.regular import bytes_of
from trl_doctor.files.source.pins import installed_at
from trl_doctor.rehearsing.at import At
from trl_doctor.rehearsing.events import Event
from trl_doctor.rehearsing.failure import Failure

GPU = re.compile(
    r"not compiled with CUDA|No CUDA|CUDA (?:error|driver|is not available)|NVIDIA|nvidia|"
    r"torch\.cuda|requires? (?:a|an)? ?(?:CUDA )?GPU|0 active drivers|cuda runtime",
    re.IGNORECASE,
)
LOGIN = re.compile(r"401|gated|huggingface-cli login|hf auth login|HF_TOKEN|token.*required")
PACKAGE = re.compile(
    r"No module named '([\w.]+)'|requires the ([\w\-]+) library but it was not found|"
    r"`?pip3? install (?:-U )?['\"]?([\w\-]+(?:\[[\w,\-]+\])?)"
)
DISTRIBUTIONS = {"PIL": "pillow", "yaml": "pyyaml", "sklearn": "scikit-learn",
                 "cv2": "opencv-python", "dotenv": "python-dotenv", "bs4": "beautifulsoup4",
                 "flash_attn": "flash-attn", "rouge_score": "rouge-score", "hydra": "hydra-core",
                 "git": "gitpython", "skimage": "scikit-image", "fitz": "pymupdf",
                 "docx": "python-docx", "faiss": "faiss-cpu", "attr": "attrs"}  # fmt: skip
"""Packages that are installed under another name than they are imported by."""

SHARED = ("google", "azure", "ruamel")
"""Names that several packages share: none of them is called so."""

OWN = ("src", "utils", "config", "configs")
"""Modules that scripts have of their own."""

GONE = re.compile(r"cannot import name '(\w+)' from '(trl[\w.]*)'|module '(trl[\w.]*)' has no "
                  r"attribute '(\w+)'|No module named '(trl\.[\w.]+)'")  # fmt: skip

RENAMED = re.compile(r"cannot import name '(\w+)' from 'transformers[\w.]*'")
INSTEAD = {
    "AutoModelForVision2Seq": "use AutoModelForImageTextToText",
    "AdamW": "use torch.optim.AdamW",
}
"""What to write for names that transformers has lost."""


def _gone(event: Event, at: At | None) -> Failure | None:
    match = GONE.search(event["message"])
    if not match or event["type"] not in ("ImportError", "ModuleNotFoundError", "AttributeError"):
        return None
    return Failure("script", line(event), "", at, "gone")


def _renamed(event: Event, at: At | None) -> Failure | None:
    """A class that transformers has under another name now."""
    match = RENAMED.search(event["message"])
    if not match or event["type"] != "ImportError":
        return None
    return Failure("script", line(event), INSTEAD.get(match[1], ""), at, event["type"])


def _package(event: Event, at: At | None) -> Failure | None:
    if event["type"] not in ("ModuleNotFoundError", "ImportError", "PackageNotFoundError"):
        return None
    named = PACKAGE.search(event["message"])
    if not named:
        return None
    whole = named[1] or (named[2] or named[3]).lower()
    name = whole.partition(".")[0]
    if name in SHARED:
        return Failure("machine", f"the module {whole} is not installed",
                       "install the package that has it", at, "package")  # fmt: skip
    own = event["type"] == "ModuleNotFoundError" and (_own_module(name, at) or _beside(name, at))
    if own:
        return own
    if name in OWN:
        return None
    name = DISTRIBUTIONS.get(name, name)
    quoted = f"'{name}'" if "[" in name else name
    return Failure("machine", f"the package {name} is not installed{_asked_for(name, at)}",
                   f"pip install {quoted}", at, "package")  # fmt: skip


def _asked_for(name: str, at: At | None) -> str:
    """That the notebook or script installs a package itself, which a rehearsal leaves out."""
    try:
        where = installed_at(at.file, bytes_of(at.file), name) if at else ""
    except OSError:
        return ""
    if at is None or not where:
        return ""
    who = "the notebook installs it itself" if at.notebook else "the script's metadata names it"
    return f" here: {who} ({where}), and a rehearsal installs nothing"


def _own_module(name: str, at: At | None) -> Failure | None:
    """A module of the user's own, in a folder above the script's."""
    file = at.file.absolute() if at else Path()
    for folder in list(file.parents)[1:5]:
        if not _is_module(folder, name, at.text if at else ""):
            continue
        module = ".".join(file.relative_to(folder).with_suffix("").parts)
        remedy = f"start it in {shown(folder)}: python -m {module}"
        if at and at.notebook:
            remedy = f"add {shown(folder)} to sys.path"
        message = f"it imports {name}: Python does not look for it in {shown(folder)}, where it is"
        return Failure("script", message, remedy, at, "own module")
    return None


def _beside(name: str, at: At | None) -> Failure | None:
    """A module in a folder beside those above the script."""
    file = at.file.absolute() if at else Path()
    for above in list(file.parents)[1:5]:
        for folder in sorted(path.parent for path in above.glob(f"*/{name}")):
            if not folder.name.startswith(".") and _is_module(folder, name, at.text if at else ""):
                message = f"it imports {name}: Python does not look for it in {shown(folder)}, "
                remedy = f"set PYTHONPATH={shown(folder)} before the command"
                return Failure("machine", f"{message}where it is", remedy, at, "own module")
    return None


def _is_module(folder: Path, name: str, text: str) -> bool:
    """Whether a folder has the module that a line imports, and not only a folder of its name."""
    if (folder / f"{name}.py").is_file() or (folder / name / "__init__.py").is_file():
        return True
    parts = re.search(rf"\b{name}(?:\.(\w+)| import (\w+))", text)
    part = (parts[1] or parts[2]) if parts else ""
    inside = folder / name / part
    return bool(part) and (inside.is_dir() or inside.with_suffix(".py").is_file())


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
        return Failure("machine", f"a login is needed: {line(event)}",
                       "download it first, or name a folder with --stand-in",
                       at, "login")  # fmt: skip
    message = event["message"]
    if event.get("network") or "a probe may not" in message or "offline" in message.lower():
        return Failure("machine", f"the script uses the network: {line(event)}",
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
    return Failure("machine", f"the script needs a GPU: {line(event)}",
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
    problem = "this is Python 2" if old else "this is not valid Python for this interpreter"
    remedy = "convert it to Python 3" if old else "correct this line"
    if at and at.text.lstrip().startswith(("!", "%")):
        problem, remedy = "this line is for a notebook only", "comment it out, or name the notebook"
    return Failure("script", f"{problem}: {line(event)}", remedy, at, "syntax")


JUDGES: tuple[Callable[[Event, At | None], Failure | None], ...] = (
    _gone, _renamed, _package, _away, _input, _model, _gpu, _network, _syntax,
)  # fmt: skip


def line(event: Event) -> str:
    """An error's type and the first line of what it says."""
    lines = str(event["message"]).strip().splitlines()
    return f"{event['type']}: {lines[0]:.300}" if lines else str(event["type"])
