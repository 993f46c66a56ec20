"""Counts the architectures that shrink: `python benchmarks/shrink.py --python PYTHON`.

Every decoder of the target's transformers in its default config; `--only gpt2` takes one of them.
Prints what becomes of each, with the reason where it cannot be shrunk, then the counts.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
import types
from collections import Counter
from pathlib import Path
from typing import Any

PROBES = Path(__file__).parents[1] / "trl_doctor" / "probes"
QUIET = {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "TQDM_DISABLE": "1"}


def main() -> None:
    """Ask the target interpreter, which runs this same file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.inside:
        survey(asked.only)
        return
    command = [asked.python, "-W", "ignore", __file__, "--inside", "--only", *asked.only]
    sys.exit(subprocess.run(command, env={**os.environ, **QUIET}).returncode)


def survey(only: list[str]) -> None:
    """Shrink every decoder that this interpreter's transformers knows."""
    package = types.ModuleType("probes")
    package.__path__ = [str(PROBES)]
    sys.modules["probes"] = package

    import torch
    import transformers
    from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES as NAMES

    torch.set_num_threads(1)
    transformers.logging.set_verbosity_error()
    counts: Counter[str] = Counter()
    for kind, name in NAMES.items():
        if only and kind not in only:
            continue
        architecture = name if isinstance(name, str) else name[0]
        start = time.perf_counter()
        said = shrunk(kind, architecture)
        counts[said.partition(":")[0]] += 1
        print(f"{kind:28} {time.perf_counter() - start:5.1f} s  {said}", flush=True)
    print(f"transformers {transformers.__version__}: {sum(counts.values())} decoders")
    for outcome, count in counts.most_common():
        print(f"{count:5}  {outcome}")


def shrunk(kind: str, architecture: str) -> str:
    """What becomes of the default config of a model type: one word, a colon, and more."""
    from probes.refusal import Refused  # type: ignore[import-not-found]
    from probes.small_model.shrink import shrunken  # type: ignore[import-not-found]
    from transformers import CONFIG_MAPPING

    with tempfile.TemporaryDirectory() as folder:
        try:
            config = CONFIG_MAPPING[kind]()
            config.architectures = [architecture]
            config.save_pretrained(folder + "/whole")
        except Exception as error:
            return f"no default config: {error}"
        request = {
            "folders": {"policy": folder + "/whole"},
            "ends": {"turn_end": 7, "eos": None},
            "trust_remote_code": False,
        }
        try:
            tiny = shrunken(request, "policy", Path(folder, "small"), 0.5)
        except Refused as reason:
            if "encoder with" in str(reason):
                return "encoder with decoder: "
            own = whole_fails(config)
            alike = own and own[:100] in str(reason)
            return f"fails unshrunk too: {own}" if alike else f"refused: {reason}"
    size = f"{tiny.layers} layers, {tiny.parameters / 1e6:.1f} M parameters"
    if tiny.leans is None:
        return f"shrunk, does not lean: {tiny.architecture}, {size}"
    return f"shrunk, leans: {tiny.architecture}, {size}, {tiny.leans:.3f}"


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
    main()
