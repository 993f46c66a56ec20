"""The bytes of weights and optimizer states in few bits, as bitsandbytes and torchao store them."""

from __future__ import annotations

BLOCK, NESTED, BLOCK_8 = 64, 256, 256
"""The values that share a scale: of 4-bit weights, of their scales, of 8-bit states."""

SCALE = 4
"""Bytes of a scale, a float32."""

STATES = {"lion": 1, "rmsprop": 1, "adagrad": 1, "ademamix": 3}
"""The states of a weight by the optimizer's name; Adam has two."""


def packed_weight(bits: int, *, nested: bool) -> float:
    """Bytes of a quantised weight with its share of the scales.

    4 bits: half a byte, and a scale for 64 weights, which are 0.5 bits a weight. `nested` keeps the
    scales in 8 bits with a scale of their own for 256 of them: 8/64 + 32/(64 * 256) = 0.127 bits
    (QLoRA, arXiv 2305.14314, section 3; `quantize_4bit` in bitsandbytes/functional.py). 8 bits: one
    byte; the scale of each row (`SCB`) is less than a thousandth.
    """
    if bits != 4:
        return 1.0
    return 0.5 + (1 / BLOCK + SCALE / (BLOCK * NESTED) if nested else SCALE / BLOCK)


def packed_states(optim: str, trained: int, embedded: int) -> int:
    """Bytes of an 8-bit optimizer's states for so many trained weights, `embedded` in embeddings.

    Each state takes a byte a weight and a scale for 256 of them (`Optimizer2State` in
    bitsandbytes/optim/optimizer.py). transformers has the states of embeddings in 32 bits with
    bitsandbytes (`register_module_override` in trainer.py), not with torchao (`adamw_torch_8bit`).
    """
    states = next((count for name, count in STATES.items() if name in optim), 2)
    whole = 0 if "torch" in optim else min(embedded, trained)
    return int(states * ((trained - whole) * (1 + SCALE / BLOCK_8) + 4 * whole))
