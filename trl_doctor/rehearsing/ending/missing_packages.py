"""A module that a rehearsed script imports and that is not found: a package, or the user's own."""

from __future__ import annotations

import re
from pathlib import Path

from trl_doctor.core.plain import listed, shown
from trl_doctor.files.regular import bytes_of
from trl_doctor.files.source.notebooks.pins import installed_at
from trl_doctor.rehearsing.code_line import CodeLine
from trl_doctor.rehearsing.ending.failure import Failure
from trl_doctor.rehearsing.events import Event

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


def package(event: Event, at: CodeLine | None) -> Failure | None:
    """The package to install, with the others that the file imports; where an own module is."""
    if event["type"] not in ("ModuleNotFoundError", "ImportError", "PackageNotFoundError"):
        return None
    match = PACKAGE.search(event["message"])
    if not match:
        return None
    whole = match[1] or (match[2] or match[3]).lower()
    name = whole.partition(".")[0]
    if name in SHARED:
        return Failure("machine", f"the module {whole} is not installed",
                       "install the package that has it", at, "package")  # fmt: skip
    own = event["type"] == "ModuleNotFoundError" and (_own_module(name, at) or _beside(name, at))
    if own:
        return own
    if name in OWN:
        return None
    names = [DISTRIBUTIONS.get(name, name), *_others(event, name, at)]
    quoted = " ".join(f"'{package}'" if "[" in package else package for package in names)
    subject = f"package {names[0]} is" if len(names) == 1 else f"packages {listed(names)} are"
    return Failure("machine", f"the {subject} not installed{_asked_for(names[0], at)}",
                   f"pip install {quoted}", at, "package")  # fmt: skip


def _others(event: Event, name: str, at: CodeLine | None) -> list[str]:
    """The other missing packages that the same file imports."""
    absent = [other for other in event.get("facts", {}).get("absent", ()) if other != name]
    return [DISTRIBUTIONS.get(other, other) for other in absent
            if other not in (*SHARED, *OWN) and not (_own_module(other, at) or _beside(other, at))
            and not _asked_for(DISTRIBUTIONS.get(other, other), at)]  # fmt: skip


def _asked_for(name: str, at: CodeLine | None) -> str:
    """That the notebook or script installs a package itself, which a rehearsal leaves out."""
    try:
        where = installed_at(at.file, bytes_of(at.file), name) if at else ""
    except OSError:
        return ""
    if at is None or not where:
        return ""
    source = "the notebook installs it itself" if at.notebook else "the script's metadata names it"
    return f" here: {source} ({where}), and a rehearsal installs nothing"


def _own_module(name: str, at: CodeLine | None) -> Failure | None:
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


def _beside(name: str, at: CodeLine | None) -> Failure | None:
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
