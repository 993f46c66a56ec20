"""The adapter reaches few layers of a hybrid model.

Hybrid models (Nemotron-H, Qwen3-Next, Qwen3.5, Jamba, Granite 4, LFM2) have attention in some
layers and Mamba, linear attention or a convolution in the others. q_proj, k_proj, v_proj and o_proj
are in the attention layers alone: LoRA with these names changes a quarter of the layers or less. No
error is raised, and the run learns less than the same settings do in other models.

Remedy: name modules of the other layers, too (often `in_proj` and `out_proj`, and those of the
MLP), or use `all-linear`.

Versions: every release. Reported if at most half of the layers have a module that is named. The
names of the weights tell which; of a model without weights its config tells, for known model types.
Not reported if the script itself chooses layers (`layers_to_transform`).

Seen: peft#3554. Reproduced with DPO of trl 1.16.0 on a small Nemotron-H: 1 of 8 layers has weights
of the adapter; with `in_proj` beside the four names 5 have, and the MLP is in the other three.
"""

import ast
import re
from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.model.checkpoint import weights
from trl_doctor.facts.model.files import model_config
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.script.syntax.code import code

from ..._recorded.candidate import CONFIG, candidate, config_files
from ..._recorded.candidate import weights as stored

KEY = "lora_target_modules"
LAYER = re.compile(r"^(|.*\.)(?:layers|h|blocks)\.(\d+)\.(.+)\.(?:weight|bias)$")
ATTENTION = frozenset({"q_proj", "k_proj", "v_proj", "o_proj"})
MIXED = frozenset({"nemotron_h", "qwen3_next", "qwen3_5", "qwen3_5_text", "qwen3_5_moe",
                   "qwen3_5_moe_text", "jamba", "bamba", "granitemoehybrid", "lfm2"})  # fmt: skip
"""Model types whose other layers have no module with a name of attention."""

CHOOSES = ("layers_to_transform", "layers_pattern", "target_parameters")
KINDS = ("layer_types", "layers_block_type", "hybrid_override_pattern")
FEWEST, SHARE = 4, 0.5
"""Layers of the model, at least, and the share that is reached, at most."""


def check(facts: Facts) -> Iterator[Finding]:
    names = _names(facts)
    reached, layers, others = _by_weights(facts, names) or _by_config(facts, names)
    if layers < FEWEST or not 0 < reached <= SHARE * layers:
        return
    yield Finding(
        facts.run.place(KEY),
        f"{', '.join(sorted(names))} are in {reached} of the {layers} layers: the adapter "
        "does not reach the others",
        (f"the other layers have {others}",) if others else (),
        remedy="name modules of the other layers, too, or use all-linear",
    )


def _names(facts: Facts) -> list[str]:
    run = facts.run
    if isinstance(run.file, Unavailable):
        raise run.file
    names = run.arguments.get(KEY)
    if not run.flag("use_peft") or not isinstance(names, list) or len(names) < 2:
        raise NotConcerned("the run names no modules for an adapter")
    plain = [name for name in names if isinstance(name, str) and re.fullmatch(r"\w+", name)]
    if len(plain) < len(names):
        raise Unavailable(f"{KEY} has names of single modules, or patterns")
    source = facts.get(code)
    if source is not None and any(_named(node) in CHOOSES for node in source.nodes):
        raise NotConcerned("the script chooses layers for the adapter")
    return plain


def _named(node: ast.AST) -> object:
    """The name of a keyword, or a text, such as the key of a dictionary."""
    return getattr(node, "arg", None) or (node.value if isinstance(node, ast.Constant) else None)


def _by_weights(facts: Facts, names: list[str]) -> tuple[int, int, str] | None:
    """The layers that are reached, all layers, and modules of the others; None without weights."""
    held = facts.get(weights)
    if held is None or not held.complete:
        return None
    stacks: dict[str, dict[str, set[str]]] = {}
    for name, tensor in held.tensors.items():
        if (found := LAYER.match(name)) and len(tensor.shape) > 1:
            stack = stacks.setdefault(found[1], {})  # a model that sees images has several
            stack.setdefault(found[2], set()).add(found[3].rpartition(".")[2])
    for layers in stacks.values():
        left = [modules for modules in layers.values() if modules.isdisjoint(names)]
        if len(left) < len(layers):
            others = ", ".join(sorted(set[str]().union(*left))[:6])
            return len(layers) - len(left), len(layers), others
    return None


def _by_config(facts: Facts, names: list[str]) -> tuple[int, int, str]:
    """The same by the kinds of layers that the config lists."""
    config = facts[model_config].mapping()
    inner = config.get("text_config")
    text = inner if isinstance(inner, dict) else config
    values = (text.get(key) for key in KINDS)
    kinds = next((value for value in values if isinstance(value, list | str)), [])
    if not kinds or config.get("model_type") not in MIXED or not ATTENTION.issuperset(names):
        raise NotConcerned("the model is none whose layers are known to differ")
    words = [str(kind) for kind in kinds]
    attention = [kind for kind in words if "attention" in kind or kind == "*"]
    full = [kind for kind in attention if not kind.startswith("linear")]
    other = sorted({kind for kind in words if kind not in full and len(kind) > 1})
    return len(full), len(words), ", ".join(other)


def _bytes(*mixers: str, sees: int = 0) -> dict[str, bytes]:
    tensors = {f"model__layers__{n}__{mixer}__weight": (2, 2) for n, mixer in enumerate(mixers)}
    tensors |= {f"visual__blocks__{n}__attn__qkv__weight": (2, 2) for n in range(sees)}
    return {"model.safetensors": stored(**tensors, model__embed_tokens__weight=(8, 2))}


RUN: dict[str, Json] = {
    "trainer": "sft", "model_name_or_path": "model", "use_peft": True, KEY: ["q_proj", "v_proj"],
}  # fmt: skip
MAMBA, OWN = "mixer__in_proj", "self_attn__q_proj"
KINDS_OF_FOUR: dict[str, Json] = {
    "model_type": "qwen3_next",
    "layer_types": [*["linear_attention"] * 3, "full_attention"],
}
HYBRID = config_files(KINDS_OF_FOUR)
OTHER = config_files({**KINDS_OF_FOUR, "model_type": "kimi_linear"})
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            candidate(RUN, CONFIG, _bytes(MAMBA, MAMBA, MAMBA, OWN)),
            says="q_proj, v_proj are in 1 of the 4 layers: the adapter does not reach the others",
        ),
        Bad(candidate(RUN, HYBRID), says="are in 1 of the 4 layers"),
        Good(candidate(RUN, CONFIG, _bytes(OWN, OWN, OWN, OWN))),
        Good(candidate(RUN, CONFIG, _bytes(OWN, OWN, OWN, OWN, sees=8))),
        Good(candidate({**RUN, KEY: ["q_proj", "in_proj"]}, CONFIG,
                       _bytes(MAMBA, MAMBA, MAMBA, OWN))),
        Good(candidate({**RUN, KEY: "all-linear"}, CONFIG, _bytes(MAMBA, MAMBA, MAMBA, OWN))),
        Good(candidate({**RUN, KEY: ["q_proj", "in_proj"]}, HYBRID)),
        Good(candidate(RUN, OTHER)),
    ),
)  # fmt: skip
