"""Makes a small random model of a candidate's own architecture, with its own tokenizer."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..child import line
from ..loading.config import ADAPTER, FILE, loaded_config, mapping, random_model
from ..loading.small_files import copied
from ..refusal import Refused
from .sizes import PLANS
from .small_config import smaller
from .token_probability import set_probability

LARGEST = 400_000_000
"""Parameters of the largest model that is still made."""

CAUSAL = ("ForCausalLM", "LMHeadModel")
"""Endings of classes that continue a text."""


@dataclass(frozen=True)
class Tiny:
    """A small random model in a folder, with the candidate's tokenizer and template.

    `turn_end` is the token id that it generates most often, and `turn_end_probability` the measured
    probability of that id after a prompt; both are None if it prefers no token.
    """

    folder: Path
    architecture: str
    layers: int
    hidden: int
    parameters: int
    vocabulary: int
    turn_end: int | None
    turn_end_probability: float | None

    def sizes(self) -> dict[str, Any]:
        """What it is, for an answer."""
        names = ("architecture", "layers", "hidden", "parameters", "vocabulary")
        return {name: getattr(self, name) for name in names}

    def loaded(self, trusted: bool, dtype: Any) -> Any:
        """The model as a trainer would load it."""
        import transformers

        kind = getattr(transformers, self.architecture, transformers.AutoModelForCausalLM)
        folder = str(self.folder)
        return kind.from_pretrained(folder, torch_dtype=dtype, trust_remote_code=trusted)


def shrunken(
    request: dict[str, Any], role: str, into: Path, end_probability: float | None = None
) -> Tiny:
    """Write a small random model of a role's architecture into a folder.

    `end_probability` is the probability of the token that ends a turn, after any prompt.
    Raises `Refused` if there is no such model, or none that is small.
    """
    import torch

    folder = request["folders"][role]
    if not folder:
        raise Refused(f"the run names no {role} model")
    trusted = bool(request["trust_remote_code"])
    config = read_config(Path(folder), trusted)
    torch.manual_seed(0)
    model, runs = _first_that_runs(config, role, trusted, bool(request.get("class_named")))
    target = request["ends"]["turn_end"]
    target = request["ends"]["eos"] if target is None else target
    measured = (
        set_probability(model, target, end_probability)
        if runs and end_probability is not None and target is not None
        else None
    )
    _save(model, Path(folder), into, trusted)
    text = _text(model.config)
    return Tiny(
        into,
        type(model).__name__,
        int(getattr(text, "num_hidden_layers", 0)),
        int(getattr(text, "hidden_size", 0)),
        sum(parameter.numel() for parameter in model.parameters()),
        int(model.get_input_embeddings().weight.shape[0]),
        None if measured is None else target,
        measured,
    )


def read_config(folder: Path, trusted: bool) -> Any:
    """The config of a model folder as transformers reads it. Raises `Refused`."""
    import transformers

    if (folder / ADAPTER).is_file() and not (folder / FILE).exists():
        raise Refused("the folder is a PEFT adapter")
    try:
        config = loaded_config(folder, trusted)
    except Exception as error:
        if "trust_remote_code" in str(error):
            raise Refused("its code would have to run: --trust-remote-code") from error
        release = f"transformers {transformers.__version__}"
        kind = str(mapping(folder / FILE).get("model_type", ""))
        if isinstance(error, (ValueError, KeyError)) and kind and kind in str(error):
            raise Refused(f"{release} does not know the model type {kind!r}") from error
        raise Refused(f"{release} cannot read its config.json: {line(error)}") from error
    names = str((getattr(config, "architectures", None) or [""])[0])
    if getattr(config, "is_encoder_decoder", False) and not names.endswith(CAUSAL):
        raise Refused(f"{config.model_type} is an encoder with a decoder")
    if getattr(config, "quantization_config", None) is not None:
        del config.quantization_config
    return config


def _first_that_runs(config: Any, role: str, trusted: bool, class_named: bool) -> tuple[Any, bool]:
    """The smallest model that can be built and gives finite outputs, and that it does.

    If none does, and a model of the config as it is fails with the same error, the cause is no
    size: then the first one that was built, and False. Raises `Refused`.
    """
    error_line, built = "", None
    for plan in PLANS:
        try:
            small = type(config).from_dict(smaller(config.to_dict(), plan))
            small._name_or_path = config._name_or_path
            with _not_too_large():
                model = _built(small, role, trusted, class_named)
            built = built or model
            _runs(model)
            return model, True
        except Exception as error:
            error_line = error_line or line(error)
    if built is not None and _own_error(config, role, trusted, class_named) == error_line:
        return built, False
    raise Refused(f"no small model of {config.model_type} could be made: {error_line}")


def _built(config: Any, role: str, trusted: bool, class_named: bool) -> Any:
    """A random model of the class that TRL would load for this role, in the config's type."""
    import torch

    dtype = getattr(config, "dtype", None) or getattr(config, "torch_dtype", None)
    model = random_model(config, role, trusted, named=class_named)
    return model.to(dtype if isinstance(dtype, torch.dtype) else torch.float32).eval()


@contextlib.contextmanager
def _not_too_large() -> Iterator[None]:
    """Raises where a model that is built meanwhile gets large, before it takes more memory.

    A tensor takes none before it is filled, and it is counted before.
    """
    from torch.nn.modules.module import register_module_parameter_registration_hook

    parameters = 0

    def count(module: Any, name: str, weights: Any) -> None:
        nonlocal parameters
        parameters += 0 if weights is None else weights.numel()
        if parameters > LARGEST:
            raise ValueError(f"it still has more than {LARGEST:,} parameters")

    counting = register_module_parameter_registration_hook(count)
    try:
        yield
    finally:
        counting.remove()


def _own_error(config: Any, role: str, trusted: bool, class_named: bool) -> str:
    """How a model of the config as it is fails on tensors without values; "" if it does not."""
    import torch

    try:
        with torch.device("meta"), torch.no_grad():
            model = _built(config, role, trusted, class_named)
            _ = model(input_ids=torch.ones(1, 8, dtype=torch.long)).logits
    except Exception as error:
        return line(error)
    return ""


def _runs(model: Any) -> None:
    """Raises where the model cannot read a few tokens."""
    import torch

    ids = torch.tensor([[1, 2, 3, 1, 2, 3, 1, 2]]).clamp(max=_text(model.config).vocab_size - 1)
    with torch.no_grad():
        logits = model(input_ids=ids, attention_mask=torch.ones_like(ids)).logits
    if not torch.isfinite(logits).all():
        raise ValueError("its outputs are not finite")


def _save(model: Any, source: Path, into: Path, trusted: bool) -> None:
    """Weights and config of the small model, and the candidate's other small files."""
    into.mkdir(parents=True, exist_ok=True)
    if not getattr(model, "_tied_weights_keys", None):
        # a model with code of its own may not say what it ties, and then is not saved
        model._tied_weights_keys = _shared(model) or None
    model.save_pretrained(str(into))
    files = {file.name for file in into.iterdir()} - {"generation_config.json"}
    (into / "generation_config.json").unlink(missing_ok=True)
    copied(source, into, trusted, files)


def _shared(model: Any) -> list[str]:
    """The names of parameters that are the same as an earlier one."""
    parameters = list(model.named_parameters(remove_duplicate=False))
    first = {id(parameter): name for name, parameter in reversed(parameters)}
    return [name for name, parameter in parameters if first[id(parameter)] != name]


def _text(config: Any) -> Any:
    """The part of a config that is about text."""
    return config.get_text_config() if hasattr(config, "get_text_config") else config
