"""How the weights of the run's model are quantised, as its files say."""

from __future__ import annotations

from trl_doctor.core.finding import Json
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.model.files import model_config


def quantised(facts: Facts) -> str:
    """How the run's weights are quantised, for example `4-bit gptq`.

    Empty where they are not quantised. The run's arguments take precedence over config.json.
    """
    run = facts.run
    for bits in (4, 8):
        if run.flag(f"load_in_{bits}bit"):
            return f"{bits}-bit bitsandbytes"
    options = run.arguments.get("model_init_kwargs")
    loading = options.get("quantization_config") or options if isinstance(options, dict) else None
    config = facts.get(model_config)
    return _kind(loading) or _kind(config.get("quantization_config") if config else None)


def _kind(config: Json) -> str:
    """The quantisation that a `quantization_config` sets; empty if it sets none."""
    if not isinstance(config, dict):
        return ""
    loaded = next((bits for bits in (4, 8) if config.get(f"load_in_{bits}bit")), None)
    method = config.get("quant_method") or ("bitsandbytes" if loaded else None)
    bits = loaded or config.get("bits")
    if not isinstance(method, str):
        return ""
    return f"{bits}-bit {method}" if isinstance(bits, int) else method
