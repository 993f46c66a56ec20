"""Writes the file by which Python lets the doctor into every process of a command."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from .order import VARIABLE, Order

NOT_BEGUN = 70
"""The exit status of a process whose rehearsal cannot begin."""

BEGIN = '''\
"""Lets a rehearsal begin in this process; then whatever else is called sitecustomize."""
import importlib.machinery
import importlib.util
import os
import sys

HERE, PROBES = {here!r}, {probes!r}


def package():
    spec = importlib.util.spec_from_file_location(
        "trl_doctor_probes", PROBES + "/__init__.py", submodule_search_locations=[PROBES]
    )
    module = importlib.util.module_from_spec(spec)
    sys.modules["trl_doctor_probes"] = module
    spec.loader.exec_module(module)


def another():
    places = [one for one in sys.path if one != HERE]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", places)
    if spec is not None and spec.loader is not None:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


if sys.version_info >= (3, 9):
    try:
        package()
        from trl_doctor_probes.rehearsal.shim import begin

        begin()
    except Exception:  # without it nothing would keep the script from what is the user's
        sys.excepthook(*sys.exc_info())
        sys.stderr.flush()
        os._exit({not_begun})
    sys.path[:] = [one for one in sys.path if one != HERE]
another()
'''


def started(order: Order, own: Mapping[str, str]) -> dict[str, str]:
    """Write it; the environment variables of the command, made of one's own."""
    here, scratch = order.scratch / "start", str(order.scratch)
    here.mkdir(exist_ok=True)
    probes = str(Path(__file__).resolve().parents[1])
    (here / "sitecustomize.py").write_text(
        BEGIN.format(here=str(here), probes=probes, not_begun=NOT_BEGUN), "utf-8"
    )
    order.written(here / "order.json")
    path = [str(here), *(folder for folder in [own.get("PYTHONPATH", "")] if folder)]
    hub = own.get("HF_HUB_CACHE") or own.get("HUGGINGFACE_HUB_CACHE")
    home = own.get("HF_HOME") or str(Path("~/.cache/huggingface").expanduser())
    return {
        **own,
        "PYTHONPATH": ":".join(path),
        VARIABLE: str(here / "order.json"),
        "HF_HUB_CACHE": hub or home + "/hub",
        "HF_HOME": scratch + "/hf",
        "HF_DATASETS_CACHE": scratch + "/hf/datasets",
        "HF_MODULES_CACHE": scratch + "/hf/modules",
        **{name: f"{scratch}/tmp" for name in ("TMPDIR", "TEMP", "TMP")},
        **{
            name: f"{scratch}/cache/{name.lower()}"
            for name in ("XDG_CACHE_HOME", "TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR",
                         "MPLCONFIGDIR", "NUMBA_CACHE_DIR", "WANDB_DIR", "TORCH_EXTENSIONS_DIR",
                         "TORCH_HOME", "VLLM_CACHE_ROOT")
        },
        "CUDA_VISIBLE_DEVICES": "",
    }  # fmt: skip
