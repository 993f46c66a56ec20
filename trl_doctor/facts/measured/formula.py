"""A step's memory and work by formula, from config.json alone, if it cannot be traced."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod

from msgspec import Struct

from trl_doctor.core.finding import Json
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.model.checkpoint import weights
from trl_doctor.facts.model.files import model_config
from trl_doctor.facts.vllm.engine import language_model
from trl_doctor.probes.answers.fit import FitAnswer, Peak, Sizes

WIDE, HALF = 4, 2
PAIRED, ONLINE = ("dpo", "reward"), ("grpo", "rloo", "ppo")
TOLD = ("per_device_train_batch_size", "max_completion_length", "response_length", "max_length")
NAMES: dict[str, tuple[str, ...]] = {
    "hidden": ("hidden_size", "n_embd", "d_model"),
    "layers": ("num_hidden_layers", "n_layer", "n_layers", "num_layers"),
    "words": ("vocab_size",),
    "heads": ("num_attention_heads", "n_head", "n_heads"),
    "shared": ("num_key_value_heads",),
    "inner": ("intermediate_size", "ffn_hidden_size", "n_inner"),
    "experts": ("num_local_experts", "num_experts", "n_routed_experts"),
    "used": ("num_experts_per_tok",),
    "expert": ("moe_intermediate_size",),
    "head": ("head_dim",),
}
"""The keys of config.json for each size."""


class _Model(Struct, frozen=True):
    """Weights of a layer, those of it that a token uses, and the sizes behind them.

    `packed` are those that 4 bits can hold: the experts of a mixture are no linear layers.
    """

    hidden: int
    layers: int
    words: int
    inner: int
    keys: int
    layer: int
    used: int
    packed: int
    outside: int


class _Step(Struct, frozen=True):
    """A batch: its rows and tokens a row, bytes of a weight and of an activation."""

    rows: int
    length: int
    logits: int
    weight: int
    activation: int

    @property
    def tokens(self) -> int:
        return self.rows * self.length


def estimated(facts: Facts, arguments: Mapping[str, Json], reason: str) -> FitAnswer:
    """The step of a run by formula; `reason` is why it is not traced.

    Raises `Unavailable` with that reason if config.json does not say the sizes.
    """
    trainer, policy = facts.run.trainer, facts.at(facts.run.policy)
    if isinstance(trainer, Unavailable):
        raise trainer
    model = _model(language_model(policy)[1], reason)
    step = _step(trainer.name, arguments, model)
    stored = _stored(policy)
    parameters = stored or model.layers * model.layer + model.outside
    trained = _adapter(model, arguments) if _true(arguments, "use_peft") else parameters
    total = parameters + (trained if trained != parameters else 0)
    roles = dict.fromkeys(_beside(trainer.name, arguments, trained != parameters), parameters)
    sizes = Sizes(
        total, trained, model.layers * model.packed, model.layer, model.hidden * model.inner,
        "float32" if step.weight == WIDE else "bfloat16", {"weights": total, **roles},
        model.words * model.hidden if trained == parameters else 0,
    )  # fmt: skip
    peaks = tuple(_peaks(trainer.name, arguments, model, step, sizes))
    parts = {**dict.fromkeys(("reference", "reward", "value"), 0), **peaks[-1].held}
    return FitAnswer(
        trainer=trainer.trainer,
        architecture=_architecture(policy),
        layers=model.layers,
        peaks=peaks,
        held={**parts, "gradients": 0},
        flops=_flops(arguments, model, step),
        sizes=sizes,
        calls={"forward": ((step.rows, step.length),)},
        batches=1,
        arguments={name: arguments[name] for name in TOLD if name in arguments},
        rows_from="made",
        changed={},
        by_formula=reason,
    )


def _architecture(policy: Facts) -> str:
    names = policy[model_config].get("architectures")
    return str(names[0]) if isinstance(names, list) and names else "a model"


def _model(config: Mapping[str, Json], reason: str) -> _Model:
    """The sizes of a decoder. Raises `Unavailable` if width, depth or words are missing."""
    size = {name: _size(config, keys) for name, keys in NAMES.items()}
    hidden, layers, words = size["hidden"], size["layers"], size["words"]
    if not (hidden and layers and words):
        raise Unavailable(f"{reason}; config.json does not say width, depth and vocabulary")
    inner, heads = size["inner"] or 4 * hidden, size["heads"]
    if not heads:  # a state-space layer: two projections in, one out, each twice as wide
        layer = 6 * hidden * hidden
        return _Model(hidden, layers, words, 2 * hidden, 0, layer, layer, layer, 2 * words * hidden)
    head = size["head"] or hidden // heads
    keys = head * (size["shared"] or heads)
    attention = 2 * hidden * (head * heads + keys)
    layer = used = packed = attention + 3 * hidden * inner
    if size["experts"]:
        per_layer = 3 * hidden * (size["expert"] or inner)
        layer, packed = attention + (size["experts"] + 1) * per_layer, attention
        used = attention + ((size["used"] or 2) + 1) * per_layer
    tied = config.get("tie_word_embeddings") is True
    outside = words * hidden * (2 - tied)
    return _Model(hidden, layers, words, inner, keys, layer, used, packed, outside)


def _size(config: Mapping[str, Json], keys: tuple[str, ...]) -> int:
    values = (config.get(key) for key in keys)
    return next((value for value in values if isinstance(value, int) and value > 0), 0)


def _stored(facts: Facts) -> int:
    """The weights in the model's files; 0 if there are none."""
    try:
        return sum(prod(tensor.shape) for tensor in facts[weights].tensors.values())
    except Unavailable:
        return 0


