"""Names of types of numbers that people write, and that torch does not have."""

SHORT = {
    "bf16": "bfloat16", "fp16": "float16", "fp32": "float32", "f16": "float16", "f32": "float32",
    "b16": "bfloat16", "fp64": "float64",
}  # fmt: skip
"""Short names, and torch's own."""

MODULE = "torch."


def torch_name(name: str) -> str:
    """torch's own name for the type in a config.json; empty if it can be right as it is."""
    bare = name.removeprefix(MODULE)
    return SHORT.get(bare.lower(), bare if name.startswith(MODULE) else "")
