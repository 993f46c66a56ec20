"""Builds a trainer of TRL, and prints whether the Hub's telemetry has begun to send."""

from __future__ import annotations

import json
import sys
from typing import Any


def answer(request: dict[str, Any]) -> dict[str, Any]:
    from datasets import Dataset
    from huggingface_hub.utils import _telemetry
    from trl import GRPOConfig, GRPOTrainer

    GRPOTrainer(
        model=request["folder"],
        reward_funcs=lambda completions, **_: [0.0] * len(completions),
        args=GRPOConfig(
            "out", report_to="all", use_cpu=True, per_device_train_batch_size=2, num_generations=2
        ),
        train_dataset=Dataset.from_dict({"prompt": ["one", "two"]}),
    )
    return {"sends": _telemetry._TELEMETRY_THREAD is not None}


def _refuse(event: str, _: object) -> None:
    if event in ("socket.connect", "socket.getaddrinfo"):
        raise OSError("no network")


if __name__ == "__main__":
    sys.addaudithook(_refuse)
    print(json.dumps(answer({"folder": sys.argv[1]})))
