"""What replaces the parts of transformers that need weights or data while a step is traced."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterator
from typing import Any
from unittest import mock

from .generation import generated
from .layers import Cut
from .log import LOAD
from .tracker import Tracker


@contextlib.contextmanager
def standing_in(tracker: Tracker, cut: Cut, models: list[Any]) -> Iterator[None]:
    """While this lasts models are made of their config alone, and generate at full length.

    Every model that is made is cut, watched, and added to `models`.
    """
    import torch
    from transformers import GenerationMixin, PreTrainedModel

    def from_pretrained(cls: Any, name: Any, *_: Any, **keywords: Any) -> Any:
        model = made(cls, name, keywords, tracker)
        cut.cut(model)
        for parameter in [*model.parameters(), *model.buffers()]:
            tracker.see(parameter, "load")
        watch(model, tracker)
        models.append(model)
        return (model, {}) if keywords.get("output_loading_info") else model

    def generate(self: Any, inputs: Any = None, **keywords: Any) -> Any:
        return generated(self, tracker, inputs, keywords)

    with contextlib.ExitStack() as stack:
        patch = mock.patch.object
        stack.enter_context(patch(PreTrainedModel, "from_pretrained", classmethod(from_pretrained)))
        stack.enter_context(patch(GenerationMixin, "generate", generate))
        stack.enter_context(patch(torch.nn.Module, "_apply", applied))
        stack.enter_context(patch(torch.Tensor, "numpy", _numpy(torch.Tensor.numpy)))
        yield


def _numpy(usual: Any) -> Any:
    """`Tensor.numpy`, with zeros where a tensor holds no data."""
    from torch._subclasses.fake_tensor import FakeTensor

    zeros = importlib.import_module("numpy").zeros

    def values(tensor: Any, **keywords: Any) -> Any:
        if not isinstance(tensor, FakeTensor):
            return usual(tensor, **keywords)
        return zeros(tuple(tensor.shape), str(tensor.dtype).rpartition(".")[2])

    return values


def made(cls: Any, name: Any, values: dict[str, Any], tracker: Tracker) -> Any:
    """A model without data, in the type in which `from_pretrained` would load it."""
    import torch
    import transformers

    config = values.get("config")
    if not isinstance(config, transformers.PretrainedConfig):
        config = transformers.AutoConfig.from_pretrained(
            str(name), trust_remote_code=bool(values.get("trust_remote_code"))
        )
    for key, value in values.items():
        if key in ("num_labels", "id2label", "label2id"):
            setattr(config, key, value)
    newer = int(transformers.__version__.partition(".")[0]) >= 5
    dtype = values.get("dtype", values.get("torch_dtype", "auto" if newer else None))
    if dtype == "auto":
        dtype = getattr(config, "dtype", None) or getattr(config, "torch_dtype", None)
    if isinstance(dtype, str):
        dtype = getattr(torch, dtype)
    options: dict[str, Any] = {"dtype" if newer else "torch_dtype": dtype or torch.float32}
    if values.get("attn_implementation"):
        options["attn_implementation"] = values["attn_implementation"]
    log, tracker.log = tracker.log, type(tracker.log)(segments=[(LOAD, "")])
    live, tracker._live = tracker._live, {}
    try:
        with tracker.faked():
            model = cls._from_config(config, **options)
            _widen(model, dtype)
    finally:
        tracker.log, tracker._live = log, live
    model.name_or_path = str(name)
    return model.eval()


def _widen(model: Any, dtype: Any) -> None:
    """Put those weights into float32 that `from_pretrained` has in it whatever the type."""
    import torch

    always = getattr(model, "_keep_in_fp32_modules_strict", None) or ()
    usually = getattr(model, "_keep_in_fp32_modules", None) or ()
    names = {torch.float16: {*always, *usually}, torch.bfloat16: {*always}}.get(dtype, set())
    for path, part in model.named_modules() if names else ():
        for tensors in (part._parameters, part._buffers):
            for name, tensor in tensors.items():
                if tensor is not None and names & {*path.split("."), name}:
                    wide = tensor.detach().float()
                    if isinstance(tensor, torch.nn.Parameter):
                        wide = torch.nn.Parameter(wide, tensor.requires_grad)
                    tensors[name] = wide


def watch(model: Any, tracker: Tracker) -> None:
    """Make each call of a model a segment of its own, in which new tensors hold no data."""
    within: list[Any] = []

    def before(module: Any, args: Any, given: Any) -> None:
        tracker.mark(f"{type(module).__name__} called")
        ids = given.get("input_ids", args[0] if args else None)
        if ids is not None:
            tracker.calls.setdefault(tracker.phase, []).append(tuple(ids.shape))
        if tracker.fake is not None:
            within.append(tracker.faked())
            within[-1].__enter__()

    def after(module: Any, *_: Any) -> None:
        if within:
            within.pop().__exit__(None, None, None)
        tracker.mark(f"{type(module).__name__} done")

    model.register_forward_pre_hook(before, with_kwargs=True)
    model.register_forward_hook(after)


def applied(module: Any, fn: Any, recurse: bool = True) -> Any:
    """`Module._apply` for tensors without data: what changes is replaced, ties are kept."""
    import torch

    converted: dict[int, tuple[Any, Any]] = {}

    def changed(value: Any) -> Any:
        if value is None:
            return None
        if id(value) not in converted:
            with torch.no_grad():
                new = fn(value)
            if new.dtype == value.dtype and new.shape == value.shape:
                new = value
            elif isinstance(value, torch.nn.Parameter):
                new = torch.nn.Parameter(new, value.requires_grad)
            converted[id(value)] = value, new
        return converted[id(value)][1]

    for part in module.modules() if recurse else [module]:
        for tensors in (part._parameters, part._buffers):
            for name in tensors:
                tensors[name] = changed(tensors[name])
    return module


@contextlib.contextmanager
def gpu_kernels() -> Iterator[None]:
    """While this lasts TRL's own kernels are taken as on a GPU: they write to the given memory."""
    with contextlib.ExitStack() as stack:
        for name in ("chunked_logprob", "chunked_divergence"):
            with contextlib.suppress(ImportError):
                module = importlib.import_module(f"trl.kernels.{name}")
                for attribute, instead in _on_gpu(module).items():
                    stack.enter_context(mock.patch.object(module, attribute, instead, create=True))
        yield


def _on_gpu(module: Any) -> dict[str, Any]:
    """What to replace in a module of TRL's kernels, so that it does what it does on a GPU."""
    if not hasattr(module, "_use_triton"):
        return {}
    kernels = {name: _Kernel() for name in vars(module) if name.endswith("_kernel")}
    triton = {} if hasattr(module, "triton") else {"triton": mock.Mock()}
    return {"_use_triton": lambda _: True, **triton, **kernels}


class _Kernel:
    """A kernel that is launched and does nothing."""

    def __getitem__(self, grid: Any) -> Any:
        return lambda *_, **__: None
