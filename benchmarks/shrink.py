"""Counts the architectures that shrink: `python benchmarks/shrink.py --python PYTHON`.

Every decoder of the target's transformers in its default config; `--only gpt2` takes one of them.
Prints what becomes of each, with the reason where it cannot be shrunk, then the counts.
"""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from decoders import decoders, request, run, saved


def survey(only: list[str]) -> None:
    """Shrink every decoder that this interpreter's transformers knows."""
    import transformers

    counts: Counter[str] = Counter()
    for kind, architecture in decoders(only):
        start = time.perf_counter()
        answer = shrunk(kind, architecture)
        counts[answer.partition(":")[0]] += 1
        print(f"{kind:28} {time.perf_counter() - start:5.1f} s  {answer}", flush=True)
    print(f"transformers {transformers.__version__}: {sum(counts.values())} decoders")
    for outcome, count in counts.most_common():
        print(f"{count:5}  {outcome}")


def shrunk(kind: str, architecture: str) -> str:
    """What becomes of the default config of a model type: one word, a colon, and more."""
    from probes.refusal import Refused  # type: ignore[import-not-found]
    from probes.small_model.shrink import shrunken  # type: ignore[import-not-found]

    with TemporaryDirectory() as folder:
        try:
            config = saved(kind, architecture, folder + "/whole")
        except Exception as error:
            return f"no default config: {error}"
        try:
            tiny = shrunken(request(folder + "/whole"), "policy", Path(folder, "small"), 0.5)
        except Refused as reason:
            if "encoder with" in str(reason):
                return "encoder with decoder: "
            own = whole_fails(config)
            alike = own and own[:100] in str(reason)
            return f"fails unshrunk too: {own}" if alike else f"refused: {reason}"
    size = f"{tiny.layers} layers, {tiny.parameters / 1e6:.1f} M parameters"
    if tiny.turn_end_probability is None:
        return f"shrunk, does not lean: {tiny.architecture}, {size}"
    return f"shrunk, turn end: {tiny.architecture}, {size}, {tiny.turn_end_probability:.3f}"


def whole_fails(config: Any) -> str:
    """What a forward pass of the whole model raises, without its memory; "" for nothing."""
    import torch
    from transformers import AutoModelForCausalLM

    try:
        with torch.device("meta"), torch.no_grad():
            model = AutoModelForCausalLM.from_config(config).eval()
            model(input_ids=torch.ones(1, 8, dtype=torch.long))
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


if __name__ == "__main__":
    run(__file__, __doc__, survey)
