"""Extends `trl_doctor/data/pairs.json`: runs one GRPO step with pairs of trl and transformers.

Run it where pip is, with trl-doctor installed, and commit what it changes:

    python history/pairs.py --cache ~/.cache/trl-wheels --python ENVIRONMENT 0.28.0+5.3.0

Of several environments a pair takes one whose tokenizers suits its transformers. Both wheels, and
what they require that is not there, are unpacked into a temporary folder that comes first on
PYTHONPATH; the environment stays as it is. It should have the Python that runs this. An error
that is none of the file's failures is printed and not written.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import zipfile
from contextlib import suppress
from dataclasses import dataclass
from email.parser import HeaderParser
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name, parse_wheel_filename
from packaging.version import InvalidVersion, Version

from trl_doctor.asking.probes import Probes
from trl_doctor.core.question import Answer, Pending, Question
from trl_doctor.core.trainer import TRAINERS
from trl_doctor.facts.library.imports import BASE
from trl_doctor.facts.library.pairs import RAN
from trl_doctor.facts.library.releases import DATA
from trl_doctor.machine.environment import BadInterpreter, Environment, environment

FILE, MARK = DATA / "pairs.json", ' "pairs": {\n'
GRPO = TRAINERS["grpo"]
IMPORTS = (*BASE, "datasets", f"trl:{GRPO.config}", f"trl:{GRPO.trainer}")
NAMED = {"name": GRPO.name, "class": GRPO.trainer, "config": GRPO.config, "module": "trl"}
REQUEST = {"trainer": NAMED, "roots": [], "device": "cpu", "trust_remote_code": False}
"""The request of a step; the probe brings its own model, rows and arguments."""

UNDECLARED = "requests"
"""trl 0.28.0 to 1.14.1 import it, and nothing that they require brings it any more."""

SIGNS = {
    "too-old": r"(cannot import name '\w+' from 'transformers|no attribute '_VALID_DICT_FIELDS')"
    r"[\s\S]*; trl requires transformers",
    "sampler": r"GRPOTrainer\._get_train_sampler\(\) takes 1 positional argument but 2 were given",
    "warnings": r"object has no attribute 'warnings_issued'",
    "tuple": r"No module named '(mergekit|vllm|weave)'",
    "no-triton": r"'NoneType' object has no attribute 'apply', raised at .*trl/trainer/utils\.py:",
}
"""What the error of each failure looks like."""


class Untried(Exception):
    """The pair could not be tried; the message says why."""


@dataclass(frozen=True)
class Pair:
    """A release of trl and one of transformers."""

    trl: str
    transformers: str

    def __str__(self) -> str:
        return f"{self.trl}+{self.transformers}"


@dataclass(frozen=True)
class Error:
    """When it came, as the file's failures say it ("import"), and its words."""

    when: str
    text: str


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pairs", nargs="*", type=pair, help="TRL+TRANSFORMERS, as 0.28.0+5.3.0")
    parser.add_argument("--all", action="store_true", help="the pairs of the file as well")
    parser.add_argument("--python", action="append", type=Path, required=True, dest="bases")
    parser.add_argument("--cache", type=Path, required=True, help="where wheels are kept")
    given = parser.parse_args()
    given.cache.mkdir(parents=True, exist_ok=True)
    try:
        bases = [environment(base) for base in given.bases]
    except BadInterpreter as error:
        parser.error(str(error))
    wanted = dict.fromkeys([*given.pairs, *(known() if given.all else ())])
    if not wanted:
        parser.error("name a pair, or --all")
    sys.exit(0 if all([tell(pair, bases, given.cache) for pair in wanted]) else 1)


def pair(text: str) -> Pair:
    trl, _, transformers = text.partition("+")
    try:
        return Pair(str(Version(trl)), str(Version(transformers)))
    except InvalidVersion as error:
        message = f"{text!r} is no pair of releases: write it like 0.28.0+5.3.0"
        raise argparse.ArgumentTypeError(message) from error


def known() -> dict[Pair, str]:
    """The pairs that were tried, and what came of them."""
    rows = json.loads(FILE.read_text("utf-8"))["pairs"]
    return {Pair(trl, name): row[name] for trl, row in rows.items() for name in row}


def tell(wanted: Pair, bases: list[Environment], cache: Path) -> bool:
    """Try a pair, say and write what came of it; whether it was written, or stood there."""
    before = known()
    try:
        base, error = tried(wanted, bases, cache)
    except Untried as reason:
        print(f"{wanted}: not tried: {reason}", flush=True)
        return False
    outcome = kind(error) if error else RAN
    if error and not outcome:
        message = " ".join(error.text.split())
        print(f"{wanted} over {base}: not written: at {error.when}: {message}", flush=True)
        return False
    was = before.get(wanted)
    if outcome != was:
        FILE.write_text(laid_out(FILE.read_text("utf-8"), {**before, wanted: outcome}), "utf-8")
    print(f"{wanted} over {base}: {outcome} (before: {was or 'not tried'})", flush=True)
    return True


def kind(error: Error) -> str:
    """The name of the file's failure that an error is; empty where it is none of them."""
    failures = json.loads(FILE.read_text("utf-8"))["failures"]
    fit = (name for name, sign in SIGNS.items() if re.search(sign, error.text))
    return next((name for name in fit if failures[name]["when"] == error.when), "")


