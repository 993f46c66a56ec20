"""Every decoder that a target's transformers knows, in its default config, for the benchmarks."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

PROBES = Path(__file__).parents[1] / "trl_doctor" / "probes"
QUIET = {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "TQDM_DISABLE": "1"}


def run(script: str, doc: str | None, survey: Callable[[list[str]], None]) -> None:
    """Run a script's survey in the interpreter of `--python`, of the types that `--only` names."""
    parser = argparse.ArgumentParser(description=doc)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if not options.inside:
        command = [options.python, "-W", "ignore", script, "--inside", "--only", *options.only]
        sys.exit(subprocess.run(command, env={**os.environ, **QUIET}).returncode)
    package = types.ModuleType("probes")
    package.__path__ = [str(PROBES)]
    sys.modules["probes"] = package
    survey(options.only)


def decoders(only: list[str]) -> Iterator[tuple[str, str]]:
    """The model types and their architectures; without `only`, all."""
    import torch
    import transformers
    from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES as NAMES

    torch.set_num_threads(1)
    transformers.logging.set_verbosity_error()
    for kind, name in NAMES.items():
        if not only or kind in only:
            yield kind, name if isinstance(name, str) else name[0]


def saved(kind: str, architecture: str, folder: str) -> Any:
    """The default config of a model type, which is saved in the folder; raises what that raises."""
    from transformers import CONFIG_MAPPING

    config = CONFIG_MAPPING[kind]()
    config.architectures = [architecture]
    config.save_pretrained(folder)
    return config


def request(folder: str, **more: Any) -> dict[str, Any]:
    """What a probe is asked about the model in that folder."""
    ends = {"turn_end": 7, "eos": None}
    folders = {"policy": folder, "tokenizer": None}
    return {"folders": folders, "ends": ends, "trust_remote_code": False, **more}