def _step(trainer: str, arguments: Mapping[str, Json], model: _Model) -> _Step:
    rows = _whole(arguments, "per_device_train_batch_size", 8) * (2 if trainer in PAIRED else 1)
    length = new = _whole(arguments, "max_length", 1024)
    if trainer in ONLINE:
        new = _whole(arguments, "max_completion_length", _whole(arguments, "response_length", 256))
        length = new + _whole(arguments, "max_prompt_length", 512)
    half = arguments.get("bf16", True) is True or _true(arguments, "fp16")
    kind = str(arguments.get("dtype") or arguments.get("torch_dtype") or "float32")
    activation = HALF if half or kind in ("bfloat16", "float16") else WIDE
    logits = 0 if trainer == "reward" else rows * new * model.words * (activation + WIDE)
    return _Step(rows, length, logits, HALF if "16" in kind else WIDE, activation)


def _adapter(model: _Model, arguments: Mapping[str, Json]) -> int:
    """The weights of a LoRA adapter on all linear layers, or on queries and values."""
    targets = arguments.get("lora_target_modules")
    linear = 8 * model.hidden + 2 * model.keys + 3 * (model.hidden + model.inner)
    some = 3 * model.hidden + model.keys
    each = linear if targets == "all-linear" or targets == ["all-linear"] else some
    return _whole(arguments, "lora_r", 16) * model.layers * each


def _beside(trainer: str, arguments: Mapping[str, Json], adapter: bool) -> Iterator[str]:
    """The models that stay beside the one that is trained."""
    beta = arguments.get("beta")
    has_reference = (
        beta not in (None, 0, 0.0) if trainer == "grpo" else trainer in ("dpo", "kto", "rloo")
    )
    if (has_reference or trainer == "ppo") and not adapter:
        yield "reference"
    if trainer == "ppo":
        yield from ("reward", "value")


def _peaks(
    trainer: str, arguments: Mapping[str, Json], model: _Model, step: _Step, sizes: Sizes
) -> Iterator[Peak]:
    models = {name: step.weight * count for name, count in sizes.by_role.items()}
    models["optimizer"] = 0
    yield Peak("load", (), dict(models), ())
    wide = WIDE if sizes.trained != sizes.parameters else step.weight
    models["optimizer"] = 2 * wide * sizes.trained
    copies = HALF * sizes.parameters if step.weight > step.activation else 0
    saved_activation = step.activation * step.tokens * model.hidden
    layer = step.tokens * (
        step.activation * (8 * model.hidden + 4 * model.inner) + 5 * WIDE * model.hidden
    )
    saves = arguments.get("gradient_checkpointing", True) is True
    activations = model.layers * (saved_activation if saves else layer)
    if trainer in ONLINE:
        cache = 2 * step.activation * step.tokens * model.keys * model.layers
        parts = {**models, "weight copies": copies, "kv cache": cache, "temporary": layer}
        yield Peak("generation", (), parts, ())
    forward = {"weight copies": copies, "activations": activations, "logits": step.logits}
    yield Peak("forward", (), {**models, **forward, "temporary": layer}, ())
    gradients = {"gradients": wide * sizes.trained}
    late = {"activations": 0 if saves else activations // 2, "temporary": 2 * layer}
    early = {**forward, "gradients": wide * model.words * model.hidden, "temporary": 2 * layer}
    first, last = {**models, **early}, {**models, **gradients, **late}
    yield Peak("backward", (), max(first, last, key=lambda held: sum(held.values())), ())
    yield Peak("optimizer step", (), {**models, **gradients}, ())


def _flops(arguments: Mapping[str, Json], model: _Model, step: _Step) -> dict[str, int]:
    """Two operations a weight and token, attention within a row, twice as much backward."""
    each = 2 * (model.layers * model.used + model.words * model.hidden)
    forward = step.tokens * (each + 2 * model.layers * model.hidden * step.length)
    again = 1 if arguments.get("gradient_checkpointing", True) is True else 0
    return {"forward": forward, "backward": (2 + again) * forward}


def _whole(arguments: Mapping[str, Json], name: str, usual: int) -> int:
    value = arguments.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else usual


def _true(arguments: Mapping[str, Json], name: str) -> bool:
    return arguments.get(name) is True
