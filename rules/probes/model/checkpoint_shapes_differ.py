"""Tensors have another shape than config.json implies.

Loading fails with "size mismatch" or "You set `ignore_mismatched_sizes` to `False`". With
`ignore_mismatched_sizes` it goes on with random values in their place, and only the log reports it.

Remedy: correct config.json so that it matches the weights (for example `vocab_size` after the
embeddings were resized), or save config and weights together with `save_pretrained`.

Versions: every release.

Seen: reproduced with transformers 4.48.3, 4.57.6 and 5.23.0: vocab_size 8 more than the rows of the
embedding: a RuntimeError in each.
"""

from collections.abc import Iterator
from dataclasses import replace

from trl_doctor.core.finding import Finding, Place
from trl_doctor.facts import Facts
from trl_doctor.facts.documents import Document
from trl_doctor.facts.measured.checkpoints import checkpoints, without_heads
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.probes.answers.load import OtherShape, TensorCounts

from ..._recorded.candidate import CONFIG, RUN, candidate
from ..._recorded.load import CHECKPOINT, answers


def check(facts: Facts) -> Iterator[Finding]:
    version = facts.environment.version("transformers")
    for role, folder, checkpoint in checkpoints(facts):
        by_name = {tensor.name: tensor for tensor in checkpoint.differing}
        names = without_heads(facts, role, list(by_name))
        if not names:
            continue
        others = checkpoint.counts.differing - (len(by_name) - len(names)) - 1
        more = f", and {others} more" if others > 0 else ""
        first, kind = by_name[names[0]], checkpoint.class_name
        stored, expected = _shown(first.stored), _shown(first.wanted)
        yield Finding(
            Place(folder.file("config.json"), _key(first, folder.get("config.json"))),
            f"{first.name} of {folder.label} is {stored}, and a {kind} of its config.json has "
            f"{expected}{more}: transformers {version} does not load it",
            evidence=tuple(_line(by_name[name]) for name in names[:6]),
        )


def _key(tensor: OtherShape, config: Document | None) -> str:
    """The key of config.json that gives the shape, if the tensor's name shows it."""
    stored, expected = tensor.stored or (), tensor.wanted or ()
    wide = len(stored) == len(expected) == 2 and stored[1] != expected[1]
    keys: tuple[str, ...] = ()
    if any(part in tensor.name for part in ("embed", "wte", "lm_head", "word_embeddings")):
        keys = ("hidden_size", "n_embd", "d_model") if wide else ("vocab_size",)
    elif not wide and any(part in tensor.name for part in ("k_proj.", "v_proj.")):
        keys = ("num_key_value_heads",)
    elif any(
        part in tensor.name for part in ("gate_proj.", "up_proj.", "down_proj.", "gate_up_proj")
    ):
        keys = ("intermediate_size",) if wide == ("down_proj." in tensor.name) else ("hidden_size",)
    return next((f"/{key}" for key in keys if config and config.get(key) is not None), "")


def _shown(shape: tuple[int, ...] | None) -> str:
    return " x ".join(f"{size:,}" for size in shape) if shape else "of another shape"


def _line(tensor: OtherShape) -> str:
    return f"{tensor.name}: stored {_shown(tensor.stored)}, the model has {_shown(tensor.wanted)}"


FIVE = {"transformers": "5.23.0"}
EMBEDDING = OtherShape("model.embed_tokens.weight", (328, 32), (320, 32))
FOUND = replace(CHECKPOINT, differing=(EMBEDDING,), counts=TensorCounts(differing=1))

RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            candidate(RUN, CONFIG),
            versions=FIVE,
            answers=answers(models={"policy": FOUND}),
            says="model.embed_tokens.weight of model is 328 x 32, and a LlamaForCausalLM of its "
            "config.json has 320 x 32: transformers 5.23.0 does not load it",
        ),
        Good(candidate(RUN, CONFIG), versions=FIVE, answers=answers(models={"policy": CHECKPOINT})),
    ),
)
