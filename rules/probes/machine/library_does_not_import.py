"""A library that the run needs cannot be imported.

The job fails in its first lines, on every node that was allocated for it. The model and the
arguments are not the cause: the installation is broken.

Remedy: reinstall the package that the finding names, in the environment of the job.

Versions: any. torchvision, torchaudio and torchcodec for another torch are the usual cause;
transformers imports them if they are installed, and reports "Could not import module". trl 0.28.0
to 1.14.1 import requests, which they do not require.

Seen: torch 2.13.0 for the CPU with torchvision 0.28.0 for CUDA: "operator torchvision::nms does
not exist"; trl 1.12.0 with transformers 5.23.0 freshly installed: "No module named 'requests'".
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from trl_doctor.core.finding import Finding
from trl_doctor.core.question import Answer, Question
from trl_doctor.facts import Facts
from trl_doctor.facts.library.imports import ImportFailure, failed_imports, libraries
from trl_doctor.facts.rule import Answers, Bad, Good, Rule
from trl_doctor.probes.answers.libraries import FailedImport, LibrariesAnswer

from ..._recorded.candidate import CONFIG, RUN, TOKENIZER, candidate
from ..._recorded.libraries import IMPORTS

WITH_TORCH = ("torchvision", "torchaudio", "torchcodec")
"""Packages that work with exactly one release of torch."""

DISTRIBUTIONS = {"PIL": "pillow", "cv2": "opencv-python-headless", "sklearn": "scikit-learn",
                 "yaml": "PyYAML", "google": "protobuf", "dateutil": "python-dateutil"}  # fmt: skip
"""The distribution of a module with another name."""

OTHER_TORCH = re.compile("undefined symbol|operator .* does not exist|different CUDA")
"""The errors of such a package if it was built for another torch."""

INDEX = re.compile(r"cpu|xpu|cu\d+|rocm[\d.]+")
"""Builds of torch that have their own package index."""

LEAD = re.compile(r" because of the following error|\. Are this object's requirements|$", re.M)
"""The point after which an error of transformers or trl explains no more."""


def check(facts: Facts) -> Iterator[Finding]:
    answer = facts[libraries]
    if answer.state in ("died", "timed out"):
        yield Finding(facts.run.place(), answer.reason, evidence=answer.tail[-3:])
        return
    causes: dict[str, list[ImportFailure]] = {}
    for failure in facts[failed_imports]:
        causes.setdefault(failure.cause, []).append(failure)
    for cause, failures in causes.items():
        first = failures[0]
        names = " and ".join(failure.name.replace(":", ".") for failure in failures)
        does = "does" if len(failures) == 1 else "do"
        reason = cause.partition("\n")[0]
        above = [] if first.error == cause else [f"the job reports: {_lead(first.error)}"]
        yield Finding(
            facts.run.place(),
            f"{_blamed(facts, first)}: {names} {does} not import",
            evidence=(reason, *above),
            remedy=_remedy(facts, first),
        )


def _lead(error: str) -> str:
    """The beginning of an error, without its advice."""
    return LEAD.split(error, maxsplit=1)[0]


def _blamed(facts: Facts, failure: ImportFailure) -> str:
    """What is wrong with the package that causes the error."""
    top = failure.missing.partition(".")[0]
    version, torch = facts.environment.version(failure.package), facts.environment.version("torch")
    package = f"{failure.package} {version}" if version else failure.package
    if _absent(facts, failure):
        return f"{DISTRIBUTIONS.get(top, top)} is not installed"
    if failure.missing:
        return f"{package} has no module {failure.missing}"
    if _for_other_torch(failure):
        return f"{package} is not built for this torch ({torch})"
    return f"{package} fails" if package else "an import fails"


def _for_other_torch(failure: ImportFailure) -> bool:
    return failure.package in WITH_TORCH and bool(OTHER_TORCH.search(failure.cause))


def _absent(facts: Facts, failure: ImportFailure) -> bool:
    """Whether the whole package is missing, and not only a module of another release."""
    top = failure.missing.partition(".")[0]
    return bool(top) and facts.environment.version(DISTRIBUTIONS.get(top, top)) is None


def _remedy(facts: Facts, failure: ImportFailure) -> str:
    pip = f"{facts.environment.python} -m pip"
    if _absent(facts, failure):
        top = failure.missing.partition(".")[0]
        return f"{pip} install {DISTRIBUTIONS.get(top, top)}"
    torch = facts.environment.version("torch")
    if _for_other_torch(failure):
        index = "--index-url https://download.pytorch.org/whl/"
        local = torch.local if torch and INDEX.fullmatch(torch.local or "") else ""
        pinned = f"torch=={torch.public} {index}{local}" if torch and local else f"torch=={torch}"
        return (
            f"{pip} uninstall --yes {failure.package} (training on text does not "
            "need it); for images or "
            f"sound run {pip} install {failure.package} {pinned}"
        )
    return f"{pip} check lists what does not fit together" + (
        f"; install another release of {failure.package}" if failure.package else ""
    )


IMPORTING = Question("libraries", "importing", {}, LibrariesAnswer)
TRAINED = candidate(RUN, TOKENIZER, CONFIG)
NMS = FailedImport(
    error="ModuleNotFoundError: Could not import module 'AutoModelForCausalLM'.",
    cause="RuntimeError: operator torchvision::nms does not exist",
    missing="",
    package="torchvision",
)
REQUESTS = FailedImport(
    error="RuntimeError: Failed to import trl.trainer.grpo_trainer",
    cause="ModuleNotFoundError: No module named 'requests'",
    missing="requests",
    package="requests",
)
MOVED = replace(REQUESTS, missing="transformers.moved", package="transformers")


def _failing(name: str, why: FailedImport) -> Answers:
    return {"libraries": LibrariesAnswer({name: why})}


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            TRAINED,
            answers=_failing("transformers:AutoModelForCausalLM", NMS),
            versions={"torch": "2.13.0+cpu", "torchvision": "0.28.0"},
            says="torchvision 0.28.0 is not built for this torch (2.13.0+cpu): transformers",
        ),
        Bad(
            TRAINED,
            answers=_failing("trl:GRPOTrainer", REQUESTS),
            says="requests is not installed: trl.GRPOTrainer does not import",
        ),
        Bad(
            TRAINED,
            versions={"transformers": "5.23.0"},
            answers=_failing("trl:GRPOTrainer", MOVED),
            says="transformers 5.23.0 has no module transformers.moved: trl.GRPOTrainer does not",
        ),
        Bad(
            TRAINED,
            answers={"libraries": Answer(IMPORTING, "died", reason="it was killed by SIGSEGV")},
            says="killed by SIGSEGV",
        ),
        Good(TRAINED, answers=IMPORTS),
    ),
)
