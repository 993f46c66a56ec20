"""The environment variables of a probe: the user's own, kept from networks, trackers and jobs."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from trl_doctor.core.own_folders import NoHome, own_folder
from trl_doctor.files.hub.cache import cache_root

QUIET = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_DATASETS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "DISABLE_TELEMETRY": "1",
    "DO_NOT_TRACK": "1",
    "CI": "1",
    "VLLM_NO_USAGE_STATS": "1",
    "VLLM_HOST_IP": "127.0.0.1",
    "RAY_USAGE_STATS_ENABLED": "0",
    "WANDB_MODE": "disabled",
    "SWANLAB_MODE": "disabled",
    "DISABLE_MLFLOW_INTEGRATION": "TRUE",
    "DISABLE_KUBEFLOW_INTEGRATION": "TRUE",
    "TQDM_DISABLE": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONFAULTHANDLER": "1",
    "PYTHONUNBUFFERED": "1",
    "TRL_EXPERIMENTAL_SILENCE": "1",
    "PYTORCH_NVML_BASED_CUDA_CHECK": "1",
    "OBJC_DISABLE_INITIALIZE_FORK_SAFETY": "YES",
    "NCCL_SOCKET_IFNAME": "lo",
    "GLOO_SOCKET_IFNAME": "lo",
}
"""No network, no telemetry, no trackers, no bars; CUDA is not touched before a probe asks, and
macOS lets a process fork that has used Objective-C."""

SECRETS = (
    "HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HUGGINGFACE_HUB_TOKEN", "WANDB_API_KEY",
    "COMET_API_KEY", "NEPTUNE_API_TOKEN", "SWANLAB_API_KEY", "CLEARML_API_ACCESS_KEY",
    "CLEARML_API_SECRET_KEY", "MLFLOW_TRACKING_TOKEN", "MLFLOW_TRACKING_PASSWORD",
)  # fmt: skip
"""Whoever has these may upload in the user's name."""

STAND_IN = "0" * 40
"""What a user's own script gets for a secret: as long as wandb wants its keys."""

REMOVED = (
    *SECRETS, "HF_TOKEN_PATH", "MLFLOW_TRACKING_URI", "TRACKIO_SPACE_ID",
    # a proxy on this machine would be a way out of it
    "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "FTP_PROXY",
    "http_proxy", "https_proxy", "all_proxy", "ftp_proxy",
    # what a launcher sets for its workers: a probe is none, and would wait for the others
    "RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "GROUP_RANK", "NODE_RANK",
    "MASTER_ADDR", "MASTER_PORT", "KUBEFLOW_TRAINER_SERVER_URL",
)  # fmt: skip
REMOVED_PREFIXES = ("ACCELERATE_", "FSDP_", "TORCHELASTIC_", "OMPI_COMM_", "PMI_", "PMIX_", "MV2_")


def places(root: Path) -> dict[str, str]:
    """Where a probe's libraries write: in the host's folder, and what they compile in a cache.

    It is the doctor's own: what a probe leaves there is run by no job. Kernels of the Hub
    (`attn_implementation: kernels-community/…`) are read from where the user has them.
    """
    home, cache = root / "home", _cache(root)
    return {
        "TMPDIR": str(root),
        "HF_HOME": str(home),
        "HF_DATASETS_CACHE": str(home / "datasets"),
        "HF_MODULES_CACHE": str(home / "modules"),
        "XDG_CONFIG_HOME": str(home / "config"),
        "VLLM_CONFIG_ROOT": str(home / "config" / "vllm"),
        "MPLCONFIGDIR": str(home / "config" / "matplotlib"),
        "XDG_CACHE_HOME": str(cache),
        "VLLM_CACHE_ROOT": str(cache / "vllm"),
        "TRITON_CACHE_DIR": str(cache / "triton"),
        "TORCHINDUCTOR_CACHE_DIR": str(cache / "inductor"),
        "TORCH_EXTENSIONS_DIR": str(cache / "extensions"),
        "FLASHINFER_WORKSPACE_BASE": str(cache),
        "CUDA_CACHE_PATH": str(cache / "cuda"),
        "NUMBA_CACHE_DIR": str(cache / "numba"),
        "KERNELS_CACHE": os.environ.get("KERNELS_CACHE") or str(cache_root()),
    }


def _cache(root: Path) -> Path:
    """`trl-doctor/compiled` in the user's cache folder; in the host's where that cannot be."""
    try:
        cache = own_folder("cache") / "compiled"
        cache.mkdir(parents=True, exist_ok=True)
    except (OSError, NoHome):
        return root / "home" / "cache"
    return cache if os.access(cache, os.W_OK) else root / "home" / "cache"


def variables(inherited: Mapping[str, str], more: Mapping[str, str]) -> dict[str, str]:
    """The environment of a probe: `inherited` without removed variables, made quiet, and `more`."""
    return {**{name: inherited[name] for name in inherited if not _removed(name)}, **QUIET, **more}


def stand_ins(inherited: Mapping[str, str]) -> dict[str, str]:
    """The secrets that are set, without their values: a script that asks for them goes on."""
    return {name: STAND_IN for name in SECRETS if inherited.get(name)}


def settings(
    inherited: Mapping[str, str], more: Mapping[str, str]
) -> tuple[dict[str, str], list[str]]:
    """The variables that a shell sets and unsets to give a command the environment of a probe."""
    return {**QUIET, **more}, sorted({*REMOVED, *filter(_removed, inherited)})


def _removed(name: str) -> bool:
    return name in REMOVED or name.startswith(REMOVED_PREFIXES)
