"""A library that the run needs does not import.

The job dies in its first lines, on every node that was allocated for it. Nothing is wrong with
the candidate: the installation is broken.

Remedy: mend the package that the finding names, in the environment of the job.

Versions: any. torchvision, torchaudio and torchcodec for another torch are the usual cause:
transformers imports them where they are installed, and reports "Could not import module".
trl 0.28.0 to 1.14.1 import requests, which they do not require.

Seen: torch 2.13.0 for the CPU with torchvision 0.28.0 for CUDA: "operator torchvision::nms does
not exist"; trl 1.12.0 with transformers 5.23.0 freshly installed: "No module named 'requests'".
"""

from collections.abc import Iterator

from trl_doctor.dry_run.libraries import Failed, failed, libraries
from trl_doctor.facts import Facts
from trl_doctor.finding import Finding
from trl_doctor.probing import Answer, Question
from trl_doctor.rule import Bad, Good, Rule

from ._examples import CONFIG, RUN, TOKENIZER, candidate

WITH_TORCH = ("torchvision", "torchaudio", "torchcodec")
"""Packages that are built for one release of torch."""


def check(facts: Facts) -> Iterator[Finding]:
    answer = facts[libraries]
    if answer.state in ("died", "timed out"):
        yield Finding(facts.run.place(), answer.reason, evidence=answer.tail[-3:])
        return
    causes: dict[str, list[Failed]] = {}
    for one in facts[failed]:
        causes.setdefault(one.cause, []).append(one)
    for cause, ones in causes.items():
        names = ", ".join(one.name.replace(":", ".") for one in ones)
        first = ones[0]
        blamed = f": {first.package} is at fault" if first.package and not first.missing else ""
        evidence = () if first.error == cause else (first.error.partition("\n")[0],)
        does = "does" if len(ones) == 1 else "do"
        yield Finding(
            facts.run.place(),
            f"{names} {does} not import{blamed}: {cause}",
            evidence=evidence,
            remedy=_remedy(facts, first),
        )


def _remedy(facts: Facts, one: Failed) -> str:
    pip = f"{facts.environment.python} -m pip"
    if one.missing:
        return f"{pip} install {one.missing.partition('.')[0]}"
    if one.package in WITH_TORCH:
        torch = facts.environment.version("torch")
        return (
            f"install the {one.package} that was built for torch {torch}, or, as text needs none, "
            f"{pip} uninstall {' '.join(WITH_TORCH)}"
        )
    return f"{pip} check says what does not fit" + (
        f"; install another release of {one.package}" if one.package else ""
    )


IMPORTING = Question("libraries", "importing", {})
TRAINED = candidate(RUN, TOKENIZER, CONFIG)
NMS = {
    "error": "ModuleNotFoundError: Could not import module 'AutoModelForCausalLM'.",
    "cause": "RuntimeError: operator torchvision::nms does not exist",
    "missing": "",
    "package": "torchvision",
}
REQUESTS = {
    "error": "RuntimeError: Failed to import trl.trainer.grpo_trainer",
    "cause": "ModuleNotFoundError: No module named 'requests'",
    "missing": "requests",
    "package": "requests",
}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            TRAINED,
            answers={"libraries": {"failed": {"transformers:AutoModelForCausalLM": NMS}}},
            says="torchvision is at fault: RuntimeError: operator torchvision::nms",
        ),
        Bad(
            TRAINED,
            answers={"libraries": {"failed": {"trl:GRPOTrainer": REQUESTS}}},
            says="trl.GRPOTrainer does not import: ModuleNotFoundError: No module named 'requests'",
        ),
        Bad(
            TRAINED,
            answers={"libraries": Answer(IMPORTING, "died", reason="it was killed by SIGSEGV")},
            says="killed by SIGSEGV",
        ),
        Good(TRAINED, answers={"libraries": {"failed": {}}}),
    ),
)
