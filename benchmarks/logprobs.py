"""How far log-probabilities are off: `python benchmarks/logprobs.py --python PYTHON`.

Every decoder of the target's transformers in its default config, shrunk, as the forward probe asks
the installed GRPOTrainer about it; `--only gemma2` takes one of them. Prints those that are off or
die, then the counts.
"""

from __future__ import annotations

import os
import shutil
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from decoders import decoders, request, run, saved

TOKENIZER = Path(__file__).parents[1] / "fixtures" / "models" / "healthy"
GRPO = {"name": "grpo", "class": "GRPOTrainer", "config": "GRPOConfig", "module": "trl"}
WRONG = 0.2
"""Nats: as in `trl_doctor.facts.measured.forward`."""


def survey(only: list[str]) -> None:
    """Ask about every decoder that this interpreter's transformers knows."""
    import transformers
    import trl

    counts: Counter[str] = Counter()
    for kind, architecture in decoders(only):
        outcome, answer = outcome_of(kind, architecture)
        counts[outcome] += 1
        if outcome in ("off", "dies") or only:
            print(f"{kind:22} {architecture:30} {outcome}: {answer}", flush=True)
    print(f"trl {trl.__version__}, transformers {transformers.__version__}: {counts.total()}")
    for outcome, count in counts.most_common():
        print(f"{count:5}  {outcome}")


def outcome_of(kind: str, architecture: str) -> tuple[str, str]:
    """What becomes of the default config of a model type, and more of it."""
    from probes import forward  # type: ignore[import-not-found]

    with TemporaryDirectory() as folder:
        os.chdir(folder)  # the probe writes its small model there
        try:
            saved(kind, architecture, "whole")
            for name in ("tokenizer.json", "tokenizer_config.json"):
                shutil.copy(TOKENIZER / name, "whole")
            answer = forward.answer(request(f"{folder}/whole", trainer=GRPO, arguments={}))
        except Exception as error:
            return "not asked", f"{type(error).__name__}: {error}"
        finally:
            os.chdir("/")
    seen = answer["trainer"]
    if "refused" in seen:
        return "not asked", seen["refused"]
    if seen["error"]:
        return "dies", seen["error"][:100]
    off = seen["wrong_by"]
    return ("off" if off > WRONG else "right"), f"{off} nats, by {seen['called']}"


if __name__ == "__main__":
    run(__file__, __doc__, survey)