def laid_out(text: str, pairs: dict[Pair, str]) -> str:
    """The file's text with these pairs: a line for each release of trl, in order."""
    rows: dict[str, dict[str, str]] = {}
    for pair in sorted(pairs, key=lambda pair: (Version(pair.trl), Version(pair.transformers))):
        rows.setdefault(pair.trl, {})[pair.transformers] = pairs[pair]
    lines = (f"  {json.dumps(trl)}: {json.dumps(row)}" for trl, row in rows.items())
    return text.partition(MARK)[0] + MARK + ",\n".join(lines) + "\n }\n}\n"


def tried(wanted: Pair, bases: list[Environment], cache: Path) -> tuple[Path, Error | None]:
    """The interpreter that tried the pair, and the error; None where a step ran."""
    trl = wheel(cache, "trl", SpecifierSet(f"=={wanted.trl}"))
    transformers = wheel(cache, "transformers", SpecifierSet(f"=={wanted.transformers}"))
    base, wants = suited(bases, transformers), requirements(trl)["transformers"]
    with tempfile.TemporaryDirectory(prefix="trl-doctor-pair-") as folder:
        lay_over(base, [trl, transformers], Path(folder), cache)
        error = stepped(base.python, Path(folder))
    if error and wanted.transformers not in wants:
        error = Error(error.when, f"{error.text}; trl requires transformers{wants}")
    return base.python, error


def suited(bases: list[Environment], transformers: Path) -> Environment:
    """The base that has the tokenizers of this transformers, and lacks least of the rest."""
    needs = requirements(transformers)
    fit = [base for base in bases if has(base, "tokenizers", needs["tokenizers"])]
    if not fit:
        raise Untried(f"no environment has tokenizers{needs['tokenizers']}")
    return max(fit, key=lambda base: sum(has(base, *item) for item in needs.items()))


def has(base: Environment, name: str, wanted: SpecifierSet) -> bool:
    version = base.installed_version(name)
    return version is not None and wanted.contains(version, prereleases=True)


def lay_over(base: Environment, wheels: list[Path], folder: Path, cache: Path) -> None:
    """Unpack wheels, and what they require that the base lacks, into a folder."""
    needed = {UNDECLARED: SpecifierSet()}
    names = {str(parse_wheel_filename(file.name)[0]) for file in wheels}
    while wheels:
        for file in wheels:
            with zipfile.ZipFile(file) as archive:
                archive.extractall(folder)
            for name, wanted in requirements(file).items():
                needed[name] = needed.get(name, SpecifierSet()) & wanted
        left = {name: needed[name] for name in needed if name not in names}
        wheels = [wheel(cache, *item) for item in left.items() if not has(base, *item)]
        names |= {str(parse_wheel_filename(file.name)[0]) for file in wheels}


def requirements(file: Path) -> dict[str, SpecifierSet]:
    """What a wheel requires here, without extras."""
    with zipfile.ZipFile(file) as archive:
        (name,) = (entry for entry in archive.namelist() if entry.endswith(".dist-info/METADATA"))
        headers = HeaderParser().parsestr(archive.read(name).decode("utf-8"))
    all_requirements = [Requirement(line) for line in headers.get_all("Requires-Dist") or ()]
    here = [
        requirement
        for requirement in all_requirements
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""})
    ]
    return {str(canonicalize_name(requirement.name)): requirement.specifier for requirement in here}


def wheel(cache: Path, wanted: str, releases: SpecifierSet) -> Path:
    """A wheel of such a release, downloaded if the cache has none."""
    for file in sorted(cache.glob("*.whl")):
        name, version, *_ = parse_wheel_filename(file.name)
        if name == wanted and version in releases:
            return file
    with tempfile.TemporaryDirectory(dir=cache) as scratch:
        pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:"]
        pip += ["-d", scratch, f"{wanted}{releases}"]
        process = subprocess.run(pip, capture_output=True, text=True)
        if process.returncode:
            why = process.stderr.strip().rpartition("\n")[2]
            raise Untried(f"pip brings no wheel of {wanted}{releases}: {why}")
        (file,) = Path(scratch).glob("*.whl")
        return file.rename(cache / file.name)


def stepped(python: Path, folder: Path) -> Error | None:
    """The error of importing, or of a healthy model's step, with a folder's packages."""
    variables = {"PYTHONPATH": str(folder), "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}
    with Probes(python, variables=variables) as probes:
        libraries = answer_to(probes, "libraries", {"imports": list(IMPORTS)})
        if libraries.state != "answered":
            return Error("import", libraries.reason)
        for failed in libraries.value["failed"].values():
            return Error("import", f"{failed['error']}, from {failed['cause']}")
        step = answer_to(probes, "healthy_step", REQUEST)
    if step.state == "answered":
        return None
    where = f", raised at {step.raised.at}" if step.raised else ""
    return Error("the first step", step.reason + where)


def answer_to(probes: Probes, probe: str, wanted: dict[str, Any]) -> Answer:
    question = Question(probe, probe, wanted, dict, IMPORTS)
    with suppress(Pending):
        return probes.ask(question)
    probes.finish()
    return probes.ask(question)


if __name__ == "__main__":
    main()
